#include "engine/reach.h"

#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

#define RANK_ROUNDING 1e-12 /* relative to the largest: smaller eigenvalues count as zero */

/* Whether f(x) is confined: no part reaches every output by itself. */
static bool is_confined(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (!kernel->parts[m].rule->separable || !kernel->parts[m].A) return false;
    return true;
}

/* V (p x p): eigenvectors of sum root^2 A, the first *count of which belong to the eigenvalue zero. */
static orff_status null_space(const orff_kernel *kernel, double *V, size_t *count) {
    const size_t p = kernel->p;
    double *values;
    *count = 0;
    for (size_t m = 0; m < kernel->n_parts; m++) {
        const orffi_kernel_part *part = &kernel->parts[m];
        for (size_t i = 0; i < p * p; i++) V[i] += part->root * part->root * part->A[i];
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(values, p));
    const orff_status status = orffi_eigen(p, V, values);
    while (!status && *count < p && values[*count] <= RANK_ROUNDING * values[p - 1]) ++*count;
    orffi_release(values);
    return status;
}

/* trace V0^T T V0 / trace T for T (p x p), V0 the null space. */
static orff_status share_of(const orff_kernel *kernel, const double *T, double *share) {
    const size_t p = kernel->p;
    double *V = NULL, *TV = NULL, inside = 0.0, total = 0.0;
    size_t count;
    orff_status status = ORFFI_NEW_ARRAY(V, p * p);
    if (!status) status = ORFFI_NEW_ARRAY(TV, p * p);
    if (!status) status = null_space(kernel, V, &count);
    if (!status && count) {
        orffi_gemm(false, false, p, count, p, 1.0, T, p, V, p, 0.0, TV, count);
        for (size_t i = 0; i < p; i++) {
            total += T[i * p + i];
            for (size_t k = 0; k < count; k++) inside += V[i * p + k] * TV[i * count + k];
        }
    }
    *share = !status && total > 0.0 && inside > 0.0 ? inside / total : 0.0;
    orffi_release(V);
    orffi_release(TV);
    return status;
}

orff_status orffi_reach_rows(const orff_kernel *kernel, size_t n, const double *Y, const double *weights,
                             const double *mean, double *share) {
    const size_t p = kernel->p;
    double *T = NULL, *left = NULL;
    *share = 0.0;
    if (!is_confined(kernel)) return ORFF_OK;
    orff_status status = ORFFI_NEW_ARRAY(T, p * p);
    if (!status) status = ORFFI_NEW_ARRAY(left, n * p);
    for (size_t i = 0; !status && i < n * p; i++)
        left[i] = (weights ? weights[i / p] : 1.0) * (Y[i] - mean[i % p]);
    if (!status) orffi_gemm(true, false, p, p, n, 1.0, left, p, Y, p, 0.0, T, p);
    /* sum c (y - mean) y^T is the centred sum where mean is that of the rows, or 0 */
    if (!status) status = share_of(kernel, T, share);
    orffi_release(T);
    orffi_release(left);
    return status;
}

/* T of a set has sum c y y^T, sum c y and sum c. */
orff_status orffi_reach_moments(const orff_kernel *kernel, const orff_moments *moments, const double *mean,
                                double *share) {
    const size_t p = kernel->p, side = p + 1;
    double *T;
    *share = 0.0;
    if (!is_confined(kernel)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(T, p * p));
    for (size_t k = 0; k < moments->n_sets; k++) {
        const double *from = moments->sets[k].T;
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++) T[i * p + j] += from[i * side + j] - mean[i] * from[p * side + j];
    }
    const orff_status status = share_of(kernel, T, share);
    orffi_release(T);
    return status;
}
