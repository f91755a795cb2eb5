/* Compares a mixture with single parts on held-out rows. */
#include <math.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "engine/features.h"
#include "model/choose.h"
#include "model/dictionary.h"
#include "model/survey.h"

#define MOST_UNKNOWNS 1600 /* of the mixture */
/* Times the best error: with such an error at the middle length scale, no other scale can win. */
#define HOPELESS 3.0

/* Frequencies for the comparison: the plan's own, as long as the mixture's systems stay small. */
static orff_status comparing_frequencies(const orffi_plan *plan, const orffi_table *table, size_t *D) {
    const orffi_task task = orffi_plan_task(plan);
    orff_kernel *kernel;
    orff_features *features = NULL;
    const size_t enough = table->n < 200 ? 100 : table->n / 2, wanted = plan->settings.sampling.features;
    *D = wanted && wanted < enough ? wanted : enough;
    ORFFI_TRY(orffi_plan_kernel(plan, &kernel));
    const orff_status status = orffi_features_draw(&features, &task, kernel, *D);
    orff_kernel_free(kernel);
    if (status) return status;
    const size_t M = orff_features_describe(features).parameters, most = 2 * *D * plan->p;
    orff_features_free(features);
    const size_t unknowns = M < most ? M : most;
    if (unknowns > MOST_UNKNOWNS) *D = *D * MOST_UNKNOWNS / unknowns;
    return ORFF_OK;
}

static double variance_of(const orffi_table *table, size_t p) {
    double *deviation, sum = 0.0;
    if (ORFFI_NEW_ARRAY(deviation, p)) return 1.0;
    orffi_column_statistics(table->n, p, table->Y, NULL, deviation, NULL);
    for (size_t k = 0; k < p; k++) sum += deviation[k] * deviation[k] / (double)p;
    orffi_release(deviation);
    return sum > 0.0 ? sum : 1.0;
}

/* Replaces the plan's parts by one part at its best length scale; the unpredicted variance counts as
 * noise. */
static orff_status try_single(const orffi_dictionary *dictionary, size_t i, orffi_plan *plan,
                              const orffi_table *table, size_t D, double hopeless, double *error) {
    const orffi_entry *entry = &dictionary->entries[i];
    const bool chosen = true;
    orff_part part = dictionary->part;
    double *scale, multiple;
    part.rule = entry->rule;
    orffi_parts_clear(&plan->parts);
    ORFFI_TRY(orffi_parts_init(&plan->parts, plan->d, plan->p, 1, &part));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->parts.shares, 2));
    ORFFI_TRY(ORFFI_NEW_ARRAY(scale, plan->d));
    for (size_t k = 0; k < plan->d; k++)
        scale[k] = dictionary->median[k] * (entry->stretched ? dictionary->stretch[k] : 1.0);
    const orff_status status =
        orffi_search_scales(plan, table, &chosen, scale, D, hopeless, &multiple, error);
    orffi_release(scale);
    plan->parts.shares[1] = status ? 1.0 : fmin(*error / variance_of(table, plan->p), 1.0);
    plan->parts.shares[0] = 1.0 - plan->parts.shares[1];
    return status;
}

/* The error below which another model is better by more than chance. Mean squares over n numbers have a
 * relative standard deviation of sqrt(2/n); differences between two models on the same rows have less. */
static double clearly_less(double error, size_t n) {
    return error * (1.0 - fmin(2.0 / sqrt((double)n), 0.1));
}

/* Whether the same rule also has an entry stretched like the data, which makes this one superfluous. */
static bool is_covered(const orffi_dictionary *dictionary, size_t i) {
    for (size_t k = 0; k < dictionary->count; k++)
        if (dictionary->entries[k].stretched && dictionary->entries[k].rule == dictionary->entries[i].rule)
            return !dictionary->entries[i].stretched;
    return false;
}

/* The evidence assumes the exact kernel. With the features at hand, and on held-out rows, one part at its
 * best length scale may do better. */
orff_status orffi_dictionary_compare(const orffi_dictionary *dictionary, orffi_plan *plan,
                                     const orffi_table *table) {
    orffi_trial trial = {0};
    orffi_parts best = {0};
    size_t D = 0;
    double error, least = INFINITY;
    orff_status status = comparing_frequencies(plan, table, &D);
    if (!status) status = orffi_trial_error(&trial, plan, table, D, &error);
    if (!status) least = clearly_less(error, table->n * plan->p);
    orffi_trial_clear(&trial);
    orffi_parts_move(&best, &plan->parts);
    for (size_t i = 0; !status && i < dictionary->count; i++) {
        if (is_covered(dictionary, i)) continue;
        status = try_single(dictionary, i, plan, table, D, HOPELESS * least, &error);
        if (status || !(error < least)) continue;
        least = error;
        orffi_parts_move(&best, &plan->parts);
    }
    orffi_parts_move(&plan->parts, &best);
    if (!status && plan->parts.count == 1)
        orffi_log(ORFF_LOG_INFO, "one %s part predicts better than the mixture at %zu frequencies",
                  orff_rule_name(plan->parts.list[0].part.rule), D);
    return status;
}
