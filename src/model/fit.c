/* Fitting: rows -> plan -> features -> moments -> ridge -> model, or rows -> iteration -> model; or
 * without features, rows -> exact kernel -> model. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/plane_rows.h"
#include "model/question.h"

#define LARGEST_DIRECT 16000 /* rows of the system: 2 GB for each matrix */

/* ---- the public calls */

/* How many rows the system of a direct solution would have: 2 D for one decomposable part, else 2 D p' (at
 * most). */
static size_t system_rows(const orffi_plan *plan) {
    const size_t D = plan->settings.sampling.features ? plan->settings.sampling.features : 1000;
    if (plan->settings.n_parts == 1 && orffi_rule_find(plan->parts[0].rule)->separable) return 2 * D;
    return 2 * D * plan->p;
}

static orff_status pick_solver(const orffi_plan *plan, bool *direct) {
    const orff_settings *s = &plan->settings;
    *direct =
        s->solver == ORFF_SOLVER_DIRECT || (s->solver == ORFF_SOLVER_AUTO && s->loss == ORFF_LOSS_SQUARED &&
                                            system_rows(plan) <= LARGEST_DIRECT);
    if (s->mixture && !s->auto_kernel && !*direct)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "learning the weights of a mixture needs the direct solver; use fewer frequencies");
    return ORFF_OK;
}

/* From the plan's units to the user's. */
static orff_status settle(orff_model *model, const orffi_plan *plan) {
    for (size_t i = 0; plan->units.unit && i < model->d; i++) {
        model->shift[i] = plan->units.shift[i];
        model->unit[i] = plan->units.unit[i];
    }
    double square = 0.0;
    model->train_mse = 0.0;
    for (size_t k = 0; k < model->p; k++) {
        const double spread = plan->units.spread ? plan->units.spread[k] : 1.0;
        model->spread[k] = spread;
        model->mean[k] *= spread;
        model->output_train_mse[k] *= spread * spread;
        model->train_mse += model->output_train_mse[k] / (double)model->p;
        square += spread * spread / (double)model->p;
    }
    model->noise *= square;
    if (plan->shares)
        return orffi_duplicate(&model->shares, plan->shares, plan->settings.n_parts + 1,
                               sizeof *model->shares);
    return ORFF_OK;
}

/* Everything that predictions are made of, and what is always told. */
static bool is_finite(const orff_model *model) {
    const size_t p = model->p;
    const bool coefficients = model->exact
                                  ? !orffi_check_finite("alpha", model->exact->plan.n, p, model->exact->alpha)
                                  : !orffi_check_finite("theta", model->features->M, 1, model->theta);
    return coefficients && !orffi_check_finite("mean", 1, p, model->mean) &&
           !orffi_check_finite("errors", 1, p, model->output_train_mse) && isfinite(model->train_mse) &&
           isfinite(model->noise);
}

static orff_status check_result(const orff_model *model) {
    if (is_finite(model)) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_NUMERICAL,
        "the fit overflowed: its coefficients or errors are not finite; give inputs, outputs and weights in "
        "units that make them neither huge nor tiny, or another lambda (it is %g)",
        model->lambda);
}

static orff_status finish(orff_status status, orff_model *model, const orffi_plan *plan, orff_model **out) {
    if (!status) status = settle(model, plan);
    if (!status) status = check_result(model);
    if (!status) status = orffi_model_finish(model);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

orff_status orffi_fit_plan(orff_model **out, orffi_plan *plan, orffi_rows *rows) {
    orff_model *model = NULL;
    bool direct = true;
    const bool exact = plan->settings.solver == ORFF_SOLVER_EXACT;
    rows->units = &plan->units;
    orff_status status = exact ? ORFF_OK : pick_solver(plan, &direct);
    if (!status)
        status = (exact    ? orffi_fit_exact
                  : direct ? orffi_fit_direct
                           : orffi_fit_iterative)(&model, plan, rows);
    return finish(status, model, plan, out);
}

/* Sums go on only in the units they began in: these follow from the head, which is longer if rows came to it. */
static orff_status settle_units(const orffi_plan *plan, orffi_checkpoint *checkpoint) {
    orffi_digest digest = {0};
    if (!checkpoint) return ORFF_OK;
    orffi_digest_add(&digest, plan->d, plan->units.shift);
    orffi_digest_add(&digest, plan->d, plan->units.unit);
    orffi_digest_add(&digest, plan->p, plan->units.spread);
    return orffi_checkpoint_settle(checkpoint, &digest);
}

static orff_status fit_rows(orff_model **out, const orff_settings *settings, orffi_rows *rows) {
    orffi_plan plan = {0};
    orff_status status = orffi_fit_exact_check(settings, rows);
    if (!status) status = orffi_plan_make(&plan, settings, rows);
    if (!status) status = settle_units(&plan, rows->checkpoint);
    if (!status) status = orffi_fit_plan(out, &plan, rows);
    orffi_plan_clear(&plan);
    return status;
}

orff_status orffi_check_fit(const orff_settings *settings, size_t d, size_t p) {
    ORFFI_TRY(orffi_plan_check(settings));
    if (d == 0 || p == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a model needs inputs and outputs (d=%zu, p=%zu)", d,
                          p);
    if (settings->classes == 1)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there must be at least 2 classes");
    if (settings->classes && p != 1)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "with classes Y is one column of labels, not %zu", p);
    if (!settings->classes && (orff_loss_describe(settings->loss).classes))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the %s loss is for classes",
                          orff_loss_name(settings->loss));
    return ORFF_OK;
}

orff_status orffi_make_codes(size_t classes, double **codes) {
    if (!classes) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(*codes, classes * (classes - 1)));
    return orff_simplex_codes(classes, *codes);
}

/* All rows are there: others than those of a checkpoint are refused at once. */
static orff_status witness_arrays(orffi_checkpoint *checkpoint, size_t d, size_t p, size_t n, const double *X,
                                  const double *Y, const double *weights) {
    if (!checkpoint) return ORFF_OK;
    orffi_witness_begin(&checkpoint->witness, NULL, d, p);
    if (orffi_witness_see(&checkpoint->witness, n, X, Y, weights)) orffi_witness_end(&checkpoint->witness);
    return orffi_checkpoint_outcome(checkpoint, ORFF_OK);
}

orff_status orff_model_fit(orff_model **model, const orff_settings *settings, size_t d, size_t p, size_t n,
                           const double *X, const double *Y, const double *weights) {
    orffi_rows rows = {0};
    orffi_checkpoint *checkpoint = NULL;
    double *codes = NULL;
    if (!model || !settings || !X || !Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit: NULL argument");
    if (settings->geo) return orffi_plane_fit(model, settings, d, p, n, X, Y, weights);
    ORFFI_TRY(orffi_check_fit(settings, d, p));
    orff_status status = orffi_question_open(&checkpoint, settings, d, p, weights != NULL, n);
    if (!status) status = witness_arrays(checkpoint, d, p, n, X, Y, weights);
    if (!status) status = orffi_make_codes(settings->classes, &codes);
    if (!status)
        status = orffi_rows_from_arrays(&rows, d, p, settings->classes, codes, n, X, Y, weights,
                                        settings->subsample);
    rows.checkpoint = checkpoint;
    if (!status) status = fit_rows(model, settings, &rows);
    orffi_rows_clear(&rows);
    orffi_checkpoint_close(checkpoint);
    orffi_release(codes);
    return status;
}

/* The head of a stream, with a mark at its end: what is automatic is decided on it, and only on rows that are right. */
static orff_status open_stream(orffi_rows *rows, const orff_settings *settings, size_t d, size_t p,
                               const double *codes, const orff_reader *reader, orffi_checkpoint *checkpoint) {
    orff_reader source = *reader;
    if (checkpoint) {
        orffi_witness_begin(&checkpoint->witness, reader, d, p);
        source = orffi_witness_reader(&checkpoint->witness);
    }
    ORFFI_TRY(orffi_rows_from_reader(rows, d, p, settings->classes, codes, &source, settings->subsample));
    rows->checkpoint = checkpoint;
    if (checkpoint) orffi_witness_mark(&checkpoint->witness);
    return ORFF_OK;
}

orff_status orff_model_fit_stream(orff_model **model, const orff_settings *settings, size_t d, size_t p,
                                  const orff_reader *reader) {
    orffi_rows rows = {0};
    orffi_checkpoint *checkpoint = NULL;
    double *codes = NULL;
    if (!model || !settings || !reader || !reader->read)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_stream: NULL argument");
    if (settings->geo) return orffi_plane_fit_stream(model, settings, d, p, reader);
    ORFFI_TRY(orffi_check_fit(settings, d, p));
    orff_status status = orffi_question_open(&checkpoint, settings, d, p, reader->weighted, 0);
    if (!status) status = orffi_make_codes(settings->classes, &codes);
    if (!status) status = open_stream(&rows, settings, d, p, codes, reader, checkpoint);
    if (!status) status = fit_rows(model, settings, &rows);
    status = orffi_checkpoint_outcome(checkpoint, status);
    orffi_rows_clear(&rows);
    orffi_checkpoint_close(checkpoint);
    orffi_release(codes);
    return status;
}

orff_status orff_model_fit_moments(orff_model **out, const orff_settings *settings,
                                   const orff_moments *moments) {
    orffi_plan plan = {0};
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_model *model = NULL;
    if (!out || !settings || !moments)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_moments: NULL argument");
    if (settings->auto_kernel || settings->auto_mix)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "moments have their length scales already; name the parts, and mixture learns their weights");
    if (settings->loss != ORFF_LOSS_SQUARED ||
        (settings->solver != ORFF_SOLVER_AUTO && settings->solver != ORFF_SOLVER_DIRECT))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "moments are for the squared loss and the direct solver");
    ORFFI_TRY(orffi_question_refuse(settings, "a fit from moments, which have their rows,"));
    orff_status status = orffi_plan_for_moments(&plan, settings, moments);
    if (!status && settings->classes && settings->classes != moments->p + 1)
        status = orffi_fail(ORFF_ERROR_MISMATCH,
                            "%zu classes have codes of %zu numbers; the moments have %zu outputs",
                            settings->classes, settings->classes - 1, moments->p);
    if (!status) status = orffi_plan_kernel(&plan, &kernel);
    if (!status) status = orff_moments_features(moments, kernel, &features);
    if (!status) status = orffi_fit_from_moments(&model, &plan, features, moments);
    if (!status) status = orffi_plane_of_moments(model, settings, moments);
    status = finish(status, model, &plan, out);
    orff_features_free(features);
    orff_kernel_free(kernel);
    orffi_plan_clear(&plan);
    return status;
}
