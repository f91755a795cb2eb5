#include "exact/waves.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

#define LOG_TWO_PI 1.83787706640934548356
#define TWO_PI     6.28318530717958647693

orff_status orffi_waves_init(orffi_waves *e, size_t d, size_t p, size_t n_parts, const orff_part *parts,
                             size_t n_groups, const orffi_evidence_rows *rows, const double *extent) {
    size_t most = 0;
    *e = (orffi_waves){
        .d = d, .p = p, .n_parts = n_parts, .n_groups = n_groups, .rows = rows, .extent = extent};
    for (size_t g = 0; g < n_groups; g++) most = rows[g].n > most ? rows[g].n : most;
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->C, most * most));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->T, most * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->work, 4 * most + 3 * d + 2 * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->laws, n_parts));
    for (size_t m = 0; m < n_parts; m++) {
        ORFFI_TRY(orffi_spectrum_init(&e->laws[m], parts[m].base, parts[m].shape, d, 1.0, NULL, d, NULL));
        ORFFI_TRY(orffi_spectrum_set_wavelengths(&e->laws[m], extent)); /* makes room for a centre */
    }
    return ORFF_OK;
}

void orffi_waves_clear(orffi_waves *e) {
    for (size_t m = 0; e->laws && m < e->n_parts; m++) orffi_spectrum_clear(&e->laws[m]);
    orffi_release(e->laws);
    orffi_release(e->C);
    orffi_release(e->T);
    orffi_release(e->work);
    *e = (orffi_waves){0};
}

/* ---- the matrix */

static void set_laws(orffi_waves *e, const double *x) {
    for (size_t m = 0; m < e->n_parts; m++)
        for (size_t k = 0; k < e->d; k++) {
            e->laws[m].scale[k] = exp(x[orffi_waves_at_l(e, m) + k]);
            e->laws[m].centre[k] = TWO_PI * x[orffi_waves_at_u(e, m) + k] / e->extent[k];
        }
}

static bool counts(const orffi_evidence_rows *rows, size_t i) {
    return !rows->weights || rows->weights[i] > 0.0;
}

static void subtract(const orffi_waves *e, const orffi_evidence_rows *rows, size_t i, size_t j,
                     double *delta) {
    for (size_t k = 0; k < e->d; k++) delta[k] = rows->X[i * e->d + k] - rows->X[j * e->d + k];
}

/* The lower triangle, which orffi_cholesky reads. Rows with weight 0 are decoupled from all others. */
static void fill(orffi_waves *e, const double *x, const orffi_evidence_rows *rows) {
    const size_t n = rows->n;
    const double s = exp(x[orffi_waves_unknowns(e) - 1]);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            subtract(e, rows, i, j, e->work);
            for (size_t m = 0; counts(rows, i) && counts(rows, j) && m < e->n_parts; m++)
                sum += exp(x[orffi_waves_at_v(e, m)]) * orffi_spectrum_k0(&e->laws[m], e->work);
            e->C[i * n + j] = sum;
        }
        e->C[i * n + i] =
            counts(rows, i) ? e->C[i * n + i] + s / (rows->weights ? rows->weights[i] : 1.0) : 1.0;
    }
}

/* T = C^-1 Y from the factor in C; 0 in rows with weight 0. */
static orff_status solve(orffi_waves *e, const orffi_evidence_rows *rows) {
    const size_t p = e->p;
    for (size_t i = 0; i < rows->n; i++)
        for (size_t a = 0; a < p; a++) e->T[i * p + a] = counts(rows, i) ? rows->Y[i * p + a] : 0.0;
    return orffi_cholesky_solve(rows->n, e->C, p, e->T);
}

static orff_status add_value(orffi_waves *e, const orffi_evidence_rows *rows, double *value) {
    const size_t n = rows->n, p = e->p;
    ORFFI_TRY(orffi_cholesky(n, e->C));
    ORFFI_TRY(solve(e, rows));
    for (size_t i = 0; i < n; i++) {
        if (!counts(rows, i)) continue;
        *value -= (double)p * (log(e->C[i * n + i]) + 0.5 * LOG_TWO_PI);
        *value -= 0.5 * orffi_dot(p, rows->Y + i * p, e->T + i * p);
    }
    return ORFF_OK;
}

/* ---- gradient: 1/2 tr W dC, W = T T^T - p C^-1 */

static void add_pair(orffi_waves *e, const double *x, double W, const double *delta, double *gradient,
                     double *work) {
    double k0, *slopes = work, *turns = work + e->d;
    for (size_t m = 0; m < e->n_parts; m++) {
        const double by = W * exp(x[orffi_waves_at_v(e, m)]);
        orffi_spectrum_k0_scales(&e->laws[m], delta, &k0, slopes);
        orffi_spectrum_k0_centre(&e->laws[m], delta, turns);
        for (size_t k = 0; k < e->d; k++) {
            gradient[orffi_waves_at_l(e, m) + k] += by * slopes[k];
            gradient[orffi_waves_at_u(e, m) + k] += by * turns[k] * TWO_PI / e->extent[k];
        }
        gradient[orffi_waves_at_v(e, m)] += by * k0;
    }
}

static orff_status add_gradient(orffi_waves *e, const double *x, const orffi_evidence_rows *rows,
                                double *gradient) {
    const size_t n = rows->n, p = e->p, last = orffi_waves_unknowns(e) - 1;
    ORFFI_TRY(orffi_cholesky_inverse(n, e->C));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            if (!counts(rows, i) || !counts(rows, j)) continue;
            const double W = orffi_dot(p, e->T + i * p, e->T + j * p) - (double)p * e->C[i * n + j];
            subtract(e, rows, i, j, e->work);
            add_pair(e, x, i == j ? 0.5 * W : W, e->work, gradient, e->work + e->d);
            if (i == j) gradient[last] += 0.5 * W * exp(x[last]) / (rows->weights ? rows->weights[i] : 1.0);
        }
    return ORFF_OK;
}

orff_status orffi_waves_evaluate(orffi_waves *e, const double *x, double *value, double *gradient) {
    set_laws(e, x);
    *value = 0.0;
    if (gradient) memset(gradient, 0, orffi_waves_unknowns(e) * sizeof *gradient);
    for (size_t g = 0; g < e->n_groups; g++) {
        fill(e, x, &e->rows[g]);
        ORFFI_TRY(add_value(e, &e->rows[g], value));
        if (gradient) ORFFI_TRY(add_gradient(e, x, &e->rows[g], gradient));
    }
    return ORFF_OK;
}

/* ---- one more sine */

/* F = (cos, sin) of a wave (d) at the rows, and Z = C^-1 F, where e->C already has the inverse: 4 n
 * numbers. */
static void fill_wave(const orffi_waves *e, const orffi_evidence_rows *rows, const double *wave, double *F) {
    const size_t n = rows->n;
    double *c = F, *s = F + n, *Zc = F + 2 * n, *Zs = F + 3 * n;
    for (size_t i = 0; i < n; i++) {
        double angle = 0.0;
        for (size_t k = 0; k < e->d; k++) angle += TWO_PI * wave[k] / e->extent[k] * rows->X[i * e->d + k];
        c[i] = counts(rows, i) ? cos(angle) : 0.0;
        s[i] = counts(rows, i) ? sin(angle) : 0.0;
    }
    for (size_t i = 0; i < n; i++) {
        Zc[i] = orffi_dot(n, e->C + i * n, c);
        Zs[i] = orffi_dot(n, e->C + i * n, s);
    }
}

/* Adds what the wave in F explains of the rows. */
static void add_gain(const orffi_waves *e, size_t n, const double *F, double *gain, double *amplitude) {
    const double *c = F, *s = F + n, *Zc = F + 2 * n, *Zs = F + 3 * n;
    const double cc = orffi_dot(n, c, Zc), cs = orffi_dot(n, c, Zs), ss = orffi_dot(n, s, Zs),
                 det = cc * ss - cs * cs;
    if (!(det > 1e-10 * cc * ss))
        return; /* cosine and sine are the same in all rows: the phase is
                                             undetermined */
    for (size_t a = 0; a < e->p; a++) {
        double bc = 0.0, bs = 0.0;
        for (size_t i = 0; i < n; i++) {
            bc += c[i] * e->T[i * e->p + a];
            bs += s[i] * e->T[i * e->p + a];
        }
        const double tc = (ss * bc - cs * bs) / det, ts = (cc * bs - cs * bc) / det;
        *gain += 0.5 * (bc * tc + bs * ts);
        *amplitude += 0.5 * (tc * tc + ts * ts) / (double)(e->p * e->n_groups);
    }
}

orff_status orffi_waves_scan(orffi_waves *e, const double *x, size_t count, const double *waves, double *gain,
                             double *amplitude) {
    double value = 0.0;
    set_laws(e, x);
    memset(gain, 0, count * sizeof *gain);
    memset(amplitude, 0, count * sizeof *amplitude);
    for (size_t g = 0; g < e->n_groups; g++) {
        const orffi_evidence_rows *rows = &e->rows[g];
        fill(e, x, rows);
        ORFFI_TRY(add_value(e, rows, &value));
        ORFFI_TRY(orffi_cholesky_inverse(rows->n, e->C));
        for (size_t i = 0; i < count; i++) {
            fill_wave(e, rows, waves + i * e->d, e->work);
            add_gain(e, rows->n, e->work, &gain[i], &amplitude[i]);
        }
    }
    return ORFF_OK;
}
