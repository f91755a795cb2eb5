/* What a lattice will do with rows that are not there yet, and the memory it takes for that: the arrays of its files, counted. */
#include <math.h>

#include "engine/lattice.h"

#define SIDE_BY_SIDE 16      /* samples that are solved for together */
#define PASS         65536.0 /* rows that are summed up at once */
#define NUMBER       ((double)sizeof(double))
#define MODE         ((double)sizeof(orffi_mode))

/* ---- memory */

/* Neighbours with their weights; the vectors of conjugate gradients, outputs, solutions and errors; the places of rows for the
 * transforms, for the tree and in the model. */
static double bytes_of_kept(const orffi_lattice_system *s, double n) {
    const double d = (double)s->lattice->d, p = (double)s->outputs, q = s->turn ? 1.0 : p;
    const double k = (double)orffi_kept_neighbours(s->lattice->d, (size_t)q);
    const double row = k * (1.0 + q * q) + 2.0 + q * q + 5.0 * q + p * (4.0 + q) + 5.0 * d + 8.0;
    const double grids = (double)orffi_lattice_points(s->lattice) * (3.0 * q + 2.0 * p + 1.0);
    return NUMBER * (n * row + grids) + MODE * (double)s->H * (2.0 * q + p);
}

/* Sums on grids that resolve twice the waves, then as many samples at once as are solved for together. A dense block has a matrix,
 * its factor, and the inverse of that. */
static double bytes_of_sums(const orffi_lattice_system *s, double draws, double folds) {
    const double p = (double)s->outputs, points = (double)orffi_lattice_points(s->lattice);
    const double fine = points * pow(2.0, (double)s->lattice->d), H = (double)s->H;
    const double block = (double)orffi_lattice_block_size(s, false), together = fmin(draws, SIDE_BY_SIDE);
    const double reading = NUMBER * ((draws > 0.0 ? 1.0 : folds) * fine * (1.0 + p) + points * draws * p +
                                     PASS * (double)(s->lattice->d + 1) + PASS * p * (1.0 + draws));
    const double solving =
        NUMBER * (3.0 * block * block + 2.0 * points * (together + 1.0) + points * draws * p) +
        MODE * H * 3.0 * draws * p;
    return fmax(reading, solving) + NUMBER * points * (folds + 2.0) + MODE * H * draws * p;
}

static double bytes_of_system(const orffi_lattice_system *s) {
    return NUMBER * (double)(orffi_lattice_points(s->lattice) * s->pairs + s->H) +
           MODE * (double)(s->H * (s->p * s->r + 2 * s->outputs));
}

/* ---- the way */

static orff_status foresee(orffi_lattice_rows *r, const orff_kernel *kernel, size_t rows,
                           orffi_lattice_way *way) {
    orffi_lattice_system system = {0};
    double noise;
    ORFFI_TRY(orffi_lattice_choose_for(r, kernel, rows, &r->lattice, &r->quality));
    ORFFI_TRY(orffi_lattice_noise_ratio(r, kernel, (double)rows, &noise));
    ORFFI_TRY(orffi_lattice_find_local(r, kernel, NULL, rows));
    way->keeps = way->local = r->local;
    if (!way->keeps) ORFFI_TRY(orffi_lattice_prefers_rows(r, kernel, rows, noise, &way->keeps));
    orff_status status = orffi_lattice_system_init(&system, &r->lattice, kernel, false);
    if (!status)
        way->bytes = bytes_of_system(&system) +
                     (way->keeps ? bytes_of_kept(&system, (double)rows)
                                 : bytes_of_sums(&system, (double)orffi_lattice_draws(r, rows),
                                                 (double)r->task.folds));
    orffi_lattice_system_clear(&system);
    return status;
}

orff_status orffi_lattice_foresee(const orffi_task *task, const orff_kernel *kernel, size_t rows,
                                  orffi_lattice_way *way) {
    void *own = NULL;
    *way = (orffi_lattice_way){0};
    orff_status status = orffi_lattice_prepare(&own, task, kernel);
    if (!status) status = foresee(own, kernel, rows, way);
    orffi_lattice_release(own);
    return status;
}

orff_status orffi_lattice_keep_table(void *rows, const orffi_table *table, bool local) {
    orffi_lattice_rows *r = rows;
    r->table = table;
    r->keeps = true;
    r->local = local;
    return orffi_lattice_choose_for(r, r->kernel, table->n, &r->lattice, &r->quality);
}
