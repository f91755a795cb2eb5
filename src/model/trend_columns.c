/* Columns of a trend as data: an engine learns each of them without knowing of trends. */
#include "model/trend_sums.h"

#include <math.h>

#include "base/hooks.h"
#include "base/memory.h"

/* The data of fit number `which`: Y is n x p, for directed rows n. */
static void fill_column(const orffi_trend *t, const orffi_table *table, const uint32_t *sets, size_t which,
                        double *h, double *Y) {
    const size_t p = t->p, term = which / p, output = which % p;
    for (size_t i = 0; i < table->n; i++) {
        orffi_trend_fill_terms(t, table->X + i * t->d, orffi_set_of(sets, i), h);
        if (table->along) Y[i] = h[term] * table->along[i * p + output];
        for (size_t a = 0; !table->along && a < p; a++) {
            const size_t column = which * p + a;
            Y[i * p + a] = t->shared ? (column < t->terms ? h[column] : 0.0) : a == output ? h[term] : 0.0;
        }
    }
}

orff_status orffi_trend_copy_rows(orffi_rows *rows, orffi_table *table) {
    orffi_source source;
    ORFFI_TRY(orffi_rows_source(rows, &source));
    if (!source.table)
        return orffi_rows_outcome(
            rows, orffi_table_gather(table, &source.reader, source.expected, rows->d, rows->p));
    ORFFI_TRY(orffi_table_init_like(table, source.table->n, source.table));
    table->N = source.table->N;
    table->walls = source.table->walls;
    for (size_t i = 0; i < table->n; i++) orffi_table_copy_row(table, i, source.table, i);
    return ORFF_OK;
}

orff_status orffi_trend_learn_column(const orffi_plan *plan, const orffi_trend_fit *fit,
                                     const orff_kernel *kernel, double lambda, const orffi_table *table,
                                     orffi_report *report, void **learned) {
    orff_settings bare = plan->settings;
    orffi_task task = orffi_plan_task(plan);
    const orffi_source source = {.table = table, .expected = table->n, .known = table->n};
    void *rows = NULL;
    bare.posterior = ORFF_SWITCH_NO;
    task.settings = &bare;
    task.folds = 1;
    orff_status status = plan->engine->prepare(&rows, &task, fit->kernel);
    if (!status) status = plan->engine->read(rows, &source);
    if (!status) status = plan->engine->learn(learned, rows, kernel, lambda, report);
    plan->engine->release(rows);
    return status;
}

/* Rows that the engine has to read only once for all columns, or NULL. */
static orff_status prepare_once(const orffi_plan *plan, const orffi_trend_fit *f, const orff_settings *bare,
                                const orffi_table *table, void **rows) {
    orffi_task task = orffi_plan_task(plan);
    const orffi_source source = {.table = table, .expected = table->n, .known = table->n};
    if (!plan->engine->again) return ORFF_OK;
    task.settings = bare;
    task.folds = 1;
    ORFFI_TRY(plan->engine->prepare(rows, &task, f->kernel));
    return plan->engine->read(*rows, &source);
}

/* Learns column i and keeps what is left of the rows, if the engine reports it. */
static orff_status learn_telling(const orffi_plan *plan, orffi_trend_fit *f, const orff_kernel *kernel,
                                 double lambda, const orffi_table *column, orffi_report *report, size_t i) {
    double *left = NULL;
    if (!column->along) ORFFI_TRY(orffi_alloc(&left, column->n, column->p * sizeof *left));
    if (left) left[0] = NAN;
    report->left = left;
    const orff_status status =
        orffi_trend_learn_column(plan, f, kernel, lambda, column, report, &f->trend->fits[i]);
    if (left && !isnan(left[0]))
        f->lacks[i] = left;
    else
        orffi_release(left);
    return status;
}

orff_status orffi_trend_learn_columns(orffi_trend_fit *f, const orffi_plan *plan, const orff_kernel *kernel,
                                      double lambda, const orffi_table *table) {
    orffi_trend *t = f->trend;
    orffi_table column = *table;
    orff_settings bare = plan->settings;
    double *h = NULL, *arrays = NULL;
    void *once = NULL;
    column.Y = NULL;
    bare.posterior = ORFF_SWITCH_NO;
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->lacks, t->n_fits));
    orff_status status = orffi_alloc(&column.Y, table->n, orffi_table_width(table) * sizeof *column.Y);
    if (!status) status = ORFFI_NEW_ARRAY(h, t->terms);
    if (!status) status = ORFFI_NEW_ARRAY(arrays, 3 * t->p);
    for (size_t i = 0; !status && i < t->n_fits; i++) {
        orffi_report report = {.mean = arrays, .train_mse = arrays + t->p, .cv_mse = arrays + 2 * t->p};
        orffi_stage before;
        status = orffi_stage_enter("estimating the trend", (double)i, (double)t->n_fits, NULL, &before);
        if (!status) fill_column(t, table, f->rows->set, i, h, column.Y);
        if (!status && !once) status = prepare_once(plan, f, &bare, &column, &once);
        if (!status)
            status = once ? plan->engine->again(&t->fits[i], once, kernel, lambda, column.Y)
                          : learn_telling(plan, f, kernel, lambda, &column, &report, i);
        orffi_stage_leave(&before);
    }
    plan->engine->release(once);
    orffi_release(column.Y);
    orffi_release(h);
    orffi_release(arrays);
    return status;
}

void orffi_trend_forget_lacks(orffi_trend_fit *f) {
    for (size_t i = 0; f->lacks && i < f->trend->n_fits; i++) orffi_release(f->lacks[i]);
    orffi_release(f->lacks);
    f->lacks = NULL;
}
