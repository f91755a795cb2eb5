/* All that follows from a model at a point is phi(x') times a matrix C of 2D x k: predictions (C = V), and
 * the fields derived from them. */
#ifndef ORFFI_MODEL_SWEEP_H
#define ORFFI_MODEL_SWEEP_H

#include "model/model.h"

/* out (n x k) = offset + scale * phi(x') C; offset and scale are k values, or NULL for zeros and ones.
 * Checks that X is finite; out is untouched on failure. */
orff_status orffi_model_sweep(const orff_model *model, const char *task, size_t k, const double *C,
                              const double *scale, const double *offset, size_t n, const double *X,
                              double *out);

#endif
