/* Outputs that a kernel cannot reach: if every part is decomposable, f(x) lies in the range of the sum of
 * their matrices A. The component of y in the null space of that sum is noise to the model. */
#ifndef ORFFI_ENGINE_REACH_H
#define ORFFI_ENGINE_REACH_H

#include "kernel/kernel.h"
#include "moments/moments.h"

/* The share of the outputs' variance (about `mean`, p values) in the null space: from rows (Y n x p,
 * weights may be NULL), or from moments. 0 if the kernel is not confined. */
orff_status orffi_reach_rows(const orff_kernel *kernel, size_t n, const double *Y, const double *weights,
                             const double *mean, double *share);
orff_status orffi_reach_moments(const orff_kernel *kernel, const orff_moments *moments, const double *mean,
                                double *share);

/* A fit warns above this share. */
#define ORFFI_NOTABLE_SHARE 0.01

#endif
