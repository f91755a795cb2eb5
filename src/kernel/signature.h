/* Frequencies and blocks of a kernel known only by its signature K0(delta), d <= 3. */
#ifndef ORFFI_KERNEL_SIGNATURE_H
#define ORFFI_KERNEL_SIGNATURE_H

#include "kernel/kernel.h"
#include "sampling/sampling.h"

/* Fill *out and *blocks (count x p x p, allocated here). recipe: extent (needed), tolerance (0: 1e-6),
 * count: at most so many frequencies, 0: as many as it takes. On failure both are left for the caller to
 * clear. */
orff_status orffi_signature_draw(orffi_frequencies *out, double **blocks, const orffi_kernel_part *part,
                                 const orffi_recipe *recipe);

#endif
