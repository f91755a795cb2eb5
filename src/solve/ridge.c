/* Ridge from moments: one lambda by Cholesky or in eigen form, and whole paths in eigen form. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/ridge.h"

/* An eigendecomposition costs about as much as so many Cholesky factorisations. */
#define EIGEN_PRICE 10

orff_status orff_ridge_create(orff_ridge **out, const orff_features *features, const orff_moments *moments,
                              bool center) {
    orff_ridge *ridge;
    if (!out || !features || !moments)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_ridge_create: NULL argument");
    ORFFI_TRY(ORFFI_NEW(ridge));
    ridge->features = features;
    ridge->moments = moments;
    ridge->center = center;
    orff_status status = orffi_system_build(&ridge->system, features, moments, moments->n_sets, center, NULL);
    if (!status && !(ridge->system.N > 0.0))
        status = orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
    if (status) {
        orff_ridge_free(ridge);
    } else {
        *out = ridge;
    }
    return status;
}

void orff_ridge_free(orff_ridge *ridge) {
    if (!ridge) return;
    orffi_system_clear(&ridge->system);
    orffi_release(ridge);
}

/* ---- one lambda */

/* How many different m_b there are: each needs a factorisation. They are ascending. */
static size_t distinct(const orffi_system *s) {
    size_t count = 0;
    for (size_t b = 0; b < s->r; b++) count += b == 0 || s->m[b] > s->m[b - 1] * (1.0 + 1e-12);
    return count;
}

static double one_norm(size_t n, const double *A, double m, double shift) {
    double most = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = shift;
        for (size_t k = 0; k < n; k++) sum += m * fabs(A[i * n + k]);
        most = fmax(most, sum);
    }
    return most;
}

/* Solve for the columns b with m_b = m[first], in place of t (n x r). work is n x n, column n x r. */
static orff_status cholesky_columns(const orffi_system *s, size_t first, size_t count, double shift,
                                    double *t, double *work, double *columns, double *rcond) {
    const size_t n = s->n;
    const double m = s->m[first];
    double own;
    for (size_t i = 0; i < n * n; i++) work[i] = m * s->A[i];
    for (size_t i = 0; i < n; i++) work[i * n + i] += shift;
    ORFFI_TRY(orffi_cholesky(n, work));
    ORFFI_TRY(orffi_cholesky_rcond(n, work, one_norm(n, s->A, m, shift), &own));
    *rcond = fmin(*rcond, own);
    for (size_t a = 0; a < n; a++)
        memcpy(columns + a * count, s->rhs + a * s->r + first, count * sizeof *columns);
    ORFFI_TRY(orffi_cholesky_solve(n, work, count, columns));
    for (size_t a = 0; a < n; a++) memcpy(t + a * s->r + first, columns + a * count, count * sizeof *columns);
    return ORFF_OK;
}

static orff_status solve_cholesky(const orffi_system *s, double shift, double *t, double *condition) {
    double *work = NULL, *columns = NULL, rcond = 1.0;
    orff_status status = ORFFI_NEW_ARRAY(work, s->n * s->n);
    if (!status) status = ORFFI_NEW_ARRAY(columns, s->n * s->r);
    for (size_t first = 0, next; !status && first < s->r; first = next) {
        for (next = first + 1; next < s->r && s->m[next] <= s->m[first] * (1.0 + 1e-12);) next++;
        status = cholesky_columns(s, first, next - first, shift, t, work, columns, &rcond);
    }
    orffi_release(work);
    orffi_release(columns);
    *condition = rcond > 0.0 ? 1.0 / rcond : INFINITY;
    return status;
}

static orff_status solve_eigen(orffi_system *s, double lambda, double *t, orff_solve_info *info) {
    double *work;
    ORFFI_TRY(orffi_system_eigen(s));
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, s->n * s->r));
    const double shift = orffi_system_shift(s, lambda);
    orffi_system_eigen_solve(s, shift, t, work);
    orffi_release(work);
    info->jitter = shift - s->N * lambda;
    info->condition = s->r ? (s->e[s->n - 1] * s->m[s->r - 1] + shift) / (s->e[0] * s->m[0] + shift) : 1.0;
    return ORFF_OK;
}

/* |m A t + shift t - rhs| / |rhs| over all columns; work is n x r. */
static orff_status relative_residual(const orffi_system *s, double shift, const double *t, double *residual) {
    double *work, error = 0.0, size = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, s->n * s->r));
    orffi_gemm(false, false, s->n, s->r, s->n, 1.0, s->A, s->n, t, s->r, 0.0, work, s->r);
    for (size_t a = 0; a < s->n; a++) {
        for (size_t b = 0; b < s->r; b++) {
            const size_t i = a * s->r + b;
            const double difference = s->m[b] * work[i] + shift * t[i] - s->rhs[i];
            error += difference * difference;
            size += s->rhs[i] * s->rhs[i];
        }
    }
    *residual = size > 0.0 ? sqrt(error / size) : 0.0;
    orffi_release(work);
    return ORFF_OK;
}

/* Cholesky unless the eigen form is there or cheaper; the eigen form, whose shift never falls below rounding,
 * where Cholesky breaks down or leaves no digits. */
static orff_status solve_system(orffi_system *s, double lambda, double *t, orff_solve_info *info) {
    const bool direct = !s->U && distinct(s) <= EIGEN_PRICE;
    orff_status status = ORFF_OK;
    if (direct) {
        info->method = s->stein ? "stein-cholesky" : "cholesky";
        status = solve_cholesky(s, s->N * lambda, t, &info->condition);
        if (status && status != ORFF_ERROR_NOT_POSITIVE) return status;
        info->fell_back = status || info->condition * s->rounding > 1.0;
    }
    if (!direct || info->fell_back) {
        info->method = s->stein ? "stein-eigen" : "eigen";
        ORFFI_TRY(solve_eigen(s, lambda, t, info));
        if (info->jitter > 0.0)
            orffi_log(ORFF_LOG_WARNING, "lambda %g is lost in rounding: the system was solved with %g",
                      lambda, lambda + info->jitter / s->N);
    }
    info->converged = true;
    return relative_residual(s, s->N * lambda, t, &info->residual);
}

static orff_status check_lambda(const orffi_system *s, double lambda) {
    if (lambda > 0.0 && isfinite(s->N * lambda)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be positive and finite", lambda);
}

orff_status orff_ridge_solve(orff_ridge *ridge, double lambda, double *theta, double *intercept,
                             orff_solve_info *info) {
    double *t;
    orff_solve_info own = {0};
    if (!ridge || !theta) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_ridge_solve: NULL argument");
    orffi_system *s = &ridge->system;
    ORFFI_TRY(check_lambda(s, lambda));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t, s->n * s->r));
    const orff_status status = solve_system(s, lambda, t, &own);
    if (!status) {
        orffi_system_expand(s, t, theta);
        if (intercept) memcpy(intercept, s->mean, s->p * sizeof *intercept);
        if (info) *info = own;
    }
    orffi_release(t);
    return status;
}

/* ---- a path */

/* With E = e_a m_b and shift = N lambda (or what rounding makes of it): dof = sum E/(E+shift), |f|-sums
 * from c^2, log p(y) = -1/2 [ (yy - sum c^2/(E+shift))/shift + sum log(E+shift) + (P - n r) log shift + P
 * log 2 pi ]. */
static void path_point(const orffi_system *s, double lambda, orff_path_point *point) {
    const double shift = orffi_system_shift(s, lambda), P = s->N * (double)s->p;
    double explained = 0.0, quadratic = 0.0, logs = 0.0, dof = 0.0;
    for (size_t a = 0; a < s->n; a++) {
        for (size_t b = 0; b < s->r; b++) {
            const double E = s->e[a] * s->m[b], c = s->c[a * s->r + b], sum = E + shift;
            dof += E / sum;
            logs += log(sum);
            quadratic += c * c / sum;
            explained += c * c * (E + 2.0 * shift) / (sum * sum);
        }
    }
    const double rss = fmax(s->yy - explained, 0.0), left = P - dof;
    *point = (orff_path_point){
        .lambda = lambda,
        .train_mse = rss / P,
        .gcv = left > 0.0 ? P * rss / (left * left) : INFINITY,
        .dof = dof,
        .noise = left > 0.0 ? rss / left : NAN,
        .cv_mse = NAN,
        .log_evidence = -0.5 * (fmax(s->yy - quadratic, 0.0) / shift + logs +
                                (P - (double)(s->n * s->r)) * log(shift) + P * log(6.28318530717958647692)),
    };
}

static void warn_of_rounding(const orffi_system *s, size_t count, const double *lambdas) {
    const double least = orffi_system_shift(s, 0.0) / s->N;
    size_t lost = 0;
    for (size_t l = 0; l < count; l++) lost += lambdas[l] < least;
    if (lost)
        orffi_log(ORFF_LOG_WARNING, "%zu of %zu lambdas are lost in rounding: they count as %g", lost, count,
                  least);
}

orff_status orff_ridge_path(orff_ridge *ridge, size_t count, const double *lambdas, bool cross,
                            orff_path_point *points) {
    double *errors = NULL;
    if (!ridge || !lambdas || !points)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_ridge_path: NULL argument");
    for (size_t l = 0; l < count; l++) ORFFI_TRY(check_lambda(&ridge->system, lambdas[l]));
    ORFFI_TRY(orffi_system_eigen(&ridge->system));
    warn_of_rounding(&ridge->system, count, lambdas);
    orff_status status = cross ? ORFFI_NEW_ARRAY(errors, count) : ORFF_OK;
    if (!status && cross) status = orffi_ridge_cross(ridge, count, lambdas, errors, NULL);
    for (size_t l = 0; !status && l < count; l++) {
        path_point(&ridge->system, lambdas[l], &points[l]);
        if (cross) points[l].cv_mse = errors[l];
    }
    orffi_release(errors);
    return status;
}
