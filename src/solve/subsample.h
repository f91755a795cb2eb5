/* The approximation of A^* A = sum_i c_i Phi(x_i) Phi(x_i)^T by a subsample of the rows, without ever forming
 * it. With P_s the sampled rows and scale = sum c_i / sum of the sampled c_i,
 *
 *     A^* A ~ scale P_s^* P_s,     P_s P_s^* = V diag(values) V^T     (m x m, m = sampled rows times p)
 *     (scale P_s^* P_s + damping I)^-1 = (I - P_s^* V diag(1 / (values + damping/scale)) V^T P_s) / damping
 */
#ifndef ORFFI_SOLVE_SUBSAMPLE_H
#define ORFFI_SOLVE_SUBSAMPLE_H

#include "solve/data.h"

typedef struct orffi_subsample {
    size_t n, m; /* rows, rows times p */
    bool whole;  /* it contains every row of positive weight */
    double scale, damping;
    double *X, *root;   /* n x d, n */
    double *V, *values; /* eigenvectors in columns (m x m), eigenvalues ascending, at least 0 (m) */
    orffi_data data;
} orffi_subsample;

/* Draws `count` rows (or all rows with positive weight, if there are fewer) by (seed, row) and decomposes
 * their Gram matrix. total is sum c_i, shift the wanted damping; the monitor gets progress reports. If
 * processes share the rows, each draws from its own, in proportion to their number, and only the first
 * decomposes; the others have n and m alone. Call orffi_subsample_clear even if this fails. */
orff_status orffi_subsample_fill(orffi_subsample *s, const orff_features *f, size_t n, const double *X,
                                 const double *root, double total, size_t count, uint64_t seed, double shift,
                                 const orffi_monitor *monitor, const orff_sharing *sharing);
void orffi_subsample_clear(orffi_subsample *s);

/* z = (scale P_s^* P_s + damping I)^-1 r; scratch has 2 m numbers. */
orff_status orffi_subsample_solve(orffi_subsample *s, const double *r, double *z, double *scratch);

/* Condition of A^* A + shift I: uses the largest eigenvalue of the subsample, and shift as the smallest. */
double orffi_subsample_condition(const orffi_subsample *s, double shift);

/* Row k of basis (count x cols): the unit eigenvector of P_s^* P_s of its k-th largest eigenvalue, which is >
 * 0. */
orff_status orffi_subsample_basis(orffi_subsample *s, size_t count, double *basis);

#endif
