#include "model/dictionary.h"

#include <math.h>

#include "base/memory.h"
#include "model/survey.h"

/* Whether the base has the second moment that curl-free and divergence-free parts need. */
static orff_status find_smooth(const orffi_plan *plan, const orff_part *part, bool *smooth) {
    orff_part probe = *part;
    double moments[3] = {INFINITY};
    probe.rule = orff_part_default().rule;
    probe.sigma = 1.0;
    const orff_status status = orff_part_moments(&probe, plan->d, plan->p, moments);
    *smooth = status == ORFF_OK && isfinite(moments[0]);
    return status == ORFF_ERROR_NO_MEMORY ? status : ORFF_OK;
}

/* Every elementary rule; physical ones only for fields. If inputs spread unequally, non-physical rules
 * also in a stretched form. */
static orff_status fill_entries(orffi_dictionary *dictionary, const orffi_plan *plan) {
    const double *stretch = dictionary->stretch;
    double low = stretch[0], high = stretch[0];
    bool smooth;
    ORFFI_TRY(find_smooth(plan, &dictionary->part, &smooth));
    for (size_t i = 1; i < plan->d; i++) {
        low = fmin(low, stretch[i]);
        high = fmax(high, stretch[i]);
    }
    for (orff_rule rule = 0; rule < ORFF_RULE_COUNT; rule++) {
        const orffi_rule_ops *ops = orffi_rule_find(rule);
        if (!ops->elementary || (ops->physical && !(orffi_plan_has_field(plan) && smooth))) continue;
        dictionary->entries[dictionary->count++] = (orffi_entry){rule, false};
        if (!ops->physical && high > 1.25 * low)
            dictionary->entries[dictionary->count++] = (orffi_entry){rule, true};
    }
    return ORFF_OK;
}

/* Outside a field's space the stretch is 1. */
static orff_status stretches(const orffi_plan *plan, const orffi_table *table, double *stretch) {
    double *spread, square = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(spread, plan->d));
    orffi_column_statistics(table->n, plan->d, table->X, NULL, spread, NULL);
    for (size_t i = 0; i < plan->d; i++) stretch[i] = 1.0;
    for (size_t k = 0; orffi_plan_has_field(plan) && k < plan->p; k++)
        square += spread[plan->space[k]] * spread[plan->space[k]] / (double)plan->p;
    for (size_t k = 0; orffi_plan_has_field(plan) && k < plan->p; k++)
        stretch[plan->space[k]] = spread[plan->space[k]] / sqrt(square);
    orffi_release(spread);
    return ORFF_OK;
}

orff_status orffi_dictionary_init(orffi_dictionary *dictionary, const orffi_plan *plan,
                                  const orffi_table *table) {
    *dictionary = (orffi_dictionary){.part = orff_part_default()};
    dictionary->part.base = plan->parts.list[0].part.base;
    dictionary->part.shape = plan->parts.list[0].part.shape;
    dictionary->part.normalise = true;
    ORFFI_TRY(ORFFI_NEW_ARRAY(dictionary->median, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(dictionary->stretch, plan->d));
    ORFFI_TRY(orffi_trial_medians(plan, table, dictionary->median));
    ORFFI_TRY(stretches(plan, table, dictionary->stretch));
    return fill_entries(dictionary, plan);
}

void orffi_dictionary_clear(orffi_dictionary *dictionary) {
    orffi_release(dictionary->median);
    orffi_release(dictionary->stretch);
    *dictionary = (orffi_dictionary){0};
}

/* Covariates keep their own median distance. */
static void set_scales(const orffi_dictionary *dictionary, const orffi_plan *plan, const orffi_entry *entry,
                       double multiple, double *sigmas) {
    for (size_t i = 0; i < plan->d; i++)
        sigmas[i] = dictionary->median[i] * (orffi_plan_in_space(plan, i) ? multiple : 1.0) *
                    (entry->stretched ? dictionary->stretch[i] : 1.0);
}

orff_status orffi_dictionary_fill(const orffi_dictionary *dictionary, orffi_plan *plan, size_t n,
                                  const double *scales) {
    const size_t count = dictionary->count * n;
    orff_part *list;
    orffi_parts parts = {0};
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, count));
    for (size_t m = 0; m < count; m++) {
        list[m] = dictionary->part;
        list[m].rule = dictionary->entries[m % dictionary->count].rule;
    }
    const orff_status status = orffi_parts_init(&parts, plan->d, plan->p, count, list);
    for (size_t m = 0; !status && m < count; m++)
        set_scales(dictionary, plan, &dictionary->entries[m % dictionary->count],
                   scales[m / dictionary->count], parts.list[m].sigmas);
    if (!status) orffi_parts_move(&plan->parts, &parts);
    orffi_parts_clear(&parts);
    orffi_release(list);
    return status;
}
