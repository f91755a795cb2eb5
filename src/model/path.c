#include "model/path.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

/* A path around the lambda that the evidence of some rows has found: from 1/9 to 9 times it, in so many
 * values. */
#define AROUND 9.0
#define VALUES 5

/* Whether the path is around the lambda found, and not over a range that the user asked for. */
static bool is_found(const orffi_plan *plan) {
    const orff_settings *s = &plan->settings, plain = orff_settings_default();
    return plan->shift > 0.0 && s->lambda_low == plain.lambda_low && s->lambda_high == plain.lambda_high &&
           s->lambda_count == plain.lambda_count;
}

bool orffi_path_is_known(const orffi_plan *plan) {
    return plan->engine->evident && is_found(plan);
}

orff_status orffi_path_known(const orffi_plan *plan, void *rows, const orff_kernel *kernel, double *lambda) {
    double size;
    ORFFI_TRY(plan->engine->size(rows, kernel, &size));
    *lambda = size * plan->shift / plan->engine->weight(rows);
    return ORFF_OK;
}

/* From low to high in equal ratios. */
static void fill_lambdas(orffi_path *path, const orff_settings *s, double size) {
    const double ratio = s->lambda_high / s->lambda_low;
    for (size_t l = 0; l < path->count; l++) {
        const double along = path->count > 1 ? (double)l / (double)(path->count - 1) : 0.0;
        path->lambdas[l] = size * s->lambda_low * pow(ratio, along);
    }
}

static orff_status allocate(orffi_path *path, bool points, size_t p) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->lambdas, path->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->errors, path->count));
    if (points) ORFFI_TRY(ORFFI_NEW_ARRAY(path->points, path->count));
    return ORFFI_NEW_ARRAY(path->outputs, path->count * p);
}

/* Of two lambdas with the same error takes the larger, which trusts the data less. */
static orff_status find_best(orffi_path *path) {
    bool found = false;
    for (size_t l = 0; l < path->count; l++) {
        if (isnan(path->errors[l]) || (found && path->errors[l] > path->errors[path->best])) continue;
        path->best = l;
        found = true;
    }
    if (found || path->count == 1) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_INVALID_ARGUMENT,
        "lambda cannot be chosen: when one row is held out, none is left to learn from; give more rows, or "
        "lambda");
}

/* Whether all outputs were divided by the same number, so that the path of their mean decides for all. */
static bool has_one_spread(const orffi_plan *plan) {
    for (size_t k = 1; plan->units.spread && k < plan->p; k++)
        if (plan->units.spread[k] != plan->units.spread[0]) return false;
    return true;
}

static double squared_spread(const orffi_plan *plan, size_t k) {
    return plan->units.spread ? plan->units.spread[k] * plan->units.spread[k] : 1.0;
}

/* Errors of an output grow with the square of the spread it was divided by. */
static void convert_to_user_units(orffi_path *path, const orffi_plan *plan, bool each) {
    const size_t p = plan->p;
    for (size_t l = 0; l < path->count; l++) {
        double *outputs = path->outputs + l * p, sum = 0.0;
        for (size_t k = 0; k < p; k++) {
            outputs[k] *= squared_spread(plan, k);
            sum += outputs[k] / (double)p;
        }
        if (path->points)
            path->points[l].cv_mse = each ? sum : path->points[l].cv_mse * squared_spread(plan, 0);
    }
}

static orff_status fill_all_lambdas(orffi_path *path, bool given, const orffi_plan *plan, bool about,
                                    const orffi_engine *engine, void *rows, const orff_kernel *kernel) {
    const orff_settings *s = &plan->settings;
    double size;
    path->lambdas[0] = s->lambda;
    if (given) return ORFF_OK;
    ORFFI_TRY(engine->size(rows, kernel, &size));
    if (about) {
        orff_settings range = *s;
        const double middle = plan->shift / engine->weight(rows);
        range.lambda_low = middle / AROUND;
        range.lambda_high = middle * AROUND;
        fill_lambdas(path, &range, size);
        return ORFF_OK;
    }
    fill_lambdas(path, s, size);
    return ORFF_OK;
}

/* Fills the errors of each output at the best lambda only. */
static orff_status fill_best_outputs(orffi_path *path, size_t p, const orffi_engine *engine, void *rows,
                                     const orff_kernel *kernel) {
    double error;
    orffi_criterion c = {.errors = &error, .outputs = path->outputs + path->best * p, .each = true};
    for (size_t i = 0; i < path->count * p; i++) path->outputs[i] = NAN;
    return engine->criterion(rows, kernel, 1, &path->lambdas[path->best], &c);
}

orff_status orffi_path_fill(orffi_path *path, orffi_path_kind kind, const orffi_plan *plan,
                            const orffi_engine *engine, void *rows, const orff_kernel *kernel) {
    const orff_settings *s = &plan->settings;
    const bool report = kind != ORFFI_PATH_TRIAL, given = s->lambda > 0.0 && report;
    const bool about = kind == ORFFI_PATH_REPORT && is_found(plan);
    path->count = given ? 1 : about ? VALUES : s->lambda_count;
    ORFFI_TRY(allocate(path, report, plan->p));
    ORFFI_TRY(fill_all_lambdas(path, given, plan, about, engine, rows, kernel));
    orffi_criterion c = {.errors = path->errors,
                         .outputs = path->outputs,
                         .points = path->points,
                         .each = report && (!has_one_spread(plan) || orffi_path_parts_outputs(plan, kernel))};
    ORFFI_TRY(engine->criterion(rows, kernel, path->count, path->lambdas, &c));
    path->crossed = c.crossed;
    path->told = c.told;
    ORFFI_TRY(find_best(path));
    if (report && !c.told) ORFFI_TRY(fill_best_outputs(path, plan->p, engine, rows, kernel));
    convert_to_user_units(path, plan, c.told);
    return ORFF_OK;
}

void orffi_path_clear(orffi_path *path) {
    orffi_release(path->lambdas);
    orffi_release(path->errors);
    orffi_release(path->points);
    orffi_release(path->outputs);
    orffi_release(path->dofs);
    memset(path, 0, sizeof *path);
}

orff_status orffi_check_lambda(double lambda, const orffi_engine *engine, void *rows,
                               const orff_kernel *kernel) {
    double size;
    ORFFI_TRY(engine->size(rows, kernel, &size));
    if (lambda * DBL_EPSILON <= size) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_NUMERICAL,
        "lambda is %g, but the kernel is only of size %.3g: the data are lost in rounding, and nothing is "
        "learned; give a smaller lambda, or auto",
        lambda, size);
}
