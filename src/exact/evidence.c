/* The value of an evidence, and what follows from it. */
#include "exact/evidence_groups.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"

size_t orffi_evidence_unknowns(const orffi_evidence *e) {
    return orffi_evidence_at_noise(e) + e->errors + e->instruments + e->offsets;
}

/* ---- the kernel at x */

static const double *mix_of(const orffi_evidence *e, const double *x) {
    return e->mix ? x + orffi_evidence_at_mix(e) : NULL;
}

/* Shares: each part's weight, times its size if it is not normalised, divided by the sum of these. */
static orff_status set_parts(orffi_evidence *e, const double *x) {
    double sum = 0.0;
    for (size_t m = 0; m < e->n_parts; m++) {
        orffi_evidence_part *part = &e->parts[m];
        const bool open = e->weights && m > 0;
        ORFFI_TRY(orffi_evidence_part_set(part, e->dials + m * e->d, x, mix_of(e, x)));
        part->share =
            part->weight * (part->normalise ? 1.0 : part->size) * (open ? exp(x[e->scales + m - 1]) : 1.0);
        sum += part->share;
    }
    for (size_t m = 0; m < e->n_parts; m++) e->parts[m].share /= sum;
    return isfinite(sum) && sum > 0.0 ? ORFF_OK : ORFF_ERROR_NOT_POSITIVE;
}

/* ---- the noise at x, without the factor s */

double orffi_evidence_error_share(const orffi_evidence *e, const double *x) {
    return e->errors ? 1.0 / (1.0 + exp(-x[orffi_evidence_at_noise(e)])) : 0.0;
}

/* log r of an instrument */
static double ratio_of(const orffi_evidence *e, const double *x, size_t instrument) {
    return instrument ? x[orffi_evidence_at_noise(e) + e->errors + instrument - 1] : 0.0;
}

static void set_noise(orffi_evidence *e, const double *x) {
    const double share = orffi_evidence_error_share(e, x);
    for (size_t k = 0; k < e->n_groups; k++) {
        orffi_evidence_group *g = &e->groups[k];
        for (size_t i = 0; i < g->n; i++) {
            const double quality = g->known ? 1.0 - share + share * g->known[i] : 1.0;
            g->noise[i] =
                quality * g->unit[i] * (g->instrument ? exp(ratio_of(e, x, g->instrument[i])) : 1.0);
        }
    }
}

double orffi_evidence_offset(const orffi_evidence *e, const double *x) {
    return e->offsets ? exp(x[orffi_evidence_unknowns(e) - 2]) : 0.0;
}

/* ---- value */

static orff_status factor_group(const orffi_evidence *e, orffi_evidence_group *g, double s, double t) {
    const size_t P = g->P;
    ORFFI_TRY(orffi_evidence_fill_group(e, g, s, t));
    ORFFI_TRY(orffi_cholesky(P, g->C));
    memcpy(g->t, g->y, P * e->copies * sizeof *g->t);
    ORFFI_TRY(orffi_cholesky_solve(P, g->C, e->copies, g->t));
    g->log_det = 0.0;
    for (size_t i = 0; i < P; i++) g->log_det += 2.0 * log(g->C[i * P + i]);
    for (size_t k = 0; k < e->copies; k++) {
        double Q = 0.0;
        for (size_t i = 0; i < P; i++) Q += g->y[i * e->copies + k] * g->t[i * e->copies + k];
        g->amplitude[k].Q = Q;
        e->v[k] += Q / (double)e->order;
    }
    return ORFF_OK;
}

/* log p of draw k; logs: the sum of the log det's. Sets v of every group. */
static orff_status judge_draw(orffi_evidence *e, size_t k, double logs) {
    orffi_amplitude *list;
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, e->n_groups));
    for (size_t g = 0; g < e->n_groups; g++) list[g] = e->groups[g].amplitude[k];
    const double price = e->amplitudes ? 0.5 * log((double)e->order) : INFINITY;
    e->values[k] = orffi_amplitudes_judge(e->n_groups, list, price) - 0.5 * logs;
    for (size_t g = 0; g < e->n_groups; g++) e->groups[g].amplitude[k] = list[g];
    orffi_release(list);
    return ORFF_OK;
}

static orff_status find_value(orffi_evidence *e, double s, double t, double *value) {
    double logs = 0.0;
    memset(e->v, 0, e->copies * sizeof *e->v);
    for (size_t g = 0; g < e->n_groups; g++) {
        ORFFI_TRY(factor_group(e, &e->groups[g], s, t));
        logs += e->groups[g].log_det;
    }
    *value = 0.0;
    for (size_t k = 0; k < e->copies; k++) {
        ORFFI_TRY(judge_draw(e, k, logs));
        *value += e->values[k];
    }
    return ORFF_OK;
}

/* ---- gradient */

static orff_status evaluate(orffi_evidence *e, const double *x, double *value, double *gradient) {
    const double s = exp(x[orffi_evidence_unknowns(e) - 1]);
    ORFFI_TRY(set_parts(e, x));
    set_noise(e, x);
    ORFFI_TRY(find_value(e, s, orffi_evidence_offset(e, x), value));
    return gradient ? orffi_evidence_find_gradient(e, x, s, gradient) : ORFF_OK;
}

/* Limits BLAS to one thread if no group is worth more. Returns what orffi_team_limit restores. */
static int limit_team(const orffi_evidence *e) {
    bool alone = true;
    for (size_t g = 0; g < e->n_groups; g++) alone &= e->groups[g].P <= ORFFI_ALONE;
    return orffi_team_limit(alone ? 1 : 0);
}

orff_status orffi_evidence_evaluate(orffi_evidence *e, const double *x, double *value, double *gradient) {
    const int before = limit_team(e);
    const orff_status status = evaluate(e, x, value, gradient);
    orffi_team_limit(before);
    return status;
}

void orffi_evidence_variances(const orffi_evidence *e, double *v) {
    const bool alike = orffi_evidence_width(e) > 1 || e->directed;
    for (size_t k = 0; k < e->p; k++) v[k] = alike ? e->v[0] : 0.0;
    for (size_t k = 0; !alike && k < e->copies; k++) v[e->output[k]] = e->v[k];
}

void orffi_evidence_shares(const orffi_evidence *e, double *shares) {
    for (size_t m = 0; m < e->n_parts; m++) shares[m] = e->parts[m].share;
}

void orffi_evidence_outputs(const orffi_evidence *e, double *values) {
    memset(values, 0, e->p * sizeof *values);
    for (size_t k = 0; orffi_evidence_width(e) == 1 && k < e->copies; k++)
        values[e->output[k]] = e->values[k];
}

/* ---- a constant */

/* C^-1 H (P x q, zeros at first), and the variance over v of each plain mean without that of the noise. */
static orff_status solve_constants(const orffi_evidence_group *g, size_t q, double noise, double *U,
                                   double *plain) {
    const size_t P = g->P, n = g->n;
    double own = 0.0;
    for (size_t i = 0; i < n; i++) own += noise * g->noise[i] / ((double)n * (double)n);
    for (size_t i = 0; i < P; i++) /* L^T h, for h^T C h */
        for (size_t j = 0; j <= i; j++) U[j * q + i % q] += g->C[i * P + j];
    for (size_t a = 0; a < q; a++) plain[a] = -own;
    for (size_t i = 0; i < P * q; i++) plain[i % q] += U[i] * U[i] / ((double)n * (double)n);
    for (size_t i = 0; i < P * q; i++) U[i] = i / q % q == i % q ? 1.0 : 0.0;
    return orffi_cholesky_solve(P, g->C, q, U);
}

/* A = H^T U and B = H^T t (q x copies). */
static void sum_constants(const orffi_evidence *e, const orffi_evidence_group *g, size_t q, const double *U,
                          double *A, double *B) {
    for (size_t i = 0; i < g->P; i++) {
        for (size_t a = 0; a < q; a++) A[i % q * q + a] += U[i * q + a];
        for (size_t k = 0; k < e->copies; k++) B[i % q * e->copies + k] += g->t[i * e->copies + k];
    }
}

/* The draw k: b and the trace of A^-1 v. work: 2 q^2. */
static orff_status find_constant(const orffi_evidence *e, size_t q, size_t k, const double *A,
                                 const double *B, const double *prior, double *mean, double *trace,
                                 double *work) {
    const double v = e->v[k];
    double *inverse = work, *sum = work + q * q, *b;
    memcpy(inverse, A, q * q * sizeof *A);
    ORFFI_TRY(orffi_cholesky(q, inverse));
    ORFFI_TRY(orffi_cholesky_inverse(q, inverse));
    for (size_t a = 0; a < q; a++) *trace += v * inverse[a * (q + 1)];
    ORFFI_TRY(ORFFI_NEW_ARRAY(b, q));
    for (size_t a = 0; a < q; a++) {
        for (size_t c = 0; c < q; c++) sum[a * q + c] = A[a * q + c] / v;
        sum[a * (q + 1)] += 1.0 / prior[q > 1 ? a : e->output[k]];
        b[a] = B[a * e->copies + k] / v;
    }
    orff_status status = orffi_cholesky(q, sum);
    if (!status) status = orffi_cholesky_solve(q, sum, 1, b);
    for (size_t a = 0; !status && a < q; a++) mean[q > 1 ? a : e->output[k]] = b[a];
    orffi_release(b);
    return status;
}

orff_status orffi_evidence_mean(const orffi_evidence *e, double noise, double total, const double *prior,
                                double *mean, bool *better) {
    const orffi_evidence_group *g = e->groups;
    const size_t q = orffi_evidence_width(e);
    double *U, trace = 0.0, plain = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(U, g->P * q + 3 * q * q + q * (e->copies + 1)));
    double *A = U + g->P * q, *B = A + q * q, *own = B + q * e->copies, *work = own + q;
    memset(mean, 0, e->p * sizeof *mean);
    orff_status status = solve_constants(g, q, noise, U, own);
    if (!status) sum_constants(e, g, q, U, A, B);
    for (size_t k = 0; !status && k < e->copies; k++) {
        status = find_constant(e, q, k, A, B, prior, mean, &trace, work);
        for (size_t a = 0; a < q; a++) plain += e->v[k] * (own[a] + noise / total);
    }
    *better = !status && trace < plain;
    orffi_release(U);
    return status;
}

/* ---- rows left out */

/* y_i - f_(-i)(x_i) = (C^-1 y)_i / (C^-1)_ii */
static orff_status leave_out(const orffi_evidence *e, orffi_evidence_group *g, double *squares) {
    ORFFI_TRY(orffi_cholesky_inverse(g->P, g->C));
    memset(squares, 0, g->P * sizeof *squares);
    for (size_t i = 0; i < g->P * e->copies; i++) {
        const size_t row = i / e->copies;
        const double error = g->t[i] / g->C[row * g->P + row];
        squares[row] += error * error;
    }
    return ORFF_OK;
}

orff_status orffi_evidence_left_out(orffi_evidence *e, double *squares) {
    const int before = limit_team(e);
    orff_status status = ORFF_OK;
    for (size_t k = 0; !status && k < e->n_groups; squares += e->groups[k++].P)
        status = leave_out(e, &e->groups[k], squares);
    orffi_team_limit(before);
    return status;
}
