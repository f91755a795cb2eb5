/* The output matrix A of K = k0 A by the evidence, with a noise for each output:
 *
 *     y = f + noise,   f ~ k0 A,   noise ~ diag(s)                          (p outputs)
 *
 * In the eigenbasis of the scalar Gram matrix, or of S of moments, rows are independent of each other:
 *
 *     log p = -1/2 sum_i [ log det(e_i A + diag s) + z_i^T (e_i A + diag s)^-1 z_i + p log 2 pi ]
 *
 * e_i its eigenvalues, z_i what the outputs have along its eigenvectors. A is diagonalised against s, so that an evaluation with
 * gradient takes O(m p^2 + p^3), m the eigenvalues that are not 0. A = F F^T + diag(g), F of p x rank; all of F, g and s go uphill
 * by a quasi-Newton method, which never takes a step down. */
#ifndef ORFFI_EXACT_COREGION_H
#define ORFFI_EXACT_COREGION_H

#include "base/status.h"

typedef struct orffi_coregion_data {
    size_t p, m;
    const double *e;    /* m: eigenvalues > 0 */
    const double *z;    /* m x p */
    double zeros;       /* how many eigenvalues are 0 ... */
    const double *rest; /* ... and the sums of squares of each output (p) along their eigenvectors */
} orffi_coregion_data;

typedef struct orffi_coregion_how {
    size_t
        rank; /* of F; SIZE_MAX: from 0 on as long as it gains more than half the logarithm of `rows` an unknown */
    double rows; /* that the data are from */
    bool common; /* one noise for all outputs */
    size_t most; /* evaluations for each rank; 0: enough */
} orffi_coregion_how;

typedef struct orffi_coregion {
    double *A, *s;   /* p x p, p: the caller's */
    size_t rank;     /* of F */
    size_t unknowns; /* in A and s */
    double value;    /* log p */
    double apart;    /* log p with the best A that is diagonal */
} orffi_coregion;

/* log p, and its gradients where they are not NULL: by the entries of A, as if A_kl and A_lk were two unknowns (p x p), and by s (p). */
orff_status orffi_coregion_evaluate(const orffi_coregion_data *data, const double *A, const double *s,
                                    double *value, double *by_A, double *by_s);

/* Every output must vary. */
orff_status orffi_coregion_learn(const orffi_coregion_data *data, const orffi_coregion_how *how,
                                 orffi_coregion *found);

#endif
