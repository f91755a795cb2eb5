/* The kernel of a field nobody has named: a dictionary weighted by the evidence, which then has to be no worse
 * than the best single part. */
#include "model/choose.h"
#include "model/dictionary.h"

static const double scales[] = {0.04, 0.08, 0.16, 0.32, 0.64, 1.28};

static orff_status choose(orffi_plan *plan, const orffi_table *table, const orffi_table *few,
                          orffi_dictionary *dictionary) {
    ORFFI_TRY(orffi_dictionary_init(dictionary, plan, few));
    ORFFI_TRY(orffi_dictionary_fill(dictionary, plan, sizeof scales / sizeof *scales, scales));
    ORFFI_TRY(orffi_plan_learn_sample(plan, table, few, dictionary->median));
    if (!plan->engine->draws) return ORFF_OK; /* no features to run out of */
    return orffi_dictionary_compare(dictionary, plan, few);
}

orff_status orffi_choose_mixture(orffi_plan *plan, const orffi_rows *rows) {
    orffi_table table = {0}, few = {0};
    orffi_dictionary dictionary = {0};
    orff_status status = orffi_trial_sample(plan, rows, rows->head.n, &table);
    if (!status) status = orffi_trial_sample(plan, rows, ORFFI_TRIAL_ROWS, &few);
    if (!status) status = choose(plan, &table, &few, &dictionary);
    orffi_dictionary_clear(&dictionary);
    orffi_table_clear(&table);
    orffi_table_clear(&few);
    return status;
}
