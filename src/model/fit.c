/* Fitting: rows -> plan -> engine -> model. */
#include "model/fit.h"
#include "base/memory.h"
#include "engine/features.h"
#include "model/choose.h"
#include "model/doubts.h"
#include "model/expect.h"
#include "model/functionals_fit.h"
#include "model/held_out.h"
#include "model/model.h"
#include "model/outliers.h"
#include "model/plane_rows.h"
#include "model/question.h"
#include "model/trend_fit.h"
#include "solve/solver.h"

/* Sums of a checkpoint can continue only in the units they began with. These follow from the head, which
 * grows when rows are appended to a short file. */
static orff_status compare_units(const orffi_plan *plan, orffi_checkpoint *checkpoint) {
    orffi_digest digest = {0};
    if (!checkpoint) return ORFF_OK;
    orffi_digest_add(&digest, plan->d, plan->units.shift);
    orffi_digest_add(&digest, plan->d, plan->units.unit);
    orffi_digest_add(&digest, plan->p, plan->units.spread);
    return orffi_checkpoint_match_units(checkpoint, &digest);
}

orff_status orffi_fit_checked(orff_model **out, orffi_plan *plan, orffi_rows *rows, const orffi_path *found) {
    orff_model *model = NULL;
    ORFFI_TRY(orffi_fit_plan(&model, plan, rows, found));
    orff_status status = orffi_held_out_fill(model, plan, rows);
    if (!status) status = orffi_doubts_find(model, plan, rows);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

/* Records the places of rows in memory; those of a stream are recorded as they pass. */
static orff_status see_places(orffi_cover *cover, const orff_settings *settings, const orffi_rows *rows) {
    if (rows->stream) return ORFF_OK;
    ORFFI_TRY(orffi_cover_begin(cover, settings, rows->d, rows->p));
    orffi_cover_add(cover, rows->n, rows->d, rows->X, rows->weights);
    return ORFF_OK;
}

orff_status orffi_fit_rows(orff_model **out, const orff_settings *settings, orffi_rows *rows) {
    orffi_plan plan = {0};
    orffi_cover cover = {0};
    orffi_trend_fit trend = {0};
    orff_settings plain = *settings;
    orff_status status = orffi_expect_say(&plain, rows);
    if (!status) status = orffi_trend_begin(&trend, &plain, rows);
    if (!status) status = orffi_plan_make(&plan, &plain, rows);
    if (trend.trend) plan.trend = &trend;
    if (!status) status = see_places(&cover, settings, rows);
    if (!status) status = orffi_rows_weigh(rows, &plan.quality);
    plan.shift *= plan.quality.factor;
    if (!status) status = compare_units(&plan, rows->checkpoint);
    orff_model *model = NULL;
    if (!status) status = orffi_fit_checked(&model, &plan, rows, NULL);
    if (!status) orffi_trend_give(&trend, model);
    if (!status && rows->functionals) status = orffi_functionals_join(model, &plan, rows, rows->functionals);
    orffi_model_cover(status ? NULL : model, &cover);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    orffi_plan_clear(&plan);
    orffi_trend_clear(&trend);
    return status;
}

orff_status orffi_check_fit(const orff_settings *settings, size_t d, size_t p) {
    ORFFI_TRY(orffi_plan_check(settings));
    if (d == 0 || p == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a model needs inputs and outputs (d=%zu, p=%zu)", d,
                          p);
    if (settings->folds_by == ORFF_FOLDS_GROUPS && !settings->groups)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "folds by groups need the group of each row");
    if (settings->classes == 1)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there must be at least 2 classes");
    ORFFI_TRY(orffi_check_codes(settings));
    if (settings->classes && p != 1)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "with classes Y is one column of labels, not %zu", p);
    if (!settings->classes && (orff_loss_describe(settings->loss).classes))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the %s loss is for classes",
                          orff_loss_name(settings->loss));
    return ORFF_OK;
}

/* Checks before any row is read. n: rows, or 0 if unknown. */
static orff_status find_engine(const orff_settings *settings, size_t d, size_t p, size_t n,
                               const orffi_engine **engine) {
    const char *reason;
    return orffi_engine_choose(settings, d, orffi_code_length(settings, p), n, engine, &reason);
}

/* All rows are in memory: if they differ from those of a checkpoint, fails at once. */
static orff_status witness_arrays(orffi_checkpoint *checkpoint, size_t d, size_t p, size_t n, const double *X,
                                  const double *Y, const double *weights) {
    if (!checkpoint) return ORFF_OK;
    orffi_witness_begin(&checkpoint->witness, NULL, d, p);
    if (orffi_witness_see(&checkpoint->witness, n, X, Y, weights)) orffi_witness_end(&checkpoint->witness);
    return orffi_checkpoint_outcome(checkpoint, ORFF_OK);
}

static orff_status fit_without_outliers(orff_model **model, const orff_settings *settings,
                                        const orff_observations *rows) {
    orffi_without_outliers left;
    orff_status status = orffi_outliers_drop(&left, 1, settings, rows);
    const orff_observations *o = &left.rows;
    if (!status) status = orff_model_fit(model, left.settings, o->d, o->p, o->n, o->X, o->Y, o->weights);
    orffi_without_outliers_clear(&left);
    return status;
}

orff_status orff_model_fit(orff_model **model, const orff_settings *settings, size_t d, size_t p, size_t n,
                           const double *X, const double *Y, const double *weights) {
    const orffi_engine *engine;
    orffi_rows rows = {0};
    orffi_checkpoint *checkpoint = NULL;
    orffi_codes codes = {0};
    if (!model || !settings || !X || !Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit: NULL argument");
    if (settings->drop_outliers)
        return fit_without_outliers(
            model, settings,
            &(orff_observations){.d = d, .p = p, .n = n, .X = X, .Y = Y, .weights = weights});
    if (settings->geo) return orffi_plane_fit(model, settings, d, p, n, X, Y, weights);
    ORFFI_TRY(orffi_check_fit(settings, d, p));
    ORFFI_TRY(find_engine(settings, d, p, n, &engine));
    orff_status status = orffi_question_open(&checkpoint, settings, engine, d, p, weights != NULL, n);
    if (!status) status = witness_arrays(checkpoint, d, p, n, X, Y, weights);
    if (!status) status = orffi_codes_make(&codes, settings);
    if (!status) status = orffi_rows_from_arrays(&rows, d, p, &codes, n, X, Y, weights, settings->subsample);
    rows.checkpoint = checkpoint;
    if (!status) status = orffi_fit_rows(model, settings, &rows);
    orffi_rows_clear(&rows);
    orffi_checkpoint_close(checkpoint);
    orffi_codes_clear(&codes);
    return status;
}

/* Reads the head of a stream, on which automatic choices are made, and marks its end in the checkpoint. */
static orff_status open_stream(orffi_rows *rows, const orff_settings *settings, size_t d, size_t p,
                               const orffi_codes *codes, const orff_reader *reader,
                               orffi_checkpoint *checkpoint) {
    orff_reader source = *reader;
    if (checkpoint) {
        orffi_witness_begin(&checkpoint->witness, reader, d, p);
        source = orffi_witness_reader(&checkpoint->witness);
    }
    ORFFI_TRY(orffi_rows_from_reader(rows, d, p, codes, &source, settings->subsample));
    rows->checkpoint = checkpoint;
    if (checkpoint) orffi_witness_mark(&checkpoint->witness);
    return ORFF_OK;
}

orff_status orff_model_fit_stream(orff_model **model, const orff_settings *settings, size_t d, size_t p,
                                  const orff_reader *reader) {
    const orffi_engine *engine;
    orffi_rows rows = {0};
    orffi_checkpoint *checkpoint = NULL;
    orffi_cover cover = {0};
    orffi_codes codes = {0};
    if (!model || !settings || !reader || !reader->read)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_stream: NULL argument");
    if (settings->groups)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "groups are for rows in memory, not for a stream");
    ORFFI_TRY(orffi_outliers_refuse(
        settings, "that needs all rows in memory, and these are streamed: allow enough memory to hold them"));
    ORFFI_TRY(orffi_trend_refuse(
        settings, "it needs all rows in memory, and these are streamed: allow enough memory to hold them"));
    if (settings->geo) return orffi_plane_fit_stream(model, settings, d, p, reader);
    ORFFI_TRY(orffi_check_fit(settings, d, p));
    ORFFI_TRY(find_engine(settings, d, p, 0, &engine));
    orff_status status = orffi_question_open(&checkpoint, settings, engine, d, p, reader->weighted, 0);
    if (!status) status = orffi_codes_make(&codes, settings);
    if (!status) status = orffi_cover_begin(&cover, settings, d, p);
    orffi_covering covering = {.cover = &cover, .source = *reader, .d = d};
    const orff_reader seen = orffi_covering_reader(&covering);
    if (!status) status = open_stream(&rows, settings, d, p, &codes, &seen, checkpoint);
    if (!status) status = orffi_fit_rows(model, settings, &rows);
    status = orffi_checkpoint_outcome(checkpoint, status);
    orffi_model_cover(status ? NULL : *model, &cover);
    orffi_rows_clear(&rows);
    orffi_checkpoint_close(checkpoint);
    orffi_codes_clear(&codes);
    return status;
}

/* ---- from moments */

orff_status orffi_check_fit_moments(const orff_settings *s, size_t p) {
    if (s->n_hidden)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "hidden layers are learned from rows, which moments do not have");
    ORFFI_TRY(orffi_check_codes(s));
    if (s->classes && orffi_code_length(s, 1) != p)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "%zu classes have codes of %zu numbers; the moments have %zu outputs", s->classes,
                          orffi_code_length(s, 1), p);
    ORFFI_TRY(orffi_outliers_refuse(s, "they are found among rows, which moments do not have"));
    ORFFI_TRY(orffi_trend_refuse(s, "it is estimated from rows, which moments do not have"));
    return orffi_question_refuse(s, "a fit from moments, which have their rows,");
}

static orff_status check_moments(const orff_settings *s, const orff_moments *moments) {
    if (s->auto_mix)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "the mix is not found from moments; give a number, or the two halves as parts of a sum, "
            "whose weights are learned");
    if (s->auto_kernel)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "moments already have their length scales; name the parts, and mixture learns their weights");
    if (s->loss != ORFF_LOSS_SQUARED ||
        (s->engine != ORFF_ENGINE_AUTO && s->engine != ORFF_ENGINE_FEATURES) ||
        !orffi_solver_is_closed(s->solver))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "moments are for the squared loss, the engine %s and its direct solver",
                          orff_engine_name(ORFF_ENGINE_FEATURES));
    return orffi_check_fit_moments(s, moments->p);
}

orff_status orff_model_fit_moments(orff_model **out, const orff_settings *settings,
                                   const orff_moments *moments) {
    orffi_plan plan = {0};
    orff_kernel *kernel = NULL;
    orff_model *model = NULL;
    void *rows = NULL;
    if (!out || !settings || !moments)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_moments: NULL argument");
    ORFFI_TRY(check_moments(settings, moments));
    orff_status status = orffi_plan_for_moments(&plan, settings, moments);
    if (!status && orffi_plan_learns(&plan)) status = orffi_matrix_from_moments(&plan, moments);
    const orffi_task task = orffi_plan_task(&plan);
    if (!status) status = orffi_plan_kernel(&plan, &kernel);
    if (!status) status = orffi_features_rows_of_moments(&rows, &task, kernel, moments);
    if (!status) status = orffi_fit_prepared(&model, &plan, rows, kernel, NULL);
    if (!status) status = orffi_plane_of_moments(model, settings, moments);
    if (!status) *out = model;
    if (status) orff_model_free(model);
    orffi_engine_features.release(rows);
    orff_kernel_free(kernel);
    orffi_plan_clear(&plan);
    return status;
}
