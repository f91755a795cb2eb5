/* Weights of a sum's parts by the evidence: from moments, or from few rows by the exact kernel. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exact/mixture.h"
#include "model/choose.h"
#include "model/patches.h"

#define FEW_OBSERVATIONS 2000      /* rows x outputs up to which the exact kernel is the cheaper way ... */
#define FEW_NUMBERS      (1 << 26) /* ... and what its matrices may hold in all */
#define LEARNING_SIDE    1000      /* its order where it learns from some of many rows */
#define SMALLEST_SHARE   0.01      /* of the variance: parts below leave a mixture */

/* Parts of weight 0 go; shares move along, noise's last. */
static orff_status keep_parts(orffi_plan *plan, const double *weights) {
    size_t kept = 0;
    const size_t n = plan->settings.n_parts;
    for (size_t m = 0; m < n; m++) {
        if (!(weights[m] > 0.0)) continue;
        plan->parts[kept] = plan->parts[m];
        plan->parts[kept].weight *= weights[m];
        plan->shares[kept] = plan->shares[m];
        memmove(plan->sigmas + kept * plan->d, plan->sigmas + m * plan->d, plan->d * sizeof *plan->sigmas);
        kept++;
    }
    plan->shares[kept] = plan->shares[n];
    plan->settings.n_parts = kept;
    if (kept) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_NUMERICAL,
                      "the evidence keeps no part of the mixture: the outputs look like pure noise");
}

orff_status orffi_plan_learn_weights(orffi_plan *plan, const orff_features *features,
                                     const orff_moments *moments) {
    double *weights, lambda;
    const size_t n = plan->settings.n_parts;
    ORFFI_TRY(ORFFI_NEW_ARRAY(weights, n));
    orffi_release(plan->shares);
    orff_status status = ORFFI_NEW_ARRAY(plan->shares, n + 1);
    for (size_t m = 0; m < n; m++) weights[m] = 1.0;
    if (!status)
        status = orff_mixture_learn(features, moments, plan->settings.center, plan->settings.criterion,
                                    SMALLEST_SHARE, weights, &lambda, plan->shares, NULL);
    if (!status) status = keep_parts(plan, weights);
    orffi_release(weights);
    return status;
}

orff_status orffi_plan_learn_exact(orffi_plan *plan, const orffi_table *table) {
    double *weights = NULL, lambda;
    orff_kernel *kernel = NULL;
    const size_t n = plan->settings.n_parts;
    orffi_release(plan->shares);
    plan->shares = NULL;
    orff_status status = ORFFI_NEW_ARRAY(plan->shares, n + 1);
    if (!status) status = ORFFI_NEW_ARRAY(weights, n);
    if (!status) status = orffi_plan_kernel(plan, &kernel);
    for (size_t m = 0; !status && m < n; m++) weights[m] = 1.0;
    if (!status)
        status = orffi_exact_mixture_learn(kernel, table->n, table->X, table->Y, plan->settings.center,
                                           SMALLEST_SHARE, weights, &lambda, plan->shares);
    orff_kernel_free(kernel);
    if (!status) status = keep_parts(plan, weights);
    orffi_release(weights);
    return status;
}

/* By the exact kernel on the rows that tell most of every scale. */
static orff_status learn_exact(orffi_plan *plan, const orffi_table *table, const double *median) {
    orffi_table telling = {0};
    orff_kernel *kernel;
    ORFFI_TRY(orffi_plan_kernel(plan, &kernel));
    const size_t rows = LEARNING_SIDE / orffi_exact_mixture_side(kernel, 1);
    orff_kernel_free(kernel);
    orff_status status = orffi_patches(table, plan->d, plan->p, median, rows, &telling);
    if (!status) status = orffi_plan_learn_exact(plan, &telling);
    orffi_table_clear(&telling);
    return status;
}

/* Rows with weights: from moments under few features. */
static orff_status learn_weighted(orffi_plan *plan, const orffi_table *table) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_status status =
        orffi_trial_look(plan, table, orffi_trial_frequencies(plan, table), 1, &features, &moments);
    if (!status) status = orffi_plan_learn_weights(plan, features, moments);
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

orff_status orffi_plan_learn_sample(orffi_plan *plan, const orffi_table *table, const orffi_table *few,
                                    const double *median) {
    return table->weights ? learn_weighted(plan, few) : learn_exact(plan, table, median);
}

static bool is_few(const orffi_plan *plan, size_t rows) {
    const size_t P = rows * plan->p;
    return rows <= FEW_OBSERVATIONS && P <= FEW_OBSERVATIONS &&
           (plan->settings.n_parts + 2) * P * P <= FEW_NUMBERS;
}

/* Custom parts may have no exact form. */
static bool has_exact(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->settings.n_parts; m++)
        if (!orff_rule_describe(plan->parts[m].rule).named && !plan->parts[m].exact) return false;
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
    const bool all = rows->stream ? head->n < plan->settings.subsample : head->n == rows->n;
    const bool few = all && !head->weights && is_few(plan, head->n) && has_exact(plan);
    if (!few && plan->settings.solver != ORFF_SOLVER_EXACT) return ORFF_OK;
    orff_status status = orffi_trial_sample(plan, rows, ORFFI_TRIAL_ROWS, &table);
    if (!status) status = few ? orffi_plan_learn_exact(plan, &table) : learn_many(plan, rows, &table);
    if (!status) plan->settings.mixture = false;
    orffi_table_clear(&table);
    return status;
}
