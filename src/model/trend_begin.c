/* Subtracts a trend from the rows by least squares, before any choice. */
#include "model/trend_sums.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"

orff_status orffi_trend_refuse(const orff_settings *settings, const char *what) {
    if (settings->offset_groups) return orffi_fail(ORFF_ERROR_UNSUPPORTED, "offsets of groups: %s", what);
    if (settings->trend == ORFF_TREND_NONE) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "trend: %s", what);
}

/* ---- inputs of the trend, and their range */

static orff_status choose_inputs(const orff_settings *s, size_t d, bool *inputs) {
    for (size_t k = 0; k < d; k++) {
        const bool repeats = orffi_is_periodic(s->periods, k);
        inputs[k] = s->trend_inputs ? s->trend_inputs[k] : !repeats;
        if (inputs[k] && repeats)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "trend: input %zu is periodic, so it cannot have a trend", k + 1);
    }
    return ORFF_OK;
}

/* The number of rows without walls. */
static size_t measured(const orffi_rows *rows) {
    return rows->n > rows->walls ? rows->n - rows->walls : rows->n;
}

static void fill_range(orffi_trend *t, const orffi_rows *rows) {
    for (size_t k = 0; k < t->d; k++) {
        double low = rows->X[k], high = rows->X[k];
        for (size_t i = 1; i < measured(rows); i++) {
            low = fmin(low, rows->X[i * t->d + k]);
            high = fmax(high, rows->X[i * t->d + k]);
        }
        t->centre[k] = t->at[k] = low / 2.0 + high / 2.0;
        t->scale[k] = t->by[k] = high > low ? high / 2.0 - low / 2.0 : 1.0;
    }
}

/* ---- least squares */

static double weight_of(const orffi_rows *rows, size_t i) {
    return rows->weights ? rows->weights[i] : 1.0;
}

/* Adds a row with columns h (for a directed row its terms times its direction). */
static void sums_add(orffi_trend_sums *s, double c, const double *h, const double *y) {
    for (size_t i = 0; i < s->columns; i++) {
        for (size_t j = 0; j < s->columns; j++) s->A[i * s->columns + j] += c * h[i] * h[j];
        for (size_t a = 0; a < s->sides; a++) s->B[i * s->sides + a] += c * h[i] * y[a];
    }
}

static orff_status fail_dependent(const orffi_trend *t) {
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "trend: the rows do not determine its %zu terms: some input does not vary, or depends "
                      "on others, or there are too few rows; ask for fewer terms, or name the inputs",
                      t->terms);
}

/* Leaves offsets out: what the rows of a group have in common may belong to the field. */
static orff_status least_squares(orffi_trend_fit *f) {
    orffi_trend *t = f->trend;
    const orffi_rows *rows = f->rows;
    const size_t p = t->p, terms = t->terms - t->offsets;
    orffi_trend_sums s = {0};
    double *h = NULL;
    /* terms x p numbers in both cases */
    orff_status status =
        rows->along ? orffi_trend_sums_init(&s, terms * p, 1) : orffi_trend_sums_init(&s, terms, p);
    if (!status) status = ORFFI_NEW_ARRAY(h, t->terms * (p + 1));
    for (size_t i = 0; !status && i < measured(rows); i++) {
        const double *along = rows->along ? rows->along + i * p : NULL;
        sums_add(&s, weight_of(rows, i),
                 orffi_trend_columns_of(t, rows->X + i * t->d, along, ORFFI_NO_SET, h),
                 rows->Y + i * (along ? 1 : p));
    }
    if (!status) status = orffi_trend_sums_solve(&s, false);
    if (status == ORFF_ERROR_NOT_POSITIVE) status = fail_dependent(t);
    if (!status) memcpy(t->beta, s.B, terms * p * sizeof *t->beta);
    if (!status) status = orffi_trend_subtract(f, t->beta);
    orffi_trend_sums_clear(&s);
    orffi_release(h);
    return status;
}

/* ---- beginning and end */

static orff_status check(const orff_settings *s) {
    if ((unsigned)s->trend >= ORFF_TREND_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no trend number %d", (int)s->trend);
    if (s->classes) return orffi_trend_refuse(s, "classes have none");
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_trend_refuse(
            s, "it needs the squared loss; for another one, subtract the trend from the outputs first");
    if (s->checkpoint) return orffi_trend_refuse(s, "it is estimated at once, without a checkpoint");
    return ORFF_OK;
}

static orff_status begin(orffi_trend_fit *f, const orff_settings *s, orffi_rows *rows) {
    bool *inputs;
    const size_t numbers = rows->n * (rows->along ? 1 : rows->p);
    ORFFI_TRY(ORFFI_NEW_ARRAY(inputs, rows->d));
    orff_status status = choose_inputs(s, rows->d, inputs);
    if (!status)
        status =
            orffi_trend_create(&f->trend, s->trend, rows->d, rows->p, inputs, rows->sets, rows->set_labels);
    orffi_release(inputs);
    if (!status) status = orffi_duplicate(&f->left, rows->Y, numbers, sizeof *f->left);
    if (status) return status;
    f->rows = rows;
    fill_range(f->trend, rows);
    ORFFI_TRY(least_squares(f));
    rows->Y = f->left;
    return ORFF_OK;
}

static orff_status find_groups(orff_settings *settings, orffi_rows *rows) {
    ORFFI_TRY(orffi_rows_set_groups(rows, settings->offset_groups));
    if (rows->sets < 2 || rows->sets > ORFFI_MOST_OFFSETS)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "offsets of groups are for 2 to %d groups, but there are %zu; is this the right "
                          "column?",
                          ORFFI_MOST_OFFSETS, rows->sets);
    if (settings->trend == ORFF_TREND_NONE) settings->trend = ORFF_TREND_CONSTANT;
    return ORFF_OK;
}

orff_status orffi_trend_begin(orffi_trend_fit *f, orff_settings *settings, orffi_rows *rows) {
    if (settings->trend == ORFF_TREND_NONE && !settings->offset_groups) return ORFF_OK;
    ORFFI_TRY(check(settings));
    if (settings->offset_groups) ORFFI_TRY(find_groups(settings, rows));
    settings->center = false;
    return begin(f, settings, rows);
}
