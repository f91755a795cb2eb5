/* Making, describing and freeing models. */
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/memory.h"
#include "base/periods.h"
#include "engine/reach.h"
#include "model/doubts.h"

/* ---- making and freeing */

const double *orffi_model_noise(const orff_model *model) {
    return model->own_noise ? model->own_noise : model->noise;
}

const orff_kernel *orffi_model_kernel(const orff_model *model) {
    return model->engine->kernel(model->fit);
}

static bool has_delays(const orff_model *model) {
    const orff_kernel *kernel = orffi_model_kernel(model);
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (kernel->parts[m].delays) return true;
    return false;
}

static orff_status allocate(orff_model *model) {
    ORFFI_TRY(orffi_replace_text(&model->engine_reason, ""));
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->shift, model->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->unit, model->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->mean, model->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->spread, model->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->output_train_mse, model->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->noise, model->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->user_sigmas, orffi_model_kernel(model)->n_parts * model->d));
    if (has_delays(model))
        ORFFI_TRY(
            ORFFI_NEW_ARRAY(model->user_delays, orffi_model_kernel(model)->n_parts * model->p * model->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->user_waves, orffi_model_kernel(model)->n_parts * model->d));
    if (model->classes) ORFFI_TRY(ORFFI_NEW_ARRAY(model->codes, model->classes * model->p));
    return ORFF_OK;
}

static orff_status start(orff_model *model, size_t classes) {
    model->d = orffi_model_kernel(model)->d;
    model->p = orffi_model_kernel(model)->p;
    model->classes = classes;
    model->held.mse = NAN;
    for (size_t i = 0; i < ORFF_INTERVALS; i++) model->held.coverage[i] = NAN;
    model->cv_mse = model->dof = model->log_evidence = NAN;
    ORFFI_TRY(allocate(model));
    for (size_t k = 0; k < model->d; k++) model->unit[k] = 1.0;
    for (size_t i = 0; i < model->p; i++) model->spread[i] = 1.0;
    return ORFF_OK;
}

orff_status orffi_model_create(orff_model **out, const orffi_engine *engine, void *fit, size_t classes) {
    orff_model *model;
    orff_status status = ORFFI_NEW(model);
    if (status) {
        engine->free(fit);
        return status;
    }
    model->engine = engine;
    model->error_share = (double)NAN;
    model->fit = fit;
    status = start(model, classes);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

void orff_model_free(orff_model *model) {
    if (!model) return;
    double *all[] = {
        model->shift,  model->unit,        model->mean,         model->spread,           model->codes,
        model->shares, model->user_sigmas, model->user_delays,  model->output_train_mse, model->output_cv_mse,
        model->noise,  model->own_noise,   model->held.outputs, model->instrument_noise, model->user_waves};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_release(model->kernel_words);
    orffi_release(model->notes);
    orffi_release(model->engine_reason);
    orffi_release(model->method);
    orffi_cover_clear(&model->cover);
    orffi_trend_free(model->trend);
    orffi_series_free(model->series);
    model->engine->free(model->fit);
    orffi_archive_close(model->file);
    orffi_release(model);
}

void orffi_model_cover(orff_model *model, orffi_cover *cover) {
    orffi_cover_end(cover);
    if (model && cover->n) {
        orffi_cover_clear(&model->cover);
        model->cover = *cover;
        *cover = (orffi_cover){0};
    }
    orffi_cover_clear(cover);
}

orff_status orff_model_set_notes(orff_model *model, const char *notes) {
    if (!model) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_set_notes: NULL argument");
    return orffi_notes_set(&model->notes, notes);
}

const char *orff_model_notes(const orff_model *model) {
    return model->notes ? model->notes : "";
}

/* ---- the kernel in words */

enum { PART_WORDS = 480 }; /* at least the longest description of a part: it names at most four inputs ... */
enum { MOST_SAID = 8 };    /* ... and so many delays */

/* Text that grows at its end and stops when the room is used up. */
typedef struct words {
    char *text;
    size_t used, room;
} words;

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *w, const char *format, ...) {
    const size_t left = w->room - w->used;
    va_list arguments;
    va_start(arguments, format);
    const int said = vsnprintf(w->text + w->used, left, format, arguments);
    va_end(arguments);
    if (said > 0) w->used += (size_t)said < left ? (size_t)said : left - 1;
}

/* One number if all are equal, otherwise the first four. */
static void say_lengths(words *w, const char *what, size_t d, const double *sigmas) {
    size_t equal = 1;
    while (equal < d && sigmas[equal] == sigmas[0]) equal++;
    const size_t count = equal == d ? 1 : d;
    say(w, ", %s", what);
    for (size_t k = 0; k < count && k < 4; k++) say(w, " %.6g", sigmas[k]);
    if (count > 4) say(w, " ...");
}

/* The inputs of the field's space, counted from 1. */
static void say_space(words *w, const orffi_spectrum *law) {
    say(w, ", inputs");
    for (size_t i = 0; i < law->space_count && i < 4; i++) say(w, " %zu", law->space[i] + 1);
    if (law->space_count > 4) say(w, " ...");
}

static void say_periods(words *w, const orff_model *model, const orffi_spectrum *law) {
    for (size_t i = 0; i < model->d && i < 4; i++)
        if (orffi_is_periodic(law->period, i))
            say(w, ", input %zu of period %.6g", i + 1, law->period[i] * model->unit[i]);
}

/* ", late by 0 / 1.5": the delays of one output are separated by commas. */
static void say_delays(words *w, const orff_model *model, size_t m) {
    const size_t d = model->d, p = model->p;
    const double *delays = model->user_delays + m * p * d;
    say(w, ", late by");
    for (size_t i = 0; i < p * d && i < MOST_SAID; i++)
        say(w, "%s %.6g", i == 0 ? "" : i % d ? "," : " /", delays[i]);
    if (p * d > MOST_SAID) say(w, " / ...");
}

/* B of a physical rule is proportional to w. In the user's units, where w' = w / unit, its weight is
 * multiplied by unit^2. */
static double user_weight(const orff_model *model, const orffi_kernel_part *part) {
    const double unit = part->rule->physical ? model->unit[part->law.space[0]] : 1.0;
    return part->root * part->root * unit * unit;
}

static void say_part(const orff_model *model, size_t m, words *w) {
    const orffi_kernel_part *part = &orffi_model_kernel(model)->parts[m];
    const double weight = user_weight(model, part);
    say(w, "%s%s", m ? " + " : "", orff_rule_name(part->rule->id));
    if (!part->law.base) {
        if (weight != 1.0) say(w, " (weight %.6g)", weight);
        return;
    }
    say(w, " (%s", orff_base_name(part->law.base->id));
    if (part->law.base->has_shape) say(w, " %.6g", part->law.shape);
    say_lengths(w, "sigma", model->d, model->user_sigmas + m * model->d);
    if (part->law.centre) say_lengths(w, "wavelength", model->d, model->user_waves + m * model->d);
    say_periods(w, model, &part->law);
    if (part->rule->mixes) say(w, ", mix %.6g", part->mix);
    if (part->delays) say_delays(w, model, m);
    if (part->rule->physical && model->d > model->p) say_space(w, &part->law);
    if (weight != 1.0) say(w, ", weight %.6g", weight);
    say(w, ")");
}

static orff_status fill_words(orff_model *model) {
    const size_t parts = orffi_model_kernel(model)->n_parts;
    words w = {.room = parts * PART_WORDS};
    ORFFI_TRY(ORFFI_NEW_ARRAY(w.text, w.room));
    for (size_t m = 0; m < parts; m++) say_part(model, m, &w);
    orffi_release(model->kernel_words);
    model->kernel_words = w.text;
    return ORFF_OK;
}

/* ---- what follows from the fit and the units */

/* Length scales in the user's units; zeros for a signature kernel, which has none. */
static void fill_sigmas(orff_model *model) {
    const orff_kernel *kernel = orffi_model_kernel(model);
    for (size_t m = 0; m < kernel->n_parts; m++) {
        const orffi_spectrum *law = &kernel->parts[m].law;
        for (size_t k = 0; law->base && k < model->d; k++)
            model->user_sigmas[m * model->d + k] = law->scale[k] * model->unit[k];
        for (size_t k = 0; law->centre && k < model->d; k++)
            model->user_waves[m * model->d + k] = law->wavelength[k] * model->unit[k];
        for (size_t i = 0; kernel->parts[m].delays && i < model->p * model->d; i++)
            model->user_delays[m * model->p * model->d + i] =
                kernel->parts[m].delays[i] * model->unit[i % model->d];
    }
}

/* Warnings of the fit, of variance that the output matrix cannot reach, and of doubts. */
static void fill_warnings(orff_model *model) {
    orff_model_info info = {.warning = ""};
    model->engine->describe(model->fit, &info);
    model->warnings = info.warnings;
    snprintf(model->warning, sizeof model->warning, "%s", info.warning);
    if (model->unreached > ORFFI_NOTABLE_SHARE) {
        model->warnings |= ORFF_WARN_UNREACHED;
        snprintf(
            model->warning, sizeof model->warning,
            "%s%s%.2g %% of the variance of the outputs lies where the output matrix is zero, and cannot "
            "be learned; give a matrix of full rank, such as that of a Laplacian with a ridge",
            info.warning, *info.warning ? "; " : "", 100.0 * model->unreached);
    }
    orffi_doubts_say(model);
}

static orff_status fill_codes(orff_model *model) {
    if (model->classes != model->p + 1)
        return orffi_fail(ORFF_ERROR_MISMATCH, "%zu classes have codes of %zu outputs, the kernel has %zu",
                          model->classes, model->classes - 1, model->p);
    return orff_simplex_codes(model->classes, model->codes);
}

void orffi_model_set_codes(orff_model *model, const double *codes) {
    memcpy(model->codes, codes, model->classes * model->p * sizeof *codes);
    model->own_codes = true;
}

orff_status orffi_model_finish(orff_model *model) {
    fill_sigmas(model);
    if (model->classes && !model->own_codes) ORFFI_TRY(fill_codes(model));
    fill_warnings(model);
    return fill_words(model);
}

void orffi_model_transform(const orff_model *model, size_t n, const double *X, double *out) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < model->d; k++)
            out[i * model->d + k] = (X[i * model->d + k] - model->shift[k]) / model->unit[k];
}

/* ---- describing */

orff_model_info orff_model_describe(const orff_model *model) {
    orff_model_info info = {.inputs = model->d,
                            .outputs = model->classes ? 1 : model->p,
                            .classes = model->classes,
                            .code_length = model->p,
                            .codes = model->codes,
                            .engine = model->engine->id,
                            .engine_reason = model->engine_reason,
                            .parts = orffi_model_kernel(model)->n_parts,
                            .rows = model->rows,
                            .lambda = model->lambda,
                            .train_mse = model->train_mse,
                            .cv_mse = model->cv_mse,
                            .dof = model->dof,
                            .log_evidence = model->log_evidence,
                            .noise = model->classes ? NULL : orffi_model_noise(model),
                            .single = model->single,
                            .on_plane = model->on_plane,
                            .plane = model->plane,
                            .kernel = model->kernel_words,
                            .output_train_mse = model->output_train_mse,
                            .output_cv_mse = model->output_cv_mse,
                            .shares = model->shares,
                            .solve = model->solve,
                            .left_out = model->left_out,
                            .kernel_error = NAN,
                            .folds = model->held.folds,
                            .held_out_mse = model->held.mse,
                            .held_out_rows = model->held.rows,
                            .held_out_blocks = model->held.blocks,
                            .output_held_out_mse = model->held.outputs,
                            .places = model->cover.n,
                            .resolution = model->cover.cell * sqrt((double)model->cover.k)};
    info.trend = model->trend ? model->trend->kind : ORFF_TREND_NONE;
    info.trend_terms = model->trend ? model->trend->terms - model->trend->offsets : 0;
    info.error_share = model->error_share;
    info.instruments = model->instruments;
    info.instrument_noise = model->instrument_noise;
    info.offsets = model->trend ? model->trend->offsets : 0;
    if (model->trend)
        info.offset_ratio = sqrt(model->trend->ratio) * model->noise[0] / orffi_model_noise(model)[0];
    info.trend_centre = model->trend ? model->trend->centre : NULL;
    memcpy(info.held_out_coverage, model->held.coverage, sizeof info.held_out_coverage);
    model->engine->describe(model->fit, &info);
    info.warnings = model->warnings;
    info.warning = model->warning;
    return info;
}

orff_status orff_model_part(const orff_model *model, size_t i, orff_part *out) {
    if (!model || !out) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_part: NULL argument");
    const orff_kernel *kernel = orffi_model_kernel(model);
    if (i >= kernel->n_parts)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no part %zu among %zu (0-based)", i,
                          kernel->n_parts);
    const orffi_kernel_part *part = &kernel->parts[i];
    *out = orff_part_default();
    out->rule = part->rule->id;
    out->weight = user_weight(model, part);
    out->columns = part->columns;
    out->matrix = part->matrix;
    out->exact = part->exact;
    out->self = part->self;
    out->stretchable = part->stretchable;
    out->hermitian = part->hermitian && part->rule->stored;
    if (part->delays) out->delays = model->user_delays + i * model->p * model->d;
    if (part->rule->mixes) out->mix = part->mix;
    if (part->rule->physical) out->space = part->law.space;
    if (part->law.base) {
        out->base = part->law.base->id;
        out->shape = part->law.shape;
        out->sigmas = model->user_sigmas + i * model->d;
        out->sigma = out->sigmas[0];
        if (part->law.centre) out->wavelengths = model->user_waves + i * model->d;
    }
    return ORFF_OK;
}
