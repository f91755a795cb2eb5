/* Ridge from matrices that are there: one Cholesky factorisation for each penalty. */
#define _DEFAULT_SOURCE /* what the cblas.h of BLIS needs of pthread.h */
#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

#define LARGE 2000 /* order from which on single precision is worth its copies */
#define CLEAR 1e-6 /* of the trace: a penalty above it stands out of the rounding of single precision */

/* C (n x m) = the transpose of A (m x n). */
static void turn(size_t m, size_t n, const double *A, double *C) {
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) C[j * m + i] = A[i * n + j];
}

/* Factored in single precision, then refined until the residual is that of double precision; where that does not come about
 * LAPACK factors in double. L is lost. Lower and row-major is upper and column-major. */
static bool solve_refined(const paper_direct *d, double *L, double *X) {
    const lapack_int n = (lapack_int)d->n, q = (lapack_int)d->q;
    double *both = paper_alloc(2 * d->n * d->q, sizeof *both), *turned = both + d->n * d->q;
    lapack_int steps;
    turn(d->n, d->q, d->R, both);
    const bool positive = LAPACKE_dsposv(LAPACK_COL_MAJOR, 'U', n, q, L, n, both, n, turned, n, &steps) == 0;
    turn(d->q, d->n, turned, X);
    free(both);
    return positive;
}

static bool solve(const paper_direct *d, double *L, double *X) {
    const int n = (int)d->n, q = (int)d->q;
    memcpy(X, d->R, d->n * d->q * sizeof *X);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, L, n)) return false;
    for (int turned = 0; turned < 2; turned++)
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, turned ? CblasTrans : CblasNoTrans, CblasNonUnit, n,
                    q, 1.0, L, n, X, q);
    return true;
}

bool paper_direct_solve(const paper_direct *d, double penalty, double *X) {
    const size_t n = d->n;
    double *L = paper_alloc(n * n, sizeof *L), trace = 0.0;
    for (size_t i = 0; i < n; i++) {
        memcpy(L + i * n, d->M + i * d->step, (i + 1) * sizeof *L);
        trace += L[i * n + i];
        L[i * n + i] += penalty;
    }
    const bool positive = (n > LARGE && penalty > CLEAR * trace ? solve_refined : solve)(d, L, X);
    free(L);
    return positive;
}

bool paper_direct_predict(const paper_direct *d, double penalty, size_t m, const double *T, double *F) {
    double *X = paper_alloc(d->n * d->q, sizeof *X);
    const bool positive = paper_direct_solve(d, penalty, X);
    if (positive)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)d->q, (int)d->n, 1.0, T,
                    (int)d->n, X, (int)d->q, 0.0, F, (int)d->q);
    free(X);
    return positive;
}
