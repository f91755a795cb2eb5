#include "model/dictionary.h"

#include <math.h>

#include "base/memory.h"
#include "model/survey.h"

/* Whether the base has the second moment that curl-free and divergence-free parts need. */
static bool is_smooth(const orff_plan *plan, const orff_part *part) {
    orff_part probe = *part;
    double moments[3];
    probe.rule = ORFF_DECOMPOSABLE;
    probe.sigma = 1.0;
    return orff_part_moments(&probe, plan->d, plan->p, moments) == ORFF_OK && isfinite(moments[0]);
}

/* Decomposable always, curl-free and divergence-free where there is a field; stretched where inputs spread
 * unequally. */
static void fill_entries(orff_dictionary *dictionary, const orff_plan *plan) {
    const double *stretch = dictionary->stretch;
    double low = stretch[0], high = stretch[0];
    for (size_t i = 1; i < plan->d; i++) {
        low = fmin(low, stretch[i]);
        high = fmax(high, stretch[i]);
    }
    dictionary->entries[dictionary->count++] = (orff_entry){ORFF_DECOMPOSABLE, false};
    if (high > 1.25 * low) dictionary->entries[dictionary->count++] = (orff_entry){ORFF_DECOMPOSABLE, true};
    if (orff_plan_has_field(plan) && is_smooth(plan, &dictionary->part)) {
        dictionary->entries[dictionary->count++] = (orff_entry){ORFF_CURL_FREE, false};
        dictionary->entries[dictionary->count++] = (orff_entry){ORFF_DIV_FREE, false};
    }
}

/* Ones outside a field's space. */
static orff_status stretches(const orff_plan *plan, const orff_table *table, double *stretch) {
    double *spread, square = 0.0;
    ORFF_TRY(ORFF_NEW_ARRAY(spread, plan->d));
    orff_column_statistics(table->n, plan->d, table->X, NULL, spread, NULL);
    for (size_t i = 0; i < plan->d; i++) stretch[i] = 1.0;
    for (size_t k = 0; orff_plan_has_field(plan) && k < plan->p; k++)
        square += spread[plan->space[k]] * spread[plan->space[k]] / (double)plan->p;
    for (size_t k = 0; orff_plan_has_field(plan) && k < plan->p; k++)
        stretch[plan->space[k]] = spread[plan->space[k]] / sqrt(square);
    orff_release(spread);
    return ORFF_OK;
}

orff_status orff_dictionary_init(orff_dictionary *dictionary, const orff_plan *plan,
                                 const orff_table *table) {
    *dictionary = (orff_dictionary){.part = orff_part_default()};
    dictionary->part.base = plan->parts[0].base;
    dictionary->part.shape = plan->parts[0].shape;
    dictionary->part.normalise = true;
    ORFF_TRY(ORFF_NEW_ARRAY(dictionary->median, plan->d));
    ORFF_TRY(ORFF_NEW_ARRAY(dictionary->stretch, plan->d));
    ORFF_TRY(orff_trial_medians(plan, table, dictionary->median));
    ORFF_TRY(stretches(plan, table, dictionary->stretch));
    fill_entries(dictionary, plan);
    return ORFF_OK;
}

void orff_dictionary_clear(orff_dictionary *dictionary) {
    orff_release(dictionary->median);
    orff_release(dictionary->stretch);
    *dictionary = (orff_dictionary){0};
}

/* Covariates keep their own median. */
static void set_scales(const orff_dictionary *dictionary, const orff_plan *plan, const orff_entry *entry,
                       double multiple, double *sigmas) {
    for (size_t i = 0; i < plan->d; i++)
        sigmas[i] = dictionary->median[i] * (orff_plan_in_space(plan, i) ? multiple : 1.0) *
                    (entry->stretched ? dictionary->stretch[i] : 1.0);
}

orff_status orff_dictionary_fill(const orff_dictionary *dictionary, orff_plan *plan, size_t n,
                                 const double *scales) {
    const size_t count = dictionary->count * n;
    orff_part *parts = NULL;
    double *sigmas = NULL;
    orff_status status = ORFF_NEW_ARRAY(parts, count);
    if (!status) status = ORFF_NEW_ARRAY(sigmas, count * plan->d);
    if (status) {
        orff_release(parts);
        return status;
    }
    for (size_t m = 0; m < count; m++) {
        const orff_entry *entry = &dictionary->entries[m % dictionary->count];
        parts[m] = dictionary->part;
        parts[m].rule = entry->rule;
        set_scales(dictionary, plan, entry, scales[m / dictionary->count], sigmas + m * plan->d);
    }
    orff_release(plan->parts);
    orff_release(plan->sigmas);
    plan->settings.parts = plan->parts = parts;
    plan->settings.n_parts = count;
    plan->sigmas = sigmas;
    return ORFF_OK;
}
