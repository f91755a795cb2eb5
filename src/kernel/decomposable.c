/* Decomposable: K = k0 A, with the same B B^T = A for all w. */
#include "base/linalg.h"
#include "base/memory.h"
#include "kernel/kernel.h"

static orff_status keep_factor(orffi_kernel_part *part, const orff_part *given) {
    if (given->columns == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the factor B needs its number of columns (columns is 0)");
    ORFFI_TRY(orffi_check_finite("B", part->p, given->columns, given->B));
    part->columns = given->columns;
    return orffi_duplicate(&part->B, given->B, part->p * part->columns, sizeof *part->B);
}

static orff_status factor_matrix(orffi_kernel_part *part, const orff_part *given) {
    ORFFI_TRY(orffi_check_finite("A", part->p, part->p, given->A));
    ORFFI_TRY(ORFFI_NEW_ARRAY(part->B, part->p * part->p));
    ORFFI_TRY(orffi_factor_positive(part->p, given->A, part->B, &part->columns));
    if (part->columns == 0) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the output matrix A is zero");
    return ORFF_OK;
}

static orff_status prepare(orffi_kernel_part *part, const orff_part *given) {
    const size_t p = part->p;
    if (given->A && given->B)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "give A or its factor B, not both");
    if (!given->A && !given->B) return ORFF_OK;
    ORFFI_TRY(given->B ? keep_factor(part, given) : factor_matrix(part, given));
    ORFFI_TRY(ORFFI_NEW_ARRAY(part->A, p * p));
    orffi_gemm(false, true, p, p, part->columns, 1.0, part->B, part->columns, part->B, part->columns, 0.0,
               part->A, p);
    return ORFF_OK;
}

static void apply(const orffi_kernel_part *part, const double *at, const double *t, double *y) {
    (void)at;
    if (part->B) {
        orffi_block_apply(part, part->B, t, y);
    } else {
        for (size_t i = 0; i < part->p; i++) y[i] += part->root * t[i];
    }
}

static void adjoint(const orffi_kernel_part *part, const double *at, const double *y, double *t) {
    (void)at;
    if (part->B) {
        orffi_block_adjoint(part, part->B, y, t);
    } else {
        for (size_t i = 0; i < part->p; i++) t[i] = part->root * y[i];
    }
}

static orff_status exact(const orffi_kernel_part *part, const double *delta, double *K) {
    const double k0 = orffi_spectrum_k0(&part->law, delta);
    for (size_t i = 0; i < part->p; i++)
        for (size_t j = 0; j < part->p; j++)
            K[i * part->p + j] = k0 * (part->A ? part->A[i * part->p + j] : (double)(i == j));
    return ORFF_OK;
}

const orffi_rule_ops orffi_rule_decomposable = {
    .id = ORFF_RULE_DECOMPOSABLE,
    .words = "unstructured",
    .separable = true,
    .coupled = true,
    .elementary = true,
    .prepare = prepare,
    .apply = apply,
    .adjoint = adjoint,
    .exact = exact,
};
