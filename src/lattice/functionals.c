#include "lattice/functionals.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"

#define STREAM    0x4c46u /* of the random signs */
#define TRANSFORM 1e-12   /* tolerance: slopes are differences, which lose digits */

/* ---- creating */

static orff_status fill(orffi_lattice_functionals *f, const size_t *points, const double *X,
                        const double *along, const double *Y, const double *weights) {
    const size_t d = f->lattice->d, p = f->p, count = points[f->n] - points[0];
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->points, f->n + 1));
    for (size_t i = 0; i <= f->n; i++) f->points[i] = points[i] - points[0];
    ORFFI_TRY(orffi_duplicate(&f->X, X + points[0] * d, count, d * sizeof *X));
    ORFFI_TRY(orffi_duplicate(&f->along, along + points[0] * p, count, p * sizeof *along));
    ORFFI_TRY(orffi_duplicate(&f->Y, Y, f->n, sizeof *Y));
    ORFFI_TRY(orffi_duplicate(&f->weights, weights, f->n, sizeof *weights));
    ORFFI_TRY(orffi_alloc(&f->angles, count, d * sizeof *f->angles));
    ORFFI_TRY(orffi_alloc(&f->F, count, p * sizeof *f->F));
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->modes, orffi_lattice_modes(f->lattice)));
    ORFFI_TRY(orffi_alloc(&f->sums, f->n, ORFFI_LATTICE_FIELDS * sizeof *f->sums));
    orffi_lattice_angles(f->lattice, count, f->X, f->angles);
    return orffi_nufft_create(&f->waves, d, f->lattice->m, p, TRANSFORM);
}

orff_status orffi_lattice_functionals_create(orffi_lattice_functionals **out, const orffi_lattice *lattice,
                                             size_t p, size_t n, const size_t *points, const double *X,
                                             const double *along, const double *Y, const double *weights) {
    orffi_lattice_functionals *f;
    ORFFI_TRY(ORFFI_NEW(f));
    f->lattice = lattice;
    f->n = n;
    f->p = p;
    const orff_status status = fill(f, points, X, along, Y, weights);
    if (status) {
        orffi_lattice_functionals_free(f);
    } else {
        *out = f;
    }
    return status;
}

void orffi_lattice_functionals_free(orffi_lattice_functionals *f) {
    if (!f) return;
    orffi_release(f->points);
    orffi_release(f->X);
    orffi_release(f->along);
    orffi_release(f->Y);
    orffi_release(f->weights);
    orffi_release(f->angles);
    orffi_release(f->F);
    orffi_release(f->modes);
    orffi_release(f->sums);
    orffi_nufft_free(f->waves);
    orffi_release(f);
}

/* ---- between modes and rows */

/* Where the numbers of row i's points are in along and F: returns how many, from `*first` on. */
static size_t numbers_of(const orffi_lattice_functionals *f, size_t i, size_t *first) {
    *first = f->points[i] * f->p;
    return (f->points[i + 1] - f->points[i]) * f->p;
}

orff_status orffi_lattice_functionals_weigh(orffi_lattice_functionals *f, size_t count, const orffi_mode *v) {
    const size_t H = orffi_lattice_modes(f->lattice);
    for (size_t j = 0; j < count; j++) {
        for (size_t a = 0; a < f->p; a++)
            ORFFI_TRY(orffi_nufft_load(f->waves, a, f->lattice->m, v + (j * f->p + a) * H));
        ORFFI_TRY(orffi_nufft_evaluate(f->waves, f->points[f->n], f->angles, f->F));
        for (size_t i = 0; i < f->n; i++) {
            size_t first;
            const size_t numbers = numbers_of(f, i, &first);
            f->sums[j * f->n + i] = f->weights[i] * orffi_dot(numbers, f->along + first, f->F + first);
        }
    }
    return ORFF_OK;
}

/* out += sum_i t_i z_i */
static orff_status add_rows(orffi_lattice_functionals *f, const double *t, orffi_mode *out) {
    const size_t H = orffi_lattice_modes(f->lattice);
    for (size_t i = 0; i < f->n; i++) {
        size_t first;
        const size_t numbers = numbers_of(f, i, &first);
        for (size_t k = first; k < first + numbers; k++) f->F[k] = t[i] * f->along[k];
    }
    orffi_nufft_reset(f->waves);
    ORFFI_TRY(orffi_nufft_spread(f->waves, f->points[f->n], f->angles, f->F));
    for (size_t a = 0; a < f->p; a++) {
        ORFFI_TRY(orffi_nufft_modes(f->waves, a, f->lattice->m, f->modes));
        for (size_t h = 0; h < H; h++) out[a * H + h] += f->modes[h];
    }
    return ORFF_OK;
}

orff_status orffi_lattice_functionals_spread(orffi_lattice_functionals *f, size_t count, orffi_mode *out) {
    const size_t size = f->p * orffi_lattice_modes(f->lattice);
    for (size_t j = 0; j < count; j++) ORFFI_TRY(add_rows(f, f->sums + j * f->n, out + j * size));
    return ORFF_OK;
}

/* ---- contributions to the moments */

/* The coefficient of row i on output a of a constant field: the sum over its directions. */
static double constant_of(const orffi_lattice_functionals *f, size_t i, size_t a) {
    double sum = 0.0;
    for (size_t s = f->points[i]; s < f->points[i + 1]; s++) sum += f->along[s * f->p + a];
    return sum;
}

orff_status orffi_lattice_functionals_right(orffi_lattice_functionals *f, const double *mean, orffi_mode *R) {
    for (size_t i = 0; i < f->n; i++) {
        double y = f->Y[i];
        for (size_t a = 0; a < f->p; a++) y -= constant_of(f, i, a) * mean[a];
        f->sums[i] = f->weights[i] * y;
    }
    return add_rows(f, f->sums, R);
}

void orffi_lattice_functionals_count(const orffi_lattice_functionals *f, orffi_lattice_set *set) {
    const size_t side = f->p + 1;
    for (size_t i = 0; i < f->n; i++) {
        for (size_t a = 0; a < side * side; a++) {
            const size_t row = a / side, column = a % side;
            const double left = row < f->p ? constant_of(f, i, row) : f->Y[i],
                         right = column < f->p ? constant_of(f, i, column) : f->Y[i];
            set->T[a] += f->weights[i] * left * right;
        }
        if (!(f->weights[i] > 0.0)) continue; /* a row of weight 0 carries no information */
        set->logs += log(f->weights[i]);
        set->rows++;
    }
}

orff_status orffi_lattice_functionals_draw(orffi_lattice_functionals *f, uint64_t seed, size_t draws,
                                           orffi_mode *E) {
    const orffi_rng rng = {seed, STREAM};
    const size_t size = f->p * orffi_lattice_modes(f->lattice);
    for (size_t j = 0; j < draws; j++) {
        for (size_t i = 0; i < f->n; i++)
            f->sums[i] = (orffi_rng_bits(rng, i, (uint32_t)j) & 1 ? 1.0 : -1.0) * sqrt(f->weights[i]);
        ORFFI_TRY(add_rows(f, f->sums, E + j * size));
    }
    return ORFF_OK;
}
