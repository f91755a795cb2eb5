/* The parts of a kernel with all that they point to, as a value: copied, moved, changed, cleared. */
#ifndef ORFFI_MODEL_PARTS_H
#define ORFFI_MODEL_PARTS_H

#include "kernel/kernel.h"

/* One part: pointers of `part` point to what follows, which is the part's own. A sigma of 0 is auto. */
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
    double *shares; /* count + 1, of a learned mixture: noise's last; or NULL */
} orffi_parts;

/* Room for `count` parts, each as `part` says. `to` is empty before; on failure it is to be cleared. */
orff_status orffi_parts_init(orffi_parts *to, size_t d, size_t p, size_t count, const orff_part *parts);
orff_status orffi_parts_copy(orffi_parts *to, const orffi_parts *from);
void orffi_parts_move(orffi_parts *to,
                      orffi_parts *from); /* what `to` had is cleared, `from` is empty then */
void orffi_parts_clear(orffi_parts *parts);

/* Parts whose weight is not positive go; those that stay are multiplied by it. Shares move along. */
orff_status orffi_parts_keep(orffi_parts *parts, const double *weights);

/* The kernel. space: of physical parts that name none, or NULL. */
orff_status orffi_parts_kernel(const orffi_parts *parts, const size_t *space, const orffi_kernel_how *how,
                               orff_kernel **kernel);

#endif
