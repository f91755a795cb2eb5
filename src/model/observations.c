/* Measurements that are not whole rows: each output that is there, or what was seen along a direction, becomes a directed
 * row (engine/table.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/plane_rows.h"

/* ---- what is there */

static orff_status check(const orff_settings *s, const orff_observations *o) {
    ORFFI_TRY(orffi_check_fit(s, o->d, o->p));
    if (s->classes)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "a class cannot be missing, nor have a direction: drop its row");
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "rows with missing outputs or directions are for the loss %s, not for %s",
                          orff_loss_name(ORFF_LOSS_SQUARED), orff_loss_name(s->loss));
    if (s->checkpoint)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "rows with missing outputs or directions are learned at once, without a checkpoint");
    return ORFF_OK;
}

/* Outputs of row i that are there. */
static size_t count_row(const orff_observations *o, size_t i) {
    size_t count = 0;
    if (o->directions) return 1;
    for (size_t k = 0; k < o->p; k++) count += isnan(o->Y[i * o->p + k]) ? 0 : 1;
    return count;
}

static size_t count_all(const orff_observations *o) {
    size_t count = 0;
    for (size_t i = 0; i < o->n; i++) count += count_row(o, i);
    return count;
}

/* ---- directed rows */

typedef struct directed {
    size_t n;
    double *X, *Y, *weights, *along;
    uint64_t *groups; /* or NULL */
    double N;
} directed;

static void clear(directed *r) {
    orffi_release(r->X);
    orffi_release(r->Y);
    orffi_release(r->weights);
    orffi_release(r->along);
    orffi_release(r->groups);
}

static void add_one(const orff_observations *o, directed *r, size_t i, double y, const uint64_t *groups) {
    memcpy(r->X + r->n * o->d, o->X + i * o->d, o->d * sizeof *r->X);
    r->Y[r->n] = y;
    r->weights[r->n] = o->weights ? o->weights[i] : 1.0;
    if (groups) r->groups[r->n] = groups[i];
    r->n++;
}

static void add_row(const orff_observations *o, directed *r, size_t i, const uint64_t *groups) {
    const size_t p = o->p;
    if (count_row(o, i)) r->N += o->weights ? o->weights[i] : 1.0;
    if (o->directions) {
        memcpy(r->along + r->n * p, o->directions + i * p, p * sizeof *r->along);
        add_one(o, r, i, o->Y[i], groups);
        return;
    }
    for (size_t k = 0; k < p; k++) {
        if (isnan(o->Y[i * p + k])) continue;
        r->along[r->n * p + k] = 1.0;
        add_one(o, r, i, o->Y[i * p + k], groups);
    }
}

static orff_status fill(const orff_observations *o, const uint64_t *groups, directed *r) {
    const size_t count = count_all(o);
    if (!count) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
    ORFFI_TRY(orffi_alloc(&r->X, count, o->d * sizeof *r->X));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->Y, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->weights, count));
    ORFFI_TRY(orffi_alloc(&r->along, count, o->p * sizeof *r->along));
    if (groups) ORFFI_TRY(ORFFI_NEW_ARRAY(r->groups, count));
    for (size_t i = 0; i < o->n; i++) add_row(o, r, i, groups);
    return ORFF_OK;
}

static orff_status fit_directed(orff_model **model, const orff_settings *settings, const orff_observations *o,
                                directed *r) {
    orff_settings flat = *settings;
    orff_plane plane;
    orffi_rows rows = {0};
    orff_status status = ORFF_OK;
    flat.groups = r->groups;
    flat.geo = ORFF_GEO_NONE;
    if (settings->geo) status = orffi_plane_lay_directed(settings, o->d, o->p, r->n, r->X, r->along, &plane);
    if (!status)
        status = orffi_rows_from_directed(&rows, o->d, o->p, r->n, r->X, r->Y, r->weights, r->along, r->N,
                                          settings->subsample);
    if (!status) status = orffi_fit_rows(model, &flat, &rows);
    if (!status && settings->geo) orffi_plane_set(*model, &plane);
    orffi_rows_clear(&rows);
    return status;
}

orff_status orff_model_fit_observations(orff_model **model, const orff_settings *settings,
                                        const orff_observations *o) {
    directed r = {0};
    if (!model || !settings || !o || !o->X || !o->Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_observations: NULL argument");
    if (!o->directions && count_all(o) == o->n * o->p)
        return orff_model_fit(model, settings, o->d, o->p, o->n, o->X, o->Y, o->weights);
    ORFFI_TRY(check(settings, o));
    orff_status status = fill(o, settings->groups, &r);
    if (!status) status = fit_directed(model, settings, o, &r);
    clear(&r);
    return status;
}
