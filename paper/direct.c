/* Ridge from matrices that are there: one Cholesky factorisation for each penalty. */
#define _DEFAULT_SOURCE /* what the cblas.h of BLIS needs of pthread.h */
#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

bool paper_direct_solve(const paper_direct *d, double penalty, double *X) {
    const size_t n = d->n;
    double *L = paper_alloc(n * n, sizeof *L);
    for (size_t i = 0; i < n; i++) {
        memcpy(L + i * n, d->M + i * d->step, (i + 1) * sizeof *L);
        L[i * n + i] += penalty;
    }
    memcpy(X, d->R, n * d->q * sizeof *X);
    /* Lower and row-major is upper and column-major. */
    const bool positive = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)n, L, (lapack_int)n) == 0;
    for (int turned = 0; positive && turned < 2; turned++)
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, turned ? CblasTrans : CblasNoTrans, CblasNonUnit,
                    (int)n, (int)d->q, 1.0, L, (int)n, X, (int)d->q);
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
