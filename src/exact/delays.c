#include "exact/delays.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

#define LOG_TWO_PI 1.83787706640934548356

orff_status orffi_delays_init(orffi_delays *e, size_t d, size_t p, size_t n_groups,
                              const orffi_evidence_rows *rows, orff_base base, double shape,
                              const double *periods) {
    size_t most = 0;
    *e = (orffi_delays){.p = p, .n_groups = n_groups, .rows = rows};
    for (size_t g = 0; g < n_groups; g++) most = rows[g].n * p > most ? rows[g].n * p : most;
    ORFFI_TRY(orffi_spectrum_init(&e->law, base, shape, d, 1.0, NULL, d, NULL));
    if (periods) ORFFI_TRY(orffi_spectrum_set_periods(&e->law, periods));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->C, most * most));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->y, 2 * most));
    return ORFFI_NEW_ARRAY(e->M, p * p);
}

void orffi_delays_clear(orffi_delays *e) {
    orffi_spectrum_clear(&e->law);
    orffi_release(e->C);
    orffi_release(e->y);
    orffi_release(e->M);
    *e = (orffi_delays){0};
}

size_t orffi_delays_unknowns(const orffi_delays *e) {
    return orffi_delays_at_tau(e) + (e->p - 1) * e->law.dim + 1;
}

/* ---- the matrix */

static double coupling(const orffi_delays *e, const double *x, size_t a, size_t b) {
    const double *shared = x + orffi_delays_at_a(e), *own = x + orffi_delays_at_c(e);
    return shared[a] * shared[b] + (a == b ? exp(own[a]) : 0.0);
}

/* How late output a is by input k. */
static double delay_of(const orffi_delays *e, const double *x, size_t a, size_t k) {
    return a ? x[orffi_delays_at_tau(e) + (a - 1) * e->law.dim + k] : 0.0;
}

/* x_i - x_j - tau_a + tau_b */
static void subtract(const orffi_delays *e, const double *x, const orffi_evidence_rows *rows, size_t i,
                     size_t a, size_t j, size_t b, double *delta) {
    const size_t d = e->law.dim;
    for (size_t k = 0; k < d; k++)
        delta[k] = rows->X[i * d + k] - rows->X[j * d + k] - delay_of(e, x, a, k) + delay_of(e, x, b, k);
}

static bool counts(const orffi_evidence_rows *rows, size_t i) {
    return !rows->weights || rows->weights[i] > 0.0;
}

/* The lower triangle, which orffi_cholesky reads. A row without weight stands apart. */
static void fill(const orffi_delays *e, const double *x, const orffi_evidence_rows *rows, double *delta) {
    const size_t p = e->p, P = rows->n * p;
    const double s = exp(x[orffi_delays_unknowns(e) - 1]);
    for (size_t u = 0; u < P; u++) {
        const size_t i = u / p, a = u % p;
        for (size_t v = 0; v <= u; v++) {
            subtract(e, x, rows, i, a, v / p, v % p, delta);
            e->C[u * P + v] = counts(rows, i) && counts(rows, v / p)
                                  ? coupling(e, x, a, v % p) * orffi_spectrum_k0(&e->law, delta)
                                  : 0.0;
        }
        e->C[u * P + u] =
            counts(rows, i) ? e->C[u * P + u] + s / (rows->weights ? rows->weights[i] : 1.0) : 1.0;
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

/* W = t t^T - C^-1 in place of the factor. */
static orff_status find_weights(orffi_delays *e, size_t P) {
    const double *t = e->y + P;
    ORFFI_TRY(orffi_cholesky_inverse(P, e->C));
    for (size_t u = 0; u < P; u++)
        for (size_t v = 0; v < P; v++) e->C[u * P + v] = t[u] * t[v] - e->C[u * P + v];
    return ORFF_OK;
}

/* What entry (u, v) of C does to length scales and delays, and its k0 to M (p x p). work: 3 d. */
static void add_pair(orffi_delays *e, const double *x, const orffi_evidence_rows *rows, size_t u, size_t v,
                     double *gradient, double *work) {
    const size_t p = e->p, d = e->law.dim, a = u % p, b = v % p, P = rows->n * p;
    double *delta = work, *slopes = work + d, *gradients = work + 2 * d, k0;
    const double W = e->C[u * P + v] * (u == v ? 1.0 : 2.0), by = 0.5 * W * coupling(e, x, a, b);
    subtract(e, x, rows, u / p, a, v / p, b, delta);
    orffi_spectrum_k0_scales(&e->law, delta, &k0, slopes);
    orffi_spectrum_gradient(&e->law, delta, gradients);
    e->M[a * p + b] += 0.5 * W * k0;
    e->M[b * p + a] += 0.5 * W * k0;
    for (size_t k = 0; k < d; k++) {
        gradient[k] += by * slopes[k];
        if (a) gradient[orffi_delays_at_tau(e) + (a - 1) * d + k] -= by * gradients[k];
        if (b) gradient[orffi_delays_at_tau(e) + (b - 1) * d + k] += by * gradients[k];
    }
}

static void add_gradient(orffi_delays *e, const double *x, const orffi_evidence_rows *rows, double *gradient,
                         double *work) {
    const size_t P = rows->n * e->p, last = orffi_delays_unknowns(e) - 1;
    for (size_t u = 0; u < P; u++) {
        if (!counts(rows, u / e->p)) continue;
        for (size_t v = 0; v <= u; v++)
            if (counts(rows, v / e->p)) add_pair(e, x, rows, u, v, gradient, work);
        gradient[last] +=
            0.5 * e->C[u * P + u] * exp(x[last]) / (rows->weights ? rows->weights[u / e->p] : 1.0);
    }
}

/* M_ab = the sum of W k0 over all pairs of rows; A = a a^T + diag(c). */
static void add_matrix(const orffi_delays *e, const double *x, double *gradient) {
    const size_t p = e->p;
    const double *shared = x + orffi_delays_at_a(e), *own = x + orffi_delays_at_c(e);
    for (size_t a = 0; a < p; a++) {
        gradient[orffi_delays_at_a(e) + a] += orffi_dot(p, e->M + a * p, shared);
        gradient[orffi_delays_at_c(e) + a] += 0.5 * e->M[a * p + a] * exp(own[a]);
    }
}

orff_status orffi_delays_evaluate(orffi_delays *e, const double *x, double *value, double *gradient) {
    const size_t d = e->law.dim;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 3 * d));
    for (size_t k = 0; k < d; k++) e->law.scale[k] = exp(x[k]);
    *value = 0.0;
    if (gradient) memset(gradient, 0, orffi_delays_unknowns(e) * sizeof *gradient);
    memset(e->M, 0, e->p * e->p * sizeof *e->M);
    orff_status status = ORFF_OK;
    for (size_t g = 0; !status && g < e->n_groups; g++) {
        fill(e, x, &e->rows[g], work);
        status = add_value(e, &e->rows[g], value);
        if (!status && gradient) status = find_weights(e, e->rows[g].n * e->p);
        if (!status && gradient) add_gradient(e, x, &e->rows[g], gradient, work);
    }
    if (!status && gradient) add_matrix(e, x, gradient);
    orffi_release(work);
    return status;
}
