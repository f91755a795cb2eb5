#include "model/fit_dual.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "model/choose_exact.h"
#include "model/fit.h"
#include "model/posterior.h"
#include "model/reach.h"

#define LARGEST_POSTERIOR 4000

/* A path takes an eigendecomposition on either side. For one lambda the primal needs only a Cholesky factor, a tenth of
 * the work for the same order: the dual then pays from half the order on. */
bool orffi_dual_serves(const orffi_plan *plan, const orff_features *features, const orffi_rows *rows) {
    const orff_settings *s = &plan->settings;
    const size_t n = orffi_rows_known(rows), primal = orffi_primal_order(features);
    if (n == 0 || s->single || rows->checkpoint || (s->mixture && !s->auto_kernel)) return false;
    return orffi_dual_order(features, n) < (s->lambda > 0.0 ? primal / 2 : primal);
}

static orff_moments_settings folds_of(const orffi_plan *plan) {
    return (orff_moments_settings){.folds = plan->settings.folds, .seed = plan->settings.sampling.seed};
}

/* ---- the path */

static orff_status dual_points(void *self, size_t count, const double *lambdas, orff_path_point *points) {
    return orffi_dual_path(self, count, lambdas, points);
}

static orff_status dual_cross(void *self, size_t count, const double *lambdas, double *errors,
                              double *outputs) {
    return orffi_dual_cross(self, count, lambdas, errors, outputs);
}

static orff_status fill_path(orffi_cross_path *path, const orffi_plan *plan, orffi_dual *dual) {
    const orffi_path_source source = {.self = dual,
                                      .crossed = !orffi_dual_too_few(dual),
                                      .dear = orffi_dual_outputs_are_dear(dual, orffi_path_count(plan)),
                                      .points = dual_points,
                                      .cross = dual_cross};
    return orffi_cross_path_fill(path, plan, dual->features, &source);
}

orff_status orffi_dual_cross_path(orffi_cross_path *path, const orffi_plan *plan,
                                  const orff_features *features, orffi_rows *rows) {
    const orff_moments_settings how = folds_of(plan);
    orffi_table table = {0};
    orffi_dual dual = {0};
    rows->units = &plan->units;
    orff_status status = orffi_rows_gather(rows, &table);
    if (!status) {
        const orffi_exact_rows exact = orffi_exact_rows_of(plan, &table);
        status = orffi_dual_fill(&dual, features, &exact, &how);
    }
    if (!status) status = fill_path(path, plan, &dual);
    orffi_dual_clear(&dual);
    orffi_table_clear(&table);
    return status;
}

/* The error of every lambda: by folds, or without them where there are too few rows for that. */
static orff_status errors_of(const orffi_dual *dual, size_t count, const double *lambdas, double *errors) {
    orff_path_point *points;
    if (!orffi_dual_too_few(dual)) return orffi_dual_cross(dual, count, lambdas, errors, NULL);
    ORFFI_TRY(ORFFI_NEW_ARRAY(points, count));
    const orff_status status = orffi_dual_path(dual, count, lambdas, points);
    for (size_t l = 0; !status && l < count; l++) errors[l] = points[l].gcv;
    orffi_release(points);
    return status;
}

orff_status orffi_dual_best(const orffi_plan *plan, const orff_features *features, const orffi_table *table,
                            const orff_moments_settings *how, orffi_best_lambda *best) {
    const size_t count = plan->settings.lambda_count;
    const orffi_exact_rows rows = orffi_exact_rows_of(plan, table);
    double *lambdas = NULL, *errors = NULL;
    orffi_dual dual = {0};
    orff_status status = ORFFI_NEW_ARRAY(lambdas, count);
    if (!status) status = ORFFI_NEW_ARRAY(errors, count);
    if (!status) status = orffi_plan_lambdas(plan, features, lambdas);
    if (!status) status = orffi_dual_fill(&dual, features, &rows, how);
    if (!status) status = errors_of(&dual, count, lambdas, errors);
    if (!status) *best = orffi_pick_lambda(count, lambdas, errors);
    orffi_dual_clear(&dual);
    orffi_release(lambdas);
    orffi_release(errors);
    return status;
}

/* ---- the posterior */

/* Columns of F: eigenvectors that rounding has left something of. They are the last ones. */
static size_t count_columns(const orffi_exact_system *s) {
    const double least = (double)s->n * 2.220446049250313e-16 * s->e[s->n - 1];
    size_t count = 0;
    while (count < s->n && s->e[s->n - 1 - count] > least) count++;
    return count;
}

/* The modes of A that are not zero: with values = 1, all outputs are one and the same. */
static size_t count_modes(const orffi_exact_plan *plan) {
    size_t zero = 0;
    if (!plan->law) return 1;
    while (plan->values > 1 && zero < plan->values && orffi_exact_plan_is_zero(plan, zero)) zero++;
    return plan->p - zero;
}

static double mode(const orffi_posterior *posterior, const orffi_exact_plan *plan, size_t b) {
    if (!plan->law) return 1.0;
    return plan->values == 1 ? plan->m[0] : plan->m[plan->p - posterior->r + b];
}

/* n, r and the turning of the outputs, or the columns of the blocks. */
static orff_status fill_shape(orffi_posterior *posterior, const orffi_dual *dual) {
    const orff_features *f = dual->features;
    const orffi_bank_group *group = &f->bank->groups[f->part_group[0]];
    const size_t p = f->p, r = posterior->r = count_modes(&dual->plan);
    posterior->stein = dual->plan.law != NULL;
    posterior->first = posterior->stein ? group->first : 0;
    posterior->used = posterior->stein ? group->drawn.count : 0;
    if (!posterior->stein) ORFFI_TRY(orffi_columns_fill(&posterior->columns, f));
    posterior->n = 2 * (posterior->stein ? posterior->used : posterior->columns.count);
    posterior->k = count_columns(&dual->system);
    if (!posterior->stein) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->W, p * r));
    for (size_t i = 0; i < p; i++)
        for (size_t b = 0; b < r; b++)
            posterior->W[i * r + b] = dual->plan.W ? dual->plan.W[i * p + (p - r) + b] : (double)(i == b);
    return ORFF_OK;
}

/* F = Phi^T sqrt(c) P diag(e)^-1/2, orthonormal: P are the eigenvectors of the dual. */
static orff_status fill_factor(orffi_posterior *posterior, const orffi_dual *dual) {
    const orffi_exact_system *s = &dual->system;
    const size_t n = posterior->n, k = posterior->k, each = s->n / s->rows, D = dual->features->D;
    double *slices = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->owned, n * k));
    ORFFI_TRY(ORFFI_NEW_ARRAY(slices, s->n * n));
    for (size_t i = 0; i < s->rows; i++)
        orffi_posterior_slices(posterior, D, s->p, dual->phi + i * 2 * D, slices + i * each * n);
    for (size_t i = 0; s->root && i < s->n * n; i++) slices[i] *= s->root[i / n / each];
    orffi_gemm(true, false, n, k, s->n, 1.0, slices, n, s->F + (s->n - k), s->n, 0.0, posterior->owned, k);
    for (size_t i = 0; i < n * k; i++) posterior->owned[i] /= sqrt(s->e[s->n - k + i % k]);
    orffi_release(slices);
    return ORFF_OK;
}

/* g_ab = m_b / (e_a m_b + shift), rest_b = m_b / shift */
static orff_status fill_variances(orffi_posterior *posterior, const orffi_dual *dual, double shift) {
    const orffi_exact_system *s = &dual->system;
    const size_t k = posterior->k, r = posterior->r;
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->g, k * r));
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->rest, r));
    for (size_t b = 0; b < r; b++) {
        const double m = mode(posterior, &dual->plan, b);
        for (size_t a = 0; a < k; a++) posterior->g[a * r + b] = m / (s->e[s->n - k + a] * m + shift);
        posterior->rest[b] = m / shift;
    }
    return ORFF_OK;
}

orff_status orffi_posterior_of_dual(orffi_posterior **out, const orffi_dual *dual, double lambda) {
    orffi_posterior *posterior;
    ORFFI_TRY(ORFFI_NEW(posterior));
    orff_status status = fill_shape(posterior, dual);
    if (!status) status = fill_factor(posterior, dual);
    if (!status) status = fill_variances(posterior, dual, orffi_exact_system_shift(&dual->system, lambda));
    posterior->F = posterior->owned;
    if (status) {
        orffi_posterior_free(posterior);
    } else {
        *out = posterior;
    }
    return status;
}

/* ---- the model */

static orff_status find_lambda(const orffi_plan *plan, orffi_dual *dual, orff_model *model) {
    orffi_cross_path path = {0};
    model->lambda = plan->settings.lambda;
    model->cv_mse = NAN;
    if (model->lambda > 0.0) return orffi_plan_check_lambda(model->lambda, dual->features);
    orff_status status = fill_path(&path, plan, dual);
    if (!status) {
        model->lambda = path.lambdas[path.best];
        status = orffi_model_take_errors(model, &path);
    }
    orffi_cross_path_clear(&path);
    return status ? status : orffi_plan_check_lambda(model->lambda, dual->features);
}

/* The policy of the primal: by the number of coefficients. */
static bool wants_posterior(const orffi_plan *plan, const orff_features *features) {
    return plan->settings.posterior == ORFF_SWITCH_YES || (plan->settings.posterior == ORFF_SWITCH_AUTO &&
                                                           orffi_primal_order(features) <= LARGEST_POSTERIOR);
}

/* What is told at the model's lambda, in the plan's units. */
static void set_told(orff_model *model, const orffi_plan *plan, const orffi_dual *dual,
                     const orff_path_point *point) {
    const double N = dual->system.N, P = N * (double)model->p;
    memcpy(model->mean, dual->system.mean, model->p * sizeof *model->mean);
    model->rows = dual->rows.n;
    model->dof = point->dof;
    model->train_mse = point->train_mse;
    model->noise = model->train_mse * P / fmax(P - model->dof, 1.0);
    model->log_evidence = point->log_evidence; /* the density of y, not of y / spread */
    for (size_t k = 0; plan->units.spread && k < model->p; k++)
        model->log_evidence -= N * log(plan->units.spread[k]);
}

static orff_status learn(orff_model *model, const orffi_plan *plan, orffi_dual *dual) {
    orff_path_point point;
    ORFFI_TRY(find_lambda(plan, dual, model));
    ORFFI_TRY(
        orffi_dual_solve(dual, model->lambda, model->theta, &model->solve, &point, model->output_train_mse));
    set_told(model, plan, dual, &point);
    ORFFI_TRY(orffi_reach_rows(model, dual->rows.n, dual->rows.Y, dual->rows.weights, model->mean));
    return wants_posterior(plan, dual->features)
               ? orffi_posterior_of_dual(&model->posterior, dual, model->lambda)
               : ORFF_OK;
}

orff_status orffi_fit_dual(orff_model **out, const orffi_plan *plan, orff_features *features,
                           orffi_rows *rows) {
    const orff_moments_settings how = folds_of(plan);
    orff_model *model = NULL;
    orffi_table table = {0};
    orffi_dual dual = {0};
    orff_status status = orffi_model_create(&model, features, plan->settings.classes);
    if (!status) status = orffi_rows_gather(rows, &table);
    if (!status) {
        const orffi_exact_rows exact = orffi_exact_rows_of(plan, &table);
        status = orffi_dual_fill(&dual, features, &exact, &how);
    }
    if (!status) status = learn(model, plan, &dual);
    orffi_dual_clear(&dual);
    orffi_table_clear(&table);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}
