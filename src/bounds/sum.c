/* The constants of a sum of parts. The D frequencies are divided among the groups of parts, with a share s_g
 * each, so
 *
 *     K~ - K = sum_g (1/(s_g D)) sum_j (cos<w_j,.> A_g(w_j) - K_g),      A_g the sum over the parts of the group
 *
 * are independent summands of unequal size. The proof then holds with
 *
 *     b = sum_g b_g / s_g,    m = max_g m_g / s_g,    sigma_p = sum_g sigma_g           (the last by Minkowski)
 *
 * Within a group the root of b, m and sigma are norms of A_g, so those of the parts add up. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "bounds/bounds.h"
#include "features/bank.h"

#define LN2 0.69314718055994530942

typedef struct constants {
    double root_b, m, sigma, psi1, largest;
} constants;

/* iid draws, by importance if the group is. */
typedef struct group_sum {
    constants plain, drawn;
} group_sum;

static void add(constants *to, constants one) {
    to->root_b += one.root_b;
    to->m += one.m;
    to->sigma += one.sigma;
    to->psi1 += one.psi1;
    to->largest += one.largest;
}

static void add_part(group_sum *to, const orffi_bound_setting *s, const orff_bound_terms *t,
                     bool importance) {
    const constants plain = {sqrt(t->b), t->m, sqrt(t->sigma_p2), t->psi1, s->largest};
    const constants drawn = {sqrt(t->b_importance), 0.0, sqrt(t->sigma_p2_importance), 0.0,
                             t->largest_importance};
    add(&to->plain, plain);
    add(&to->drawn, importance ? drawn : plain);
}

/* Because of rounding, a group may have one frequency less than its share. */
static double share_of(const orff_kernel *kernel, size_t D, size_t g) {
    if (kernel->n_groups == 1) return 1.0;
    const double count = (double)orffi_bank_allotted(kernel, D, g) - 1.0;
    return fmax(count, 0.0) / (double)D;
}

static orff_status check_shares(const orff_kernel *kernel, size_t D) {
    for (size_t g = 0; g < kernel->n_groups; g++)
        if (!(share_of(kernel, D, g) > 0.0))
            return orffi_fail(
                ORFF_ERROR_INVALID_ARGUMENT,
                "%zu frequencies leave one or none to a part of the sum, for which nothing can be "
                "proven; take more",
                D);
    return ORFF_OK;
}

static void join_groups(const orff_kernel *kernel, size_t D, const group_sum *groups, orffi_bound_setting *s,
                        orff_bound_terms *t) {
    double sigma = 0.0, drawn = 0.0;
    bool any = false;
    t->b = t->m = t->psi1 = s->largest = t->b_importance = t->largest_importance = 0.0;
    for (size_t g = 0; g < kernel->n_groups; g++) {
        const double share = share_of(kernel, D, g);
        const constants *plain = &groups[g].plain, *by = &groups[g].drawn;
        any |= kernel->groups[g].importance;
        t->b += plain->root_b * plain->root_b / share;
        t->m = isnan(t->m) || isnan(plain->m) ? NAN : fmax(t->m, plain->m / share);
        t->psi1 = fmax(t->psi1, plain->psi1 / share);
        s->largest = fmax(s->largest, plain->largest / share);
        sigma += plain->sigma;
        t->b_importance += by->root_b * by->root_b / share;
        t->largest_importance = fmax(t->largest_importance, by->largest / share);
        drawn += by->sigma;
    }
    t->sigma_p2 = sigma * sigma;
    t->sigma_p2_importance = any && isfinite(t->largest_importance) ? drawn * drawn : NAN;
    if (isnan(t->sigma_p2_importance)) t->b_importance = t->largest_importance = NAN;
    t->b_printed = t->m_printed = NAN;
}

static orff_status add_all(const orff_kernel *kernel, const orff_part *parts, const orff_bound_question *q,
                           group_sum *groups, orffi_bound_setting *s) {
    orff_status status = ORFF_OK;
    double bound_of_K0 = 0.0;
    for (size_t i = 0; !status && i < kernel->n_parts; i++) {
        orffi_bound_setting one;
        orff_bound_terms t;
        const size_t g = kernel->parts[i].group;
        ORFFI_TRY(orffi_bound_setting_init(&one, &parts[i], kernel->d, kernel->p));
        if (one.known)
            orffi_bound_terms_fill(&one, q, &t);
        else
            status = orffi_bound_measure_terms(&one, q->draws, &t);
        if (!status) add_part(&groups[g], &one, &t, kernel->groups[g].importance);
        if (!status) bound_of_K0 += t.K0;
        s->measured |= one.measured;
        orffi_bound_setting_clear(&one);
    }
    if (!status && orffi_bound_norm_at_zero(kernel, &s->K0))
        s->K0 = bound_of_K0; /* parts without an exact form */
    return status;
}

orff_status orffi_bound_sum_terms(size_t n_parts, const orff_part *parts, size_t d, size_t p,
                                  const orff_bound_question *question, orffi_bound_setting *s,
                                  orff_bound_terms *terms) {
    orff_kernel *kernel = NULL;
    group_sum *groups = NULL;
    orff_status status = orff_kernel_create(&kernel, d, p, n_parts, parts);
    if (!status) status = check_shares(kernel, question->features);
    if (!status) status = ORFFI_NEW_ARRAY(groups, n_parts);
    if (!status) status = add_all(kernel, parts, question, groups, s);
    orffi_bound_terms_unknown(terms);
    if (!status) join_groups(kernel, question->features, groups, s, terms);
    if (!status) terms->K0 = s->K0;
    orffi_release(groups);
    orff_kernel_free(kernel);
    return status;
}

/* ---- custom parts */

/* A Hermitian A is treated as the symmetric matrix [Re A, -Im A; Im A, Re A], which has the same norm: p and
 * columns are then twice as large. */
typedef struct draws {
    size_t count, d, p;
    bool hermitian;
    double *omega, *weight, *norm; /* count x d, count, count: |A(w)| */
    double *B, *A, *square, *mean; /* p x columns; p x p each */
    double *pairs;                 /* for a Hermitian block: as many numbers as B */
    double *all;
} draws;

static orff_status draws_create(draws *r, size_t count, const orffi_bound_setting *s) {
    const size_t times = s->kernel->hermitian ? 2 : 1, d = s->d, p = times * s->p,
                 columns = times * s->part->columns;
    *r = (draws){.count = count, .d = d, .p = p, .hermitian = s->kernel->hermitian};
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->all, count * (d + 2) + 3 * p * p + 2 * p * columns));
    r->omega = r->all;
    r->weight = r->omega + count * d;
    r->norm = r->weight + count;
    r->B = r->norm + count;
    r->A = r->B + p * columns;
    r->square = r->A + p * p;
    r->mean = r->square + p * p;
    r->pairs = r->mean + p * p;
    return ORFF_OK;
}

/* B of frequency j, p x columns. */
static orff_status fill_block(draws *r, const orff_features *f, size_t j, size_t *columns) {
    if (!r->hermitian) return orff_features_block(f, j, columns, r->B);
    ORFFI_TRY(orff_features_block_complex(f, j, columns, r->pairs));
    const size_t half = r->p / 2, n = *columns;
    for (size_t i = 0; i < half; i++)
        for (size_t k = 0; k < n; k++) {
            const double *pair = r->pairs + 2 * (i * n + k);
            r->B[i * 2 * n + k] = r->B[(half + i) * 2 * n + n + k] = pair[0];
            r->B[(half + i) * 2 * n + k] = pair[1];
            r->B[i * 2 * n + n + k] = -pair[1];
        }
    *columns = 2 * n;
    return ORFF_OK;
}

/* Norms of the blocks, and the means of A and A^2. */
static orff_status sum_blocks(draws *r, const orff_features *f) {
    const size_t p = r->p;
    const double one = 1.0 / (double)r->count;
    for (size_t j = 0; j < r->count; j++) {
        size_t columns;
        ORFFI_TRY(fill_block(r, f, j, &columns));
        orffi_gemm(false, true, p, p, columns, 1.0, r->B, columns, r->B, columns, 0.0, r->A, p);
        orffi_gemm(false, true, p, p, p, one, r->A, p, r->A, p, 1.0, r->square, p);
        for (size_t i = 0; i < p * p; i++) r->mean[i] += one * r->A[i];
        ORFFI_TRY(orff_spectral_norm(p, p, r->A, &r->norm[j]));
    }
    return ORFF_OK;
}

/* The c for which the mean of exp(|A|/c) is 2. */
static double measure_psi1(const draws *r) {
    double largest = 0.0;
    for (size_t j = 0; j < r->count; j++) largest = fmax(largest, r->norm[j]);
    double low = largest / log(2.0 * (double)r->count), high = largest / LN2;
    for (int i = 0; i < 100 && largest > 0.0; i++) {
        const double c = 0.5 * (low + high);
        double mean = 0.0;
        for (size_t j = 0; j < r->count; j++) mean += exp(r->norm[j] / c) / (double)r->count;
        if (mean > 2.0)
            low = c;
        else
            high = c;
    }
    return high;
}

/* b <= |E A^2|, because cos^2 <= 1. For a Hermitian A, phases may cancel in E A^2 but not in E
 * Re(e^{-i<w,delta>} A)^2 at another delta; there b <= E |A|^2. */
static double measure_b(const draws *r, double E_A2) {
    double sum = 0.0;
    for (size_t j = 0; j < r->count; j++) sum += r->norm[j] * r->norm[j] / (double)r->count;
    return r->hermitian ? sum : E_A2;
}

static orff_status measure(draws *r, const orff_features *f, orff_bound_terms *t) {
    ORFFI_TRY(orff_features_frequencies(f, r->omega, r->weight));
    ORFFI_TRY(sum_blocks(r, f));
    ORFFI_TRY(orff_spectral_norm(r->p, r->p, r->square, &t->E_A2));
    ORFFI_TRY(orff_spectral_norm(r->p, r->p, r->mean, &t->K0));
    t->sigma_p2 = 0.0;
    for (size_t j = 0; j < r->count; j++)
        t->sigma_p2 += orffi_dot(r->d, r->omega + j * r->d, r->omega + j * r->d) * r->norm[j] * r->norm[j] /
                       (double)r->count;
    t->psi1 = measure_psi1(r);
    t->b = t->b_printed = measure_b(r, t->E_A2);
    t->m = 2.0 * (t->psi1 + t->K0 / LN2);
    t->m_printed = 4.0 * (t->psi1 + t->K0);
    return ORFF_OK;
}

orff_status orffi_bound_measure_terms(orffi_bound_setting *s, size_t count, orff_bound_terms *t) {
    orff_sampling sampling = orff_sampling_default();
    orff_features *f = NULL;
    draws r;
    orffi_bound_terms_unknown(t);
    s->largest = INFINITY;
    const bool exact = orffi_bound_norm_at_zero(s->kernel, &s->K0) == ORFF_OK;
    if (exact) t->K0 = s->K0;
    if (!count || s->kernel->groups[0].own_law) return ORFF_OK;
    ORFFI_TRY(draws_create(&r, count, s));
    sampling.scheme = ORFF_SCHEME_IID;
    sampling.importance = ORFF_SWITCH_NO;
    sampling.features = count;
    orff_status status = orff_features_create(&f, s->kernel, &sampling);
    if (!status) status = measure(&r, f, t);
    s->measured = true;
    if (exact) t->K0 = s->K0;
    s->K0 = t->K0;
    orff_features_free(f);
    orffi_release(r.all);
    return status;
}
