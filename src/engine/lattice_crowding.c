/* How well rows predict each other: computed for some rows, spread over all, from the rows nearest to
 * each. Rows on tracks or in clusters are predicted much better than the same number of evenly spread
 * rows. */
#include <string.h>

#include "base/memory.h"
#include "engine/lattice.h"

/* Rows tested: the mean of their variances is accurate to a tenth, and a factor of two would do. */
#define ASKED   200
#define APART   10 /* at most one of so many, so that tested rows are not neighbours */
#define NEAREST 30

typedef struct crowd {
    const orff_kernel *kernel;
    const orffi_table *table;
    bool scalar;
    size_t q, step; /* numbers per row; every step-th row is tested */
    double noise;   /* variance, in the kernel's units */
    orffi_near near;
    double *work, *C; /* C: q x q */
} crowd;

static orff_status fill(crowd *c) {
    const orffi_table *t = c->table;
    const orffi_spectrum *law = &c->kernel->parts[0].law;
    ORFFI_TRY(orffi_alloc(&c->work, orffi_neighbours_room(NEAREST, c->q), sizeof *c->work));
    ORFFI_TRY(orffi_alloc(&c->C, c->q, c->q * sizeof *c->C));
    ORFFI_TRY(orffi_near_init(&c->near, t->n, t->d, t->X, law->scale, law->period));
    for (size_t i = 0; i < t->n; i++)
        if (i % c->step) orffi_near_add(&c->near, i);
    return ORFF_OK;
}

/* The sum over the tested rows of the traces of their covariances, and the number of these rows. */
static orff_status ask(crowd *c, double *sum, size_t *asked) {
    const orffi_table *t = c->table;
    size_t rows[NEAREST], count;
    for (size_t i = 0; i < t->n; i += c->step, ++*asked) {
        ORFFI_TRY(orffi_neighbours_covariance(c->kernel, c->scalar, &c->near, t->weights, c->noise, NEAREST,
                                              t->X + i * t->d, rows, c->work, c->C, NULL, &count));
        for (size_t a = 0; a < c->q; a++) *sum += c->C[a * (c->q + 1)];
    }
    return ORFF_OK;
}

/* The trace of K(0), of the scalar kernel or over all outputs as neighbours use it. */
static orff_status find_size(const crowd *c, double *size) {
    const double zero[ORFF_LATTICE_INPUTS] = {0};
    double *K;
    *size = 1.0;
    if (c->scalar) return ORFF_OK;
    ORFFI_TRY(orffi_alloc(&K, c->q, c->q * sizeof *K));
    const orff_status status = orffi_kernel_exact(c->kernel, zero, K);
    *size = 0.0;
    for (size_t a = 0; a < c->q; a++) *size += K[a * (c->q + 1)];
    orffi_release(K);
    return status;
}

orff_status orffi_lattice_crowding(const orff_kernel *kernel, const orffi_table *table, double noise,
                                   double *variance) {
    const bool scalar = orffi_lattice_is_scalar(kernel);
    crowd c = {.kernel = kernel, .table = table, .scalar = scalar, .q = scalar ? 1 : kernel->p};
    double size = 1.0, sum = 0.0;
    size_t asked = 0;
    c.step = table->n / ASKED < APART ? APART : table->n / ASKED;
    orff_status status = find_size(&c, &size);
    c.noise = noise * size / (double)c.q;
    if (!status) status = fill(&c);
    if (!status) status = ask(&c, &sum, &asked);
    if (!status) *variance = sum / ((double)asked * size);
    orffi_near_clear(&c.near);
    orffi_release(c.work);
    orffi_release(c.C);
    return status;
}
