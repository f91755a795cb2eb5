#include "model/path.h"

#include <string.h>

#include "base/memory.h"
#include "solve/ridge.h"

/* Errors of outputs that were divided by their spread grow with its square. */
static void to_user_units(orff_cross_path *path, const orff_plan *plan) {
    const size_t p = plan->p;
    for (size_t l = 0; plan->units.spread && l < path->count; l++) {
        path->points[l].cv_mse = 0.0;
        for (size_t k = 0; k < p; k++) {
            path->outputs[l * p + k] *= plan->units.spread[k] * plan->units.spread[k];
            path->points[l].cv_mse += path->outputs[l * p + k] / (double)p;
        }
    }
}

static void find_best(orff_cross_path *path) {
    path->best = 0;
    for (size_t l = 1; l < path->count; l++)
        if (path->points[l].cv_mse <= path->points[path->best].cv_mse) path->best = l;
}

orff_status orff_cross_path_fill(orff_cross_path *path, const orff_plan *plan, const orff_features *features,
                                 orff_ridge *ridge) {
    const bool given = plan->settings.lambda > 0.0;
    path->count = given ? 1 : plan->settings.lambda_count;
    ORFF_TRY(ORFF_NEW_ARRAY(path->lambdas, path->count));
    ORFF_TRY(ORFF_NEW_ARRAY(path->points, path->count));
    ORFF_TRY(ORFF_NEW_ARRAY(path->outputs, path->count * plan->p));
    if (given) {
        path->lambdas[0] = plan->settings.lambda;
    } else {
        ORFF_TRY(orff_plan_lambdas(plan, features, path->lambdas));
    }
    ORFF_TRY(orff_ridge_path_outputs(ridge, path->count, path->lambdas, path->points, path->outputs));
    find_best(path);
    to_user_units(path, plan);
    return ORFF_OK;
}

void orff_cross_path_clear(orff_cross_path *path) {
    orff_release(path->lambdas);
    orff_release(path->points);
    orff_release(path->outputs);
    memset(path, 0, sizeof *path);
}
