#include "model/plane_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/plane.h"
#include "model/model.h"
#include "model/rows.h"

#define LARGE 0.05 /* relative error of lengths from which a region is too large for its plane */
#define SOME  1000 /* rows at which the lengths of a crs are checked */

/* ---- which inputs */

static const size_t *given_inputs(const orff_settings *settings) {
    if (settings->geo_inputs) return settings->geo_inputs;
    for (size_t m = 0; settings->parts && m < settings->n_parts; m++)
        if (settings->parts[m].space) return settings->parts[m].space;
    return NULL;
}

static orff_status find_inputs(const orff_settings *settings, size_t d, size_t p, size_t inputs[2]) {
    if (settings->geo >= ORFF_GEO_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "settings.geo is %d, which is no orff_geo",
                          (int)settings->geo);
    if (settings->classes)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "geo is for two outputs, not for classes");
    ORFFI_TRY(orff_geo_inputs(d, p, NULL, inputs));
    const size_t *given = given_inputs(settings);
    if (given) memcpy(inputs, given, 2 * sizeof *inputs);
    return ORFF_OK;
}

/* ---- messages */

/* X: some of the rows, in degrees. */
static orff_status log_crs(const orff_plane *plane, size_t d, size_t n, const double *X) {
    double most;
    orffi_log(ORFF_LOG_INFO, "plane: %s, in km", plane->crs);
    ORFFI_TRY(orffi_plane_distortion(plane, d, n < SOME ? n : SOME, X, &most));
    if (most > LARGE)
        orffi_log(ORFF_LOG_WARNING,
                  "lengths in %s are wrong by up to %.0f %% where the data are; use a system made for the "
                  "region, or --geo lonlat alone, which uses a plane at its centre",
                  plane->crs, 100.0 * most);
    return ORFF_OK;
}

static void log_plane(const orff_plane *plane, const orffi_table *rows) {
    double farthest = 0.0;
    if (*plane->crs) return;
    for (size_t i = 0; i < rows->n; i++) {
        const double *x = rows->X + i * rows->d;
        farthest = fmax(farthest, hypot(x[plane->inputs[0]], x[plane->inputs[1]]));
    }
    const double stretch = orffi_plane_stretch(farthest);
    orffi_log(ORFF_LOG_INFO,
              "plane: azimuthal equidistant at %.4f E %.4f N, in km; the farthest row is %.0f km away",
              plane->lon, plane->lat, farthest);
    if (stretch > LARGE)
        orffi_log(ORFF_LOG_WARNING,
                  "the region is large for a plane: %.0f km from the centre, lengths are wrong by up to %.0f "
                  "%%; learn one part of it at a time, or the whole globe on an equal-area map (crs "
                  "EPSG:8857) or with SphereField in Python",
                  farthest, 100.0 * stretch);
}

void orffi_plane_set(orff_model *model, const orff_plane *plane) {
    model->on_plane = true;
    model->plane = *plane;
}

orff_status orffi_plane_of_moments(orff_model *model, const orff_settings *settings,
                                   const orff_moments *moments) {
    const orff_moments_info info = orff_moments_describe(moments);
    if (settings->geo && !info.on_plane)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the moments are not on a plane: their rows were not in "
                                               "degrees");
    if (info.on_plane) orffi_plane_set(model, &info.plane);
    return ORFF_OK;
}

/* ---- arrays */

orff_status orffi_plane_lay(const orff_settings *settings, size_t d, size_t p, size_t n, const double *X,
                            const double *Y, orff_plane *plane, orffi_table *table) {
    size_t inputs[2];
    ORFFI_TRY(find_inputs(settings, d, p, inputs));
    ORFFI_TRY(orffi_plane_find(plane, settings->crs, d, inputs, n, X));
    if (*plane->crs) ORFFI_TRY(log_crs(plane, d, n, X));
    ORFFI_TRY(orffi_table_init(table, n, d, p, false));
    memcpy(table->X, X, n * d * sizeof *X);
    memcpy(table->Y, Y, n * p * sizeof *Y);
    ORFFI_TRY(orffi_plane_rows(plane, d, 0, n, table->X, table->Y));
    log_plane(plane, table);
    return ORFF_OK;
}

orff_status orffi_plane_fit(orff_model **model, const orff_settings *settings, size_t d, size_t p, size_t n,
                            const double *X, const double *Y, const double *weights) {
    orffi_table table = {0};
    orff_plane plane;
    orff_settings flat = *settings;
    flat.geo = ORFF_GEO_NONE;
    orff_status status = orffi_plane_lay(settings, d, p, n, X, Y, &plane, &table);
    flat.geo_inputs = plane.inputs; /* distances are measured on the plane */
    if (!status) status = orff_model_fit(model, &flat, d, p, n, table.X, table.Y, weights);
    if (!status) orffi_plane_set(*model, &plane);
    orffi_table_clear(&table);
    return status;
}

orff_status orffi_plane_lay_directed(const orff_settings *settings, size_t d, size_t p, size_t n,
                                     size_t walls, double *X, double *along, orff_plane *plane) {
    size_t inputs[2];
    const size_t measured = n - walls;
    ORFFI_TRY(find_inputs(settings, d, p, inputs));
    ORFFI_TRY(orffi_plane_find(plane, settings->crs, d, inputs, measured, X));
    if (*plane->crs) ORFFI_TRY(log_crs(plane, d, measured, X));
    ORFFI_TRY(orffi_plane_rows(plane, d, 0, n, X, along));
    log_plane(plane, &(orffi_table){.n = measured, .d = d, .X = X});
    return ORFF_OK;
}

static bool same_crs(const orff_settings *a, const orff_settings *b) {
    return a->crs && b->crs ? !strcmp(a->crs, b->crs) : a->crs == b->crs;
}

/* All candidates share one plane. */
static orff_status flatten(size_t count, const orff_settings *candidates, size_t d, size_t p,
                           orff_settings *flat) {
    size_t first[2], inputs[2];
    ORFFI_TRY(find_inputs(&candidates[0], d, p, first));
    for (size_t i = 0; i < count; i++) {
        ORFFI_TRY(find_inputs(&candidates[i], d, p, inputs));
        if (candidates[i].geo != candidates[0].geo || !same_crs(&candidates[i], &candidates[0]) ||
            memcmp(inputs, first, sizeof first) != 0)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "candidate %zu: all candidates must be on the same plane", i + 1);
        flat[i] = candidates[i];
        flat[i].geo = ORFF_GEO_NONE;
    }
    return ORFF_OK;
}

orff_status orffi_plane_tune(orff_model **model, size_t count, const orff_settings *candidates, size_t d,
                             size_t p, size_t n, const double *X, const double *Y, const double *weights,
                             double *scores, size_t *best, orff_path_point **paths) {
    orffi_table table = {0};
    orff_plane plane = {0};
    orff_settings *flat = NULL;
    orff_status status = ORFFI_NEW_ARRAY(flat, count);
    if (!status) status = flatten(count, candidates, d, p, flat);
    if (!status) status = orffi_plane_lay(candidates, d, p, n, X, Y, &plane, &table);
    for (size_t i = 0; !status && i < count; i++) flat[i].geo_inputs = plane.inputs;
    if (!status)
        status = orff_model_tune_paths(model, count, flat, d, p, n, table.X, table.Y, weights, scores, best,
                                       paths);
    if (!status) orffi_plane_set(*model, &plane);
    orffi_table_clear(&table);
    orffi_release(flat);
    return status;
}

/* ---- streams */

/* A reader around another one: reads the first rows to find the centre, hands them out, then the rest. */
typedef struct stream {
    orff_reader source;
    orff_plane plane;
    size_t d, p, read; /* rows read from the source */
    orffi_table head;  /* on the plane */
    size_t given;      /* rows of the head already handed out */
    bool ended;
    orff_status status; /* the error in a row: a reader itself can only return a code */
    char trouble[256];
} stream;

/* Reads from the source, unchanged. */
static int read_source(stream *s, size_t room, double *X, double *Y, double *weights, size_t *n) {
    *n = 0;
    if (s->ended) return 0;
    const int code = s->source.read(s->source.self, room, X, Y, weights, n);
    if (code) return code;
    if (*n > room) {
        snprintf(s->trouble, sizeof s->trouble, "the reader says it filled %zu rows of %zu", *n, room);
        s->status = ORFF_ERROR_CALLBACK;
        return 1;
    }
    s->ended = *n == 0;
    s->read += *n;
    return 0;
}

static orff_status complain(const stream *s, int code) {
    if (s->status) return orffi_fail(s->status, "%s", s->trouble);
    return orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d after row %zu", code, s->read);
}

static orff_status read_head(stream *s, size_t most) {
    orffi_table *head = &s->head;
    ORFFI_TRY(orffi_table_init(head, most, s->d, s->p, s->source.weighted));
    head->n = 0;
    while (!s->ended && head->n < most) {
        size_t n;
        const int code = read_source(s, most - head->n, head->X + head->n * s->d, head->Y + head->n * s->p,
                                     head->weights ? head->weights + head->n : NULL, &n);
        if (code) return complain(s, code);
        head->n += n;
    }
    return head->n ? ORFF_OK : orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
}

static orff_status lay_head(stream *s, const orff_settings *settings) {
    size_t inputs[2];
    ORFFI_TRY(find_inputs(settings, s->d, s->p, inputs));
    ORFFI_TRY(read_head(s, settings->subsample ? settings->subsample : 1));
    ORFFI_TRY(orffi_plane_find(&s->plane, settings->crs, s->d, inputs, s->head.n, s->head.X));
    if (*s->plane.crs) ORFFI_TRY(log_crs(&s->plane, s->d, s->head.n, s->head.X));
    ORFFI_TRY(orffi_plane_rows(&s->plane, s->d, 0, s->head.n, s->head.X, s->head.Y));
    log_plane(&s->plane, &s->head);
    return ORFF_OK;
}

static void give_head(stream *s, size_t room, double *X, double *Y, double *weights, size_t *n) {
    const orffi_table *head = &s->head;
    const size_t first = s->given;
    *n = head->n - first < room ? head->n - first : room;
    memcpy(X, head->X + first * s->d, *n * s->d * sizeof *X);
    memcpy(Y, head->Y + first * s->p, *n * s->p * sizeof *Y);
    if (weights) memcpy(weights, head->weights + first, *n * sizeof *weights);
    s->given += *n;
}

static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    stream *s = self;
    if (s->given < s->head.n) {
        give_head(s, room, X, Y, weights, n);
        return 0;
    }
    const int code = read_source(s, room, X, Y, weights, n);
    if (code) return code;
    s->status = orffi_plane_rows(&s->plane, s->d, s->read - *n, *n, X, Y);
    if (s->status) snprintf(s->trouble, sizeof s->trouble, "%s", orff_error_message());
    return s->status != ORFF_OK;
}

orff_status orffi_plane_fit_stream(orff_model **model, const orff_settings *settings, size_t d, size_t p,
                                   const orff_reader *reader) {
    stream s = {.source = *reader, .d = d, .p = p};
    const orff_reader laid = {.read = read_rows, .self = &s, .weighted = reader->weighted};
    orff_settings flat = *settings;
    flat.geo = ORFF_GEO_NONE;
    orff_status status = lay_head(&s, settings);
    flat.geo_inputs = s.plane.inputs; /* distances are measured on the plane */
    if (!status) status = orff_model_fit_stream(model, &flat, d, p, &laid);
    if (status && s.status) status = complain(&s, 1);
    if (!status) orffi_plane_set(*model, &s.plane);
    orffi_table_clear(&s.head);
    return status;
}
