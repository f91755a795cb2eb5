/* The kernel between directed rows, which say what f has along a direction: <e_i, K(x_i, x_j) e_j>. */
#ifndef ORFFI_EXACT_DIRECTED_H
#define ORFFI_EXACT_DIRECTED_H

#include "kernel/kernel.h"

/* G (n x n) of rows X (n x d) along e (n x p). */
orff_status orffi_directed_gram(const orff_kernel *kernel, size_t n, const double *X, const double *along,
                                double *G);

/* K(z, x_j) e_j of points z (m): (m p) x n. */
orff_status orffi_directed_cross(const orff_kernel *kernel, size_t m, const double *Z, size_t n,
                                 const double *X, const double *along, double *G);

#endif
