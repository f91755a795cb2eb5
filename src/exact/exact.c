#include "exact/exact.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"

/* ---- checks before any work */

static orff_status check_arguments(orff_exact *const *out, const orff_kernel *kernel, size_t n,
                                   const double *X, const double *Y, double lambda) {
    if (!out || !kernel) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_exact_fit: NULL argument");
    if (n == 0) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "exact ridge needs at least one point");
    if (!(lambda > 0) || !isfinite((double)n * lambda))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be positive and finite",
                          lambda);
    ORFFI_TRY(orffi_check_finite("X", n, kernel->d, X));
    return orffi_check_finite("Y", n, kernel->p, Y);
}

static size_t half_of_machine(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages / 2 * (size_t)size : SIZE_MAX;
}

orff_status orffi_exact_check_memory(const orffi_exact_plan *plan, size_t need, size_t max_bytes) {
    const size_t limit = max_bytes ? max_bytes : half_of_machine();
    if (need <= limit && need < SIZE_MAX) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_NO_MEMORY,
                      "exact ridge on %zu points with %zu outputs takes %.3g GB of memory, the limit is %.3g "
                      "GB (%zu of %zu "
                      "bytes); fit with features, whose memory does not grow with the points",
                      plan->n, plan->p, (double)need * 1e-9, (double)limit * 1e-9, need, limit);
}

size_t orff_exact_bytes(const orff_kernel *kernel, size_t n) {
    orffi_exact_plan plan;
    if (!kernel || orffi_exact_plan_make(&plan, kernel, n)) return SIZE_MAX;
    const size_t bytes = orffi_exact_plan_bytes(&plan);
    orffi_exact_plan_clear(&plan);
    return bytes;
}

/* The mean diagonal entry of K, which is the same at every x. */
static orff_status dense_scale(const orff_kernel *kernel, const double *x, double *scale) {
    const size_t p = kernel->p;
    double *K;
    ORFFI_TRY(ORFFI_NEW_ARRAY(K, p * p));
    const orff_status status = orff_kernel_eval(kernel, x, x, K);
    *scale = 0;
    for (size_t i = 0; !status && i < p; i++) *scale += K[i * p + i] / (double)p;
    orffi_release(K);
    return status;
}

/* Fails, before anything large is allocated, if the kernel has no exact form. */
static orff_status kernel_scale(const orff_exact *exact, const double *x, double *scale) {
    const orffi_exact_plan *plan = &exact->plan;
    if (!plan->law) return dense_scale(exact->kernel, x, scale);
    *scale = 0;
    for (size_t b = 0; b < plan->values; b++) *scale += plan->m[b] / (double)plan->values;
    return ORFF_OK;
}

/* ---- data */

static void find_mean(size_t n, size_t p, const double *Y, double *mean) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p; j++) mean[j] += Y[i * p + j] / (double)n;
}

static orff_status keep_data(orff_exact *exact, const double *X, const double *Y, bool center) {
    const size_t n = exact->plan.n, p = exact->plan.p;
    ORFFI_TRY(orffi_duplicate(&exact->X, X, n * exact->plan.d, sizeof *X));
    ORFFI_TRY(ORFFI_NEW_ARRAY(exact->mean, p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(exact->alpha, n * p));
    if (center) find_mean(n, p, Y, exact->mean);
    for (size_t i = 0; i < n * p; i++) exact->alpha[i] = Y[i] - exact->mean[i % p];
    return ORFF_OK;
}

/* ---- after the solution */

/* Jitter changes the system that was solved. The residual shows whether its solution is good enough. */
static orff_status check_residual(const orff_exact *exact, const double *Y, const double *F, double shift,
                                  double jitter) {
    const size_t p = exact->plan.p, count = exact->plan.n * p;
    double residual = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        const double y = Y[i] - exact->mean[i % p], r = y - F[i] - shift * exact->alpha[i];
        residual += r * r;
        size += y * y;
    }
    if (!(residual <= 1e-12 * size))
        return orffi_fail(
            ORFF_ERROR_NUMERICAL,
            "exact ridge: N lambda = %g is too small: the matrix is singular to rounding and the "
            "solution leaves a relative residual of %.2g; take a larger lambda",
            shift, sqrt(residual / size));
    orffi_log(ORFF_LOG_WARNING,
              "exact ridge: %.2g was added to the diagonal, N lambda = %.2g is below rounding", jitter,
              shift);
    return ORFF_OK;
}

/* |f|^2 = alpha^T F, F = K alpha (n x p). F = y - N lambda alpha needs no product with K, but cancels if N
 * lambda is large. */
static orff_status finish(orff_exact *exact, const double *Y, double shift, double scale, double jitter,
                          double *F) {
    const size_t n = exact->plan.n, p = exact->plan.p;
    if (jitter > 0 || shift > scale) {
        ORFFI_TRY(orffi_exact_evaluate(exact, n, exact->X, F));
    } else {
        for (size_t i = 0; i < n * p; i++) F[i] = Y[i] - exact->mean[i % p] - shift * exact->alpha[i];
    }
    if (jitter > 0) ORFFI_TRY(check_residual(exact, Y, F, shift, jitter));
    for (size_t i = 0; i < n * p; i++) exact->norm2 += exact->alpha[i] * F[i];
    return ORFF_OK;
}

static orff_status fit(orff_exact *exact, const double *X, const double *Y, double lambda, bool center) {
    const double shift = exact->shift = (double)exact->plan.n * lambda;
    double scale, jitter = 0, *F;
    ORFFI_TRY(kernel_scale(exact, X, &scale));
    ORFFI_TRY(keep_data(exact, X, Y, center));
    ORFFI_TRY(exact->plan.law ? orffi_exact_solve_kronecker(exact, shift, &jitter)
                              : orffi_exact_solve_dense(exact, shift, &jitter));
    ORFFI_TRY(ORFFI_NEW_ARRAY(F, exact->plan.n * exact->plan.p));
    const orff_status status = finish(exact, Y, shift, scale, jitter, F);
    orffi_release(F);
    return status;
}

/* ---- an exact model from its coefficients */

static orff_status allocate(orff_exact *exact, const orff_kernel *kernel, size_t n) {
    size_t points, outputs;
    ORFFI_TRY(orffi_multiply(n, kernel->d, &points));
    ORFFI_TRY(orffi_multiply(n, kernel->p, &outputs));
    ORFFI_TRY(orffi_exact_plan_make(&exact->plan, kernel, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(exact->X, points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(exact->alpha, outputs));
    return ORFFI_NEW_ARRAY(exact->mean, kernel->p);
}

orff_status orffi_exact_create(orff_exact **out, const orff_kernel *kernel, size_t n) {
    orff_exact *exact;
    ORFFI_TRY(ORFFI_NEW(exact));
    exact->kernel = orffi_kernel_retain(kernel);
    const orff_status status = allocate(exact, kernel, n);
    if (status) {
        orff_exact_free(exact);
    } else {
        *out = exact;
    }
    return status;
}

/* rows A alpha_i, A = W diag(m) W^T */
orff_status orffi_exact_fold(orff_exact *exact) {
    const orffi_exact_plan *plan = &exact->plan;
    const size_t n = plan->n, p = plan->p;
    double *turned;
    if (!plan->law) return ORFF_OK;
    orffi_release(exact->folded);
    exact->folded = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(exact->folded, n * p));
    if (!plan->W) {
        for (size_t i = 0; i < n * p; i++) exact->folded[i] = plan->m[0] * exact->alpha[i];
        return ORFF_OK;
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(turned, n * p));
    orffi_gemm(false, false, n, p, p, 1.0, exact->alpha, p, plan->W, p, 0.0, turned, p);
    for (size_t i = 0; i < n * p; i++) turned[i] *= plan->m[i % p];
    orffi_gemm(false, true, n, p, p, 1.0, turned, p, plan->W, p, 0.0, exact->folded, p);
    orffi_release(turned);
    return ORFF_OK;
}

/* ---- the public calls */

orff_status orff_exact_fit(orff_exact **out, const orff_kernel *kernel, size_t n, const double *X,
                           const double *Y, double lambda, bool center, size_t max_bytes) {
    orff_exact *exact;
    ORFFI_TRY(check_arguments(out, kernel, n, X, Y, lambda));
    ORFFI_TRY(ORFFI_NEW(exact));
    exact->kernel = orffi_kernel_retain(kernel);
    orff_status status = orffi_exact_plan_make(&exact->plan, kernel, n);
    if (!status)
        status = orffi_exact_check_memory(&exact->plan, orffi_exact_plan_bytes(&exact->plan), max_bytes);
    if (!status) status = fit(exact, X, Y, lambda, center);
    if (status) {
        orff_exact_free(exact);
    } else {
        *out = exact;
    }
    return status;
}

void orff_exact_free(orff_exact *exact) {
    if (!exact) return;
    orff_kernel_free(exact->kernel);
    orffi_exact_plan_clear(&exact->plan);
    orffi_release(exact->X);
    orffi_release(exact->alpha);
    orffi_release(exact->folded);
    orffi_release(exact->weights);
    orffi_release(exact->along);
    orffi_release(exact->points);
    orffi_release(exact->mean);
    orffi_exact_kept_free(exact->kept);
    orffi_release(exact);
}

orff_status orff_exact_alpha(const orff_exact *exact, double *alpha) {
    if (!exact || !alpha) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_exact_alpha: NULL argument");
    memcpy(alpha, exact->alpha, exact->plan.n * exact->plan.p * sizeof *alpha);
    return ORFF_OK;
}

double orff_exact_norm2(const orff_exact *exact) {
    return exact->norm2;
}
