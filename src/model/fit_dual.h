/* Fitting features by the dual of ridge, where the rows are in memory and fewer than the coefficients. What comes of it
 * is a model like any other with features. */
#ifndef ORFFI_MODEL_FIT_DUAL_H
#define ORFFI_MODEL_FIT_DUAL_H

#include "exact/dual.h"
#include "model/path.h"

/* Whether the dual is the way to a plan: all rows are there, sums are not asked for (single precision, a mixture to be
 * learned, checkpoints), and the dual system is the smaller one. */
bool orffi_dual_serves(const orffi_plan *plan, const orff_features *features, const orffi_rows *rows);

/* The model, its errors and its posterior. features is taken over. */
orff_status orffi_fit_dual(orff_model **out, const orffi_plan *plan, orff_features *features,
                           orffi_rows *rows);

/* Only the path, for tuning. */
orff_status orffi_dual_cross_path(orffi_cross_path *path, const orffi_plan *plan,
                                  const orff_features *features, orffi_rows *rows);

/* As orffi_plan_cross_validate, from the rows of a table. */
orff_status orffi_dual_best(const orffi_plan *plan, const orff_features *features, const orffi_table *table,
                            const orff_moments_settings *how, orffi_best_lambda *best);

#endif
