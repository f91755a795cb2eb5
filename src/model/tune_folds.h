/* Folds for measurements that are not whole rows of equal quality. */
#ifndef ORFFI_MODEL_TUNE_FOLDS_H
#define ORFFI_MODEL_TUNE_FOLDS_H

#include "model/model.h"

/* The fold of each row (n): the same group or block is in one fold. Blocks are as wide as the length scales of a model of all
 * rows ask for (blocks.h), on its plane if it has one. Rows in blocks that cannot be divided go to folds at random. */
orff_status orffi_tune_folds(uint32_t **folds, const orff_model *model, const orff_settings *settings,
                             const orff_observations *observations);

enum { ORFFI_TUNE_ARRAYS = 8 };

/* The measurements that are not in a fold, with the settings that go with them. Walls and functionals stay. */
typedef struct orffi_tune_rest {
    orff_observations observations;
    orff_settings settings;
    void *arrays[ORFFI_TUNE_ARRAYS];
} orffi_tune_rest;

/* The caller clears it, also on failure. */
orff_status orffi_tune_rest_make(orffi_tune_rest *rest, const orff_observations *observations,
                                 const orff_settings *settings, const uint32_t *folds, uint32_t fold);
void orffi_tune_rest_clear(orffi_tune_rest *rest);

/* f (n x p) at rows (n) that were left out += the offsets of their groups (tune_offsets.c); trend: of the fit without them. */
orff_status orffi_tune_add_offsets(const orff_observations *observations, const uint64_t *groups,
                                   const orffi_trend *trend, size_t n, const size_t *rows, double *f);

#endif
