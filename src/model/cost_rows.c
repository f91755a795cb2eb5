/* Rows for trial fits, and the time of such a fit. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <time.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/cost.h"

#define STREAM 0xc057u
#define NOISE  0.1

double orffi_cost_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void make_waves(size_t n, size_t d, size_t p, const double *X, double *Y) {
    const orffi_rng rng = {2, STREAM};
    for (size_t i = 0; i < n * p; i++) {
        const double *x = X + i / p * d;
        Y[i] = NOISE * orffi_rng_normal(rng, i, 0);
        for (size_t k = 0; k < d; k++) Y[i] += sin(19.0 * x[k] + (double)(i % p)) + 0.3 * cos(60.0 * x[k]);
    }
}

orff_status orffi_cost_rows(size_t n, size_t d, size_t p, double side, double **X, double **Y) {
    const orffi_rng rng = {1, STREAM};
    ORFFI_TRY(orffi_alloc(X, n, (d + p) * sizeof **X));
    for (size_t i = 0; i < n * d; i++)
        (*X)[i] = 0.5 + side * ((double)orffi_rng_below(rng, i, 0, 1u << 30) * 0x1p-30 - 0.5);
    *Y = *X + n * d;
    make_waves(n, d, p, *X, *Y);
    return ORFF_OK;
}

orff_settings orffi_cost_settings(const orff_settings *asked, orff_engine engine) {
    orff_settings settings = *asked;
    settings.engine = engine;
    settings.geo = ORFF_GEO_NONE;
    settings.classes = 0;
    settings.groups = settings.offset_groups = NULL;
    settings.checkpoint = NULL;
    return settings;
}

orff_status orffi_cost_time_fit(const orff_settings *settings, size_t d, size_t p, size_t n,
                                double *seconds) {
    orff_model *model = NULL;
    double *X = NULL, *Y;
    ORFFI_TRY(orffi_cost_rows(n, d, p, 1.0, &X, &Y));
    const double start = orffi_cost_now();
    const orff_status status = orff_model_fit(&model, settings, d, p, n, X, Y, NULL);
    *seconds = orffi_cost_now() - start;
    orff_model_free(model);
    orffi_release(X);
    return status;
}
