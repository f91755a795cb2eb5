/* Custom rules: the caller's B(w), or the caller's A(w) factored numerically. Blocks are computed once for
 * each frequency and stored. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "kernel/hermitian.h"

#define LARGEST_CALL 2048 /* points passed to a callback at once */

void orffi_block_apply(const orffi_kernel_part *part, const double *B, const double *t, double *y) {
    for (size_t i = 0; i < part->p; i++)
        for (size_t k = 0; k < part->columns; k++) y[i] += part->root * B[i * part->columns + k] * t[k];
}

void orffi_block_adjoint(const orffi_kernel_part *part, const double *B, const double *y, double *t) {
    for (size_t k = 0; k < part->columns; k++) t[k] = 0.0;
    for (size_t i = 0; i < part->p; i++)
        for (size_t k = 0; k < part->columns; k++) t[k] += part->root * B[i * part->columns + k] * y[i];
}

/* "(0.5, -1.25)" of at most three coordinates, for messages. */
static void write_point(char *text, size_t size, size_t d, const double *at) {
    int used = snprintf(text, size, "(");
    for (size_t i = 0; i < d && i < 3 && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, i ? ", %g" : "%g", at[i]);
    if (used > 0 && (size_t)used < size) snprintf(text + used, size - (size_t)used, d > 3 ? ", ...)" : ")");
}

static orff_status blame_code(const orffi_callback *callback, int code, size_t count, const double *at) {
    char point[96];
    write_point(point, sizeof point, callback->part->d, at);
    if (count == 1)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the callback for %s returned %d at %s", callback->what, code,
                          point);
    return orffi_fail(ORFF_ERROR_CALLBACK,
                      "the callback for %s returned %d at one of %zu points, the first %s", callback->what,
                      code, count, point);
}

static orff_status call_block(const orffi_callback *callback, size_t count, const double *at, double *out) {
    const size_t size = callback->part->p * callback->columns;
    char point[96];
    const int code = callback->function(callback->part->self, count, at, out);
    if (code != 0) return blame_code(callback, code, count, at);
    for (size_t i = 0; i < count * size; i++) {
        if (isfinite(out[i])) continue;
        write_point(point, sizeof point, callback->part->d, at + i / size * callback->part->d);
        return orffi_fail(ORFF_ERROR_NOT_FINITE, "the callback for %s gave a number that is not finite at %s",
                          callback->what, point);
    }
    return ORFF_OK;
}

/* Converts from the kernel's units to the caller's: a frequency is an inverse length. */
static void convert(const orffi_callback *callback, size_t count, const double *at, double *converted) {
    const size_t d = callback->part->d;
    const double *unit = callback->part->unit;
    for (size_t i = 0; i < count * d; i++)
        converted[i] = callback->of_frequencies ? at[i] / unit[i % d] : at[i] * unit[i % d];
}

/* seen: room for the points of one call in the caller's units, or NULL if they equal the kernel's. */
static orff_status call_blocks(const orffi_callback *callback, size_t count, const double *at, double *seen,
                               double *out) {
    const size_t d = callback->part->d, size = callback->part->p * callback->columns;
    for (size_t first = 0; first < count; first += LARGEST_CALL) {
        const size_t now = count - first < LARGEST_CALL ? count - first : LARGEST_CALL;
        if (seen) convert(callback, now, at + first * d, seen);
        ORFFI_TRY(call_block(callback, now, seen ? seen : at + first * d, out + first * size));
    }
    return ORFF_OK;
}

orff_status orffi_call_matrices(const orffi_callback *callback, size_t count, const double *at, double *out) {
    double *seen = NULL;
    if (!callback->function)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the function %s is not there: the part comes from a file, which holds its blocks "
                          "at its own frequencies only",
                          callback->what);
    if (callback->part->unit)
        ORFFI_TRY(ORFFI_NEW_ARRAY(seen, (count < LARGEST_CALL ? count : LARGEST_CALL) * callback->part->d));
    const orff_status status = call_blocks(callback, count, at, seen, out);
    orffi_release(seen);
    return status;
}

static orff_status keep_callbacks(orffi_kernel_part *part, const orff_part *given, const char *what) {
    if (!given->matrix)
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "a custom part needs its callback for %s; a part of a model that was loaded has none, because "
            "a file holds its blocks only",
            what);
    part->matrix = given->matrix;
    part->exact = given->exact;
    part->self = given->self;
    part->stretchable = given->stretchable;
    return ORFF_OK;
}

static orff_status prepare_b(orffi_kernel_part *part, const orff_part *given) {
    if (given->columns == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a custom B(w) needs its number of columns");
    part->columns = given->columns;
    return keep_callbacks(part, given, "B(w)");
}

static orff_status prepare_a(orffi_kernel_part *part, const orff_part *given) {
    return keep_callbacks(part, given, "A(w)");
}

/* ---- evenness: a real kernel E[cos<w,delta> A(w)] depends only on A(w) + A(-w), so an odd part of A would
 * get lost. For a Hermitian A, A(-w) must be the conjugate, as in the spectrum of a real kernel. */

#define MIRRORED 32   /* most frequencies whose mirror image is evaluated */
#define UNEVEN   1e-8 /* of the largest entry: rounding errors are smaller */

/* Numbers in a row of `columns` entries. */
static size_t row_length(const orffi_kernel_part *part, size_t columns) {
    return part->hermitian ? 2 * columns : columns;
}

/* A(w) from the callback's values: the values themselves, or B B^T. */
static void fill_product(const orffi_kernel_part *part, bool factored, const double *given, double *A) {
    if (factored && part->hermitian)
        orffi_hermitian_product(part->p, part->columns, given, A);
    else if (factored)
        orffi_gemm(false, true, part->p, part->p, part->columns, 1.0, given, part->columns, given,
                   part->columns, 0.0, A, part->p);
    else
        memcpy(A, given, part->p * row_length(part, part->p) * sizeof *A);
}

static void conjugate(size_t entries, double *A) {
    for (size_t i = 0; i < entries; i++) A[2 * i + 1] = -A[2 * i + 1];
}

static orff_status compare(const orffi_kernel_part *part, const char *what, const double *w,
                           const double *here, const double *there) {
    const size_t p = part->p, parts = row_length(part, 1), count = p * p * parts;
    double largest = 0.0;
    char point[96];
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fmax(fabs(here[i]), fabs(there[i])));
    for (size_t i = 0; i < count; i++) {
        if (fabs(here[i] - there[i]) <= UNEVEN * largest) continue;
        write_point(point, sizeof point, part->d, w);
        if (part->hermitian)
            return orffi_fail(
                ORFF_ERROR_INVALID_ARGUMENT,
                "%s at -w must be the conjugate of that at w, and entry (%zu, %zu) at w = %s has "
                "%s parts %g and %g: no real kernel has such a spectrum",
                what, i / parts / p + 1, i / parts % p + 1, point, i % 2 ? "imaginary" : "real", here[i],
                i % 2 ? -there[i] : there[i]);
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "%s must be even, the same at w and -w, and entry (%zu, %zu) is %g at w = %s and %g at -w: "
            "of a real kernel only the even half would be left",
            what, i / p + 1, i % p + 1, here[i], point, there[i]);
    }
    return ORFF_OK;
}

/* Some of the frequencies, evenly spaced in their list. One call evaluates their mirror images. */
typedef struct mirrors {
    size_t count, step;
    double *at, *there; /* count x d, count x p x columns */
    double *A;          /* 2 x p x p, and x 2 if complex */
} mirrors;

static orff_status fill_mirrors(mirrors *m, const orffi_callback *callback, size_t count, const double *w) {
    const size_t d = callback->part->d, p = callback->part->p;
    m->step = (count + MIRRORED - 1) / MIRRORED;
    m->count = (count + m->step - 1) / m->step;
    ORFFI_TRY(ORFFI_NEW_ARRAY(m->at, m->count * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(m->there, m->count * p * callback->columns));
    ORFFI_TRY(ORFFI_NEW_ARRAY(m->A, 2 * p * row_length(callback->part, p)));
    for (size_t i = 0; i < m->count * d; i++) m->at[i] = -w[i / d * m->step * d + i % d];
    return orffi_call_matrices(callback, m->count, m->at, m->there);
}

/* given: the callback's values at all frequencies (count x p x columns). */
static orff_status compare_mirrors(const mirrors *m, const orffi_callback *callback, bool factored,
                                   const double *w, const double *given) {
    const orffi_kernel_part *part = callback->part;
    const size_t p = part->p, size = p * callback->columns;
    const char *what = !factored ? "A(w)" : part->hermitian ? "B(w) B(w)^*" : "B(w) B(w)^T";
    double *there = m->A + p * row_length(part, p);
    for (size_t j = 0; j < m->count; j++) {
        fill_product(part, factored, given + j * m->step * size, m->A);
        fill_product(part, factored, m->there + j * size, there);
        if (part->hermitian) conjugate(p * p, there);
        ORFFI_TRY(compare(part, what, w + j * m->step * part->d, m->A, there));
    }
    return ORFF_OK;
}

static orff_status check_even(const orffi_callback *callback, bool factored, size_t count, const double *w,
                              const double *given) {
    mirrors m = {0};
    if (count == 0) return ORFF_OK;
    orff_status status = fill_mirrors(&m, callback, count, w);
    if (!status) status = compare_mirrors(&m, callback, factored, w, given);
    orffi_release(m.at);
    orffi_release(m.there);
    orffi_release(m.A);
    return status;
}

/* ---- blocks */

static orff_status blocks_b(const orffi_kernel_part *part, size_t count, const double *w, double *B) {
    const orffi_callback callback = {"B(w)", part, part->matrix, row_length(part, part->columns), true};
    ORFFI_TRY(orffi_call_matrices(&callback, count, w, B));
    return check_even(&callback, true, count, w, B);
}

/* Replaces A (p x p) by its factor with `columns` = p columns; if the rank is less, the rest is zero. */
static orff_status factor(const orffi_kernel_part *part, double *A, double *packed) {
    size_t rank = 0;
    ORFFI_TRY(orffi_factor_positive(part->p, A, packed, &rank));
    memset(A, 0, part->p * part->p * sizeof *A);
    for (size_t i = 0; i < part->p; i++) memcpy(A + i * part->p, packed + i * rank, rank * sizeof *A);
    return ORFF_OK;
}

static orff_status blocks_a(const orffi_kernel_part *part, size_t count, const double *w, double *B) {
    const orffi_callback callback = {"A(w)", part, part->matrix, row_length(part, part->p), true};
    const size_t size = part->p * callback.columns;
    double *work;
    ORFFI_TRY(orffi_call_matrices(&callback, count, w, B));
    ORFFI_TRY(check_even(&callback, false, count, w, B));
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 8 * part->p * part->p));
    orff_status status = ORFF_OK;
    for (size_t j = 0; !status && j < count; j++)
        status = part->hermitian ? orffi_hermitian_root(part->p, B + j * size, work)
                                 : factor(part, B + j * size, work);
    orffi_release(work);
    return status;
}

static orff_status exact(const orffi_kernel_part *part, size_t count, const double *delta, double *K) {
    const orffi_callback callback = {"the exact K0(delta)", part, part->exact, part->p, false};
    if (!part->exact)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the exact form of a custom part is not known; give it as part.exact, or use "
                          "orff_features_kernel");
    return orffi_call_matrices(&callback, count, delta, K);
}

const orffi_rule_ops orffi_rule_custom_b = {
    .id = ORFF_RULE_CUSTOM_B,
    .words = "custom",
    .stored = true,
    .given_columns = true,
    .prepare = prepare_b,
    .apply = orffi_block_apply,
    .adjoint = orffi_block_adjoint,
    .exact_many = exact,
    .blocks = blocks_b,
};

const orffi_rule_ops orffi_rule_custom_a = {
    .id = ORFF_RULE_CUSTOM_A,
    .words = "custom",
    .stored = true,
    .prepare = prepare_a,
    .apply = orffi_block_apply,
    .adjoint = orffi_block_adjoint,
    .exact_many = exact,
    .blocks = blocks_a,
};
