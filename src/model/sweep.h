/* All that follows from a model at a point is phi(x') times a matrix C of 2D x k: predictions (C = V), and
 * the fields derived from them. */
#ifndef ORFFI_MODEL_SWEEP_H
#define ORFFI_MODEL_SWEEP_H

#include "model/model.h"

/* ORFF_ERROR_NOT_FINITE where some of the results of `task` (rows x k), the first being row `first`, are NaN or infinite.
 * Points at hand and a model that was learned give no such thing; numbers of a file that somebody changed do. */
orff_status orffi_model_check_result(const char *task, size_t first, size_t rows, size_t k,
                                     const double *out);

/* out (n x k) = offset + scale * phi(x') C; offset and scale are k values, or NULL for zeros and ones.
 * Checks that X is finite; out is untouched on failure. */
orff_status orffi_model_sweep(const orff_model *model, const char *task, size_t k, const double *C,
                              const double *scale, const double *offset, size_t n, const double *X,
                              double *out);

#endif
