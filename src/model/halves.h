/* Clusters of neighbouring rows: halves the rows at the median of their widest input, then each half, and
 * so on. */
#ifndef ORFFI_MODEL_HALVES_H
#define ORFFI_MODEL_HALVES_H

#include "base/status.h"

/* cluster: the number of each row's cluster (n), below `count`, a power of 2. X: n x d, n at least count. */
orff_status orffi_halves(size_t n, size_t d, const double *X, size_t count, size_t *cluster);

#endif
