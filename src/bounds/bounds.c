/* P{ sup |K~ - K| >= epsilon } <= exp(log_factor - rate D).
 *
 * All bounds come from one scheme: cover the differences x - z by (4l/r)^d balls of radius r; bound the error
 * at the centres by a tail inequality at epsilon/2, and the rest by the Lipschitz constant; choose r. With a
 * tail of 2 p exp(-D e) at a centre this gives
 *
 *     C' 2^((6d+2)/(d+2)) p^(2/(d+2)) (L l/epsilon)^(2d/(d+2)) exp(-2 D e/(d+2)),     E (Lipschitz)^2 <= L^2
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "bounds/bounds.h"

#define E1 1.71828182845904523536 /* e - 1 */

static const char *const names[] = {ORFF_BOUND_LIST(ORFFI_NAME_OF) NULL};

const char *orff_bound_name(orff_bound_kind kind) {
    return (unsigned)kind < ORFF_BOUND_COUNT ? names[kind] : NULL;
}

orff_bound_question orff_bound_question_default(void) {
    return (orff_bound_question){
        .epsilon = 0.1, .relative = true, .diameter = 1.0, .probability = 0.95, .features = 1000};
}

/* ---- reasons */

static const char rule_unknown[] =
    "the constants of a custom or signature rule, or of a part with delays or a "
    "wavelength, are not known; give b, m and sigma_p, or measure the error";
static const char no_sum[] = "printed for one kernel, not for a sum";
static const char scalar_sum[] = "a bound for one kernel K = k0 A, not for a sum";
static const char no_second[] =
    "E|w|^2 is infinite for this base, so the error has no Lipschitz constant in mean square";
static const char no_fourth[] = "E|w|^4 is infinite for this base, so the error has no Lipschitz constant in "
                                "mean square, even drawn by importance";
static const char no_psi1[] = "|A(w)| grows like |w|^2, which is sub-exponential for a Gaussian base only; "
                              "for this one its psi_1 norm is infinite";
static const char unbounded[] = "the blocks of this kernel grow like |w|^2: they are bounded only when drawn "
                                "by importance";
static const char only_physical[] = "only the frequencies of fields are drawn by importance";
static const char only_decomposable[] = "a bound for scalar kernels, hence for kernels K = k0 A only";
static const char one_sigma_only[] =
    "printed with one sigma of a Gaussian base, which this kernel does not have";

/* ---- one bound */

static orff_bound not_applicable(const char *reason) {
    return (orff_bound){.reason = reason, .log_factor = NAN, .rate = NAN};
}

/* A set of smaller diameter lies in one of larger diameter. If L l < epsilon/4, the scheme would need balls
 * wider than the set; the bound for a set with L l = epsilon/4 is used instead. */
#define SMALLEST_RATIO 0.25

/* log of C (L l/epsilon)^(2d/(d+2)) */
static double log_cover(double d, double C, double L, double l, double epsilon, bool floor) {
    const double ratio = L * l / epsilon;
    return log(C) + 2.0 * d / (d + 2.0) * log(floor ? fmax(ratio, SMALLEST_RATIO) : ratio);
}

/* epsilon^2/(8(d+2)(b + epsilon u/six)) while epsilon u <= four (e-1) b, then epsilon/((d+2)(e-1)u). */
static double theorem_rate(double d, double epsilon, double b, double u, double six, double four) {
    if (epsilon * u <= four * E1 * b) return epsilon * epsilon / (8.0 * (d + 2.0) * (b + epsilon * u / six));
    return epsilon / ((d + 2.0) * E1 * u);
}

/* Bernstein for centred summands of norm U/D and variance b/D: 2p exp(-D (eps/2)^2/(2b + (2/3) U eps/2)) */
static double bounded_rate(double d, double epsilon, double b, double U) {
    return epsilon * epsilon / ((d + 2.0) * (4.0 * b + 2.0 * U * epsilon / 3.0));
}

static const char *theorem_reason(const orffi_bound_setting *s, const orff_bound_terms *t, bool printed) {
    if (printed && s->parts > 1) return no_sum;
    if (isnan(t->b) || isnan(t->m) || isnan(t->sigma_p2)) return rule_unknown;
    if (isinf(t->m)) return no_psi1;
    return isinf(t->sigma_p2) ? no_second : NULL;
}

static orff_bound theorem(const orffi_bound_setting *s, const orff_bound_question *q, double epsilon,
                          const orff_bound_terms *t, orff_bound_kind kind) {
    const char *reason = theorem_reason(s, t, kind == ORFF_BOUND_PRINTED);
    const double d = (double)s->d, L = sqrt(t->sigma_p2);
    orff_bound bound = {.applies = true, .reason = "", .proven = kind == ORFF_BOUND_RIGOROUS};
    const double factor = kind == ORFF_BOUND_RIGOROUS ? 2.0 : 1.0;
    if (s->measured) bound.proven = false;
    if (reason) return not_applicable(reason);
    if (kind == ORFF_BOUND_PRINTED) {
        bound.log_factor = log_cover(d, t->C_printed, L, q->diameter, epsilon, false);
        bound.rate = theorem_rate(d, epsilon, t->b_printed, t->u_printed, 6.0, 2.0);
    } else {
        bound.log_factor = log_cover(d, t->C, factor * L, q->diameter, epsilon, true);
        bound.rate = theorem_rate(d, epsilon, t->b, t->u, 12.0, 4.0);
    }
    return bound;
}

/* cos A - K = (cos - k0) A has norm at most 2|A|. */
static orff_bound bounded(const orffi_bound_setting *s, const orff_bound_question *q, double epsilon,
                          const orff_bound_terms *t) {
    const double d = (double)s->d;
    if (!s->known) return not_applicable(rule_unknown);
    if (isinf(s->largest)) return not_applicable(unbounded);
    if (isinf(t->sigma_p2)) return not_applicable(no_second);
    return (orff_bound){
        .applies = true,
        .proven = true,
        .reason = "",
        .log_factor = log_cover(d, t->C, 2.0 * sqrt(t->sigma_p2), q->diameter, epsilon, true),
        .rate = bounded_rate(d, epsilon, t->b, s->largest),
    };
}

static orff_bound importance(const orffi_bound_setting *s, const orff_bound_question *q, double epsilon,
                             const orff_bound_terms *t) {
    const double d = (double)s->d;
    if (!s->known) return not_applicable(rule_unknown);
    if (isnan(t->sigma_p2_importance)) return not_applicable(only_physical);
    if (isinf(t->sigma_p2_importance)) return not_applicable(no_fourth);
    return (orff_bound){
        .applies = true,
        .proven = true,
        .reason = "",
        .log_factor = log_cover(d, t->C, 2.0 * sqrt(t->sigma_p2_importance), q->diameter, epsilon, true),
        .rate = bounded_rate(d, epsilon, t->b_importance, t->largest_importance),
    };
}

/* Rahimi and Recht by Hoeffding, epsilon in units of |A|; the prefactor 2^8 (.)^2 is an upper bound of the
 * tight one. */
static orff_bound scalar(const orffi_bound_setting *s, const orff_bound_question *q, double epsilon,
                         orff_bound_kind kind) {
    const double d = (double)s->d, e = epsilon / (s->known ? s->K0 : 1.0);
    orff_bound bound = {.applies = true, .reason = "", .proven = kind == ORFF_BOUND_SCALAR_RIGOROUS};
    if (!s->known) return not_applicable(rule_unknown);
    if (s->parts > 1) return not_applicable(scalar_sum);
    if (s->physical) return not_applicable(only_decomposable);
    if (kind == ORFF_BOUND_SCALAR_PRINTED && !(s->gaussian && s->one_sigma))
        return not_applicable(one_sigma_only);
    if (isinf(s->moment[1])) return not_applicable(no_second);
    const double sigma_p = sqrt(s->moment[1]),
                 C = (pow(d / 2.0, -d / (d + 2.0)) + pow(d / 2.0, 2.0 / (d + 2.0))) *
                     exp2((6.0 * d + 2.0) / (d + 2.0));
    if (kind == ORFF_BOUND_SCALAR_PRINTED)
        bound.log_factor = 8.0 * log(2.0) + 2.0 * log(d * s->sigma * q->diameter / e);
    else if (kind == ORFF_BOUND_SCALAR)
        bound.log_factor = 8.0 * log(2.0) + 2.0 * log(sigma_p * q->diameter / e);
    else
        bound.log_factor = log_cover(d, C, bound.proven ? 2.0 * sigma_p : sigma_p, q->diameter, e, true);
    bound.rate = e * e / (4.0 * (d + 2.0));
    return bound;
}

/* ---- features */

double orff_bound_log_probability(const orff_bound *bound, double D) {
    return bound && bound->applies ? bound->log_factor - bound->rate * D : NAN;
}

double orff_bound_features(const orff_bound *bound, double probability) {
    if (!bound || !bound->applies || !(probability > 0.0 && probability < 1.0)) return NAN;
    const double wanted = log1p(-probability);
    if (!(bound->rate > 0.0)) return INFINITY;
    double D = fmax(ceil((bound->log_factor - wanted) / bound->rate), 1.0);
    /* corrects the rounding error of the quotient */
    while (D > 1.0 && D < 0x1p52 && orff_bound_log_probability(bound, D - 1.0) <= wanted) D -= 1.0;
    while (D < 0x1p52 && orff_bound_log_probability(bound, D) > wanted) D += 1.0;
    return D;
}

/* ---- all bounds */

static orff_status check(const orff_bound_question *q) {
    if (!(q->epsilon > 0.0 && isfinite(q->epsilon)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "epsilon is %g; it must be positive and finite",
                          q->epsilon);
    if (!(q->diameter > 0.0 && isfinite(q->diameter)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the diameter is %g; it must be positive and finite",
                          q->diameter);
    if (!(q->probability > 0.0 && q->probability < 1.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the probability is %g; it must be between 0 and 1",
                          q->probability);
    const double given[] = {q->b, q->m, q->sigma_p};
    const char *const names_of[] = {"b", "m", "sigma_p"};
    for (size_t i = 0; i < 3; i++)
        if (!(given[i] >= 0.0 && isfinite(given[i])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "%s is %g; it must be positive, or 0 for the best known", names_of[i],
                              given[i]);
    return ORFF_OK;
}

/* Constants given by the caller replace known ones. */
static void apply_given_constants(const orffi_bound_setting *s, const orff_bound_question *q,
                                  orff_bound_terms *t) {
    if (q->b > 0.0) t->b = t->b_printed = q->b;
    if (q->m > 0.0) t->m = t->m_printed = q->m;
    if (q->sigma_p > 0.0) t->sigma_p2 = q->sigma_p * q->sigma_p;
    orffi_bound_terms_follow(s->d, s->p, t);
}

static void fill(const orffi_bound_setting *s, const orff_bound_question *q, orff_bound_report *r) {
    orff_bound *b = r->bounds;
    apply_given_constants(s, q, &r->terms);
    r->measured = s->measured;
    r->epsilon = q->relative && s->K0 > 0.0 ? q->epsilon * s->K0 : q->epsilon;
    for (int k = ORFF_BOUND_PRINTED; k <= ORFF_BOUND_RIGOROUS; k++)
        b[k] = theorem(s, q, r->epsilon, &r->terms, (orff_bound_kind)k);
    b[ORFF_BOUND_BOUNDED] = bounded(s, q, r->epsilon, &r->terms);
    b[ORFF_BOUND_IMPORTANCE] = importance(s, q, r->epsilon, &r->terms);
    for (int k = ORFF_BOUND_SCALAR_PRINTED; k < ORFF_BOUND_COUNT; k++)
        b[k] = scalar(s, q, r->epsilon, (orff_bound_kind)k);
}

/* Measured errors of K~ divided by the root mean square at the worst delta: 95 % of the draws, d = 2 to 4. */
static const double thumb[2] = {2.5, 4.2};

static void conclude(const orff_bound_question *q, orff_bound_report *r) {
    r->best = ORFF_BOUND_COUNT;
    for (int k = 0; k < ORFF_BOUND_COUNT; k++) {
        orff_bound *bound = &r->bounds[k];
        bound->log_probability = orff_bound_log_probability(bound, (double)q->features);
        bound->features = orff_bound_features(bound, q->probability);
        if (bound->applies && bound->proven &&
            (r->best == ORFF_BOUND_COUNT || bound->features < r->bounds[r->best].features))
            r->best = (orff_bound_kind)k;
    }
    r->rms = sqrt(r->terms.b / (double)q->features);
    for (int i = 0; i < 2; i++) {
        const double ratio = thumb[i] * thumb[i] / (r->epsilon * r->epsilon);
        r->rule_of_thumb[i] = ceil(ratio * r->terms.b);
        r->rule_of_thumb_importance[i] = ceil(ratio * r->terms.b_importance);
    }
}

/* ---- at a given D */

static orff_status evaluate_part(const orff_part *part, size_t d, size_t p,
                                 const orff_bound_question *question, orff_bound_report *report) {
    orffi_bound_setting s;
    ORFFI_TRY(orffi_bound_setting_init(&s, part, d, p));
    memset(report, 0, sizeof *report);
    orff_status status = ORFF_OK;
    if (s.known)
        orffi_bound_terms_fill(&s, question, &report->terms);
    else
        status = orffi_bound_measure_terms(&s, question->draws, &report->terms);
    if (!status) fill(&s, question, report);
    if (!status) conclude(question, report);
    orffi_bound_setting_clear(&s);
    return status;
}

static orff_status evaluate_sum(size_t n_parts, const orff_part *parts, size_t d, size_t p,
                                const orff_bound_question *question, orff_bound_report *report) {
    orffi_bound_setting s = {.known = true, .d = d, .p = p, .parts = n_parts};
    memset(report, 0, sizeof *report);
    ORFFI_TRY(orffi_bound_sum_terms(n_parts, parts, d, p, question, &s, &report->terms));
    fill(&s, question, report);
    conclude(question, report);
    return ORFF_OK;
}

static orff_status evaluate(size_t n_parts, const orff_part *parts, size_t d, size_t p,
                            const orff_bound_question *question, orff_bound_report *report) {
    ORFFI_TRY(n_parts == 1 ? evaluate_part(parts, d, p, question, report)
                           : evaluate_sum(n_parts, parts, d, p, question, report));
    report->features = question->features;
    return ORFF_OK;
}

/* ---- at that which is needed */

#define MOST_NEEDED 1e15 /* more is as good as infinity, and a size_t holds it */

orff_status orff_bound_evaluate_sum(size_t n_parts, const orff_part *parts, size_t d, size_t p,
                                    const orff_bound_question *question, orff_bound_report *report) {
    if (!n_parts || !parts || !question || !report)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_bound_evaluate_sum: NULL argument");
    ORFFI_TRY(check(question));
    if (question->features) return evaluate(n_parts, parts, d, p, question, report);
    orff_bound_question at = *question;
    at.features = orff_bound_question_default().features;
    ORFFI_TRY(evaluate(n_parts, parts, d, p, &at, report));
    if (report->best == ORFF_BOUND_COUNT || !(report->bounds[report->best].features < MOST_NEEDED))
        return ORFF_OK;
    at.features = (size_t)report->bounds[report->best].features;
    return evaluate(n_parts, parts, d, p, &at, report);
}

orff_status orff_bound_evaluate(const orff_part *part, size_t d, size_t p,
                                const orff_bound_question *question, orff_bound_report *report) {
    return orff_bound_evaluate_sum(1, part, d, p, question, report);
}
