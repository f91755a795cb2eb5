/* Quasi-Newton ascent of an evidence, and dropping parts with small weights. */
#include "solve/weights.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"

#define MOST_VARIABLES (ORFFI_MOST_PARTS + 1)
#define MOST_STEPS     40
#define LAST_STEPS     15   /* after the last parts were dropped */
#define ENOUGH         0.01 /* nats: the search ends after a step that gains less */
#define FIRST_STEPS    12   /* after these, parts far below the final threshold are dropped, to save work */
#define LONGEST_STEP   2.0  /* of a logarithm: a factor of 7 */
#define REACH          35.0 /* logarithms stay within this distance of their start */

static size_t n_of(const orffi_weights_search *s) {
    return s->parts + 1;
}

/* ---- evidence */

static void reset_hessian(orffi_weights_search *s) {
    memset(s->H, 0, sizeof s->H);
    for (size_t i = 0; i < n_of(s); i++) s->H[i][i] = 1.0;
}

/* -INFINITY if the matrix is singular to rounding: the line search then shortens the step. */
static orff_status evaluate(orffi_weights_search *s, const double *x, double *value, double *gradient) {
    s->evaluations++;
    ORFFI_TRY(orffi_progress("mixture", (double)s->evaluations, (double)(2 * MOST_STEPS)));
    const orff_status status = s->evidence(s->self, x, value, gradient);
    if (status == ORFF_ERROR_NOT_POSITIVE) {
        *value = -INFINITY;
        return ORFF_OK;
    }
    for (size_t i = 0; !status && gradient && i < n_of(s); i++)
        if (!s->free[i]) gradient[i] = 0.0;
    return status;
}

/* direction = H gradient, shortened so that no component exceeds LONGEST_STEP; returns the slope along it. */
static double direction_of(const orffi_weights_search *s, double *direction) {
    double slope = 0.0, longest = 0.0;
    for (size_t i = 0; i < n_of(s); i++) {
        direction[i] = 0.0;
        for (size_t k = 0; k < n_of(s); k++) direction[i] += s->H[i][k] * s->gradient[k];
        longest = fmax(longest, fabs(direction[i]));
    }
    const double shrink = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1.0;
    for (size_t i = 0; i < n_of(s); i++) {
        direction[i] *= shrink;
        slope += direction[i] * s->gradient[i];
    }
    return slope;
}

/* BFGS with step dx and change dg of the negative gradient. Skipped if the curvature is not positive. */
static void update_hessian(orffi_weights_search *s, const double *dx, const double *dg) {
    double Hg[MOST_VARIABLES], xg = 0.0, gHg = 0.0;
    for (size_t i = 0; i < n_of(s); i++) {
        Hg[i] = 0.0;
        for (size_t k = 0; k < n_of(s); k++) Hg[i] += s->H[i][k] * dg[k];
    }
    for (size_t i = 0; i < n_of(s); i++) {
        xg += dx[i] * dg[i];
        gHg += dg[i] * Hg[i];
    }
    if (!(xg > 1e-12)) return;
    for (size_t i = 0; i < n_of(s); i++)
        for (size_t k = 0; k < n_of(s); k++)
            s->H[i][k] += (1.0 + gHg / xg) * dx[i] * dx[k] / xg - (Hg[i] * dx[k] + dx[i] * Hg[k]) / xg;
}

static double clamp(double x, double start) {
    return fmin(fmax(x, start - REACH), start + REACH);
}

/* One step upwards. *gain: the growth of the evidence; 0 if no step along the direction raises it. */
static orff_status step(orffi_weights_search *s, double *gain) {
    double direction[MOST_VARIABLES], x[MOST_VARIABLES], gradient[MOST_VARIABLES], dx[MOST_VARIABLES],
        dg[MOST_VARIABLES];
    double value = -INFINITY;
    const double slope = direction_of(s, direction);
    *gain = 0.0;
    for (double size = 1.0; size > 1e-4; size *= 0.3) {
        for (size_t i = 0; i < n_of(s); i++)
            x[i] = s->free[i] ? clamp(s->x[i] + size * direction[i], s->start[i]) : s->x[i];
        ORFFI_TRY(evaluate(s, x, &value, gradient));
        if (value > s->value + 1e-4 * size * slope) break;
    }
    if (!(value > s->value)) return ORFF_OK;
    for (size_t i = 0; i < n_of(s); i++) {
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

/* Whether no slope along any logarithm promises more than a hundredth of a nat. */
static bool is_flat(const orffi_weights_search *s) {
    double steepest = 0.0;
    for (size_t i = 0; i < n_of(s); i++) steepest = fmax(steepest, fabs(s->gradient[i]));
    return steepest < 0.1;
}

/* Ascends until a step gains less than a hundredth of a nat, either where the evidence is flat or right after
 * a reset of the Hessian. */
static orff_status ascend(orffi_weights_search *s, size_t most_steps) {
    bool fresh = false;
    ORFFI_TRY(evaluate(s, s->x, &s->value, s->gradient));
    if (isinf(s->value))
        return orffi_fail(ORFF_ERROR_NUMERICAL, "the evidence cannot be computed at the start values");
    s->converged = false;
    for (size_t i = 0; i < most_steps; i++) {
        double gain;
        ORFFI_TRY(step(s, &gain));
        if (gain < ENOUGH) {
            s->converged = true;
            if (fresh || is_flat(s)) break;
            reset_hessian(s);
        }
        fresh = gain < ENOUGH;
    }
    return ORFF_OK;
}

/* ---- shares */

void orffi_weights_shares(const orffi_weights_search *s, double *shares) {
    double total = 0.0;
    for (size_t m = 0; m < n_of(s); m++) {
        shares[m] = m + 1 < n_of(s) ? exp(s->x[m]) * s->trace[m] : exp(s->x[m]) * (double)s->outputs;
        total += shares[m];
    }
    for (size_t m = 0; m < n_of(s); m++) shares[m] /= total;
}

/* Sets v = 0 for parts with a share below `drop`; returns whether there were any. */
static bool drop_parts(orffi_weights_search *s, double drop) {
    double shares[MOST_VARIABLES];
    bool dropped = false;
    orffi_weights_shares(s, shares);
    for (size_t m = 0; m + 1 < n_of(s); m++) {
        if (!s->free[m] || shares[m] >= drop) continue;
        s->free[m] = false;
        s->x[m] = -INFINITY;
        for (size_t i = 0; i < n_of(s); i++) s->H[m][i] = s->H[i][m] = 0.0;
        dropped = true;
    }
    return dropped;
}

/* ---- the whole search */

/* Starts with a tenth of the variance as noise and the rest divided according to the given weights. */
static void set_start(orffi_weights_search *s, const double *weights) {
    const double variance = fmax(s->variance, 1e-300);
    double total = 0.0;
    for (size_t m = 0; m + 1 < n_of(s); m++) total += weights[m] * s->trace[m];
    const double scale = 0.9 * variance * (double)s->outputs / fmax(total, 1e-300);
    for (size_t m = 0; m < n_of(s); m++) {
        s->x[m] = m + 1 < n_of(s) ? log(weights[m] * scale) : log(0.1 * variance);
        s->free[m] = isfinite(s->x[m]);
        s->start[m] = s->x[m];
    }
}

orff_status orffi_weights_check(size_t parts, const double *weights, double drop) {
    if (parts > ORFFI_MOST_PARTS)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a mixture of %zu parts; at most %d can be learned", parts,
                          ORFFI_MOST_PARTS);
    if (!(drop >= 0.0 && drop < 1.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "drop is %g; it is a share below 1", drop);
    for (size_t m = 0; m < parts; m++)
        if (!(weights[m] > 0.0 && isfinite(weights[m])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the start weight of part %zu is %g; it must be positive", m + 1, weights[m]);
    return ORFF_OK;
}

orff_status orffi_weights_learn(orffi_weights_search *s, const double *weights, double drop) {
    set_start(s, weights);
    reset_hessian(s);
    if (drop > 0.0) {
        ORFFI_TRY(ascend(s, FIRST_STEPS));
        drop_parts(s, 0.2 * drop);
    }
    ORFFI_TRY(ascend(s, MOST_STEPS));
    return drop_parts(s, drop) ? ascend(s, LAST_STEPS) : ORFF_OK;
}
