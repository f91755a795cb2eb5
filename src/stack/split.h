/* Rows to learn from and rows to judge by: a copy, those left out behind the others. */
#ifndef ORFFI_STACK_SPLIT_H
#define ORFFI_STACK_SPLIT_H

#include "base/status.h"

typedef struct orffi_split {
    size_t n, d, p;
    size_t learned;          /* the first so many are learned from */
    double *X, *Y, *weights; /* n x d, n x p; n or NULL */
    double learned_weight, left_weight;
} orffi_split;

/* The fold that is left out is, of how->folds, the one whose weight is nearest to its share. Folds are those of moments: see
 * orff_moments_settings. Where blocks or groups leave nothing to learn from or to judge by, rows are left out one by
 * one. Clear accepts a zeroed or half-built one. */
orff_status orffi_split_fill(orffi_split *split, size_t n, size_t d, size_t p, const double *X,
                             const double *Y, const double *weights, const orff_stack_training *how);
void orffi_split_clear(orffi_split *split);

#endif
