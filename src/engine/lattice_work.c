/* The cost of rows on a lattice, before they are summed up or kept.
 *
 * Summed up: the block of the preconditioner has the modes of largest variance; none of the others has
 * more than s. Directed rows of density rho, evenly spread over their extent, with directions of all
 * kinds, determine these modes to at most s rho V / p relative to the noise, where V is the volume of a
 * period, of which the extent is a part. Conjugate gradients at the condition number
 *
 *     c = 1 + s rho V / (p shift)        take        sqrt(c)/2 ln(2/residual)
 *
 * iterations. (For 4269 currents with errors, lambda from 1e-4 to 1e-7 takes 10 to 188; this formula gives
 * 17 to 309.) Complete rows determine p times as much, so there is no division by p. (100 000 rows in the
 * plane take 20 iterations, this formula gives 33; 60 000 in space take 122, and 208.)
 *
 * Kept: every row is predicted from its neighbours once for each noise. A step multiplies by the weights
 * of these predictions twice, and spreads rows to the grid of a transform and back. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/lattice.h"
#include "lattice/nufft_kernel.h"

/* Cost of transforms, and of products with one vector, relative to the rate of dense matrices. */
#define THROUGH_MEMORY 10.0
#define TRANSFORM      1.25 /* multiplications of a real transform of P points, over P log2 P */
#define KERNEL         20   /* multiplications for a kernel value: a distance, a root and an exponential */
#define GATHERED       40.0 /* cost of products with rows scattered in memory, likewise */
/* Preconditioned by neighbours: 20 to 44 seen in space, 78 in the plane, where rows have more rows around
 * them. */
#define KEPT_STEPS    80
#define UNKNOWN_NOISE 0.1 /* of the field, while lambda is unknown */

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a > b ? -1 : a < b;
}

/* The variance of the first mode outside of a block of so many unknowns. */
static orff_status first_outside(const orffi_lattice_system *s, size_t block, double *variance) {
    double *rank;
    const size_t modes = block / (2 * s->r);
    *variance = 0.0;
    if (modes >= s->H) return ORFF_OK;
    ORFFI_TRY(orffi_duplicate(&rank, s->rank, s->H, sizeof *rank));
    qsort(rank, s->H, sizeof *rank, by_size);
    *variance = rank[modes] / (double)s->r;
    orffi_release(rank);
    return ORFF_OK;
}

static double steps(double condition, double residual) {
    return 0.5 * sqrt(condition) * log(2.0 / residual);
}

/* The density of rows in their extent relative to the density if they were spread over a period. */
static double crowding(const orffi_lattice_rows *r) {
    double ratio = 1.0;
    for (size_t i = 0; i < r->lattice.d; i++)
        if (r->extent[i] > 0.0) ratio *= fmax(r->lattice.period[i] / r->extent[i], 1.0);
    return ratio;
}

/* One iteration: fields of all outputs to a grid and back, and a solution with the block. */
static double work_of_step(const orffi_lattice_system *s, size_t block) {
    const double points = (double)orffi_lattice_points(s->lattice), n = (double)block;
    return THROUGH_MEMORY * (2.0 * TRANSFORM * (double)s->p * points * log2(points) + n * n);
}

/* One solution for the rows, and less accurate ones for the evidence and for error bars. */
static orff_status count(const orffi_lattice_rows *r, const orffi_lattice_system *s, size_t rows,
                         double noise, orffi_lattice_effort *effort) {
    const double coarse =
        ORFFI_PROBES_DIRECTED + (r->task.settings->posterior == ORFF_SWITCH_NO ? 0 : ORFFI_LATTICE_DRAWS);
    const size_t block = orffi_lattice_block_size(s, noise < ORFFI_SMALL_NOISE);
    double variance;
    ORFFI_TRY(first_outside(s, block, &variance));
    const double told = (double)rows * crowding(r) * variance / (double)s->p,
                 shift = noise * s->trace / (double)s->outputs, condition = 1.0 + told / shift;
    effort->iterations = steps(condition, FINEST_RESIDUAL);
    effort->work =
        work_of_step(s, block) * (effort->iterations + coarse * steps(condition, ORFFI_CHANCE_RESIDUAL));
    return ORFF_OK;
}

/* ---- complete rows */

/* The number of systems factored separately: one for each size of an axis. */
static size_t group_count(const orffi_lattice_system *s) {
    size_t count = s->axes > 0;
    for (size_t j = 1; j < s->axes; j++) count += s->size[j] != s->size[j - 1];
    return count;
}

/* The prior variance of a number of a row. */
static double variance_of(const orffi_lattice_system *s) {
    double sum = 0.0;
    for (size_t h = 0; h < s->H; h++) sum += (double)orffi_lattice_count(s->lattice, h) * s->rank[h];
    return sum / (double)s->p;
}

/* One solution for the rows at every axis, and less accurate ones for each sample of error bars and for
 * each probe of each system's evidence. */
static orff_status count_waves(const orffi_lattice_rows *r, const orffi_lattice_system *s, size_t rows,
                               double noise, double *work) {
    const double draws = (double)orffi_lattice_draws(r, rows), axes = (double)s->axes;
    const size_t block = orffi_lattice_block_size(s, false);
    double variance;
    ORFFI_TRY(first_outside(s, block, &variance));
    const double condition = 1.0 + (double)rows * crowding(r) * variance / (noise * variance_of(s));
    *work = work_of_step(s, block) *
            (axes * steps(condition, FINEST_RESIDUAL) +
             (axes * draws + ORFFI_PROBES * (double)group_count(s)) * steps(condition, ORFFI_CHANCE_RESIDUAL));
    return ORFF_OK;
}

static double count_rows(const orffi_lattice_system *s, size_t rows) {
    const double q = s->turn ? 1.0 : (double)s->outputs, n = (double)rows;
    const double k = q * (double)orffi_kept_neighbours(s->lattice->d, (size_t)q);
    const double points = (double)orffi_lattice_points(s->lattice),
                 spread = 2.0 * q * pow((double)orffi_nufft_width(ORFFI_KEPT_TRANSFORM), (double)s->lattice->d);
    const double factor = THROUGH_MEMORY * n * (k * k * k / 6.0 + k * k / 2.0 * KERNEL),
                 step = n * (GATHERED * 2.0 * k * q + spread) +
                        THROUGH_MEMORY * 2.0 * TRANSFORM * q * points * log2(points);
    return (double)group_count(s) * factor + (double)s->axes * KEPT_STEPS * step;
}

orff_status orffi_lattice_compare(const orffi_lattice_rows *rows, const orff_kernel *kernel, size_t known,
                                  double noise, double *kept, double *summed) {
    orffi_lattice_system system = {0};
    orff_status status = orffi_lattice_system_init(&system, &rows->lattice, kernel, false);
    if (!status) status = count_waves(rows, &system, known, noise > 0.0 ? noise : UNKNOWN_NOISE, summed);
    if (!status) *kept = count_rows(&system, known);
    orffi_lattice_system_clear(&system);
    return status;
}

orff_status orffi_lattice_dense_work(const orffi_lattice_rows *rows, const orff_kernel *kernel,
                                     double *work) {
    orffi_lattice_system system = {0};
    const orff_status status = orffi_lattice_system_init(&system, &rows->lattice, kernel, false);
    if (!status) *work = (double)group_count(&system) * pow((double)orffi_lattice_block_size(&system, false), 3.0);
    orffi_lattice_system_clear(&system);
    return status;
}

/* ---- directed rows */

static orff_status expect(orffi_lattice_rows *r, const orff_kernel *kernel, double N, size_t rows,
                          orffi_lattice_effort *effort) {
    orffi_lattice_quality quality;
    double noise;
    r->directed = N;
    ORFFI_TRY(orffi_lattice_choose_for(r, kernel, rows, &r->lattice, &quality));
    ORFFI_TRY(orffi_lattice_noise_ratio(r, kernel, N, &noise));
    if (orffi_lattice_is_direct(kernel, &r->lattice, true)) return ORFF_OK;
    orffi_lattice_system system = {0};
    orff_status status = orffi_lattice_system_init(&system, &r->lattice, kernel, true);
    if (!status) status = count(r, &system, rows, noise > 0.0 ? noise : UNKNOWN_NOISE, effort);
    orffi_lattice_system_clear(&system);
    return status;
}

orff_status orffi_lattice_expect(const orffi_task *task, const orff_kernel *kernel, double N, size_t rows,
                                 orffi_lattice_effort *effort) {
    void *own = NULL;
    *effort = (orffi_lattice_effort){0};
    orff_status status = orffi_engine_lattice.prepare(&own, task, kernel);
    if (!status) status = expect(own, kernel, N, rows, effort);
    orffi_engine_lattice.release(own);
    return status;
}
