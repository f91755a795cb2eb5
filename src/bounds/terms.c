/* The constants of the theorem, as printed and corrected. */
#include <math.h>

#include "bounds/bounds.h"

#define LN2 0.69314718055994530942

/* Var A = E A^2 - (E A)^2, diagonal for the physical rules, 0 for decomposable. */
double orffi_bound_var_A(const orffi_bound_setting *s) {
    double largest = 0.0;
    if (!s->physical) return 0.0;
    for (size_t i = 0; i < s->space; i++) {
        const double mean = orffi_bound_mean_entry(s, i);
        largest = fmax(largest, orffi_bound_square_entry(s, i) - mean * mean);
    }
    return largest;
}

/* (d+1)/sigma^4 for curl-free (correct), d(4d-3)/sigma^4 for div-free (correct is 3(d-1)/sigma^4). */
double orffi_bound_var_A_printed(const orffi_bound_setting *s) {
    const double d = (double)s->space, s4 = s->v * s->v / pow(s->sigma, 4.0);
    const bool pure = s->part->rule->elementary; /* the paper has no combinations of the two */
    if (!s->physical) return 0.0;
    if (!s->gaussian || !s->one_sigma || !pure) return NAN;
    return s->curl > 0.0 ? (d + 1.0) * s4 : d * (4.0 * d - 3.0) * s4;
}

static double norm_E_A2(const orffi_bound_setting *s) {
    double largest = 0.0;
    if (!s->physical) return s->K0 * s->K0;
    for (size_t i = 0; i < s->space; i++) largest = fmax(largest, orffi_bound_square_entry(s, i));
    return largest;
}

/* log E exp(t |w|^2) = -1/2 sum log(1 - 2 t/l_i^2), increasing in t and infinite at l_min^2/2. */
static double log_mgf(const orffi_bound_setting *s, double t) {
    const orffi_spectrum *law = &s->part->law;
    double sum = 0.0;
    for (size_t i = 0; i < s->space; i++) {
        const double scale = law->scale[law->space[i]];
        sum -= 0.5 * log1p(-2.0 * t / (scale * scale));
    }
    return sum;
}

/* |X|_psi1 = 1/t with E exp(t X) = 2. One sigma: 2/(sigma^2 (1 - 4^(-1/m))); a constant c: c/log 2. */
static double psi1(const orffi_bound_setting *s) {
    const double s2 = s->sigma * s->sigma;
    if (!s->physical) return s->K0 / LN2;
    if (!s->gaussian) return INFINITY; /* for all other bases |w|^2 has heavier tails than exponential */
    if (s->one_sigma) return s->v * s->norm * 2.0 / (s2 * -expm1(-2.0 * LN2 / (double)s->space));
    double low = 0.0, high = s2 / 2.0;
    for (int i = 0; i < 200 && low < high; i++) {
        const double t = low + (high - low) / 2.0;
        if (t == low || t == high) break;
        if (log_mgf(s, t) < LN2)
            low = t;
        else
            high = t;
    }
    return s->v * s->norm / low;
}

/* E |w|^2 |A|^2, |w| over all inputs; the covariates are independent of the space. */
static double sigma_p2(const orffi_bound_setting *s) {
    if (!s->physical) return s->K0 * s->K0 * s->moment[1];
    if (isinf(s->moment[3])) return INFINITY;
    return s->v * s->v * s->norm * s->norm *
           (s->moment[3] + (s->covariates ? s->others * s->moment[2] : 0.0));
}

/* Draws from |z|^2 mu with weights E|z|^2/(D |z|^2), z = w whitened, have blocks of norm at most v norm R/D,
 * with R = E|z|^2/l_min^2. Hence
 *
 *     |D q A - K|       <= v norm R + K0
 *     b(delta)          <= v norm R K0                      (A^2 <= v norm |w|^2 A)
 *     E' |w|^2 |D q A|^2 <= v^2 norm^2 (R E|w|^4 + R^2 E|w_covariates|^2) */
static void importance_terms(const orffi_bound_setting *s, double sharp, orff_bound_terms *t) {
    const double block = s->v * s->norm, R = s->whitened;
    t->b_importance = t->sigma_p2_importance = t->largest_importance = NAN;
    if (!s->physical) return;
    t->largest_importance = block * R + s->K0;
    t->b_importance = isnan(sharp) ? block * R * s->K0 : sharp;
    t->sigma_p2_importance = block * block * (R * s->moment[2] + (s->covariates ? R * R * s->others : 0.0));
}

void orffi_bound_terms_follow(size_t inputs, size_t outputs, orff_bound_terms *t) {
    const double d = (double)inputs, p = (double)outputs, two = exp2((6.0 * d + 2.0) / (d + 2.0));
    t->u = t->m * log1p(2.0 * t->m * t->m / t->b);
    t->u_printed = 2.0 * t->m_printed *
                   log(pow(2.0, 1.5) * (t->m_printed / t->b_printed) * (t->m_printed / t->b_printed));
    t->C_prime = pow(d / 2.0, -d / (d + 2.0)) + pow(d / 2.0, 2.0 / (d + 2.0));
    t->C = t->C_prime * two * pow(p, 2.0 / (d + 2.0));
    t->C_printed = t->C_prime * two * p;
}

void orffi_bound_terms_unknown(orff_bound_terms *t) {
    *t = (orff_bound_terms){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                            NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

void orffi_bound_terms_fill(const orffi_bound_setting *s, const orff_bound_question *question,
                            orff_bound_terms *t) {
    orff_variance sup;
    orffi_bound_variance_largest(s, question->diameter, &sup);
    t->K0 = s->K0;
    t->E_A2 = norm_E_A2(s);
    t->var_A = orffi_bound_var_A(s);
    t->var_A_printed = orffi_bound_var_A_printed(s);
    t->psi1 = psi1(s);
    t->sigma_p2 = sigma_p2(s);
    t->b = isnan(sup.exact) ? t->E_A2 : sup.exact;
    t->b_printed = isnan(sup.printed) ? t->b : sup.printed;
    importance_terms(s, sup.importance, t);
    t->m = 2.0 * (t->psi1 + t->K0 / LN2);
    t->m_printed = 4.0 * (t->psi1 + t->K0);
    orffi_bound_terms_follow(s->d, s->p, t);
}
