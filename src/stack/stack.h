/* A stack of layers, f = f_L o .. o f_1, and the walk through it, forwards and backwards, for a block of rows. */
#ifndef ORFFI_STACK_STACK_H
#define ORFFI_STACK_STACK_H

#include "stack/layer.h"

struct orff_stack {
    size_t n;            /* layers */
    orffi_layer *layers; /* n */
    size_t *widths;      /* n + 1: inputs, hidden numbers, outputs */
    double *intercept;   /* outputs: added behind the last layer */
};

enum {
    ORFFI_STACK_ROWS = 64
}; /* of a block. Blocks are the same for any number of threads, and so are their sums */

/* n layers that are still to be filled. */
orff_status orffi_stack_allocate(orff_stack **stack, size_t n);

/* The widths, once the layers are there; refuses layers that do not fit each other. */
orff_status orffi_stack_join(orff_stack *stack);

/* The hidden layers of another stack, which outlives it, with a last layer that is borrowed too. */
orff_status orffi_stack_beside(orff_stack **stack, const orff_stack *other, orff_features *features,
                               double *V);

size_t orffi_stack_parameters(const orff_stack *stack);

/* All of them as one vector: of each layer W (row-major), then theta. */
void orffi_stack_get(const orff_stack *stack, double *parameters);
void orffi_stack_set(orff_stack *stack, const double *parameters);

/* What a block of rows needs on its way. */
typedef struct orffi_layer_pass {
    const orff_stack *stack;
    double **phi; /* n: rows x 2D */
    double **h;   /* n + 1: rows x width; h[0] is the caller's x */
    double *scratch;
    double *turned;   /* rows x most 2D */
    double *U;        /* most 2D p + M */
    double *g, *back; /* rows x widest: dL/dh of the layer at hand, and of the one before */
    double *gradient; /* of all parameters, or NULL */
} orffi_layer_pass;

/* gradients: with room for one. Clear accepts a zeroed or half-built one. */
orff_status orffi_layer_pass_init(orffi_layer_pass *walk, const orff_stack *stack, bool gradients);
void orffi_layer_pass_clear(orffi_layer_pass *walk);

/* Up to ORFFI_STACK_ROWS rows through the first `layers` layers: h[layers] is theirs. The intercept is not added. */
void orffi_layer_pass_forward(orffi_layer_pass *walk, size_t layers, size_t n, double *x);

/* From g = dL/df (n x p, in walk->g) to dL/dx, in walk->g again; the gradient of the parameters grows where it is wanted. */
void orffi_layer_pass_backward(orffi_layer_pass *walk, size_t n);

/* H (n x width) = the output of the first `layers` layers at n points; with all of them the intercept is added. */
orff_status orffi_stack_values(const orff_stack *stack, size_t layers, size_t n, const double *X, double *H);

/* J (n x p x d). */
orff_status orffi_stack_slopes(const orff_stack *stack, size_t n, const double *X, double *J);

#endif
