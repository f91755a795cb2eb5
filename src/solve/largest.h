/* The largest eigenvalue of a symmetric matrix given as a product with a vector: takes some tens of products
 * instead of a decomposition. */
#ifndef ORFFI_SOLVE_LARGEST_H
#define ORFFI_SOLVE_LARGEST_H

#include "base/status.h"

typedef struct orffi_symmetric {
    size_t n;
    orff_status (*apply)(const void *self, const double *x, double *y); /* y = A x */
    const void *self;
} orffi_symmetric;

/* Accurate to about ten digits if the eigenvalue is separated from the others; otherwise close, and not above
 * it. */
orff_status orffi_largest(const orffi_symmetric *A, double *value);

#endif
