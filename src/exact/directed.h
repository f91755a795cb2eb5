/* Directed rows: each measures f along a direction at a point, y = <e, f(x)>, or the sum of that over several
 * points. The kernel between two rows is the sum of <e_s, K(x_s, x_t) e_t> over their points. */
#ifndef ORFFI_EXACT_DIRECTED_H
#define ORFFI_EXACT_DIRECTED_H

#include "kernel/kernel.h"

typedef struct orffi_directed {
    size_t n;             /* rows */
    const size_t *points; /* n + 1: row i has points[i] up to, not including, points[i + 1]; NULL: one point
                             each */
    const double *X;      /* of all points: as many as these, x d */
    const double *along;  /* likewise x p */
} orffi_directed;

/* The index of the first point of row i. orffi_directed_begin(rows, rows->n) is the number of points. */
static inline size_t orffi_directed_begin(const orffi_directed *rows, size_t i) {
    return rows->points ? rows->points[i] : i;
}

/* The value of row i if the field is F (points x p). */
double orffi_directed_value(const orffi_directed *rows, size_t p, size_t i, const double *F);

/* The value of row i if the field is constant (p). */
double orffi_directed_constant(const orffi_directed *rows, size_t p, size_t i, const double *constant);

/* The constant field (p) that fits y (n) best, the shortest if several do: the weighted mean where rows are
 * whole measurements. */
orff_status orffi_directed_mean(const orffi_directed *rows, size_t p, const double *weights, const double *y,
                                double *mean);

/* G (n x n) between the rows. */
orff_status orffi_directed_gram(const orff_kernel *kernel, const orffi_directed *rows, double *G);

/* The sum of K(z, x_t) e_t over the points of each row, for m points z: (m p) x n. */
orff_status orffi_directed_cross(const orff_kernel *kernel, size_t m, const double *Z,
                                 const orffi_directed *rows, double *G);

#endif
