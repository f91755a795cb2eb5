/* What is chosen from a subsample of the rows: length scales, Helmholtz weights, whole mixtures. */
#ifndef ORFFI_MODEL_CHOOSE_H
#define ORFFI_MODEL_CHOOSE_H

#include "model/trial.h"

/* Length scales of the parts whose sigma is auto, with their bases, and the c of Helmholtz parts when auto_mix: by the
 * evidence, or, where there is none, scales as a multiple of the median distance and c by cross-validation. */
orff_status orffi_choose_scales(orffi_plan *plan, const orffi_rows *rows);

/* The same where there is an evidence: for squared errors and parts with formulas. chosen: the parts whose length scales
 * are open. plan->shift is set too. *found is false, and the plan as it was, where the outputs do not vary. */
bool orffi_has_evidence(const orffi_plan *plan);
#define ORFFI_EVIDENCE_WHOLE \
    1000 /* order of the matrix up to which it is that of all rows; beyond, of a sample of always the same size */
orff_status orffi_choose_evidence(orffi_plan *plan, const orffi_rows *rows, const bool *chosen, bool *found);

/* How many multiples are tried, at least. */
size_t orffi_scale_candidates(const orffi_plan *plan);

/* The best multiple of the median distances for the parts chosen, and its cross-validated error with D frequencies; the
 * plan is left with it. When the middle one's error is above `hopeless` no other is tried. */
orff_status orffi_search_scales(orffi_plan *plan, const orffi_table *table, const bool *chosen,
                                const double *median, size_t D, double hopeless, double *multiple,
                                double *error);

/* Output matrices of the parts that learn theirs, with the noise; their parts learn no more then. */
bool orffi_plan_learns(const orffi_plan *plan);
orff_status orffi_choose_matrices(orffi_plan *plan, const orffi_rows *rows);

/* The delays of delayed parts that give none, with their A, and what is auto of bases, length scales and wavelengths. */
bool orffi_plan_delays(const orffi_plan *plan);
orff_status orffi_choose_delays(orffi_plan *plan, const orffi_rows *rows);

/* The wavelengths of the parts that learn theirs, with length scales that are auto, weights and the noise. */
bool orffi_plan_waves(const orffi_plan *plan);
orff_status orffi_choose_waves(orffi_plan *plan, const orffi_rows *rows);

/* Part m gets the waves u (d: how many of them fit the extent of each input). */
orff_status orffi_plan_set_waves(orffi_plan *plan, size_t m, const double *u);

/* Replace the parts by those of a dictionary (rules x scales) that the evidence keeps, with their weights
 * and shares. */
orff_status orffi_choose_mixture(orffi_plan *plan, const orffi_rows *rows);

/* Learn the weights of the plan's parts from rows that an engine has prepared for its kernel; parts that explain
 * nothing go. */
orff_status orffi_plan_learn_weights(orffi_plan *plan, const orffi_engine *engine, void *rows,
                                     const orff_kernel *kernel);

/* The same from many rows: by the exact kernel on those of the table that tell most, or, where they have weights or the
 * criterion is not the evidence, from moments of the few. */
orff_status orffi_plan_learn_sample(orffi_plan *plan, const orffi_table *table, const orffi_table *few,
                                    const double *median);

/* Learn the weights of the plan's parts from the rows, when they are few, by the exact kernel;
 * plan->settings.mixture is then false. Else nothing is done where the engine learns them from all rows, and a sample
 * tells them where it does not. */
orff_status orffi_choose_weights(orffi_plan *plan, const orffi_rows *rows);

#endif
