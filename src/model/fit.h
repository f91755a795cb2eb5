/* What fitting and tuning share. */
#ifndef ORFF_MODEL_FIT_H
#define ORFF_MODEL_FIT_H

#include "model/plan.h"

/* Whether the settings make sense, and go with d inputs and p outputs. */
orff_status orff_check_fit(const orff_settings *settings, size_t d, size_t p);

/* A model of the rows as planned. */
orff_status orff_fit_plan(orff_model **out, orff_plan *plan, orff_rows *rows);

/* The two ways of doing it: from moments of all rows, or sweeping over rows kept in memory. */
orff_status orff_fit_direct(orff_model **out, orff_plan *plan, orff_rows *rows);
orff_status orff_fit_iterative(orff_model **out, orff_plan *plan, orff_rows *rows);

/* The model of a plan's kernel on moments under `drawn`; the parts' weights are learned first where the
 * plan asks for it. */
orff_status orff_fit_from_moments(orff_model **out, orff_plan *plan, const orff_features *drawn,
                                  const orff_moments *moments);

/* The cross-validated error at the best lambda in the user's units, from that in the plan's. */
orff_status orff_cross_error(const orff_plan *plan, const orff_features *features,
                             const orff_moments *moments, orff_best_lambda best, double *cv_mse);

/* Simplex codes of T classes (T x (T-1)), allocated; nothing for T = 0. */
orff_status orff_make_codes(size_t classes, double **codes);

#endif
