/* The last layer in closed form: ridge regression on the outputs of the hidden layers, judged on held-out
 * rows. */
#ifndef ORFFI_STACK_HEAD_H
#define ORFFI_STACK_HEAD_H

#include "stack/split.h"
#include "stack/stack.h"

typedef struct orffi_head {
    /* Of the last layer; their kernel may differ from the layer's, on the same frequencies. */
    const orff_features *features;
    const orffi_split *split;
    double *H;             /* n x width: outputs of the hidden layers */
    orff_moments *moments; /* of the rows to learn from */
    orff_ridge *ridge;
    double *theta, *intercept, *F; /* M, p; held-out rows x p */
    bool center;
} orffi_head;

/* Uses the hidden layers as they are now. Stack, features and split must outlive the head. Clear accepts a
 * zeroed or half-built one. */
orff_status orffi_head_fill(orffi_head *head, const orff_stack *stack, const orff_features *features,
                            const orffi_split *split, bool center);
void orffi_head_clear(orffi_head *head);

/* Computes theta and intercept at lambda, and the mean square error on the held-out rows: averaged over
 * the outputs, and of each output (p, may be NULL). */
orff_status orffi_head_try(orffi_head *head, double lambda, double *error, double *outputs);

/* trace K(0)/p, which lambdas are relative to. */
orff_status orffi_head_size(const orffi_head *head, double *size);

#endif
