/* Small dense matrices, for loops whose threads each have a system of their own: BLAS would start threads in every one. */
#ifndef ORFFI_BASE_SMALL_H
#define ORFFI_BASE_SMALL_H

#include "base/status.h"

/* A (n x n) = L L^T in place, lower triangle; false where it is not positive. */
bool orffi_small_cholesky(size_t n, double *A);

/* b = (L L^T)^-1 b. */
void orffi_small_solve(size_t n, const double *L, double *b);

/* Several sums at once: the processor need not wait for one addition after the other. */
double orffi_small_dot(size_t n, const double *a, const double *b);

#endif
