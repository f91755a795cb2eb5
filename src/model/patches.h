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

/* Rows spread over all, each with its neighbours: `count` tables of a row followed by the `near` rows
 * nearest to it, in up to ORFFI_NEAR_MOST inputs. Clear them in any case. */
orff_status orffi_patches_around(const orffi_table *table, const double *unit, const double *periods,
                                 size_t count, size_t near, orffi_table *out);

#endif
