/* Fitting in closed form: rows -> features -> moments -> lambda -> theta, and what is told of it. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "model/choose.h"
#include "model/fit.h"
#include "model/fit_dual.h"
#include "model/model.h"
#include "model/posterior.h"
#include "model/reach.h"
#include "solve/ridge.h"

#define LARGEST_POSTERIOR 4000

/* Sums of squared errors of each output on the rows of a set (mirrored in place): yy - 2 V.R + V^T S V, y
 * centred. */
static orff_status squared_errors(const orff_features *features, orffi_moment_set *set, const double *theta,
                                  const double *mean, double *errors) {
    const size_t L = 2 * features->D, p = features->p;
    orffi_centre centre = {0};
    double *SV = NULL, *V = NULL;
    orff_status status = orffi_centre_fill(&centre, set, L, p, false, mean);
    if (!status) status = ORFFI_NEW_ARRAY(SV, L * p);
    if (!status) status = ORFFI_NEW_ARRAY(V, L * p);
    if (!status) {
        orffi_mirror(L, set->S);
        orffi_features_fold(features, theta, V);
        orffi_gemm(false, false, L, p, L, 1.0, set->S, L, V, p, 0.0, SV, p);
    }
    for (size_t k = 0; !status && k < p; k++) {
        double error =
            set->T[k * (p + 1) + k] - 2.0 * mean[k] * set->T[p * (p + 1) + k] + centre.N * mean[k] * mean[k];
        for (size_t a = 0; a < L; a++) error += V[a * p + k] * (SV[a * p + k] - 2.0 * centre.R[a * p + k]);
        errors[k] = fmax(error, 0.0);
    }
    orffi_centre_clear(&centre);
    orffi_release(SV);
    orffi_release(V);
    return status;
}

static orff_status training_errors(const orff_moments *moments, orff_model *model, const double *mean,
                                   double N) {
    const size_t L = 2 * moments->bank->D;
    orffi_moment_set sum = {0};
    orff_status status = orffi_moment_set_init(&sum, L, model->p);
    if (!status) {
        orffi_moments_sum(moments, moments->n_sets, &sum);
        status = squared_errors(model->features, &sum, model->theta, mean, model->output_train_mse);
    }
    for (size_t k = 0; !status && k < model->p; k++) model->output_train_mse[k] /= N;
    orffi_moment_set_clear(&sum);
    return status;
}

/* Whether to keep what error bars need. */
static bool wants_posterior(const orffi_plan *plan, const orffi_system *system) {
    return plan->settings.posterior == ORFF_SWITCH_YES ||
           (plan->settings.posterior == ORFF_SWITCH_AUTO && system->n <= LARGEST_POSTERIOR &&
            plan->settings.loss == ORFF_LOSS_SQUARED);
}

/* Degrees of freedom: n r - shift trace of the inverses, which F of the posterior gives when there is no
 * eigen form. */
static double degrees(const orffi_system *s, const orffi_posterior *posterior, double shift) {
    double dof = 0.0, square = 0.0;
    if (s->U) {
        for (size_t a = 0; a < s->n; a++)
            for (size_t b = 0; b < s->r; b++) dof += s->e[a] * s->m[b] / (s->e[a] * s->m[b] + shift);
        return dof;
    }
    if (!posterior) return NAN;
    for (size_t i = 0; i < s->n * s->n; i++) square += posterior->F[i] * posterior->F[i];
    return (double)s->r * fmax((double)s->n - shift * square, 0.0); /* rounding where shift is large */
}

/* Everything that is told of a fit at its lambda. */
static orff_status tell(orff_ridge *ridge, const orffi_plan *plan, const orff_moments *moments,
                        orff_model *model, const double *mean) {
    const orffi_system *s = &ridge->system;
    const double shift = s->N * model->lambda, P = s->N * (double)s->p;
    if (wants_posterior(plan, s)) ORFFI_TRY(orffi_posterior_build(&model->posterior, &ridge->system, shift));
    ORFFI_TRY(training_errors(moments, model, mean, s->N));
    model->train_mse = 0.0;
    for (size_t k = 0; k < model->p; k++) model->train_mse += model->output_train_mse[k] / (double)model->p;
    model->dof = degrees(s, model->posterior, shift);
    model->noise = model->train_mse * P / (isnan(model->dof) ? P : fmax(P - model->dof, 1.0));
    model->rows = orff_moments_describe(moments).rows;
    model->single = moments->settings.single;
    model->log_evidence = NAN;
    if (s->U) {
        orff_path_point point;
        ORFFI_TRY(orff_ridge_path(ridge, 1, &model->lambda, false, &point));
        model->log_evidence = point.log_evidence;
    }
    /* the density of y, not of y / spread */
    for (size_t k = 0; plan->units.spread && k < model->p; k++)
        model->log_evidence -= s->N * log(plan->units.spread[k]);
    return ORFF_OK;
}

/* The cross-validated errors of a path at its best lambda, where it has them. */
orff_status orffi_model_take_errors(orff_model *model, const orffi_cross_path *path) {
    if (!path->crossed) return ORFF_OK;
    model->cv_mse = path->points[path->best].cv_mse;
    if (model->classes) return ORFF_OK;  /* errors of codes, one by one, tell nobody anything */
    orffi_release(model->output_cv_mse); /* an exact model has some already */
    model->output_cv_mse = NULL;
    return orffi_duplicate(&model->output_cv_mse, path->outputs + path->best * model->p, model->p,
                           sizeof *model->output_cv_mse);
}

/* lambda as given, or the best of the path. */
static orff_status find_lambda(const orffi_plan *plan, orff_ridge *ridge, const orff_features *features,
                               orff_model *model) {
    orffi_cross_path path = {0};
    model->lambda = plan->settings.lambda;
    model->cv_mse = NAN;
    if (model->lambda > 0.0) return orffi_plan_check_lambda(model->lambda, features);
    const orffi_path_source source = orffi_path_of_ridge(ridge, orffi_path_count(plan));
    orff_status status = orffi_cross_path_fill(&path, plan, features, &source);
    if (!status) {
        model->lambda = path.lambdas[path.best];
        status = orffi_model_take_errors(model, &path);
    }
    orffi_cross_path_clear(&path);
    return status ? status : orffi_plan_check_lambda(model->lambda, features);
}

/* features is taken over. */
static orff_status solve(orff_model **out, const orffi_plan *plan, orff_features *features,
                         const orff_moments *moments) {
    orff_ridge *ridge = NULL;
    orff_model *model = NULL;
    double *mean = NULL;
    orff_status status = orffi_model_create(&model, features, plan->settings.classes);
    if (!status) status = ORFFI_NEW_ARRAY(mean, features->p);
    if (!status) status = orff_ridge_create(&ridge, features, moments, plan->settings.center);
    if (!status) status = find_lambda(plan, ridge, features, model);
    if (!status) status = orff_ridge_solve(ridge, model->lambda, model->theta, mean, &model->solve);
    if (!status) status = tell(ridge, plan, moments, model, mean);
    if (!status) status = orffi_reach_moments(model, moments, mean);
    if (!status) memcpy(model->mean, mean, model->p * sizeof *mean);
    orff_ridge_free(ridge);
    orffi_release(mean);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

/* The features of the plan's kernel, whose weights may have been learned since the bank was drawn. */
orff_status orffi_fit_from_moments(orff_model **out, orffi_plan *plan, const orff_features *drawn,
                                   const orff_moments *moments) {
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_status status = plan->settings.mixture && !plan->settings.auto_kernel
                             ? orffi_plan_learn_weights(plan, drawn, moments)
                             : ORFF_OK;
    if (!status) status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = orff_features_rebind(&features, drawn, kernel);
    if (!status) status = solve(out, plan, features, moments);
    orff_kernel_free(kernel);
    return status;
}

/* Custom parts and signatures cannot be rebound by law: they are used as drawn. */
static bool can_rebind(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->settings.n_parts; m++)
        if (orffi_rule_find(plan->parts[m].rule)->own_law) return false;
    return true;
}

static orff_status read_moments(orff_moments **moments, const orffi_plan *plan, const orff_features *features,
                                orffi_rows *rows) {
    const orff_moments_settings how = {.folds = plan->settings.lambda > 0.0 ? 1 : plan->settings.folds,
                                       .seed = plan->settings.sampling.seed,
                                       .single = plan->settings.single};
    const orff_reader reader = orffi_rows_reader(rows);
    ORFFI_TRY(orff_moments_create(moments, features, &how));
    return orffi_rows_outcome(rows, orffi_checkpoint_read(rows->checkpoint, *moments, &reader));
}

orff_status orffi_fit_direct(orff_model **out, orffi_plan *plan, orffi_rows *rows) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_status status = orffi_plan_features(plan, plan->settings.sampling.features, &features);
    if (!status && orffi_dual_serves(plan, features, rows)) return orffi_fit_dual(out, plan, features, rows);
    if (!status) status = read_moments(&moments, plan, features, rows);
    if (!status && can_rebind(plan)) {
        status = orffi_fit_from_moments(out, plan, features, moments);
    } else if (!status) {
        status = solve(out, plan, features, moments);
        features = NULL;
    }
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}
