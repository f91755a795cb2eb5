/* Measurements that are not complete rows: each output present, or each measurement along a direction,
 * becomes a directed row (engine/table.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/plane.h"
#include "model/fit.h"
#include "model/functionals_fit.h"
#include "model/model.h"
#include "model/outliers.h"
#include "model/plane_rows.h"
#include "model/trend_fit.h"
#include "moments/observed.h"

void orff_directions(size_t n, const double *degrees, bool from_north, bool toward, double *directions) {
    for (size_t i = 0; i < n; i++) {
        const double angle = degrees[i] * 0.01745329251994329577, sign = toward ? -1.0 : 1.0;
        directions[2 * i] = sign * (from_north ? sin(angle) : cos(angle));
        directions[2 * i + 1] = sign * (from_north ? cos(angle) : sin(angle));
    }
}

/* ---- checking the observations */

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

static orff_status check_errors(const orff_observations *o) {
    const size_t width = orffi_observed_width(o);
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

/* Squared errors over the mean square of the measured rows; NULL if no errors are known, or all are 0. */
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

/* ---- complete rows */

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
    flat.geo_inputs = plane.inputs; /* distances are measured on the plane */
    if (!status) status = fit_flat(model, &flat, o, table.X, table.Y);
    if (!status) orffi_plane_set(*model, &plane);
    orffi_table_clear(&table);
    return status;
}

/* ---- directed rows */

typedef struct directed {
    orffi_observed rows;
    double *errors;             /* or NULL */
    uint32_t *instruments;      /* or NULL */
    uint64_t *groups, *offsets; /* or NULL */
} directed;

static void clear(directed *r) {
    orffi_observed_clear(&r->rows);
    orffi_release(r->errors);
    orffi_release(r->instruments);
    orffi_release(r->groups);
    orffi_release(r->offsets);
}

/* Whether each output counts as an instrument, so that outputs may have noises of their own, as in
 * complete rows. */
static bool is_by_output(const orff_observations *o) {
    return !o->directions && !o->instruments && !o->n_walls && o->p > 1 && o->p <= ORFF_INSTRUMENTS;
}

/* Copies the errors, instrument and groups of directed row j from the row it comes from. */
static void qualify(const orff_observations *o, const orff_settings *s, directed *r, size_t j) {
    const size_t width = orffi_observed_width(o), at = r->rows.at[j], i = at / width;
    if (r->errors) r->errors[j] = o->errors[at];
    if (r->instruments) r->instruments[j] = o->instruments ? o->instruments[i] : (uint32_t)(at % width);
    if (r->groups) r->groups[j] = s->groups[i];
    if (r->offsets) r->offsets[j] = s->offset_groups[i];
}

/* Each wall gets its own group, which is never held out. */
static void add_wall(const orff_observations *o, directed *r, size_t i) {
    const double *wall = o->walls + i * (o->d + o->p);
    orffi_observed *rows = &r->rows;
    memcpy(rows->X + rows->n * o->d, wall, o->d * sizeof *rows->X);
    memcpy(rows->along + rows->n * o->p, wall + o->d, o->p * sizeof *rows->along);
    rows->weights[rows->n] = ORFFI_WALL_WEIGHT;
    if (r->groups) r->groups[rows->n] = UINT64_MAX - i;
    rows->n++;
}

static orff_status fill(const orff_observations *o, const orff_settings *s, directed *r) {
    ORFFI_TRY(orffi_observed_fill(&r->rows, o, false, o->n_walls));
    const size_t measured = r->rows.n, count = measured + o->n_walls;
    if (!measured) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
    if (o->errors) ORFFI_TRY(ORFFI_NEW_ARRAY(r->errors, count));
    if (o->instruments || is_by_output(o)) ORFFI_TRY(ORFFI_NEW_ARRAY(r->instruments, count));
    if (s->groups) ORFFI_TRY(ORFFI_NEW_ARRAY(r->groups, count));
    if (s->offset_groups) ORFFI_TRY(ORFFI_NEW_ARRAY(r->offsets, count));
    for (size_t j = 0; j < measured; j++) qualify(o, s, r, j);
    for (size_t i = 0; i < o->n_walls; i++) add_wall(o, r, i);
    return ORFF_OK;
}

static orff_status fit_directed(orff_model **model, const orff_settings *settings, const orff_observations *o,
                                directed *r, orffi_functionals *functionals) {
    orff_settings flat = *settings;
    orff_plane plane;
    orffi_rows rows = {0};
    double *known = NULL;
    const bool by_output = is_by_output(o);
    orff_status status =
        o->errors ? square_errors(r->rows.n, r->rows.n - o->n_walls, r->errors, 1, &known) : ORFF_OK;
    flat.groups = r->groups;
    flat.offset_groups = r->offsets;
    flat.geo = ORFF_GEO_NONE;
    if (!status && settings->geo)
        status = orffi_plane_lay_directed(settings, o->d, o->p, r->rows.n, o->n_walls, r->rows.X,
                                          r->rows.along, &plane);
    if (settings->geo) flat.geo_inputs = plane.inputs; /* distances are measured on the plane */
    if (!status && settings->geo && functionals->n)
        status = orffi_plane_rows(&plane, o->d, 0, functionals->points[functionals->n], functionals->X,
                                  functionals->along);
    if (!status && functionals->n) status = orffi_trend_refuse(&flat, "it is for rows without functionals");
    if (!status)
        status = orffi_rows_from_directed(&rows, o->d, o->p, r->rows.n, r->rows.X, r->rows.Y, r->rows.weights,
                                          r->rows.along, r->rows.N, o->n_walls, settings->subsample);
    rows.measured = r->rows.measured;
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

static orff_status fit_without_outliers(orff_model **model, const orff_settings *settings,
                                        const orff_observations *o) {
    orffi_without_outliers left;
    orff_status status = orffi_outliers_drop(&left, 1, settings, o);
    if (!status) status = orff_model_fit_observations(model, left.settings, &left.rows);
    orffi_without_outliers_clear(&left);
    return status;
}

orff_status orff_model_fit_observations(orff_model **model, const orff_settings *settings,
                                        const orff_observations *o) {
    directed r = {0};
    orffi_functionals functionals = {0};
    if (!model || !settings || !o || !o->X || !o->Y || (o->n_walls && !o->walls))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_observations: NULL argument");
    ORFFI_TRY(check_errors(o));
    if (settings->drop_outliers) return fit_without_outliers(model, settings, o);
    if (orffi_observed_is_whole(o)) return fit_whole(model, settings, o);
    ORFFI_TRY(check(settings, o));
    orff_status status = fill(o, settings, &r);
    if (!status) status = orffi_functionals_read(&functionals, o->functionals, o->d, o->p);
    if (!status) status = fit_directed(model, settings, o, &r, &functionals);
    clear(&r);
    orffi_functionals_clear(&functionals);
    return status;
}
