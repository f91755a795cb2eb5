/* Thin wrappers over CBLAS and LAPACKE: row-major, size_t sizes checked against BLAS's int, status
 * returned. */
#ifndef ORFFI_BASE_LINALG_H
#define ORFFI_BASE_LINALG_H

#include "base/status.h"

/* C = alpha op(A) op(B) + beta C, C is m x n, the inner dimension k. ta, tb: whether A, B are transposed. Any
 * of m, n, k may be 0. Sizes must fit an int: callers pass blocks. */
void orffi_gemm(bool ta, bool tb, size_t m, size_t n, size_t k, double alpha, const double *A, size_t lda,
                const double *B, size_t ldb, double beta, double *C, size_t ldc);
void orffi_gemm_single(bool ta, bool tb, size_t m, size_t n, size_t k, float alpha, const float *A,
                       size_t lda, const float *B, size_t ldb, float beta, float *C, size_t ldc);

/* C = A^T A + beta C on the upper triangle only: A is k x n, C n x n. */
void orffi_syrk(size_t n, size_t k, const double *A, size_t lda, double beta, double *C, size_t ldc);

/* Whether products may be called by each thread of a loop of ours, and are then that thread's alone. */
bool orffi_products_share_threads(void);
void orffi_syrk_single(size_t n, size_t k, const float *A, size_t lda, float beta, float *C, size_t ldc);

/* sum_i x_i y_i */
double orffi_dot(size_t n, const double *x, const double *y);

/* Copy the upper triangle of A (n x n) to the lower, or the lower to the upper. */
void orffi_mirror(size_t n, double *A);
void orffi_mirror_lower(size_t n, double *A);

/* The 1-norm of a symmetric matrix A (n x n). */
double orffi_symmetric_norm(size_t n, const double *A);

/* Reciprocal of the condition number of A = L L^T in the 1-norm, estimated; norm is the 1-norm of A. 0 where it cannot
 * be told. */
orff_status orffi_cholesky_rcond(size_t n, const double *L, double norm, double *rcond);

/* A = A^-1 from L of orffi_cholesky, in place, both triangles. */
orff_status orffi_cholesky_inverse(size_t n, double *L);

/* L^-T in place of L from orffi_cholesky, upper triangle: A^-1 = L^-T L^-1. Large ones report progress and
 * may be stopped (ORFF_ERROR_CANCELLED). */
orff_status orffi_cholesky_root(size_t n, double *L);

/* Symmetric A (n x n, both triangles filled) = V diag(values) V^T: values ascending; V overwrites A, with the
 * eigenvectors in its COLUMNS. Large ones report progress under the task below and may be stopped
 * (ORFF_ERROR_CANCELLED). */
#define ORFFI_DECOMPOSITION "decomposition"
orff_status orffi_eigen(size_t n, double *A, double *values);

/* The shortest x with A x = b, A (n x n) symmetric and positive semidefinite, b in its range to rounding.
 * Overwrites A. */
orff_status orffi_solve_shortest(size_t n, double *A, const double *b, double *x);

/* A = L L^T in place, lower triangle; zeroes the upper one. ORFF_ERROR_NOT_POSITIVE if a pivot fails; the
 * upper triangle is then unchanged. Large ones report progress and may be stopped (ORFF_ERROR_CANCELLED). */
orff_status orffi_cholesky(size_t n, double *A);

/* The same without changing the upper triangle, for checks against A; and a function that zeroes it. */
orff_status orffi_cholesky_beside(size_t n, double *A);
void orffi_clear_upper(size_t n, double *A);

/* C = A B, A symmetric (n x n), of which only the upper triangle is read; B, C n x m. */
void orffi_upper_symmetric(size_t n, const double *A, size_t m, const double *B, double *C);

/* Z = A F (rows x k), F n x k: half of the work if F is upper triangular, as from orffi_cholesky_root. Sizes
 * must fit an int, as above. */
void orffi_times_factor(size_t rows, size_t n, size_t k, const double *A, const double *F, double *Z);

/* Solve (L L^T) X = B in place; L from orffi_cholesky (n x n), B is n x m. */
orff_status orffi_cholesky_solve(size_t n, const double *L, size_t m, double *B);

/* Orthonormalise the rows of A (m x n, m <= n) in place: A = R^T Q form with the signs fixed so that a
 * Gaussian A gives Haar-distributed rows. */
orff_status orffi_orthonormal_rows(size_t m, size_t n, double *A);

/* A positive p x p matrix A = B B^T with B p x rank: eigenvectors times the root of the eigenvalues above
 * 1e-13 of the largest. Refuses (ORFF_ERROR_NOT_POSITIVE) eigenvalues below -1e-10 of the largest, and
 * asymmetry above the same. B has room for p x p; its rows have `rank` entries (packed). */
orff_status orffi_factor_positive(size_t p, const double *A, double *B, size_t *rank);

/* For orff_build_info: which BLAS this is, with its version. */
const char *orffi_blas_name(void);

#endif
