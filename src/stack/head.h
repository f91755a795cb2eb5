/* The last layer in closed form: ridge on what the hidden layers give, judged on rows left out. */
#ifndef ORFFI_STACK_HEAD_H
#define ORFFI_STACK_HEAD_H

#include "stack/split.h"
#include "stack/stack.h"

typedef struct orffi_head {
    const orff_features
        *features; /* of the last layer, whose kernel may be another on the same frequencies */
    const orffi_split *split;
    double *H;             /* n x width: what the hidden layers give */
    orff_moments *moments; /* of the rows learned from */
    orff_ridge *ridge;
    double *theta, *intercept, *F; /* M, p; rows left out x p */
    bool center;
} orffi_head;

/* With the hidden layers as they are now. Stack, features and split must outlive it. Clear accepts a zeroed or half-built
 * one. */
orff_status orffi_head_fill(orffi_head *head, const orff_stack *stack, const orff_features *features,
                            const orffi_split *split, bool center);
void orffi_head_clear(orffi_head *head);

/* theta and intercept at lambda, and what the rows left out say: the mean over the outputs, and of each output (p, may be
 * NULL). */
orff_status orffi_head_try(orffi_head *head, double lambda, double *error, double *outputs);

/* trace K(0)/p: what lambdas are relative to. */
orff_status orffi_head_size(const orffi_head *head, double *size);

#endif
