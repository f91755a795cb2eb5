/* A linear operator A from R^cols to R^rows, given by its products with vectors, and a few operations on
 * vectors.
 *
 *     sweep:  u = A x + c u,   out = A^* u        in one pass over the data behind A
 *
 * x may be NULL (u is unchanged), out may be NULL (only u is needed), u may be NULL (c u is omitted and A x
 * is not stored). The iterative methods see a problem only through this interface. */
#ifndef ORFFI_SOLVE_OPERATOR_H
#define ORFFI_SOLVE_OPERATOR_H

#include <math.h>

#include "base/status.h"
#include "solve/sharing.h"

typedef struct orffi_operator {
    size_t rows, cols;
    orff_status (*sweep)(void *self, const double *x, double c, double *u, double *out);
    void *self;
    const orff_sharing *sharing; /* rows are those of this process, A^* u is over all processes; NULL: one
                                    process has all rows */
} orffi_operator;

/* u = A x */
static inline orff_status orffi_operator_apply(const orffi_operator *A, const double *x, double *u) {
    return A->sweep(A->self, x, 0.0, u, NULL);
}

/* out = A^* u */
static inline orff_status orffi_operator_adjoint(const orffi_operator *A, double *u, double *out) {
    return A->sweep(A->self, NULL, 0.0, u, out);
}

/* out = A^* A x */
static inline orff_status orffi_operator_normal(const orffi_operator *A, const double *x, double *out) {
    return A->sweep(A->self, x, 0.0, NULL, out);
}

static inline double orffi_vector_dot(size_t n, const double *x, const double *y) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* |u|^2 over the rows of all processes */
static inline orff_status orffi_operator_square(const orffi_operator *A, const double *u, double *square) {
    return orffi_sharing_square(A->sharing, A->rows, u, square);
}

static inline double orffi_vector_norm(size_t n, const double *x) {
    return sqrt(orffi_vector_dot(n, x, x));
}

/* y += a x */
static inline void orffi_vector_add(size_t n, double a, const double *x, double *y) {
    for (size_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* y = x + a y */
static inline void orffi_vector_update(size_t n, const double *x, double a, double *y) {
    for (size_t i = 0; i < n; i++) y[i] = x[i] + a * y[i];
}

static inline void orffi_vector_scale(size_t n, double a, double *x) {
    for (size_t i = 0; i < n; i++) x[i] *= a;
}

#endif
