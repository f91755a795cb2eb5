/* The kernel of a field for which none was named. With an evidence: every rule that suits the data by
 * itself, and their sum, each with its base and length scales; the sum must be worth its unknowns.
 * Otherwise: a dictionary of rules and scales with learned weights. */
#include <math.h>

#include "base/memory.h"
#include "model/choice.h"
#include "model/choose.h"
#include "model/dictionary.h"

#define SMALLEST_SHARE 0.01 /* of the variance: smaller parts are dropped */

static const double scales[] = {0.04, 0.08, 0.16, 0.32, 0.64, 1.28};

/* ---- a dictionary */

static orff_status fill_from_dictionary(orffi_plan *plan, const orffi_table *table, const orffi_table *few,
                                        orffi_dictionary *dictionary) {
    ORFFI_TRY(orffi_dictionary_fill(dictionary, plan, sizeof scales / sizeof *scales, scales));
    ORFFI_TRY(orffi_plan_learn_sample(plan, table, few, dictionary->median));
    /* The engine uses the exact kernel: no features to run out of. */
    if (!plan->engine->draws) return ORFF_OK;
    return orffi_dictionary_compare(dictionary, plan, few);
}

/* ---- the evidence */

/* An attempt: the plan with other parts. */
typedef struct attempt {
    orffi_plan plan; /* owns only its parts */
    orffi_choice choice;
    bool *chosen;
} attempt;

static void clear_attempt(attempt *a) {
    orffi_choice_clear(&a->choice);
    orffi_parts_clear(&a->plan.parts);
    orffi_release(a->chosen);
    *a = (attempt){0};
}

/* The first `count` parts of the list, with everything open. */
static orff_status open_parts(attempt *a, const orffi_plan *plan, size_t count, const orff_part *list) {
    a->plan = *plan;
    a->plan.parts = (orffi_parts){0};
    a->plan.settings.mixture = count > 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(a->chosen, count));
    for (size_t m = 0; m < count; m++) a->chosen[m] = true;
    ORFFI_TRY(orffi_parts_init(&a->plan.parts, plan->d, plan->p, count, list));
    return ORFFI_NEW_ARRAY(a->plan.parts.shares, count + 1);
}

/* Keeps the better of these parts and the best so far in `best`. All attempts use the same rows, as many
 * as the largest matrix allows. */
static orff_status try_parts(attempt *best, const orffi_plan *plan, const orffi_rows *rows, size_t count,
                             const orff_part *list) {
    attempt *a;
    ORFFI_TRY(ORFFI_NEW(a));
    orff_status status = open_parts(a, plan, count, list);
    if (!status) {
        const size_t order = orffi_plan_has_field(plan) ? plan->p : 0;
        status = orffi_choice_make(&a->choice, &a->plan, rows, a->chosen, order);
    }
    const bool better =
        !status && a->choice.found &&
        (!best->choice.found || orffi_choice_score(&a->choice) > orffi_choice_score(&best->choice));
    if (better) {
        clear_attempt(best);
        *best = *a;
        best->choice.plan = &best->plan;
        best->choice.judge.plan = &best->plan;
    } else {
        clear_attempt(a);
    }
    orffi_release(a);
    return status;
}

/* Each rule by itself, then their sum; if there is only one rule, that rule twice, with two length scales. */
static orff_status try_all(attempt *best, const orffi_plan *plan, const orffi_rows *rows,
                           const orffi_dictionary *dictionary) {
    orff_part list[ORFFI_MOST_ENTRIES];
    size_t count = 0;
    for (size_t i = 0; i < dictionary->count; i++) {
        if (dictionary->entries[i].stretched) continue; /* the evidence finds the stretching itself */
        list[count] = dictionary->part;
        list[count].base = plan->parts.list[0].part.base;
        list[count].rule = dictionary->entries[i].rule;
        list[count].sigma = ORFF_SIGMA_AUTO;
        ORFFI_TRY(try_parts(best, plan, rows, 1, &list[count++]));
    }
    if (count == 1) list[count++] = list[0];
    return try_parts(best, plan, rows, count, list);
}

/* Drops parts that explain next to nothing. */
static orff_status drop_small(orffi_parts *parts) {
    double *keep;
    ORFFI_TRY(ORFFI_NEW_ARRAY(keep, parts->count));
    size_t kept = 0;
    for (size_t m = 0; m < parts->count; m++) kept += parts->shares[m] >= SMALLEST_SHARE;
    for (size_t m = 0; m < parts->count; m++)
        keep[m] = kept == 0 || parts->shares[m] >= SMALLEST_SHARE ? 1.0 : 0.0;
    const orff_status status = orffi_parts_keep(parts, keep);
    orffi_release(keep);
    return status;
}

static orff_status apply_best(orffi_plan *plan, attempt *best) {
    ORFFI_TRY(orffi_choice_mean(&best->choice, &plan->mean));
    ORFFI_TRY(orffi_choice_apply(&best->choice));
    ORFFI_TRY(drop_small(&best->plan.parts));
    plan->shift = best->plan.shift;
    plan->quality = best->plan.quality;
    orffi_parts_move(&plan->parts, &best->plan.parts);
    return ORFF_OK;
}

/* With drawn features there may be too few for the sum, so the dictionary compares. */
static orff_status compare(orffi_plan *plan, const orffi_table *few, orffi_dictionary *dictionary) {
    dictionary->part.base = plan->parts.list[0].part.base;
    dictionary->part.shape = plan->parts.list[0].part.shape;
    if (!plan->engine->draws || plan->parts.count == 1) return ORFF_OK;
    return orffi_dictionary_compare(dictionary, plan, few);
}

static orff_status choose(orffi_plan *plan, const orffi_rows *rows, const orffi_table *table,
                          const orffi_table *few, orffi_dictionary *dictionary) {
    attempt best = {0};
    const bool evidence = orffi_has_evidence(plan) && plan->settings.criterion == ORFF_CRITERION_EVIDENCE;
    ORFFI_TRY(orffi_dictionary_init(dictionary, plan, few));
    orff_status status = evidence ? try_all(&best, plan, rows, dictionary) : ORFF_OK;
    const bool found = best.choice.found;
    if (!status && found) status = apply_best(plan, &best);
    clear_attempt(&best);
    if (status) return status;
    return found ? compare(plan, few, dictionary) : fill_from_dictionary(plan, table, few, dictionary);
}

orff_status orffi_choose_mixture(orffi_plan *plan, const orffi_rows *rows) {
    orffi_table table = {0}, few = {0};
    orffi_dictionary dictionary = {0};
    orff_status status = orffi_trial_sample(plan, rows, rows->head.n, &table);
    if (!status) status = orffi_trial_sample(plan, rows, ORFFI_TRIAL_ROWS, &few);
    if (!status) status = choose(plan, rows, &table, &few, &dictionary);
    orffi_dictionary_clear(&dictionary);
    orffi_table_clear(&table);
    orffi_table_clear(&few);
    return status;
}
