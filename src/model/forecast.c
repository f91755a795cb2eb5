/* Futures of a series: step by step, each value becomes part of the past of the next. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/model.h"
#include "model/samples.h"

#define STREAM 0x76617231u /* of the noise */

typedef struct run {
    const orff_model *model;
    const orffi_series *series;
    const orff_samples *samples; /* or NULL: all members follow f itself */
    size_t members, steps, p, d;
    uint64_t seed;
    bool noisy;
    double *root;  /* p x p, lower: of the covariance of the noise */
    double *past;  /* members x (depth + steps) x p */
    double *x, *f; /* members x d, members x p */
    double *add;   /* p */
} run;

static void clear(run *r) {
    double *all[] = {r->root, r->past, r->x, r->f, r->add};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

/* The covariance may be singular, so its root is computed from eigenvectors. */
static orff_status find_root(run *r) {
    const size_t p = r->p;
    double *V = NULL, *values = NULL;
    orff_status status = orffi_duplicate(&V, r->series->noise, p * p, sizeof *V);
    if (!status) status = ORFFI_NEW_ARRAY(values, p);
    if (!status) status = orffi_eigen(p, V, values);
    for (size_t i = 0; !status && i < p * p; i++) r->root[i] = V[i] * sqrt(fmax(values[i % p], 0.0));
    orffi_release(V);
    orffi_release(values);
    return status;
}

static double *past_of(const run *r, size_t i) {
    return r->past + i * (r->series->depth + r->steps) * r->p;
}

static orff_status begin(run *r, const double *history) {
    const size_t depth = r->series->depth;
    size_t room;
    ORFFI_TRY(orffi_multiply(r->members, (depth + r->steps) * r->p, &room));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->past, room));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->root, r->p * r->p));
    ORFFI_TRY(orffi_alloc(&r->x, r->members, r->d * sizeof *r->x));
    ORFFI_TRY(orffi_alloc(&r->f, r->members, r->p * sizeof *r->f));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->add, r->p));
    for (size_t i = 0; i < r->members; i++) memcpy(past_of(r, i), history, depth * r->p * sizeof *history);
    return find_root(r);
}

/* Adds to f what member i draws: the deviation of its sample, and noise. */
static orff_status add_chance(run *r, size_t i, size_t step) {
    const size_t p = r->p;
    const orffi_rng rng = {r->seed, STREAM};
    if (r->samples) {
        ORFFI_TRY(orffi_samples_deviation(r->samples, i, 1, r->x + i * r->d, r->add));
        for (size_t k = 0; k < p; k++) r->f[i * p + k] += r->add[k];
    }
    for (size_t l = 0; r->noisy && l < p; l++) {
        const double z = orffi_rng_normal(rng, i * r->steps + step, (uint32_t)l);
        for (size_t k = 0; k < p; k++) r->f[i * p + k] += r->root[k * p + l] * z;
    }
    return ORFF_OK;
}

static orff_status advance(run *r, size_t step) {
    const size_t p = r->p, depth = r->series->depth;
    for (size_t i = 0; i < r->members; i++)
        orffi_series_input(r->series, past_of(r, i) + (depth + step) * p, r->x + i * r->d);
    ORFFI_TRY(orff_model_predict(r->model, r->members, r->x, r->f));
    for (size_t i = 0; i < r->members; i++) {
        double *now = past_of(r, i) + (depth + step) * p;
        ORFFI_TRY(add_chance(r, i, step));
        for (size_t k = 0; k < p; k++) now[k] = r->f[i * p + k] + (r->series->changes ? now[k - p] : 0.0);
    }
    return orffi_progress("forecasting", (double)(step + 1), (double)r->steps);
}

/* ---- results */

static void fill_paths(const run *r, double *paths) {
    const size_t each = r->steps * r->p;
    for (size_t i = 0; paths && i < r->members; i++)
        memcpy(paths + i * each, past_of(r, i) + r->series->depth * r->p, each * sizeof *paths);
}

static void fill_spread(const run *r, double *mean, double *S) {
    const size_t first = r->series->depth * r->p;
    for (size_t a = 0; a < r->steps * r->p; a++) {
        double sum = 0.0, square = 0.0;
        for (size_t i = 0; i < r->members; i++) sum += past_of(r, i)[first + a] / (double)r->members;
        for (size_t i = 0; i < r->members; i++) {
            const double off = past_of(r, i)[first + a] - sum;
            square += off * off;
        }
        if (mean) mean[a] = sum;
        if (S) S[a] = r->members > 1 ? sqrt(square / (double)(r->members - 1)) : NAN;
    }
}

/* ---- */

static orff_status check(const orff_model *model, size_t n, const double *history, size_t steps,
                         size_t samples, const double *S, const double **from) {
    if (!model) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_forecast: NULL argument");
    const orffi_series *s = model->series;
    if (!s)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the model was not learned from a series, so it cannot be continued");
    if (S && samples < 2)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "standard deviations of a forecast need at least 2 samples");
    if (history && n < s->depth)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a history of %zu values is too short for a lag of %zu", n, s->depth);
    *from = history ? history + (n - s->depth) * s->p : s->last;
    for (size_t l = 0; l < s->n_lags; l++)
        for (size_t t = s->depth - s->lags[l]; t < s->depth && t < s->depth - s->lags[l] + steps; t++)
            for (size_t k = 0; k < s->p; k++)
                if (!isfinite((*from)[t * s->p + k]))
                    return orffi_fail(
                        ORFF_ERROR_NOT_FINITE,
                        "value %zu before the forecast, of series %zu, is missing: its lags need it",
                        s->depth - t, k + 1);
    return ORFF_OK;
}

orff_status orff_model_forecast(const orff_model *model, size_t n, const double *history, size_t steps,
                                size_t samples, uint64_t seed, double *mean, double *S, double *paths) {
    orff_samples *drawn = NULL;
    const double *from = NULL;
    ORFFI_TRY(check(model, n, history, steps, samples, S, &from));
    run r = {.model = model,
             .series = model->series,
             .members = samples ? samples : 1,
             .steps = steps,
             .p = model->p,
             .d = model->d,
             .seed = seed,
             .noisy = samples > 0};
    orff_status status = begin(&r, from);
    if (!status && samples && orff_model_describe(model).has_posterior)
        status = orff_samples_draw(&drawn, model, samples, seed);
    r.samples = drawn;
    for (size_t step = 0; !status && step < steps; step++) status = advance(&r, step);
    if (!status) fill_paths(&r, paths);
    if (!status) fill_spread(&r, mean, S);
    orff_samples_free(drawn);
    clear(&r);
    return status;
}
