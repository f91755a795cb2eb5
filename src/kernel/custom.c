/* Custom rules: the caller's B(w), or the caller's A(w) factored numerically. Blocks are computed once for
 * each frequency and kept. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "kernel/kernel.h"

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

orff_status orffi_call_matrix(const char *what, orff_matrix_fn function, void *self, size_t d,
                              const double *at, size_t rows, size_t cols, double *out) {
    char point[96];
    const int code = function(self, at, out);
    if (code == 0) {
        bool finite = true;
        for (size_t i = 0; i < rows * cols; i++) finite = finite && isfinite(out[i]);
        if (finite) return ORFF_OK;
    }
    write_point(point, sizeof point, d, at);
    if (code != 0)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the callback for %s returned %d at %s", what, code, point);
    return orffi_fail(ORFF_ERROR_NOT_FINITE, "the callback for %s gave a number that is not finite at %s",
                      what, point);
}

static orff_status keep_callbacks(orffi_kernel_part *part, const orff_part *given, const char *what) {
    if (!given->matrix)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a custom part needs its callback for %s", what);
    part->matrix = given->matrix;
    part->exact = given->exact;
    part->self = given->self;
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

static orff_status block_b(const orffi_kernel_part *part, const double *w, double *B) {
    return orffi_call_matrix("B(w)", part->matrix, part->self, part->d, w, part->p, part->columns, B);
}

/* Factor into `columns` = p columns; the rank may be less, the rest stays zero. */
static orff_status factor(const orffi_kernel_part *part, double *A, double *packed, double *B) {
    size_t rank = 0;
    ORFFI_TRY(orffi_factor_positive(part->p, A, packed, &rank));
    memset(B, 0, part->p * part->p * sizeof *B);
    for (size_t i = 0; i < part->p; i++) memcpy(B + i * part->p, packed + i * rank, rank * sizeof *B);
    return ORFF_OK;
}

static orff_status block_a(const orffi_kernel_part *part, const double *w, double *B) {
    const size_t p = part->p;
    double *A = NULL, *packed = NULL;
    orff_status status = ORFFI_NEW_ARRAY(A, p * p);
    if (!status) status = ORFFI_NEW_ARRAY(packed, p * p);
    if (!status) status = orffi_call_matrix("A(w)", part->matrix, part->self, part->d, w, p, p, A);
    if (!status) status = factor(part, A, packed, B);
    orffi_release(A);
    orffi_release(packed);
    return status;
}

static orff_status exact(const orffi_kernel_part *part, const double *delta, double *K) {
    if (!part->exact)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the exact form of a custom part is not known; give it as part.exact, or use "
                          "orff_features_kernel");
    return orffi_call_matrix("the exact K0(delta)", part->exact, part->self, part->d, delta, part->p, part->p,
                             K);
}

const orffi_rule_ops orffi_rule_custom_b = {
    .id = ORFF_RULE_CUSTOM_B,
    .words = "custom",
    .stored = true,
    .given_columns = true,
    .prepare = prepare_b,
    .apply = orffi_block_apply,
    .adjoint = orffi_block_adjoint,
    .exact = exact,
    .block = block_b,
};

const orffi_rule_ops orffi_rule_custom_a = {
    .id = ORFF_RULE_CUSTOM_A,
    .words = "custom",
    .stored = true,
    .prepare = prepare_a,
    .apply = orffi_block_apply,
    .adjoint = orffi_block_adjoint,
    .exact = exact,
    .block = block_a,
};
