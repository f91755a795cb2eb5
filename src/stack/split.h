/* A copy of rows, divided into rows to learn from and, after them, held-out rows. */
#ifndef ORFFI_STACK_SPLIT_H
#define ORFFI_STACK_SPLIT_H

#include "base/status.h"

typedef struct orffi_split {
    size_t n, d, p;
    size_t learned;          /* learn from the first so many rows */
    double *X, *Y, *weights; /* n x d, n x p; n or NULL */
    double learned_weight, left_weight;
} orffi_split;

/* Of how->folds, holds out the fold whose weight is nearest to its fair share. Folds are those of moments:
 * see orff_moments_settings. If blocks or groups leave nothing to learn from or nothing to hold out, rows
 * are assigned one by one. Clear accepts a zeroed or half-built split. */
orff_status orffi_split_fill(orffi_split *split, size_t n, size_t d, size_t p, const double *X,
                             const double *Y, const double *weights, const orff_stack_training *how);
void orffi_split_clear(orffi_split *split);

#endif
