/* Models in a file: member "model" of the document, the kernel, and
 *
 *     shift, unit        d
 *     mean, spread       p
  *     output_train_mse   p
 *       error_share        1: share of the known errors in the variance of the noise, if errors were known
 *       instrument_noise   instruments: relative to a row of weight 1, if their noises differ
 *       own_noise          p: of measurements, if it differs from that of rows of weight 1
 *     noise              p: standard deviations; files of version 1 have the mean of their squares in "model"
 *       output_cv_mse      p, if cross-validated
 *       shares             parts + 1, if learned
 *       codes              classes x p, unless those of a simplex
 *       places             n x k: where the rows were, see cover.h; absent for models from moments
 *
 * and what its engine adds; with a trend, also what trend_file.c describes. Files with a trend, codes or
 * wavelengths have version 3, as a program that does not know these would predict without them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/memory.h"
#include "base/plane.h"
#include "features/recipe.h"
#include "model/doubts.h"
#include "model/model.h"

enum { OLDEST = 1, PLAIN = 2, NEWEST = 3 };
static const char format[] = "orff-model";

enum { LONGEST_TEXT = 200 }; /* of texts that a model holds about itself */

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file");
}

/* ---- writing */

static orff_status add_vector(orffi_archive_writer *writer, const char *name, size_t length,
                              const double *data) {
    return orffi_archive_add(writer, name, ORFFI_F64, 1, &length, data);
}

static orff_status add_codes(const orff_model *model, orffi_archive_writer *writer) {
    const size_t shape[2] = {model->classes, model->p};
    return model->own_codes ? orffi_archive_add(writer, "codes", ORFFI_F64, 2, shape, model->codes) : ORFF_OK;
}

static orff_status add_tensors(const orff_model *model, orffi_archive_writer *writer) {
    ORFFI_TRY(add_vector(writer, "shift", model->d, model->shift));
    ORFFI_TRY(add_vector(writer, "unit", model->d, model->unit));
    ORFFI_TRY(add_vector(writer, "mean", model->p, model->mean));
    ORFFI_TRY(add_vector(writer, "spread", model->p, model->spread));
    ORFFI_TRY(add_vector(writer, "output_train_mse", model->p, model->output_train_mse));
    ORFFI_TRY(add_vector(writer, "noise", model->p, model->noise));
    if (model->own_noise) ORFFI_TRY(add_vector(writer, "own_noise", model->p, model->own_noise));
    if (!isnan(model->error_share)) ORFFI_TRY(add_vector(writer, "error_share", 1, &model->error_share));
    if (model->instruments)
        ORFFI_TRY(add_vector(writer, "instrument_noise", model->instruments, model->instrument_noise));
    if (model->output_cv_mse) ORFFI_TRY(add_vector(writer, "output_cv_mse", model->p, model->output_cv_mse));
    ORFFI_TRY(orffi_cover_write(&model->cover, writer));
    ORFFI_TRY(add_codes(model, writer));
    if (model->shares)
        return add_vector(writer, "shares", orffi_model_kernel(model)->n_parts + 1, model->shares);
    return ORFF_OK;
}

static json_t *pack_solve(const orff_solve_info *solve) {
    return json_pack("{ss? sI so so so sb sb}", "method", solve->method, "iterations",
                     (json_int_t)solve->iterations, "residual", orffi_json_number(solve->residual),
                     "condition", orffi_json_number(solve->condition), "jitter",
                     orffi_json_number(solve->jitter), "converged", (int)solve->converged, "fell_back",
                     (int)solve->fell_back);
}

static json_t *pack_model(const orff_model *model) {
    return json_pack("{sI ss ss so so so so so so so so so sb so}", "classes", (json_int_t)model->classes,
                     "engine", orff_engine_name(model->engine->id), "engine_reason", model->engine_reason,
                     "rows", orffi_json_whole(model->rows), "weight", orffi_json_number(model->weight),
                     "lambda", orffi_json_number(model->lambda), "train_mse",
                     orffi_json_number(model->train_mse), "cv_mse", orffi_json_number(model->cv_mse), "dof",
                     orffi_json_number(model->dof), "log_evidence", orffi_json_number(model->log_evidence),
                     "unreached", orffi_json_number(model->unreached), "left_out",
                     orffi_json_number(model->left_out), "single", (int)model->single, "solve",
                     pack_solve(&model->solve));
}

static orff_status fill_archive(const orff_model *model, bool compact, orffi_archive_writer *writer) {
    json_t *document = json_object(), *object = pack_model(model);
    int failed = json_object_set_new(document, "model", object);
    if (!failed) failed = orffi_json_set_text(object, "notes", model->notes);
    if (!failed) failed = orffi_plane_pack(object, model->on_plane ? &model->plane : NULL);
    if (!failed) failed = orffi_doubts_pack(model, object);
    if (!failed) failed = orffi_cover_pack(&model->cover, object);
    if (!failed) failed = model->engine->pack(model->fit, object);
    orff_status status = failed ? no_memory() : ORFF_OK;
    if (!status) status = orffi_kernel_write(orffi_model_kernel(model), writer, document);
    if (!status) status = model->engine->add(model->fit, compact, writer, document);
    if (!status) status = add_tensors(model, writer);
    if (!status && model->series) status = orffi_series_write(model->series, writer, object);
    if (!status && model->trend) status = orffi_trend_write(model->trend, compact, writer, object);
    if (!status) status = orffi_archive_set_document(writer, document);
    json_decref(document);
    return status;
}

/* Checks the written file by loading it, which copies all that is needed and leaves a posterior in the
 * file. */
static orff_status check_written(const char *temporary) {
    orff_model *model = NULL;
    const orff_status status = orff_model_load(&model, temporary);
    orff_model_free(model);
    return orffi_archive_blame(status, temporary, "model");
}

static int version_of(const orff_model *model) {
    const orff_kernel *kernel = orffi_model_kernel(model);
    bool waves = false;
    for (size_t m = 0; m < kernel->n_parts; m++) waves |= kernel->parts[m].law.centre != NULL;
    return waves || model->trend || model->own_codes ? NEWEST : PLAIN;
}

orff_status orff_model_save(const orff_model *model, const char *path, bool compact) {
    orffi_archive_writer *writer = NULL;
    if (!model || !path) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_save: NULL argument");
    ORFFI_TRY(orffi_archive_writer_create(&writer, format, version_of(model)));
    orff_status status = fill_archive(model, compact, writer);
    if (!status) status = orffi_archive_write(writer, path, check_written);
    orffi_archive_writer_free(writer);
    return status;
}

/* ---- reading: numbers */

typedef enum range { FINITE, POSITIVE, NOT_NEGATIVE } range;

/* Copies a vector to its place; NOT_NEGATIVE accepts NaN, which means unknown. */
static orff_status copy_vector(const orffi_archive *archive, const char *name, size_t length, range allowed,
                               double *to) {
    const double *from;
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, 1, &length, &from));
    if (allowed != NOT_NEGATIVE) ORFFI_TRY(orffi_archive_check_finite(archive, name));
    for (size_t i = 0; i < length; i++)
        if ((allowed == POSITIVE && !(from[i] > 0.0)) || (allowed == NOT_NEGATIVE && from[i] < 0.0))
            return orffi_archive_fail(archive, "number %zu of \"%s\" is %g; it must%s", i + 1, name, from[i],
                                      allowed == POSITIVE ? " be positive" : " not be negative");
    memcpy(to, from, length * sizeof *to);
    return ORFF_OK;
}

static orff_status read_instruments(const orffi_archive *archive, orff_model *model) {
    const double *noise;
    size_t count;
    if (!orffi_archive_has(archive, "instrument_noise")) return ORFF_OK;
    ORFFI_TRY(orffi_archive_get(archive, "instrument_noise", ORFFI_F64, 1, &count, &noise));
    if (!count || count > ORFF_INSTRUMENTS)
        return orffi_archive_fail(archive, "\"instrument_noise\" has %zu numbers", count);
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->instrument_noise, count));
    model->instruments = count;
    return copy_vector(archive, "instrument_noise", count, NOT_NEGATIVE, model->instrument_noise);
}

static orff_status read_vectors(const orffi_archive *archive, orff_model *model) {
    const size_t parts = orffi_model_kernel(model)->n_parts;
    ORFFI_TRY(copy_vector(archive, "shift", model->d, FINITE, model->shift));
    ORFFI_TRY(copy_vector(archive, "unit", model->d, POSITIVE, model->unit));
    ORFFI_TRY(copy_vector(archive, "mean", model->p, FINITE, model->mean));
    ORFFI_TRY(copy_vector(archive, "spread", model->p, POSITIVE, model->spread));
    ORFFI_TRY(copy_vector(archive, "output_train_mse", model->p, NOT_NEGATIVE, model->output_train_mse));
    if (orffi_archive_has(archive, "noise"))
        ORFFI_TRY(copy_vector(archive, "noise", model->p, NOT_NEGATIVE, model->noise));
    if (orffi_archive_has(archive, "own_noise")) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(model->own_noise, model->p));
        ORFFI_TRY(copy_vector(archive, "own_noise", model->p, NOT_NEGATIVE, model->own_noise));
    }
    if (orffi_archive_has(archive, "error_share"))
        ORFFI_TRY(copy_vector(archive, "error_share", 1, NOT_NEGATIVE, &model->error_share));
    ORFFI_TRY(read_instruments(archive, model));
    if (orffi_archive_has(archive, "output_cv_mse")) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(model->output_cv_mse, model->p));
        ORFFI_TRY(copy_vector(archive, "output_cv_mse", model->p, NOT_NEGATIVE, model->output_cv_mse));
    }
    if (!orffi_archive_has(archive, "shares")) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->shares, parts + 1));
    return copy_vector(archive, "shares", parts + 1, FINITE, model->shares);
}

/* An estimate: unknown (NaN) or not negative. */
static orff_status read_estimate(const orffi_fields *in, const char *key, double *out) {
    ORFFI_TRY(orffi_fields_any_number(in, key, out));
    return *out < 0.0 ? orffi_fields_fail(in, key, "is negative") : ORFF_OK;
}

/* Noise of version 1, the mean square over all outputs: distributed in proportion to their spreads. */
static orff_status read_mean_noise(const orffi_fields *in, orff_model *model) {
    double noise, sum = 0.0;
    ORFFI_TRY(read_estimate(in, "noise", &noise));
    for (size_t k = 0; k < model->p; k++) sum += model->spread[k] * model->spread[k] / (double)model->p;
    for (size_t k = 0; k < model->p; k++) model->noise[k] = sqrt(noise / sum) * model->spread[k];
    return ORFF_OK;
}

static orff_status read_report(const orffi_fields *in, orff_model *model) {
    ORFFI_TRY(orffi_fields_whole(in, "rows", &model->rows));
    model->weight = (double)model->rows; /* for files without "weight" */
    if (orffi_fields_has(in, "weight")) ORFFI_TRY(read_estimate(in, "weight", &model->weight));
    ORFFI_TRY(orffi_fields_number(in, "lambda", &model->lambda));
    ORFFI_TRY(read_estimate(in, "train_mse", &model->train_mse));
    ORFFI_TRY(read_estimate(in, "cv_mse", &model->cv_mse));
    ORFFI_TRY(read_estimate(in, "dof", &model->dof));
    ORFFI_TRY(orffi_fields_any_number(in, "log_evidence", &model->log_evidence));
    if (!orffi_archive_has(in->archive, "noise")) ORFFI_TRY(read_mean_noise(in, model));
    if (orffi_fields_has(in, "unreached")) ORFFI_TRY(read_estimate(in, "unreached", &model->unreached));
    if (orffi_fields_has(in, "left_out")) ORFFI_TRY(read_estimate(in, "left_out", &model->left_out));
    ORFFI_TRY(orffi_fields_flag(in, "single", &model->single));
    ORFFI_TRY(orffi_fields_notes(in, &model->notes));
    ORFFI_TRY(orffi_plane_unpack(in, model->d, model->classes ? 1 : model->p, model->notes, &model->plane,
                                 &model->on_plane));
    return model->lambda < 0.0 ? orffi_fields_fail(in, "lambda", "is negative") : ORFF_OK;
}

/* Copies a text that the library once wrote about a model; it must be short, printable ASCII. */
static orff_status copy_text(const orffi_fields *in, const char *key, char **copy) {
    const char *text;
    if (!orffi_fields_has(in, key)) return ORFF_OK;
    ORFFI_TRY(orffi_fields_text(in, key, &text));
    for (const char *at = text; *at; at++)
        if (at - text >= LONGEST_TEXT || *at < ' ' || *at > '~')
            return orffi_fields_fail(in, key, "is not a short text of printable characters");
    return orffi_replace_text(copy, text);
}

static orff_status read_solve(const orffi_fields *about, orff_model *model) {
    orff_solve_info *solve = &model->solve;
    orffi_fields in;
    ORFFI_TRY(orffi_fields_object(about, "solve", &in));
    ORFFI_TRY(copy_text(&in, "method", &model->method));
    solve->method = model->method;
    ORFFI_TRY(orffi_fields_size(&in, "iterations", &solve->iterations));
    ORFFI_TRY(read_estimate(&in, "residual", &solve->residual));
    ORFFI_TRY(read_estimate(&in, "condition", &solve->condition));
    ORFFI_TRY(read_estimate(&in, "jitter", &solve->jitter));
    ORFFI_TRY(orffi_fields_flag(&in, "converged", &solve->converged));
    return orffi_fields_flag(&in, "fell_back", &solve->fell_back);
}

/* ---- reading: the whole */

static orff_status check_noise(const orffi_fields *in, const orff_model *model) {
    if (!orff_model_describe(model).has_posterior || !orffi_check_finite("noise", 1, model->p, model->noise))
        return ORFF_OK;
    return orffi_fields_fail(in, "noise", "is not known, but there is a posterior");
}

/* Error bars of estimated coefficients need what was learned from their columns. */
static orff_status read_trend(const orffi_fields *in, orff_model *model) {
    if (!orffi_fields_has(in, "trend")) return ORFF_OK;
    if (model->classes) return orffi_fields_fail(in, "trend", "is not for classes");
    ORFFI_TRY(orffi_trend_read(&model->trend, in, model->engine, orffi_model_kernel(model)));
    if (orff_model_describe(model).has_posterior && !model->trend->fits)
        return orffi_fields_fail(in, "trend", "has no columns, but there is a posterior");
    orffi_trend_rescale(model->trend, model->shift, model->unit);
    orffi_trend_report(model->trend, model->noise);
    return ORFF_OK;
}

static orff_status read_codes(const orffi_archive *archive, orff_model *model) {
    const size_t shape[2] = {model->classes, model->p};
    const double *codes;
    if (!model->classes || !orffi_archive_has(archive, "codes")) return ORFF_OK;
    ORFFI_TRY(orffi_archive_expect(archive, "codes", ORFFI_F64, 2, shape, &codes));
    ORFFI_TRY(orffi_archive_check_finite(archive, "codes"));
    orffi_model_set_codes(model, codes);
    return ORFF_OK;
}

static orff_status fill_model(const orffi_fields *in, orff_model *model) {
    ORFFI_TRY(read_codes(in->archive, model));
    ORFFI_TRY(read_vectors(in->archive, model));
    ORFFI_TRY(read_report(in, model));
    ORFFI_TRY(read_solve(in, model));
    ORFFI_TRY(copy_text(in, "engine_reason", &model->engine_reason));
    ORFFI_TRY(check_noise(in, model));
    ORFFI_TRY(orffi_doubts_unpack(in, model));
    ORFFI_TRY(orffi_cover_read(&model->cover, in, model->d));
    ORFFI_TRY(read_trend(in, model));
    ORFFI_TRY(orffi_series_read(&model->series, in, model->d, model->p));
    return orffi_fields_blame(in, orffi_model_finish(model));
}

/* In files older than engine names the engine follows from what they contain. */
static orff_status read_engine(const orffi_fields *in, const orffi_engine **engine) {
    orff_engine id = orffi_fields_has(in, "exact") ? ORFF_ENGINE_EXACT : ORFF_ENGINE_FEATURES;
    const char *name;
    if (orffi_fields_has(in, "engine")) {
        ORFFI_TRY(orffi_fields_text(in, "engine", &name));
        ORFFI_TRY(orffi_fields_blame(in, orff_engine_parse(name, &id)));
    }
    *engine = orffi_engine_find(id);
    return *engine ? ORFF_OK : orffi_fields_fail(in, "engine", "is not one that learns");
}

/* Takes d and p from the lengths of the file's vectors. */
static orff_status read_fit(const orffi_fields *in, const orffi_engine *engine, void **fit) {
    const double *unused;
    size_t d, p;
    orff_kernel *kernel = NULL;
    ORFFI_TRY(orffi_archive_get(in->archive, "shift", ORFFI_F64, 1, &d, &unused));
    ORFFI_TRY(orffi_archive_get(in->archive, "mean", ORFFI_F64, 1, &p, &unused));
    ORFFI_TRY(orffi_kernel_read(&kernel, in->archive, d, p));
    const orff_status status = engine->load(fit, in, kernel);
    orff_kernel_free(kernel);
    return status;
}

/* Checks the number of classes against tensors in the file, so that it cannot ask for more room. */
static orff_status check_classes(const orffi_fields *in, size_t classes, size_t p) {
    const double *unused;
    size_t shape[2] = {p + 1};
    if (!classes) return ORFF_OK;
    if (orffi_archive_has(in->archive, "codes"))
        ORFFI_TRY(orffi_archive_get(in->archive, "codes", ORFFI_F64, 2, shape, &unused));
    return classes == shape[0] ? ORFF_OK : orffi_fields_fail(in, "classes", "is not the number of codes");
}

static orff_status read_model(orff_model **model, const orffi_archive *archive) {
    const orffi_fields document = orffi_fields_of(archive);
    const orffi_engine *engine;
    orffi_fields in;
    size_t classes;
    void *fit = NULL;
    ORFFI_TRY(orffi_fields_object(&document, "model", &in));
    ORFFI_TRY(orffi_fields_size(&in, "classes", &classes));
    ORFFI_TRY(read_engine(&in, &engine));
    ORFFI_TRY(read_fit(&in, engine, &fit));
    const orff_status status = check_classes(&in, classes, engine->kernel(fit)->p);
    if (status) {
        engine->free(fit);
        return status;
    }
    ORFFI_TRY(orffi_fields_blame(&in, orffi_model_create(model, engine, fit, classes)));
    return fill_model(&in, *model);
}

/* The file stays open if a posterior is to be read from it. */
orff_status orff_model_load(orff_model **out, const char *path) {
    orffi_archive *archive = NULL;
    orff_model *model = NULL;
    if (!out || !path) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_load: NULL argument");
    ORFFI_TRY(orffi_archive_open(&archive, path, format, OLDEST, NEWEST));
    const orff_status status = read_model(&model, archive);
    if (!status && orff_model_describe(model).has_posterior) {
        model->file = archive;
    } else {
        orffi_archive_close(archive);
    }
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}
