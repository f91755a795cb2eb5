/* Structured orthogonal frequencies: blocks of m = 2^k >= d rows
 *
 *     w_j = scale_j (row i of  H S1 H S2 H S3), first d entries, each divided by its length scale
 *
 * with H the Walsh-Hadamard matrix (entries +-1, H H^T = m I) and S1, S2, S3 diagonal random signs of the
 * block. scale_j = m^(-3/2) chi(m) radius, times the stretch from shape.c. X W^T costs O(D log m) per row and
 * W is not stored. */
#ifndef ORFFI_SAMPLING_HADAMARD_H
#define ORFFI_SAMPLING_HADAMARD_H

#include "sampling/sampling.h"

/* Fewer inputs have too few sign patterns: the error stops decreasing with D. */
#define ORFFI_HADAMARD_MIN_DIM 16
/* From this many inputs on, rows are applied by transforms instead of being stored. */
#define ORFFI_STRUCTURED_MIN_DIM 128

/* Scratch for one projection, in numbers. */
size_t orffi_structured_scratch(const orffi_structured *s);

/* out = X W^T: X is n x d, out n x D with rows ldout apart. Each thread needs its own scratch. */
void orffi_structured_project_double(const orffi_structured *s, size_t n, const double *X, double *out,
                                     size_t ldout, double *scratch);
void orffi_structured_project_single(const orffi_structured *s, size_t n, const float *X, float *out,
                                     size_t ldout, float *scratch);

/* scale_j of all rows. Signs are drawn without rounding, so these are all that a file must store. */
double *orffi_structured_scale(orffi_structured *s);

/* w_j (d entries). */
orff_status orffi_structured_row(const orffi_structured *s, size_t j, double *omega);
void orffi_structured_free(orffi_structured *s); /* accepts NULL and half-built ones */

#endif
