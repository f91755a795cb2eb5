/* The line along which the smoothness of an open part is searched: the bases of ORFF_BASE_AUTO, or the
 * shapes of a base whose shape is ORFF_SHAPE_AUTO, from rough to smooth. The lines of several parts are
 * aligned at their middles. */
#ifndef ORFFI_MODEL_SMOOTHNESS_H
#define ORFFI_MODEL_SMOOTHNESS_H

#include "base/status.h"

#define ORFFI_SMOOTHNESS_MIDDLE 16 /* the place of every line's middle, where a choice begins */

bool orffi_shape_is_open(const orff_part *part);
bool orffi_smoothness_is_open(const orff_part *part);

/* The range of places of an open part: *low to *high. Fields need two derivatives. */
void orffi_smoothness_span(const orff_part *part, size_t *low, size_t *high);

/* The base and shape of an open part at a place, or at the nearest one it has. */
void orffi_smoothness_set(const orff_part *part, size_t place, orff_part *to);

#endif
