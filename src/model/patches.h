/* Few rows that represent many: some spread over all, for large scales, and some neighbourhoods at full
 * density, for small ones. A sparse sample knows nothing of scales shorter than its spacing. */
#ifndef ORFFI_MODEL_PATCHES_H
#define ORFFI_MODEL_PATCHES_H

#include "model/rows.h"

/* At most `most` rows of the table; each input is divided by its unit (d) in distances. */
orff_status orffi_patches(const orffi_table *table, const double *unit, size_t most, orffi_table *out);

/* The same in separate groups. */
typedef struct orffi_grouping {
    size_t spread;         /* rows of the first group, spread over all */
    size_t patches, patch; /* groups of neighbours, and rows of each */
} orffi_grouping;

/* 1 + patches tables; clear them in any case. */
orff_status orffi_patches_apart(const orffi_table *table, const double *unit, const orffi_grouping *how,
                                orffi_table *out);

/* The same with every row in one group of neighbours: `patches` of them, a power of 2 and no more than there are rows; `patch` is
 * not looked at. */
orff_status orffi_patches_tiled(const orffi_table *table, const double *unit, const orffi_grouping *how,
                                orffi_table *out);

/* Rows spread over all, each with its neighbours: `count` tables of a row and then the `near` nearest to it, in up to
 * ORFFI_NEAR_MOST inputs. To be cleared in any case. */
orff_status orffi_patches_around(const orffi_table *table, const double *unit, const double *periods,
                                 size_t count, size_t near, orffi_table *out);

#endif
