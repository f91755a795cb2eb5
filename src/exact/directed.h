/* Directed rows: each says what f has along a direction at a point, y = <e, f(x)>, or the sum of that over several points. The
 * kernel between two of them is the sum of <e_s, K(x_s, x_t) e_t> over their points. */
#ifndef ORFFI_EXACT_DIRECTED_H
#define ORFFI_EXACT_DIRECTED_H

#include "kernel/kernel.h"

typedef struct orffi_directed {
    size_t n; /* rows */
    const size_t
        *points;     /* n + 1: those of row i are from points[i] to before points[i + 1]; NULL: one each */
    const double *X; /* of all points: x d */
    const double *along; /* x p */
} orffi_directed;

/* Where the points of row i begin; those of all rows are as many as orffi_directed_begin(rows, rows->n). */
static inline size_t orffi_directed_begin(const orffi_directed *rows, size_t i) {
    return rows->points ? rows->points[i] : i;
}

/* What row i has of a field F (points x p). */
double orffi_directed_value(const orffi_directed *rows, size_t p, size_t i, const double *F);

/* What row i has of a constant field (p). */
double orffi_directed_constant(const orffi_directed *rows, size_t p, size_t i, const double *constant);

/* The shortest constant field (p) that fits y (n) best: the weighted mean where rows are whole measurements. */
orff_status orffi_directed_mean(const orffi_directed *rows, size_t p, const double *weights, const double *y,
                                double *mean);

/* G (n x n) between the rows. */
orff_status orffi_directed_gram(const orff_kernel *kernel, const orffi_directed *rows, double *G);

/* The sum of K(z, x_t) e_t over the points of each row, for m points z: (m p) x n. */
orff_status orffi_directed_cross(const orff_kernel *kernel, size_t m, const double *Z,
                                 const orffi_directed *rows, double *G);

#endif
