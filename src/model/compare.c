/* A mixture against its single parts, on rows left out. */
#include <math.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/choose.h"
#include "model/dictionary.h"
#include "model/survey.h"

#define MOST_UNKNOWNS 1600 /* of the mixture */
#define HOPELESS      3.0  /* of the best error: at the middle scale, no other can make up for it */

/* What a plan says of its kernel; here to be put aside and back. */
typedef struct choice {
    size_t n_parts;
    orff_part *parts;
    double *sigmas, *shares;
    double error;
} choice;

static void choice_clear(choice *c) {
    orffi_release(c->parts);
    orffi_release(c->sigmas);
    orffi_release(c->shares);
    *c = (choice){0};
}

/* Move the plan's kernel out. */
static choice take(orffi_plan *plan, double error) {
    const choice c = {plan->settings.n_parts, plan->parts, plan->sigmas, plan->shares, error};
    plan->parts = NULL;
    plan->sigmas = plan->shares = NULL;
    plan->settings.parts = NULL;
    plan->settings.n_parts = 0;
    return c;
}

/* Move a kernel in. */
static void put(orffi_plan *plan, choice *c) {
    plan->settings.n_parts = c->n_parts;
    plan->settings.parts = plan->parts = c->parts;
    plan->sigmas = c->sigmas;
    plan->shares = c->shares;
    *c = (choice){0};
}

/* Frequencies for comparing: the plan's own where the mixture's systems stay small. */
static orff_status comparing_frequencies(const orffi_plan *plan, const orffi_table *table, size_t *D) {
    orff_features *features;
    const size_t enough = table->n < 200 ? 100 : table->n / 2, wanted = plan->settings.sampling.features;
    *D = wanted && wanted < enough ? wanted : enough;
    ORFFI_TRY(orffi_plan_features(plan, *D, &features));
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

/* The plan becomes one part at its best scale; what it does not predict counts as noise. */
static orff_status try_single(const orffi_dictionary *dictionary, size_t i, orffi_plan *plan,
                              const orffi_table *table, size_t D, double hopeless, double *error) {
    const orffi_entry *entry = &dictionary->entries[i];
    const bool chosen = true;
    double *scale, multiple;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->sigmas, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->shares, 2));
    ORFFI_TRY(orffi_duplicate(&plan->parts, &dictionary->part, 1, sizeof dictionary->part));
    plan->parts[0].rule = entry->rule;
    plan->settings.parts = plan->parts;
    plan->settings.n_parts = 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(scale, plan->d));
    for (size_t k = 0; k < plan->d; k++)
        scale[k] = dictionary->median[k] * (entry->stretched ? dictionary->stretch[k] : 1.0);
    const orff_status status =
        orffi_search_scales(plan, table, &chosen, scale, D, hopeless, &multiple, error);
    orffi_release(scale);
    plan->shares[1] = status ? 1.0 : fmin(*error / variance_of(table, plan->p), 1.0);
    plan->shares[0] = 1.0 - plan->shares[1];
    return status;
}

/* What an error from n numbers must come below to be less by more than chance: such errors have a relative deviation of
 * sqrt(2/n); those of two models on the same rows differ by less. */
static double clearly_less(double error, size_t n) {
    return error * (1.0 - fmin(2.0 / sqrt((double)n), 0.1));
}

/* Whether another entry is the same but stretched as the data are. */
static bool is_covered(const orffi_dictionary *dictionary, size_t i) {
    for (size_t k = 0; k < dictionary->count; k++)
        if (dictionary->entries[k].stretched && dictionary->entries[k].rule == dictionary->entries[i].rule)
            return !dictionary->entries[i].stretched;
    return false;
}

/* Evidence believes in as many features as it likes; with those there are, and on rows left out, one part at
 * its best scale may do better. */
orff_status orffi_dictionary_compare(const orffi_dictionary *dictionary, orffi_plan *plan,
                                     const orffi_table *table) {
    size_t D;
    double error, mixture;
    ORFFI_TRY(comparing_frequencies(plan, table, &D));
    ORFFI_TRY(orffi_trial_error(plan, table, D, &mixture));
    choice best = take(plan, clearly_less(mixture, table->n * plan->p));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < dictionary->count; i++) {
        if (is_covered(dictionary, i)) continue;
        status = try_single(dictionary, i, plan, table, D, HOPELESS * best.error, &error);
        choice single = take(plan, error);
        if (!status && single.error < best.error) {
            choice_clear(&best);
            best = single;
        } else {
            choice_clear(&single);
        }
    }
    put(plan, &best);
    if (!status && plan->settings.n_parts == 1)
        orffi_log(ORFF_LOG_INFO, "one %s part predicts better than the mixture at %zu frequencies",
                  orff_rule_name(plan->parts[0].rule), D);
    return status;
}
