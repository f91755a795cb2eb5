/* What error bars need, from a solved system. */
#ifndef ORFFI_MODEL_POSTERIOR_H
#define ORFFI_MODEL_POSTERIOR_H

#include "exact/dual.h"
#include "model/model.h"

/* The posterior of a system at shift = N lambda > 0. In the eigen form where the system has it, or where
 * it must be taken because the outputs' m_b differ; else by Cholesky, and by the eigen form again where
 * that breaks down. */
orff_status orffi_posterior_build(orffi_posterior **out, orffi_system *system, double shift);

/* Rows of Phi(x)^T from phi(x) (2D) into slice: n numbers (stein), or p x n. */
void orffi_posterior_slices(const orffi_posterior *posterior, size_t D, size_t p, const double *phi,
                            double *slice);

/* The posterior of a dual at lambda. */
orff_status orffi_posterior_of_dual(orffi_posterior **out, const orffi_dual *dual, double lambda);

/* The noise variance of the scaled outputs, from its mean in the user's units. */
double orffi_inner_noise(const orff_model *model);

#endif
