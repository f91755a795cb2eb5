/* A kernel known only by its signature K0(delta), d <= 3: the three steps of the construction done numerically.
 *
 *   1. C(w), the inverse Fourier transform of K0, on a regular grid: K0 is sampled on a box whose faces it does not
 *      reach, n points a side, n doubled until the spectrum fits below the highest frequency.
 *   2. C(w) >= 0 is checked and C(w) = B(w) B(w)^T factored.
 *   3. The grid's frequencies are the quadrature: on the nodes of the box the sum
 *      (1/n^d) sum_k C_k cos<w_k, delta> gives K0 back exactly, so half of them (the rest mirror) with weight 2 serve.
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
    double *matrix, *other;      /* p x p each */
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

static orff_status call(const transform *t, const double *delta, double *K) {
    return orffi_call_matrix("K0(delta)", t->part->matrix, t->part->self, t->d, delta, t->p, t->p, K);
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

/* A real, even, symmetric signature is what E[cos<w,delta> A(w)] can be. */
static orff_status check_even(const transform *t, const double *delta) {
    double mirror[3];
    for (size_t i = 0; i < t->d; i++) mirror[i] = -delta[i];
    ORFFI_TRY(call(t, mirror, t->other));
    for (size_t i = 0; i < t->p; i++) {
        for (size_t j = 0; j < t->p; j++) {
            const double here = t->matrix[i * t->p + j];
            if (fabs(here - t->other[i * t->p + j]) > 1e-9 * t->size ||
                fabs(here - t->matrix[j * t->p + i]) > 1e-9 * t->size)
                return orffi_fail(
                    ORFF_ERROR_UNSUPPORTED,
                    "a signature must be even and symmetric, K0(delta) = K0(-delta) = K0(delta)^T; entry "
                    "(%zu,%zu) is not",
                    i + 1, j + 1);
        }
    }
    return ORFF_OK;
}

static orff_status sample(transform *t) {
    for (size_t point = 0; point < t->points; point++) {
        long index[3];
        double delta[3];
        centred(t, point, index);
        position(t, index, delta);
        ORFFI_TRY(call(t, delta, t->matrix));
        if (point % 37 == 0) ORFFI_TRY(check_even(t, delta));
        for (size_t i = 0, e = 0; i < t->p; i++)
            for (size_t j = i; j < t->p; j++, e++) t->values[e * t->points + point] = t->matrix[i * t->p + j];
    }
    return ORFF_OK;
}

/* Whether K0 is below tolerance on the faces of the box, looked at on 9 points a side. */
static orff_status faces_quiet(const transform *t, bool *quiet) {
    const size_t side = 9;
    size_t looks = 1;
    double delta[3], most = 0.0;
    for (size_t i = 0; i < t->d; i++) looks *= side;
    for (size_t look = 0; look < looks; look++) {
        bool face = false;
        size_t rest = look;
        for (size_t i = 0; i < t->d; i++, rest /= side) {
            delta[i] = t->box[i] * ((double)(rest % side) / 4.0 - 1.0);
            face = face || rest % side == 0 || rest % side == side - 1;
        }
        if (!face) continue;
        ORFFI_TRY(call(t, delta, t->matrix));
        most = fmax(most, largest_entry(t, t->matrix));
    }
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

/* K~(delta) - K0(delta), largest entry relative to K0(0). */
static orff_status error_at(const transform *t, const orffi_frequencies *f, const double *blocks,
                            const double *delta, double *error) {
    const size_t p = t->p;
    ORFFI_TRY(call(t, delta, t->matrix));
    for (size_t j = 0; j < f->count; j++) {
        double angle = 0.0;
        for (size_t i = 0; i < t->d; i++) angle += f->omega[j * t->d + i] * delta[i];
        const double *B = blocks + j * p * p;
        orffi_gemm(false, true, p, p, p, -f->weight[j] * cos(angle), B, p, B, p, 1.0, t->matrix, p);
    }
    *error = fmax(*error, largest_entry(t, t->matrix) / t->size);
    return ORFF_OK;
}

/* The largest error seen at 0, where what was dropped adds up, at the far corner, where the images are
 * nearest, and at 64 differences spread over the extent. */
static orff_status measure(const transform *t, const orffi_recipe *recipe, const double *blocks,
                           orffi_frequencies *out) {
    const orffi_rng rng = {recipe->seed, recipe->stream};
    const double zero[3] = {0};
    ORFFI_TRY(error_at(t, out, blocks, zero, &out->error));
    ORFFI_TRY(error_at(t, out, blocks, recipe->extent, &out->error));
    for (uint64_t look = 0; look < 64; look++) {
        double delta[3];
        for (size_t i = 0; i < t->d; i++)
            delta[i] = recipe->extent[i] * (2.0 * orffi_rng_uniform(rng, look, (uint32_t)i) - 1.0);
        ORFFI_TRY(error_at(t, out, blocks, delta, &out->error));
    }
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
    ORFFI_TRY(call(t, zero, t->matrix));
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
    orff_status status = ORFFI_NEW_ARRAY(t.matrix, part->p * part->p);
    if (!status) status = ORFFI_NEW_ARRAY(t.other, part->p * part->p);
    if (!status) status = run(&t, recipe, out, blocks);
    transform_clear(&t);
    orffi_release(t.matrix);
    orffi_release(t.other);
    return status;
}

/* ---- the rule */

static orff_status prepare(orffi_kernel_part *part, const orff_part *given) {
    if (part->d > 3)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "a signature is transformed on a grid: it needs d <= 3, not %zu", part->d);
    if (!given->matrix)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a signature part needs its callback for K0(delta)");
    part->matrix = given->matrix;
    part->self = given->self;
    return ORFF_OK;
}

static orff_status exact(const orffi_kernel_part *part, const double *delta, double *K) {
    return orffi_call_matrix("K0(delta)", part->matrix, part->self, part->d, delta, part->p, part->p, K);
}

const orffi_rule_ops orffi_rule_signature = {
    .id = ORFF_RULE_SIGNATURE,
    .words = "custom",
    .stored = true,
    .own_law = true,
    .prepare = prepare,
    .apply = orffi_block_apply,
    .adjoint = orffi_block_adjoint,
    .exact = exact,
};
