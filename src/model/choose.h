/* What is chosen from a subsample of the rows: length scales, Helmholtz weights, whole mixtures. */
#ifndef ORFFI_MODEL_CHOOSE_H
#define ORFFI_MODEL_CHOOSE_H

#include "model/trial.h"

/* Length scales of the parts whose sigma is auto, with their bases, and the c of Helmholtz parts if
 * auto_mix: by the evidence. Without an evidence: scales as a multiple of the median distance, and c, by
 * cross-validation. */
orff_status orffi_choose_scales(orffi_plan *plan, const orffi_rows *rows);

/* The same where an evidence exists: for squared errors and parts with formulas. chosen: the parts whose
 * length scales are open. Sets plan->shift too. If the outputs do not vary, *found is false and the plan
 * unchanged. */
bool orffi_has_evidence(const orffi_plan *plan);
/* Largest order of the matrix over all rows; beyond it, a sample of constant size is used. */
#define ORFFI_EVIDENCE_WHOLE 1000
orff_status orffi_choose_evidence(orffi_plan *plan, const orffi_rows *rows, const bool *chosen, bool *found);

/* The least number of multiples tried. */
size_t orffi_scale_candidates(const orffi_plan *plan);

/* The best multiple of the median distances for the chosen parts, and its cross-validated error with D
 * frequencies. Leaves the plan with these length scales. If the middle multiple's error is above
 * `hopeless`, no other is tried. */
orff_status orffi_search_scales(orffi_plan *plan, const orffi_table *table, const bool *chosen,
                                const double *median, size_t D, double hopeless, double *multiple,
                                double *error);

/* Output matrices of the parts that learn theirs, and the noise. These parts are then no longer marked as
 * learning. */
bool orffi_plan_learns(const orffi_plan *plan);
orff_status orffi_choose_matrices(orffi_plan *plan, const orffi_rows *rows);

/* The delays of delayed parts that give none, their A, and all bases, length scales and wavelengths that
 * are auto. */
bool orffi_plan_delays(const orffi_plan *plan);
orff_status orffi_choose_delays(orffi_plan *plan, const orffi_rows *rows);

/* The wavelengths of the parts that learn theirs, the length scales that are auto, the weights and the
 * noise. */
bool orffi_plan_waves(const orffi_plan *plan);
orff_status orffi_choose_waves(orffi_plan *plan, const orffi_rows *rows);

/* Give part m the waves u (d numbers: how many wavelengths fit into the extent of each input). */
orff_status orffi_plan_set_waves(orffi_plan *plan, size_t m, const double *u);

/* Replace the parts by those parts of a dictionary (rules x scales) that the evidence keeps, with their
 * weights and shares. */
orff_status orffi_choose_mixture(orffi_plan *plan, const orffi_rows *rows);

/* Learn the weights of the plan's parts from rows that an engine has prepared for its kernel, and drop
 * parts that explain nothing. */
orff_status orffi_plan_learn_weights(orffi_plan *plan, const orffi_engine *engine, void *rows,
                                     const orff_kernel *kernel);

/* The same from many rows: by the exact kernel on the most informative rows of the table; or, if they have
 * weights or the criterion is not the evidence, from moments of the few. */
orff_status orffi_plan_learn_sample(orffi_plan *plan, const orffi_table *table, const orffi_table *few,
                                    const double *median);

/* Learn the weights of the plan's parts. From few rows: by the exact kernel. From many: does nothing if
 * the engine learns weights from all rows, and otherwise uses a sample. plan->settings.mixture is false
 * once the weights are learned. */
orff_status orffi_choose_weights(orffi_plan *plan, const orffi_rows *rows);

#endif
