#include <float.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "exact/exact.h"

/* Restores the lower triangle from the upper one, which a failed factorisation leaves unchanged. */
static void restore(size_t n, double *A) {
#pragma omp parallel for schedule(dynamic, 16) num_threads(orffi_thread_count())
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) A[i * n + j] = A[j * n + i];
}

static double mean_of(size_t n, const double *a) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i];
    return sum / (double)n;
}

/* The jitter grows by factors of ten, from what rounding explains to ten thousand times that. */
static orff_status factor_from(size_t n, double *A, const double *diagonal, double shift, double *jitter) {
    const double unit = (double)n * DBL_EPSILON * mean_of(n, diagonal);
    double added = 0;
    orff_status status;
    for (int attempt = 0;; attempt++) {
        for (size_t i = 0; i < n; i++) A[i * n + i] = diagonal[i] + shift + added;
        status = orffi_cholesky(n, A);
        if (status != ORFF_ERROR_NOT_POSITIVE || attempt == 5) break;
        restore(n, A);
        added = added > 0 ? 10 * added : unit;
    }
    if (status == ORFF_ERROR_NOT_POSITIVE)
        return orffi_fail(ORFF_ERROR_NUMERICAL,
                          "exact ridge: N lambda = %g is too small for a matrix that is singular to "
                          "rounding, even with %g added to its diagonal; take a larger lambda",
                          shift, added);
    if (!status && added > *jitter) *jitter = added;
    return status;
}

orff_status orffi_exact_factor(size_t n, double *A, double shift, double *jitter) {
    double *diagonal;
    ORFFI_TRY(ORFFI_NEW_ARRAY(diagonal, n));
    for (size_t i = 0; i < n; i++) diagonal[i] = A[i * n + i];
    const orff_status status = factor_from(n, A, diagonal, shift, jitter);
    orffi_release(diagonal);
    return status;
}
