/* K = k (x) A costs N^3 + p^3 instead of (N p)^3. */
#include <float.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "exact/exact.h"

/* ---- the scalar Gram matrix */

/* k(x, z_j) for m points. columns: the points stored input by input, for laws of distances alone; else
 * NULL. */
static void gram_row(const orffi_spectrum *law, const double *x, size_t m, size_t stride, const double *Z,
                     const double *columns, double *row, double *delta) {
    if (columns) {
        orffi_spectrum_squares(law, x, m, columns, stride, row);
        orffi_spectrum_k0_many(law, m, row, NULL);
        return;
    }
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < law->dim; k++) delta[k] = x[k] - Z[j * law->dim + k];
        row[j] = orffi_spectrum_k0(law, delta);
    }
}

static orff_status make_columns(const orffi_spectrum *law, size_t m, const double *Z, double **columns) {
    *columns = NULL;
    if (!orffi_spectrum_is_radial(law)) return ORFF_OK;
    ORFFI_TRY(orffi_alloc(columns, m, law->dim * sizeof **columns));
    for (size_t j = 0; j < m; j++)
        for (size_t k = 0; k < law->dim; k++) (*columns)[k * m + j] = Z[j * law->dim + k];
    return ORFF_OK;
}

/* If both sets of points are the same, computes the lower triangle and mirrors it. */
orff_status orffi_exact_scalar_gram(const orffi_spectrum *law, size_t n, const double *X, size_t m,
                                    const double *Z, double *G) {
    const bool same = X == Z && n == m;
    const int threads = orffi_thread_count();
    const size_t d = law->dim;
    double *work = NULL, *columns = NULL;
    orff_status status = orffi_alloc(&work, d * (size_t)threads, sizeof *work);
    if (!status) status = make_columns(law, m, Z, &columns);
#pragma omp parallel num_threads(threads) if (!status)
    {
        double *delta = work ? work + d * (size_t)orffi_thread_index() : NULL;
#pragma omp for schedule(dynamic, 16)
        for (size_t i = 0; i < (status ? 0 : n); i++)
            gram_row(law, X + i * d, same ? i + 1 : m, m, Z, columns, G + i * m, delta);
    }
    if (!status && same) orffi_mirror_lower(n, G);
    orffi_release(columns);
    orffi_release(work);
    return status;
}

/* ---- outputs turned by W */

/* Y W (back: Y W^T) in place of Y (n x p); T is scratch of the same size. */
static void turn(const orffi_exact_plan *plan, bool back, double *Y, double *T) {
    const size_t n = plan->n, p = plan->p;
    if (!plan->W) return;
    orffi_gemm(false, back, n, p, p, 1, Y, p, plan->W, p, 0, T, p);
    memcpy(Y, T, n * p * sizeof *Y);
}

static double eigenvalue(const orffi_exact_plan *plan, size_t b) {
    return plan->m[plan->values == 1 ? 0 : b];
}

/* Copies columns [first, end) of Z (n x p) to T (n x (end - first)), or back. */
static void move_columns(const orffi_exact_plan *plan, size_t first, size_t end, double *Z, double *T,
                         bool out) {
    const size_t p = plan->p, width = end - first;
    for (size_t i = 0; i < plan->n; i++) {
        if (out)
            memcpy(Z + i * p + first, T + i * width, width * sizeof *Z);
        else
            memcpy(T + i * width, Z + i * p + first, width * sizeof *T);
    }
}

/* ---- a factorisation for each distinct eigenvalue of A */

/* Columns whose eigenvalue is zero: N lambda z = y. */
static void solve_null(const orffi_exact_plan *plan, size_t first, size_t end, double shift, double *Z) {
    for (size_t i = 0; i < plan->n; i++)
        for (size_t b = first; b < end; b++) Z[i * plan->p + b] /= shift;
}

/* (m k + shift I) z = y for the columns [first, end); L (n x n) receives the matrix and may be k itself. */
static orff_status solve_columns(const orffi_exact_plan *plan, const double *k, double *L, size_t first,
                                 size_t end, double shift, double *Z, double *T, double *jitter) {
    const size_t n = plan->n;
    const double m = eigenvalue(plan, first);
    for (size_t i = 0; i < n * n; i++) L[i] = m * k[i];
    ORFFI_TRY(orffi_exact_factor(n, L, shift, jitter));
    move_columns(plan, first, end, Z, T, false);
    ORFFI_TRY(orffi_cholesky_solve(n, L, end - first, T));
    move_columns(plan, first, end, Z, T, true);
    return ORFF_OK;
}

static orff_status solve_by_factors(const orffi_exact_plan *plan, double *k, double shift, double *Z,
                                    double *T, double *jitter) {
    double *L = k;
    orff_status status = ORFF_OK;
    if (plan->groups > 1) ORFFI_TRY(ORFFI_NEW_ARRAY(L, plan->n * plan->n));
    for (size_t b = 0; !status && b < plan->values;) {
        const size_t next = orffi_exact_plan_group(plan, b), end = plan->values == 1 ? plan->p : next;
        if (orffi_exact_plan_is_zero(plan, b))
            solve_null(plan, b, end, shift, Z);
        else
            status = solve_columns(plan, k, L, b, end, shift, Z, T, jitter);
        b = next;
    }
    if (L != k) orffi_release(L);
    return status;
}

/* ---- or one decomposition k = U diag(s) U^T */

/* Rounding may make s slightly negative. If N lambda is below that error, the size of the error is added. */
static void divide(const orffi_exact_plan *plan, const double *s, double shift, double *C, double *jitter) {
    const size_t n = plan->n, p = plan->p;
    const double noise = (double)n * DBL_EPSILON * s[n - 1] * plan->m[plan->values - 1];
    const double added = shift < noise ? noise : 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < p; b++)
            C[a * p + b] /=
                (s[a] > 0 && !orffi_exact_plan_is_zero(plan, b) ? s[a] * plan->m[b] : 0) + shift + added;
    *jitter = added;
}

static orff_status solve_by_eigen(const orffi_exact_plan *plan, double *k, double shift, double *Z, double *T,
                                  double *jitter) {
    const size_t n = plan->n, p = plan->p;
    double *s;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s, n));
    const orff_status status = orffi_eigen(n, k, s);
    if (!status) {
        orffi_gemm(true, false, n, p, n, 1, k, n, Z, p, 0, T, p);
        divide(plan, s, shift, T, jitter);
        orffi_gemm(false, false, n, p, n, 1, k, n, T, p, 0, Z, p);
    }
    orffi_release(s);
    return status;
}

/* ---- the solution */

/* folded = Z diag(m) W^T and alpha = Z W^T from Z in alpha. */
static void unfold(orff_exact *exact, double *T) {
    const orffi_exact_plan *plan = &exact->plan;
    const size_t p = plan->p;
    for (size_t i = 0; i < plan->n; i++)
        for (size_t b = 0; b < p; b++)
            exact->folded[i * p + b] = exact->alpha[i * p + b] * eigenvalue(plan, b);
    turn(plan, true, exact->folded, T);
    turn(plan, true, exact->alpha, T);
}

static orff_status solve(orff_exact *exact, double *k, double *T, double shift, double *jitter) {
    const orffi_exact_plan *plan = &exact->plan;
    ORFFI_TRY(orffi_exact_scalar_gram(plan->law, plan->n, exact->X, plan->n, exact->X, k));
    turn(plan, false, exact->alpha, T);
    ORFFI_TRY(plan->eigen ? solve_by_eigen(plan, k, shift, exact->alpha, T, jitter)
                          : solve_by_factors(plan, k, shift, exact->alpha, T, jitter));
    unfold(exact, T);
    return ORFF_OK;
}

orff_status orffi_exact_solve_kronecker(orff_exact *exact, double shift, double *jitter) {
    const size_t n = exact->plan.n, p = exact->plan.p;
    double *k = NULL, *T = NULL;
    orff_status status = ORFFI_NEW_ARRAY(exact->folded, n * p);
    if (!status) status = ORFFI_NEW_ARRAY(T, n * p);
    if (!status) status = ORFFI_NEW_ARRAY(k, n * n);
    if (!status) status = solve(exact, k, T, shift, jitter);
    orffi_release(k);
    orffi_release(T);
    return status;
}
