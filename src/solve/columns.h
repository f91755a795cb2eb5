/* The columns of all blocks of a kernel, at most p for each frequency.
 *
 * A ridge solution depends on B_j B_j^T alone. The stacked block of a sum can have more than p columns; then C_j with
 * C_j C_j^T = B_j B_j^T (p x p, lower triangular) takes its place, and the coefficients t of C_j become those of
 * least norm with B_j theta = C_j t:
 *
 *     theta = B_j^T C_j^-T t,     |theta| = |t|
 *
 * The columns of a Hermitian kernel are complex, b + i c; they stay as many as they are. Their two coefficients, one of the
 * cosine half and one of the sine half, are one complex number, so that
 *
 *     Phi(x) of the first is cos<w,x> b + sin<w,x> c,   of the second sin<w,x> b - cos<w,x> c.
 */
#ifndef ORFFI_SOLVE_COLUMNS_H
#define ORFFI_SOLVE_COLUMNS_H

#include "features/features.h"

/* Column i (of the cosine half) belongs to frequency j[i] and has the vector B[i] in R^p. */
typedef struct orffi_columns {
    size_t count;
    size_t *j;
    double *B; /* count x p */
    double *C; /* the imaginary part, count x p; NULL where the kernel is not Hermitian */

    /* theta of a half: from first[i] on, width[i] coefficients get turn[i] t_i */
    size_t parameters, widest;
    size_t *first, *width;
    double *turn; /* count x widest; NULL where no block is wider than p: theta = t */
} orffi_columns;

orff_status orffi_columns_fill(orffi_columns *columns, const orff_features *f);
void orffi_columns_clear(orffi_columns *columns); /* accepts a zeroed or half-built one */

/* Row i of Phi(x)^T from phi (2D) of the point: its 2 count features of output i. */
void orffi_columns_slice(const orffi_columns *columns, size_t D, size_t p, size_t i, const double *phi,
                         double *row);

/* out (2 count) = B_i . R_a for both halves; R is 2D x p. */
void orffi_columns_product(const orffi_columns *columns, size_t D, size_t p, const double *R, double *out);

/* theta (M) from t (2 count). */
void orffi_columns_expand(const orffi_columns *columns, const double *t, double *theta);

/* G (2 count square) with G_ik = S_ab B_i . B_k; S is 2D x 2D with both triangles. */
orff_status orffi_assemble(const orffi_columns *columns, size_t D, size_t p, const double *S, double *G);

#endif
