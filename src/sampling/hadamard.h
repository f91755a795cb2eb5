/* Structured orthogonal frequencies: blocks of m = 2^k >= d rows
 *
 *     w_j = scale_j (row i of  H S1 H S2 H S3), first d entries, each over its length scale
 *
 * with H the Walsh-Hadamard matrix (entries +-1, H H^T = m I) and S1, S2, S3 diagonal random signs of the
 * block. scale_j = m^(-3/2) chi(m) radius, times what shape.c makes of it. X W^T costs O(D log m) a row and
 * W is not stored. */
#ifndef ORFFI_SAMPLING_HADAMARD_H
#define ORFFI_SAMPLING_HADAMARD_H

#include "sampling/sampling.h"

/* Fewer inputs have too few sign patterns: the error stops falling with D. */
#define ORFFI_HADAMARD_MIN_DIM 16
/* From here on the rows are applied by transforms rather than stored. */
#define ORFFI_STRUCTURED_MIN_DIM 128

/* Numbers of scratch that a projection needs. */
size_t orffi_structured_scratch(const orffi_structured *s);

/* out = X W^T: X is n x d, out n x D with rows ldout apart. One scratch per thread. */
void orffi_structured_project_double(const orffi_structured *s, size_t n, const double *X, double *out,
                                     size_t ldout, double *scratch);
void orffi_structured_project_single(const orffi_structured *s, size_t n, const float *X, float *out,
                                     size_t ldout, float *scratch);

/* scale_j of all rows: with the signs, which are drawn without rounding, they are all a file must hold. */
double *orffi_structured_scale(orffi_structured *s);

/* w_j (d entries). */
orff_status orffi_structured_row(const orffi_structured *s, size_t j, double *omega);
void orffi_structured_free(orffi_structured *s); /* accepts NULL and half-built ones */

#endif
