/* The measured error of K~: the largest over random pairs in a cube or a ball, for several draws.
 *
 *     K~(delta) = sum_j q_j cos<w_j,delta> A_j:  the cosines of phi(delta) (n x D) times the rows
 *     sqrt(q_j) A_j (D x p(p+1)/2)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "features/features.h"

#define STREAM 0x626e6473u /* separate from the streams of the frequencies */
#define ROWS   128         /* pairs per block */

typedef struct work {
    size_t d, p, half, pairs; /* half = p(p+1)/2 */
    double *delta;            /* pairs x d */
    double *exact;            /* pairs x half: upper triangles of K */
    double *K;                /* p x p */
    double *blocks;           /* D x half, for one draw */
    double *phi;              /* ROWS x 2D */
    double *approx;           /* ROWS x half */
    double *B, *weights;      /* p x widest, D */
} work;

orff_measure orff_measure_default(void) {
    return (orff_measure){.diameter = 1.0, .pairs = 1500, .repeats = 40, .quantile = 0.95};
}

/* A point in the cube of diameter l, or in the ball: a direction times l/2 U^(1/d). */
static void draw_point(orffi_rng rng, uint64_t index, size_t d, const orff_measure *how, double *x) {
    double norm = 0.0;
    const double side = how->diameter / sqrt((double)d);
    for (size_t i = 0; i < d; i++) {
        const uint32_t slot = (uint32_t)i;
        x[i] = how->ball ? orffi_rng_normal(rng, index, slot)
                         : side * (orffi_rng_uniform(rng, index, slot) - 0.5);
        norm += x[i] * x[i];
    }
    if (!how->ball) return;
    const double radius =
        how->diameter / 2.0 * pow(orffi_rng_uniform(rng, index, (uint32_t)d), 1.0 / (double)d) / sqrt(norm);
    for (size_t i = 0; i < d; i++) x[i] *= radius;
}

/* delta = x - z; the first pair has x = z. z: d numbers of scratch. */
static void draw_pairs(work *w, const orff_measure *how, uint64_t seed, double *z) {
    const orffi_rng rng = {seed, STREAM};
    for (size_t n = 1; n < w->pairs; n++) {
        double *delta = w->delta + n * w->d;
        draw_point(rng, 2 * n, w->d, how, delta);
        draw_point(rng, 2 * n + 1, w->d, how, z);
        for (size_t i = 0; i < w->d; i++) delta[i] -= z[i];
    }
}

static void upper(size_t p, const double *K, double *out) {
    for (size_t i = 0; i < p; i++)
        for (size_t j = i; j < p; j++) *out++ = K[i * p + j];
}

static orff_status exact_values(work *w, const orff_kernel *kernel) {
    for (size_t n = 0; n < w->pairs; n++) {
        ORFFI_TRY(orffi_kernel_exact(kernel, w->delta + n * w->d, w->K));
        upper(w->p, w->K, w->exact + n * w->half);
    }
    return ORFF_OK;
}

/* The spectral norm of the symmetric matrix with upper triangle a - b. */
static orff_status norm_of_difference(work *w, const double *a, const double *b, double *norm) {
    for (size_t i = 0; i < w->p; i++)
        for (size_t j = i; j < w->p; j++) w->K[i * w->p + j] = w->K[j * w->p + i] = *a++ - (b ? *b++ : 0.0);
    return orff_spectral_norm(w->p, w->p, w->K, norm);
}

/* ---- one draw */

static orff_status fill_blocks(work *w, const orff_features *f, size_t D) {
    orffi_release(w->blocks);
    orffi_release(w->phi);
    orffi_release(w->weights);
    orffi_release(w->B);
    w->blocks = w->phi = w->weights = w->B = NULL;
    size_t widest = 1, count;
    for (size_t j = 0; j < D; j++) {
        size_t columns;
        ORFFI_TRY(orff_features_block(f, j, &columns, NULL));
        if (columns > widest) widest = columns;
    }
    ORFFI_TRY(orffi_multiply(D, w->half, &count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->blocks, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->phi, ROWS * 2 * D));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->weights, D));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->B, w->p * widest));
    ORFFI_TRY(orff_features_frequencies(f, NULL, w->weights));
    for (size_t j = 0; j < D; j++) {
        size_t columns;
        ORFFI_TRY(orff_features_block(f, j, &columns, w->B));
        orffi_gemm(false, true, w->p, w->p, columns, sqrt(w->weights[j]), w->B, columns, w->B, columns, 0.0,
                   w->K, w->p);
        upper(w->p, w->K, w->blocks + j * w->half);
    }
    return ORFF_OK;
}

/* The largest error and the sum of errors over all pairs. */
static orff_status sweep(work *w, const orff_features *f, size_t D, double *largest, double *sum) {
    *largest = *sum = 0.0;
    for (size_t first = 0; first < w->pairs; first += ROWS) {
        const size_t rows = w->pairs - first < ROWS ? w->pairs - first : ROWS;
        ORFFI_TRY(orff_features_phi(f, rows, w->delta + first * w->d, w->phi));
        orffi_gemm(false, false, rows, w->half, D, 1.0, w->phi, 2 * D, w->blocks, w->half, 0.0, w->approx,
                   w->half);
        for (size_t n = 0; n < rows; n++) {
            double error;
            ORFFI_TRY(
                norm_of_difference(w, w->approx + n * w->half, w->exact + (first + n) * w->half, &error));
            *sum += error;
            if (error > *largest) *largest = error;
        }
    }
    return ORFF_OK;
}

static orff_status one_draw(work *w, const orff_kernel *kernel, const orff_sampling *sampling,
                            uint64_t repeat, double *largest, double *sum) {
    orff_features *f = NULL;
    orff_sampling mine = *sampling;
    mine.seed += repeat;
    orff_status status = orff_features_create(&f, kernel, &mine);
    const size_t D = status ? 0 : orff_features_describe(f).frequencies;
    if (!status) status = fill_blocks(w, f, D);
    if (!status) status = sweep(w, f, D, largest, sum);
    orff_features_free(f);
    return status;
}

/* ---- all draws */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smallest value that is not exceeded by a share q of the sorted values. */
static double quantile(size_t count, const double *sorted, double q) {
    const double rank = ceil(q * (double)count);
    const size_t place = rank < 1.0 ? 0 : (size_t)rank - 1;
    return sorted[place < count ? place : count - 1];
}

static orff_status all_draws(work *w, const orff_kernel *kernel, const orff_sampling *sampling,
                             const orff_measure *how, double *maxima, orff_measured *out) {
    double total = 0.0, sum;
    for (size_t r = 0; r < how->repeats; r++) {
        ORFFI_TRY(orffi_progress("measuring the error", (double)r, (double)how->repeats));
        ORFFI_TRY(one_draw(w, kernel, sampling, r, &maxima[r], &sum));
        total += sum;
    }
    ORFFI_TRY(orffi_progress("measuring the error", (double)how->repeats, (double)how->repeats));
    out->mean = total / ((double)how->repeats * (double)w->pairs);
    return norm_of_difference(w, w->exact, NULL, &out->K0); /* the first pair is delta = 0 */
}

static orff_status work_fill(work *w, const orff_kernel *kernel, const orff_measure *how) {
    w->d = orff_kernel_inputs(kernel);
    w->p = orff_kernel_outputs(kernel);
    w->half = w->p * (w->p + 1) / 2;
    w->pairs = how->pairs;
    size_t count;
    ORFFI_TRY(orffi_multiply(w->pairs, w->d, &count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->delta, count));
    ORFFI_TRY(orffi_multiply(w->pairs, w->half, &count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->exact, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->K, w->p * w->p));
    return ORFFI_NEW_ARRAY(w->approx, ROWS * w->half);
}

static void work_clear(work *w) {
    double *const all[] = {w->delta, w->exact, w->K, w->blocks, w->phi, w->approx, w->B, w->weights};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status check(const orff_measure *how) {
    if (!(how->diameter > 0.0 && isfinite(how->diameter)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the diameter is %g; it must be positive and finite",
                          how->diameter);
    if (how->pairs == 0 || how->repeats == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "there are %zu pairs and %zu repeats; both must be at least 1", how->pairs,
                          how->repeats);
    if (!(how->quantile > 0.0 && how->quantile < 1.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the quantile is %g; it must be between 0 and 1",
                          how->quantile);
    return ORFF_OK;
}

static orff_status measure(work *w, const orff_kernel *kernel, const orff_sampling *sampling,
                           const orff_measure *how, orff_measured *out, double *maxima) {
    double *sorted, *z;
    ORFFI_TRY(work_fill(w, kernel, how));
    ORFFI_TRY(ORFFI_NEW_ARRAY(z, w->d));
    draw_pairs(w, how, sampling->seed, z);
    orffi_release(z);
    ORFFI_TRY(exact_values(w, kernel));
    ORFFI_TRY(ORFFI_NEW_ARRAY(sorted, how->repeats));
    const orff_status status = all_draws(w, kernel, sampling, how, sorted, out);
    if (!status) {
        if (maxima) memcpy(maxima, sorted, how->repeats * sizeof *maxima);
        qsort(sorted, how->repeats, sizeof *sorted, ascending);
        out->quantile = quantile(how->repeats, sorted, how->quantile);
        out->median = quantile(how->repeats, sorted, 0.5);
        out->largest = sorted[how->repeats - 1];
    }
    orffi_release(sorted);
    return status;
}

orff_status orff_bound_measure(const orff_kernel *kernel, const orff_sampling *sampling,
                               const orff_measure *how, orff_measured *measured, double *maxima) {
    work w = {0};
    orff_measured result;
    if (!kernel || !sampling || !how || !measured)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_bound_measure: NULL argument");
    ORFFI_TRY(check(how));
    if (kernel->hermitian)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "the error of a Hermitian kernel is not measured here; compare orff_features_kernel "
            "with orff_kernel_eval");
    const orff_status status = measure(&w, kernel, sampling, how, &result, maxima);
    if (!status) *measured = result;
    work_clear(&w);
    return status;
}
