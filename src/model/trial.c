#include "model/trial.h"

#include "base/memory.h"
#include "model/choose_exact.h"
#include "model/survey.h"

#define MOST_UNKNOWNS 1200

orff_status orff_trial_sample(const orff_plan *plan, const orff_rows *rows, size_t most, orff_table *table) {
    const orff_table *head = &rows->head;
    const size_t n = head->n < most ? head->n : most;
    ORFF_TRY(orff_table_init(table, n, plan->d, plan->p, head->weights != NULL));
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
static size_t columns_of(const orff_plan *plan) {
    const size_t n = plan->settings.n_parts;
    size_t columns = 0;
    if (n == 1 && plan->parts[0].rule == ORFF_DECOMPOSABLE) return 1;
    for (size_t m = 0; m < n; m++)
        columns += plan->parts[m].rule == ORFF_CURL_FREE  ? 1
                   : plan->parts[m].rule == ORFF_DIV_FREE ? plan->p - 1
                                                          : plan->p;
    if (columns == 0) return 1;
    return columns < plan->p ? columns : plan->p;
}

/* Half as many frequencies as rows are as many features as rows: more would not tell candidates apart
 * better. And no more than keep the systems small: there is one to factor for every candidate and fold. */
size_t orff_trial_frequencies(const orff_plan *plan, const orff_table *table) {
    const size_t D = plan->settings.sampling.features, enough = table->n < 200 ? 100 : table->n / 2;
    const size_t small = MOST_UNKNOWNS / (2 * columns_of(plan)), quick = small < 50 ? 50 : small;
    const size_t most = enough < quick ? enough : quick;
    return D && D < most ? D : most;
}

orff_status orff_trial_look(const orff_plan *plan, const orff_table *table, size_t D, size_t folds,
                            orff_features **features, orff_moments **moments) {
    const orff_moments_settings how = {.folds = folds, .seed = plan->settings.sampling.seed};
    ORFF_TRY(orff_plan_features(plan, D, features));
    ORFF_TRY(orff_moments_create(moments, *features, &how));
    return orff_moments_accumulate(*moments, table->n, table->X, table->Y, table->weights);
}

size_t orff_trial_folds(const orff_plan *plan, const orff_table *table) {
    const size_t folds = plan->settings.folds > 1 && plan->settings.folds < 3 ? plan->settings.folds : 3;
    return table->n < 30 ? 2 : folds;
}

orff_status orff_trial_error(const orff_plan *plan, const orff_table *table, size_t D, double *error) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_best_lambda best = {0};
    if (orff_chooses_exactly(plan, table->n)) return orff_choose_try_exact(plan, table, error);
    orff_status status = orff_trial_look(plan, table, D, orff_trial_folds(plan, table), &features, &moments);
    if (!status) status = orff_plan_cross_validate(plan, features, moments, &best);
    *error = best.cv_mse;
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

orff_status orff_trial_medians(const orff_plan *plan, const orff_table *table, double *median) {
    size_t *all;
    double together;
    const bool split = plan->space && plan->d > plan->p;
    ORFF_TRY(ORFF_NEW_ARRAY(all, plan->d));
    for (size_t i = 0; i < plan->d; i++) all[i] = i;
    orff_status status =
        orff_median_distance(table->n, plan->d, table->X, split ? plan->p : plan->d,
                             split ? plan->space : all, NULL, plan->settings.sampling.seed, &together);
    for (size_t i = 0; !status && i < plan->d; i++) {
        bool apart = split;
        for (size_t k = 0; split && k < plan->p; k++) apart = apart && plan->space[k] != i;
        median[i] = together;
        if (apart)
            status = orff_median_distance(table->n, plan->d, table->X, 1, &i, NULL,
                                          plan->settings.sampling.seed, &median[i]);
    }
    orff_release(all);
    return status;
}

bool orff_plan_in_space(const orff_plan *plan, size_t i) {
    if (!plan->space || plan->d == plan->p) return true;
    for (size_t k = 0; k < plan->p; k++)
        if (plan->space[k] == i) return true;
    return false;
}
