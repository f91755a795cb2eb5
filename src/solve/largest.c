/* Lanczos: the largest eigenvalue of T = V^T A V increases towards that of A with every column of V. */
#include "solve/largest.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"

#define STREAM    0x1a26u
#define MOST      80   /* columns; the eigenvalue converges long before, unless others are close */
#define TOLERANCE 1e-6 /* of the residual, relative; the error of the value is about its square */

typedef struct lanczos {
    size_t n, room, columns;
    double *V;           /* (room + 1) x n: orthonormal rows */
    double *along, *off; /* T: its diagonal, and its off-diagonal */
    double *T, *values;  /* room x room, room */
} lanczos;

static void lanczos_clear(lanczos *l) {
    double *all[] = {l->V, l->along, l->off, l->T, l->values};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status lanczos_fill(lanczos *l, size_t n) {
    const orffi_rng rng = {1, STREAM};
    l->n = n;
    l->room = n < MOST ? n : MOST;
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->V, (l->room + 1) * n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->along, l->room));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->off, l->room));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->T, l->room * l->room));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->values, l->room));
    for (size_t i = 0; i < n; i++) l->V[i] = orffi_rng_normal(rng, i, 0);
    const double size = sqrt(orffi_dot(n, l->V, l->V));
    for (size_t i = 0; i < n; i++) l->V[i] /= size;
    return ORFF_OK;
}

/* Subtracts the projections on all rows before, twice, because once leaves rounding errors that grow. */
static void orthogonalise(const lanczos *l, double *next) {
    for (size_t k = 0; k < 2 * l->columns; k++) {
        const double *row = l->V + k % l->columns * l->n, part = orffi_dot(l->n, row, next);
        for (size_t i = 0; i < l->n; i++) next[i] -= part * row[i];
    }
}

static orff_status advance(lanczos *l, const orffi_symmetric *A) {
    const double *last = l->V + l->columns * l->n;
    double *next = l->V + (l->columns + 1) * l->n;
    ORFFI_TRY(A->apply(A->self, last, next));
    l->along[l->columns] = orffi_dot(l->n, last, next);
    l->columns++;
    orthogonalise(l, next);
    const double size = l->off[l->columns - 1] = sqrt(orffi_dot(l->n, next, next));
    for (size_t i = 0; i < l->n && size > 0.0; i++) next[i] /= size;
    return ORFF_OK;
}

/* The largest eigenvalue of T, and the residual of its eigenvector. */
static orff_status largest_ritz(lanczos *l, double *value, double *residual) {
    const size_t k = l->columns;
    memset(l->T, 0, k * k * sizeof *l->T);
    for (size_t i = 0; i < k; i++) {
        l->T[i * k + i] = l->along[i];
        if (i) l->T[i * k + i - 1] = l->T[(i - 1) * k + i] = l->off[i - 1];
    }
    ORFFI_TRY(orffi_eigen(k, l->T, l->values));
    *value = l->values[k - 1];
    *residual = fabs(l->off[k - 1] * l->T[k * k - 1]);
    return ORFF_OK;
}

orff_status orffi_largest(const orffi_symmetric *A, double *value) {
    lanczos l = {0};
    double residual = INFINITY;
    *value = 0.0;
    if (!A->n) return ORFF_OK;
    orff_status status = lanczos_fill(&l, A->n);
    while (!status && l.columns < l.room && residual > TOLERANCE * fabs(*value)) {
        status = advance(&l, A);
        const bool ends = l.columns == l.room || l.off[l.columns - 1] <= DBL_EPSILON * l.along[0];
        if (!status && (ends || l.columns % 4 == 0)) status = largest_ritz(&l, value, &residual);
        if (ends) break;
    }
    lanczos_clear(&l);
    return status;
}
