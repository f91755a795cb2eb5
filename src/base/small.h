/* Small dense matrices, for loops in which each thread solves a system of its own. BLAS would start threads
 * in every one, and is not fast for a few dozen rows. Rows of a matrix are `stride` apart. */
#ifndef ORFFI_BASE_SMALL_H
#define ORFFI_BASE_SMALL_H

#include "base/status.h"

/* A (n x n) = L L^T in place, lower triangle; false if A is not positive. */
bool orffi_small_cholesky(size_t n, double *A, size_t stride);

/* b = L^-1 b, and b = L^-T b. */
void orffi_small_solve_lower(size_t n, const double *L, size_t stride, double *b);
void orffi_small_solve_upper(size_t n, const double *L, size_t stride, double *b);

#endif
