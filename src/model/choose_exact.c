#include "model/choose_exact.h"

#include <math.h>

#include "base/memory.h"

#define MOST_UNKNOWNS 1500 /* of a system that is decomposed once for every candidate */

orffi_exact_rows orffi_exact_rows_of(const orffi_plan *plan, const orffi_table *table) {
    return (orffi_exact_rows){.n = table->n,
                              .X = table->X,
                              .Y = table->Y,
                              .weights = table->weights,
                              .center = plan->settings.center};
}

/* From low to high in equal ratios, relative to trace K(0)/p. */
static orff_status fill_path(orffi_exact_path_of *path, const orff_settings *s, const orff_kernel *kernel) {
    const double ratio = s->lambda_high / s->lambda_low;
    double size;
    path->count = s->lambda_count;
    ORFFI_TRY(orffi_exact_size(kernel, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->lambdas, path->count));
    for (size_t l = 0; l < path->count; l++)
        path->lambdas[l] =
            size * s->lambda_low * pow(ratio, path->count > 1 ? (double)l / (double)(path->count - 1) : 0.0);
    return ORFF_OK;
}

orff_status orffi_exact_path_init(orffi_exact_path_of *path, const orffi_plan *plan,
                                  const orff_kernel *kernel) {
    double size;
    if (!(plan->settings.lambda > 0.0)) return fill_path(path, &plan->settings, kernel);
    ORFFI_TRY(orffi_exact_size(kernel, &size));
    ORFFI_TRY(orffi_check_lambda(plan->settings.lambda, size));
    path->count = 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->lambdas, 1));
    path->lambdas[0] = plan->settings.lambda;
    return ORFF_OK;
}

bool orffi_chooses_exactly(const orffi_plan *plan, size_t rows) {
    bool turned = plan->settings.n_parts == 1;
    for (size_t m = 0; m < plan->settings.n_parts; m++)
        turned = turned && orffi_rule_find(plan->parts[m].rule)->separable;
    return plan->settings.solver == ORFF_SOLVER_EXACT && rows <= MOST_UNKNOWNS / (turned ? 1 : plan->p);
}

static orff_status smallest(const orffi_exact_task *task, double *error) {
    orff_path_point *points;
    ORFFI_TRY(ORFFI_NEW_ARRAY(points, task->count));
    const orff_status status = orffi_exact_search(task, points, NULL);
    *error = INFINITY;
    for (size_t l = 0; !status && l < task->count; l++) *error = fmin(*error, points[l].cv_mse);
    orffi_release(points);
    return status;
}

orff_status orffi_choose_try_exact(const orffi_plan *plan, const orffi_table *table, double *error) {
    orff_kernel *kernel = NULL;
    orffi_exact_path_of path = {0};
    orff_status status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = fill_path(&path, &plan->settings, kernel);
    if (!status) {
        const orffi_exact_task task = {.kernel = kernel,
                                       .rows = orffi_exact_rows_of(plan, table),
                                       .count = path.count,
                                       .lambdas = path.lambdas,
                                       .max_bytes = plan->settings.max_bytes};
        status = smallest(&task, error);
    }
    orffi_release(path.lambdas);
    orff_kernel_free(kernel);
    return status;
}

/* ---- tuning */

/* The errors of the path in the plan's units decide, as they do when fitting; then they become the user's. */
static void settle(orffi_cross_path *path, const orffi_plan *plan) {
    const size_t p = plan->p;
    const double *spread = plan->units.spread;
    for (size_t l = 1; l < path->count; l++)
        if (path->points[l].cv_mse <= path->points[path->best].cv_mse ||
            isnan(path->points[path->best].cv_mse))
            path->best = l;
    for (size_t l = 0; l < path->count; l++) {
        path->points[l].cv_mse = 0.0;
        for (size_t k = 0; k < p; k++) {
            path->outputs[l * p + k] *= spread[k] * spread[k];
            path->points[l].cv_mse += path->outputs[l * p + k] / (double)p;
        }
    }
}

static orff_status fill_cross(orffi_cross_path *path, const orffi_plan *plan, const orff_kernel *kernel,
                              const orffi_table *table) {
    const orffi_exact_task task = {.kernel = kernel,
                                   .rows = orffi_exact_rows_of(plan, table),
                                   .count = path->count,
                                   .lambdas = path->lambdas,
                                   .max_bytes = plan->settings.max_bytes};
    path->crossed = true;
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->points, path->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->outputs, path->count * plan->p));
    ORFFI_TRY(orffi_exact_search(&task, path->points, path->outputs));
    settle(path, plan);
    return ORFF_OK;
}

orff_status orffi_exact_cross_path(orffi_cross_path *path, const orffi_plan *plan, orffi_rows *rows) {
    orff_kernel *kernel = NULL;
    orffi_table table = {0};
    orffi_exact_path_of lambdas = {0};
    rows->units = &plan->units;
    orff_status status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = orffi_exact_path_init(&lambdas, plan, kernel);
    path->count = lambdas.count;
    path->lambdas = lambdas.lambdas;
    if (!status) status = orffi_rows_gather(rows, &table);
    if (!status) status = fill_cross(path, plan, kernel, &table);
    orffi_table_clear(&table);
    orff_kernel_free(kernel);
    return status;
}
