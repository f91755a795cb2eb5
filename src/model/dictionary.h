/* What a kernel nobody has named is made of: rules at several scales, and how they are compared. */
#ifndef ORFF_MODEL_DICTIONARY_H
#define ORFF_MODEL_DICTIONARY_H

#include "model/trial.h"

/* One line: a rule, and how its length scales stand to the median distances. */
typedef struct orff_entry {
    orff_rule rule;
    bool stretched; /* by the spread of each input of the field's space: what has no w to follow may */
} orff_entry;

enum { ORFF_MOST_ENTRIES = 4 };

typedef struct orff_dictionary {
    orff_part part; /* base and shape of all of them; normalised, so that weights are variances */
    size_t count;
    orff_entry entries[ORFF_MOST_ENTRIES];
    double *median;  /* d: median distances, see orff_trial_medians */
    double *stretch; /* d: the spread of each input of a field's space relative to their root mean square */
} orff_dictionary;

/* From the plan's first part and the table. */
orff_status orff_dictionary_init(orff_dictionary *dictionary, const orff_plan *plan, const orff_table *table);
void orff_dictionary_clear(orff_dictionary *dictionary);

/* The plan's parts become every entry at every one of n scales, multiples of the median distances. */
orff_status orff_dictionary_fill(const orff_dictionary *dictionary, orff_plan *plan, size_t n,
                                 const double *scales);

/* Keep the plan's mixture, or put in its place the single entry at its best scale, when that predicts better
 * with as many frequencies as the plan has. */
orff_status orff_dictionary_compare(const orff_dictionary *dictionary, orff_plan *plan,
                                    const orff_table *table);

#endif
