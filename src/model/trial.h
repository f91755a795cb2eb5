/* Tries a plan on some of the rows; automatic choices are based on this. */
#ifndef ORFFI_MODEL_TRIAL_H
#define ORFFI_MODEL_TRIAL_H

#include "model/path.h"

#define ORFFI_TRIAL_ROWS 5000

/* At most `most` rows of the head, spread over it, in the plan's units. */
orff_status orffi_trial_sample(const orffi_plan *plan, const orffi_rows *rows, size_t most,
                               orffi_table *table);

/* The same for choices from neighbours, which need rows at full density. For few inputs it takes up to ten
 * times as many rows as the head has, if they are in memory; otherwise the head. */
orff_status orffi_trial_dense_sample(const orffi_plan *plan, const orffi_rows *rows, orffi_table *table);

/* As many frequencies as are needed to distinguish candidates on this table, at most the plan's own. */
size_t orffi_trial_frequencies(const orffi_plan *plan, const orffi_table *table);
size_t orffi_trial_folds(const orffi_plan *plan, const orffi_table *table);

/* Rows prepared for one candidate and reused for others where possible. Zero it first. */
typedef struct orffi_trial {
    const orffi_engine *engine;
    void *rows;
} orffi_trial;

/* An engine reads the rows of the table for a kernel with D frequencies. The plan and the table must
 * outlive the trial. */
orff_status orffi_trial_prepare(orffi_trial *trial, const orffi_engine *engine, const orffi_plan *plan,
                                const orff_kernel *kernel, const orffi_table *table, size_t D, size_t folds);
void orffi_trial_clear(orffi_trial *trial);

/* The cross-validated error of the plan as it is, with D frequencies. */
orff_status orffi_trial_error(orffi_trial *trial, const orffi_plan *plan, const orffi_table *table, size_t D,
                              double *error);

/* Median distances (d): over the field's space (or all inputs), and over each other input by itself. */
orff_status orffi_trial_medians(const orffi_plan *plan, const orffi_table *table, double *median);

/* The median distance of a row from its nearest neighbour in another place, in the field's space or all
 * inputs. 1 if all rows are in one place. */
double orffi_trial_spacing(const orffi_plan *plan, const orffi_table *table);

/* Whether input i belongs to the field's space; true if there is none. */
bool orffi_plan_in_space(const orffi_plan *plan, size_t i);

#endif
