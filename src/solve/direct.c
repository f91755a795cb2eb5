/* Solves a system at one lambda by Cholesky, or in eigen form if that is already available or cheaper, or if
 * Cholesky fails.
 *
 * A is known up to a rounding error of its largest eigenvalue. If anything is added to the diagonal, it is at
 * least that much; less would only amplify the rounding. The largest eigenvalue is found from some products
 * with A, without a decomposition. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/largest.h"
#include "solve/system.h"

/* An eigendecomposition costs about as much as this many Cholesky factorisations. */
#define EIGEN_PRICE 10

/* Whether two eigenvalues, in ascending order, are equal to rounding. */
static bool same(double m, double other) {
    return m <= other * (1.0 + 1e-12);
}

bool orffi_system_is_one(const orffi_system *s) {
    return s->r == 0 || same(s->m[s->r - 1], s->m[0]);
}

/* The number of distinct m_b: each needs a factorisation. */
static size_t distinct(const orffi_system *s) {
    size_t count = 0;
    for (size_t b = 0; b < s->r; b++) count += b == 0 || !same(s->m[b], s->m[b - 1]);
    return count;
}

/* ---- the size of A */

static orff_status multiply(const void *self, const double *x, double *y) {
    const orffi_system *s = self;
    orffi_gemm(false, false, s->n, 1, s->n, 1.0, s->A, s->n, x, 1, 0.0, y, 1);
    return ORFF_OK;
}

/* ---- a factor */

typedef struct factor {
    size_t n;
    const double *L;
} factor;

static orff_status divide(const void *self, const double *x, double *y) {
    const factor *f = self;
    memcpy(y, x, f->n * sizeof *y);
    return orffi_cholesky_solve(f->n, f->L, 1, y);
}

/* A solution at one shift. */
typedef struct attempt {
    double shift;
    double norm;  /* of A: its 1-norm, an upper bound of its largest eigenvalue */
    double least; /* the rounding error of the eigenvalues of m_b A; 0 until computed */
    double condition;
    bool sound; /* the factors are accurate enough */
} attempt;

static orff_status find_least(const orffi_system *s, attempt *now) {
    const orffi_symmetric A = {s->n, multiply, s};
    double largest = 0.0;
    if (now->least > 0.0) return ORFF_OK;
    ORFFI_TRY(orffi_largest(&A, &largest));
    now->least = s->rounding * s->m[s->r - 1] * largest;
    return ORFF_OK;
}

/* Whether the factor of m A + shift I is accurate enough. The condition number in the 1-norm is cheap, but
 * may be too large by a power of n. If it leaves a doubt, the smallest eigenvalue decides: it should be about
 * the shift, of which the rounding of A, which may be negative, must leave at least half. */
static orff_status judge_factor(const orffi_system *s, double m, const double *L, attempt *now) {
    const factor own = {s->n, L};
    const orffi_symmetric inverse = {s->n, divide, &own};
    const double norm = m * now->norm + now->shift;
    double rcond, largest;
    ORFFI_TRY(orffi_cholesky_rcond(s->n, L, norm, &rcond));
    double condition = rcond > 0.0 ? 1.0 / rcond : INFINITY;
    now->sound = condition * s->rounding <= 1.0;
    if (!now->sound) ORFFI_TRY(find_least(s, now));
    if (!now->sound && now->shift >= now->least) {
        ORFFI_TRY(orffi_largest(&inverse, &largest));
        condition = fmin(condition, norm * largest);
        now->sound = 0.5 * now->shift * largest <= 1.0;
    }
    now->condition = fmax(now->condition, condition);
    return ORFF_OK;
}

/* Solves for the columns b with m_b = m[first], in place of t (n x r). L is n x n, columns n x r. */
static orff_status solve_columns(const orffi_system *s, size_t first, size_t count, attempt *now, double *t,
                                 double *L, double *columns) {
    const size_t n = s->n;
    const double m = s->m[first];
    for (size_t i = 0; i < n * n; i++) L[i] = m * s->A[i];
    for (size_t i = 0; i < n; i++) L[i * n + i] += now->shift;
    ORFFI_TRY(orffi_cholesky(n, L));
    ORFFI_TRY(judge_factor(s, m, L, now));
    if (!now->sound) return ORFF_OK;
    for (size_t a = 0; a < n; a++)
        memcpy(columns + a * count, s->rhs + a * s->r + first, count * sizeof *columns);
    ORFFI_TRY(orffi_cholesky_solve(n, L, count, columns));
    for (size_t a = 0; a < n; a++) memcpy(t + a * s->r + first, columns + a * count, count * sizeof *columns);
    return ORFF_OK;
}

/* Solves for all columns; L is n x n and columns n x r. A matrix that is not positive is not sound. */
static orff_status try_cholesky(const orffi_system *s, attempt *now, double *t, double *L, double *columns) {
    orff_status status = ORFF_OK;
    now->sound = true;
    now->condition = 1.0;
    for (size_t first = 0, next; !status && now->sound && first < s->r; first = next) {
        for (next = first + 1; next < s->r && same(s->m[next], s->m[first]);) next++;
        status = solve_columns(s, first, next - first, now, t, L, columns);
    }
    if (status != ORFF_ERROR_NOT_POSITIVE) return status;
    now->sound = false;
    return ORFF_OK;
}

/* Tries N lambda and, if that is not sound, at least the rounding error. */
static orff_status try_shifts(const orffi_system *s, double lambda, attempt *now, double *t, double *L,
                              double *columns) {
    *now = (attempt){.shift = s->N * lambda, .norm = orffi_symmetric_norm(s->n, s->A)};
    ORFFI_TRY(try_cholesky(s, now, t, L, columns));
    if (now->sound) return ORFF_OK;
    ORFFI_TRY(find_least(s, now));
    if (now->shift >= now->least) return ORFF_OK;
    now->shift = now->least;
    return try_cholesky(s, now, t, L, columns);
}

static void keep_factor(orffi_system *s, double *L, double shift) {
    orffi_release(s->factor);
    s->factor = L;
    s->shift = shift;
}

/* *sound: t is a solution. If there is only one factor, the system keeps it. */
static orff_status solve_cholesky(orffi_system *s, double lambda, double *t, orff_solve_info *info,
                                  bool *sound) {
    double *L = NULL, *columns = NULL;
    attempt now = {0};
    orff_status status = ORFFI_NEW_ARRAY(L, s->n * s->n);
    if (!status) status = ORFFI_NEW_ARRAY(columns, s->n * s->r);
    if (!status) status = try_shifts(s, lambda, &now, t, L, columns);
    *sound = !status && now.sound;
    info->condition = now.condition;
    info->jitter = now.shift - s->N * lambda;
    info->fell_back = info->jitter > 0.0 || !*sound;
    if (*sound && s->r && orffi_system_is_one(s))
        keep_factor(s, L, now.shift);
    else
        orffi_release(L);
    orffi_release(columns);
    return status;
}

/* ---- the eigen form */

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

/* ---- the call */

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

orff_status orffi_system_solve(orffi_system *s, double lambda, double *t, orff_solve_info *info) {
    const bool direct = !s->U && distinct(s) <= EIGEN_PRICE;
    bool sound = false;
    if (direct) {
        info->method = s->stein ? "stein-cholesky" : "cholesky";
        ORFFI_TRY(solve_cholesky(s, lambda, t, info, &sound));
    }
    if (!sound) {
        info->method = s->stein ? "stein-eigen" : "eigen";
        ORFFI_TRY(solve_eigen(s, lambda, t, info));
    }
    if (info->jitter > 0.0)
        orffi_log(ORFF_LOG_WARNING, "lambda %g is lost in rounding: the system was solved with %g", lambda,
                  lambda + info->jitter / s->N);
    info->converged = true;
    return relative_residual(s, s->N * lambda, t, &info->residual);
}
