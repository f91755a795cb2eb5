/* What fitting and tuning share. */
#ifndef ORFFI_MODEL_FIT_H
#define ORFFI_MODEL_FIT_H

#include "model/path.h"
#include "model/plan.h"

/* Whether the settings make sense, and go with d inputs and p outputs. */
orff_status orffi_check_fit(const orff_settings *settings, size_t d, size_t p);

/* A model of the rows as planned. */
orff_status orffi_fit_plan(orff_model **out, orffi_plan *plan, orffi_rows *rows);

/* The ways of doing it: from moments of all rows, or sweeping over rows kept in memory. */
orff_status orffi_fit_direct(orff_model **out, orffi_plan *plan, orffi_rows *rows);
orff_status orffi_fit_iterative(orff_model **out, orffi_plan *plan, orffi_rows *rows);

/* Or without features. The check refuses early what is too large for memory. */
orff_status orffi_fit_exact(orff_model **out, orffi_plan *plan, orffi_rows *rows);
orff_status orffi_fit_exact_check(const orff_settings *settings, const orffi_rows *rows);

/* The model of a plan's kernel on moments under `drawn`; the parts' weights are learned first where the
 * plan asks for it. */
orff_status orffi_fit_from_moments(orff_model **out, orffi_plan *plan, const orff_features *drawn,
                                   const orff_moments *moments);

/* What a path says of its best lambda becomes the model's cv_mse and output_cv_mse. */
orff_status orffi_model_take_errors(orff_model *model, const orffi_cross_path *path);

/* Simplex codes of T classes (T x (T-1)), allocated; nothing for T = 0. */
orff_status orffi_make_codes(size_t classes, double **codes);

#endif
