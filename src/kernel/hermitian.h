/* Hermitian matrices as rows of pairs (real, imaginary). */
#ifndef ORFFI_KERNEL_HERMITIAN_H
#define ORFFI_KERNEL_HERMITIAN_H

#include "kernel/kernel.h"

/* A = B B^*   (p x p), B p x columns. */
void orffi_hermitian_product(size_t p, size_t columns, const double *B, double *A);

/* Replaces A (p x p) by its positive square root. ORFF_ERROR_NOT_POSITIVE if A is not Hermitian or not
 * positive; work has room for 8 p^2. */
orff_status orffi_hermitian_root(size_t p, double *A, double *work);

#endif
