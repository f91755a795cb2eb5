/* Posterior samples of a model with features: coefficients u with the covariance (F diag(g) F^T + rest (I
 * - F F^T)) of the error bars, folded into a V of their own. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/features.h"

#define STREAM 0x5346u

/* n normal numbers for one sample and mode. */
static void draw_normal(uint64_t seed, size_t number, size_t mode, bool outside, size_t n, double *out) {
    const orffi_rng rng = {seed, STREAM};
    const uint32_t slot = 2 * (uint32_t)mode + outside;
    for (size_t i = 0; i < n; i++) out[i] = orffi_rng_normal(rng, ((uint64_t)number << 32) + i, slot);
}

/* u (n) for mode b. work: n + 2 k. */
static void draw_coefficients(const orffi_posterior *posterior, uint64_t seed, size_t number, size_t b,
                              double *work, double *u) {
    const size_t n = posterior->n, k = posterior->k, r = posterior->r;
    double *inside = work, *z = work + k, *inner = z + n;
    draw_normal(seed, number, b, false, k, inside);
    for (size_t a = 0; a < k; a++) inside[a] *= sqrt(posterior->g[a * r + b]);
    memset(u, 0, n * sizeof *u);
    if (posterior->rest) {
        draw_normal(seed, number, b, true, n, z);
        orffi_gemm(true, false, k, 1, n, 1.0, posterior->F, k, z, 1, 0.0, inner, 1);
        for (size_t a = 0; a < k; a++) inside[a] -= sqrt(posterior->rest[b]) * inner[a];
        for (size_t i = 0; i < n; i++) u[i] = sqrt(posterior->rest[b]) * z[i];
    }
    orffi_gemm(false, false, n, 1, k, 1.0, posterior->F, k, inside, 1, 1.0, u, 1);
}

/* Adds to V the coefficients of mode b at their features. */
static void add_mode(const orffi_features_fit *fit, size_t b, double root, const double *u, double *V) {
    const orffi_posterior *posterior = fit->posterior;
    const size_t half = posterior->n / 2, p = fit->features->p, D = fit->features->D, r = posterior->r;
    for (size_t c = 0; c < half; c++) {
        const size_t j = posterior->stein ? posterior->first + c : posterior->columns.j[c];
        for (size_t i = 0; i < p; i++) {
            const double v =
                root * (posterior->stein ? posterior->W[i * r + b] : posterior->columns.B[c * p + i]);
            const double turned = posterior->columns.C ? root * posterior->columns.C[c * p + i] : 0.0;
            V[j * p + i] += v * u[c] - turned * u[half + c];
            V[(D + j) * p + i] += v * u[half + c] + turned * u[c];
        }
    }
}

/* A fit with a V of its own and the features of another fit. */
static orff_status create_beside(orffi_features_fit **out, const orffi_features_fit *fit) {
    orffi_features_fit *made;
    ORFFI_TRY(ORFFI_NEW(made));
    made->features = fit->features;
    made->borrows = true;
    const orff_status status = ORFFI_NEW_ARRAY(made->V, 2 * fit->features->D * fit->features->p);
    if (status) {
        orffi_features_fit_free(made);
    } else {
        *out = made;
    }
    return status;
}

orff_status orffi_features_draw_samples(const void *self, uint64_t seed, size_t count,
                                        orffi_deviation *samples) {
    const orffi_features_fit *fit = self;
    const orffi_posterior *posterior = fit->posterior;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 2 * (posterior->n + posterior->k)));
    orff_status status = ORFF_OK;
    for (size_t s = 0; !status && s < count; s++) {
        orffi_features_fit *made = NULL;
        status = create_beside(&made, fit);
        if (status) break;
        orffi_deviation_add(&samples[s], &orffi_engine_features, made);
        for (size_t b = 0; b < posterior->r; b++) {
            draw_coefficients(posterior, seed, s, b, work + posterior->n, work);
            add_mode(fit, b, 1.0, work, made->V);
        }
    }
    orffi_release(work);
    return status;
}

/* Frequencies are new in each sample, so that draws have exactly the covariance of the kernel for any
 * number of frequencies; the number only determines how close to normal they are. */
orff_status orffi_features_draw_prior(orffi_features_fit **out, const orff_kernel *kernel, size_t D,
                                      uint64_t seed, size_t number) {
    const orffi_rng rng = {seed, STREAM};
    orff_sampling sampling = orff_sampling_default();
    orff_features *features = NULL;
    orffi_features_fit *fit = NULL;
    sampling.scheme = ORFF_SCHEME_IID;
    sampling.features = D > kernel->n_groups ? D : kernel->n_groups;
    sampling.seed = orffi_rng_bits(rng, number, UINT32_MAX);
    ORFFI_TRY(orff_features_create(&features, kernel, &sampling));
    ORFFI_TRY(orffi_features_fit_create(&fit, features));
    draw_normal(seed, number, 0, false, features->M, fit->theta);
    orffi_features_fit_fold(fit);
    *out = fit;
    return ORFF_OK;
}
