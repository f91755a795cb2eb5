/* A model, or the difference of a sample from it, as a sum in the user's units. */
#ifndef ORFFI_MODEL_SUM_H
#define ORFFI_MODEL_SUM_H

#include "model/model.h"

/* An empty sum for the model; at most two terms may be added. */
orff_status orffi_sum_create(orff_sum **sum, const orff_model *model);

/* Adds a fit of an engine, its outputs multiplied by spread (p). */
orff_status orffi_sum_add(orff_sum *sum, const orff_model *model, const orffi_engine *engine, const void *fit,
                          const double *spread);

#endif
