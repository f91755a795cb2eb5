/* What error bars need, from a solved system. */
#ifndef ORFF_MODEL_POSTERIOR_H
#define ORFF_MODEL_POSTERIOR_H

#include "model/model.h"

/* The posterior of a system at shift = N lambda > 0. In the eigen form where the system has it, or where
 * it must be taken because the outputs' m_b differ; else by Cholesky, and by the eigen form again where
 * that breaks down. */
orff_status orff_posterior_build(orff_posterior **out, orff_system *system, double shift);

#endif
