/* Trying a plan on some of the rows: what the automatic choices are made from. */
#ifndef ORFFI_MODEL_TRIAL_H
#define ORFFI_MODEL_TRIAL_H

#include "model/plan.h"

#define ORFFI_TRIAL_ROWS 5000

/* At most `most` rows of the head, spread over it, in the plan's units. */
orff_status orffi_trial_sample(const orffi_plan *plan, const orffi_rows *rows, size_t most,
                               orffi_table *table);

/* As many frequencies as tell candidates apart on this table, no more than the plan's own. */
size_t orffi_trial_frequencies(const orffi_plan *plan, const orffi_table *table);
size_t orffi_trial_folds(const orffi_plan *plan, const orffi_table *table);

/* D features of the plan as it stands, and the moments of the table under them. */
orff_status orffi_trial_look(const orffi_plan *plan, const orffi_table *table, size_t D, size_t folds,
                             orff_features **features, orff_moments **moments);

/* The cross-validated error of the plan as it stands, with D frequencies. */
orff_status orffi_trial_error(const orffi_plan *plan, const orffi_table *table, size_t D, double *error);

/* Median distances (d): over the field's space (or all inputs), and over each other input by itself. */
orff_status orffi_trial_medians(const orffi_plan *plan, const orffi_table *table, double *median);

/* Whether input i belongs to the field's space, or there is none. */
bool orffi_plan_in_space(const orffi_plan *plan, size_t i);

#endif
