/* The file of a checkpoint: member "checkpoint" of the document, with "question", "marks" and, for an
 * iteration, "coefficients" and the tensor "theta"; for moments, the content of a moments file. */
#ifndef ORFFI_MOMENTS_CHECKPOINT_FILE_H
#define ORFFI_MOMENTS_CHECKPOINT_FILE_H

#include "moments/checkpoint.h"

/* One of the two is NULL. */
orff_status orffi_checkpoint_write(const orffi_checkpoint *checkpoint, const orff_moments *moments,
                                   const orffi_coefficients *reached);

/* Loads the file at the checkpoint's path, if there is one. Fails if it is not a checkpoint, is not `wanted`,
 * or has another question. */
orff_status orffi_checkpoint_load(orffi_checkpoint *checkpoint, bool wanted);

#endif
