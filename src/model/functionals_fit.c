#include "model/functionals_fit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

/* ---- checking the user's functionals */

static orff_status check_one(const orff_functionals *given, size_t i) {
    if (!given->counts[i])
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "functional %zu has no points", i + 1);
    if (!isfinite(given->values[i]))
        return orffi_fail(ORFF_ERROR_NOT_FINITE, "the value of functional %zu is not a number", i + 1);
    if (!(given->errors[i] > 0.0 && isfinite(given->errors[i])))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the error of functional %zu is %g; it must be a positive number", i + 1,
                          given->errors[i]);
    return ORFF_OK;
}

/* Whether some direction of functional i is not zero. */
static bool says_something(const orffi_functionals *f, size_t p, size_t i) {
    for (size_t k = f->points[i] * p; k < f->points[i + 1] * p; k++)
        if (f->along[k] != 0.0) return true;
    return false;
}

static orff_status fill(orffi_functionals *f, const orff_functionals *given, size_t d, size_t p) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->points, f->n + 1));
    for (size_t i = 0; i < f->n; i++) {
        ORFFI_TRY(check_one(given, i));
        f->points[i + 1] = f->points[i] + given->counts[i];
    }
    const size_t all = f->points[f->n];
    ORFFI_TRY(orffi_check_finite("points of functionals", all, d + p, given->points));
    ORFFI_TRY(orffi_alloc(&f->X, all, d * sizeof *f->X));
    ORFFI_TRY(orffi_alloc(&f->along, all, p * sizeof *f->along));
    for (size_t s = 0; s < all; s++) {
        memcpy(f->X + s * d, given->points + s * (d + p), d * sizeof *f->X);
        memcpy(f->along + s * p, given->points + s * (d + p) + d, p * sizeof *f->along);
    }
    for (size_t i = 0; i < f->n; i++)
        if (!says_something(f, p, i))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the directions of functional %zu have no length",
                              i + 1);
    return ORFF_OK;
}

orff_status orffi_functionals_read(orffi_functionals *f, const orff_functionals *given, size_t d, size_t p) {
    if (!given || !given->n) return ORFF_OK;
    if (!given->counts || !given->points || !given->values || !given->errors)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "functionals need counts, points, values and errors, but one is NULL");
    *f = (orffi_functionals){.n = given->n, .values = given->values, .errors = given->errors};
    return fill(f, given, d, p);
}

void orffi_functionals_clear(orffi_functionals *f) {
    orffi_release(f->points);
    orffi_release(f->X);
    orffi_release(f->along);
    memset(f, 0, sizeof *f);
}

/* ---- joining them with the rows */

/* The noise variance of a row of weight 1, in the units of the kernel; the mean over outputs with noises
 * of their own. */
static double noise_of(const orff_model *model) {
    double sum = 0.0;
    for (size_t k = 0; k < model->p; k++) {
        const double noise = model->noise[k] / model->spread[k];
        sum += noise * noise / (double)model->p;
    }
    return sum;
}

/* Copies the rows as the engine had them. */
static void copy_rows(const orffi_table *rows, orffi_table *table) {
    memcpy(table->X, rows->X, rows->n * rows->d * sizeof *rows->X);
    memcpy(table->along, rows->along, rows->n * rows->p * sizeof *rows->along);
    memcpy(table->Y, rows->Y, rows->n * sizeof *rows->Y);
    memcpy(table->weights, rows->weights, rows->n * sizeof *rows->weights);
    for (size_t i = 0; i <= rows->n; i++) table->points[i] = i;
    table->N = rows->N;
    table->walls = rows->walls;
}

/* Appends the functionals: as f = mean + spread g(x'), <e, f> is <e o spread, g> in the units of y. */
static void copy_functionals(const orff_model *model, const orffi_units *units, const orffi_functionals *f,
                             size_t rows, orffi_table *table) {
    const size_t d = table->d, p = table->p;
    const double noise = noise_of(model);
    for (size_t i = 0; i < f->n; i++) {
        table->Y[rows + i] = f->values[i];
        table->weights[rows + i] = noise / (f->errors[i] * f->errors[i]);
        table->points[rows + i + 1] = rows + f->points[i + 1];
    }
    for (size_t s = 0; s < f->points[f->n] * d; s++)
        table->X[rows * d + s] = (f->X[s] - units->shift[s % d]) / units->unit[s % d];
    for (size_t s = 0; s < f->points[f->n] * p; s++)
        table->along[rows * p + s] = f->along[s] * units->spread[s % p];
}

static orff_status build(orffi_table *table, const orff_model *model, const orffi_plan *plan,
                         const orffi_table *rows, const orffi_functionals *f) {
    const size_t n = rows->n + f->n, all = rows->n + f->points[f->n];
    *table = (orffi_table){.n = n, .d = rows->d, .p = rows->p, .functionals = f->n};
    ORFFI_TRY(orffi_alloc(&table->X, all, rows->d * sizeof *table->X));
    ORFFI_TRY(orffi_alloc(&table->along, all, rows->p * sizeof *table->along));
    ORFFI_TRY(ORFFI_NEW_ARRAY(table->Y, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(table->weights, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(table->points, n + 1));
    copy_rows(rows, table);
    copy_functionals(model, &plan->units, f, rows->n, table);
    return ORFF_OK;
}

/* The range of all points, some of which may be far from the rows. */
static void find_range(const orffi_table *table, double *extent, double *middle) {
    const size_t d = table->d;
    for (size_t k = 0; k < d; k++) {
        double low = table->X[k], high = low;
        for (size_t s = 1; s < table->points[table->n]; s++) {
            low = fmin(low, table->X[s * d + k]);
            high = fmax(high, table->X[s * d + k]);
        }
        extent[k] = high - low;
        middle[k] = 0.5 * (low + high);
    }
}

/* No folds: the reported errors remain those of the rows. arrays: 3 p + 2 d */
static orff_status learn(void **fit, const orffi_plan *plan, const orff_kernel *kernel, double lambda,
                         const orffi_table *table, double *arrays) {
    const orffi_source source = {.table = table, .expected = table->n, .known = table->n};
    const size_t p = table->p;
    double *extent = arrays + 3 * p, *middle = extent + table->d;
    orffi_task task = orffi_plan_task(plan);
    task.folds = 1;
    task.extent = extent;
    task.middle = middle;
    find_range(table, extent, middle);
    orffi_report report = {.mean = arrays, .train_mse = arrays + p, .cv_mse = arrays + 2 * p};
    void *prepared = NULL;
    orff_status status = plan->engine->prepare(&prepared, &task, kernel);
    if (!status) status = plan->engine->read(prepared, &source);
    if (!status) status = plan->engine->learn(fit, prepared, kernel, lambda, &report);
    plan->engine->release(prepared);
    return status;
}

orff_status orffi_functionals_join(orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                                   const orffi_functionals *f) {
    orffi_table table = {0};
    double *arrays = NULL;
    void *fit = NULL;
    orff_status status = build(&table, model, plan, &rows->whole, f);
    if (!status) status = ORFFI_NEW_ARRAY(arrays, 3 * table.p + 2 * table.d);
    if (!status) status = learn(&fit, plan, orffi_model_kernel(model), model->lambda, &table, arrays);
    if (!status) {
        model->engine->free(model->fit);
        model->fit = fit;
        for (size_t k = 0; k < table.p; k++) model->mean[k] = arrays[k] * model->spread[k];
        status = model->engine->check_finite(fit);
    }
    orffi_table_clear(&table);
    orffi_release(arrays);
    return status;
}
