/* Output matrices of a sum of parts, each part with its own (the linear model of coregionalisation). Outputs
 * may be missing or seen along directions:
 *
 *     y_i = <e_i, f(x_i)> + noise,   f ~ sum_m k_m A_m,      V_ij = sum_m k_m(x_i, x_j) e_i^T A_m e_j + [i = j] s_c(i) u_i
 *
 * The evidence is dense, on few observations in independent groups. It is maximised through a majorising
 * function. With
 *
 *     M_m = sum_ij (V^-1)_ij k_m e_i e_j^T,   R_m = sum_ij t_i t_j k_m e_i e_j^T,   t = V^-1 y
 *
 * A_m becomes the positive X with X M_m X = A_m R_m A_m, and s_c likewise; no step lowers the evidence. */
#ifndef ORFFI_EXACT_COREGION_SUM_H
#define ORFFI_EXACT_COREGION_SUM_H

#include "base/status.h"

typedef struct orffi_coregion_group {
    size_t n, rows;
    const double *K;     /* parts x rows x rows: k_m */
    const size_t *row;   /* n: the row of each observation */
    const double *along; /* n x p: e_i */
    const double *y;     /* n */
    const double *unit;  /* n: u_i > 0 */
    const size_t *noise; /* n: c(i) */
} orffi_coregion_group;

typedef enum orffi_coregion_shape {
    ORFFI_COREGION_ALIKE, /* A_m keeps its shape; only its size is learned */
    ORFFI_COREGION_DIAGONAL,
    ORFFI_COREGION_FULL
} orffi_coregion_shape;

typedef struct orffi_coregion_sum {
    size_t p, parts, noises, groups;
    const orffi_coregion_group *group;
    orffi_coregion_shape shape; /* of the A_m; shapes other than FULL must start diagonal */
    size_t most;                /* largest number of steps */
    double tolerance;           /* stop when a step gains less */
} orffi_coregion_sum;

/* Maximises log p over A (parts x p x p) and s (noises), starting from the given positive values. */
orff_status orffi_coregion_sum_learn(const orffi_coregion_sum *sum, double *A, double *s, double *value);

#endif
