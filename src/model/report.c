/* From prepared rows to a model: weights of a mixture, lambda, the fit, and the report. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/choose.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/trend_fit.h"

/* ---- the report */

/* Converts the errors of every output from the plan's units to the user's; returns their mean. */
static double convert_errors(const orffi_plan *plan, double *errors) {
    double mean = 0.0;
    for (size_t k = 0; k < plan->p; k++) {
        const double spread = plan->units.spread ? plan->units.spread[k] : 1.0;
        errors[k] *= spread * spread;
        mean += errors[k] / (double)plan->p;
    }
    return mean;
}

static void fill_units(orff_model *model, const orffi_plan *plan) {
    for (size_t i = 0; plan->units.unit && i < model->d; i++) {
        model->shift[i] = plan->units.shift[i];
        model->unit[i] = plan->units.unit[i];
    }
    for (size_t k = 0; plan->units.spread && k < model->p; k++) model->spread[k] = plan->units.spread[k];
}

/* The noise variance from the mean square of an output's errors: rss / (N - dof). */
static double without_freedom(double square, double N, double dof, double least) {
    return isnan(dof) ? square : square * N / fmax(N - dof, least);
}

/* Whether the evidence chose lambda, and knows the noise that goes with it. */
static bool is_chosen(const orffi_plan *plan, const orffi_path *path, const orffi_report *report) {
    return !path && !(plan->settings.lambda > 0.0) && report->evident && !isnan(report->evident[0]);
}

/* Whether the noise is what goes with the evidence: where that chose lambda, as a lambda that was given says nothing of the
 * field's variance; and where residuals have less than one degree of freedom among them, of which they tell nothing. */
static bool is_evident(const orff_model *model, const orffi_plan *plan, const orffi_path *path,
                       const orffi_report *report) {
    const double trend = plan->trend ? plan->trend->freedom : 0.0;
    if (!report->evident || isnan(report->evident[0])) return false;
    return is_chosen(plan, path, report) || report->N * (double)model->p - trend - report->dof < 1.0;
}

/* Each output has its own noise if the kernel is k I, when all have the same degrees of freedom, or if
 * each has its own lambda. Otherwise outputs are coupled, and in their units share one noise. */
static void fill_noise(orff_model *model, const orffi_plan *plan, const orffi_path *path,
                       const orffi_report *report) {
    const size_t p = model->p;
    const double trend = plan->trend ? plan->trend->freedom / (double)p : 0.0;
    const bool apart = orffi_kernel_is_identity(orffi_model_kernel(model)), parted = path && path->parted;
    const bool evident = is_evident(model, plan, path, report);
    const double *squares = evident ? report->evident : report->train_mse;
    double mean = 0.0;
    for (size_t k = 0; k < p; k++) mean += squares[k] / (double)p;
    for (size_t k = 0; k < p; k++) {
        const double free = parted ? path->dofs[k] : report->dof / (double)p,
                     dof = trend + (evident ? 0.0 : free);
        const double square = apart || parted ? squares[k] : mean;
        model->noise[k] = sqrt(without_freedom(square, report->N, dof, 1.0 / (double)p)) * model->spread[k];
    }
}

/* Whether weights express the quality of rows. */
static bool has_qualities(const orffi_quality *q) {
    return q->errors || q->by_output || q->instruments > 1;
}

static double typical_of(const orffi_quality *q, size_t k) {
    return has_qualities(q) ? q->typical[q->by_output ? k : 0] : 1.0;
}

/* Converts means over rows, each divided by its noise, to each output's units. */
static void spread_errors(const orffi_quality *q, size_t p, double *errors) {
    for (size_t k = 0; k < p; k++) errors[k] *= typical_of(q, k);
}

/* Errors on held-out rows: those of the path, or those that the fit has computed itself. */
static orff_status fill_cross(orff_model *model, const orffi_plan *plan, const orffi_path *path,
                              const orffi_report *report) {
    const size_t p = model->p;
    const bool along = path && path->crossed;
    const double *errors = along ? path->outputs + path->best * p : report->cv_mse;
    if (!along && !report->crossed) return ORFF_OK;
    model->cv_mse = 0.0;
    for (size_t k = 0; k < p; k++) model->cv_mse += errors[k] * typical_of(&plan->quality, k) / (double)p;
    if (along && path->points)
        model->cv_mse = path->points[path->best].cv_mse * typical_of(&plan->quality, 0);
    if (model->classes) return ORFF_OK; /* errors of single code numbers mean nothing to users */
    ORFFI_TRY(orffi_duplicate(&model->output_cv_mse, errors, p, sizeof *errors));
    spread_errors(&plan->quality, p, model->output_cv_mse);
    return ORFF_OK;
}

static orff_status fill_own_noise(orff_model *model, const orffi_quality *q) {
    if (!has_qualities(q)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->own_noise, model->p));
    for (size_t k = 0; k < model->p; k++) model->own_noise[k] = model->noise[k] * sqrt(typical_of(q, k));
    return ORFF_OK;
}

/* Reports what was learned about the quality of rows. */
static orff_status fill_qualities(orff_model *model, const orffi_quality *q) {
    if (q->errors) model->error_share = 1.0 / (1.0 + exp(-q->logit));
    if (q->by_output || q->instruments < 2) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->instrument_noise, q->instruments));
    model->instruments = q->instruments;
    for (size_t k = 0; k < q->instruments; k++)
        model->instrument_noise[k] = sqrt(exp(q->ratios[k]) / (q->factor * typical_of(q, 0)));
    return ORFF_OK;
}

/* The engine's evidence is that of the kernel itself with noise N lambda, -1/2 sum_k [q_k + log det C + N log 2 pi], where
 * q_k = y_k^T C^-1 y_k = evident_k / lambda. The model's field has a_k times this covariance, where a_k N lambda is the variance of
 * its noise, and so -1/2 sum_k [q_k / a_k + log det C + N log(2 pi a_k)]: what this adds. NAN if an output has no noise. */
static double scale_evidence(const orff_model *model, const orffi_report *report) {
    double added = 0.0;
    for (size_t k = 0; k < model->p; k++) {
        const double noise = model->noise[k] / model->spread[k], q = report->evident[k] / report->lambda,
                     a = noise * noise / (report->N * report->lambda);
        if (!(a > 0.0)) return NAN;
        added += 0.5 * (q - q / a - report->N * log(a));
    }
    return added;
}

/* In the user's units. */
static orff_status fill_report(orff_model *model, const orffi_plan *plan, const orffi_path *path,
                               orffi_report *report) {
    fill_noise(model, plan, path, report);
    ORFFI_TRY(fill_own_noise(model, &plan->quality));
    ORFFI_TRY(fill_qualities(model, &plan->quality));
    spread_errors(&plan->quality, model->p, report->train_mse);
    model->train_mse = convert_errors(plan, report->train_mse);
    memcpy(model->output_train_mse, report->train_mse, model->p * sizeof *report->train_mse);
    for (size_t k = 0; k < model->p; k++) model->mean[k] = report->mean[k] * model->spread[k];
    model->log_evidence = report->log_evidence; /* the density of y, not of y / spread */
    if (is_chosen(plan, path, report)) model->log_evidence += scale_evidence(model, report);
    model->log_evidence -= plan->log_spread;
    for (size_t k = 0; !plan->directed && k < model->p; k++)
        model->log_evidence -= report->N * log(model->spread[k]);
    model->lambda = report->lambda;
    model->dof = report->dof + (plan->trend ? plan->trend->freedom : 0.0);
    model->rows = plan->directed && plan->measured ? plan->measured : report->rows;
    model->weight = plan->directed ? plan->N : report->N;
    model->single = report->single;
    model->unreached = report->unreached;
    model->left_out = plan->left_out;
    model->solve = report->solve;
    if (!plan->parts.shares) return ORFF_OK;
    return orffi_duplicate(&model->shares, plan->parts.shares, plan->parts.count + 1, sizeof *model->shares);
}

/* ---- checks */

/* Checks everything that predictions use, and what is always reported. */
static orff_status check_result(const orff_model *model) {
    const size_t p = model->p;
    if (!model->engine->check_finite(model->fit) && !orffi_check_finite("mean", 1, p, model->mean) &&
        !orffi_check_finite("errors", 1, p, model->output_train_mse) && isfinite(model->train_mse) &&
        !orffi_check_finite("noise", 1, p, model->noise))
        return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_NUMERICAL,
        "the fit overflowed: its coefficients or errors are not finite; give inputs, outputs and weights in "
        "units that make them neither huge nor tiny, or another lambda (it is %g)",
        model->lambda);
}

/* ---- the fit */

static orff_status fill_model(orff_model *model, const orffi_plan *plan, const orffi_path *path,
                              orffi_report *report) {
    ORFFI_TRY(orffi_replace_text(&model->engine_reason, plan->engine_reason ? plan->engine_reason : ""));
    fill_units(model, plan);
    ORFFI_TRY(fill_cross(model, plan, path, report));
    ORFFI_TRY(fill_report(model, plan, path, report));
    ORFFI_TRY(check_result(model));
    return orffi_model_finish(model);
}

/* Reads the rows into the plan's engine for its kernel. The engine must release *prepared in any case. */
static orff_status read_rows(void **prepared, orffi_plan *plan, orffi_rows *rows, const orff_kernel *kernel) {
    const orffi_task task = orffi_plan_task(plan);
    orffi_source source;
    rows->units = &plan->units;
    ORFFI_TRY(plan->engine->prepare(prepared, &task, kernel));
    ORFFI_TRY(orffi_rows_source(rows, &source));
    plan->log_spread = rows->log_spread;
    plan->measured = rows->measured;
    plan->N = rows->N;
    return orffi_rows_outcome(rows, plan->engine->read(*prepared, &source));
}

/* With a trend, estimates it first and reads the rows again without it. */
static orff_status learn_fit(void **fit, orffi_plan *plan, void *rows, const orff_kernel *kernel,
                             double lambda, orffi_report *report) {
    orffi_trend_fit *trend = plan->trend;
    void *without = NULL;
    if (!trend) return plan->engine->learn(fit, rows, kernel, lambda, report);
    ORFFI_TRY(orffi_trend_estimate(trend, plan, kernel, lambda));
    orff_status status = read_rows(&without, plan, trend->rows, trend->kernel);
    if (!status) status = plan->engine->learn(fit, without, kernel, lambda, report);
    plan->engine->release(without);
    return status;
}

/* report: its arrays are allocated. */
static orff_status learn(orff_model **out, orffi_plan *plan, void *rows, const orff_kernel *kernel,
                         double lambda, const orffi_path *path, orffi_report *report) {
    void *fit = NULL;
    orff_model *model = NULL;
    ORFFI_TRY(orffi_check_lambda(lambda, plan->engine, rows, kernel));
    ORFFI_TRY(learn_fit(&fit, plan, rows, kernel, lambda, report));
    if (report->crossed) convert_errors(plan, report->cv_mse);
    ORFFI_TRY(orffi_model_create(&model, plan->engine, fit, plan->settings.classes));
    if (plan->settings.classes && plan->settings.codes) orffi_model_set_codes(model, plan->settings.codes);
    const orff_status status = fill_model(model, plan, path, report);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

/* The kernel that gives each output its best lambda of the path; NULL if one lambda is best for all. */
static orff_status part_outputs(orffi_path *path, orffi_plan *plan, const orff_kernel *kernel,
                                orff_kernel **parted) {
    if (path->told && path->crossed && path->points && orffi_path_parts_outputs(plan, kernel))
        ORFFI_TRY(orffi_path_part_outputs(path, plan));
    return path->parted ? orffi_plan_kernel(plan, parted) : ORFF_OK;
}

/* With lambda as given, or the best of the path. */
static orff_status learn_along(orff_model **out, orffi_plan *plan, void *rows, const orff_kernel *kernel,
                               const orffi_path *found) {
    orffi_path path = {0};
    orff_kernel *parted = NULL;
    double *arrays;
    const size_t p = plan->p;
    const bool open = !found && !(plan->settings.lambda > 0.0), known = open && orffi_path_is_known(plan);
    double lambda = plan->settings.lambda;
    ORFFI_TRY(ORFFI_NEW_ARRAY(arrays, 4 * p));
    orffi_report report = {.mean = arrays,
                           .train_mse = arrays + p,
                           .cv_mse = arrays + 2 * p,
                           .evident = plan->engine->evident ? arrays + 3 * p : NULL};
    orff_status status = ORFF_OK;
    for (size_t k = 0; report.evident && k < p; k++) report.evident[k] = NAN;
    if (known) status = orffi_path_known(plan, rows, kernel, &lambda);
    if (open && !known) {
        status = orffi_path_fill(&path, ORFFI_PATH_REPORT, plan, plan->engine, rows, kernel);
        if (!status) status = part_outputs(&path, plan, kernel, &parted);
        found = &path;
    }
    if (!status && found) lambda = found->lambdas[found->best];
    if (!status) status = learn(out, plan, rows, parted ? parted : kernel, lambda, found, &report);
    orff_kernel_free(parted);
    orffi_path_clear(&path);
    orffi_release(arrays);
    return status;
}

orff_status orffi_fit_prepared(orff_model **out, orffi_plan *plan, void *rows, const orff_kernel *kernel,
                               const orffi_path *found) {
    orff_kernel *weighted = NULL;
    const bool mixture = plan->settings.mixture && !plan->settings.auto_kernel;
    orff_status status = mixture ? orffi_plan_learn_weights(plan, plan->engine, rows, kernel) : ORFF_OK;
    if (!status && mixture) status = orffi_plan_kernel(plan, &weighted);
    if (!status) status = learn_along(out, plan, rows, weighted ? weighted : kernel, found);
    orff_kernel_free(weighted);
    return status;
}

orff_status orffi_fit_plan(orff_model **out, orffi_plan *plan, orffi_rows *rows, const orffi_path *found) {
    orff_kernel *kernel = NULL;
    void *prepared = NULL;
    orff_status status = orffi_plan_kernel(plan, &kernel);
    if (plan->trend) plan->trend->kernel = kernel;
    if (!status) status = read_rows(&prepared, plan, rows, kernel);
    if (!status) status = orffi_fit_prepared(out, plan, prepared, kernel, found);
    plan->engine->release(prepared);
    orff_kernel_free(kernel);
    return status;
}
