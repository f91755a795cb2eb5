/* A kernel known only by its signature K0(delta), d <= 3. The construction does three steps numerically.
 *
 *   1. C(w), the inverse Fourier transform of K0, on a regular grid: K0 is sampled on a box large enough that K0
 *      vanishes on its faces, with n points a side; n is doubled until the spectrum fits below the highest frequency.
 *   2. C(w) >= 0 is checked and C(w) = B(w) B(w)^T factored.
 *   3. The grid's frequencies are the quadrature: on the nodes of the box the sum (1/n^d) sum_k C_k cos<w_k, delta>
 *      equals K0 exactly. Half of the frequencies, with weight 2, suffice because the others are their mirror images.
 *
 * K0 is evaluated at many differences at once: the differences are written first, then one call fills the
 * matrices.
 */
#include "kernel/signature.h"

#include <math.h>
#include <stdlib.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "kernel/signature_grid.h"

#define TWO_PI 6.28318530717958647692
#define LOOKS  66 /* differences at which the error is measured */

/* ---- frequencies */

typedef struct candidate {
    double trace;
    size_t point;
} candidate;

static int by_trace(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->trace != y->trace) return x->trace < y->trace ? 1 : -1;
    return x->point < y->point ? -1 : x->point > y->point;
}

/* Whether to keep w: of w and -w the one whose first nonzero index is positive. The edge -n/2 has no mirror
 * image and no weight. */
static bool kept_half(const orffi_signature_grid *t, const long index[3], bool *origin) {
    *origin = true;
    for (size_t i = 0; i < t->d; i++)
        if (index[i] == -(long)(t->n / 2)) return *origin = false;
    for (size_t i = 0; i < t->d; i++) {
        if (index[i] != 0) {
            *origin = false;
            return index[i] > 0;
        }
    }
    return true;
}

/* Sorts the half space by decreasing trace; returns how many frequencies are needed to lose at most a tenth
 * of the tolerance. */
static size_t rank_candidates(const orffi_signature_grid *t, candidate *list, size_t *count, double *total) {
    *count = 0;
    *total = 0.0;
    for (size_t point = 0; point < t->points; point++) {
        long index[3] = {0};
        bool origin;
        orffi_signature_centred(t, point, index);
        if (!kept_half(t, index, &origin)) continue;
        list[*count] = (candidate){(origin ? 1.0 : 2.0) * orffi_signature_trace_at(t, point), point};
        *total += fmax(list[(*count)++].trace, 0.0);
    }
    qsort(list, *count, sizeof *list, by_trace);
    double left = *total;
    size_t needed = 0;
    while (needed < *count && left > 0.1 * t->tolerance * *total) left -= fmax(list[needed++].trace, 0.0);
    return needed;
}

/* B of one frequency, p x p. Eigenvalues that are negative beyond the error of the transform mean that K0 is
 * not a kernel. */
static orff_status factor_block(const orffi_signature_grid *t, const double *w, double largest, double *B,
                                double *values) {
    const size_t p = t->p;
    ORFFI_TRY(orffi_eigen(p, B, values));
    if (values[0] < -(10.0 * t->tolerance + 1e-9) * largest)
        return orffi_fail(
            ORFF_ERROR_NOT_POSITIVE,
            "K0 is not the signature of a kernel: its spectrum has the eigenvalue %.3g (largest %.3g) at "
            "|w_1| = %g",
            values[0], largest, fabs(w[0]));
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < p; k++) B[i * p + k] *= sqrt(fmax(values[k], 0.0));
    return ORFF_OK;
}

static orff_status fill_frequencies(const orffi_signature_grid *t, const candidate *list, size_t count,
                                    orffi_frequencies *out, double **blocks) {
    const size_t pp = t->p * t->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(out->omega, count * t->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(out->weight, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(*blocks, count * pp));
    out->count = count;
    out->dim = t->d;
    out->scheme = ORFF_SCHEME_GRID;
    for (size_t j = 0; j < count; j++) {
        long index[3] = {0};
        bool origin;
        double *w = out->omega + j * t->d;
        orffi_signature_centred(t, list[j].point, index);
        kept_half(t, index, &origin);
        out->weight[j] = origin ? 1.0 : 2.0;
        for (size_t i = 0; i < t->d; i++) w[i] = TWO_PI / 2.0 * (double)index[i] / t->box[i];
        orffi_signature_matrix_at(t, list[j].point, *blocks + j * pp);
        ORFFI_TRY(factor_block(t, w, list[0].trace, *blocks + j * pp, t->other));
    }
    return ORFF_OK;
}

/* Checks for negative spectrum among the candidates that were not kept. */
static orff_status check_rest(const orffi_signature_grid *t, const candidate *list, size_t first,
                              size_t count) {
    for (size_t j = first; j < count; j++)
        if (list[j].trace < -(10.0 * t->tolerance + 1e-9) * list[0].trace)
            return orffi_fail(
                ORFF_ERROR_NOT_POSITIVE,
                "K0 is not the signature of a kernel: its spectrum is negative (trace %.3g, largest %.3g)",
                list[j].trace, list[0].trace);
    return ORFF_OK;
}

/* K~(delta) - K0(delta), the largest entry relative to K0(0); K holds K0(delta) and is overwritten. */
static double error_at(const orffi_signature_grid *t, const orffi_frequencies *f, const double *blocks,
                       const double *delta, double *K) {
    const size_t p = t->p;
    for (size_t j = 0; j < f->count; j++) {
        double angle = 0.0;
        for (size_t i = 0; i < t->d; i++) angle += f->omega[j * t->d + i] * delta[i];
        const double *B = blocks + j * p * p;
        orffi_gemm(false, true, p, p, p, -f->weight[j] * cos(angle), B, p, B, p, 1.0, K, p);
    }
    return orffi_signature_largest(t, K) / t->size;
}

/* The differences probed: 0, where the dropped terms add up; the far corner, where the images are nearest;
 * and others spread over the extent. */
static void probe_deltas(const orffi_signature_grid *t, const orffi_recipe *recipe, double *delta) {
    const orffi_rng rng = {recipe->seed, recipe->stream};
    for (size_t i = 0; i < t->d; i++) {
        delta[i] = 0.0;
        delta[t->d + i] = recipe->extent[i];
        for (uint64_t look = 2; look < LOOKS; look++)
            delta[look * t->d + i] =
                recipe->extent[i] * (2.0 * orffi_rng_uniform(rng, look - 2, (uint32_t)i) - 1.0);
    }
}

/* The largest error at the differences probed. */
static orff_status measure(orffi_signature_grid *t, const orffi_recipe *recipe, const double *blocks,
                           orffi_frequencies *out) {
    probe_deltas(t, recipe, t->delta);
    ORFFI_TRY(orffi_signature_call(t->part, LOOKS, t->delta, t->matrix));
    for (size_t look = 0; look < LOOKS; look++)
        out->error = fmax(out->error,
                          error_at(t, out, blocks, t->delta + look * t->d, t->matrix + look * t->p * t->p));
    return ORFF_OK;
}

static orff_status choose(orffi_signature_grid *t, const orffi_recipe *recipe, candidate *list,
                          orffi_frequencies *out, double **blocks) {
    size_t count;
    double total;
    const size_t needed = rank_candidates(t, list, &count, &total);
    const size_t kept = recipe->count && recipe->count < needed ? recipe->count : needed;
    if (!(total > 0.0))
        return orffi_fail(ORFF_ERROR_NOT_POSITIVE,
                          "K0 is not the signature of a kernel: its spectrum is not positive");
    ORFFI_TRY(check_rest(t, list, kept, count));
    ORFFI_TRY(fill_frequencies(t, list, kept, out, blocks));
    ORFFI_TRY(measure(t, recipe, *blocks, out));
    if (recipe->tolerance > 0.0 && out->error > recipe->tolerance)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "with %zu frequencies the signature is matched to %.1e only; %zu would be needed for %.1e", kept,
            out->error, needed, recipe->tolerance);
    return ORFF_OK;
}

static orff_status run(orffi_signature_grid *t, const orffi_recipe *recipe, orffi_frequencies *out,
                       double **blocks) {
    candidate *list = NULL;
    ORFFI_TRY(orffi_signature_spectrum(t, recipe->extent));
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, t->points));
    const orff_status status = choose(t, recipe, list, out, blocks);
    orffi_release(list);
    return status;
}

orff_status orffi_signature_draw(orffi_frequencies *out, double **blocks, const orffi_kernel_part *part,
                                 const orffi_recipe *recipe) {
    orffi_signature_grid t = {
        .part = part, .d = part->d, .p = part->p, .entries = part->p * (part->p + 1) / 2};
    if (!recipe->extent)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a signature needs the extent of the data (sampling.extent)");
    for (size_t i = 0; i < part->d; i++)
        if (!(recipe->extent[i] > 0.0))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a signature needs a positive extent of input %zu",
                              i + 1);
    t.tolerance = recipe->tolerance > 0.0 ? recipe->tolerance : 1e-6;
    orff_status status = orffi_signature_grid_init(&t);
    if (!status) status = run(&t, recipe, out, blocks);
    orffi_signature_grid_clear(&t);
    return status;
}

/* ---- the rule */

static orff_status prepare(orffi_kernel_part *part, const orff_part *given) {
    if (part->d > 3)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "a signature is transformed on a grid: it needs d <= 3, not %zu; with more inputs give A(w) or "
            "B(w) instead (custom rules)",
            part->d);
    if (!given->matrix)
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "a signature part needs its callback for K0(delta); a part of a model that was loaded has "
            "none, because a file holds its blocks only");
    part->matrix = given->matrix;
    part->self = given->self;
    part->stretchable = given->stretchable;
    return ORFF_OK;
}

const orffi_rule_ops orffi_rule_signature = {
    .id = ORFF_RULE_SIGNATURE,
    .words = "custom",
    .stored = true,
    .own_law = true,
    .prepare = prepare,
    .apply = orffi_block_apply,
    .adjoint = orffi_block_adjoint,
    .exact_many = orffi_signature_call,
};
