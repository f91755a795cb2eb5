/* The two errors of the trapezoid rule, in whitened coordinates and relative to |K(0)|.
 *
 * By Poisson's formula, the sum over the whole grid z = (h_1 k_1, .., h_d k_d) of prod h p(z) cos<z,v> is
 * sum_m k0(v + (2 pi m_i / h_i)_i): the kernel and its images. Aliasing is what the images add for |v_i| <=
 * E_i; the cut drops grid points where the density is below a level. */
#ifndef ORFFI_SAMPLING_GRID_H
#define ORFFI_SAMPLING_GRID_H

#include "spectrum/spectrum.h"

#define ORFFI_GRID_MAX_DIM 3

typedef struct orffi_grid {
    const orffi_spectrum *law; /* borrowed */
    bool gradient;             /* the blocks grow like |w|^2, so errors of -grad grad^T k0 count too */
    double unit;               /* with gradient: E z_1^2, the size of -grad grad^T k0 at 0 */
    double extent[ORFFI_GRID_MAX_DIM]; /* E */
    double period[ORFFI_GRID_MAX_DIM]; /* 2 pi / h */
} orffi_grid;

/* Sets period = E + reach, so that every input's nearest image stays `reach` away from all |v_i| <= E_i. A
 * periodic input keeps its period: its images are no error but part of the kernel. */
void orffi_grid_set_reach(orffi_grid *grid, double reach);

/* An upper estimate of the aliasing error over the extent; INFINITY if the sum over images diverges. */
double orffi_grid_aliasing(const orffi_grid *grid);

/* Sums over the whole, uncut grid: the weights, and the weights times z_i^2 for the inputs of the space. They
 * are upper estimates: what the kept points lack of them is the error of the cut. */
typedef struct orffi_grid_total {
    double mass;
    double second[ORFFI_GRID_MAX_DIM]; /* by position in law->space */
} orffi_grid_total;

orffi_grid_total orffi_grid_totals(const orffi_grid *grid);

#endif
