/* Rows divided among processes: sums over all processes through the caller's orff_sharing. If that is NULL,
 * this process has all rows, and every call here leaves the numbers unchanged. */
#ifndef ORFFI_SOLVE_SHARING_H
#define ORFFI_SOLVE_SHARING_H

#include "base/status.h"

/* high + low += x, with twice the precision. */
static inline void orffi_sharing_add(double *high, double *low, double x) {
    const double sum = *high + x, part = sum - *high;
    *low += (*high - (sum - part)) + (x - part);
    *high = sum;
}

/* Replaces numbers by the sums of numbers + low over all processes; low may be NULL. */
orff_status orffi_sharing_sum(const orff_sharing *sharing, size_t count, double *numbers, const double *low);

/* |u|^2 over the numbers of all processes. */
orff_status orffi_sharing_square(const orff_sharing *sharing, size_t count, const double *u, double *square);

/* The number of rows before the n of this process, and in total. */
orff_status orffi_sharing_count(const orff_sharing *sharing, size_t n, size_t *before, size_t *total);

static inline bool orffi_sharing_is_first(const orff_sharing *sharing) {
    return !sharing || sharing->rank == 0;
}

/* Replaces numbers by those of the first process, because results of libraries may differ in the last digits
 * between machines. */
orff_status orffi_sharing_first(const orff_sharing *sharing, size_t count, double *numbers);

/* *all (*total x width) receives the rows of all processes in their order, allocated by orffi_alloc; mine is
 * n x width. */
orff_status orffi_sharing_gather(const orff_sharing *sharing, size_t n, size_t width, const double *mine,
                                 size_t *total, double **all);

#endif
