#include "model/path.h"

#include <string.h>

#include "base/memory.h"
#include "solve/ridge.h"

/* Errors of outputs that were divided by their spread grow with its square. */
static void to_user_units(orffi_cross_path *path, const orffi_plan *plan) {
    const size_t p = plan->p;
    for (size_t l = 0; plan->units.spread && l < path->count; l++) {
        path->points[l].cv_mse = 0.0;
        for (size_t k = 0; k < p; k++) {
            path->outputs[l * p + k] *= plan->units.spread[k] * plan->units.spread[k];
            path->points[l].cv_mse += path->outputs[l * p + k] / (double)p;
        }
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

orff_status orffi_cross_path_fill(orffi_cross_path *path, const orffi_plan *plan,
                                  const orff_features *features, orff_ridge *ridge) {
    const bool given = plan->settings.lambda > 0.0;
    path->count = given ? 1 : plan->settings.lambda_count;
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->lambdas, path->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->points, path->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->outputs, path->count * plan->p));
    if (given) {
        path->lambdas[0] = plan->settings.lambda;
    } else {
        ORFFI_TRY(orffi_plan_lambdas(plan, features, path->lambdas));
    }
    path->crossed = !orffi_moments_too_few(ridge->moments);
    ORFFI_TRY(orffi_ridge_path_outputs(ridge, path->count, path->lambdas, path->points,
                                       path->crossed ? path->outputs : NULL));
    if (!path->crossed) take_gcv(path, plan->p);
    find_best(path);
    to_user_units(path, plan);
    return ORFF_OK;
}

void orffi_cross_path_clear(orffi_cross_path *path) {
    orffi_release(path->lambdas);
    orffi_release(path->points);
    orffi_release(path->outputs);
    memset(path, 0, sizeof *path);
}
