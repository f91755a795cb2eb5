/* The kernel of a field nobody has named: a dictionary weighted by the evidence, which then has to be no worse
 * than the best single part. */
#include "model/choose.h"
#include "model/dictionary.h"

static const double scales[] = {0.04, 0.08, 0.16, 0.32, 0.64, 1.28};

static orff_status choose(orff_plan *plan, const orff_table *table, const orff_table *few,
                          orff_dictionary *dictionary) {
    ORFF_TRY(orff_dictionary_init(dictionary, plan, few));
    ORFF_TRY(orff_dictionary_fill(dictionary, plan, sizeof scales / sizeof *scales, scales));
    ORFF_TRY(orff_plan_learn_sample(plan, table, few, dictionary->median));
    if (plan->settings.solver == ORFF_SOLVER_EXACT) return ORFF_OK; /* no features to run out of */
    return orff_dictionary_compare(dictionary, plan, few);
}

orff_status orff_choose_mixture(orff_plan *plan, const orff_rows *rows) {
    orff_table table = {0}, few = {0};
    orff_dictionary dictionary = {0};
    orff_status status = orff_trial_sample(plan, rows, rows->head.n, &table);
    if (!status) status = orff_trial_sample(plan, rows, ORFF_TRIAL_ROWS, &few);
    if (!status) status = choose(plan, &table, &few, &dictionary);
    orff_dictionary_clear(&dictionary);
    orff_table_clear(&table);
    orff_table_clear(&few);
    return status;
}
