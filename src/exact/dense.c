#include "base/linalg.h"
#include "base/memory.h"
#include "exact/exact.h"

/* Builds the Gram matrix (n p x n p), factors it and frees it. */
orff_status orffi_exact_solve_dense(orff_exact *exact, double shift, double *jitter) {
    const size_t n = exact->plan.n, order = n * exact->plan.p;
    double *G;
    ORFFI_TRY(ORFFI_NEW_ARRAY(G, order * order));
    orff_status status = orff_kernel_gram(exact->kernel, n, exact->X, n, exact->X, G);
    if (!status) status = orffi_exact_factor(order, G, shift, jitter);
    if (!status) status = orffi_cholesky_solve(order, G, 1, exact->alpha);
    orffi_release(G);
    return status;
}
