/* The posterior covariance of f(x) for a noise of 1: Phi(x)^T (G + shift)^-1 Phi(x). */
#include "engine/features.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"

/* ---- building */

/* F = U, g_ab = m_b / (e_a m_b + shift) */
static orff_status fill_eigen(orffi_posterior *posterior, orffi_system *s, double shift) {
    ORFFI_TRY(orffi_system_eigen(s));
    ORFFI_TRY(orffi_duplicate(&posterior->owned, s->U, s->n * s->n, sizeof *s->U));
    for (size_t a = 0; a < s->n; a++)
        for (size_t b = 0; b < s->r; b++) posterior->g[a * s->r + b] = s->m[b] / (s->e[a] * s->m[b] + shift);
    return ORFF_OK;
}

/* L with m A + shift I = L L^T: taken from the system if it was solved with this shift. */
static orff_status adopt_factor(orffi_posterior *posterior, orffi_system *s, double m, double shift) {
    if (s->factor && s->shift == shift) {
        posterior->owned = s->factor;
        s->factor = NULL;
        return ORFF_OK;
    }
    ORFFI_TRY(orffi_duplicate(&posterior->owned, s->A, s->n * s->n, sizeof *s->A));
    for (size_t i = 0; i < s->n * s->n; i++) posterior->owned[i] *= m;
    for (size_t a = 0; a < s->n; a++) posterior->owned[a * s->n + a] += shift;
    return orffi_cholesky(s->n, posterior->owned);
}

/* F = L^-T, g = m */
static orff_status fill_cholesky(orffi_posterior *posterior, orffi_system *s, double shift) {
    const double m = s->r ? s->m[0] : 1.0;
    ORFFI_TRY(adopt_factor(posterior, s, m, shift));
    ORFFI_TRY(orffi_cholesky_root(s->n, posterior->owned));
    for (size_t i = 0; i < s->n * s->r; i++) posterior->g[i] = m;
    return ORFF_OK;
}

/* Copies the turning of the outputs, or the columns of the blocks. */
static orff_status copy_shape(orffi_posterior *posterior, const orffi_system *s) {
    posterior->n = posterior->k = s->n;
    posterior->r = s->r;
    posterior->stein = s->stein;
    posterior->first = s->first;
    posterior->used = s->used;
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->g, s->n * s->r));
    if (s->stein) return orffi_duplicate(&posterior->W, s->W, s->p * s->r, sizeof *s->W);
    posterior->columns.count = s->columns.count;
    ORFFI_TRY(orffi_duplicate(&posterior->columns.j, s->columns.j, s->columns.count, sizeof *s->columns.j));
    ORFFI_TRY(
        orffi_duplicate(&posterior->columns.C, s->columns.C, s->columns.count * s->p, sizeof *s->columns.C));
    return orffi_duplicate(&posterior->columns.B, s->columns.B, s->columns.count * s->p,
                           sizeof *s->columns.B);
}

static orff_status fill(orffi_posterior *posterior, orffi_system *s, double shift) {
    ORFFI_TRY(copy_shape(posterior, s));
    if (s->U || !orffi_system_is_one(s)) return fill_eigen(posterior, s, shift);
    const orff_status status = fill_cholesky(posterior, s, shift);
    if (status != ORFF_ERROR_NOT_POSITIVE) return status;
    orffi_release(posterior->owned);
    posterior->owned = NULL;
    return fill_eigen(posterior, s, shift);
}

orff_status orffi_posterior_build(orffi_posterior **out, orffi_system *system, double shift) {
    orffi_posterior *posterior;
    if (!(shift > 0.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "error bars need lambda > 0; N lambda is %g", shift);
    ORFFI_TRY(ORFFI_NEW(posterior));
    const orff_status status = fill(posterior, system, shift);
    posterior->F = posterior->owned;
    if (status) {
        orffi_posterior_free(posterior);
    } else {
        *out = posterior;
    }
    return status;
}

void orffi_posterior_free(orffi_posterior *posterior) {
    if (!posterior) return;
    orffi_release(posterior->owned);
    orffi_release(posterior->g);
    orffi_release(posterior->rest);
    orffi_release(posterior->W);
    orffi_columns_clear(&posterior->columns);
    orffi_release(posterior);
}

/* ---- covariances */

/* Memory of a call. A point has `slices` rows of Phi(x)^T: 1 (stein) or p. */
typedef struct covariance_work {
    size_t rows, slices;
    double *phi, *scratch; /* rows x 2D */
    double *slice, *Z;     /* rows x slices x n, rows x slices x k */
    double *variance;      /* stein: rows x r */
    double *outside;       /* stein: rows: |Phi|^2 - |Z|^2 */
} covariance_work;

static void work_clear(covariance_work *w) {
    double *all[] = {w->phi, w->scratch, w->slice, w->Z, w->variance, w->outside};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

/* Blocks of about 4 million numbers, as for phi. */
static size_t block_rows(const orffi_features_fit *fit, size_t slices, size_t n) {
    const size_t most = orffi_bank_block_rows(fit->features->bank);
    size_t rows = ((size_t)1 << 22) / (slices * fit->posterior->n + 1);
    if (rows < 1) rows = 1;
    if (rows > most) rows = most;
    return rows < n ? rows : n;
}

static orff_status work_fill(covariance_work *w, const orffi_features_fit *fit, size_t n) {
    const orffi_posterior *posterior = fit->posterior;
    w->slices = posterior->stein ? 1 : fit->features->p;
    w->rows = block_rows(fit, w->slices, n);
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->phi, w->rows * 2 * fit->features->D));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->scratch, orffi_bank_scratch(fit->features->bank)));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->slice, w->rows * w->slices * posterior->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->Z, w->rows * w->slices * posterior->k));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->variance, w->rows * posterior->r));
    return ORFFI_NEW_ARRAY(w->outside, w->rows);
}

/* Rows of Phi(x)^T: phi on the features used (stein), or phi_a B_a for each output. */
void orffi_posterior_slices(const orffi_posterior *posterior, size_t D, size_t p, const double *phi,
                            double *slice) {
    const size_t half = posterior->n / 2;
    if (posterior->stein) {
        memcpy(slice, phi + posterior->first, half * sizeof *slice);
        memcpy(slice + half, phi + D + posterior->first, half * sizeof *slice);
        return;
    }
    for (size_t i = 0; i < p; i++)
        orffi_columns_slice(&posterior->columns, D, p, i, phi, slice + i * posterior->n);
}

/* sum_b W_ib W_kb variance_b */
static double turned_back(const orffi_posterior *posterior, size_t i, size_t k, const double *variance) {
    double sum = 0.0;
    for (size_t b = 0; b < posterior->r; b++)
        sum += posterior->W[i * posterior->r + b] * posterior->W[k * posterior->r + b] * variance[b];
    return sum;
}

/* sum_a Z_ia Z_ka g_a */
static double weighted_dot(const orffi_posterior *posterior, const double *Zi, const double *Zk) {
    double sum = 0.0;
    for (size_t a = 0; a < posterior->k; a++) sum += Zi[a] * Zk[a] * posterior->g[a];
    return sum;
}

/* rest (Phi_i . Phi_k - Z_i . Z_k); not negative for i = k. */
static double outside_dot(const orffi_posterior *posterior, const double *slice, const double *Z, size_t i,
                          size_t k) {
    const size_t n = posterior->n, columns = posterior->k;
    if (!posterior->rest) return 0.0;
    const double left =
        orffi_dot(n, slice + i * n, slice + k * n) - orffi_dot(columns, Z + i * columns, Z + k * columns);
    return posterior->rest[0] * (i == k ? fmax(left, 0.0) : left);
}

/* The covariance at point `row` of the block. Its diagonal is a sum of squares times g > 0, so never
 * negative. */
static void fill_point(const orffi_features_fit *fit, const covariance_work *w, size_t row, double *out) {
    const orffi_posterior *posterior = fit->posterior;
    const size_t p = fit->features->p, n = posterior->n, columns = posterior->k;
    const double *Z = w->Z + row * w->slices * columns, *slice = w->slice + row * w->slices * n;
    for (size_t i = 0; i < p; i++) {
        for (size_t k = i; k < p; k++) {
            const double H = posterior->stein ? turned_back(posterior, i, k, w->variance + row * posterior->r)
                                              : weighted_dot(posterior, Z + i * columns, Z + k * columns) +
                                                    outside_dot(posterior, slice, Z, i, k);
            out[i * p + k] = out[k * p + i] = H;
        }
    }
}

/* variance = (Z o Z) g + outside rest   (rows x r) */
static void fill_variances(const orffi_posterior *posterior, size_t rows, covariance_work *w) {
    const size_t n = posterior->n, k = posterior->k, r = posterior->r;
    for (size_t i = 0; posterior->rest && i < rows; i++)
        w->outside[i] = fmax(
            orffi_dot(n, w->slice + i * n, w->slice + i * n) - orffi_dot(k, w->Z + i * k, w->Z + i * k), 0.0);
    for (size_t i = 0; i < rows * k; i++) w->Z[i] *= w->Z[i];
    orffi_gemm(false, false, rows, r, k, 1.0, w->Z, k, posterior->g, r, 0.0, w->variance, r);
    for (size_t i = 0; posterior->rest && i < rows * r; i++)
        w->variance[i] += w->outside[i / r] * posterior->rest[i % r];
}

static void do_block(const orffi_features_fit *fit, size_t rows, const double *X, covariance_work *w,
                     double *out) {
    const orffi_posterior *posterior = fit->posterior;
    const size_t n = posterior->n, k = posterior->k, D = fit->features->D, p = fit->features->p;
    const int threads = orffi_thread_count();
    orffi_phi(fit->features->bank, rows, X, w->phi, w->scratch);
#pragma omp parallel for num_threads(threads) if (threads > 1 && rows > 1)
    for (size_t i = 0; i < rows; i++)
        orffi_posterior_slices(posterior, D, p, w->phi + i * 2 * D, w->slice + i * w->slices * n);
    orffi_times_factor(rows * w->slices, n, k, w->slice, posterior->F, w->Z);
    if (posterior->stein) fill_variances(posterior, rows, w);
#pragma omp parallel for num_threads(threads) if (threads > 1 && rows > 1)
    for (size_t i = 0; i < rows; i++) fill_point(fit, w, i, out + i * p * p);
}

static void do_blocks(const orffi_features_fit *fit, size_t n, const double *X, covariance_work *w,
                      double *out) {
    const size_t pp = fit->features->p * fit->features->p;
    for (size_t first = 0; first < n; first += w->rows) {
        const size_t rows = n - first < w->rows ? n - first : w->rows;
        do_block(fit, rows, X + first * fit->features->d, w, out + first * pp);
    }
}

orff_status orffi_features_covariance(const void *self, size_t n, const double *x, double *covariance) {
    const orffi_features_fit *fit = self;
    covariance_work w = {0};
    orff_status status = work_fill(&w, fit, n);
    if (!status) do_blocks(fit, n, x, &w, covariance);
    work_clear(&w);
    return status;
}
