/* What error bars need, from a solved system. */
#ifndef ORFFI_MODEL_POSTERIOR_H
#define ORFFI_MODEL_POSTERIOR_H

#include "model/model.h"

/* The posterior of a system at shift = N lambda > 0. In the eigen form where the system has it, or where
 * it must be taken because the outputs' m_b differ; else by Cholesky, and by the eigen form again where
 * that breaks down. */
orff_status orffi_posterior_build(orffi_posterior **out, orffi_system *system, double shift);

/* The noise variance of the scaled outputs, from its mean in the user's units. */
double orffi_inner_noise(const orff_model *model);

#endif
