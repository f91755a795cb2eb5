/* Models with random coefficients, for the tests of what follows from a model. */
#ifndef ORFF_TESTS_MODELS_H
#define ORFF_TESTS_MODELS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "engine/features.h"
#include "model/model.h"
#include "support.h"

static inline double *models_normal(size_t n, uint64_t seed) {
    return support_normal(n, seed, 77);
}

/* ---- kernels */

/* What units of inputs and outputs a model has. */
typedef enum models_units {
    PLAIN,  /* ones */
    COMMON, /* one for all inputs of the space, one for all outputs: what a field may have */
    MIXED   /* each its own */
} models_units;

typedef struct models_case {
    const char *name;
    size_t d, p, n_parts;
    orff_part parts[3];
    orff_scheme scheme;
    models_units units;
} models_case;

/* B(w), 2 x 1 */
static inline int models_custom_b_at(void *self, const double *w, double *B) {
    (void)self;
    B[0] = 1.0 + 0.3 * w[0] * w[0];
    B[1] = 0.5 * w[0] * w[1];
    return 0;
}
SUPPORT_MANY(models_custom_b, 2, 2)

/* A(w) = I + w w^T / 4, 2 x 2 */
static inline int models_custom_a_at(void *self, const double *w, double *A) {
    (void)self;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++) A[i * 2 + k] = (double)(i == k) + 0.25 * w[i] * w[k];
    return 0;
}
SUPPORT_MANY(models_custom_a, 2, 4)

/* exp(-|delta|^2/2) times a fixed matrix, 2 x 2 */
static inline int models_signature_at(void *self, const double *delta, double *K) {
    static const double A[] = {1.0, 0.3, 0.3, 0.5};
    const double k0 = exp(-0.5 * (delta[0] * delta[0] + delta[1] * delta[1]));
    (void)self;
    for (size_t i = 0; i < 4; i++) K[i] = k0 * A[i];
    return 0;
}
SUPPORT_MANY(models_signature, 2, 4)

static const double models_sigmas2[] = {0.8, 1.7}, models_sigmas4[] = {1.1, 0.9, 1.3, 2.0};
static const double models_low_rank[] = {1.0, -0.5, 2.0}; /* p = 3, one column */
static const double models_matrix[] = {2.0, 0.6, 0.6, 0.7};
static const size_t models_swapped[] = {2, 0}, models_first3[] = {0, 1, 2};

/* A part with what the case leaves open: sigma 1, weight 1, shape 2.5. */
static inline orff_part models_part(orff_part part) {
    if (part.sigma == 0.0) part.sigma = 1.0;
    if (part.weight == 0.0) part.weight = 1.0;
    if (part.shape == 0.0) part.shape = 2.5;
    return part;
}

/* Every rule, base families, sums that share frequencies or not, covariates, structured frequencies. */
static const models_case models_cases[] = {
    {"decomposable",
     2,
     2,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .sigmas = models_sigmas2}},
     ORFF_SCHEME_QMC,
     MIXED},
    {"decomposable A",
     3,
     2,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .A = models_matrix}},
     ORFF_SCHEME_ORTHOGONAL,
     MIXED},
    {"low rank",
     3,
     3,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .B = models_low_rank, .columns = 1}},
     ORFF_SCHEME_IID,
     MIXED},
    {"curl-free 2",
     2,
     2,
     1,
     {{.rule = ORFF_RULE_CURL_FREE, .base = ORFF_BASE_MATERN}},
     ORFF_SCHEME_QMC,
     COMMON},
    {"curl-free 3", 3, 3, 1, {{.rule = ORFF_RULE_CURL_FREE, .weight = 0.3}}, ORFF_SCHEME_QMC, COMMON},
    {"div-free 2",
     2,
     2,
     1,
     {{.rule = ORFF_RULE_DIV_FREE, .sigmas = models_sigmas2}},
     ORFF_SCHEME_IID,
     COMMON},
    {"div-free 3",
     3,
     3,
     1,
     {{.rule = ORFF_RULE_DIV_FREE, .base = ORFF_BASE_RATIONAL_QUADRATIC}},
     ORFF_SCHEME_HALTON,
     COMMON},
    {"helmholtz 2", 2, 2, 1, {{.rule = ORFF_RULE_HELMHOLTZ, .mix = 0.3}}, ORFF_SCHEME_GRID, COMMON},
    {"helmholtz 3", 3, 3, 1, {{.rule = ORFF_RULE_HELMHOLTZ, .mix = 0.8}}, ORFF_SCHEME_QMC, MIXED},
    {"curl-free t",
     4,
     2,
     1,
     {{.rule = ORFF_RULE_CURL_FREE, .sigmas = models_sigmas4, .space = models_swapped}},
     ORFF_SCHEME_QMC,
     COMMON},
    {"div-free t", 4, 3, 1, {{.rule = ORFF_RULE_DIV_FREE, .space = models_first3}}, ORFF_SCHEME_QMC, COMMON},
    {"helmholtz t",
     3,
     2,
     1,
     {{.rule = ORFF_RULE_HELMHOLTZ, .mix = 0.5, .space = models_swapped}},
     ORFF_SCHEME_IID,
     MIXED},
    {"custom-b",
     2,
     2,
     1,
     {{.rule = ORFF_RULE_CUSTOM_B, .columns = 1, .matrix = models_custom_b}},
     ORFF_SCHEME_QMC,
     MIXED},
    {"custom-a", 2, 2, 1, {{.rule = ORFF_RULE_CUSTOM_A, .matrix = models_custom_a}}, ORFF_SCHEME_QMC, MIXED},
    {"signature",
     2,
     2,
     1,
     {{.rule = ORFF_RULE_SIGNATURE, .matrix = models_signature}},
     ORFF_SCHEME_AUTO,
     MIXED},
    {"sum",
     2,
     2,
     2,
     {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.9, .weight = 0.7},
      {.rule = ORFF_RULE_DECOMPOSABLE, .base = ORFF_BASE_MATERN, .sigma = 2.0}},
     ORFF_SCHEME_QMC,
     COMMON},
    {"shared sum",
     3,
     3,
     3,
     {{.rule = ORFF_RULE_CURL_FREE, .weight = 0.4},
      {.rule = ORFF_RULE_DIV_FREE, .weight = 1.3},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.5, .B = models_low_rank, .columns = 1}},
     ORFF_SCHEME_ORTHOGONAL,
     COMMON},
    {"hadamard", 16, 2, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 3.0}}, ORFF_SCHEME_HADAMARD, MIXED},
};
enum { MODELS_COUNT = sizeof models_cases / sizeof *models_cases };

/* ---- features and models */

static inline orff_features *models_features(const models_case *c, size_t D) {
    static const double extent[16] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    orff_sampling sampling = orff_sampling_default();
    orff_part parts[3];
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    for (size_t m = 0; m < 3; m++) parts[m] = models_part(c->parts[m]);
    sampling.features = D;
    sampling.scheme = c->scheme;
    sampling.extent = extent;
    sampling.tolerance = c->parts[0].rule == ORFF_RULE_SIGNATURE ? 0.1 : 0.0;
    support_case("%s", c->name);
    assert_ok(orff_kernel_create(&kernel, c->d, c->p, c->n_parts, parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    orff_kernel_free(kernel);
    return features;
}

static inline void models_set_units(orff_model *model, models_units units) {
    for (size_t k = 0; k < model->d; k++) {
        const double step = units == MIXED ? 0.3 * (double)(k % 5) : 0.0;
        model->shift[k] = units == PLAIN ? 0.0 : 0.25 - 0.1 * (double)(k % 7);
        model->unit[k] = units == PLAIN ? 1.0 : 1.25 + step;
    }
    for (size_t i = 0; i < model->p; i++) {
        model->mean[i] = units == PLAIN ? 0.0 : 0.5 + (double)i;
        model->spread[i] = units == PLAIN ? 1.0 : 1.75 + (units == MIXED ? 0.5 * (double)i : 0.0);
    }
}

/* What the engine of features has learned. */
static inline orffi_features_fit *models_fit(const orff_model *model) {
    assert_ptr_equal(model->engine, &orffi_engine_features);
    return model->fit;
}

/* A model of these features with theta = 0, which are taken over. */
static inline orff_status models_create(orff_model **model, orff_features *features, size_t classes) {
    orffi_features_fit *fit = NULL;
    assert_ok(orffi_features_fit_create(&fit, features));
    return orffi_model_create(model, &orffi_engine_features, fit, classes);
}

/* Once theta and units are there. */
static inline void models_finish(orff_model *model) {
    orffi_features_fit_fold(models_fit(model));
    assert_ok(orffi_model_finish(model));
}

static inline orff_model *models_make(const models_case *c, size_t D) {
    orff_model *model = NULL;
    orff_features *features = models_features(c, D);
    double *theta = models_normal(features->M, 5);
    assert_ok(models_create(&model, features, 0));
    memcpy(models_fit(model)->theta, theta, features->M * sizeof *theta);
    models_set_units(model, c->units);
    models_finish(model);
    free(theta);
    return model;
}

#endif
