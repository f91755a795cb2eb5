#include "model/trial.h"

#include "base/memory.h"
#include "model/choose_exact.h"
#include "model/fit_dual.h"
#include "model/survey.h"

#define MOST_UNKNOWNS 1200

orff_status orffi_trial_sample(const orffi_plan *plan, const orffi_rows *rows, size_t most,
                               orffi_table *table) {
    const orffi_table *head = &rows->head;
    const size_t n = head->n < most ? head->n : most;
    ORFFI_TRY(orffi_table_init(table, n, plan->d, plan->p, head->weights != NULL));
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)((double)i * ((double)head->n / (double)n));
        for (size_t k = 0; k < plan->d; k++)
            table->X[i * plan->d + k] =
                (head->X[from * plan->d + k] - plan->units.shift[k]) / plan->units.unit[k];
        for (size_t k = 0; k < plan->p; k++)
            table->Y[i * plan->p + k] = head->Y[from * plan->p + k] / plan->units.spread[k];
        if (table->weights) table->weights[i] = head->weights[from];
    }
    return ORFF_OK;
}

/* Unknowns for each feature, about: the columns of the parts' blocks together, at most p; 1 for a Stein
 * equation. */
static size_t columns_of(const orffi_plan *plan) {
    const size_t n = plan->settings.n_parts;
    size_t columns = 0;
    if (n == 1 && orffi_rule_find(plan->parts[0].rule)->separable) return 1;
    for (size_t m = 0; m < n; m++)
        columns += orffi_rule_columns(orffi_rule_find(plan->parts[m].rule), plan->p);
    if (columns == 0) return 1;
    return columns < plan->p ? columns : plan->p;
}

/* Half as many frequencies as rows are as many features as rows: more would not tell candidates apart
 * better. And no more than keep the systems small: there is one to factor for every candidate and fold. */
size_t orffi_trial_frequencies(const orffi_plan *plan, const orffi_table *table) {
    const size_t D = plan->settings.sampling.features, enough = table->n < 200 ? 100 : table->n / 2;
    const size_t small = MOST_UNKNOWNS / (2 * columns_of(plan)), quick = small < 50 ? 50 : small;
    const size_t most = enough < quick ? enough : quick;
    return D && D < most ? D : most;
}

orff_status orffi_trial_look(const orffi_plan *plan, const orffi_table *table, size_t D, size_t folds,
                             orff_features **features, orff_moments **moments) {
    const orff_moments_settings how = {.folds = folds, .seed = plan->settings.sampling.seed};
    ORFFI_TRY(orffi_plan_features(plan, D, features));
    ORFFI_TRY(orff_moments_create(moments, *features, &how));
    return orff_moments_accumulate(*moments, table->n, table->X, table->Y, table->weights);
}

size_t orffi_trial_folds(const orffi_plan *plan, const orffi_table *table) {
    const size_t folds = plan->settings.folds > 1 && plan->settings.folds < 3 ? plan->settings.folds : 3;
    return table->n < 30 ? 2 : folds;
}

orff_status orffi_trial_error(const orffi_plan *plan, const orffi_table *table, size_t D, double *error) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orffi_best_lambda best = {0};
    if (orffi_chooses_exactly(plan, table->n)) return orffi_choose_try_exact(plan, table, error);
    const orff_moments_settings how = {.folds = orffi_trial_folds(plan, table),
                                       .seed = plan->settings.sampling.seed};
    orff_status status = orffi_plan_features(plan, D, &features);
    if (!status && orffi_dual_order(features, table->n) <= orffi_primal_order(features)) {
        status = orffi_dual_best(plan, features, table, &how, &best);
    } else if (!status) {
        status = orff_moments_create(&moments, features, &how);
        if (!status) status = orff_moments_accumulate(moments, table->n, table->X, table->Y, table->weights);
        if (!status) status = orffi_plan_cross_validate(plan, features, moments, &best);
    }
    *error = best.cv_mse;
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

orff_status orffi_trial_medians(const orffi_plan *plan, const orffi_table *table, double *median) {
    size_t *all;
    double together;
    const bool split = plan->space && plan->d > plan->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(all, plan->d));
    for (size_t i = 0; i < plan->d; i++) all[i] = i;
    orff_status status =
        orffi_median_distance(table->n, plan->d, table->X, split ? plan->p : plan->d,
                              split ? plan->space : all, NULL, plan->settings.sampling.seed, &together);
    for (size_t i = 0; !status && i < plan->d; i++) {
        bool apart = split;
        for (size_t k = 0; split && k < plan->p; k++) apart = apart && plan->space[k] != i;
        median[i] = together;
        if (apart)
            status = orffi_median_distance(table->n, plan->d, table->X, 1, &i, NULL,
                                           plan->settings.sampling.seed, &median[i]);
    }
    orffi_release(all);
    return status;
}

bool orffi_plan_in_space(const orffi_plan *plan, size_t i) {
    if (!plan->space || plan->d == plan->p) return true;
    for (size_t k = 0; k < plan->p; k++)
        if (plan->space[k] == i) return true;
    return false;
}
