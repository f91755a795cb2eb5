/* Exact leave-one-out errors: with N lambda held fixed, y_i - f_(-i)(x_i) = (I - H_ii)^-1 (y_i - f(x_i)). */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/ridge.h"

typedef struct loo_work {
    size_t rows;            /* processed at a time */
    double *phi, *scratch;  /* rows x L */
    double *Z, *work;       /* rows x slices x n each */
    double *V;              /* L x p for each lambda: predictions are phi V */
    double *hat, *residual; /* p x p, p */
} loo_work;

static void work_clear(loo_work *w) {
    double *all[] = {w->phi, w->scratch, w->Z, w->work, w->V, w->hat, w->residual};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status work_fill(loo_work *w, const orffi_system *s, const orff_features *f, size_t count) {
    const size_t slices = orffi_system_slices(s);
    w->rows = 64;
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->phi, w->rows * s->L));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->Z, w->rows * slices * s->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->work, w->rows * slices * s->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->scratch, orffi_bank_scratch(f->bank)));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->V, count * s->L * s->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->hat, s->p * s->p));
    return ORFFI_NEW_ARRAY(w->residual, s->p);
}

static orff_status fold_thetas(orff_ridge *ridge, size_t count, const double *lambdas, double *V) {
    const orff_features *f = ridge->features;
    double *theta;
    orff_status status = ORFFI_NEW_ARRAY(theta, f->M);
    for (size_t l = 0; !status && l < count; l++) {
        status = orff_ridge_solve(ridge, lambdas[l], theta, NULL, NULL);
        if (!status) orffi_features_fold(f, theta, V + l * 2 * f->D * f->p);
    }
    orffi_release(theta);
    return status;
}

/* Solves (I - H) x = residual in place. H is symmetric with eigenvalues below 1 up to rounding; p is
 * small. */
static orff_status solve_small(size_t p, double *H, double *x) {
    for (size_t i = 0; i < p * p; i++) H[i] = -H[i];
    for (size_t i = 0; i < p; i++) H[i * p + i] += 1.0;
    if (orffi_cholesky(p, H))
        return orffi_fail(ORFF_ERROR_NUMERICAL,
                          "leave-one-out: a row is fitted exactly, to rounding; lambda is too small");
    return orffi_cholesky_solve(p, H, 1, x);
}

/* Squared leave-one-out error of one row at one lambda, added to *sum. */
static orff_status add_row(const orffi_system *s, double shift, const double *V, size_t i, const double *y,
                           loo_work *w, double *sum) {
    const double *phi = w->phi + i * s->L;
    for (size_t k = 0; k < s->p; k++) {
        w->residual[k] = y[k] - s->mean[k];
        for (size_t a = 0; a < s->L; a++) w->residual[k] -= phi[a] * V[a * s->p + k];
    }
    orffi_system_hat(s, shift, w->Z + i * orffi_system_slices(s) * s->n, w->hat);
    ORFFI_TRY(solve_small(s->p, w->hat, w->residual));
    for (size_t k = 0; k < s->p; k++) *sum += w->residual[k] * w->residual[k];
    return ORFF_OK;
}

static orff_status run(orff_ridge *ridge, size_t n, const double *X, const double *Y, size_t count,
                       const double *lambdas, loo_work *w, double *sums) {
    const orffi_system *s = &ridge->system;
    const orff_features *f = ridge->features;
    ORFFI_TRY(fold_thetas(ridge, count, lambdas, w->V));
    for (size_t first = 0; first < n; first += w->rows) {
        const size_t rows = n - first < w->rows ? n - first : w->rows;
        ORFFI_TRY(orffi_progress("leave one out", (double)first, (double)n));
        orffi_phi(f->bank, rows, X + first * f->d, w->phi, w->scratch);
        orffi_system_project(s, rows, w->phi, w->Z, w->work);
        for (size_t i = 0; i < rows; i++)
            for (size_t l = 0; l < count; l++)
                ORFFI_TRY(add_row(s, orffi_system_shift(s, lambdas[l]), w->V + l * s->L * s->p, i,
                                  Y + (first + i) * s->p, w, &sums[l]));
    }
    return ORFF_OK;
}

/* The rows must be those of the moments, each with weight 1, because H contains no weights. */
static orff_status check_rows(const orff_ridge *ridge, size_t n, const double *Y) {
    const orff_moments_info info = orff_moments_describe(ridge->moments);
    const orffi_system *s = &ridge->system;
    double yy = 0.0;
    if (info.rows != n)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "leave-one-out needs the %llu rows of the moments; %zu were given",
                          (unsigned long long)info.rows, n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->p; k++)
            yy += (Y[i * s->p + k] - s->mean[k]) * (Y[i * s->p + k] - s->mean[k]);
    if (fabs(info.weight - (double)n) > 1e-6 * (double)n || fabs(yy - s->yy) > 1e-6 * fmax(yy, s->yy))
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "leave-one-out needs the rows of the moments, with a weight of 1 each; these have a sum of "
            "squares of %g, those %g (total weight %g)",
            yy, s->yy, info.weight);
    return ORFF_OK;
}

orff_status orff_ridge_leave_one_out(orff_ridge *ridge, size_t n, const double *X, const double *Y,
                                     size_t count, const double *lambdas, double *loo_mse) {
    loo_work w = {0};
    double *sums = NULL;
    if (!ridge || !X || !Y || !lambdas || !loo_mse || n == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_ridge_leave_one_out needs the rows and the lambdas");
    ORFFI_TRY(orffi_check_finite("X", n, ridge->features->d, X));
    ORFFI_TRY(orffi_check_finite("Y", n, ridge->features->p, Y));
    ORFFI_TRY(check_rows(ridge, n, Y));
    orff_status status = orffi_system_eigen(&ridge->system);
    if (!status) status = ORFFI_NEW_ARRAY(sums, count);
    if (!status) status = work_fill(&w, &ridge->system, ridge->features, count);
    if (!status) status = run(ridge, n, X, Y, count, lambdas, &w, sums);
    for (size_t l = 0; !status && l < count; l++)
        loo_mse[l] = sums[l] / ((double)n * (double)ridge->features->p);
    work_clear(&w);
    orffi_release(sums);
    return status;
}
