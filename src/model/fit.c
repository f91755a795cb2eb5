/* Fitting: rows -> plan -> features -> moments -> ridge -> model, or rows -> iteration -> model. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "model/choose.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/posterior.h"
#include "solve/ridge.h"

#define LARGEST_DIRECT 16000   /* rows of the system: 2 GB for each matrix */
#define LARGEST_POSTERIOR 4000

orff_settings orff_settings_default(void) {
    return (orff_settings){.sampling = orff_sampling_default(),
                           .lambda_low = 1e-10,
                           .lambda_high = 10.0,
                           .lambda_count = 45,
                           .folds = 5,
                           .loss_parameter = 1.0,
                           .tolerance = 1e-8,
                           .max_iterations = 500,
                           .center = true,
                           .subsample = 20000};
}

/* ---- from moments */

/* Sums of squared errors of each output on the rows of a set (mirrored in place): yy - 2 V.R + V^T S V, y centred. */
static orff_status squared_errors(const orff_features *features, orff_moment_set *set, const double *theta,
                                  const double *mean, double *errors) {
    const size_t L = 2 * features->D, p = features->p;
    orff_centre centre = {0};
    double *SV = NULL, *V = NULL;
    orff_status status = orff_centre_fill(&centre, set, L, p, false, mean);
    if (!status) status = ORFF_NEW_ARRAY(SV, L * p);
    if (!status) status = ORFF_NEW_ARRAY(V, L * p);
    if (!status) {
        orff_mirror(L, set->S);
        orff_features_fold(features, theta, V);
        orff_gemm(false, false, L, p, L, 1.0, set->S, L, V, p, 0.0, SV, p);
    }
    for (size_t k = 0; !status && k < p; k++) {
        double error = set->T[k * (p + 1) + k] - 2.0 * mean[k] * set->T[p * (p + 1) + k] + centre.N * mean[k] * mean[k];
        for (size_t a = 0; a < L; a++) error += V[a * p + k] * (SV[a * p + k] - 2.0 * centre.R[a * p + k]);
        errors[k] = fmax(error, 0.0);
    }
    orff_centre_clear(&centre);
    orff_release(SV);
    orff_release(V);
    return status;
}

static orff_status training_errors(const orff_moments *moments, orff_model *model, const double *mean, double N) {
    const size_t L = 2 * moments->bank->D;
    orff_moment_set sum = {0};
    orff_status status = orff_moment_set_init(&sum, L, model->p);
    if (!status) {
        orff_moments_sum(moments, moments->n_sets, &sum);
        status = squared_errors(model->features, &sum, model->theta, mean, model->output_train_mse);
    }
    for (size_t k = 0; !status && k < model->p; k++) model->output_train_mse[k] /= N;
    orff_moment_set_clear(&sum);
    return status;
}

/* Errors of each output on fold k of a model learned from the others. theta is M, mean p. */
static orff_status fold_errors(const orff_plan *plan, const orff_features *features, const orff_moments *moments, size_t k,
                               double lambda, double *theta, double *mean, double *errors) {
    const size_t L = 2 * features->D, p = features->p;
    orff_ridge rest = {.features = features, .moments = moments, .center = plan->settings.center};
    orff_moment_set fold = {0};
    orff_status status = orff_system_build(&rest.system, features, moments, k, plan->settings.center, NULL);
    if (!status) status = orff_ridge_solve(&rest, lambda, theta, mean, NULL);
    if (!status) status = orff_moment_set_init(&fold, L, p);
    if (!status) {
        orff_moment_set_add(&fold, &moments->sets[k], 1.0, L, p);
        status = squared_errors(features, &fold, theta, mean, errors);
    }
    orff_system_clear(&rest.system);
    orff_moment_set_clear(&fold);
    return status;
}

/* Where all outputs have one spread its square does it; else every output's error is needed by itself. */
orff_status orff_cross_error(const orff_plan *plan, const orff_features *features, const orff_moments *moments,
                             orff_best_lambda best, double *cv_mse) {
    const double *spread = plan->units.spread;
    const size_t p = features->p;
    double *work, total = 0.0, N = 0.0;
    bool same = true;
    for (size_t i = 0; spread && i < p; i++) same = same && spread[i] == spread[0];
    *cv_mse = spread ? best.cv_mse * spread[0] * spread[0] : best.cv_mse;
    if (same) return ORFF_OK;
    ORFF_TRY(ORFF_NEW_ARRAY(work, features->M + 2 * p));
    double *mean = work + features->M, *errors = mean + p;
    orff_status status = ORFF_OK;
    for (size_t k = 0; !status && k < moments->n_sets; k++) {
        status = fold_errors(plan, features, moments, k, best.lambda, work, mean, errors);
        for (size_t i = 0; i < p; i++) total += errors[i] * spread[i] * spread[i];
        N += moments->sets[k].T[(p + 1) * (p + 1) - 1];
    }
    *cv_mse = total / (N * (double)p);
    orff_release(work);
    return status;
}

/* Whether to keep what error bars need. */
static bool wants_posterior(const orff_plan *plan, const orff_system *system) {
    return plan->settings.posterior == ORFF_YES ||
           (plan->settings.posterior == ORFF_AUTO && system->n <= LARGEST_POSTERIOR && plan->settings.loss == ORFF_SQUARED);
}

/* Degrees of freedom: n r - shift trace of the inverses, which F of the posterior gives when there is no eigen form. */
static double degrees(const orff_system *s, const orff_posterior *posterior, double shift) {
    double dof = 0.0, square = 0.0;
    if (s->U) {
        for (size_t a = 0; a < s->n; a++)
            for (size_t b = 0; b < s->r; b++) dof += s->e[a] * s->m[b] / (s->e[a] * s->m[b] + shift);
        return dof;
    }
    if (!posterior) return NAN;
    for (size_t i = 0; i < s->n * s->n; i++) square += posterior->F[i] * posterior->F[i];
    return (double)s->r * ((double)s->n - shift * square);
}

/* Everything that is told of a fit at its lambda. */
static orff_status tell(orff_ridge *ridge, const orff_plan *plan, const orff_moments *moments, orff_model *model,
                        const double *mean) {
    const orff_system *s = &ridge->system;
    const double shift = s->N * model->lambda, P = s->N * (double)s->p;
    if (wants_posterior(plan, s)) ORFF_TRY(orff_posterior_build(&model->posterior, &ridge->system, shift));
    ORFF_TRY(training_errors(moments, model, mean, s->N));
    model->train_mse = 0.0;
    for (size_t k = 0; k < model->p; k++) model->train_mse += model->output_train_mse[k] / (double)model->p;
    model->dof = degrees(s, model->posterior, shift);
    model->noise = model->train_mse * P / (isnan(model->dof) ? P : fmax(P - model->dof, 1.0));
    model->rows = orff_moments_describe(moments).rows;
    model->single = moments->settings.single;
    model->log_evidence = NAN;
    if (s->U) {
        orff_path_point point;
        ORFF_TRY(orff_ridge_path(ridge, 1, &model->lambda, false, &point));
        model->log_evidence = point.log_evidence;
    }
    /* the density of y, not of y / spread */
    for (size_t k = 0; plan->units.spread && k < model->p; k++) model->log_evidence -= s->N * log(plan->units.spread[k]);
    return ORFF_OK;
}

/* lambda as given, or the best of the path; cv_mse is in the user's units. */
static orff_status find_lambda(const orff_plan *plan, orff_ridge *ridge, const orff_features *features,
                               orff_model *model) {
    const size_t count = plan->settings.lambda_count;
    double *lambdas = NULL;
    orff_path_point *points = NULL;
    model->lambda = plan->settings.lambda;
    model->cv_mse = NAN;
    if (model->lambda > 0.0) return ORFF_OK;
    orff_status status = ORFF_NEW_ARRAY(lambdas, count);
    if (!status) status = ORFF_NEW_ARRAY(points, count);
    if (!status) {
        orff_plan_lambdas(plan, features, lambdas);
        status = orff_ridge_path(ridge, count, lambdas, true, points);
    }
    if (!status) {
        const orff_best_lambda best = orff_plan_pick(count, points);
        model->lambda = best.lambda;
        status = orff_cross_error(plan, features, ridge->moments, best, &model->cv_mse);
    }
    orff_release(lambdas);
    orff_release(points);
    return status;
}

/* features is taken over. */
static orff_status solve(orff_model **out, const orff_plan *plan, orff_features *features, const orff_moments *moments) {
    orff_ridge *ridge = NULL;
    orff_model *model = NULL;
    double *mean = NULL;
    orff_status status = orff_model_create(&model, features, plan->settings.classes);
    if (!status) status = ORFF_NEW_ARRAY(mean, features->p);
    if (!status) status = orff_ridge_create(&ridge, features, moments, plan->settings.center);
    if (!status) status = find_lambda(plan, ridge, features, model);
    if (!status) status = orff_ridge_solve(ridge, model->lambda, model->theta, mean, &model->solve);
    if (!status) status = tell(ridge, plan, moments, model, mean);
    if (!status) memcpy(model->mean, mean, model->p * sizeof *mean);
    orff_ridge_free(ridge);
    orff_release(mean);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

/* The features of the plan's kernel, whose weights may have been learned since the bank was drawn. */
static orff_status learn_and_solve(orff_model **out, orff_plan *plan, const orff_features *drawn,
                                   const orff_moments *moments) {
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_status status = plan->settings.mixture && !plan->settings.auto_kernel
                             ? orff_plan_learn_weights(plan, drawn, moments)
                             : ORFF_OK;
    if (!status) status = orff_plan_kernel(plan, &kernel);
    if (!status) status = orff_features_rebind(&features, drawn, kernel);
    if (!status) status = solve(out, plan, features, moments);
    orff_kernel_free(kernel);
    return status;
}

/* Custom parts and signatures cannot be rebound by law: they are used as drawn. */
static bool can_rebind(const orff_plan *plan) {
    for (size_t m = 0; m < plan->settings.n_parts; m++)
        if (plan->parts[m].rule == ORFF_SIGNATURE) return false;
    return true;
}

static orff_status read_moments(orff_moments **moments, const orff_plan *plan, const orff_features *features,
                                orff_rows *rows) {
    const orff_moments_settings how = {.folds = plan->settings.lambda > 0.0 ? 1 : plan->settings.folds,
                                       .seed = plan->settings.sampling.seed,
                                       .single = plan->settings.single};
    const orff_reader reader = orff_rows_reader(rows);
    ORFF_TRY(orff_moments_create(moments, features, &how));
    return orff_rows_outcome(rows, orff_moments_read(*moments, &reader));
}

static orff_status fit_direct(orff_model **out, orff_plan *plan, orff_rows *rows) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_status status = orff_plan_features(plan, plan->settings.sampling.features, &features);
    if (!status) status = read_moments(&moments, plan, features, rows);
    if (!status && can_rebind(plan)) {
        status = learn_and_solve(out, plan, features, moments);
    } else if (!status) {
        status = solve(out, plan, features, moments);
        features = NULL;
    }
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

/* ---- by iteration */

/* lambda by cross-validation of a model with fewer frequencies, on the head of the rows. */
static orff_status lambda_from_head(const orff_plan *plan, const orff_table *table, double *lambda) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_best_lambda best = {0};
    const orff_moments_settings how = {.folds = plan->settings.folds, .seed = plan->settings.sampling.seed};
    const size_t D = plan->settings.sampling.features, n = table->n < 20000 ? table->n : 20000;
    orff_status status = orff_plan_features(plan, D && D < 1000 ? D : 1000, &features);
    if (!status) status = orff_moments_create(&moments, features, &how);
    if (!status) status = orff_moments_accumulate(moments, n, table->X, table->Y, table->weights);
    if (!status) status = orff_plan_cross_validate(plan, features, moments, &best);
    if (!status) *lambda = best.lambda;
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

/* The weighted mean of y, or zeros. */
static void mean_of(const orff_table *table, bool center, double *mean) {
    double total = 0.0;
    memset(mean, 0, table->p * sizeof *mean);
    for (size_t i = 0; center && i < table->n; i++) {
        const double c = table->weights ? table->weights[i] : 1.0;
        total += c;
        for (size_t k = 0; k < table->p; k++) mean[k] += c * table->Y[i * table->p + k];
    }
    for (size_t k = 0; total > 0.0 && k < table->p; k++) mean[k] /= total;
}

static orff_status iteration_errors(const orff_table *table, orff_model *model, const double *mean) {
    double *F, total = 0.0;
    ORFF_TRY(ORFF_NEW_ARRAY(F, table->n * table->p));
    const orff_status status = orff_features_apply(model->features, table->n, table->X, model->theta, F);
    for (size_t i = 0; !status && i < table->n; i++) {
        const double c = table->weights ? table->weights[i] : 1.0;
        total += c;
        for (size_t k = 0; k < table->p; k++) {
            const double error = F[i * table->p + k] + mean[k] - table->Y[i * table->p + k];
            model->output_train_mse[k] += c * error * error;
        }
    }
    model->train_mse = 0.0;
    for (size_t k = 0; !status && k < table->p; k++) {
        model->output_train_mse[k] /= total;
        model->train_mse += model->output_train_mse[k] / (double)table->p;
    }
    orff_release(F);
    return status;
}

static orff_iteration iteration_of(const orff_settings *s, double lambda) {
    static const orff_method methods[ORFF_SOLVER_COUNT] = {
        [ORFF_SOLVER_AUTO] = ORFF_PCG,    [ORFF_DIRECT] = ORFF_PCG,      [ORFF_SOLVER_LSMR] = ORFF_LSMR,
        [ORFF_SOLVER_IDR] = ORFF_IDR,     [ORFF_SOLVER_PCG] = ORFF_PCG,  [ORFF_SOLVER_SGD] = ORFF_SGD,
    };
    orff_iteration how = orff_iteration_default();
    how.method = s->loss != ORFF_SQUARED && s->solver == ORFF_SOLVER_AUTO ? ORFF_SGD : methods[s->solver];
    how.lambda = lambda;
    how.tolerance = s->tolerance;
    how.max_iterations = s->max_iterations;
    how.loss = s->loss;
    how.loss_parameter = s->loss_parameter;
    how.seed = s->sampling.seed;
    how.single = s->single;
    return how;
}

static orff_status iterate(const orff_plan *plan, const orff_table *table, orff_model *model) {
    const orff_settings *s = &plan->settings;
    /* margins are told by the codes themselves: nothing is taken off y */
    const bool center = s->center && s->loss != ORFF_LOGISTIC && s->loss != ORFF_HINGE;
    model->lambda = s->lambda;
    if (!(s->lambda > 0.0)) ORFF_TRY(lambda_from_head(plan, table, &model->lambda));
    mean_of(table, center, model->mean);
    const orff_iteration how = iteration_of(s, model->lambda);
    ORFF_TRY(orff_iterate(model->features, table->n, table->X, table->Y, table->weights, model->mean, &how, model->theta,
                          &model->solve));
    ORFF_TRY(iteration_errors(table, model, model->mean));
    model->cv_mse = model->dof = model->log_evidence = NAN;
    model->noise = model->train_mse;
    model->rows = table->n;
    model->single = s->single;
    return ORFF_OK;
}

static orff_status fit_iterative(orff_model **out, orff_plan *plan, orff_rows *rows) {
    orff_features *features = NULL;
    orff_model *model = NULL;
    orff_table table = {0};
    orff_status status = orff_plan_features(plan, plan->settings.sampling.features, &features);
    if (!status) status = orff_model_create(&model, features, plan->settings.classes);
    if (!status) status = orff_rows_gather(rows, &table);
    if (!status) status = iterate(plan, &table, model);
    orff_table_clear(&table);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

/* ---- the public calls */

/* How many rows the system of a direct solution would have: 2 D for one decomposable part, else 2 D p' (at most). */
static size_t system_rows(const orff_plan *plan) {
    const size_t D = plan->settings.sampling.features ? plan->settings.sampling.features : 1000;
    if (plan->settings.n_parts == 1 && plan->parts[0].rule == ORFF_DECOMPOSABLE) return 2 * D;
    return 2 * D * plan->p;
}

static orff_status pick_solver(const orff_plan *plan, bool *direct) {
    const orff_settings *s = &plan->settings;
    *direct = s->solver == ORFF_DIRECT ||
              (s->solver == ORFF_SOLVER_AUTO && s->loss == ORFF_SQUARED && system_rows(plan) <= LARGEST_DIRECT);
    if (s->mixture && !s->auto_kernel && !*direct)
        return orff_fail(ORFF_UNSUPPORTED, "learning the weights of a mixture needs the direct solver; use fewer frequencies");
    return ORFF_OK;
}

/* From the plan's units to the user's. */
static orff_status settle(orff_model *model, const orff_plan *plan) {
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
    if (plan->shares) return orff_duplicate(&model->shares, plan->shares, plan->settings.n_parts + 1, sizeof *model->shares);
    return ORFF_OK;
}

static orff_status finish(orff_status status, orff_model *model, const orff_plan *plan, orff_model **out) {
    if (!status) status = settle(model, plan);
    if (!status) status = orff_model_finish(model);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

orff_status orff_fit_plan(orff_model **out, orff_plan *plan, orff_rows *rows) {
    orff_model *model = NULL;
    bool direct = true;
    rows->units = &plan->units;
    orff_status status = pick_solver(plan, &direct);
    if (!status) status = (direct ? fit_direct : fit_iterative)(&model, plan, rows);
    return finish(status, model, plan, out);
}

static orff_status fit_rows(orff_model **out, const orff_settings *settings, orff_rows *rows) {
    orff_plan plan = {0};
    orff_status status = orff_plan_make(&plan, settings, rows);
    if (!status) status = orff_fit_plan(out, &plan, rows);
    orff_plan_clear(&plan);
    return status;
}

orff_status orff_check_fit(const orff_settings *settings, size_t d, size_t p) {
    ORFF_TRY(orff_plan_check(settings));
    if (d == 0 || p == 0) return orff_fail(ORFF_INVALID_ARGUMENT, "a model needs inputs and outputs (d=%zu, p=%zu)", d, p);
    if (settings->classes == 1) return orff_fail(ORFF_INVALID_ARGUMENT, "there must be at least 2 classes");
    if (settings->classes && p != 1)
        return orff_fail(ORFF_INVALID_ARGUMENT, "with classes Y is one column of labels, not %zu", p);
    if (!settings->classes && (settings->loss == ORFF_LOGISTIC || settings->loss == ORFF_HINGE))
        return orff_fail(ORFF_INVALID_ARGUMENT, "the %s loss is for classes", orff_loss_name(settings->loss));
    return ORFF_OK;
}

orff_status orff_make_codes(size_t classes, double **codes) {
    if (!classes) return ORFF_OK;
    ORFF_TRY(ORFF_NEW_ARRAY(*codes, classes * (classes - 1)));
    return orff_simplex_codes(classes, *codes);
}

orff_status orff_model_fit(orff_model **model, const orff_settings *settings, size_t d, size_t p, size_t n, const double *X,
                           const double *Y, const double *weights) {
    orff_rows rows = {0};
    double *codes = NULL;
    if (!model || !settings || !X || !Y) return orff_fail(ORFF_INVALID_ARGUMENT, "orff_model_fit: NULL argument");
    ORFF_TRY(orff_check_fit(settings, d, p));
    orff_status status = orff_make_codes(settings->classes, &codes);
    if (!status)
        status = orff_rows_from_arrays(&rows, d, p, settings->classes, codes, n, X, Y, weights, settings->subsample);
    if (!status) status = fit_rows(model, settings, &rows);
    orff_rows_clear(&rows);
    orff_release(codes);
    return status;
}

orff_status orff_model_fit_stream(orff_model **model, const orff_settings *settings, size_t d, size_t p,
                                  const orff_reader *reader) {
    orff_rows rows = {0};
    double *codes = NULL;
    if (!model || !settings || !reader || !reader->read)
        return orff_fail(ORFF_INVALID_ARGUMENT, "orff_model_fit_stream: NULL argument");
    ORFF_TRY(orff_check_fit(settings, d, p));
    orff_status status = orff_make_codes(settings->classes, &codes);
    if (!status) status = orff_rows_from_reader(&rows, d, p, settings->classes, codes, reader, settings->subsample);
    if (!status) status = fit_rows(model, settings, &rows);
    orff_rows_clear(&rows);
    orff_release(codes);
    return status;
}

orff_status orff_model_fit_moments(orff_model **out, const orff_settings *settings, const orff_moments *moments) {
    orff_plan plan = {0};
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_model *model = NULL;
    if (!out || !settings || !moments) return orff_fail(ORFF_INVALID_ARGUMENT, "orff_model_fit_moments: NULL argument");
    if (settings->auto_kernel || settings->auto_mix)
        return orff_fail(ORFF_UNSUPPORTED, "moments have their length scales already; name the parts, and mixture learns their weights");
    if (settings->loss != ORFF_SQUARED || (settings->solver != ORFF_SOLVER_AUTO && settings->solver != ORFF_DIRECT))
        return orff_fail(ORFF_UNSUPPORTED, "moments are for the squared loss and the direct solver");
    orff_status status = orff_plan_for_moments(&plan, settings, moments);
    if (!status && settings->classes && settings->classes != moments->p + 1)
        status = orff_fail(ORFF_MISMATCH, "%zu classes have codes of %zu numbers; the moments have %zu outputs",
                           settings->classes, settings->classes - 1, moments->p);
    if (!status) status = orff_plan_kernel(&plan, &kernel);
    if (!status) status = orff_moments_features(moments, kernel, &features);
    if (!status) status = learn_and_solve(&model, &plan, features, moments);
    status = finish(status, model, &plan, out);
    orff_features_free(features);
    orff_kernel_free(kernel);
    orff_plan_clear(&plan);
    return status;
}

/* ---- names */

static const char *const solver_names[ORFF_SOLVER_COUNT] = {"auto", "direct", "lsmr", "idr", "pcg", "sgd"};

const char *orff_solver_name(orff_solver solver) {
    return (unsigned)solver < ORFF_SOLVER_COUNT ? solver_names[solver] : NULL;
}

orff_status orff_solver_parse(const char *name, orff_solver *solver) {
    if (!name || !solver) return orff_fail(ORFF_INVALID_ARGUMENT, "orff_solver_parse: NULL argument");
    for (int i = 0; i < ORFF_SOLVER_COUNT; i++) {
        if (strcmp(name, solver_names[i]) == 0) {
            *solver = (orff_solver)i;
            return ORFF_OK;
        }
    }
    return orff_fail(ORFF_INVALID_ARGUMENT, "there is no solver '%s'; there are auto, direct, lsmr, idr, pcg, sgd", name);
}
