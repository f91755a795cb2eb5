/* The parts of a kernel with everything they point to, as a value that can be copied, moved, changed and
 * cleared. */
#ifndef ORFFI_MODEL_PARTS_H
#define ORFFI_MODEL_PARTS_H

#include "kernel/kernel.h"

/* One part: pointers in `part` refer to the arrays below, which the part owns. A sigma of 0 is auto. */
typedef struct orffi_planned_part {
    orff_part part;
    double *sigmas;      /* d: length scales; zeros while they are auto */
    double *A, *B;       /* p x p, p x columns; or NULL */
    double *delays;      /* p x d, or NULL */
    double *wavelengths; /* d, or NULL */
    size_t *space;       /* p, or NULL */
} orffi_planned_part;

typedef struct orffi_parts {
    size_t count, d, p;
    orffi_planned_part *list;
    double *shares; /* count + 1: shares of a learned mixture, the noise last; or NULL */
} orffi_parts;

/* Copies `count` parts. `to` must be empty; clear it on failure. */
orff_status orffi_parts_init(orffi_parts *to, size_t d, size_t p, size_t count, const orff_part *parts);
orff_status orffi_parts_copy(orffi_parts *to, const orffi_parts *from);
void orffi_parts_move(orffi_parts *to, orffi_parts *from); /* clears `to` first, leaves `from` empty */
void orffi_parts_clear(orffi_parts *parts);

/* Drops parts whose weight is not positive and multiplies the weights of the others by it. Keeps shares in
 * step. */
orff_status orffi_parts_keep(orffi_parts *parts, const double *weights);

/* Builds the kernel. space: for physical parts that name none, or NULL. */
orff_status orffi_parts_kernel(const orffi_parts *parts, const size_t *space, const orffi_kernel_how *how,
                               orff_kernel **kernel);

#endif
