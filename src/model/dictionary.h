/* What a kernel nobody has named is made of: rules at several scales, and how they are compared. */
#ifndef ORFFI_MODEL_DICTIONARY_H
#define ORFFI_MODEL_DICTIONARY_H

#include "model/trial.h"

/* One line: a rule, and how its length scales stand to the median distances. */
typedef struct orffi_entry {
    orff_rule rule;
    bool stretched; /* by the spread of each input of the field's space: what has no w to follow may */
} orffi_entry;

enum { ORFFI_MOST_ENTRIES = 2 * ORFF_RULE_COUNT };

typedef struct orffi_dictionary {
    orff_part part; /* base and shape of all of them; normalised, so that weights are variances */
    size_t count;
    orffi_entry entries[ORFFI_MOST_ENTRIES];
    double *median;  /* d: median distances, see orffi_trial_medians */
    double *stretch; /* d: the spread of each input of a field's space relative to their root mean square */
} orffi_dictionary;

/* From the plan's first part and the table. */
orff_status orffi_dictionary_init(orffi_dictionary *dictionary, const orffi_plan *plan,
                                  const orffi_table *table);
void orffi_dictionary_clear(orffi_dictionary *dictionary);

/* The plan's parts become every entry at every one of n scales, multiples of the median distances. */
orff_status orffi_dictionary_fill(const orffi_dictionary *dictionary, orffi_plan *plan, size_t n,
                                  const double *scales);

/* Keep the plan's mixture, or put in its place the single entry at its best scale, when that predicts better
 * with as many frequencies as the plan has. */
orff_status orffi_dictionary_compare(const orffi_dictionary *dictionary, orffi_plan *plan,
                                     const orffi_table *table);

#endif
