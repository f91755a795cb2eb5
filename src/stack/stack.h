/* A stack of layers, f = f_L o .. o f_1, and its forward and backward passes for a block of rows. */
#ifndef ORFFI_STACK_STACK_H
#define ORFFI_STACK_STACK_H

#include "stack/layer.h"

struct orff_stack {
    size_t n;            /* number of layers */
    orffi_layer *layers; /* n */
    size_t *widths;      /* n + 1: inputs, hidden numbers, outputs */
    double *intercept;   /* outputs: added after the last layer */
};

enum {
    ORFFI_STACK_ROWS = 64
}; /* rows of a block. Blocks, and so their sums, are the same for any number of threads */

/* n empty layers. */
orff_status orffi_stack_allocate(orff_stack **stack, size_t n);

/* Computes the widths once the layers are filled; fails if layers do not fit together. */
orff_status orffi_stack_join(orff_stack *stack);

/* A stack with the hidden layers of another, which must outlive it, and another borrowed last layer. */
orff_status orffi_stack_beside(orff_stack **stack, const orff_stack *other, orff_features *features,
                               double *V);

size_t orffi_stack_parameters(const orff_stack *stack);

/* All parameters as one vector: W (row-major) of each layer, then theta. */
void orffi_stack_get(const orff_stack *stack, double *parameters);
void orffi_stack_set(orff_stack *stack, const double *parameters);

/* Memory for passing a block of rows through the layers. */
typedef struct orffi_layer_pass {
    const orff_stack *stack;
    double **phi; /* n: rows x 2D */
    double **h;   /* n + 1: rows x width; h[0] is the caller's x */
    double *scratch;
    double *turned;   /* rows x most 2D */
    double *U;        /* most 2D p + M */
    double *g, *back; /* rows x widest: dL/dh of the current layer, and of the one before */
    double *gradient; /* of all parameters, or NULL */
} orffi_layer_pass;

/* gradients: allocate a gradient. Clear accepts a zeroed or half-built one. */
orff_status orffi_layer_pass_init(orffi_layer_pass *walk, const orff_stack *stack, bool gradients);
void orffi_layer_pass_clear(orffi_layer_pass *walk);

/* Passes up to ORFFI_STACK_ROWS rows through the first `layers` layers; h[layers] is the result, without
 * the intercept. */
void orffi_layer_pass_forward(orffi_layer_pass *walk, size_t layers, size_t n, double *x);

/* From g = dL/df (n x p, in walk->g) to dL/dx, also in walk->g. Adds to the gradient of the parameters if
 * there is one. */
void orffi_layer_pass_backward(orffi_layer_pass *walk, size_t n);

/* H (n x width) = the output of the first `layers` layers at n points; includes the intercept if these are
 * all layers. */
orff_status orffi_stack_values(const orff_stack *stack, size_t layers, size_t n, const double *X, double *H);

/* J (n x p x d): Jacobians at n points. */
orff_status orffi_stack_slopes(const orff_stack *stack, size_t n, const double *X, double *J);

#endif
