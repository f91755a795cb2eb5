/* K(x,x) - k(x) (K + shift I)^-1 k(x)^T, from a kept factor. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "exact/directed.h"
#include "exact/learn.h"

enum { BLOCK_NUMBERS = 4 << 20 }; /* of a block of the Gram matrix: 32 MB */

void orffi_exact_kept_free(orffi_exact_kept *kept) {
    if (!kept) return;
    orffi_release(kept->owned);
    orffi_release(kept->g);
    orffi_release(kept);
}

/* ---- covariances */

/* The memory of one call. Each point has `slices` rows of the Gram matrix: 1 where K = k (x) A, else p. */
typedef struct work {
    size_t rows, slices;
    double *G, *Z;    /* rows x slices x n */
    double *K0;       /* p x p: K(x,x) */
    double *variance; /* rows x p: of the turned outputs */
    double *small;    /* 2 p x p + p */
} work;

/* Whether the turned outputs are independent of each other. */
static bool is_turned(const orff_exact *exact) {
    return exact->plan.law && !exact->along;
}

static void work_clear(work *w) {
    double *all[] = {w->G, w->Z, w->K0, w->variance, w->small};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status work_fill(work *w, const orff_exact *exact, size_t n) {
    const size_t p = exact->plan.p, order = exact->kept->n;
    w->slices = is_turned(exact) ? 1 : p;
    w->rows = BLOCK_NUMBERS / (w->slices * order);
    if (w->rows == 0) w->rows = 1;
    if (w->rows > n) w->rows = n;
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->G, w->rows * w->slices * order));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->Z, w->rows * w->slices * order));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->K0, p * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->variance, w->rows * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->small, 2 * p * p + p));
    if (is_turned(exact)) return ORFF_OK;
    return orff_kernel_eval(exact->kernel, exact->X, exact->X, w->K0);
}

/* The variance left when `known` is subtracted from `prior`. Rounding may make it slightly negative, which
 * counts as 0. If the factor subtracts more than twice the prior it belongs to another kernel or was changed:
 * NaN. */
static double left_of(double prior, double known) {
    return known <= 2.0 * prior ? fmax(prior - known, 0.0) : (double)NAN;
}

/* Turned outputs: m - m^2 sum_a Z_a^2 g_a, at least 0; then W diag W^T. */
static void turned_point(const orff_exact *exact, const double *Z, double *variance, double *out) {
    const orffi_exact_plan *plan = &exact->plan;
    const orffi_exact_kept *kept = exact->kept;
    const size_t p = plan->p;
    memset(variance, 0, p * sizeof *variance);
    for (size_t a = 0; a < kept->n; a++)
        for (size_t v = 0; v < kept->modes; v++) variance[v] += Z[a] * Z[a] * kept->g[a * kept->modes + v];
    for (size_t b = p; b-- > 0;) {
        const size_t v = plan->values > 1 ? b : 0;
        const double m = orffi_exact_plan_is_zero(plan, v) ? 0.0 : plan->m[v];
        variance[b] = left_of(m, m * m * variance[kept->modes > 1 ? b : 0]);
    }
    for (size_t i = 0; i < p; i++) {
        for (size_t k = i; k < p; k++) {
            double sum = plan->W || i != k ? 0.0 : variance[i];
            for (size_t b = 0; plan->W && b < p; b++)
                sum += plan->W[i * p + b] * plan->W[k * p + b] * variance[b];
            out[i * p + k] = out[k * p + i] = sum;
        }
    }
}

/* K(x,x) - Z diag(g) Z^T */
static void dense_point(const orff_exact *exact, const work *w, const double *Z, double *out) {
    const size_t p = exact->plan.p, n = exact->kept->n;
    for (size_t i = 0; i < p; i++) {
        for (size_t k = i; k < p; k++) {
            double sum = 0.0;
            for (size_t a = 0; a < n; a++) sum += Z[i * n + a] * Z[k * n + a] * exact->kept->g[a];
            out[i * p + k] = out[k * p + i] = w->K0[i * p + k] - sum;
            if (i == k && isnan(left_of(w->K0[i * p + i], sum))) out[i * p + i] = (double)NAN;
        }
    }
}

static bool is_positive(size_t p, const double *A, double *L) {
    memcpy(L, A, p * p * sizeof *L);
    for (size_t j = 0; j < p; j++) {
        for (size_t k = 0; k < j; k++) L[j * p + j] -= L[j * p + k] * L[j * p + k];
        if (!(L[j * p + j] > 0.0)) return false;
        L[j * p + j] = sqrt(L[j * p + j]);
        for (size_t i = j + 1; i < p; i++) {
            for (size_t k = 0; k < j; k++) L[i * p + j] -= L[i * p + k] * L[j * p + k];
            L[i * p + j] /= L[j * p + j];
        }
    }
    return true;
}

/* Removes the negative eigenvalues that rounding leaves where the data determine the field almost
 * completely. */
static orff_status make_positive(size_t p, double *A, double *small) {
    double *V = small, *values = small + p * p;
    if (is_positive(p, A, V)) return ORFF_OK;
    for (size_t i = 0; i < p * p; i++)
        if (!isfinite(A[i])) return ORFF_OK; /* the caller refuses it at the end */
    memcpy(V, A, p * p * sizeof *V);
    ORFFI_TRY(orffi_eigen(p, V, values));
    for (size_t i = 0; i < p; i++) {
        for (size_t k = i; k < p; k++) {
            double sum = 0.0;
            for (size_t b = 0; b < p; b++) sum += V[i * p + b] * V[k * p + b] * fmax(values[b], 0.0);
            A[i * p + k] = A[k * p + i] = sum;
        }
    }
    return ORFF_OK;
}

static orff_status do_block(const orff_exact *exact, size_t rows, const double *X, work *w, double *out) {
    const orffi_exact_plan *plan = &exact->plan;
    const orffi_exact_kept *kept = exact->kept;
    const size_t p = plan->p, n = kept->n, slice = w->slices * n;
    const int threads = orffi_thread_count();
    const bool turned = is_turned(exact);
    const orffi_directed directed = orffi_exact_directed(exact);
    ORFFI_TRY(exact->along ? orffi_directed_cross(exact->kernel, rows, X, &directed, w->G)
              : turned     ? orffi_exact_scalar_gram(plan->law, rows, X, plan->n, exact->X, w->G)
                           : orff_kernel_gram(exact->kernel, rows, X, plan->n, exact->X, w->G));
    orffi_times_factor(rows * w->slices, n, n, w->G, kept->F, w->Z);
#pragma omp parallel for num_threads(threads) if (threads > 1 && rows > 1)
    for (size_t i = 0; i < rows; i++) {
        if (turned)
            turned_point(exact, w->Z + i * slice, w->variance + i * p, out + i * p * p);
        else
            dense_point(exact, w, w->Z + i * slice, out + i * p * p);
    }
    for (size_t i = 0; !turned && i < rows; i++) ORFFI_TRY(make_positive(p, out + i * p * p, w->small));
    return ORFF_OK;
}

static orff_status do_blocks(const orff_exact *exact, size_t n, const double *X, work *w, double *out) {
    const size_t d = exact->plan.d, pp = exact->plan.p * exact->plan.p;
    for (size_t first = 0; first < n; first += w->rows) {
        const size_t rows = n - first < w->rows ? n - first : w->rows;
        ORFFI_TRY(orffi_progress(ORFFI_COVARIANCE_TASK, (double)first, (double)n));
        ORFFI_TRY(do_block(exact, rows, X + first * d, w, out + first * pp));
    }
    return orffi_progress(ORFFI_COVARIANCE_TASK, (double)n, (double)n);
}

orff_status orff_exact_covariance(const orff_exact *exact, size_t n, const double *X, double *covariance) {
    work w = {0};
    double *out = NULL;
    size_t size;
    if (!exact || (n && (!X || !covariance)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_exact_covariance: NULL argument");
    if (!exact->kept)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "there is no factor to make covariances of: call orff_exact_keep");
    ORFFI_TRY(orffi_check_finite("X", n, exact->plan.d, X));
    ORFFI_TRY(orffi_multiply(n, exact->plan.p * exact->plan.p, &size));
    orff_status status = ORFFI_NEW_ARRAY(out, size);
    if (!status) status = work_fill(&w, exact, n);
    if (!status) status = do_blocks(exact, n, X, &w, out);
    if (!status && orffi_check_finite("covariance", n, exact->plan.p * exact->plan.p, out))
        status =
            orffi_fail(ORFF_ERROR_NOT_FINITE,
                       "covariances of the exact model are not finite: its factor is damaged, or belongs to "
                       "another kernel");
    if (!status) memcpy(covariance, out, size * sizeof *out);
    work_clear(&w);
    orffi_release(out);
    return status;
}

/* ---- keeping the factor */

/* Learns from the rows again, with outputs of 0: only the factor is needed. */
orff_status orff_exact_keep(orff_exact *exact, size_t max_bytes) {
    orff_exact *again = NULL;
    double *zeros = NULL;
    if (!exact) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_exact_keep: NULL argument");
    if (exact->kept) return ORFF_OK;
    const size_t n = exact->plan.n, p = exact->plan.p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(zeros, n * p + 2 * p));
    const double lambda = exact->shift / (double)n;
    const orffi_exact_task task = {.kernel = exact->kernel,
                                   .rows = {.n = n, .X = exact->X, .Y = zeros},
                                   .count = 1,
                                   .lambdas = &lambda,
                                   .keep = true,
                                   .max_bytes = max_bytes};
    orffi_exact_result result = {.train_mse = zeros + n * p, .cv_mse = zeros + n * p + p};
    const orff_status status = orffi_exact_learn(&again, &task, &result);
    if (!status) {
        exact->kept = again->kept;
        again->kept = NULL;
    }
    orff_exact_free(again);
    orffi_release(zeros);
    return status;
}
