#include "solve/minimise.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

#define ENOUGH     1e-4 /* Armijo: the fraction of the predicted decrease that a step must reach */
#define SHORTEN    0.1  /* a step is shortened to at least this fraction of itself ... */
#define LENGTHEN   0.5  /* ... and at most this */
#define MOST_TRIES 12   /* steps tried along one line: 0.1^12 of the first is negligible */

typedef struct search {
    orffi_minimum *m;
    orffi_minimise_fn *f;
    void *self;
    double *x, *g;         /* n: the current point, and the gradient there */
    double *trial, *slope; /* n: the same one step ahead */
    double *step, *change; /* n: direction, then x' - x; g' - g */
    double *H, *work;      /* n x n, approximate inverse of the Hessian; n */
    double value;
    double sign; /* -1: maximises, and all values here are of -f */
} search;

/* ---- evaluations */

static orff_status evaluate(search *s, const double *x, double *value, double *gradient) {
    s->m->evaluations++;
    const orff_status status = s->f(s->self, x, value, gradient);
    if (status && status != ORFF_ERROR_NOT_POSITIVE) return status;
    if (!status) *value *= s->sign;
    for (size_t i = 0; !status && i < s->m->n; i++) gradient[i] *= s->sign;
    bool finite = !status && isfinite(*value);
    for (size_t i = 0; finite && i < s->m->n; i++) finite = isfinite(gradient[i]);
    if (!finite) *value = INFINITY;
    return ORFF_OK;
}

/* ---- directions */

/* Whether unknown i is at a bound and f decreases only beyond it. */
static bool is_held(const search *s, size_t i) {
    return (s->x[i] <= s->m->low[i] && s->g[i] > 0.0) || (s->x[i] >= s->m->high[i] && s->g[i] < 0.0);
}

/* H = I, scaled so that the first step has about the length m->step. */
static void forget(search *s) {
    const size_t n = s->m->n;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++)
        if (!is_held(s, i)) largest = fmax(largest, fabs(s->g[i]));
    memset(s->H, 0, n * n * sizeof *s->H);
    for (size_t i = 0; i < n; i++) s->H[i * n + i] = largest > 0.0 ? s->m->step / largest : 1.0;
}

/* step = -H g over the free unknowns; returns the slope along it. */
static double find_direction(search *s) {
    const size_t n = s->m->n;
    double slope = 0.0, largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        s->step[i] = 0.0;
        for (size_t k = 0; !is_held(s, i) && k < n; k++)
            if (!is_held(s, k)) s->step[i] -= s->H[i * n + k] * s->g[k];
        largest = fmax(largest, fabs(s->step[i]));
    }
    const double cut = largest > s->m->step ? s->m->step / largest : 1.0;
    for (size_t i = 0; i < n; i++) {
        s->step[i] *= cut;
        slope += s->step[i] * s->g[i];
    }
    return slope;
}

/* If the direction from H is not a descent direction (because of rounding, or bounds that became free),
 * resets H. */
static double find_descent(search *s) {
    const double slope = find_direction(s);
    if (slope < 0.0) return slope;
    forget(s);
    return find_direction(s);
}

/* ---- along a line */

/* trial = x + length step, between the bounds; returns the predicted change of f, which is not positive. */
static double move(search *s, double length) {
    double promise = 0.0;
    for (size_t i = 0; i < s->m->n; i++) {
        s->trial[i] = fmin(fmax(s->x[i] + length * s->step[i], s->m->low[i]), s->m->high[i]);
        promise += (s->trial[i] - s->x[i]) * s->g[i];
    }
    return promise;
}

/* The minimum of the parabola through f here, its slope here, and f there, as a fraction of the step. */
static double shorter(double here, double promise, double there) {
    const double along = isfinite(there) ? -promise / (2.0 * (there - here - promise)) : SHORTEN;
    return fmin(fmax(along, SHORTEN), LENGTHEN);
}

/* Backtracks from the full step until f decreases enough. */
static orff_status search_line(search *s, double *there, bool *found) {
    double length = 1.0;
    *found = false;
    for (int i = 0; i < MOST_TRIES && s->m->evaluations < s->m->most; i++) {
        const double promise = move(s, length);
        ORFFI_TRY(evaluate(s, s->trial, there, s->slope));
        *found = *there <= s->value + ENOUGH * promise && promise < 0.0;
        if (*found) break;
        length *= shorter(s->value, promise, *there);
    }
    return ORFF_OK;
}

/* ---- steps */

/* H+ = (I - r s y^T) H (I - r y s^T) + r s s^T, r = 1/(y.s), if f curves upwards along s. */
static void update(search *s) {
    const size_t n = s->m->n;
    const double curvature = orffi_dot(n, s->step, s->change);
    if (!(curvature > 1e-10 * sqrt(orffi_dot(n, s->step, s->step) * orffi_dot(n, s->change, s->change))))
        return;
    for (size_t i = 0; i < n; i++) s->work[i] = orffi_dot(n, s->H + i * n, s->change);
    const double front = (1.0 + orffi_dot(n, s->change, s->work) / curvature) / curvature;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            s->H[i * n + k] += front * s->step[i] * s->step[k] -
                               (s->work[i] * s->step[k] + s->step[i] * s->work[k]) / curvature;
}

/* x = trial; step and change become the differences of x and of g. */
static void accept(search *s, double value) {
    for (size_t i = 0; i < s->m->n; i++) {
        s->step[i] = s->trial[i] - s->x[i];
        s->change[i] = s->slope[i] - s->g[i];
        s->x[i] = s->trial[i];
        s->g[i] = s->slope[i];
    }
    s->value = value;
}

static orff_status descend(search *s) {
    bool fresh = true; /* H is the identity */
    forget(s);
    while (s->m->evaluations < s->m->most) {
        double value;
        bool found;
        const double slope = find_descent(s), before = s->value;
        s->m->converged =
            -0.5 * slope < s->m->tolerance; /* the decrease of a parabola whose minimum is one step ahead */
        if (s->m->converged && !fresh) break;
        if (!(slope < 0.0)) break;
        ORFFI_TRY(search_line(s, &value, &found));
        if (!found && fresh) break;
        if (found) accept(s, value);
        fresh = !found;
        if (fresh)
            forget(s);
        else
            update(s);
        s->m->converged = found && before - value < s->m->tolerance;
        if (s->m->converged) break;
    }
    return ORFF_OK;
}

static orff_status begin(search *s, double *room) {
    const size_t n = s->m->n;
    s->g = room;
    s->trial = room + n;
    s->slope = room + 2 * n;
    s->step = room + 3 * n;
    s->change = room + 4 * n;
    s->work = room + 5 * n;
    s->H = room + 6 * n;
    for (size_t i = 0; i < n; i++) s->x[i] = fmin(fmax(s->x[i], s->m->low[i]), s->m->high[i]);
    ORFFI_TRY(evaluate(s, s->x, &s->value, s->g));
    return isfinite(s->value) ? descend(s) : ORFF_OK;
}

static orff_status run(orffi_minimum *m, orffi_minimise_fn *f, void *self, double *x, double sign) {
    search s = {.m = m, .f = f, .self = self, .x = x, .sign = sign};
    double *room;
    ORFFI_TRY(ORFFI_NEW_ARRAY(room, (m->n + 6) * m->n));
    m->evaluations = 0;
    m->converged = false;
    const orff_status status = begin(&s, room);
    m->value = sign * s.value;
    orffi_release(room);
    return status;
}

orff_status orffi_minimise(orffi_minimum *m, orffi_minimise_fn *f, void *self, double *x) {
    return run(m, f, self, x, 1.0);
}

orff_status orffi_maximise(orffi_minimum *m, orffi_minimise_fn *f, void *self, double *x) {
    return run(m, f, self, x, -1.0);
}
