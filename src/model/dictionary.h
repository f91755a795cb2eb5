/* Candidates for the parts of a kernel if the user named none: rules at several length scales, and their
 * comparison. */
#ifndef ORFFI_MODEL_DICTIONARY_H
#define ORFFI_MODEL_DICTIONARY_H

#include "model/trial.h"

/* An entry: a rule, and whether its length scales are stretched. */
typedef struct orffi_entry {
    orff_rule rule;
    /* By the spread of each input of the field's space; only for rules that do not depend on w. */
    bool stretched;
} orffi_entry;

enum { ORFFI_MOST_ENTRIES = 2 * ORFF_RULE_COUNT };

typedef struct orffi_dictionary {
    orff_part part; /* base and shape of all entries; normalised, so that weights are variances */
    size_t count;
    orffi_entry entries[ORFFI_MOST_ENTRIES];
    double *median; /* d: median distances, see orffi_trial_medians */
    /* d: the spread of each input of a field's space relative to the root mean square of all. */
    double *stretch;
} orffi_dictionary;

/* Uses the base and shape of the plan's first part. */
orff_status orffi_dictionary_init(orffi_dictionary *dictionary, const orffi_plan *plan,
                                  const orffi_table *table);
void orffi_dictionary_clear(orffi_dictionary *dictionary);

/* Replaces the plan's parts by every entry at each of n scales, multiples of the median distances. */
orff_status orffi_dictionary_fill(const orffi_dictionary *dictionary, orffi_plan *plan, size_t n,
                                  const double *scales);

/* Keep the plan's mixture, or replace it by a single entry at its best length scale if that predicts
 * better with as many frequencies as the plan has. */
orff_status orffi_dictionary_compare(const orffi_dictionary *dictionary, orffi_plan *plan,
                                     const orffi_table *table);

#endif
