/* The loss of a stack on some rows and its gradient in all parameters, the same to the last bit for any number of
 * threads: blocks of rows are of a fixed size, and their sums are added in order. */
#ifndef ORFFI_STACK_GRADIENT_H
#define ORFFI_STACK_GRADIENT_H

#include "stack/stack.h"

/* Rows of which some are taken, in an order. */
typedef struct orffi_stack_rows {
    size_t n;
    const double *X, *Y, *weights; /* n x d, n x p, n or NULL: of all rows */
    const size_t *order;           /* row i is number order[i] of them; NULL: i */
} orffi_stack_rows;

typedef struct orffi_slope orffi_slope;

orff_status orffi_slope_create(orffi_slope **slope, const orff_stack *stack);
void orffi_slope_free(orffi_slope *slope);

/* *value = sum c |f - y|^2 over rows first .. first + count, *weight = sum c, and gradient (may be NULL) that of the
 * value. Takes the stack as it is. */
void orffi_slope_evaluate(orffi_slope *slope, const orffi_stack_rows *rows, size_t first, size_t count,
                          double *value, double *weight, double *gradient);

#endif
