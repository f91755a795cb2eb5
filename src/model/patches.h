/* Few rows that tell of many: some spread over all of them, for what is large, and some neighbourhoods as dense as
 * they come, for what is small. A sparse sample knows nothing of scales shorter than its spacing. */
#ifndef ORFFI_MODEL_PATCHES_H
#define ORFFI_MODEL_PATCHES_H

#include "model/rows.h"

/* At most `most` rows of the table (n x d inputs, p outputs, no weights); distances with each input divided by its
 * unit (d). */
orff_status orffi_patches(const orffi_table *table, size_t d, size_t p, const double *unit, size_t most,
                          orffi_table *out);

#endif
