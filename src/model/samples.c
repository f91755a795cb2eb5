/* Posterior samples of a model, in the user's units. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/plane_apply.h"
#include "model/samples.h"
#include "model/sum.h"

struct orff_samples {
    const orff_model *model;
    size_t count;
    orffi_deviation *each; /* count */
    double *errors;        /* count x the size of a trend sample: see orffi_trend_draw; or NULL */
};

void orff_samples_free(orff_samples *samples) {
    if (!samples) return;
    for (size_t i = 0; samples->each && i < samples->count; i++) orffi_deviation_clear(&samples->each[i]);
    orffi_release(samples->each);
    orffi_release(samples->errors);
    orffi_release(samples);
}

static orff_status draw_trend(orff_samples *samples, uint64_t seed) {
    const orffi_trend *trend = samples->model->trend;
    if (!trend) return ORFF_OK;
    const size_t size = orffi_trend_sample_size(trend);
    ORFFI_TRY(orffi_alloc(&samples->errors, samples->count, size * sizeof *samples->errors));
    for (size_t i = 0; i < samples->count; i++) orffi_trend_draw(trend, seed, i, samples->errors + i * size);
    return ORFF_OK;
}

orff_status orff_samples_draw(orff_samples **out, const orff_model *model, size_t count, uint64_t seed) {
    orff_samples *samples;
    if (!out || !model) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_samples_draw: NULL argument");
    ORFFI_TRY(orffi_model_check_posterior(model));
    ORFFI_TRY(ORFFI_NEW(samples));
    samples->model = model;
    samples->count = count;
    orff_status status = ORFFI_NEW_ARRAY(samples->each, count);
    if (!status) status = model->engine->draw(model->fit, seed, count, samples->each);
    if (!status) status = draw_trend(samples, seed);
    if (status) {
        orff_samples_free(samples);
    } else {
        *out = samples;
    }
    return status;
}

size_t orff_samples_count(const orff_samples *samples) {
    return samples ? samples->count : 0;
}

/* ---- one sample */

typedef struct one {
    const orffi_deviation *deviation;
    const double *error;    /* of the trend, or NULL */
    orffi_trend_seen *seen; /* shared, as all samples are evaluated at the same points */
    orffi_derived what;
    double *work; /* ORFFI_MODEL_BLOCK x k */
} one;

static orff_status at_points(const orff_model *model, const void *self, size_t n, const double *x,
                             double *out) {
    const one *o = self;
    const size_t p = model->p;
    if (o->what.field != ORFF_FIELD_VALUES) {
        ORFFI_TRY(orffi_deviation_derive(o->deviation, &o->what, n, x, o->work, out));
        return o->error ? orffi_trend_add_derived_sample(model->trend, o->error, o->seen, &o->what, n, x, out)
                        : ORFF_OK;
    }
    ORFFI_TRY(orffi_deviation_values(o->deviation, p, n, x, o->work, out));
    if (o->error) ORFFI_TRY(orffi_trend_add_sample(model->trend, o->error, o->seen, n, x, out));
    for (size_t i = 0; i < n * p; i++) out[i] *= model->noise[i % p];
    return ORFF_OK;
}

static orff_status at_flat(const orff_model *model, const void *self, size_t n, const double *X,
                           double *out) {
    const one *o = self;
    return orffi_model_evaluate(model, "samples", at_points, o, o->what.k, n, X, out);
}

/* The difference of sample i from the model (n x k). */
static orff_status evaluate(const orff_samples *samples, size_t i, one *o, orffi_turning turning, size_t n,
                            const double *X, double *out) {
    o->deviation = &samples->each[i];
    if (samples->errors) o->error = samples->errors + i * orffi_trend_sample_size(samples->model->trend);
    return orffi_plane_apply_to(samples->model, at_flat, o, turning, n, X, out);
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static void end(one *o) {
    if (o->seen) orffi_trend_forget(o->seen);
    orffi_release(o->seen);
    orffi_release(o->work);
    o->seen = NULL;
    o->work = NULL;
}

static orff_status begin(const orff_samples *samples, orff_field field, size_t n, one *o,
                         orffi_turning *turning) {
    ORFFI_TRY(orffi_field_describe(samples->model, field, &o->what, turning));
    o->what.spread = samples->model->noise; /* engines draw for a noise of 1 */
    ORFFI_TRY(ORFFI_NEW(o->seen));
    const orff_status status =
        orffi_alloc(&o->work, smaller(n, ORFFI_MODEL_BLOCK), o->what.k * sizeof *o->work);
    if (status) end(o);
    return status;
}

orff_status orffi_samples_deviation(const orff_samples *samples, size_t i, size_t n, const double *X,
                                    double *out) {
    one o = {0};
    orffi_turning turning = ORFFI_TURN_NOTHING;
    ORFFI_TRY(begin(samples, ORFF_FIELD_VALUES, n, &o, &turning));
    const orff_status status = evaluate(samples, i, &o, turning, n, X, out);
    end(&o);
    return status;
}

/* ---- all of them */

orff_status orff_samples_field(const orff_samples *samples, orff_field field, size_t n, const double *X,
                               double *out) {
    one o = {0};
    orffi_turning turning = ORFFI_TURN_NOTHING;
    double *mean = NULL, *values = NULL;
    size_t size, all = 0;
    if (!samples || !X || !out)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_samples_field: NULL argument");
    ORFFI_TRY(begin(samples, field, n, &o, &turning));
    orff_status status = orffi_multiply(n, o.what.k, &size);
    if (!status) status = orffi_multiply(size, samples->count, &all);
    if (!status) status = ORFFI_NEW_ARRAY(mean, size);
    if (!status) status = ORFFI_NEW_ARRAY(values, all);
    if (!status) status = orff_model_field(samples->model, field, n, X, mean);
    for (size_t i = 0; !status && i < samples->count; i++) {
        status = evaluate(samples, i, &o, turning, n, X, values + i * size);
        for (size_t k = 0; !status && k < size; k++) values[i * size + k] += mean[k];
    }
    if (!status) memcpy(out, values, all * sizeof *out);
    orffi_release(mean);
    orffi_release(values);
    end(&o);
    return status;
}

/* Adds the squares of each sample's difference to squares (n x k). */
static orff_status add_squares(const orff_samples *samples, one *o, orffi_turning turning, size_t n,
                               const double *X, double *deviation, double *squares) {
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < samples->count; i++) {
        orffi_stage before;
        status = orffi_stage_enter("samples", (double)i, (double)samples->count, "samples", &before);
        if (!status) status = evaluate(samples, i, o, turning, n, X, deviation);
        orffi_stage_leave(&before);
        for (size_t k = 0; !status && k < n * o->what.k; k++) squares[k] += deviation[k] * deviation[k];
    }
    return status;
}

orff_status orff_samples_std(const orff_samples *samples, orff_field field, size_t n, const double *X,
                             double *S) {
    one o = {0};
    orffi_turning turning = ORFFI_TURN_NOTHING;
    double *deviation = NULL, *squares = NULL;
    size_t size;
    if (!samples || !X || !S)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_samples_std: NULL argument");
    if (samples->count == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a standard deviation needs samples, and there are "
                                                       "none");
    ORFFI_TRY(begin(samples, field, n, &o, &turning));
    orff_status status = orffi_multiply(n, o.what.k, &size);
    if (!status) status = ORFFI_NEW_ARRAY(deviation, size);
    if (!status) status = ORFFI_NEW_ARRAY(squares, size);
    if (!status) status = add_squares(samples, &o, turning, n, X, deviation, squares);
    for (size_t k = 0; !status && k < size; k++) S[k] = sqrt(squares[k] / (double)samples->count);
    orffi_release(deviation);
    orffi_release(squares);
    end(&o);
    return status;
}

orff_status orff_model_sample(const orff_model *model, size_t count, uint64_t seed, size_t n, const double *X,
                              double *out) {
    orff_samples *samples = NULL;
    ORFFI_TRY(orff_samples_draw(&samples, model, count, seed));
    const orff_status status = orff_samples_field(samples, ORFF_FIELD_VALUES, n, X, out);
    orff_samples_free(samples);
    return status;
}

orff_status orff_samples_sum(const orff_samples *samples, size_t i, orff_sum **out) {
    orff_sum *sum = NULL;
    if (!samples || !out || i >= samples->count)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_samples_sum: NULL argument, or no such sample");
    if (samples->model->trend)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "a sample of a model with a trend is more than a sum of waves or centres; evaluate it "
            "with orff_samples_field");
    const orffi_deviation *more = &samples->each[i];
    ORFFI_TRY(orffi_sum_create(&sum, samples->model));
    orff_status status = ORFF_OK;
    for (size_t k = 0; !status && k < more->count; k++)
        status = orffi_sum_add(sum, samples->model, more->terms[k].engine, more->terms[k].fit,
                               samples->model->noise);
    if (status) {
        orff_sum_free(sum);
    } else {
        *out = sum;
    }
    return status;
}
