/* Exact models in files: member "exact" of the member "model", and beside the kernel
 *
 *     points             N x d    x', in the units of the kernel
 *     alpha              N x p
 *     posterior.F, .g    n x n, n x modes, where covariances were asked for; F is used where it lies
 */
#ifndef ORFFI_MODEL_FILE_EXACT_H
#define ORFFI_MODEL_FILE_EXACT_H

#include "base/fields.h"
#include "exact/exact.h"

/* The member "exact"; null for NULL. */
json_t *orffi_exact_pack(const orff_exact *exact);

/* The tensors, which must live until the archive is written. */
orff_status orffi_exact_add(const orff_exact *exact, orffi_archive_writer *writer);

/* in: the member "model". The archive must stay open when there is a posterior. */
orff_status orffi_exact_read(orff_exact **exact, const orffi_fields *in);

#endif
