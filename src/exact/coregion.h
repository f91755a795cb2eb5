/* The output matrix A of K = k0 A and the noise, chosen by the evidence:
 *
 *     y = f + noise,   f ~ k0 A,   noise ~ S                                (p outputs)
 *
 * In the eigenbasis of the scalar Gram matrix, or of S of the moments, rows are independent of each other:
 *
 *     log p = -1/2 sum_i [ log det(e_i A + S) + z_i^T (e_i A + S)^-1 z_i + p log 2 pi ]
 *
 * with e_i the eigenvalues and z_i the components of the outputs along the eigenvectors. Diagonalising A
 * against S makes an evaluation with gradient cost O(m p^2 + p^3), m the number of eigenvalues that are not
 * 0. A = F F^T + diag(g) and S = H H^T + diag(s): H keeps correlated errors from being taken for a field that
 * outputs share. A quasi-Newton method maximises over F, g, H and s together, and never takes a step that
 * lowers log p.
 *
 * A sparse A (coregion_sparse.c) has no F. Let R_kl = A_kl / sqrt(a_k a_l), with a the diagonal of the A
 * above. R maximises
 *
 *     log p - sparsity nu sum_{k<l} |R_kl| + 1/2 log det corr(R)
 *
 * where nu is the number of degrees of freedom of the field of an output, so that a link vanishes if its
 * correlation is below about `sparsity`. The last term keeps A positive and matters only for correlations
 * near 1. */
#ifndef ORFFI_EXACT_COREGION_H
#define ORFFI_EXACT_COREGION_H

#include "base/status.h"

typedef struct orffi_coregion_data {
    size_t p, m;
    const double *e;    /* m: eigenvalues > 0 */
    const double *z;    /* m x p */
    double zeros;       /* number of eigenvalues that are 0 ... */
    const double *rest; /* ... and the sum over their eigenvectors of products of the outputs (p x p) */
} orffi_coregion_data;

typedef struct orffi_coregion_how {
    size_t rank; /* of F; SIZE_MAX: add columns as long as one gains more than half the logarithm of the
                    field's degrees of freedom per unknown. Columns of H must gain half the logarithm of
                    `rows` per unknown. */
    double rows; /* number of rows the data come from */
    bool common; /* s is the same for all outputs */
    size_t most; /* evaluations for each column, or, if sparse, for each sparsity; 0: the default */

    bool sparse;     /* A has off-diagonal entries only where they pay; for rank SIZE_MAX only */
    double sparsity; /* weight of the l1 penalty; 0: keep the links that pay their price in evidence, without
                        shrinking them */
} orffi_coregion_how;

typedef struct orffi_coregion {
    double *A, *S;     /* p x p, memory of the caller */
    size_t rank;       /* columns of F ... */
    size_t noise_rank; /* ... and of H */
    size_t unknowns;   /* in A and S */
    double value;      /* log p */
    double apart;      /* log p with the best diagonal A and S */
    size_t links;      /* sparse: pairs k < l with A_kl not 0 ... */
    double penalised;  /* ... and the maximised penalised evidence */
} orffi_coregion;

/* log p and, unless NULL, its gradients with respect to the entries of A and of S (p x p), which treat (k, l)
 * and (l, k) as two unknowns. */
orff_status orffi_coregion_evaluate(const orffi_coregion_data *data, const double *A, const double *S,
                                    double *value, double *by_A, double *by_S);

/* Every output must vary. */
orff_status orffi_coregion_learn(const orffi_coregion_data *data, const orffi_coregion_how *how,
                                 orffi_coregion *found);

/* The same with a sparse A. Calls the above first for S, then refines the variances of S. */
orff_status orffi_coregion_sparse(const orffi_coregion_data *data, const orffi_coregion_how *how,
                                  orffi_coregion *found);

#endif
