/* Folds for measurements that are not complete rows of equal quality. */
#ifndef ORFFI_MODEL_TUNE_FOLDS_H
#define ORFFI_MODEL_TUNE_FOLDS_H

#include "model/model.h"

/* The fold of each row (n), such that a group or block is in one fold. Blocks are as wide as the length
 * scales of a model of all rows require (blocks.h), on its plane if it has one. If blocks cannot divide
 * the rows, rows go to folds at random. */
orff_status orffi_tune_folds(uint32_t **folds, const orff_model *model, const orff_settings *settings,
                             const orff_observations *observations);

enum { ORFFI_TUNE_ARRAYS = 8 };

/* The measurements that are not in a fold, with matching settings. Walls and functionals stay. */
typedef struct orffi_tune_rest {
    orff_observations observations;
    orff_settings settings;
    void *arrays[ORFFI_TUNE_ARRAYS];
} orffi_tune_rest;

/* The caller clears it, also on failure. */
orff_status orffi_tune_rest_make(orffi_tune_rest *rest, const orff_observations *observations,
                                 const orff_settings *settings, const uint32_t *folds, uint32_t fold);
void orffi_tune_rest_clear(orffi_tune_rest *rest);

/* Adds to f (n x p), at held-out rows (n), the offsets of their groups (tune_offsets.c). trend: of the fit
 * without these rows. */
orff_status orffi_tune_add_offsets(const orff_observations *observations, const uint64_t *groups,
                                   const orffi_trend *trend, size_t n, const size_t *rows, double *f);

#endif
