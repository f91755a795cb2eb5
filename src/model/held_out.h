/* Errors at rows whose block or group is held out: how far a model errs where no rows are near. */
#ifndef ORFFI_MODEL_HELD_OUT_H
#define ORFFI_MODEL_HELD_OUT_H

#include "model/model.h"
#include "model/plan.h"

/* Fills model->held of a model fitted to these rows by this plan. For kernels with an exact form and engines
 * that use it: from some blocks or groups, each predicted from the rows around it. Otherwise from
 * cross-validation, if the engine draws features or the folds are random. Unknown if neither is possible, as
 * for losses other than squared. */
orff_status orffi_held_out_fill(orff_model *model, const orffi_plan *plan, const orffi_rows *rows);

/* The same, holding out all rows with one value of an input. *values: how many values the input has; 0,
 * and nothing is done, if they are too many to hold out each, if each has few rows, or if model->held is
 * not by blocks. Overwrites model->held, so the caller must save its outputs. */
orff_status orffi_held_out_values(orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                                  size_t input, size_t *values);

#endif
