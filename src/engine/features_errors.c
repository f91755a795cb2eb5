/* The posterior covariance of a derived field. At a point it is linear in the coefficients, like f: a
 * cosine becomes a sine, a sine a cosine, and their factors linear functions that depend on w. With these
 * in place of Phi(x)^T, the covariance is that of features_posterior.c. */
#include <math.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/derived.h"
#include "engine/features.h"

#define BLOCK_NUMBERS ((size_t)1 << 21)

/* Memory of a call. A point has `slices` = modes x k rows. */
typedef struct work {
    size_t modes, k, slices, rows;
    double *w;             /* D x p, w on the field's space; or D x d for the Jacobian */
    double *C;             /* modes x half x k: the field of each coefficient ... */
    double *I;             /* ... and of the imaginary parts of complex columns; or NULL */
    double *phi, *scratch; /* rows x 2D */
    double *slice, *Z;     /* rows x slices x n, rows x slices x columns */
} work;

static void work_clear(work *t) {
    double *all[] = {t->w, t->C, t->I, t->phi, t->scratch, t->slice, t->Z};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

/* ---- fields of single coefficients */

static orff_status fill_frequencies(const orffi_features_fit *fit, const orffi_derived *what, size_t width,
                                    double *w) {
    const orffi_bank *bank = fit->features->bank;
    const size_t d = fit->features->d;
    double *row;
    orff_status status = ORFFI_NEW_ARRAY(row, d);
    for (size_t g = 0; !status && g < bank->n_groups; g++)
        for (size_t j = 0; !status && j < bank->groups[g].drawn.count; j++) {
            double *out = w + (bank->groups[g].first + j) * width;
            status = orffi_frequencies_row(&bank->groups[g].drawn, j, row);
            for (size_t i = 0; !status && i < width; i++) {
                const size_t at = what->space ? what->space[i] : i;
                out[i] = row[at] / what->unit[at];
            }
        }
    orffi_release(row);
    return status;
}

/* The feature that column c belongs to. */
static size_t feature_of(const orffi_posterior *posterior, size_t c) {
    return posterior->stein ? posterior->first + c : posterior->columns.j[c];
}

/* The field's coefficients for all modes and columns. B: the columns (n/2 x p). */
static void fill_vectors(const orffi_features_fit *fit, const orffi_derived *what, size_t width,
                         const work *t, const double *B, double *v, double *C) {
    const orffi_posterior *posterior = fit->posterior;
    const orffi_wave_field *field = orffi_wave_field_find(what->field);
    const size_t half = posterior->n / 2, p = fit->features->p, r = posterior->r;
    for (size_t b = 0; b < t->modes; b++)
        for (size_t c = 0; c < half; c++) {
            for (size_t i = 0; i < p; i++)
                v[i] = what->spread[i] * (posterior->stein ? posterior->W[i * r + b] : B[c * p + i]);
            field->coefficient(fit->features->d, p, t->w + feature_of(posterior, c) * width, v,
                               C + (b * half + c) * t->k);
        }
}

static orff_status fill_coefficients(const orffi_features_fit *fit, const orffi_derived *what, size_t width,
                                     work *t) {
    const orffi_columns *columns = &fit->posterior->columns;
    double *v;
    ORFFI_TRY(ORFFI_NEW_ARRAY(v, fit->features->p));
    fill_vectors(fit, what, width, t, columns->B, v, t->C);
    if (columns->C) fill_vectors(fit, what, width, t, columns->C, v, t->I);
    orffi_release(v);
    return ORFF_OK;
}

static orff_status work_fill(work *t, const orffi_features_fit *fit, const orffi_derived *what, size_t n) {
    const orffi_posterior *posterior = fit->posterior;
    const orff_features *f = fit->features;
    const size_t width = what->space ? f->p : f->d;
    t->modes = posterior->stein ? posterior->r : 1;
    t->k = what->k;
    t->slices = t->modes * t->k;
    t->rows = BLOCK_NUMBERS / (t->slices * posterior->n + 2 * f->D + 1) + 1;
    if (t->rows > n) t->rows = n;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->w, f->D * width));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->C, t->slices * posterior->n / 2));
    if (posterior->columns.C) ORFFI_TRY(ORFFI_NEW_ARRAY(t->I, t->slices * posterior->n / 2));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->phi, t->rows * 2 * f->D));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->scratch, orffi_bank_scratch(f->bank)));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->slice, t->rows * t->slices * posterior->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->Z, t->rows * t->slices * posterior->k));
    ORFFI_TRY(fill_frequencies(fit, what, width, t->w));
    return fill_coefficients(fit, what, width, t);
}

/* ---- points */

/* Rows (slices x n) of a point from its phi (2D). */
static void fill_slices(const orffi_features_fit *fit, const work *t, double sign, const double *phi,
                        double *slice) {
    const orffi_posterior *posterior = fit->posterior;
    const size_t n = posterior->n, half = n / 2, D = fit->features->D;
    for (size_t b = 0; b < t->modes; b++)
        for (size_t i = 0; i < t->k; i++) {
            double *row = slice + (b * t->k + i) * n;
            for (size_t c = 0; c < half; c++) {
                const size_t j = feature_of(posterior, c);
                const size_t at = (b * half + c) * t->k + i;
                const double front = sign * t->C[at], turned = t->I ? sign * t->I[at] : 0.0;
                row[c] = turned * phi[j] - front * phi[D + j];
                row[half + c] = front * phi[j] + turned * phi[D + j];
            }
        }
}

/* sum_a Z_ia Z_la g_ab + rest_b (s_i . s_l - Z_i . Z_l) for mode b */
static double mode_covariance(const orffi_posterior *posterior, size_t b, const double *si, const double *sl,
                              const double *Zi, const double *Zl) {
    const size_t k = posterior->k, r = posterior->r;
    double sum = 0.0;
    for (size_t a = 0; a < k; a++) sum += Zi[a] * Zl[a] * posterior->g[a * r + b];
    if (!posterior->rest) return sum;
    const double left = orffi_dot(posterior->n, si, sl) - orffi_dot(k, Zi, Zl);
    return sum + posterior->rest[b] * (si == sl ? fmax(left, 0.0) : left);
}

static void fill_point(const orffi_posterior *posterior, const work *t, const double *slice, const double *Z,
                       double *out) {
    const size_t k = t->k, n = posterior->n, columns = posterior->k;
    for (size_t i = 0; i < k; i++)
        for (size_t l = i; l < k; l++) {
            double sum = 0.0;
            for (size_t b = 0; b < t->modes; b++) {
                const size_t one = b * k + i, two = b * k + l;
                sum += mode_covariance(posterior, b, slice + one * n, slice + two * n, Z + one * columns,
                                       Z + two * columns);
            }
            out[i * k + l] = out[l * k + i] = sum;
        }
}

static void do_block(const orffi_features_fit *fit, const work *t, double sign, size_t rows, const double *x,
                     double *out) {
    const orffi_posterior *posterior = fit->posterior;
    const size_t n = posterior->n, k = posterior->k, D = fit->features->D;
    const int threads = orffi_thread_count();
    orffi_phi(fit->features->bank, rows, x, t->phi, t->scratch);
#pragma omp parallel for num_threads(threads) if (threads > 1 && rows > 1)
    for (size_t i = 0; i < rows; i++)
        fill_slices(fit, t, sign, t->phi + i * 2 * D, t->slice + i * t->slices * n);
    orffi_times_factor(rows * t->slices, n, k, t->slice, posterior->F, t->Z);
#pragma omp parallel for num_threads(threads) if (threads > 1 && rows > 1)
    for (size_t i = 0; i < rows; i++)
        fill_point(posterior, t, t->slice + i * t->slices * n, t->Z + i * t->slices * k,
                   out + i * t->k * t->k);
}

bool orffi_features_has_derived_covariance(const void *fit, const orffi_derived *what) {
    (void)what; /* all fields */
    return ((const orffi_features_fit *)fit)->posterior != NULL;
}

orff_status orffi_features_derived_covariance(const void *self, const orffi_derived *what, size_t n,
                                              const double *x, double *out) {
    const orffi_features_fit *fit = self;
    const double sign = orffi_wave_field_find(what->field)->sign;
    const size_t d = fit->features->d, kk = what->k * what->k;
    work t = {0};
    orff_status status = n ? work_fill(&t, fit, what, n) : ORFF_OK;
    for (size_t i = 0; !status && i < n; i += t.rows)
        do_block(fit, &t, sign, n - i < t.rows ? n - i : t.rows, x + i * d, out + i * kk);
    work_clear(&t);
    return status;
}
