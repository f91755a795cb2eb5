/* The criterion of features: cross-validation along a path of lambdas. */
#include "engine/features.h"

#include <string.h>

#include "base/memory.h"

#define SMALLER_FEATURES 1000  /* frequencies of the model that chooses lambda for iterative solvers ... */
#define SMALLER_ROWS     20000 /* ... and its rows */

/* ---- the smaller model that chooses lambda if rows are kept */

static orff_status fill_smaller(orffi_features_rows *r, const orff_kernel *kernel) {
    void *made = NULL;
    orffi_task task = r->task;
    if (r->smaller) return ORFF_OK;
    r->some = *r->table;
    task.D = task.D && task.D < SMALLER_FEATURES ? task.D : SMALLER_FEATURES;
    task.folds = task.settings->folds;
    task.single = false;
    task.scores = true;
    if (r->some.n > SMALLER_ROWS) r->some.n = SMALLER_ROWS;
    ORFFI_TRY(orffi_features_prepare(&made, &task, kernel));
    r->smaller = made;
    return orffi_features_read_rows(made, &(orffi_source){.table = &r->some});
}

/* ---- the criterion */

double orffi_features_weight(const void *rows) {
    const orffi_features_rows *r = rows;
    double sum = 0.0;
    if (r->table) return orffi_table_weight(r->table);
    if (r->directed) return orff_moments_describe(r->moments).weight;
    for (size_t f = 0; f < r->moments->n_sets; f++) sum += orffi_moments_weight(r->moments, f);
    return sum;
}

/* trace K~(0)/p */
static orff_status size_of(const orff_features *f, double *size) {
    double trace;
    ORFFI_TRY(orffi_features_trace(f, &trace));
    *size = trace > 0.0 ? trace / (double)f->p : 1.0;
    return ORFF_OK;
}

orff_status orffi_features_size(void *rows, const orff_kernel *kernel, double *out) {
    orffi_features_rows *r = rows;
    if (r->iterates && !(r->task.settings->lambda > 0.0)) {
        ORFFI_TRY(fill_smaller(r, kernel));
        return orffi_features_size(r->smaller, kernel, out);
    }
    ORFFI_TRY(orffi_features_bind(r, kernel));
    return size_of(r->bound, out);
}

/* Fills points of a path except cv_mse. */
static orff_status fill_points(orffi_features_rows *r, size_t count, const double *lambdas,
                               orff_path_point *points) {
    return r->few ? orffi_dual_path(&r->dual, count, lambdas, points)
                  : orff_ridge_path(r->ridge, count, lambdas, false, points);
}

/* Generalised cross-validation, if there are few rows or all rows are the same, so that folds give no
 * errors. */
static orff_status fill_generalised(orffi_features_rows *r, size_t count, const double *lambdas,
                                    orffi_criterion *c) {
    const size_t p = r->bound->p;
    orff_path_point *points;
    ORFFI_TRY(ORFFI_NEW_ARRAY(points, count));
    const orff_status status = fill_points(r, count, lambdas, points);
    for (size_t i = 0; !status && i < count * p; i++) c->outputs[i] = points[i / p].gcv;
    for (size_t l = 0; !status && l < count; l++) points[l].cv_mse = c->errors[l] = points[l].gcv;
    if (!status && c->points) memcpy(c->points, points, count * sizeof *points);
    orffi_release(points);
    c->told = true;
    return status;
}

static orff_status fill_crossed(orffi_features_rows *r, size_t count, const double *lambdas,
                                orffi_criterion *c) {
    const bool dear =
        r->few ? orffi_dual_outputs_are_dear(&r->dual, count) : orffi_ridge_outputs_are_dear(r->ridge, count);
    c->crossed = true;
    c->told = c->each || !dear;
    double *outputs = c->told ? c->outputs : NULL;
    if (c->points) ORFFI_TRY(fill_points(r, count, lambdas, c->points));
    ORFFI_TRY(r->few ? orffi_dual_cross(&r->dual, count, lambdas, c->errors, outputs)
                     : orffi_ridge_cross(r->ridge, count, lambdas, c->errors, outputs));
    for (size_t l = 0; c->points && l < count; l++) c->points[l].cv_mse = c->errors[l];
    return ORFF_OK;
}

static bool has_too_few(const orffi_features_rows *r) {
    return r->few ? orffi_dual_too_few(&r->dual) : orffi_moments_too_few(r->moments);
}

orff_status orffi_features_criterion(void *rows, const orff_kernel *kernel, size_t count,
                                     const double *lambdas, orffi_criterion *c) {
    orffi_features_rows *r = rows;
    if (r->iterates) {
        ORFFI_TRY(fill_smaller(r, kernel));
        const orff_status status = orffi_features_criterion(r->smaller, kernel, count, lambdas, c);
        c->crossed = false; /* these are not the errors of the final model */
        return status;
    }
    ORFFI_TRY(orffi_features_bind(r, kernel));
    if (r->directed) return orffi_features_judge_directed(r, count, lambdas, c);
    return (has_too_few(r) ? fill_generalised : fill_crossed)(r, count, lambdas, c);
}

orff_status orffi_features_weights(void *rows, const orff_kernel *kernel, double drop, double *values,
                                   double *shares_of) {
    orffi_features_rows *r = rows;
    double lambda;
    if (r->iterates)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "learning the weights of a mixture needs the direct solver");
    ORFFI_TRY(orffi_features_sum_few(r)); /* weights are learned from sums */
    ORFFI_TRY(orffi_features_bind(r, kernel));
    return orff_mixture_learn(r->bound, r->moments, r->task.settings->center, r->task.settings->criterion,
                              drop, values, &lambda, shares_of, NULL);
}
