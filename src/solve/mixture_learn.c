/* Learning the weights of a sum and lambda: quasi-Newton ascent of the evidence, or pattern search of the cross-validated
 * error from there. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "solve/mixture.h"

#define MOST_STEPS 60
#define MOST_VARIABLES 65
#define LONGEST_STEP 2.0 /* in a logarithm: a factor of 7 */
#define REACH 35.0       /* logarithms stay within so much of their start */

/* Variables x = (log v, log s2); those not free stay where they are (v = 0 is -INFINITY). */
typedef struct search {
    orff_mixture mix;
    size_t n;                      /* variables */
    bool free[MOST_VARIABLES];
    double x[MOST_VARIABLES], start[MOST_VARIABLES], gradient[MOST_VARIABLES];
    double H[MOST_VARIABLES][MOST_VARIABLES]; /* inverse of the negative Hessian, built by BFGS */
    double value;
    size_t evaluations;
} search;

/* ---- evidence */

static void reset_hessian(search *s) {
    memset(s->H, 0, sizeof s->H);
    for (size_t i = 0; i < s->n; i++) s->H[i][i] = 1.0;
}

/* -INFINITY where the matrix is singular to rounding: the line search then steps back. */
static orff_status evaluate(search *s, const double *x, double *value, double *gradient) {
    s->evaluations++;
    ORFF_TRY(orff_progress("mixture", (double)s->evaluations, (double)(2 * MOST_STEPS)));
    const orff_status status = orff_mixture_evidence(&s->mix, x, value, gradient);
    if (status == ORFF_NOT_POSITIVE) {
        *value = -INFINITY;
        return ORFF_OK;
    }
    for (size_t i = 0; !status && gradient && i < s->n; i++)
        if (!s->free[i]) gradient[i] = 0.0;
    return status;
}

/* direction = H gradient, no component longer than LONGEST_STEP; returns the slope along it. */
static double direction_of(const search *s, double *direction) {
    double slope = 0.0, longest = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        direction[i] = 0.0;
        for (size_t k = 0; k < s->n; k++) direction[i] += s->H[i][k] * s->gradient[k];
        longest = fmax(longest, fabs(direction[i]));
    }
    const double shrink = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1.0;
    for (size_t i = 0; i < s->n; i++) {
        direction[i] *= shrink;
        slope += direction[i] * s->gradient[i];
    }
    return slope;
}

/* BFGS: with step dx and change of the negative gradient dg. Skipped where the curvature is not positive. */
static void update_hessian(search *s, const double *dx, const double *dg) {
    double Hg[MOST_VARIABLES], xg = 0.0, gHg = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        Hg[i] = 0.0;
        for (size_t k = 0; k < s->n; k++) Hg[i] += s->H[i][k] * dg[k];
    }
    for (size_t i = 0; i < s->n; i++) {
        xg += dx[i] * dg[i];
        gHg += dg[i] * Hg[i];
    }
    if (!(xg > 1e-12)) return;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->n; k++)
            s->H[i][k] += (1.0 + gHg / xg) * dx[i] * dx[k] / xg - (Hg[i] * dx[k] + dx[i] * Hg[k]) / xg;
}

static double clamp(double x, double start) { return fmin(fmax(x, start - REACH), start + REACH); }

/* One step up. *gain: by how much the evidence rose; 0 when no step along the direction raises it. */
static orff_status step(search *s, double *gain) {
    double direction[MOST_VARIABLES], x[MOST_VARIABLES], gradient[MOST_VARIABLES], dx[MOST_VARIABLES], dg[MOST_VARIABLES];
    double value = -INFINITY;
    const double slope = direction_of(s, direction);
    *gain = 0.0;
    for (double size = 1.0; size > 1e-4; size *= 0.3) {
        for (size_t i = 0; i < s->n; i++)
            x[i] = s->free[i] ? clamp(s->x[i] + size * direction[i], s->start[i]) : s->x[i];
        ORFF_TRY(evaluate(s, x, &value, gradient));
        if (value > s->value + 1e-4 * size * slope) break;
    }
    if (!(value > s->value)) return ORFF_OK;
    for (size_t i = 0; i < s->n; i++) {
        dx[i] = s->free[i] ? x[i] - s->x[i] : 0.0;
        dg[i] = s->gradient[i] - gradient[i];
    }
    update_hessian(s, dx, dg);
    *gain = value - s->value;
    s->value = value;
    memcpy(s->x, x, sizeof x);
    memcpy(s->gradient, gradient, sizeof gradient);
    return ORFF_OK;
}

/* Until a step gains less than a thousandth of a nat twice, the second time from a fresh Hessian. */
static orff_status ascend(search *s, bool *converged) {
    bool fresh = true;
    reset_hessian(s);
    ORFF_TRY(evaluate(s, s->x, &s->value, s->gradient));
    if (isinf(s->value)) return orff_fail(ORFF_NUMERICAL, "the evidence cannot be computed at the start values");
    *converged = false;
    for (size_t i = 0; i < MOST_STEPS; i++) {
        double gain;
        ORFF_TRY(step(s, &gain));
        if (gain < 1e-3) {
            *converged = true;
            if (fresh) break;
            reset_hessian(s);
        }
        fresh = gain < 1e-3;
    }
    return ORFF_OK;
}

/* ---- shares */

/* v_m trace K_m(0) and p s2, as parts of their sum. */
static void fill_shares(const search *s, double *shares) {
    double total = 0.0;
    for (size_t m = 0; m < s->n; m++) {
        shares[m] = m + 1 < s->n ? exp(s->x[m]) * s->mix.trace[m] : exp(s->x[m]) * (double)s->mix.features->p;
        total += shares[m];
    }
    for (size_t m = 0; m < s->n; m++) shares[m] /= total;
}

/* Parts below `drop` get v = 0; returns whether any did. */
static bool drop_parts(search *s, double drop) {
    double shares[MOST_VARIABLES];
    bool dropped = false;
    fill_shares(s, shares);
    for (size_t m = 0; m + 1 < s->n; m++) {
        if (!s->free[m] || shares[m] >= drop) continue;
        s->free[m] = false;
        s->x[m] = -INFINITY;
        dropped = true;
    }
    return dropped;
}

/* ---- cross-validation */

/* One mixture for the training rows of each fold, and that fold's own. */
typedef struct folds {
    size_t count;
    orff_mixture *train, *held;
} folds;

static void folds_clear(folds *f) {
    for (size_t k = 0; f->train && k < f->count; k++) orff_mixture_clear(&f->train[k]);
    for (size_t k = 0; f->held && k < f->count; k++) orff_mixture_clear(&f->held[k]);
    orff_release(f->train);
    orff_release(f->held);
}

static orff_status folds_fill(folds *out, const orff_features *f, const orff_moments *moments, bool center) {
    out->count = moments->n_sets;
    ORFF_TRY(ORFF_NEW_ARRAY(out->train, out->count));
    ORFF_TRY(ORFF_NEW_ARRAY(out->held, out->count));
    for (size_t k = 0; k < out->count; k++) {
        ORFF_TRY(orff_mixture_init(&out->train[k], f, moments, k, center, NULL));
        ORFF_TRY(orff_mixture_init_fold(&out->held[k], f, moments, k, out->train[k].mean));
    }
    return ORFF_OK;
}

/* sum |f - y|^2 of the held rows = t^T G1 t - 2 t.b1 + yy with t = sqrt(d) theta. scratch is M. */
static double held_error(const orff_mixture *train, const orff_mixture *held, double *scratch) {
    double error = held->yy;
    for (size_t i = 0; i < train->M; i++) scratch[i] = sqrt(train->d[i % train->half]) * train->theta[i];
    for (size_t i = 0; i < train->M; i++) {
        double row = 0.0;
        for (size_t k = 0; k < train->M; k++) row += held->G1[i * train->M + k] * scratch[k];
        error += scratch[i] * (row - 2.0 * held->b1[i]);
    }
    return error;
}

/* Cross-validated error at x; s2 stands for the training rows' N lambda, so it shrinks with their number. */
static orff_status cross_error(search *s, const folds *f, const double *x, double *error) {
    double moved[MOST_VARIABLES];
    *error = 0.0;
    s->evaluations++;
    ORFF_TRY(orff_progress("mixture", (double)s->evaluations, 0.0));
    for (size_t k = 0; k < f->count; k++) {
        memcpy(moved, x, sizeof moved);
        moved[s->n - 1] += log(f->train[k].N / s->mix.N);
        const orff_status status = orff_mixture_solve(&f->train[k], moved);
        if (status == ORFF_NOT_POSITIVE) *error = INFINITY;
        if (status == ORFF_NOT_POSITIVE) return ORFF_OK;
        ORFF_TRY(status);
        *error += held_error(&f->train[k], &f->held[k], s->mix.theta);
    }
    return ORFF_OK;
}

/* Coordinate moves by factors of 4, 2 and 1.4, kept when they help. */
static orff_status pattern_search(search *s, const folds *f) {
    double best, error;
    ORFF_TRY(cross_error(s, f, s->x, &best));
    for (double size = 1.4; size > 0.3; size *= 0.5) {
        for (size_t i = 0; i < s->n; i++) {
            for (int sign = -1; s->free[i] && sign <= 1; sign += 2) {
                const double before = s->x[i];
                s->x[i] += sign * size;
                ORFF_TRY(cross_error(s, f, s->x, &error));
                if (error < best) {
                    best = error;
                    break;
                }
                s->x[i] = before;
            }
        }
    }
    return ORFF_OK;
}

static orff_status refine_by_folds(search *s, const orff_features *features, const orff_moments *moments, bool center) {
    folds f = {0};
    if (moments->n_sets < 2)
        return orff_fail(ORFF_INVALID_ARGUMENT, "cross-validation needs moments with at least 2 folds");
    orff_status status = folds_fill(&f, features, moments, center);
    if (!status) status = pattern_search(s, &f);
    folds_clear(&f);
    return status;
}

/* ---- the public call */

/* Start with a tenth of the variance as noise and the rest spread as the given weights say. */
static void set_start(search *s, const double *weights) {
    const double variance = fmax(s->mix.yy / s->mix.P, 1e-300);
    double total = 0.0;
    for (size_t m = 0; m + 1 < s->n; m++) total += weights[m] * s->mix.trace[m];
    const double scale = 0.9 * variance * (double)s->mix.features->p / fmax(total, 1e-300);
    for (size_t m = 0; m < s->n; m++) {
        s->x[m] = m + 1 < s->n ? log(weights[m] * scale) : log(0.1 * variance);
        s->free[m] = isfinite(s->x[m]);
        s->start[m] = s->x[m];
    }
}

static orff_status learn(search *s, const orff_features *f, const orff_moments *moments, bool center,
                         orff_criterion criterion, double drop, bool *converged) {
    ORFF_TRY(ascend(s, converged));
    if (drop_parts(s, drop)) ORFF_TRY(ascend(s, converged));
    if (criterion == ORFF_CROSS_VALIDATION) ORFF_TRY(refine_by_folds(s, f, moments, center));
    return ORFF_OK;
}

static orff_status check_learn(const orff_features *f, const orff_moments *moments, const double *weights,
                               const double *lambda, double drop) {
    if (!f || !moments || !weights || !lambda) return orff_fail(ORFF_INVALID_ARGUMENT, "orff_mixture_learn: NULL argument");
    if (f->kernel->n_parts + 1 > MOST_VARIABLES)
        return orff_fail(ORFF_UNSUPPORTED, "a mixture of %zu parts; at most %d can be learned", f->kernel->n_parts,
                         MOST_VARIABLES - 1);
    if (!(drop >= 0.0 && drop < 1.0)) return orff_fail(ORFF_INVALID_ARGUMENT, "drop is %g; it is a share below 1", drop);
    for (size_t m = 0; m < f->kernel->n_parts; m++)
        if (!(weights[m] > 0.0 && isfinite(weights[m])))
            return orff_fail(ORFF_INVALID_ARGUMENT, "the start weight of part %zu is %g; it must be positive", m + 1,
                             weights[m]);
    if (f->p != moments->p) return orff_fail(ORFF_MISMATCH, "the kernel has %zu outputs, the moments %zu", f->p, moments->p);
    return orff_bank_compare(f->bank, moments->bank);
}

orff_status orff_mixture_learn(const orff_features *features, const orff_moments *moments, bool center,
                               orff_criterion criterion, double drop, double *weights, double *lambda, double *shares,
                               orff_solve_info *info) {
    search *s;
    bool converged = false;
    ORFF_TRY(check_learn(features, moments, weights, lambda, drop));
    ORFF_TRY(ORFF_NEW(s));
    orff_status status = orff_mixture_init(&s->mix, features, moments, moments->n_sets, center, NULL);
    if (!status && !(s->mix.N > 0.0 && s->mix.yy > 0.0))
        status = orff_fail(ORFF_INVALID_ARGUMENT, "there are no rows to learn from, or the outputs are constant");
    if (!status) {
        s->n = s->mix.parts + 1;
        set_start(s, weights);
        status = learn(s, features, moments, center, criterion, drop, &converged);
    }
    if (!status) {
        for (size_t m = 0; m + 1 < s->n; m++) weights[m] = exp(s->x[m]);
        *lambda = exp(s->x[s->n - 1]) / s->mix.N;
        if (shares) fill_shares(s, shares);
        if (info)
            *info = (orff_solve_info){.method = criterion == ORFF_EVIDENCE ? "evidence" : "cross-validation",
                                      .iterations = s->evaluations, .converged = converged};
    }
    orff_mixture_clear(&s->mix);
    orff_release(s);
    return status;
}
