/* Blocks of d frequencies with orthogonal directions: d Haar-distributed orthonormal rows, each times a
 * chi(d) radius of its own, so that every row is standard normal in law.
 *
 * Row i of a block is the Gaussian vector of its index made orthogonal to the rows before it (Gram-Schmidt,
 * which makes the rows Haar-distributed). So a truncated block is the beginning of the whole block. To give
 * w_j the same bits for every D and thread count, rows are processed in panels through BLAS products of one
 * fixed shape, small enough that BLAS never divides them among threads; blocks run in parallel. */
#include <math.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "sampling/scheme.h"

enum { PANEL = 32, STRIP = 256 }; /* PANEL * PANEL * STRIP <= 2^18: OpenBLAS's limit for one thread */

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* rows -= (rows P^T) P for an orthonormal panel P (PANEL x d); C is scratch, PANEL x PANEL. */
static void remove_panel(size_t count, size_t d, double *rows, const double *P, double *C) {
    for (size_t s = 0; s < d; s += STRIP) {
        const size_t width = d - s < STRIP ? d - s : STRIP;
        orffi_gemm(false, true, count, PANEL, width, 1.0, rows + s, d, P + s, d, s ? 1.0 : 0.0, C, PANEL);
    }
    for (size_t s = 0; s < d; s += STRIP) {
        const size_t width = d - s < STRIP ? d - s : STRIP;
        orffi_gemm(false, false, count, width, PANEL, -1.0, C, PANEL, P + s, d, 1.0, rows + s, d);
    }
}

/* Gram-Schmidt within a panel, twice, because once loses orthogonality if little of a row remains. */
static void orthonormalise_panel(size_t count, size_t d, double *rows) {
    for (size_t i = 0; i < count; i++) {
        double *row = rows + i * d;
        for (int pass = 0; pass < 2; pass++) {
            for (size_t k = 0; k < i; k++) {
                const double along = dot(d, row, rows + k * d);
                for (size_t c = 0; c < d; c++) row[c] -= along * rows[k * d + c];
            }
        }
        const double scale = 1.0 / sqrt(dot(d, row, row));
        for (size_t c = 0; c < d; c++) row[c] *= scale;
    }
}

/* The first `count` rows (d of them, or whole panels) of the block that starts at index `first`. */
static void haar_rows(orffi_rng rng, size_t first, size_t count, size_t d, double *rows) {
    double C[PANEL * PANEL];
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < d; c++) rows[i * d + c] = orffi_rng_normal(rng, first + i, (uint32_t)c);
    for (size_t p = 0; p < count; p += PANEL) {
        const size_t height = count - p < PANEL ? count - p : PANEL;
        for (int pass = 0; pass < 2; pass++)
            for (size_t before = 0; before < p; before += PANEL)
                remove_panel(height, d, rows + p * d, rows + before * d, C);
        orthonormalise_panel(height, d, rows + p * d);
    }
}

typedef struct streams {
    orffi_rng point, radius, extra;
} streams;

/* Frequencies first .. first + count - 1 of *out from the orthonormal rows, which it overwrites. */
static void shape_rows(orffi_frequencies *out, const orffi_shape *shape, const streams *rng, size_t first,
                       size_t count, double *rows) {
    const size_t d = out->dim;
    double extra[ORFFI_SHAPE_MAX_EXTRAS] = {0.0};
    for (size_t i = 0; i < count; i++) {
        const size_t j = first + i;
        const double radius = orffi_rng_chi(rng->radius, j, 0, (double)d);
        for (size_t c = 0; c < d; c++) rows[i * d + c] *= radius;
        orffi_shape_extra(shape, rng->extra, j, extra);
        out->weight[j] = orffi_shape_normal(shape, rows + i * d, extra, out->omega + j * d);
    }
}

/* A whole number of panels, or the whole block. */
static size_t rows_to_make(size_t wanted, size_t d) {
    if (wanted >= d) return d;
    const size_t panels = (wanted + PANEL - 1) / PANEL * PANEL;
    return panels < d ? panels : d;
}

static orff_status draw(orffi_frequencies *out, const orffi_spectrum *law, const orffi_recipe *recipe) {
    const size_t d = law->dim, D = recipe->count, blocks = (D - 1) / d + 1, height = rows_to_make(D, d);
    const size_t cores = (size_t)orffi_thread_count(), threads = blocks < cores ? blocks : cores;
    const streams rng = {orffi_recipe_rng(recipe, ORFFI_DRAW_POINT),
                         orffi_recipe_rng(recipe, ORFFI_DRAW_RADIUS),
                         orffi_recipe_rng(recipe, ORFFI_DRAW_EXTRA)};
    orffi_shape shape;
    size_t entries;
    double *scratch;
    ORFFI_TRY(orffi_shape_init(&shape, law, recipe));
    ORFFI_TRY(orffi_frequencies_allocate(out, law, recipe));
    ORFFI_TRY(orffi_multiply(height, d, &entries));
    ORFFI_TRY(orffi_alloc(&scratch, threads, entries * sizeof *scratch)); /* one block per thread */
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (size_t b = 0; b < blocks; b++) {
        double *rows = scratch + (size_t)orffi_thread_index() * entries;
        const size_t first = b * d, count = D - first < d ? D - first : d;
        haar_rows(rng.point, first, rows_to_make(count, d), d, rows);
        shape_rows(out, &shape, &rng, first, count, rows);
    }
    orffi_release(scratch);
    return ORFF_OK;
}

const orffi_scheme orffi_scheme_orthogonal = {.draw = draw, .spherical_only = true};
