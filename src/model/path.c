#include "model/path.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solve/ridge.h"

/* ---- where the errors come from */

static orff_status ridge_points(void *self, size_t count, const double *lambdas, orff_path_point *points) {
    return orff_ridge_path(self, count, lambdas, false, points);
}

static orff_status ridge_cross(void *self, size_t count, const double *lambdas, double *errors,
                               double *outputs) {
    return orffi_ridge_cross(self, count, lambdas, errors, outputs);
}

orffi_path_source orffi_path_of_ridge(orff_ridge *ridge, size_t count) {
    return (orffi_path_source){.self = ridge,
                               .crossed = !orffi_moments_too_few(ridge->moments),
                               .dear = orffi_ridge_outputs_are_dear(ridge, count),
                               .points = ridge_points,
                               .cross = ridge_cross};
}

/* ---- filling */

/* All outputs were divided by the same number, so that the path of their mean tells all. */
static bool has_one_spread(const orffi_plan *plan) {
    for (size_t k = 1; plan->units.spread && k < plan->p; k++)
        if (plan->units.spread[k] != plan->units.spread[0]) return false;
    return true;
}

static double squared_spread(const orffi_plan *plan, size_t k) {
    return plan->units.spread ? plan->units.spread[k] * plan->units.spread[k] : 1.0;
}

/* Errors of outputs that were divided by their spread grow with its square. */
static void to_user_units(orffi_cross_path *path, const orffi_plan *plan, bool each) {
    const size_t p = plan->p;
    for (size_t l = 0; l < path->count; l++) {
        double *outputs = path->outputs + l * p, sum = 0.0;
        for (size_t k = 0; k < p; k++) {
            outputs[k] *= squared_spread(plan, k);
            sum += outputs[k] / (double)p;
        }
        path->points[l].cv_mse = each ? sum : path->points[l].cv_mse * squared_spread(plan, 0);
    }
}

static void find_best(orffi_cross_path *path) {
    path->best = 0;
    for (size_t l = 1; l < path->count; l++)
        if (path->points[l].cv_mse <= path->points[path->best].cv_mse) path->best = l;
}

/* In place of errors that few rows, or rows that are all the same, do not give. */
static void take_gcv(orffi_cross_path *path, size_t p) {
    for (size_t l = 0; l < path->count; l++) {
        path->points[l].cv_mse = path->points[l].gcv;
        for (size_t k = 0; k < p; k++) path->outputs[l * p + k] = path->points[l].gcv;
    }
}

static orff_status take_cross(orffi_cross_path *path, const orffi_path_source *source, double *outputs) {
    double *errors;
    ORFFI_TRY(ORFFI_NEW_ARRAY(errors, path->count));
    const orff_status status = source->cross(source->self, path->count, path->lambdas, errors, outputs);
    for (size_t l = 0; !status && l < path->count; l++) path->points[l].cv_mse = errors[l];
    orffi_release(errors);
    return status;
}

/* The errors of each output at the best lambda only. */
static orff_status take_best_outputs(orffi_cross_path *path, const orffi_plan *plan,
                                     const orffi_path_source *source) {
    double error;
    for (size_t i = 0; i < path->count * plan->p; i++) path->outputs[i] = NAN;
    return source->cross(source->self, 1, &path->lambdas[path->best], &error,
                         path->outputs + path->best * plan->p);
}

static orff_status fill_lambdas(orffi_cross_path *path, const orffi_plan *plan,
                                const orff_features *features) {
    const bool given = plan->settings.lambda > 0.0;
    path->count = orffi_path_count(plan);
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->lambdas, path->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->points, path->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->outputs, path->count * plan->p));
    if (!given) return orffi_plan_lambdas(plan, features, path->lambdas);
    path->lambdas[0] = plan->settings.lambda;
    return ORFF_OK;
}

size_t orffi_path_count(const orffi_plan *plan) {
    return plan->settings.lambda > 0.0 ? 1 : plan->settings.lambda_count;
}

orff_status orffi_cross_path_fill(orffi_cross_path *path, const orffi_plan *plan,
                                  const orff_features *features, const orffi_path_source *source) {
    const bool each = !(source->crossed && source->dear && has_one_spread(plan));
    ORFFI_TRY(fill_lambdas(path, plan, features));
    path->crossed = source->crossed;
    ORFFI_TRY(source->points(source->self, path->count, path->lambdas, path->points));
    if (!path->crossed)
        take_gcv(path, plan->p);
    else
        ORFFI_TRY(take_cross(path, source, each ? path->outputs : NULL));
    find_best(path);
    if (!each) ORFFI_TRY(take_best_outputs(path, plan, source));
    to_user_units(path, plan, each);
    return ORFF_OK;
}

void orffi_cross_path_clear(orffi_cross_path *path) {
    orffi_release(path->lambdas);
    orffi_release(path->points);
    orffi_release(path->outputs);
    memset(path, 0, sizeof *path);
}
