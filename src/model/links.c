/* Which series influences which: how much the next value of one changes with the past of another, and
 * whether that could be chance. Stretches of time are predicted from the others by a model of the same
 * kernel and noise, with the past of a series and without it. A block bootstrap over time tests the gain
 * in squared error. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/random.h"
#include "exact/learn.h"
#include "model/model.h"

#define MOST_ROWS 1000
#define MOST_SEEN 200  /* rows at which slopes are evaluated */
#define STEP      0.05 /* of differences, in standard deviations */
#define STRETCHES 5
#define STREAM    0x6c696e6bu

typedef struct links {
    const orff_model *model;
    const orffi_series *series;
    size_t n, d, p;
    double *X, *Y; /* n x d, n x p: the last rows, in the user's units */
    double *sd;    /* p: standard deviations of the series */
    double *x, *y; /* X and Y in the model's units; x possibly without one series */
    double *all;
} links;

static orff_status allocate(links *k, size_t rows) {
    const size_t n = rows > MOST_ROWS ? rows : MOST_ROWS;
    size_t room;
    ORFFI_TRY(orffi_multiply(n, 2 * (k->d + k->p), &room));
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->all, room + k->p));
    k->X = k->all;
    k->x = k->X + n * k->d;
    k->Y = k->x + n * k->d;
    k->y = k->Y + n * k->p;
    k->sd = k->y + n * k->p;
    return ORFF_OK;
}

static void measure(const orff_series *s, double *sd) {
    for (size_t k = 0; k < s->p; k++) {
        double sum = 0.0, square = 0.0, n = 0.0;
        for (size_t t = 0; t < s->n; t++) {
            const double v = s->values[t * s->p + k];
            if (isnan(v)) continue;
            n += 1.0;
            sum += v;
        }
        for (size_t t = 0; t < s->n; t++) {
            const double off = s->values[t * s->p + k] - sum / n;
            if (!isnan(off)) square += off * off;
        }
        sd[k] = square > 0.0 ? sqrt(square / n) : 1.0;
    }
}

/* Moves the last rows to the front. */
static orff_status fill(links *k, const orff_series *s) {
    size_t rows;
    ORFFI_TRY(orff_series_rows(s, &rows, NULL, NULL, NULL));
    if (rows < 20)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "%zu rows are too few to distinguish links from "
                          "chance",
                          rows);
    ORFFI_TRY(allocate(k, rows));
    ORFFI_TRY(orff_series_rows(s, NULL, k->X, k->Y, NULL));
    k->n = rows < MOST_ROWS ? rows : MOST_ROWS;
    memmove(k->X, k->X + (rows - k->n) * k->d, k->n * k->d * sizeof *k->X);
    memmove(k->Y, k->Y + (rows - k->n) * k->p, k->n * k->p * sizeof *k->Y);
    measure(s, k->sd);
    return ORFF_OK;
}

/* ---- strength */

/* Adds the squared slopes by input i at `count` rows, evenly spaced. f, g: values on either side. */
static orff_status add_slopes(links *k, size_t i, size_t count, double *at, double *f, double *g,
                              double *strength) {
    const size_t j = i % k->p, every = k->n / count;
    const double h = STEP * k->sd[j];
    for (int side = 0; side < 2; side++) {
        for (size_t a = 0; a < count; a++) {
            memcpy(at + a * k->d, k->X + a * every * k->d, k->d * sizeof *at);
            at[a * k->d + i] += side ? -h : h;
        }
        ORFFI_TRY(orff_model_predict(k->model, count, at, side ? g : f));
    }
    const bool before = k->series->changes && k->series->lags[i / k->p] == 1; /* y_{t-1} is added to f */
    for (size_t a = 0; a < count * k->p; a++) {
        const size_t out = a % k->p;
        const double slope = (f[a] - g[a]) / (2.0 * h) + (double)(before && out == j);
        strength[out * k->p + j] += pow(slope * k->sd[j] / k->sd[out], 2.0) / (double)count;
    }
    return ORFF_OK;
}

static orff_status find_strength(links *k, double *strength) {
    const size_t count = k->n < MOST_SEEN ? k->n : MOST_SEEN;
    double *at;
    ORFFI_TRY(ORFFI_NEW_ARRAY(at, count * (k->d + 2 * k->p)));
    double *f = at + count * k->d, *g = f + count * k->p;
    orff_status status = ORFF_OK;
    memset(strength, 0, k->p * k->p * sizeof *strength);
    for (size_t i = 0; !status && i < k->d; i++) status = add_slopes(k, i, count, at, f, g, strength);
    for (size_t a = 0; a < k->p * k->p; a++) strength[a] = sqrt(strength[a]);
    orffi_release(at);
    return status;
}

/* ---- chance */

/* Predicts rows [first, end) from all other stretches of time: errors (n x p), in the model's units.
 * Inputs of series `without` are held at 0, so they have no influence. */
static orff_status predict_stretch(links *k, size_t first, size_t end, double *work, double *errors) {
    const orff_model *model = k->model;
    const size_t n = k->n - (end - first), d = k->d, p = k->p;
    const double lambda = model->lambda * model->weight / (double)n;
    double *X = work, *Y = X + k->n * d, *mse = Y + k->n * p;
    orff_exact *exact = NULL;
    memcpy(X, k->x, first * d * sizeof *X);
    memcpy(X + first * d, k->x + end * d, (k->n - end) * d * sizeof *X);
    memcpy(Y, k->y, first * p * sizeof *Y);
    memcpy(Y + first * p, k->y + end * p, (k->n - end) * p * sizeof *Y);
    const orffi_exact_task task = {.kernel = orffi_model_kernel(model),
                                   .rows = {.n = n, .X = X, .Y = Y, .center = true},
                                   .count = 1,
                                   .lambdas = &lambda};
    orffi_exact_result result = {.train_mse = mse, .cv_mse = mse + p};
    orff_status status = orffi_exact_learn(&exact, &task, &result);
    if (!status) status = orff_exact_predict(exact, end - first, k->x + first * d, errors + first * p);
    for (size_t i = first * p; !status && i < end * p; i++) errors[i] -= k->y[i];
    orff_exact_free(exact);
    return status;
}

static orff_status find_errors(links *k, size_t without, double *errors) {
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, k->n * (k->d + k->p) + 2 * k->p));
    orff_status status = ORFF_OK;
    orffi_model_transform(k->model, k->n, k->X, k->x);
    for (size_t i = 0; i < k->n * k->d; i++)
        if (i % k->d % k->p == without) k->x[i] = 0.0;
    for (size_t f = 0; !status && f < STRETCHES; f++)
        status = predict_stretch(k, f * k->n / STRETCHES, (f + 1) * k->n / STRETCHES, work, errors);
    orffi_release(work);
    return status;
}

/* The share of block bootstrap draws in which the mean of the gains (n, `stride` apart) is not above 0. */
static double draw_blocks(const links *k, const double *gains, size_t stride, size_t draws, orffi_rng rng,
                          uint32_t slot) {
    const size_t length = (size_t)ceil(cbrt((double)k->n)) + k->series->depth, blocks = k->n / length + 1;
    size_t below = 1;
    for (size_t b = 0; b < draws; b++) {
        double sum = 0.0;
        for (size_t i = 0; i < blocks; i++) {
            const size_t from = (size_t)orffi_rng_below(rng, b * blocks + i, slot, k->n);
            for (size_t t = 0; t < length; t++) sum += gains[(from + t) % k->n * stride];
        }
        below += sum <= 0.0;
    }
    return (double)below / (double)(draws + 1);
}

/* full: errors with all series; less: errors without j, replaced by gains. */
static void compare(const links *k, size_t j, const double *full, double *less, size_t draws, uint64_t seed,
                    double *probability) {
    const orffi_rng rng = {seed, STREAM};
    for (size_t i = 0; i < k->n * k->p; i++) less[i] = less[i] * less[i] - full[i] * full[i];
    for (size_t out = 0; out < k->p; out++)
        probability[out * k->p + j] =
            draw_blocks(k, less + out, k->p, draws, rng, (uint32_t)(out * k->p + j));
}

static orff_status find_probability(links *k, size_t draws, uint64_t seed, double *probability) {
    const size_t p = k->p, size = k->n * p;
    double *full;
    for (size_t i = 0; i < size; i++) k->y[i] = k->Y[i] / k->model->spread[i % p];
    ORFFI_TRY(ORFFI_NEW_ARRAY(full, 2 * size));
    double *less = full + size;
    orff_status status = find_errors(k, SIZE_MAX, full);
    for (size_t j = 0; !status && j < p; j++) {
        status = orffi_progress("leaving series out", (double)j, (double)p);
        if (!status) status = find_errors(k, j, less);
        if (!status) compare(k, j, full, less, draws, seed, probability);
    }
    orffi_release(full);
    return status;
}

orff_status orff_series_links(const orff_model *model, const orff_series *series, size_t draws, uint64_t seed,
                              double *strength, double *probability) {
    if (!model || !strength)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_series_links: NULL argument");
    if (!model->series) return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the model was not learned from a series");
    if (model->trend)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "links between series need a model without a trend");
    orff_series own = series ? *series : (orff_series){0};
    own.n_lags = model->series->n_lags; /* the model's */
    own.lags = model->series->lags;
    own.changes = model->series->changes;
    if (own.p != model->p)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the model has %zu series, not %zu", model->p, own.p);
    links k = {.model = model, .series = model->series, .d = model->d, .p = model->p};
    orff_status status = fill(&k, &own);
    if (!status) status = find_strength(&k, strength);
    if (!status && probability) status = find_probability(&k, draws, seed, probability);
    orffi_release(k.all);
    return status;
}
