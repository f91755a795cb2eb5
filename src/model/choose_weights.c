/* Weights of the parts of a sum: from moments, or, for few rows, by the evidence of the exact kernel. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exact/mixture.h"
#include "model/choose.h"
#include "model/patches.h"

#define FEW_OBSERVATIONS 2000      /* rows x outputs up to which the exact kernel is cheaper ... */
#define FEW_NUMBERS      (1 << 26) /* ... and numbers that all its matrices may hold */
/* Order of the exact kernel's matrix where it learns from some of many rows. */
#define LEARNING_SIDE  1000
#define SMALLEST_SHARE 0.01 /* of the variance: smaller parts are dropped */

/* The only criterion of the exact kernel. */
static bool is_evidence(const orffi_plan *plan) {
    return plan->settings.criterion == ORFF_CRITERION_EVIDENCE;
}

/* Weights of 1 to start from, and room for the shares. */
static orff_status begin(orffi_plan *plan, double **weights) {
    const size_t n = plan->parts.count;
    orffi_release(plan->parts.shares);
    plan->parts.shares = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->parts.shares, n + 1));
    ORFFI_TRY(ORFFI_NEW_ARRAY(*weights, n));
    for (size_t m = 0; m < n; m++) (*weights)[m] = 1.0;
    return ORFF_OK;
}

orff_status orffi_plan_learn_weights(orffi_plan *plan, const orffi_engine *engine, void *rows,
                                     const orff_kernel *kernel) {
    double *weights = NULL;
    orff_status status = begin(plan, &weights);
    if (!status) status = engine->weights(rows, kernel, SMALLEST_SHARE, weights, plan->parts.shares);
    if (!status) status = orffi_parts_keep(&plan->parts, weights);
    orffi_release(weights);
    return status;
}

/* The same by the exact kernel, from the rows of a table without weights. */
static orff_status learn_from_table(orffi_plan *plan, const orffi_table *table) {
    double *weights = NULL, lambda;
    orff_kernel *kernel = NULL;
    orff_status status = begin(plan, &weights);
    if (!status) status = orffi_plan_kernel(plan, &kernel);
    if (!status)
        status = orffi_exact_mixture_learn(kernel, table->n, table->X, table->Y, plan->settings.center,
                                           SMALLEST_SHARE, weights, &lambda, plan->parts.shares);
    orff_kernel_free(kernel);
    if (!status) status = orffi_parts_keep(&plan->parts, weights);
    orffi_release(weights);
    return status;
}

/* By the exact kernel on rows that cover every scale. */
static orff_status learn_exact(orffi_plan *plan, const orffi_table *table, const double *median) {
    orffi_table telling = {0};
    orff_kernel *kernel;
    ORFFI_TRY(orffi_plan_kernel(plan, &kernel));
    const size_t rows = LEARNING_SIDE / orffi_exact_mixture_side(kernel, 1);
    orff_kernel_free(kernel);
    orff_status status = orffi_patches(table, median, rows, &telling);
    if (!status) status = learn_from_table(plan, &telling);
    orffi_table_clear(&telling);
    return status;
}

/* For rows with weights, or errors on held-out rows: from moments with few features. */
static orff_status learn_summed(orffi_plan *plan, const orffi_table *table) {
    const orffi_engine *engine = &orffi_engine_features;
    const size_t folds = is_evidence(plan) ? 1 : orffi_trial_folds(plan, table);
    orffi_trial trial = {0};
    orff_kernel *kernel;
    ORFFI_TRY(orffi_plan_kernel(plan, &kernel));
    orff_status status =
        orffi_trial_prepare(&trial, engine, plan, kernel, table, orffi_trial_frequencies(plan, table), folds);
    if (!status) status = orffi_plan_learn_weights(plan, engine, trial.rows, kernel);
    orffi_trial_clear(&trial);
    orff_kernel_free(kernel);
    return status;
}

orff_status orffi_plan_learn_sample(orffi_plan *plan, const orffi_table *table, const orffi_table *few,
                                    const double *median) {
    return table->weights || !is_evidence(plan) ? learn_summed(plan, few) : learn_exact(plan, table, median);
}

static bool is_few(const orffi_plan *plan, size_t rows) {
    const size_t P = rows * plan->p;
    return rows <= FEW_OBSERVATIONS && P <= FEW_OBSERVATIONS &&
           (plan->parts.count + 2) * P * P <= FEW_NUMBERS;
}

/* Custom parts may have no exact form. */
static bool has_exact(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++)
        if (!orff_rule_describe(plan->parts.list[m].part.rule).named && !plan->parts.list[m].part.exact)
            return false;
    return true;
}

static orff_status learn_many(orffi_plan *plan, const orffi_rows *rows, const orffi_table *few) {
    orffi_table table = {0};
    double *median = NULL;
    orff_status status = orffi_trial_sample(plan, rows, rows->head.n, &table);
    if (!status) status = ORFFI_NEW_ARRAY(median, plan->d);
    if (!status) status = orffi_trial_medians(plan, few, median);
    if (!status) status = orffi_plan_learn_sample(plan, &table, few, median);
    orffi_table_clear(&table);
    orffi_release(median);
    return status;
}

orff_status orffi_choose_weights(orffi_plan *plan, const orffi_rows *rows) {
    orffi_table table = {0};
    const orffi_table *head = &rows->head;
    const bool all = orffi_rows_known(rows) == head->n;
    const bool few = all && !head->weights && is_evidence(plan) && is_few(plan, head->n) && has_exact(plan);
    if (!few && plan->engine->weights) return ORFF_OK;
    orff_status status = orffi_trial_sample(plan, rows, ORFFI_TRIAL_ROWS, &table);
    if (!status) status = few ? learn_from_table(plan, &table) : learn_many(plan, rows, &table);
    if (!status) plan->settings.mixture = false;
    orffi_table_clear(&table);
    return status;
}
