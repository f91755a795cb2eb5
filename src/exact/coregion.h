/* The output matrix A of K = k0 A by the evidence, with the noise:
 *
 *     y = f + noise,   f ~ k0 A,   noise ~ S                                (p outputs)
 *
 * In the eigenbasis of the scalar Gram matrix, or of S of moments, rows are independent of each other:
 *
 *     log p = -1/2 sum_i [ log det(e_i A + S) + z_i^T (e_i A + S)^-1 z_i + p log 2 pi ]
 *
 * e_i its eigenvalues, z_i what the outputs have along its eigenvectors. A is diagonalised against S, so that an evaluation with
 * gradient takes O(m p^2 + p^3), m the eigenvalues that are not 0. A = F F^T + diag(g) and S = H H^T + diag(s): what errors have in
 * common is not taken for a field that outputs share. All of F, g, H and s go uphill by a quasi-Newton method, which never takes a
 * step down.
 *
 * A sparse A (coregion_sparse.c) has no F. With R_kl = A_kl / sqrt(a_k a_l), a the diagonal of the A above, it is where
 *
 *     log p - sparsity nu sum_{k<l} |R_kl| + 1/2 log det corr(R)
 *
 * is largest; nu are the degrees of freedom of the field of an output, so that a link whose correlation is below about `sparsity`
 * vanishes. The last term keeps A positive and is felt by correlations near 1 alone. */
#ifndef ORFFI_EXACT_COREGION_H
#define ORFFI_EXACT_COREGION_H

#include "base/status.h"

typedef struct orffi_coregion_data {
    size_t p, m;
    const double *e;    /* m: eigenvalues > 0 */
    const double *z;    /* m x p */
    double zeros;       /* how many eigenvalues are 0 ... */
    const double *rest; /* ... and the sums of products of outputs (p x p) along their eigenvectors */
} orffi_coregion_data;

typedef struct orffi_coregion_how {
    size_t rank; /* of F; SIZE_MAX: columns as long as one gains more than half the logarithm of the field's
                    degrees of freedom an unknown; for those of H it is that of the rows */
    double rows; /* that the data are from */
    bool common; /* s is the same for all outputs */
    size_t most; /* evaluations for each column; sparse: for each sparsity; 0: enough */

    bool sparse;     /* A has entries beside its diagonal only where they are needed; without a rank */
    double sparsity; /* of l1; 0: the links whose price the evidence pays, without shrinking them */
} orffi_coregion_how;

typedef struct orffi_coregion {
    double *A, *S;     /* p x p: the caller's */
    size_t rank;       /* columns of F ... */
    size_t noise_rank; /* ... and of H */
    size_t unknowns;   /* in A and S */
    double value;      /* log p */
    double apart;      /* log p with the best A and S that are diagonal */
    size_t links;      /* sparse: pairs k < l with A_kl that is not 0 ... */
    double penalised;  /* ... and what was made large */
} orffi_coregion;

/* log p, and its gradients where they are not NULL: by the entries of A and of S (p x p), as if those at (k, l) and (l, k) were two
 * unknowns. */
orff_status orffi_coregion_evaluate(const orffi_coregion_data *data, const double *A, const double *S,
                                    double *value, double *by_A, double *by_S);

/* Every output must vary. */
orff_status orffi_coregion_learn(const orffi_coregion_data *data, const orffi_coregion_how *how,
                                 orffi_coregion *found);

/* The same with a sparse A, after the above has found S, of which the variances go on. */
orff_status orffi_coregion_sparse(const orffi_coregion_data *data, const orffi_coregion_how *how,
                                  orffi_coregion *found);

#endif
