/* Frequencies and blocks of a kernel known only by its signature K0(delta), d <= 3. */
#ifndef ORFFI_KERNEL_SIGNATURE_H
#define ORFFI_KERNEL_SIGNATURE_H

#include "kernel/kernel.h"
#include "sampling/sampling.h"

/* Fills *out and *blocks (count x p x p, allocated here). recipe: extent (required), tolerance (0: 1e-6),
 * count: largest number of frequencies, 0: whatever the tolerance needs. On failure the caller clears
 * both. */
orff_status orffi_signature_draw(orffi_frequencies *out, double **blocks, const orffi_kernel_part *part,
                                 const orffi_recipe *recipe);

#endif
