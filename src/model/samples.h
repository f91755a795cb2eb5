/* A single posterior sample. */
#ifndef ORFFI_MODEL_SAMPLES_H
#define ORFFI_MODEL_SAMPLES_H

#include "orff.h"

/* The difference of sample i from the model at n points X: n x p, in the user's units. */
orff_status orffi_samples_deviation(const orff_samples *samples, size_t i, size_t n, const double *X,
                                    double *out);

#endif
