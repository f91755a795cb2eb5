/* What a subsample of the rows says of A^* A = sum_i c_i Phi(x_i) Phi(x_i)^T, without ever forming it. With
 * P_s the sampled rows and scale = sum c_i / sum of the sampled c_i,
 *
 *     A^* A ~ scale P_s^* P_s,     P_s P_s^* = V diag(values) V^T     (m x m, m = sampled rows times p)
 *     (scale P_s^* P_s + damping I)^-1 = (I - P_s^* V diag(1 / (values + damping/scale)) V^T P_s) / damping
 */
#ifndef ORFFI_SOLVE_SUBSAMPLE_H
#define ORFFI_SOLVE_SUBSAMPLE_H

#include "solve/data.h"

typedef struct orffi_subsample {
    size_t n, m; /* rows, rows times p */
    bool whole;  /* every row of positive weight is in it */
    double scale, damping;
    double *X, *root;   /* n x d, n */
    double *V, *values; /* eigenvectors in columns (m x m), eigenvalues ascending, not negative (m) */
    orffi_data data;
} orffi_subsample;

/* Draw `count` rows (fewer where not so many have weight) by (seed, row) and decompose their Gram matrix.
 * total is sum c_i, shift the damping wanted; the work is reported to the monitor. Where processes share the rows, each draws
 * from its own, in proportion to how many it has, and only the first decomposes: the others have n and m alone. End it with
 * orffi_subsample_clear, also when this fails. */
orff_status orffi_subsample_fill(orffi_subsample *s, const orff_features *f, size_t n, const double *X,
                                 const double *root, double total, size_t count, uint64_t seed, double shift,
                                 const orffi_monitor *monitor, const orff_sharing *sharing);
void orffi_subsample_clear(orffi_subsample *s);

/* z = (scale P_s^* P_s + damping I)^-1 r; scratch has 2 m numbers. */
orff_status orffi_subsample_solve(orffi_subsample *s, const double *r, double *z, double *scratch);

/* Condition of A^* A + shift I by the largest eigenvalue of the subsample; the smallest is taken as shift. */
double orffi_subsample_condition(const orffi_subsample *s, double shift);

/* Row k of basis (count x cols): the unit eigenvector of P_s^* P_s of its k-th largest eigenvalue, which is >
 * 0. */
orff_status orffi_subsample_basis(orffi_subsample *s, size_t count, double *basis);

#endif
