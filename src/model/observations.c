/* Measurements that are not whole rows: each output that is there, or what was seen along a direction, becomes a directed
 * row (engine/table.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/plane.h"
#include "model/fit.h"
#include "model/functionals_fit.h"
#include "model/model.h"
#include "model/plane_rows.h"
#include "model/trend_fit.h"

void orff_directions(size_t n, const double *degrees, bool from_north, bool toward, double *directions) {
    for (size_t i = 0; i < n; i++) {
        const double angle = degrees[i] * 0.01745329251994329577, sign = toward ? -1.0 : 1.0;
        directions[2 * i] = sign * (from_north ? sin(angle) : cos(angle));
        directions[2 * i + 1] = sign * (from_north ? cos(angle) : sin(angle));
    }
}

/* ---- what is there */

static orff_status check(const orff_settings *s, const orff_observations *o) {
    ORFFI_TRY(orffi_check_fit(s, o->d, o->p));
    if (s->classes)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "a class cannot be missing, nor have a direction: drop its row");
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "rows with missing outputs, directions, errors or instruments are for the loss %s, not for %s",
            orff_loss_name(ORFF_LOSS_SQUARED), orff_loss_name(s->loss));
    if (s->checkpoint)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "rows with missing outputs, directions, errors or "
                                                  "instruments are learned at once, without a checkpoint");
    return ORFF_OK;
}

static size_t width_of(const orff_observations *o) {
    return o->directions ? 1 : o->p;
}

static orff_status check_errors(const orff_observations *o) {
    const size_t width = width_of(o);
    for (size_t i = 0; o->errors && i < o->n * width; i++)
        if (!isnan(o->Y[i]) && !(o->errors[i] >= 0.0 && isfinite(o->errors[i])))
            return orffi_fail(
                ORFF_ERROR_INVALID_ARGUMENT,
                "the error of output %zu of row %zu is %g; it must be a number, and not negative",
                i % width + 1, i / width + 1, o->errors[i]);
    for (size_t i = 0; o->instruments && i < o->n; i++)
        if (o->instruments[i] >= ORFF_INSTRUMENTS)
            return orffi_fail(
                ORFF_ERROR_UNSUPPORTED,
                "row %zu has instrument number %u: up to %d may have a noise of their own, counted "
                "from 0",
                i + 1, (unsigned)o->instruments[i], ORFF_INSTRUMENTS);
    return ORFF_OK;
}

static size_t count_instruments(const orff_observations *o) {
    size_t most = 0;
    for (size_t i = 0; o->instruments && i < o->n; i++)
        if (o->instruments[i] + 1u > most) most = o->instruments[i] + 1u;
    return most;
}

/* Outputs of row i that are there. */
static size_t count_row(const orff_observations *o, size_t i) {
    size_t count = 0;
    if (o->directions) return isnan(o->Y[i]) ? 0u : 1u;
    for (size_t k = 0; k < o->p; k++) count += isnan(o->Y[i * o->p + k]) ? 0u : 1u;
    return count;
}

static size_t count_all(const orff_observations *o) {
    size_t count = 0;
    for (size_t i = 0; i < o->n; i++) count += count_row(o, i);
    return count;
}

/* Every row has all outputs, and one error for them. */
static bool is_whole(const orff_observations *o) {
    if (o->directions || o->n_walls || o->functionals || count_all(o) < o->n * o->p) return false;
    for (size_t i = 0; o->errors && i < o->n * o->p; i++)
        if (o->errors[i] != o->errors[i / o->p * o->p]) return false;
    return true;
}

/* Squares over the mean of those that are measured; NULL where none are known, or all are 0. */
static orff_status square_errors(size_t n, size_t measured, const double *errors, size_t stride,
                                 double **known) {
    double mean = 0.0;
    *known = NULL;
    for (size_t i = 0; i < measured; i++) mean += errors[i * stride] * errors[i * stride] / (double)measured;
    if (!(mean > 0.0)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(*known, n));
    for (size_t i = 0; i < n; i++) (*known)[i] = errors[i * stride] * errors[i * stride] / mean;
    return ORFF_OK;
}

/* ---- whole rows */

static orff_status fit_flat(orff_model **model, const orff_settings *settings, const orff_observations *o,
                            const double *X, const double *Y) {
    orffi_rows rows = {0};
    double *known = NULL;
    orff_status status = o->errors ? square_errors(o->n, o->n, o->errors, o->p, &known) : ORFF_OK;
    if (!status)
        status = orffi_rows_from_arrays(&rows, o->d, o->p, &(orffi_codes){0}, o->n, X, Y, o->weights,
                                        settings->subsample);
    if (!status) status = orffi_rows_qualify(&rows, known, o->instruments, count_instruments(o));
    if (!status) status = orffi_fit_rows(model, settings, &rows);
    orffi_rows_clear(&rows);
    orffi_release(known);
    return status;
}

static orff_status fit_whole(orff_model **model, const orff_settings *settings, const orff_observations *o) {
    orffi_table table = {0};
    orff_plane plane;
    orff_settings flat = *settings;
    if (!o->errors && !o->instruments)
        return orff_model_fit(model, settings, o->d, o->p, o->n, o->X, o->Y, o->weights);
    ORFFI_TRY(check(settings, o));
    if (!settings->geo) return fit_flat(model, settings, o, o->X, o->Y);
    flat.geo = ORFF_GEO_NONE;
    orff_status status = orffi_plane_lay(settings, o->d, o->p, o->n, o->X, o->Y, &plane, &table);
    flat.geo_inputs = plane.inputs; /* distances are those on the plane */
    if (!status) status = fit_flat(model, &flat, o, table.X, table.Y);
    if (!status) orffi_plane_set(*model, &plane);
    orffi_table_clear(&table);
    return status;
}

/* ---- directed rows */

typedef struct directed {
    size_t n;
    double *X, *Y, *weights, *along;
    double *errors;             /* or NULL */
    uint32_t *instruments;      /* or NULL */
    uint64_t *groups, *offsets; /* or NULL */
    size_t measured;            /* rows that say something ... */
    double N;                   /* ... and the sum of their weights */
} directed;

static void clear(directed *r) {
    double *all[] = {r->X, r->Y, r->weights, r->along, r->errors};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_release(r->instruments);
    orffi_release(r->groups);
    orffi_release(r->offsets);
}

/* Whether each output is an instrument by itself: outputs may have noises of their own, as those of whole rows. */
static bool is_by_output(const orff_observations *o) {
    return !o->directions && !o->instruments && !o->n_walls && o->p > 1 && o->p <= ORFF_INSTRUMENTS;
}

/* Number k of row i. */
static void add_one(const orff_observations *o, directed *r, size_t i, size_t k, const orff_settings *s) {
    const size_t at = i * width_of(o) + k;
    memcpy(r->X + r->n * o->d, o->X + i * o->d, o->d * sizeof *r->X);
    r->Y[r->n] = o->Y[at];
    r->weights[r->n] = o->weights ? o->weights[i] : 1.0;
    if (o->errors) r->errors[r->n] = o->errors[at];
    if (r->instruments) r->instruments[r->n] = o->instruments ? o->instruments[i] : (uint32_t)k;
    if (r->groups) r->groups[r->n] = s->groups[i];
    if (r->offsets) r->offsets[r->n] = s->offset_groups[i];
    r->n++;
}

static void add_row(const orff_observations *o, directed *r, size_t i, const orff_settings *s) {
    const size_t p = o->p;
    if (!count_row(o, i)) return;
    r->N += o->weights ? o->weights[i] : 1.0;
    r->measured++;
    for (size_t k = 0; k < width_of(o); k++) {
        if (isnan(o->Y[i * width_of(o) + k])) continue;
        if (o->directions)
            memcpy(r->along + r->n * p, o->directions + i * p, p * sizeof *r->along);
        else
            r->along[r->n * p + k] = 1.0;
        add_one(o, r, i, k, s);
    }
}

/* Walls belong to no group that is ever left out. */
static void add_wall(const orff_observations *o, directed *r, size_t i) {
    const double *wall = o->walls + i * (o->d + o->p);
    memcpy(r->X + r->n * o->d, wall, o->d * sizeof *r->X);
    memcpy(r->along + r->n * o->p, wall + o->d, o->p * sizeof *r->along);
    r->weights[r->n] = ORFFI_WALL_WEIGHT;
    if (r->groups) r->groups[r->n] = UINT64_MAX - i;
    r->n++;
}

static orff_status fill(const orff_observations *o, const orff_settings *s, directed *r) {
    const size_t measured = count_all(o), count = measured + o->n_walls;
    if (!measured) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
    ORFFI_TRY(orffi_alloc(&r->X, count, o->d * sizeof *r->X));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->Y, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->weights, count));
    ORFFI_TRY(orffi_alloc(&r->along, count, o->p * sizeof *r->along));
    if (o->errors) ORFFI_TRY(ORFFI_NEW_ARRAY(r->errors, count));
    if (o->instruments || is_by_output(o)) ORFFI_TRY(ORFFI_NEW_ARRAY(r->instruments, count));
    if (s->groups) ORFFI_TRY(ORFFI_NEW_ARRAY(r->groups, count));
    if (s->offset_groups) ORFFI_TRY(ORFFI_NEW_ARRAY(r->offsets, count));
    for (size_t i = 0; i < o->n; i++) add_row(o, r, i, s);
    for (size_t i = 0; i < o->n_walls; i++) add_wall(o, r, i);
    return ORFF_OK;
}

/* A lattice sums up densities, which sums over points do not have; the exact kernel of many rows takes long. */
static orff_status choose_engine(const orff_observations *o, size_t rows, orff_settings *flat) {
    const orffi_engine *engine;
    const char *reason;
    if (!o->functionals || !o->functionals->n) return ORFF_OK;
    ORFFI_TRY(orffi_trend_refuse(flat, "it is for rows without functionals"));
    ORFFI_TRY(orffi_engine_choose_directed(flat, o->d, o->p, rows, &engine, &reason));
    if (flat->engine == ORFF_ENGINE_AUTO && engine->id == ORFF_ENGINE_LATTICE)
        flat->engine = ORFF_ENGINE_FEATURES;
    if (flat->engine != ORFF_ENGINE_LATTICE) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "functionals are not for the engine %s; use %s or %s",
                      orff_engine_name(ORFF_ENGINE_LATTICE), orff_engine_name(ORFF_ENGINE_EXACT),
                      orff_engine_name(ORFF_ENGINE_FEATURES));
}

static orff_status fit_directed(orff_model **model, const orff_settings *settings, const orff_observations *o,
                                directed *r, orffi_functionals *functionals) {
    orff_settings flat = *settings;
    orff_plane plane;
    orffi_rows rows = {0};
    double *known = NULL;
    const bool by_output = is_by_output(o);
    orff_status status = o->errors ? square_errors(r->n, r->n - o->n_walls, r->errors, 1, &known) : ORFF_OK;
    flat.groups = r->groups;
    flat.offset_groups = r->offsets;
    flat.geo = ORFF_GEO_NONE;
    if (!status && settings->geo)
        status = orffi_plane_lay_directed(settings, o->d, o->p, r->n, o->n_walls, r->X, r->along, &plane);
    if (settings->geo) flat.geo_inputs = plane.inputs; /* distances are those on the plane */
    if (!status && settings->geo && functionals->n)
        status = orffi_plane_rows(&plane, o->d, 0, functionals->points[functionals->n], functionals->X,
                                  functionals->along);
    if (!status) status = choose_engine(o, r->n, &flat);
    if (!status)
        status = orffi_rows_from_directed(&rows, o->d, o->p, r->n, r->X, r->Y, r->weights, r->along, r->N,
                                          o->n_walls, settings->subsample);
    rows.measured = r->measured;
    rows.by_output = by_output;
    if (functionals->n) rows.functionals = functionals;
    if (!status)
        status = orffi_rows_qualify(&rows, known, r->instruments, by_output ? o->p : count_instruments(o));
    if (!status) status = orffi_fit_rows(model, &flat, &rows);
    if (!status && settings->geo) orffi_plane_set(*model, &plane);
    orffi_rows_clear(&rows);
    orffi_release(known);
    return status;
}

orff_status orff_model_fit_observations(orff_model **model, const orff_settings *settings,
                                        const orff_observations *o) {
    directed r = {0};
    orffi_functionals functionals = {0};
    if (!model || !settings || !o || !o->X || !o->Y || (o->n_walls && !o->walls))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_observations: NULL argument");
    ORFFI_TRY(check_errors(o));
    if (is_whole(o)) return fit_whole(model, settings, o);
    ORFFI_TRY(check(settings, o));
    orff_status status = fill(o, settings, &r);
    if (!status) status = orffi_functionals_read(&functionals, o->functionals, o->d, o->p);
    if (!status) status = fit_directed(model, settings, o, &r, &functionals);
    clear(&r);
    orffi_functionals_clear(&functionals);
    return status;
}
