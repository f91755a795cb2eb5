/* What of the outputs a kernel cannot reach: where every part is decomposable, f(x) lies in the range of the sum of
 * their matrices A, and what y has in its null space is noise to the model. */
#ifndef ORFFI_ENGINE_REACH_H
#define ORFFI_ENGINE_REACH_H

#include "kernel/kernel.h"
#include "moments/moments.h"

/* The share of the outputs' variance (about `mean`, p values) in the null space: from rows (Y n x p, weights may be
 * NULL), or from moments. 0 where the kernel is not confined. */
orff_status orffi_reach_rows(const orff_kernel *kernel, size_t n, const double *Y, const double *weights,
                             const double *mean, double *share);
orff_status orffi_reach_moments(const orff_kernel *kernel, const orff_moments *moments, const double *mean,
                                double *share);

/* Above so much of it a fit warns. */
#define ORFFI_NOTABLE_SHARE 0.01

#endif
