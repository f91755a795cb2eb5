#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "exact/exact.h"

enum { BLOCK_NUMBERS = 4 << 20 }; /* of a block of the Gram matrix: 32 MB */

/* The rows of X whose Gram matrix with the training points fills about one block. */
static size_t block_rows(const orffi_exact_plan *plan, size_t n) {
    const size_t row = plan->law ? plan->n : plan->p * plan->p * plan->n;
    const size_t fit = BLOCK_NUMBERS / row, rows = fit ? fit : 1;
    return rows < n ? rows : n;
}

/* F (n x p) of one block; G has room for its Gram matrix. */
static orff_status evaluate_block(const orff_exact *exact, size_t n, const double *X, double *F, double *G) {
    const orffi_exact_plan *plan = &exact->plan;
    const size_t N = plan->n, p = plan->p;
    if (plan->law) {
        ORFFI_TRY(orffi_exact_scalar_gram(plan->law, n, X, N, exact->X, G));
        orffi_gemm(false, false, n, p, N, 1, G, N, exact->folded, p, 0, F, p);
    } else {
        ORFFI_TRY(orff_kernel_gram(exact->kernel, n, X, N, exact->X, G));
        orffi_gemm(false, false, n * p, 1, N * p, 1, G, N * p, exact->alpha, 1, 0, F, 1);
    }
    return ORFF_OK;
}

static orff_status evaluate_blocks(const orff_exact *exact, size_t n, const double *X, double *F, size_t rows,
                                   double *G) {
    const size_t d = exact->plan.d, p = exact->plan.p;
    for (size_t i = 0; i < n; i += rows) {
        const size_t count = n - i < rows ? n - i : rows;
        ORFFI_TRY(evaluate_block(exact, count, X + i * d, F + i * p, G));
        ORFFI_TRY(orffi_progress("exact values", (double)(i + count), (double)n));
    }
    return ORFF_OK;
}

orff_status orffi_exact_evaluate(const orff_exact *exact, size_t n, const double *X, double *F) {
    const size_t N = exact->plan.n, p = exact->plan.p, rows = block_rows(&exact->plan, n);
    double *G;
    ORFFI_TRY(orffi_alloc(&G, exact->plan.law ? rows * N : rows * p * N * p, sizeof *G));
    const orff_status status = evaluate_blocks(exact, n, X, F, rows, G);
    orffi_release(G);
    return status;
}

/* Values go to separate memory first, so that F is unchanged if a callback fails or the caller stops. */
orff_status orff_exact_predict(const orff_exact *exact, size_t n, const double *X, double *F) {
    if (!exact || (n && !F))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_exact_predict: NULL argument");
    ORFFI_TRY(orffi_check_finite("X", n, exact->plan.d, X));
    const size_t p = exact->plan.p;
    double *values;
    ORFFI_TRY(orffi_alloc(&values, n, p * sizeof *values));
    const orff_status status = orffi_exact_evaluate(exact, n, X, values);
    for (size_t i = 0; !status && i < n * p; i++) F[i] = values[i] + exact->mean[i % p];
    orffi_release(values);
    return status;
}
