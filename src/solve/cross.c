/* Cross-validation from moments: what is learned without a fold meets the sums of that fold. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/ridge.h"

/* The sums of one fold over the entries of phi that the kernel uses, the mean of the other rows taken off y. */
typedef struct fold_sums {
    size_t used, p;
    size_t *index; /* used: which entries of phi */
    double *S;     /* used x used */
    double *R;     /* used x p */
    double *yy;    /* p */
} fold_sums;

static void fold_clear(fold_sums *s) {
    orffi_release(s->index);
    orffi_release(s->S);
    orffi_release(s->R);
    orffi_release(s->yy);
}

static void find_used(fold_sums *s, const orff_features *f) {
    for (size_t a = 0; a < 2 * f->D; a++)
        if (orffi_features_block_columns(f, a % f->D)) s->index[s->used++] = a;
}

/* Only the upper triangle of a set's S is filled; index ascends. */
static void gather(fold_sums *s, const orffi_moment_set *set, size_t L, const double *mean) {
    const size_t p = s->p, u = s->used;
    const double N = set->T[(p + 1) * (p + 1) - 1];
    for (size_t a = 0; a < u; a++) {
        const double *row = set->R + s->index[a] * (p + 1);
        for (size_t b = a; b < u; b++)
            s->S[a * u + b] = s->S[b * u + a] = set->S[s->index[a] * L + s->index[b]];
        for (size_t k = 0; k < p; k++) s->R[a * p + k] = row[k] - mean[k] * row[p];
    }
    for (size_t k = 0; k < p; k++)
        s->yy[k] = set->T[k * (p + 1) + k] - 2.0 * mean[k] * set->T[p * (p + 1) + k] + N * mean[k] * mean[k];
}

static orff_status fold_build(fold_sums *s, const orff_features *f, const orffi_moment_set *set,
                              const double *mean) {
    s->p = f->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->index, 2 * f->D));
    find_used(s, f);
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->S, s->used * s->used));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->R, s->used * s->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->yy, s->p));
    gather(s, set, 2 * f->D, mean);
    return ORFF_OK;
}

/* errors (count x p) += yy - 2 V.R + V.S V for every lambda and output; V and work are used x (count p). */
static void add_errors(const fold_sums *s, size_t count, const double *V, double *work, double *errors) {
    const size_t u = s->used, p = s->p, width = count * p;
    orffi_gemm(false, false, u, width, u, 1.0, s->S, u, V, width, 0.0, work, width);
    for (size_t i = 0; i < width; i++) errors[i] += s->yy[i % p];
    for (size_t a = 0; a < u; a++)
        for (size_t l = 0; l < count; l++)
            for (size_t k = 0; k < p; k++) {
                const size_t i = a * width + l * p + k;
                errors[l * p + k] += V[i] * (work[i] - 2.0 * s->R[a * p + k]);
            }
}

/* T = U [ c / (e m + N lambda) ] for all lambdas side by side: n x (count r); work has the size of T. */
static void solve_all(const orffi_system *s, size_t count, const double *lambdas, double *T, double *work) {
    const size_t width = count * s->r;
    for (size_t l = 0; l < count; l++) {
        const double shift = orffi_system_shift(s, lambdas[l]);
        for (size_t a = 0; a < s->n; a++)
            for (size_t b = 0; b < s->r; b++)
                work[a * width + l * s->r + b] = s->c[a * s->r + b] / (s->e[a] * s->m[b] + shift);
    }
    orffi_gemm(false, false, s->n, width, s->n, 1.0, s->U, s->n, work, width, 0.0, T, width);
}

/* V = B theta of lambda l into its columns of V (used x (count p)). t is n x r, theta M, folded 2D x p. */
static void fold_coefficients(const orffi_system *system, const orff_features *f, const fold_sums *s,
                              size_t count, size_t l, const double *T, double *t, double *theta,
                              double *folded, double *V) {
    const size_t r = system->r, p = s->p;
    for (size_t a = 0; a < system->n; a++) memcpy(t + a * r, T + (a * count + l) * r, r * sizeof *t);
    orffi_system_expand(system, t, theta);
    orffi_features_fold(f, theta, folded);
    for (size_t a = 0; a < s->used; a++)
        memcpy(V + (a * count + l) * p, folded + s->index[a] * p, p * sizeof *V);
}

/* The functions learned without the fold, as V for all lambdas. */
static orff_status learned(const orffi_system *train, const orff_features *f, const fold_sums *s,
                           size_t count, const double *lambdas, double *V) {
    double *T = NULL, *work = NULL, *t = NULL, *theta = NULL, *folded = NULL;
    orff_status status = ORFFI_NEW_ARRAY(T, train->n * train->r * count);
    if (!status) status = ORFFI_NEW_ARRAY(work, train->n * train->r * count);
    if (!status) status = ORFFI_NEW_ARRAY(t, train->n * train->r);
    if (!status) status = ORFFI_NEW_ARRAY(theta, f->M);
    if (!status) status = ORFFI_NEW_ARRAY(folded, 2 * f->D * f->p);
    if (!status) solve_all(train, count, lambdas, T, work);
    for (size_t l = 0; !status && l < count; l++)
        fold_coefficients(train, f, s, count, l, T, t, theta, folded, V);
    double *all[] = {T, work, t, theta, folded};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    return status;
}

static orff_status one_fold(const orff_ridge *ridge, size_t k, size_t count, const double *lambdas,
                            double *errors) {
    const orff_features *f = ridge->features;
    orffi_system train = {0};
    fold_sums fold = {0};
    double *V = NULL, *work = NULL;
    orff_status status = orffi_system_build(&train, f, ridge->moments, k, ridge->center, NULL);
    if (!status) status = orffi_system_eigen(&train);
    if (!status) status = fold_build(&fold, f, &ridge->moments->sets[k], train.mean);
    if (!status) status = ORFFI_NEW_ARRAY(V, fold.used * f->p * count);
    if (!status) status = learned(&train, f, &fold, count, lambdas, V);
    orffi_system_clear(&train);
    if (!status) status = ORFFI_NEW_ARRAY(work, fold.used * f->p * count);
    if (!status) add_errors(&fold, count, V, work, errors);
    fold_clear(&fold);
    orffi_release(V);
    orffi_release(work);
    return status;
}

orff_status orffi_ridge_cross(const orff_ridge *ridge, size_t count, const double *lambdas, double *outputs) {
    const orff_moments *moments = ridge->moments;
    const size_t width = count * ridge->system.p;
    memset(outputs, 0, width * sizeof *outputs);
    ORFFI_TRY(orffi_moments_check_folds(moments));
    for (size_t k = 0; k < moments->n_sets; k++) {
        if (!(orffi_moments_weight(moments, k) > 0.0)) continue;
        ORFFI_TRY(orffi_progress("cross-validation", (double)k, (double)moments->n_sets));
        ORFFI_TRY(one_fold(ridge, k, count, lambdas, outputs));
    }
    for (size_t i = 0; i < width; i++) outputs[i] = fmax(outputs[i], 0.0) / ridge->system.N;
    return ORFF_OK;
}
