/* Small dense matrices, for loops whose threads each have a system of their own: BLAS would start threads in every one, and a
 * few dozen rows are below what it is quick at. Rows of a matrix are `stride` apart. */
#ifndef ORFFI_BASE_SMALL_H
#define ORFFI_BASE_SMALL_H

#include "base/status.h"

/* A (n x n) = L L^T in place, lower triangle; false where it is not positive. */
bool orffi_small_cholesky(size_t n, double *A, size_t stride);

/* b = L^-1 b, and b = L^-T b. */
void orffi_small_solve_lower(size_t n, const double *L, size_t stride, double *b);
void orffi_small_solve_upper(size_t n, const double *L, size_t stride, double *b);

#endif
