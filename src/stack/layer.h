/* One layer of a stack,
 *
 *     f(h) = W h + phi(h) V,      V = B theta   (2D x p)
 *
 * from d to p numbers. W passes the inputs on; it starts as the identity, so that a stack starts as its
 * last layer alone. The last layer has no W. */
#ifndef ORFFI_STACK_LAYER_H
#define ORFFI_STACK_LAYER_H

#include "features/features.h"

typedef struct orffi_layer {
    orff_features *features;
    double *W;     /* p x d; NULL in the last layer */
    double *theta; /* M */
    double *V;     /* 2D x p: see orffi_layer_fold */
    double *omega; /* D x d: all frequencies, however they were drawn */
    bool borrows;  /* features, theta and V belong to another layer ... */
    bool shares;   /* ... and W and omega, too */
} orffi_layer;

/* Creates a layer with theta = 0. Takes over the features, also on failure. linear: with a W. It starts as
 * the identity, padded with zeros if p > d, or with orthonormal rows drawn by the seed if p < d. Clear
 * accepts a zeroed or half-built layer. */
orff_status orffi_layer_init(orffi_layer *layer, orff_features *features, bool linear, uint64_t seed);
void orffi_layer_clear(orffi_layer *layer);

/* A last layer that borrows features and V, which must outlive it. */
orff_status orffi_layer_borrow(orffi_layer *layer, orff_features *features, double *V);

/* Computes V from theta; call it whenever theta has changed. */
void orffi_layer_fold(orffi_layer *layer);

/* The number of parameters: W, then theta. */
size_t orffi_layer_parameters(const orffi_layer *layer);

/* out (n x p) from h (n x d). Fills phi (n x 2D); scratch: as for orffi_phi. */
void orffi_layer_forward(const orffi_layer *layer, size_t n, const double *h, double *phi, double *scratch,
                         double *out);

/* From g = dL/dout (n x p) computes dL/dh into `back` (n x d); phi is that of the forward pass. turned:
 * n x 2D. gradient (may be NULL): += dL/dW, dL/dtheta; U: 2D x p + M. */
void orffi_layer_backward(const orffi_layer *layer, size_t n, const double *h, const double *phi,
                          const double *g, double *turned, double *U, double *gradient, double *back);

#endif
