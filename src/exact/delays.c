#include "exact/delays.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

#define LOG_TWO_PI 1.83787706640934548356
#define TWO_PI     6.28318530717958647693

static orff_status init_law(orffi_spectrum *law, size_t d, const orff_part *part, const double *extent,
                            const double *periods) {
    ORFFI_TRY(orffi_spectrum_init(law, part->base, part->shape, d, 1.0, NULL, d, NULL));
    if (periods) return orffi_spectrum_set_periods(law, periods);
    return orffi_spectrum_set_wavelengths(law, extent); /* makes room for a centre */
}

orff_status orffi_delays_init(orffi_delays *e, size_t d, size_t p, size_t n_parts, const orff_part *parts,
                              size_t n_groups, const orffi_evidence_rows *rows, const double *extent,
                              const double *periods) {
    size_t most = 0;
    *e = (orffi_delays){
        .d = d, .p = p, .n_parts = n_parts, .n_groups = n_groups, .rows = rows, .extent = extent};
    for (size_t g = 0; g < n_groups; g++) most = rows[g].n * p > most ? rows[g].n * p : most;
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->C, most * most));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->y, 2 * most));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->M, n_parts * p * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->work, 4 * most * p + 4 * p * p + 4 * p + 4 * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->laws, n_parts));
    for (size_t m = 0; m < n_parts; m++) ORFFI_TRY(init_law(&e->laws[m], d, &parts[m], extent, periods));
    return ORFF_OK;
}

void orffi_delays_clear(orffi_delays *e) {
    for (size_t m = 0; e->laws && m < e->n_parts; m++) orffi_spectrum_clear(&e->laws[m]);
    orffi_release(e->laws);
    orffi_release(e->C);
    orffi_release(e->y);
    orffi_release(e->M);
    orffi_release(e->work);
    *e = (orffi_delays){0};
}

/* ---- the matrix */

static void set_laws(orffi_delays *e, const double *x) {
    for (size_t m = 0; m < e->n_parts; m++)
        for (size_t k = 0; k < e->d; k++) {
            e->laws[m].scale[k] = exp(x[orffi_delays_at_l(e, m) + k]);
            if (e->laws[m].centre)
                e->laws[m].centre[k] = TWO_PI * x[orffi_delays_at_u(e, m) + k] / e->extent[k];
        }
}

static double coupling(const orffi_delays *e, const double *x, size_t m, size_t a, size_t b) {
    const double *shared = x + orffi_delays_at_a(e, m), *own = x + orffi_delays_at_c(e, m);
    return shared[a] * shared[b] + (a == b ? exp(own[a]) : 0.0);
}

/* The delay of output a along input k. */
static double delay_of(const orffi_delays *e, const double *x, size_t m, size_t a, size_t k) {
    return a ? x[orffi_delays_at_tau(e, m) + (a - 1) * e->d + k] : 0.0;
}

/* x_i - x_j - tau_a + tau_b, for the numbers u = (i, a) and v = (j, b). */
static void subtract(const orffi_delays *e, const double *x, const orffi_evidence_rows *rows, size_t m,
                     size_t u, size_t v, double *delta) {
    const double *xi = rows->X + u / e->p * e->d, *xj = rows->X + v / e->p * e->d;
    for (size_t k = 0; k < e->d; k++)
        delta[k] = xi[k] - xj[k] - delay_of(e, x, m, u % e->p, k) + delay_of(e, x, m, v % e->p, k);
}

static bool counts(const orffi_evidence_rows *rows, size_t i) {
    return !rows->weights || rows->weights[i] > 0.0;
}

static double covariance(const orffi_delays *e, const double *x, const orffi_evidence_rows *rows, size_t u,
                         size_t v) {
    double sum = 0.0;
    for (size_t m = 0; m < e->n_parts; m++) {
        subtract(e, x, rows, m, u, v, e->work);
        sum += coupling(e, x, m, u % e->p, v % e->p) * orffi_spectrum_k0(&e->laws[m], e->work);
    }
    return sum;
}

/* The lower triangle, which orffi_cholesky reads. Rows with weight 0 are decoupled from all others. */
static void fill(orffi_delays *e, const double *x, const orffi_evidence_rows *rows) {
    const size_t p = e->p, P = rows->n * p;
    const double s = exp(x[orffi_delays_unknowns(e) - 1]);
    for (size_t u = 0; u < P; u++) {
        const bool here = counts(rows, u / p);
        for (size_t v = 0; v <= u; v++)
            e->C[u * P + v] = here && counts(rows, v / p) ? covariance(e, x, rows, u, v) : 0.0;
        e->C[u * P + u] = here ? e->C[u * P + u] + s / (rows->weights ? rows->weights[u / p] : 1.0) : 1.0;
    }
}

/* ---- value */

static orff_status add_value(orffi_delays *e, const orffi_evidence_rows *rows, double *value) {
    const size_t P = rows->n * e->p;
    double *t = e->y + P;
    ORFFI_TRY(orffi_cholesky(P, e->C));
    for (size_t u = 0; u < P; u++) {
        const bool here = counts(rows, u / e->p);
        t[u] = e->y[u] = here ? rows->Y[u] : 0.0;
        if (here) *value -= log(e->C[u * P + u]) + 0.5 * LOG_TWO_PI;
    }
    ORFFI_TRY(orffi_cholesky_solve(P, e->C, 1, t));
    *value -= 0.5 * orffi_dot(P, e->y, t);
    return ORFF_OK;
}

/* ---- gradient */

/* Replaces the factor by W = t t^T - C^-1. */
static orff_status find_weights(orffi_delays *e, size_t P) {
    const double *t = e->y + P;
    ORFFI_TRY(orffi_cholesky_inverse(P, e->C));
    for (size_t u = 0; u < P; u++)
        for (size_t v = 0; v < P; v++) e->C[u * P + v] = t[u] * t[v] - e->C[u * P + v];
    return ORFF_OK;
}

/* Adds what entry (u, v) of part m of C contributes to the derivatives by its length scales, waves and
 * delays, and its k0 to M. */
static void add_pair(orffi_delays *e, const double *x, const orffi_evidence_rows *rows, size_t m, size_t u,
                     size_t v, double *gradient) {
    const size_t p = e->p, d = e->d, a = u % p, b = v % p, P = rows->n * p;
    double *delta = e->work, *slopes = delta + d, *along = slopes + d, *turns = along + d, k0;
    double *M = e->M + m * p * p, *tau = gradient + orffi_delays_at_tau(e, m);
    const double W = e->C[u * P + v] * (u == v ? 1.0 : 2.0), by = 0.5 * W * coupling(e, x, m, a, b);
    subtract(e, x, rows, m, u, v, delta);
    orffi_spectrum_k0_scales(&e->laws[m], delta, &k0, slopes);
    orffi_spectrum_gradient(&e->laws[m], delta, along);
    if (e->laws[m].centre) orffi_spectrum_k0_centre(&e->laws[m], delta, turns);
    M[a * p + b] += 0.5 * W * k0;
    M[b * p + a] += 0.5 * W * k0;
    for (size_t k = 0; k < d; k++) {
        gradient[orffi_delays_at_l(e, m) + k] += by * slopes[k];
        if (e->laws[m].centre) gradient[orffi_delays_at_u(e, m) + k] += by * turns[k] * TWO_PI / e->extent[k];
        if (a) tau[(a - 1) * d + k] -= by * along[k];
        if (b) tau[(b - 1) * d + k] += by * along[k];
    }
}

static void add_gradient(orffi_delays *e, const double *x, const orffi_evidence_rows *rows,
                         double *gradient) {
    const size_t p = e->p, P = rows->n * p, last = orffi_delays_unknowns(e) - 1;
    for (size_t u = 0; u < P; u++) {
        if (!counts(rows, u / p)) continue;
        for (size_t v = 0; v <= u; v++)
            for (size_t m = 0; counts(rows, v / p) && m < e->n_parts; m++)
                add_pair(e, x, rows, m, u, v, gradient);
        gradient[last] += 0.5 * e->C[u * P + u] * exp(x[last]) / (rows->weights ? rows->weights[u / p] : 1.0);
    }
}

/* M_ab = the sum of W k0 over all pairs of rows; the derivatives follow from A = a a^T + diag(c). */
static void add_matrix(const orffi_delays *e, const double *x, size_t m, double *gradient) {
    const size_t p = e->p;
    const double *shared = x + orffi_delays_at_a(e, m), *own = x + orffi_delays_at_c(e, m);
    const double *M = e->M + m * p * p;
    for (size_t a = 0; a < p; a++) {
        gradient[orffi_delays_at_a(e, m) + a] += orffi_dot(p, M + a * p, shared);
        gradient[orffi_delays_at_c(e, m) + a] += 0.5 * M[a * p + a] * exp(own[a]);
    }
}

orff_status orffi_delays_evaluate(orffi_delays *e, const double *x, double *value, double *gradient) {
    set_laws(e, x);
    *value = 0.0;
    if (gradient) memset(gradient, 0, orffi_delays_unknowns(e) * sizeof *gradient);
    memset(e->M, 0, e->n_parts * e->p * e->p * sizeof *e->M);
    for (size_t g = 0; g < e->n_groups; g++) {
        fill(e, x, &e->rows[g]);
        ORFFI_TRY(add_value(e, &e->rows[g], value));
        if (!gradient) continue;
        ORFFI_TRY(find_weights(e, e->rows[g].n * e->p));
        add_gradient(e, x, &e->rows[g], gradient);
    }
    for (size_t m = 0; gradient && m < e->n_parts; m++) add_matrix(e, x, m, gradient);
    return ORFF_OK;
}

/* ---- one more sine */

/* In e->work, for a group of P numbers with q = 2 p columns: F (P x q), the cosine and the sine of each
 * output; Z = C^-1 F; G = F^T C^-1 F (q x q), b = F^T C^-1 y (q), and z = G^-1 b (q). */
typedef struct sine {
    double *F, *Z, *G, *b, *z;
} sine;

static sine place_sine(const orffi_delays *e, size_t P) {
    const size_t q = 2 * e->p;
    double *F = e->work, *Z = F + P * q, *G = Z + P * q;
    return (sine){.F = F, .Z = Z, .G = G, .b = G + q * q, .z = G + q * q + q};
}

static void fill_sine(const orffi_delays *e, const orffi_evidence_rows *rows, const double *wave, double *F) {
    const size_t p = e->p, q = 2 * p;
    memset(F, 0, rows->n * p * q * sizeof *F);
    for (size_t i = 0; i < rows->n; i++) {
        double angle = 0.0;
        for (size_t k = 0; k < e->d; k++) angle += TWO_PI * wave[k] / e->extent[k] * rows->X[i * e->d + k];
        for (size_t a = 0; counts(rows, i) && a < p; a++) {
            F[(i * p + a) * q + 2 * a] = cos(angle);
            F[(i * p + a) * q + 2 * a + 1] = sin(angle);
        }
    }
}

/* ORFF_ERROR_NOT_POSITIVE if cosine and sine are the same in all rows: their phase is then undetermined. */
static orff_status solve_sine(const orffi_delays *e, const orffi_evidence_rows *rows, const double *wave,
                              const sine *s) {
    const size_t P = rows->n * e->p, q = 2 * e->p;
    fill_sine(e, rows, wave, s->F);
    orffi_gemm(false, false, P, q, P, 1.0, e->C, P, s->F, q, 0.0, s->Z, q);
    orffi_gemm(true, false, q, q, P, 1.0, s->F, q, s->Z, q, 0.0, s->G, q);
    orffi_gemm(true, false, q, 1, P, 1.0, s->F, q, e->y + P, 1, 0.0, s->b, 1);
    memcpy(s->z, s->b, q * sizeof *s->z);
    ORFFI_TRY(orffi_cholesky(q, s->G));
    return orffi_cholesky_solve(q, s->G, 1, s->z);
}

/* Replaces e->C by C^-1 and stores C^-1 y in e->y + P. */
static orff_status invert(orffi_delays *e, const double *x, const orffi_evidence_rows *rows) {
    double value = 0.0;
    fill(e, x, rows);
    ORFFI_TRY(add_value(e, rows, &value));
    return orffi_cholesky_inverse(rows->n * e->p, e->C);
}

orff_status orffi_delays_scan(orffi_delays *e, const double *x, size_t count, const double *waves,
                              double *gain) {
    set_laws(e, x);
    memset(gain, 0, count * sizeof *gain);
    for (size_t g = 0; g < e->n_groups; g++) {
        const sine s = place_sine(e, e->rows[g].n * e->p);
        ORFFI_TRY(invert(e, x, &e->rows[g]));
        for (size_t i = 0; i < count; i++) {
            const orff_status status = solve_sine(e, &e->rows[g], waves + i * e->d, &s);
            if (status && status != ORFF_ERROR_NOT_POSITIVE) return status;
            if (!status) gain[i] += 0.5 * orffi_dot(2 * e->p, s.b, s.z);
        }
    }
    return ORFF_OK;
}

/* Groups may differ in phase, so squares and products with the first output are summed over them. */
orff_status orffi_delays_sine(orffi_delays *e, const double *x, const double *wave, double *amplitude,
                              double *phase) {
    double *across = phase;
    double *along;
    ORFFI_TRY(ORFFI_NEW_ARRAY(along, e->p));
    orff_status status = ORFF_OK;
    set_laws(e, x);
    memset(amplitude, 0, e->p * sizeof *amplitude);
    memset(across, 0, e->p * sizeof *across);
    for (size_t g = 0; !status && g < e->n_groups; g++) {
        const sine s = place_sine(e, e->rows[g].n * e->p);
        status = invert(e, x, &e->rows[g]);
        if (!status) status = solve_sine(e, &e->rows[g], wave, &s);
        for (size_t a = 0; !status && a < e->p; a++) {
            const double c = s.z[2 * a], r = s.z[2 * a + 1];
            amplitude[a] += (c * c + r * r) / (double)e->n_groups;
            along[a] += c * s.z[0] + r * s.z[1];
            across[a] += r * s.z[0] - c * s.z[1];
        }
        if (status == ORFF_ERROR_NOT_POSITIVE) status = ORFF_OK;
    }
    for (size_t a = 0; a < e->p; a++) {
        amplitude[a] = sqrt(amplitude[a]);
        phase[a] = atan2(across[a], along[a]);
    }
    orffi_release(along);
    return status;
}
