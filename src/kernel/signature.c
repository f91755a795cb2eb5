/* A kernel known only by its signature K0(delta), d <= 3: the three steps of the construction done numerically.
 *
 *   1. C(w), the inverse Fourier transform of K0, on a regular grid: K0 is sampled on a box whose faces it does not
 *      reach, n points a side, n doubled until the spectrum fits below the highest frequency.
 *   2. C(w) >= 0 is checked and C(w) = B(w) B(w)^T factored.
 *   3. The grid's frequencies are the quadrature: on the nodes of the box the sum
 *      (1/n^d) sum_k C_k cos<w_k, delta> gives K0 back exactly, so half of them (the rest mirror) with weight 2 serve.
 *
 * K0 is asked for many differences at once: first the differences are written, then one call fills the matrices.
 */
#include "kernel/signature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"

#define TWO_PI        6.28318530717958647692
#define SMALLEST_SIDE 16
#define WIDEST_BOX    64.0 /* in extents */
#define BATCH         1024 /* differences at once */
#define FACE_SIDE     9    /* points a side of the looks at the faces of the box */
#define LOOKS         66   /* differences at which the error is measured */
#define EVEN_EVERY    37   /* of the points of the grid that are checked for being even */

static const size_t largest_side[4] = {0, 2048, 512, 128};

typedef struct transform {
    const orffi_kernel_part *part;
    size_t d, p, entries; /* entries = p (p+1)/2: the upper triangle */
    double box[3];        /* half-widths T_i; the period is 2 T_i */
    double tolerance;
    double size;                 /* largest entry of |K0(0)| */
    size_t n, points;            /* n a side, n^d in all */
    double *values;              /* entries x points: samples of K0, then C (real) */
    double *re, *im, *re2, *im2; /* points each */
    double *cosine, *sine;       /* n x n, centred indices */
    double *delta;               /* BATCH x d */
    double *matrix, *other;      /* BATCH x p x p each */
} transform;

static void transform_clear(transform *t) {
    double *all[] = {t->values, t->re, t->im, t->re2, t->im2, t->cosine, t->sine};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    t->values = t->re = t->im = t->re2 = t->im2 = t->cosine = t->sine = NULL;
}

static orff_status transform_fill(transform *t, size_t n) {
    transform_clear(t);
    t->n = n;
    t->points = n;
    for (size_t i = 1; i < t->d; i++) t->points *= n;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->values, t->entries * t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->re, t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->im, t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->re2, t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->im2, t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->cosine, n * n));
    return ORFFI_NEW_ARRAY(t->sine, n * n);
}

/* ---- sampling K0 */

static orff_status call(const orffi_kernel_part *part, size_t count, const double *delta, double *K) {
    const orffi_callback callback = {"K0(delta)", part, part->matrix, part->p, false};
    return orffi_call_matrices(&callback, count, delta, K);
}

static double largest_entry(const transform *t, const double *K) {
    double most = 0.0;
    for (size_t i = 0; i < t->p * t->p; i++) most = fmax(most, fabs(K[i]));
    return most;
}

/* Centred indices of a grid point, each in [-n/2, n/2): axis 0 is the slowest. */
static void centred(const transform *t, size_t point, long index[3]) {
    for (size_t axis = t->d; axis-- > 0; point /= t->n) index[axis] = (long)(point % t->n) - (long)(t->n / 2);
}

static void position(const transform *t, const long index[3], double *delta) {
    for (size_t i = 0; i < t->d; i++) delta[i] = t->box[i] * (double)index[i] / (double)(t->n / 2);
}

/* A real, even, symmetric signature is what E[cos<w,delta> A(w)] can be: K0 at a difference and at its mirror. */
static orff_status check_pair(const transform *t, const double *K, const double *mirrored) {
    for (size_t i = 0; i < t->p; i++)
        for (size_t j = 0; j < t->p; j++)
            if (fabs(K[i * t->p + j] - mirrored[i * t->p + j]) > 1e-9 * t->size ||
                fabs(K[i * t->p + j] - K[j * t->p + i]) > 1e-9 * t->size)
                return orffi_fail(
                    ORFF_ERROR_UNSUPPORTED,
                    "a signature must be even and symmetric, K0(delta) = K0(-delta) = K0(delta)^T; entry "
                    "(%zu,%zu) is not",
                    i + 1, j + 1);
    return ORFF_OK;
}

/* Every so many of the differences whose matrices are there; the differences are written over. */
static orff_status check_even(transform *t, size_t count) {
    size_t chosen = 0;
    for (size_t i = 0; i < count; i += EVEN_EVERY, chosen++)
        for (size_t k = 0; k < t->d; k++) t->delta[chosen * t->d + k] = -t->delta[i * t->d + k];
    ORFFI_TRY(call(t->part, chosen, t->delta, t->other));
    for (size_t i = 0; i < chosen; i++)
        ORFFI_TRY(check_pair(t, t->matrix + i * EVEN_EVERY * t->p * t->p, t->other + i * t->p * t->p));
    return ORFF_OK;
}

/* Entry e of the upper triangle, of all points of a batch. */
static void keep_samples(transform *t, size_t first, size_t count) {
    for (size_t at = 0; at < count; at++)
        for (size_t i = 0, e = 0; i < t->p; i++)
            for (size_t j = i; j < t->p; j++, e++)
                t->values[e * t->points + first + at] = t->matrix[(at * t->p + i) * t->p + j];
}

static orff_status sample(transform *t) {
    for (size_t first = 0; first < t->points; first += BATCH) {
        const size_t count = t->points - first < BATCH ? t->points - first : BATCH;
        for (size_t at = 0; at < count; at++) {
            long index[3];
            centred(t, first + at, index);
            position(t, index, t->delta + at * t->d);
        }
        ORFFI_TRY(call(t->part, count, t->delta, t->matrix));
        ORFFI_TRY(check_even(t, count));
        keep_samples(t, first, count);
    }
    return ORFF_OK;
}

/* The points on the faces of the box among FACE_SIDE a side; returns how many. */
static size_t face_points(const transform *t, double *delta) {
    size_t looks = 1, count = 0;
    for (size_t i = 0; i < t->d; i++) looks *= FACE_SIDE;
    for (size_t look = 0; look < looks; look++) {
        bool face = false;
        size_t rest = look;
        for (size_t i = 0; i < t->d; i++, rest /= FACE_SIDE) {
            delta[count * t->d + i] =
                t->box[i] * (2.0 * (double)(rest % FACE_SIDE) / (double)(FACE_SIDE - 1) - 1.0);
            face = face || rest % FACE_SIDE == 0 || rest % FACE_SIDE == FACE_SIDE - 1;
        }
        count += face;
    }
    return count;
}

/* Whether K0 is below tolerance on the faces of the box. */
static orff_status faces_quiet(transform *t, bool *quiet) {
    double most = 0.0;
    const size_t count = face_points(t, t->delta);
    ORFFI_TRY(call(t->part, count, t->delta, t->matrix));
    for (size_t i = 0; i < count; i++) most = fmax(most, largest_entry(t, t->matrix + i * t->p * t->p));
    *quiet = most <= 0.25 * t->tolerance * t->size;
    return ORFF_OK;
}

static orff_status find_box(transform *t, const double *extent) {
    bool quiet = false;
    for (double wide = 1.0; !quiet && wide <= WIDEST_BOX; wide *= 1.25) {
        for (size_t i = 0; i < t->d; i++) t->box[i] = wide * extent[i];
        ORFFI_TRY(faces_quiet(t, &quiet));
    }
    if (quiet) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "the signature does not fall below %g of its size within %g times the extent of the data; its "
        "spectrum cannot be found on a grid",
        t->tolerance, WIDEST_BOX);
}

/* ---- the transform */

/* cos and sin of 2 pi k j / n for centred k, j; the product is reduced first so that no digit is lost. */
static void fill_tables(transform *t) {
    const long n = (long)t->n, half = n / 2;
    for (long k = 0; k < n; k++) {
        for (long j = 0; j < n; j++) {
            const double angle = TWO_PI * (double)(((k - half) * (j - half)) % n) / (double)n;
            t->cosine[k * n + j] = cos(angle);
            t->sine[k * n + j] = sin(angle);
        }
    }
}

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

/* One axis: (re + i im)^T (cosine + i sine), seen as rest x n: the axes move round by one, so d passes end
 * in place. */
static void transform_axis(transform *t) {
    const size_t n = t->n, rest = t->points / n;
    orffi_gemm(true, false, rest, n, n, 1.0, t->re, rest, t->cosine, n, 0.0, t->re2, n);
    orffi_gemm(true, false, rest, n, n, -1.0, t->im, rest, t->sine, n, 1.0, t->re2, n);
    orffi_gemm(true, false, rest, n, n, 1.0, t->re, rest, t->sine, n, 0.0, t->im2, n);
    orffi_gemm(true, false, rest, n, n, 1.0, t->im, rest, t->cosine, n, 1.0, t->im2, n);
    swap(&t->re, &t->re2);
    swap(&t->im, &t->im2);
}

/* values: samples of K0 -> C_k / n^d, real because K0 is even. */
static void transform_entries(transform *t) {
    fill_tables(t);
    for (size_t e = 0; e < t->entries; e++) {
        memcpy(t->re, t->values + e * t->points, t->points * sizeof *t->re);
        memset(t->im, 0, t->points * sizeof *t->im);
        for (size_t axis = 0; axis < t->d; axis++) transform_axis(t);
        for (size_t i = 0; i < t->points; i++) t->values[e * t->points + i] = t->re[i] / (double)t->points;
    }
}

static void matrix_at(const transform *t, size_t point, double *C) {
    for (size_t i = 0, e = 0; i < t->p; i++)
        for (size_t j = i; j < t->p; j++, e++)
            C[i * t->p + j] = C[j * t->p + i] = t->values[e * t->points + point];
}

static double trace_at(const transform *t, size_t point) {
    double trace = 0.0;
    for (size_t i = 0, e = 0; i < t->p; e += t->p - i, i++) trace += t->values[e * t->points + point];
    return trace;
}

/* The share of the spectrum in the outer fifth of the frequencies: what a finer grid would have to catch. */
static double outer_share(const transform *t) {
    double outer = 0.0, all = 0.0;
    for (size_t point = 0; point < t->points; point++) {
        long index[3] = {0};
        bool edge = false;
        centred(t, point, index);
        for (size_t i = 0; i < t->d; i++) edge = edge || (double)labs(index[i]) >= 0.4 * (double)t->n;
        const double size = fabs(trace_at(t, point));
        all += size;
        if (edge) outer += size;
    }
    return all > 0.0 ? outer / all : 1.0;
}

static orff_status find_spectrum(transform *t, double *share) {
    for (size_t n = SMALLEST_SIDE; n <= largest_side[t->d]; n *= 2) {
        ORFFI_TRY(transform_fill(t, n));
        ORFFI_TRY(sample(t));
        transform_entries(t);
        *share = outer_share(t);
        if (*share <= 0.25 * t->tolerance) return ORFF_OK;
    }
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "the signature is not smooth enough: with %zu points a side %.1e of its spectrum still lies in the "
        "highest frequencies; ask for a tolerance above that",
        largest_side[t->d], *share);
}

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

/* Of w and -w the one whose first nonzero index is positive; the edge -n/2 has no mirror and no weight. */
static bool kept_half(const transform *t, const long index[3], bool *origin) {
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

/* The half space by falling trace; returns how many hold all but a tenth of the tolerance. */
static size_t rank_candidates(const transform *t, candidate *list, size_t *count, double *total) {
    *count = 0;
    *total = 0.0;
    for (size_t point = 0; point < t->points; point++) {
        long index[3] = {0};
        bool origin;
        centred(t, point, index);
        if (!kept_half(t, index, &origin)) continue;
        list[*count] = (candidate){(origin ? 1.0 : 2.0) * trace_at(t, point), point};
        *total += fmax(list[(*count)++].trace, 0.0);
    }
    qsort(list, *count, sizeof *list, by_trace);
    double left = *total;
    size_t needed = 0;
    while (needed < *count && left > 0.1 * t->tolerance * *total) left -= fmax(list[needed++].trace, 0.0);
    return needed;
}

/* B of one frequency, p x p; eigenvalues negative beyond the error of the transform mean a K0 that is no
 * kernel. */
static orff_status factor_block(const transform *t, const double *w, double largest, double *B,
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

static orff_status fill_frequencies(const transform *t, const candidate *list, size_t count,
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
        centred(t, list[j].point, index);
        kept_half(t, index, &origin);
        out->weight[j] = origin ? 1.0 : 2.0;
        for (size_t i = 0; i < t->d; i++) w[i] = TWO_PI / 2.0 * (double)index[i] / t->box[i];
        matrix_at(t, list[j].point, *blocks + j * pp);
        ORFFI_TRY(factor_block(t, w, list[0].trace, *blocks + j * pp, t->other));
    }
    return ORFF_OK;
}

/* Negative spectrum hides among the candidates that were not kept. */
static orff_status check_rest(const transform *t, const candidate *list, size_t first, size_t count) {
    for (size_t j = first; j < count; j++)
        if (list[j].trace < -(10.0 * t->tolerance + 1e-9) * list[0].trace)
            return orffi_fail(
                ORFF_ERROR_NOT_POSITIVE,
                "K0 is not the signature of a kernel: its spectrum is negative (trace %.3g, largest %.3g)",
                list[j].trace, list[0].trace);
    return ORFF_OK;
}

/* K~(delta) - K0(delta), largest entry relative to K0(0); K holds K0(delta) and is written over. */
static double error_at(const transform *t, const orffi_frequencies *f, const double *blocks,
                       const double *delta, double *K) {
    const size_t p = t->p;
    for (size_t j = 0; j < f->count; j++) {
        double angle = 0.0;
        for (size_t i = 0; i < t->d; i++) angle += f->omega[j * t->d + i] * delta[i];
        const double *B = blocks + j * p * p;
        orffi_gemm(false, true, p, p, p, -f->weight[j] * cos(angle), B, p, B, p, 1.0, K, p);
    }
    return largest_entry(t, K) / t->size;
}

/* 0, where what was dropped adds up, the far corner, where the images are nearest, and differences spread over the
 * extent. */
static void probe_deltas(const transform *t, const orffi_recipe *recipe, double *delta) {
    const orffi_rng rng = {recipe->seed, recipe->stream};
    for (size_t i = 0; i < t->d; i++) {
        delta[i] = 0.0;
        delta[t->d + i] = recipe->extent[i];
        for (uint64_t look = 2; look < LOOKS; look++)
            delta[look * t->d + i] =
                recipe->extent[i] * (2.0 * orffi_rng_uniform(rng, look - 2, (uint32_t)i) - 1.0);
    }
}

/* The largest error seen. */
static orff_status measure(transform *t, const orffi_recipe *recipe, const double *blocks,
                           orffi_frequencies *out) {
    probe_deltas(t, recipe, t->delta);
    ORFFI_TRY(call(t->part, LOOKS, t->delta, t->matrix));
    for (size_t look = 0; look < LOOKS; look++)
        out->error = fmax(out->error,
                          error_at(t, out, blocks, t->delta + look * t->d, t->matrix + look * t->p * t->p));
    return ORFF_OK;
}

static orff_status choose(transform *t, const orffi_recipe *recipe, candidate *list, orffi_frequencies *out,
                          double **blocks) {
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

static orff_status run(transform *t, const orffi_recipe *recipe, orffi_frequencies *out, double **blocks) {
    const double zero[3] = {0};
    double share = 0.0;
    candidate *list = NULL;
    ORFFI_TRY(call(t->part, 1, zero, t->matrix));
    t->size = largest_entry(t, t->matrix);
    if (!(t->size > 0.0)) return orffi_fail(ORFF_ERROR_NOT_POSITIVE, "K0(0) is zero");
    ORFFI_TRY(find_box(t, recipe->extent));
    ORFFI_TRY(find_spectrum(t, &share));
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, t->points));
    const orff_status status = choose(t, recipe, list, out, blocks);
    orffi_release(list);
    return status;
}

orff_status orffi_signature_draw(orffi_frequencies *out, double **blocks, const orffi_kernel_part *part,
                                 const orffi_recipe *recipe) {
    transform t = {.part = part, .d = part->d, .p = part->p, .entries = part->p * (part->p + 1) / 2};
    if (!recipe->extent)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a signature needs the extent of the data (sampling.extent)");
    for (size_t i = 0; i < part->d; i++)
        if (!(recipe->extent[i] > 0.0))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a signature needs a positive extent of input %zu",
                              i + 1);
    t.tolerance = recipe->tolerance > 0.0 ? recipe->tolerance : 1e-6;
    orff_status status = ORFFI_NEW_ARRAY(t.delta, BATCH * part->d);
    if (!status) status = ORFFI_NEW_ARRAY(t.matrix, BATCH * part->p * part->p);
    if (!status) status = ORFFI_NEW_ARRAY(t.other, BATCH * part->p * part->p);
    if (!status) status = run(&t, recipe, out, blocks);
    transform_clear(&t);
    orffi_release(t.delta);
    orffi_release(t.matrix);
    orffi_release(t.other);
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
    .exact_many = call,
};
