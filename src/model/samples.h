/* One posterior sample by itself. */
#ifndef ORFFI_MODEL_SAMPLES_H
#define ORFFI_MODEL_SAMPLES_H

#include "orff.h"

/* What sample i has more than the model at n points X: n x p, in the user's units. */
orff_status orffi_samples_deviation(const orff_samples *samples, size_t i, size_t n, const double *X,
                                    double *out);

#endif
