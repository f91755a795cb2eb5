/* From settings to a plan: units, parts with their length scales, and the path of lambdas. */
#include "model/plan.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/auto_features.h"
#include "model/choose.h"
#include "model/survey.h"
#include "solve/ridge.h"
#include "solve/solver.h"

static bool is_physical(orff_rule rule) {
    return orff_rule_describe(rule).physical;
}

/* What has no base has no length scale. */
static bool is_auto(const orff_part *part) {
    const orffi_rule_ops *rule = orffi_rule_find(part->rule);
    return rule && !rule->own_law && part->sigma == 0.0 && !part->sigmas;
}

/* ---- checks */

/* Whether something is looked for along the path of lambdas. */
static bool needs_path(const orff_settings *s) {
    if (s->lambda == 0.0 || s->auto_kernel || s->auto_mix || s->n_parts == 0) return true;
    for (size_t m = 0; m < s->n_parts; m++)
        if (is_auto(&s->parts[m])) return true;
    return false;
}

static orff_status check_path(const orff_settings *s) {
    if (!(s->lambda >= 0.0 && isfinite(s->lambda)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be positive, or 0 for auto",
                          s->lambda);
    if (!needs_path(s)) return ORFF_OK;
    if (s->lambda_count < 1 ||
        !(s->lambda_low > 0.0 && s->lambda_high >= s->lambda_low && isfinite(s->lambda_high)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the path of lambdas goes from %g to %g in %zu values",
                          s->lambda_low, s->lambda_high, s->lambda_count);
    if (s->lambda == 0.0 && s->folds < 2)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "lambda auto needs at least 2 folds of cross-validation, not %zu", s->folds);
    return ORFF_OK;
}

/* Every solver but sgd is for the squared loss; mixtures are learned from moments. */
static orff_status check_solver(const orff_settings *s) {
    if ((unsigned)s->solver >= ORFF_SOLVER_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no solver number %d", (int)s->solver);
    if ((unsigned)s->loss >= ORFF_LOSS_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no loss number %d", (int)s->loss);
    if (s->loss != ORFF_LOSS_SQUARED && !orffi_solver_find(s->solver)->any_loss)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s solver is for the squared loss; for %s use %s",
                          orff_solver_name(s->solver), orff_loss_name(s->loss),
                          orff_solver_name(ORFF_SOLVER_SGD));
    if (s->mixture && !s->auto_kernel &&
        (s->loss != ORFF_LOSS_SQUARED || !orffi_solver_find(s->solver)->learns_weights))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "learning the weights of a mixture needs the direct or the exact solver and the "
                          "squared loss");
    if (s->single && s->solver == ORFF_SOLVER_EXACT)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "exact models are computed in double precision, not in single");
    return ORFF_OK;
}

orff_status orffi_plan_check(const orff_settings *s) {
    if (s->n_parts && !s->parts)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%zu parts, but parts is NULL", s->n_parts);
    if (s->subsample < 10)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "automatic choices need at least 10 rows (subsample is %zu)", s->subsample);
    ORFFI_TRY(check_solver(s));
    return check_path(s);
}

/* ---- parts */

static orff_status copy_parts(orffi_plan *plan, const orff_settings *settings) {
    orff_part single = orff_part_default();
    single.sigma = 0.0;
    const orff_part *given = settings->n_parts ? settings->parts : &single;
    const size_t n = settings->n_parts ? settings->n_parts : 1;
    plan->settings.n_parts = n;
    ORFFI_TRY(orffi_duplicate(&plan->parts, given, n, sizeof *given));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->sigmas, n * plan->d));
    for (size_t m = 0; m < n; m++) {
        plan->physical |= is_physical(given[m].rule);
        plan->rigid |= orffi_part_is_rigid(&given[m]);
        for (size_t i = 0; i < plan->d; i++)
            plan->sigmas[m * plan->d + i] = given[m].sigmas ? given[m].sigmas[i] : given[m].sigma;
    }
    plan->settings.parts = plan->parts;
    return ORFF_OK;
}

/* The field's space: that of the first physical part, else all inputs where d = p. */
static orff_status find_space(orffi_plan *plan) {
    const size_t *space = NULL;
    for (size_t m = 0; m < plan->settings.n_parts && !space; m++) space = plan->parts[m].space;
    if (!space && plan->d != plan->p) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->space, plan->p));
    for (size_t i = 0; i < plan->p; i++) {
        plan->space[i] = space ? space[i] : i;
        if (plan->space[i] >= plan->d)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "space[%zu] is %zu, but there are %zu inputs (0-based)", i, plan->space[i],
                              plan->d);
    }
    return ORFF_OK;
}

/* ---- units */

static bool any_auto(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->settings.n_parts; m++)
        if (is_auto(&plan->parts[m])) return true;
    return false;
}

/* One unit, the root mean square, for the inputs of the field's space (NULL: for all): a stretched gradient is
 * no gradient. */
static void share_unit(const size_t *inputs, size_t count, double *unit) {
    double square = 0.0;
    for (size_t k = 0; k < count; k++) square += unit[inputs ? inputs[k] : k] * unit[inputs ? inputs[k] : k];
    for (size_t k = 0; k < count; k++) unit[inputs ? inputs[k] : k] = sqrt(square / (double)count);
}

static void share_spread(size_t p, double *spread) {
    double square = 0.0;
    for (size_t k = 0; k < p; k++) square += spread[k] * spread[k];
    for (size_t k = 0; k < p; k++) spread[k] = sqrt(square / (double)p);
}

bool orffi_plan_has_field(const orffi_plan *plan) {
    return plan->space && plan->p >= 2 && !plan->settings.classes;
}

static orff_status choose_units(orffi_plan *plan, const orffi_rows *rows) {
    const orff_settings *s = &plan->settings;
    const orffi_table *head = &rows->head;
    const bool fields = plan->physical || plan->rigid || (s->auto_kernel && orffi_plan_has_field(plan));
    const bool automatic = s->auto_kernel || any_auto(plan);
    const bool scale =
        s->scale_inputs == ORFF_SWITCH_YES || (s->scale_inputs == ORFF_SWITCH_AUTO && !fields && automatic);
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.shift, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.unit, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.spread, plan->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->extent, plan->d));
    orffi_column_statistics(head->n, plan->d, head->X, plan->units.shift, plan->units.unit, plan->extent);
    orffi_column_statistics(head->n, plan->p, head->Y, NULL, plan->units.spread, NULL);
    if (plan->rigid)
        share_unit(NULL, plan->d, plan->units.unit);
    else if (fields && plan->space)
        share_unit(plan->space, plan->p, plan->units.unit);
    if (fields) share_spread(plan->p, plan->units.spread);
    for (size_t i = 0; !scale && i < plan->d; i++) plan->units.unit[i] = 1.0;
    for (size_t k = 0; !(s->scale_outputs && !rows->classes) && k < plan->p; k++) plan->units.spread[k] = 1.0;
    for (size_t i = 0; i < plan->d; i++) plan->extent[i] /= plan->units.unit[i];
    return ORFF_OK;
}

/* ---- kernels, features, lambdas */

orff_status orffi_plan_kernel(const orffi_plan *plan, orff_kernel **kernel) {
    for (size_t m = 0; m < plan->settings.n_parts; m++) {
        plan->parts[m].sigmas = plan->sigmas + m * plan->d;
        if (is_physical(plan->parts[m].rule) && !plan->parts[m].space) plan->parts[m].space = plan->space;
    }
    return orffi_kernel_create_as(kernel, plan->d, plan->p, plan->settings.n_parts, plan->parts,
                                  &(orffi_kernel_how){.unit = plan->units.unit});
}

orff_status orffi_plan_features(const orffi_plan *plan, size_t D, orff_features **features) {
    orff_kernel *kernel;
    orff_sampling sampling = plan->settings.sampling;
    ORFFI_TRY(orffi_plan_kernel(plan, &kernel));
    sampling.features = D > kernel->n_groups || sampling.scheme == ORFF_SCHEME_GRID ? D : kernel->n_groups;
    if (!sampling.extent) sampling.extent = plan->extent;
    const orff_status status = orff_features_create(features, kernel, &sampling);
    orff_kernel_free(kernel);
    return status;
}

/* trace K~(0)/p */
static orff_status size_of(const orff_features *f, double *size) {
    double trace;
    ORFFI_TRY(orffi_features_trace(f, &trace));
    *size = trace > 0.0 ? trace / (double)f->p : 1.0;
    return ORFF_OK;
}

orff_status orffi_check_lambda(double lambda, double size) {
    if (lambda * DBL_EPSILON <= size) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_NUMERICAL,
        "lambda is %g, but the kernel only of size %.3g: the data are lost in rounding beside it, and "
        "nothing is learned; give a smaller lambda, or auto",
        lambda, size);
}

orff_status orffi_plan_check_lambda(double lambda, const orff_features *features) {
    double size;
    ORFFI_TRY(size_of(features, &size));
    return orffi_check_lambda(lambda, size);
}

orff_status orffi_plan_lambdas(const orffi_plan *plan, const orff_features *features, double *lambdas) {
    const orff_settings *s = &plan->settings;
    const double ratio = s->lambda_high / s->lambda_low;
    double size;
    ORFFI_TRY(size_of(features, &size));
    for (size_t l = 0; l < s->lambda_count; l++) {
        const double along = s->lambda_count > 1 ? (double)l / (double)(s->lambda_count - 1) : 0.0;
        lambdas[l] = size * s->lambda_low * pow(ratio, along);
    }
    return ORFF_OK;
}

orffi_best_lambda orffi_pick_lambda(size_t count, const double *lambdas, const double *errors) {
    orffi_best_lambda best = {.cv_mse = INFINITY};
    for (size_t l = 0; l < count; l++)
        if (errors[l] <= best.cv_mse) best = (orffi_best_lambda){lambdas[l], errors[l]};
    return best;
}

/* The error of every lambda: by folds, or without them where there are too few rows for that. */
static orff_status errors_of(orff_ridge *ridge, size_t count, const double *lambdas, double *errors) {
    orff_path_point *points;
    if (!orffi_moments_too_few(ridge->moments)) return orffi_ridge_cross(ridge, count, lambdas, errors, NULL);
    ORFFI_TRY(ORFFI_NEW_ARRAY(points, count));
    const orff_status status = orff_ridge_path(ridge, count, lambdas, false, points);
    for (size_t l = 0; !status && l < count; l++) errors[l] = points[l].gcv;
    orffi_release(points);
    return status;
}

orff_status orffi_plan_cross_validate(const orffi_plan *plan, const orff_features *features,
                                      const orff_moments *moments, orffi_best_lambda *best) {
    const size_t count = plan->settings.lambda_count;
    orff_ridge *ridge = NULL;
    double *lambdas = NULL, *errors = NULL;
    orff_status status = ORFFI_NEW_ARRAY(lambdas, count);
    if (!status) status = ORFFI_NEW_ARRAY(errors, count);
    if (!status) status = orff_ridge_create(&ridge, features, moments, plan->settings.center);
    if (!status) status = orffi_plan_lambdas(plan, features, lambdas);
    if (!status) status = errors_of(ridge, count, lambdas, errors);
    if (!status) *best = orffi_pick_lambda(count, lambdas, errors);
    orff_ridge_free(ridge);
    orffi_release(lambdas);
    orffi_release(errors);
    return status;
}

/* ---- making */

/* All rows, where it is known how many there are. */
static size_t count_rows(const orffi_rows *rows, const orff_settings *settings) {
    if (!rows->stream) return rows->n;
    return rows->head.n < settings->subsample ? rows->head.n : 0;
}

orff_status orffi_plan_make(orffi_plan *plan, const orff_settings *settings, const orffi_rows *rows) {
    *plan = (orffi_plan){.settings = *settings, .d = rows->d, .p = rows->p};
    if (!settings->sampling.features && settings->sampling.scheme != ORFF_SCHEME_GRID)
        plan->settings.sampling.features = orffi_auto_features(settings, rows->p, count_rows(rows, settings));
    ORFFI_TRY(copy_parts(plan, settings));
    ORFFI_TRY(find_space(plan));
    ORFFI_TRY(choose_units(plan, rows));
    if (settings->auto_kernel) return orffi_choose_mixture(plan, rows);
    if (any_auto(plan) || settings->auto_mix) ORFFI_TRY(orffi_choose_scales(plan, rows));
    if (settings->mixture) return orffi_choose_weights(plan, rows);
    return ORFF_OK;
}

/* Without parts: decomposable on the law of the moments' first group. */
static void part_of_moments(orffi_plan *plan, const orff_moments *moments) {
    const orffi_spectrum *law = &moments->bank->groups[0].law;
    plan->parts[0].base = law->base->id;
    plan->parts[0].shape = law->shape;
    memcpy(plan->sigmas, law->scale, plan->d * sizeof *plan->sigmas);
}

orff_status orffi_plan_for_moments(orffi_plan *plan, const orff_settings *settings,
                                   const orff_moments *moments) {
    *plan = (orffi_plan){.settings = *settings, .d = moments->bank->d, .p = moments->p};
    ORFFI_TRY(orffi_plan_check(settings));
    ORFFI_TRY(copy_parts(plan, settings));
    ORFFI_TRY(find_space(plan));
    if (!settings->n_parts && !moments->bank->groups[0].law.base)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "these moments have no base spectrum; name the parts of the kernel");
    if (!settings->n_parts) part_of_moments(plan, moments);
    for (size_t m = 0; settings->n_parts && m < settings->n_parts; m++)
        if (is_auto(&plan->parts[m]) && moments->bank->groups[0].law.base)
            memcpy(plan->sigmas + m * plan->d, moments->bank->groups[0].law.scale,
                   plan->d * sizeof *plan->sigmas);
    return ORFF_OK;
}

void orffi_plan_clear(orffi_plan *plan) {
    orffi_release(plan->parts);
    orffi_release(plan->sigmas);
    orffi_release(plan->space);
    orffi_release(plan->extent);
    orffi_release(plan->units.shift);
    orffi_release(plan->units.unit);
    orffi_release(plan->units.spread);
    orffi_release(plan->shares);
    memset(plan, 0, sizeof *plan);
}
