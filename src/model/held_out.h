/* Errors at rows whose block or group is left out: what a model errs by where there are no rows near by. */
#ifndef ORFFI_MODEL_HELD_OUT_H
#define ORFFI_MODEL_HELD_OUT_H

#include "model/model.h"
#include "model/plan.h"

/* model->held, of a model that was fitted to these rows by this plan. Where the engine has cross-validated, its folds
 * tell; else some blocks, each predicted from the rows around it. Not known for classes, losses other than squared, rows
 * that have streamed by, and kernels without an exact form. */
orff_status orffi_held_out_fill(orff_model *model, const orffi_plan *plan, const orffi_rows *rows);

/* The same for all rows of a value of one input, which has *values: 0, and nothing is done, where there are too many to leave each
 * out, or few rows of each; and where model->held is not by blocks. Overwrites model->held: its outputs are to be kept. */
orff_status orffi_held_out_values(orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                                  size_t input, size_t *values);

#endif
