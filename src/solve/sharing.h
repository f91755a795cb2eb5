/* Rows divided among processes: sums over all of them, by the caller's orff_sharing. NULL: this process has all rows, and every
 * call here leaves the numbers as they are. */
#ifndef ORFFI_SOLVE_SHARING_H
#define ORFFI_SOLVE_SHARING_H

#include "base/status.h"

/* numbers become their sums over all processes. */
orff_status orffi_sharing_sum(const orff_sharing *sharing, size_t count, double *numbers);

static inline bool orffi_sharing_is_first(const orff_sharing *sharing) {
    return !sharing || sharing->rank == 0;
}

/* numbers become those of the first process: what libraries compute may differ in the last digits from machine to machine. */
orff_status orffi_sharing_first(const orff_sharing *sharing, size_t count, double *numbers);

/* *all (*total x width) becomes the rows of all processes in their order, from orffi_alloc; mine is n x width. */
orff_status orffi_sharing_gather(const orff_sharing *sharing, size_t n, size_t width, const double *mine,
                                 size_t *total, double **all);

#endif
