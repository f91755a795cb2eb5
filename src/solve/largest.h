/* The largest eigenvalue of a symmetric matrix that is given by what it does to a vector: some tens of products in the
 * place of a decomposition. */
#ifndef ORFFI_SOLVE_LARGEST_H
#define ORFFI_SOLVE_LARGEST_H

#include "base/status.h"

typedef struct orffi_symmetric {
    size_t n;
    orff_status (*apply)(const void *self, const double *x, double *y); /* y = A x */
    const void *self;
} orffi_symmetric;

/* To about ten digits where it stands apart from the others, else not above it and near. */
orff_status orffi_largest(const orffi_symmetric *A, double *value);

#endif
