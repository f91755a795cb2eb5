#include "sampling/hadamard.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "sampling/scheme.h"

struct orffi_structured {
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

size_t orffi_structured_scratch(const orffi_structured *s) {
    return 2 * s->size;
}

double *orffi_structured_scale(orffi_structured *s) {
    return s->scale;
}

void orffi_structured_free(orffi_structured *s) {
    if (!s) return;
    orffi_release(s->sign);
    orffi_release(s->scale);
    orffi_release(s->inverse_length);
    orffi_release(s);
}

static void draw_signs(orffi_rng rng, size_t set, size_t m, float *sign) {
    for (size_t i = 0; i < m; i += 64) {
        const uint64_t bits = orffi_rng_bits(rng, set, (uint32_t)(i / 64));
        for (size_t k = 0; k < 64 && i + k < m; k++) sign[i + k] = bits >> k & 1 ? 1.0f : -1.0f;
    }
}

static orff_status fill_structured(orffi_structured *s, const orffi_spectrum *law, orffi_rng rng) {
    const size_t sets = 3 * ((s->count - 1) / s->size + 1);
    size_t signs;
    ORFFI_TRY(orffi_multiply(sets, s->size, &signs));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->sign, signs));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->scale, s->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->inverse_length, s->dim));
    for (size_t set = 0; set < sets; set++) draw_signs(rng, set, s->size, s->sign + set * s->size);
    for (size_t i = 0; i < s->dim; i++) s->inverse_length[i] = 1.0 / law->scale[i];
    return ORFF_OK;
}

/* Draws signs and sets lengths; the caller sets the scales. */
static orff_status new_structured(orffi_structured **out, const orffi_spectrum *law,
                                  const orffi_recipe *recipe) {
    orffi_structured *s;
    ORFFI_TRY(ORFFI_NEW(s));
    s->dim = law->dim;
    s->count = recipe->count;
    for (s->size = 1; s->size < s->dim;) s->size *= 2;
    const orff_status status = fill_structured(s, law, orffi_recipe_rng(recipe, ORFFI_DRAW_SIGN));
    if (status)
        orffi_structured_free(s);
    else
        *out = s;
    return status;
}

/* Row j mod m of H S1 H S2 H S3 of its block: S3 H S2 H S1 H e_i   (m entries) */
static void block_row(const orffi_structured *s, size_t j, double *row) {
    const size_t m = s->size;
    const float *sign = s->sign + 3 * m * (j / m);
    memset(row, 0, m * sizeof *row);
    row[j % m] = 1.0;
    for (size_t stage = 0; stage < 3; stage++) {
        transform_double(m, row);
        flip_double(m, sign + stage * m, row);
    }
}

orff_status orffi_structured_row(const orffi_structured *s, size_t j, double *omega) {
    double *row;
    ORFFI_TRY(ORFFI_NEW_ARRAY(row, s->size));
    block_row(s, j, row);
    for (size_t i = 0; i < s->dim; i++) omega[i] = s->scale[j] * row[i] * s->inverse_length[i];
    orffi_release(row);
    return ORFF_OK;
}

/* ---- drawing */

typedef struct job {
    const orffi_structured *rows;
    const orffi_shape *shape;
    orffi_rng radius, extra;
    double *scratch; /* threads x m */
} job;

/* The factor of the standard normal vector g of frequency j: g is radius m^(-3/2) times its block row. */
static double normal_factor(const job *work, size_t j) {
    const double m = (double)work->rows->size;
    return orffi_rng_chi(work->radius, j, 0, m) / (m * sqrt(m));
}

static double norm_of(size_t d, const double *g) {
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) sum += g[i] * g[i];
    return sqrt(sum);
}

static void draw_stored(orffi_frequencies *out, const job *work) {
    const size_t m = work->rows->size, d = out->dim;
#pragma omp parallel for num_threads(orffi_thread_count()) schedule(static)
    for (size_t j = 0; j < out->count; j++) {
        double *g = work->scratch + (size_t)orffi_thread_index() * m, extra[ORFFI_SHAPE_MAX_EXTRAS] = {0.0};
        const double factor = normal_factor(work, j);
        block_row(work->rows, j, g);
        for (size_t i = 0; i < d; i++) g[i] *= factor;
        orffi_shape_extra(work->shape, work->extra, j, extra);
        out->weight[j] = orffi_shape_normal(work->shape, g, extra, out->omega + j * d);
    }
}

/* Only importance sampling needs the norm; a row that is not truncated has norm m^(3/2). */
static void draw_scales(orffi_frequencies *out, const job *work, double *scale) {
    const size_t m = work->rows->size, d = out->dim;
    const bool measure = work->shape->importance && d < m;
#pragma omp parallel for num_threads(orffi_thread_count()) schedule(static)
    for (size_t j = 0; j < out->count; j++) {
        double *row = work->scratch + (size_t)orffi_thread_index() * m, extra[ORFFI_SHAPE_MAX_EXTRAS] = {0.0};
        const double factor = normal_factor(work, j);
        double norm = (double)m * sqrt((double)m);
        if (measure) {
            block_row(work->rows, j, row);
            norm = norm_of(d, row);
        }
        orffi_shape_extra(work->shape, work->extra, j, extra);
        scale[j] = factor * orffi_shape_stretch(work->shape, factor * norm, extra, &out->weight[j]);
    }
}

static orff_status draw_rows(orffi_frequencies *out, orffi_structured *rows, const orffi_shape *shape,
                             const orffi_recipe *recipe) {
    job work = {rows, shape, orffi_recipe_rng(recipe, ORFFI_DRAW_RADIUS),
                orffi_recipe_rng(recipe, ORFFI_DRAW_EXTRA), NULL};
    ORFFI_TRY(ORFFI_NEW_ARRAY(work.scratch, (size_t)orffi_thread_count() * rows->size));
    if (out->omega)
        draw_stored(out, &work);
    else
        draw_scales(out, &work, rows->scale);
    orffi_release(work.scratch);
    return ORFF_OK;
}

/* Entries of a block row are multiples of a fixed number. Over few inputs they may all be 0, and importance
 * sampling would give such a row an unbounded weight. */
static orff_status check(const orffi_spectrum *law, const orffi_recipe *recipe) {
    if (law->dim < ORFFI_HADAMARD_MIN_DIM)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "%s sampling needs at least %d inputs; with %zu it has too few different directions "
            "and the error stops falling as D grows: use %s or %s",
            orff_scheme_name(recipe->scheme), ORFFI_HADAMARD_MIN_DIM, law->dim,
            orff_scheme_name(ORFF_SCHEME_QMC), orff_scheme_name(ORFF_SCHEME_ORTHOGONAL));
    if (recipe->importance && law->space_count < ORFFI_HADAMARD_MIN_DIM)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "%s sampling by importance needs a space of at least %d inputs, it has %zu: use "
                          "%s, or no importance",
                          orff_scheme_name(recipe->scheme), ORFFI_HADAMARD_MIN_DIM, law->space_count,
                          orff_scheme_name(ORFF_SCHEME_ORTHOGONAL));
    return ORFF_OK;
}

static orff_status draw(orffi_frequencies *out, const orffi_spectrum *law, const orffi_recipe *recipe) {
    const bool structured = law->dim >= ORFFI_STRUCTURED_MIN_DIM && law->space_count == law->dim;
    orffi_shape shape;
    orffi_structured *rows = NULL;
    ORFFI_TRY(check(law, recipe));
    ORFFI_TRY(orffi_shape_init(&shape, law, recipe));
    if (structured) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(out->weight, recipe->count));
        out->count = recipe->count;
    } else {
        ORFFI_TRY(orffi_frequencies_allocate(out, law, recipe));
    }
    ORFFI_TRY(new_structured(&rows, law, recipe));
    const orff_status status = draw_rows(out, rows, &shape, recipe);
    if (structured && !status)
        out->structured = rows;
    else
        orffi_structured_free(rows);
    return status;
}

const orffi_scheme orffi_scheme_hadamard = {
    .draw = draw, .spherical_only = true, .around_0 = true, .least_space = ORFFI_HADAMARD_MIN_DIM};
