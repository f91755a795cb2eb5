/* Series: their rows, and the fit of a model to them. */
#include "model/autoregression.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "model/outliers.h"

#define STRETCHES 20 /* at least so many stretches of time, each held out as a whole */

/* Everything but the lags is still empty. */
static orff_status create_series(orffi_series **out, size_t p, size_t n_lags, const size_t *lags,
                                 bool changes) {
    orffi_series *s;
    ORFFI_TRY(ORFFI_NEW(s));
    *s = (orffi_series){.p = p, .n_lags = n_lags, .depth = lags[n_lags - 1], .changes = changes};
    orff_status status = orffi_duplicate(&s->lags, lags, n_lags, sizeof *s->lags);
    if (!status) status = orffi_alloc(&s->last, s->depth, p * sizeof *s->last);
    if (!status) status = ORFFI_NEW_ARRAY(s->noise, p * p);
    if (status) {
        orffi_series_free(s);
    } else {
        *out = s;
    }
    return status;
}

void orffi_series_free(orffi_series *s) {
    if (!s) return;
    orffi_release(s->lags);
    orffi_release(s->last);
    orffi_release(s->noise);
    orffi_release(s);
}

/* Refuses invalid lags and infinite values. */
static orff_status check_series(const orff_series *s) {
    if (!s || !s->values || !s->lags || !s->n_lags || !s->p)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a series needs values, and lags of at least one step");
    for (size_t i = 0; i < s->n_lags; i++)
        if (s->lags[i] <= (i ? s->lags[i - 1] : 0))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "lag number %zu is %zu; lags are at least 1 and increase", i + 1, s->lags[i]);
    for (size_t i = 0; i < s->n * s->p; i++)
        if (isinf(s->values[i]))
            return orffi_fail(ORFF_ERROR_NOT_FINITE, "value %zu of series %zu is infinite", i / s->p + 1,
                              i % s->p + 1);
    if (s->n <= s->lags[s->n_lags - 1])
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a series of %zu values is too short for a lag of %zu",
                          s->n, s->lags[s->n_lags - 1]);
    return ORFF_OK;
}

void orffi_series_input(const orffi_series *s, const double *now, double *x) {
    for (size_t l = 0; l < s->n_lags; l++) memcpy(x + l * s->p, now - s->lags[l] * s->p, s->p * sizeof *x);
}

/* ---- rows */

static bool is_whole(const orff_series *s, size_t t) {
    bool whole = true;
    for (size_t k = 0; k < s->p; k++) {
        whole = whole && !isnan(s->values[t * s->p + k]);
        if (s->changes) whole = whole && !isnan(s->values[(t - 1) * s->p + k]);
    }
    for (size_t i = 0; i < s->n_lags * s->p; i++)
        whole = whole && !isnan(s->values[(t - s->lags[i / s->p]) * s->p + i % s->p]);
    return whole;
}

orff_status orff_series_rows(const orff_series *s, size_t *rows, double *X, double *Y, size_t *time) {
    size_t n = 0;
    ORFFI_TRY(check_series(s));
    const size_t p = s->p, d = p * s->n_lags;
    for (size_t t = s->lags[s->n_lags - 1]; t < s->n; t++) {
        if (!is_whole(s, t)) continue;
        for (size_t i = 0; X && i < d; i++) X[n * d + i] = s->values[(t - s->lags[i / p]) * p + i % p];
        for (size_t k = 0; Y && k < p; k++)
            Y[n * p + k] = s->values[t * p + k] - (s->changes ? s->values[(t - 1) * p + k] : 0.0);
        if (time) time[n] = t;
        n++;
    }
    if (rows) *rows = n;
    return ORFF_OK;
}

typedef struct lagged {
    size_t n, d, p;
    double *X, *Y, *F;
    size_t *time;
    uint64_t *groups;
} lagged;

static void clear(lagged *r) {
    orffi_release(r->X);
    orffi_release(r->Y);
    orffi_release(r->F);
    orffi_release(r->time);
    orffi_release(r->groups);
}

/* Groups: stretches longer than the longest lag. */
static orff_status fill(const orff_series *s, lagged *r) {
    ORFFI_TRY(orff_series_rows(s, &r->n, NULL, NULL, NULL));
    if (!r->n)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "no value of the series has all values before it that the lags need");
    r->p = s->p;
    ORFFI_TRY(orffi_multiply(s->p, s->n_lags, &r->d));
    ORFFI_TRY(orffi_alloc(&r->X, r->n, r->d * sizeof *r->X));
    ORFFI_TRY(orffi_alloc(&r->Y, r->n, r->p * sizeof *r->Y));
    ORFFI_TRY(orffi_alloc(&r->F, r->n, r->p * sizeof *r->F));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->time, r->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->groups, r->n));
    ORFFI_TRY(orff_series_rows(s, NULL, r->X, r->Y, r->time));
    const size_t depth = s->lags[s->n_lags - 1], fair = r->n / STRETCHES + 1;
    for (size_t i = 0; i < r->n; i++) r->groups[i] = r->time[i] / (depth + 1 > fair ? depth + 1 : fair);
    return ORFF_OK;
}

/* ---- errors of a step */

/* The covariance of the noise (p x p): variances from the model's noise, which accounts for the degrees of
 * freedom of f, and correlations from the training errors. */
static orff_status find_noise(const orff_model *model, lagged *r, double *noise) {
    const size_t p = r->p;
    ORFFI_TRY(orff_model_predict(model, r->n, r->X, r->F));
    for (size_t i = 0; i < r->n * p; i++) r->F[i] = r->Y[i] - r->F[i];
    for (size_t i = 0; i < r->n; i++)
        for (size_t a = 0; a < p * p; a++) noise[a] += r->F[i * p + a / p] * r->F[i * p + a % p];
    for (size_t a = 0; a < p * p; a++) {
        const size_t k = a / p, l = a % p;
        const double size = sqrt(noise[k * p + k] * noise[l * p + l]);
        if (k < l) noise[a] = noise[l * p + k] = size > 0.0 ? noise[a] / size : 0.0;
    }
    for (size_t a = 0; a < p * p; a++) {
        const double own = model->noise[a / p] * model->noise[a % p];
        noise[a] = a / p == a % p ? own : noise[a] * own;
    }
    return ORFF_OK;
}

static orff_status give_series(orff_model *model, const orff_series *s, lagged *r) {
    ORFFI_TRY(create_series(&model->series, s->p, s->n_lags, s->lags, s->changes));
    const size_t count = model->series->depth * s->p;
    memcpy(model->series->last, s->values + s->n * s->p - count, count * sizeof *s->values);
    return find_noise(model, r, model->series->noise);
}

static orff_status check_settings(const orff_settings *s) {
    if (s->classes || s->geo)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "a series has numbers for outputs, and no classes or places");
    return ORFF_OK;
}

/* Rows without their outliers, of which the noise is told too. */
static orff_status fit_without_outliers(orff_model **model, const orff_settings *settings, lagged *r) {
    orffi_without_outliers left;
    const orff_observations all = {.d = r->d, .p = r->p, .n = r->n, .X = r->X, .Y = r->Y};
    orff_status status = orffi_outliers_drop(&left, 1, settings, &all);
    const orff_observations *o = &left.rows;
    if (!status) status = orff_model_fit(model, left.settings, o->d, o->p, o->n, o->X, o->Y, NULL);
    if (!status) {
        r->n = o->n;
        memcpy(r->X, o->X, o->n * o->d * sizeof *r->X);
        memcpy(r->Y, o->Y, o->n * o->p * sizeof *r->Y);
    }
    orffi_without_outliers_clear(&left);
    return status;
}

static orff_status fit_rows(orff_model **model, const orff_settings *settings, lagged *r) {
    if (settings->drop_outliers) return fit_without_outliers(model, settings, r);
    return orff_model_fit(model, settings, r->d, r->p, r->n, r->X, r->Y, NULL);
}

orff_status orff_model_fit_series(orff_model **out, const orff_settings *settings,
                                  const orff_series *series) {
    lagged r = {0};
    orff_model *model = NULL;
    if (!out || !settings)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_series: NULL argument");
    orff_settings own = *settings;
    ORFFI_TRY(check_settings(settings));
    ORFFI_TRY(check_series(series));
    orff_status status = fill(series, &r);
    if (!own.groups) own.groups = r.groups;
    if (!status) status = fit_rows(&model, &own, &r);
    if (!status) status = give_series(model, series, &r);
    clear(&r);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

orff_series_info orff_model_series(const orff_model *model) {
    const orffi_series *s = model ? model->series : NULL;
    if (!s) return (orff_series_info){0};
    return (orff_series_info){.n_lags = s->n_lags,
                              .lags = s->lags,
                              .changes = s->changes,
                              .depth = s->depth,
                              .last = s->last,
                              .noise = s->noise};
}

/* ---- files */

orff_status orffi_series_write(const orffi_series *s, orffi_archive_writer *writer, json_t *model) {
    const size_t last[2] = {s->depth, s->p}, noise[2] = {s->p, s->p};
    json_t *object =
        json_pack("{so sb}", "lags", orffi_json_sizes(s->n_lags, s->lags), "changes", (int)s->changes);
    if (json_object_set_new(model, "series", object))
        return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file");
    ORFFI_TRY(orffi_archive_add(writer, "series.last", ORFFI_F64, 2, last, s->last));
    return orffi_archive_add(writer, "series.noise", ORFFI_F64, 2, noise, s->noise);
}

static orff_status read_lags(const orffi_fields *in, size_t d, size_t p, size_t *count, size_t **lags) {
    ORFFI_TRY(orffi_fields_list(in, "lags", count));
    if (*count == 0 || *count > d || *count * p != d)
        return orffi_fields_fail(in, "lags", "are not as many as the inputs say");
    return orffi_fields_sizes(in, "lags", *count, lags);
}

static orff_status fill_read(orffi_series **out, const orffi_fields *in, size_t p, size_t count,
                             const size_t *lags) {
    const double *last, *noise;
    bool changes;
    for (size_t i = 0; i < count; i++)
        if (lags[i] <= (i ? lags[i - 1] : 0)) return orffi_fields_fail(in, "lags", "do not increase");
    ORFFI_TRY(orffi_fields_flag(in, "changes", &changes));
    const size_t shape[2] = {lags[count - 1], p}, square[2] = {p, p};
    ORFFI_TRY(orffi_archive_expect(in->archive, "series.last", ORFFI_F64, 2, shape, &last));
    ORFFI_TRY(orffi_archive_expect(in->archive, "series.noise", ORFFI_F64, 2, square, &noise));
    ORFFI_TRY(orffi_archive_check_finite(in->archive, "series.noise"));
    ORFFI_TRY(create_series(out, p, count, lags, changes));
    memcpy((*out)->last, last, shape[0] * p * sizeof *last);
    memcpy((*out)->noise, noise, p * p * sizeof *noise);
    return ORFF_OK;
}

orff_status orffi_series_read(orffi_series **out, const orffi_fields *model, size_t d, size_t p) {
    orffi_fields in;
    size_t count, *lags = NULL;
    if (!orffi_fields_has(model, "series")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_object(model, "series", &in));
    orff_status status = read_lags(&in, d, p, &count, &lags);
    if (!status) status = fill_read(out, &in, p, count, lags);
    orffi_release(lags);
    return status;
}
