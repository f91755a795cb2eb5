/* The spectrum C(w) of a signature on a regular grid. */
#ifndef ORFFI_KERNEL_SIGNATURE_GRID_H
#define ORFFI_KERNEL_SIGNATURE_GRID_H

#include "kernel/kernel.h"

#define ORFFI_SIGNATURE_BATCH 1024 /* differences evaluated at once */

typedef struct orffi_signature_grid {
    const orffi_kernel_part *part;
    size_t d, p, entries; /* entries = p (p+1)/2: the upper triangle */
    double box[3];        /* half-widths T_i; the period is 2 T_i */
    double tolerance;
    double size;                 /* largest entry of |K0(0)| */
    size_t n, points;            /* n per side, n^d in total */
    double *values;              /* entries x points: samples of K0, later C (real) */
    double *re, *im, *re2, *im2; /* points each */
    double *cosine, *sine;       /* n x n, centred indices */
    double *delta;               /* batch x d */
    double *matrix, *other;      /* batch x p x p each */
} orffi_signature_grid;

/* The caller sets part, d, p, entries and the tolerance. Clear it even if this fails. */
orff_status orffi_signature_grid_init(orffi_signature_grid *grid);
void orffi_signature_grid_clear(orffi_signature_grid *grid);

/* K0 at `count` differences. */
orff_status orffi_signature_call(const orffi_kernel_part *part, size_t count, const double *delta, double *K);

/* Finds the size of K0(0), a box on whose faces K0 vanishes, and C on it, with as many points as needed. */
orff_status orffi_signature_spectrum(orffi_signature_grid *grid, const double *extent);

/* Centred indices of a grid point, each in [-n/2, n/2): axis 0 is the slowest. */
void orffi_signature_centred(const orffi_signature_grid *grid, size_t point, long index[3]);

/* C at a point (p x p), and its trace. */
void orffi_signature_matrix_at(const orffi_signature_grid *grid, size_t point, double *C);
double orffi_signature_trace_at(const orffi_signature_grid *grid, size_t point);

double orffi_signature_largest(const orffi_signature_grid *grid, const double *K);

#endif
