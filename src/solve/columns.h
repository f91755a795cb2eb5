/* The columns of all blocks of a kernel, at most p for each frequency.
 *
 * A ridge solution depends on B_j B_j^T alone. If the stacked block of a sum has more than p columns, it is
 * replaced by C_j with C_j C_j^T = B_j B_j^T (p x p, lower triangular). The coefficients t of C_j give the
 * theta of least norm with B_j theta = C_j t:
 *
 *     theta = B_j^T C_j^-T t,     |theta| = |t|
 *
 * The columns of a Hermitian kernel are complex, b + i c, and are never reduced. Their two coefficients, one
 * in the cosine half and one in the sine half, form one complex number, so that
 *
 *     Phi(x) of the first is cos<w,x> b + sin<w,x> c,   of the second sin<w,x> b - cos<w,x> c.
 */
#ifndef ORFFI_SOLVE_COLUMNS_H
#define ORFFI_SOLVE_COLUMNS_H

#include "features/features.h"

/* Column i (of the cosine half) belongs to frequency j[i]; its vector is B[i] in R^p. */
typedef struct orffi_columns {
    size_t count;
    size_t *j;
    double *B; /* count x p */
    double *C; /* imaginary part, count x p; NULL if the kernel is not Hermitian */

    /* theta of one half: the width[i] coefficients from first[i] on get turn[i] t_i */
    size_t parameters, widest;
    size_t *first, *width;
    double *turn; /* count x widest; NULL if no block is wider than p: theta = t */
} orffi_columns;

orff_status orffi_columns_fill(orffi_columns *columns, const orff_features *f);
void orffi_columns_clear(orffi_columns *columns); /* accepts zeroed or half-built columns */

/* Row i of Phi(x)^T from phi (2D) of the point: its 2 count features for output i. */
void orffi_columns_slice(const orffi_columns *columns, size_t D, size_t p, size_t i, const double *phi,
                         double *row);

/* out (2 count) = B_i . R_a for both halves; R is 2D x p. */
void orffi_columns_product(const orffi_columns *columns, size_t D, size_t p, const double *R, double *out);

/* theta (M) from t (2 count). */
void orffi_columns_expand(const orffi_columns *columns, const double *t, double *theta);

/* G (2 count square) with G_ik = S_ab B_i . B_k; S is 2D x 2D with both triangles. */
orff_status orffi_assemble(const orffi_columns *columns, size_t D, size_t p, const double *S, double *G);

#endif
