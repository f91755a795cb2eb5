#include "sampling/hadamard.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "sampling/scheme.h"

struct orff_structured {
    size_t dim, count;
    size_t size;            /* m */
    float *sign;            /* blocks x 3 x m, +-1 */
    double *scale;          /* count */
    double *inverse_length; /* dim */
};

#define REAL    double
#define NAME(x) x##_double
#include "sampling/hadamard_transform.inc"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_single
#include "sampling/hadamard_transform.inc"
#undef REAL
#undef NAME

size_t orff_structured_scratch(const orff_structured *s) {
    return 2 * s->size;
}

double *orff_structured_scale(orff_structured *s) {
    return s->scale;
}

void orff_structured_free(orff_structured *s) {
    if (!s) return;
    orff_release(s->sign);
    orff_release(s->scale);
    orff_release(s->inverse_length);
    orff_release(s);
}

static void draw_signs(orff_rng rng, size_t set, size_t m, float *sign) {
    for (size_t i = 0; i < m; i += 64) {
        const uint64_t bits = orff_rng_bits(rng, set, (uint32_t)(i / 64));
        for (size_t k = 0; k < 64 && i + k < m; k++) sign[i + k] = bits >> k & 1 ? 1.0f : -1.0f;
    }
}

static orff_status fill_structured(orff_structured *s, const orff_spectrum *law, orff_rng rng) {
    const size_t sets = 3 * ((s->count - 1) / s->size + 1);
    size_t signs;
    ORFF_TRY(orff_multiply(sets, s->size, &signs));
    ORFF_TRY(ORFF_NEW_ARRAY(s->sign, signs));
    ORFF_TRY(ORFF_NEW_ARRAY(s->scale, s->count));
    ORFF_TRY(ORFF_NEW_ARRAY(s->inverse_length, s->dim));
    for (size_t set = 0; set < sets; set++) draw_signs(rng, set, s->size, s->sign + set * s->size);
    for (size_t i = 0; i < s->dim; i++) s->inverse_length[i] = 1.0 / law->scale[i];
    return ORFF_OK;
}

/* Signs and lengths; the scales are still to be set. */
static orff_status new_structured(orff_structured **out, const orff_spectrum *law,
                                  const orff_recipe *recipe) {
    orff_structured *s;
    ORFF_TRY(ORFF_NEW(s));
    s->dim = law->dim;
    s->count = recipe->count;
    for (s->size = 1; s->size < s->dim;) s->size *= 2;
    const orff_status status = fill_structured(s, law, orff_recipe_rng(recipe, ORFF_DRAW_SIGN));
    if (status)
        orff_structured_free(s);
    else
        *out = s;
    return status;
}

/* Row j mod m of H S1 H S2 H S3 of its block: S3 H S2 H S1 H e_i   (m entries) */
static void block_row(const orff_structured *s, size_t j, double *row) {
    const size_t m = s->size;
    const float *sign = s->sign + 3 * m * (j / m);
    memset(row, 0, m * sizeof *row);
    row[j % m] = 1.0;
    for (size_t stage = 0; stage < 3; stage++) {
        transform_double(m, row);
        flip_double(m, sign + stage * m, row);
    }
}

orff_status orff_structured_row(const orff_structured *s, size_t j, double *omega) {
    double *row;
    ORFF_TRY(ORFF_NEW_ARRAY(row, s->size));
    block_row(s, j, row);
    for (size_t i = 0; i < s->dim; i++) omega[i] = s->scale[j] * row[i] * s->inverse_length[i];
    orff_release(row);
    return ORFF_OK;
}

/* ---- drawing */

typedef struct job {
    const orff_structured *rows;
    const orff_shape *shape;
    orff_rng radius, extra;
    double *scratch; /* threads x m */
} job;

/* The standard normal vector g of frequency j is radius m^(-3/2) times its block row: the factor. */
static double normal_factor(const job *work, size_t j) {
    const double m = (double)work->rows->size;
    return orff_rng_chi(work->radius, j, 0, m) / (m * sqrt(m));
}

static double norm_of(size_t d, const double *g) {
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) sum += g[i] * g[i];
    return sqrt(sum);
}

static void draw_stored(orff_frequencies *out, const job *work) {
    const size_t m = work->rows->size, d = out->dim;
#pragma omp parallel for num_threads(orff_thread_count()) schedule(static)
    for (size_t j = 0; j < out->count; j++) {
        double *g = work->scratch + (size_t)omp_get_thread_num() * m, extra[ORFF_SHAPE_MAX_EXTRAS] = {0.0};
        const double factor = normal_factor(work, j);
        block_row(work->rows, j, g);
        for (size_t i = 0; i < d; i++) g[i] *= factor;
        orff_shape_extra(work->shape, work->extra, j, extra);
        out->weight[j] = orff_shape_normal(work->shape, g, extra, out->omega + j * d);
    }
}

/* Only importance looks at the norm; a row that is not cut short has norm m^(3/2). */
static void draw_scales(orff_frequencies *out, const job *work, double *scale) {
    const size_t m = work->rows->size, d = out->dim;
    const bool measure = work->shape->importance && d < m;
#pragma omp parallel for num_threads(orff_thread_count()) schedule(static)
    for (size_t j = 0; j < out->count; j++) {
        double *row = work->scratch + (size_t)omp_get_thread_num() * m, extra[ORFF_SHAPE_MAX_EXTRAS] = {0.0};
        const double factor = normal_factor(work, j);
        double norm = (double)m * sqrt((double)m);
        if (measure) {
            block_row(work->rows, j, row);
            norm = norm_of(d, row);
        }
        orff_shape_extra(work->shape, work->extra, j, extra);
        scale[j] = factor * orff_shape_stretch(work->shape, factor * norm, extra, &out->weight[j]);
    }
}

static orff_status draw_rows(orff_frequencies *out, orff_structured *rows, const orff_shape *shape,
                             const orff_recipe *recipe) {
    job work = {rows, shape, orff_recipe_rng(recipe, ORFF_DRAW_RADIUS),
                orff_recipe_rng(recipe, ORFF_DRAW_EXTRA), NULL};
    ORFF_TRY(ORFF_NEW_ARRAY(work.scratch, (size_t)orff_thread_count() * rows->size));
    if (out->omega)
        draw_stored(out, &work);
    else
        draw_scales(out, &work, rows->scale);
    orff_release(work.scratch);
    return ORFF_OK;
}

/* Entries of a block row are multiples of a fixed number: over a few inputs alone they may all be 0, and
 * importance would give such a row an unbounded weight. */
static orff_status check(const orff_spectrum *law, const orff_recipe *recipe) {
    if (law->dim < ORFF_HADAMARD_MIN_DIM)
        return orff_fail(
            ORFF_UNSUPPORTED,
            "hadamard sampling needs at least %d inputs; with %zu it has too few different directions "
            "and the error stops falling as D grows: use qmc or orthogonal",
            ORFF_HADAMARD_MIN_DIM, law->dim);
    if (recipe->importance && law->space_count < ORFF_HADAMARD_MIN_DIM)
        return orff_fail(
            ORFF_UNSUPPORTED,
            "hadamard sampling by importance needs a space of at least %d inputs, it has %zu: use "
            "orthogonal, or no importance",
            ORFF_HADAMARD_MIN_DIM, law->space_count);
    return ORFF_OK;
}

orff_status orff_draw_hadamard(orff_frequencies *out, const orff_spectrum *law, const orff_recipe *recipe) {
    const bool structured = law->dim >= ORFF_STRUCTURED_MIN_DIM && law->space_count == law->dim;
    orff_shape shape;
    orff_structured *rows = NULL;
    ORFF_TRY(check(law, recipe));
    ORFF_TRY(orff_shape_init(&shape, law, recipe));
    if (structured) {
        ORFF_TRY(ORFF_NEW_ARRAY(out->weight, recipe->count));
        out->count = recipe->count;
    } else {
        ORFF_TRY(orff_frequencies_allocate(out, law, recipe));
    }
    ORFF_TRY(new_structured(&rows, law, recipe));
    const orff_status status = draw_rows(out, rows, &shape, recipe);
    if (structured && !status)
        out->structured = rows;
    else
        orff_structured_free(rows);
    return status;
}
