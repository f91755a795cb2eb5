#include "stack/layer.h"

#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"

#define STREAM 0x57acu

/* Starts W as the identity, or with orthonormal rows. */
static orff_status start_linear(orffi_layer *layer, uint64_t seed) {
    const size_t d = layer->features->d, p = layer->features->p;
    const orffi_rng rng = {seed, STREAM};
    ORFFI_TRY(ORFFI_NEW_ARRAY(layer->W, p * d));
    for (size_t i = 0; p >= d && i < d; i++) layer->W[i * d + i] = 1.0;
    if (p >= d) return ORFF_OK;
    for (size_t i = 0; i < p * d; i++) layer->W[i] = orffi_rng_normal(rng, i, 0);
    return orffi_orthonormal_rows(p, d, layer->W);
}

static orff_status copy_frequencies(orffi_layer *layer) {
    const orff_features *f = layer->features;
    size_t size;
    ORFFI_TRY(orffi_multiply(f->D, f->d, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(layer->omega, size));
    return orff_features_frequencies(f, layer->omega, NULL);
}

orff_status orffi_layer_init(orffi_layer *layer, orff_features *features, bool linear, uint64_t seed) {
    *layer = (orffi_layer){.features = features};
    ORFFI_TRY(ORFFI_NEW_ARRAY(layer->theta, features->M));
    ORFFI_TRY(ORFFI_NEW_ARRAY(layer->V, 2 * features->D * features->p));
    ORFFI_TRY(copy_frequencies(layer));
    return linear ? start_linear(layer, seed) : ORFF_OK;
}

orff_status orffi_layer_borrow(orffi_layer *layer, orff_features *features, double *V) {
    *layer = (orffi_layer){.features = features, .V = V, .borrows = true};
    return copy_frequencies(layer);
}

void orffi_layer_clear(orffi_layer *layer) {
    if (!layer->borrows) {
        orff_features_free(layer->features);
        orffi_release(layer->theta);
        orffi_release(layer->V);
    }
    if (!layer->shares) {
        orffi_release(layer->W);
        orffi_release(layer->omega);
    }
    memset(layer, 0, sizeof *layer);
}

void orffi_layer_fold(orffi_layer *layer) {
    orffi_features_fold(layer->features, layer->theta, layer->V);
}

static size_t linear_size(const orffi_layer *layer) {
    return layer->W ? layer->features->p * layer->features->d : 0;
}

size_t orffi_layer_parameters(const orffi_layer *layer) {
    return linear_size(layer) + layer->features->M;
}

void orffi_layer_forward(const orffi_layer *layer, size_t n, const double *h, double *phi, double *scratch,
                         double *out) {
    const orff_features *f = layer->features;
    orffi_phi(f->bank, n, h, phi, scratch);
    orffi_gemm(false, false, n, f->p, 2 * f->D, 1.0, phi, 2 * f->D, layer->V, f->p, 0.0, out, f->p);
    if (layer->W) orffi_gemm(false, true, n, f->p, f->d, 1.0, h, f->d, layer->W, f->d, 1.0, out, f->p);
}

/* Computes dL/dangle_j = cos_j dL/dsin_j - sin_j dL/dcos_j in place of dL/dcos, the first D of each row of
 * 2D numbers. */
static void turn(size_t n, size_t D, const double *phi, double *turned) {
    for (size_t i = 0; i < n; i++) {
        const double *cosine = phi + i * 2 * D, *sine = cosine + D;
        double *to = turned + i * 2 * D;
        for (size_t j = 0; j < D; j++) to[j] = cosine[j] * to[D + j] - sine[j] * to[j];
    }
}

static void add_gradient(const orffi_layer *layer, size_t n, const double *h, const double *phi,
                         const double *g, double *U, double *gradient) {
    const orff_features *f = layer->features;
    const size_t linear = linear_size(layer);
    double *theta = U + 2 * f->D * f->p;
    if (layer->W) orffi_gemm(true, false, f->p, f->d, n, 1.0, g, f->p, h, f->d, 1.0, gradient, f->d);
    orffi_gemm(true, false, 2 * f->D, f->p, n, 1.0, phi, 2 * f->D, g, f->p, 0.0, U, f->p);
    orffi_features_unfold(f, U, theta);
    for (size_t i = 0; i < f->M; i++) gradient[linear + i] += theta[i];
}

void orffi_layer_backward(const orffi_layer *layer, size_t n, const double *h, const double *phi,
                          const double *g, double *turned, double *U, double *gradient, double *back) {
    const orff_features *f = layer->features;
    if (gradient) add_gradient(layer, n, h, phi, g, U, gradient);
    orffi_gemm(false, true, n, 2 * f->D, f->p, 1.0, g, f->p, layer->V, f->p, 0.0, turned, 2 * f->D);
    turn(n, f->D, phi, turned);
    orffi_gemm(false, false, n, f->d, f->D, 1.0, turned, 2 * f->D, layer->omega, f->d, 0.0, back, f->d);
    if (layer->W) orffi_gemm(false, false, n, f->d, f->p, 1.0, g, f->p, layer->W, f->d, 1.0, back, f->d);
}
