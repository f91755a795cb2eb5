/* One layer of a stack:
 *
 *     f(h) = W h + phi(h) V,      V = B theta   (2D x p)
 *
 * from d to p numbers. W is what a layer passes on: the identity at first, so that a stack begins as what stands at its
 * end. The last layer has none.
 */
#ifndef ORFFI_STACK_LAYER_H
#define ORFFI_STACK_LAYER_H

#include "features/features.h"

typedef struct orffi_layer {
    orff_features *features;
    double *W;     /* p x d; NULL: none */
    double *theta; /* M */
    double *V;     /* 2D x p: orffi_layer_fold */
    double *omega; /* D x d: the frequencies, whatever draws them */
    bool borrows;  /* features, theta and V are another's ... */
    bool shares;   /* ... and so are W and omega */
} orffi_layer;

/* With theta = 0; the features are taken over, also on failure. linear: with a W, whose start is the identity, padded with
 * zeros where p > d, and orthonormal rows drawn by the seed where p < d. Clear accepts a zeroed or half-built one. */
orff_status orffi_layer_init(orffi_layer *layer, orff_features *features, bool linear, uint64_t seed);
void orffi_layer_clear(orffi_layer *layer);

/* A last layer beside its owner: features and V must outlive it. */
orff_status orffi_layer_borrow(orffi_layer *layer, orff_features *features, double *V);

/* V from theta: called when theta has changed. */
void orffi_layer_fold(orffi_layer *layer);

/* Numbers that are learned: W, then theta. */
size_t orffi_layer_parameters(const orffi_layer *layer);

/* out (n x p) from h (n x d); phi (n x 2D) is filled, scratch as orffi_phi wants it. */
void orffi_layer_forward(const orffi_layer *layer, size_t n, const double *h, double *phi, double *scratch,
                         double *out);

/* From g = dL/dout (n x p) to dL/dh in its place `back` (n x d), phi being that of the forward pass. turned: n x 2D.
 * gradient (may be NULL): += dL/dW, dL/dtheta; U: 2D x p + M. */
void orffi_layer_backward(const orffi_layer *layer, size_t n, const double *h, const double *phi,
                          const double *g, double *turned, double *U, double *gradient, double *back);

#endif
