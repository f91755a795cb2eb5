/* The line along which a choice looks for the smoothness of an open part: the bases of ORFF_BASE_AUTO, or the shapes of a base whose
 * shape is ORFF_SHAPE_AUTO, from rough to smooth. Lines of several parts lie beside each other by their middles. */
#ifndef ORFFI_MODEL_SMOOTHNESS_H
#define ORFFI_MODEL_SMOOTHNESS_H

#include "base/status.h"

#define ORFFI_SMOOTHNESS_MIDDLE 16 /* the place where every line has its middle, from which a choice begins */

bool orffi_shape_is_open(const orff_part *part);
bool orffi_smoothness_is_open(const orff_part *part);

/* The places of an open part: *low to *high. A field needs two derivatives. */
void orffi_smoothness_span(const orff_part *part, size_t *low, size_t *high);

/* The base and shape of an open part at a place, or at the nearest that it has. */
void orffi_smoothness_set(const orff_part *part, size_t place, orff_part *to);

#endif
