/* The loss of a stack on some rows and its gradient with respect to all parameters. The result is the same
 * to the last bit for any number of threads: blocks of rows have a fixed size, and their sums are added in
 * order. */
#ifndef ORFFI_STACK_GRADIENT_H
#define ORFFI_STACK_GRADIENT_H

#include "stack/stack.h"

/* Rows, some of which are used, in a given order. */
typedef struct orffi_stack_rows {
    size_t n;
    const double *X, *Y, *weights; /* n x d, n x p, n or NULL: all rows */
    const size_t *order;           /* row i is row order[i] of the arrays; NULL: row i */
} orffi_stack_rows;

typedef struct orffi_slope orffi_slope;

orff_status orffi_slope_create(orffi_slope **slope, const orff_stack *stack);
void orffi_slope_free(orffi_slope *slope);

/* *value = sum c |f - y|^2 over rows first .. first + count - 1, *weight = sum c, and the gradient of the
 * value (may be NULL). Uses the current parameters of the stack. */
void orffi_slope_evaluate(orffi_slope *slope, const orffi_stack_rows *rows, size_t first, size_t count,
                          double *value, double *weight, double *gradient);

#endif
