/* The file of a checkpoint: member "checkpoint" of the document, with "question", "marks" and, for an iteration,
 * "coefficients" and the tensor "theta"; for moments what a file of moments has. */
#ifndef ORFFI_MOMENTS_CHECKPOINT_FILE_H
#define ORFFI_MOMENTS_CHECKPOINT_FILE_H

#include "moments/checkpoint.h"

/* One of the two is NULL. */
orff_status orffi_checkpoint_write(const orffi_checkpoint *checkpoint, const orff_moments *moments,
                                   const orffi_coefficients *reached);

/* What is at the checkpoint's path: refused when it is no checkpoint, when it is not wanted, or when it was asked
 * something else. */
orff_status orffi_checkpoint_load(orffi_checkpoint *checkpoint, bool wanted);

#endif
