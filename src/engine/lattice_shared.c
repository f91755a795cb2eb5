/* Sums over rows, used for other kernels than the one they were made for. */
#include "engine/lattice.h"

#include <math.h>
#include <string.h>

#define CARRIED 0.01 /* length scales may exceed the range of the lattice by this share */

/* Whether the lattice is at least as large, in period and cut, as the one for the kernel. */
static bool covers(const orffi_lattice *l, const orffi_lattice *other) {
    for (size_t i = 0; i < l->d; i++)
        if (l->period[i] < 0.99 * other->period[i] ||
            (double)l->m[i] / l->period[i] < 0.99 * (double)other->m[i] / other->period[i])
            return false;
    return true;
}

/* ---- moments */

/* Length scales must be in the range that the lattice was made for, or nearly. */
static orff_status check_carried(const orff_kernel *kernel, const orff_lattice_moments *moments) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        for (size_t i = 0; kernel->parts[m].law.base && i < kernel->d; i++) {
            const double scale = kernel->parts[m].law.scale[i];
            if (scale < (1.0 - CARRIED) * moments->shortest[i] ||
                scale > (1.0 + CARRIED) * moments->longest[i])
                return orffi_fail(ORFF_ERROR_MISMATCH,
                                  "the length scale %g of input %zu is not one that the lattice of these "
                                  "moments was made for: %g to %g; make moments for a wider range",
                                  scale, i + 1, moments->shortest[i], moments->longest[i]);
        }
    return ORFF_OK;
}

/* Scales weights that include errors so that their sum is the same as without; the noise is then that of a
 * number of average quality. */
static void even_weights(orffi_lattice_moments *m, double plain) {
    const size_t side = m->p + 1;
    double sum = 0.0;
    for (size_t f = 0; f < m->n_sets; f++)
        sum += m->directed ? m->sets[f].weight : m->sets[f].T[side * side - 1];
    if (sum > 0.0 && plain > 0.0) orffi_lattice_moments_scale(m, plain / sum);
}

/* Reduces the lattice of the moments to what the kernel needs. */
static orff_status narrow(orffi_lattice_rows *r, const orff_lattice_moments *moments, bool folds) {
    const double asked = r->task.settings->sampling.tolerance,
                 N = orff_lattice_moments_describe(moments).weight;
    double noise = 0.0;
    if (!(asked > 0.0)) ORFFI_TRY(orffi_lattice_noise_ratio(r, r->kernel, N, &noise));
    const orffi_lattice_need need = {
        .rows = N,
        .noise = noise,
        .tolerance =
            fmax(moments->tolerance, asked > 0.0 ? asked : ORFFI_LATTICE_OF_NOISE * fmin(noise, 1.0))};
    ORFFI_TRY(orffi_lattice_narrow(&r->lattice, r->kernel, &need));
    ORFFI_TRY(orffi_lattice_moments_narrow(&r->own, moments->sums, &r->lattice, folds));
    r->moments = r->own;
    if (moments->errors) even_weights(r->own, moments->plain);
    return ORFF_OK;
}

orff_status orffi_lattice_rows_of_moments(void **rows, const orffi_task *task, const orff_kernel *kernel,
                                          const orff_lattice_moments *moments, bool folds) {
    if (kernel->p != moments->sums->p)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the moments have %zu outputs, the kernel %zu",
                          moments->sums->p, kernel->p);
    ORFFI_TRY(check_carried(kernel, moments));
    ORFFI_TRY(orffi_lattice_prepare(rows, task, kernel));
    orffi_lattice_rows *r = *rows;
    r->lattice = moments->sums->lattice;
    r->directed = moments->sums->directed ? moments->N : 0.0;
    orffi_lattice_judge(&r->lattice, kernel, moments->tolerance, &r->quality);
    return narrow(r, moments, folds);
}

/* ---- rows of other candidates */

bool orffi_lattice_serves(const void *rows, const orff_kernel *kernel) {
    const orffi_lattice_rows *r = rows;
    orffi_lattice lattice;
    orffi_lattice_quality quality;
    if (kernel == r->kernel) return true;
    if (r->keeps) return orffi_lattice_can_keep(r, kernel, r->table->n, ORFFI_LATTICE_MOST_KEPT);
    return orffi_lattice_choose_for(r, kernel, r->moments->sets[0].rows * r->moments->n_sets, &lattice,
                                    &quality) == ORFF_OK &&
           covers(&r->moments->lattice, &lattice);
}

bool orffi_lattice_shares(const void *rows, const void *other) {
    const orffi_lattice_rows *a = rows, *b = other;
    if (a->keeps) return true;
    return a->moments && a->task.folds == b->task.folds &&
           a->task.settings->sampling.seed == b->task.settings->sampling.seed &&
           orffi_lattice_serves(rows, b->kernel);
}

void orffi_lattice_borrow(void *other, const void *rows) {
    orffi_lattice_rows *to = other;
    const orffi_lattice_rows *from = rows;
    to->moments = from->moments;
    to->lattice = from->lattice;
    to->keeps = from->keeps;
    to->directed = from->directed;
    to->walls = from->walls;
    to->quiet = from->quiet;
    to->table = from->table;
    to->quality = from->quality;
    memcpy(to->extent, from->extent, sizeof to->extent);
    memcpy(to->middle, from->middle, sizeof to->middle);
}
