/* Steps of particles: the Runge-Kutta pair of orders 5 and 4 of Dormand and Prince (1980). Its last stage
 * is the first of the next step; interpolation within a step has order 4 (Hairer, Norsett and Wanner,
 * II.6). All particles compute a stage together, as a model is fastest for many points at once, but each
 * has its own step. */
#include "model/drift.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"

enum { STAGES = 7, MOST_STEPS = 1000000 };
#define FIRST_STEP 0.1 /* length scales */

static const double nodes[STAGES] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
static const double stages[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/* order 5 minus order 4 */
static const double errors[STAGES] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                      -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
/* coefficients of the interpolation's last term, which the ends and their slopes do not determine */
static const double between[STAGES] = {-12715105075.0 / 11282082432.0,  0.0,
                                       87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                       701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                       69997945.0 / 29380423.0};

typedef struct run {
    orffi_flow flow;
    double scale; /* the shortest length scale of the field's space */
    double tolerance;
    size_t count;
    const double *times;
    double sign; /* of time */
    double *tracks;
    size_t all, active;
    orffi_particle *particles; /* all */
    orffi_particle **moving;   /* those active */
} run;

/* ---- one particle */

static double size(const run *r, const double *v) {
    double square = 0.0;
    for (size_t k = 0; k < r->flow.m; k++) square += v[k] * v[k];
    return sqrt(square);
}

static void set_trial(const run *r, orffi_particle *a, size_t stage) {
    for (size_t k = 0; k < r->flow.m; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < stage; i++) sum += stages[stage][i] * a->slope[i][k];
        a->trial[k] = a->state[k] + a->step * sum;
    }
}

/* Limits the step to a length scale, so that nothing is jumped over, to the remaining time, and to the
 * given maximum. */
static void limit_step(const run *r, orffi_particle *a) {
    const double speed = size(r, a->slope[0]), left = fabs(r->times[r->count - 1] - a->time);
    double step = fmin(fabs(a->step), left);
    if (r->flow.how->step > 0.0) step = fmin(step, r->flow.how->step);
    if (speed * step > r->scale) step = r->scale / speed;
    a->step = r->sign * step;
}

static double error_of(const run *r, const orffi_particle *a) {
    double sum[ORFFI_STATE] = {0};
    for (size_t i = 0; i < STAGES; i++)
        for (size_t k = 0; k < r->flow.m; k++) sum[k] += errors[i] * a->slope[i][k];
    return fabs(a->step) * size(r, sum) / r->tolerance;
}

/* The state at the given share of the step. */
static void interpolate(const run *r, const orffi_particle *a, double share, double *state) {
    for (size_t k = 0; k < r->flow.m; k++) {
        const double whole = a->trial[k] - a->state[k], first = a->step * a->slope[0][k] - whole;
        const double last = whole - a->step * a->slope[STAGES - 1][k] - first;
        double bend = 0.0;
        for (size_t i = 0; i < STAGES; i++) bend += between[i] * a->slope[i][k];
        state[k] =
            a->state[k] +
            share * (whole + (1.0 - share) * (first + share * (last + (1.0 - share) * a->step * bend)));
    }
}

/* Records the state at the next output time. */
static void record_place(run *r, orffi_particle *a, const double *state) {
    const orffi_flow *flow = &r->flow;
    const size_t d = flow->model->d, member = a->number / flow->n, i = a->number % flow->n;
    double *x = r->tracks + ((member * r->count + a->next) * flow->n + i) * d;
    memcpy(x, flow->X + i * d, d * sizeof *x);
    if (flow->model->on_plane) x[flow->how->space[0]] = a->from;
    orffi_flow_place(flow, state, x);
    a->from = x[flow->how->space[0]];
    if (flow->how->has_clock) x[flow->how->clock] += flow->how->pace * r->times[a->next];
    a->next++;
}

static bool reaches(const run *r, const orffi_particle *a, double time) {
    return a->next < r->count && r->sign * r->times[a->next] <= r->sign * time;
}

/* Accepts the step: records the output times within it; its last stage becomes the first of the next step. */
static void accept(run *r, orffi_particle *a) {
    const double left = r->times[r->count - 1] - a->time;
    const double end = fabs(a->step) >= fabs(left) ? r->times[r->count - 1] : a->time + a->step;
    while (reaches(r, a, end)) {
        double state[ORFFI_STATE];
        interpolate(r, a, (r->times[a->next] - a->time) / a->step, state);
        record_place(r, a, state);
    }
    a->time = end;
    memcpy(a->state, a->trial, sizeof a->state);
    memcpy(a->slope[0], a->slope[STAGES - 1], sizeof a->slope[0]);
}

static orff_status finish_step(run *r, orffi_particle *a) {
    const double error = error_of(r, a);
    const double growth = error > 0.0 ? 0.9 * pow(error, -0.2) : 5.0;
    if (++a->steps > MOST_STEPS || a->time + a->step == a->time)
        return orffi_fail(
            ORFF_ERROR_NUMERICAL,
            "particle %zu needs too many steps, or steps too short for a number: the field is too rough "
            "for the tolerance",
            a->number % r->flow.n + 1);
    if (error <= 1.0) accept(r, a);
    a->step *= fmin(fmax(growth, 0.2), error <= 1.0 ? 5.0 : 1.0);
    if (a->next < r->count) limit_step(r, a);
    return ORFF_OK;
}

/* ---- all of them */

static void drop_done(run *r) {
    size_t kept = 0;
    for (size_t i = 0; i < r->active; i++)
        if (!r->moving[i]->ended && r->moving[i]->next < r->count) r->moving[kept++] = r->moving[i];
    r->active = kept;
}

static orff_status advance(run *r) {
    for (size_t stage = 1; stage < STAGES; stage++) {
        for (size_t i = 0; i < r->active; i++) set_trial(r, r->moving[i], stage);
        ORFFI_TRY(orffi_flow_slopes(&r->flow, r->active, r->moving, stage, nodes[stage]));
        drop_done(r);
    }
    for (size_t i = 0; i < r->active; i++) ORFFI_TRY(finish_step(r, r->moving[i]));
    drop_done(r);
    return ORFF_OK;
}

static orff_status start(run *r) {
    for (size_t i = 0; i < r->all; i++) {
        orffi_particle *a = r->moving[i] = &r->particles[i];
        const double *x = r->flow.X + i % r->flow.n * r->flow.model->d;
        a->number = i;
        a->from = x[r->flow.how->space[0]];
        orffi_flow_state(&r->flow, x, a->state);
        memcpy(a->trial, a->state, sizeof a->trial);
        while (reaches(r, a, 0.0)) record_place(r, a, a->state);
    }
    r->active = r->all;
    drop_done(r);
    ORFFI_TRY(orffi_flow_slopes(&r->flow, r->active, r->moving, 0, 0.0));
    for (size_t i = 0; i < r->active; i++) {
        const double speed = size(r, r->moving[i]->slope[0]);
        r->moving[i]->step = speed > 0.0 ? FIRST_STEP * r->scale / speed : r->times[r->count - 1];
        limit_step(r, r->moving[i]);
    }
    drop_done(r);
    return ORFF_OK;
}

/* Progress in whole tracks, summed over all particles; ended ones count as whole. */
static double gone(const run *r) {
    double sum = (double)(r->all - r->active);
    for (size_t i = 0; i < r->active; i++) sum += r->moving[i]->time / r->times[r->count - 1];
    return sum;
}

static orff_status go(run *r) {
    ORFFI_TRY(start(r));
    while (r->active) {
        ORFFI_TRY(orffi_progress("drift", gone(r), (double)r->all));
        ORFFI_TRY(advance(r));
    }
    return orffi_progress("drift", (double)r->all, (double)r->all);
}

/* ---- masks */

/* Sets a particle to NaN from its first masked place on. masked: n flags at one time. */
static void end_masked(const run *r, size_t member, size_t t, const bool *masked) {
    const size_t n = r->flow.n, d = r->flow.model->d;
    for (size_t i = 0; i < n; i++)
        for (size_t later = t; masked[i] && later < r->count; later++)
            for (size_t k = 0; k < d; k++)
                r->tracks[((member * r->count + later) * n + i) * d + k] = (double)NAN;
}

static orff_status mask_time(const run *r, size_t member, size_t t, double *at, bool *masked) {
    const size_t n = r->flow.n, d = r->flow.model->d;
    const double *x = r->tracks + (member * r->count + t) * n * d;
    for (size_t i = 0; i < n; i++)
        memcpy(at + i * d, (isnan(x[i * d]) ? r->flow.X : x) + i * d, d * sizeof *at);
    ORFFI_TRY(orff_model_mask(r->flow.model, &r->flow.how->mask, n, at, masked));
    end_masked(r, member, t, masked);
    return ORFF_OK;
}

static orff_status mask_tracks(const run *r) {
    const orff_mask *mask = &r->flow.how->mask;
    double *at = NULL;
    bool *masked = NULL;
    if (isinf(mask->distance) && isinf(mask->std)) return ORFF_OK;
    orff_status status = ORFFI_NEW_ARRAY(at, r->flow.n * r->flow.model->d);
    if (!status) status = ORFFI_NEW_ARRAY(masked, r->flow.n);
    for (size_t j = 0; !status && j < r->all / r->flow.n * r->count; j++)
        status = mask_time(r, j / r->count, j % r->count, at, masked);
    orffi_release(at);
    orffi_release(masked);
    return status;
}

/* ---- the call */

static double shortest_scale(const orff_model *model, const size_t *space) {
    double least = INFINITY;
    for (size_t m = 0; m < orffi_model_kernel(model)->n_parts; m++)
        for (size_t k = 0; k < model->p; k++) {
            const double sigma = model->user_sigmas[m * model->d + space[k]];
            if (sigma > 0.0) least = fmin(least, sigma);
        }
    return isinf(least) ? model->unit[space[0]] : least;
}

static orff_status check_times(size_t count, const double *times) {
    const double sign = count && times[count - 1] < 0.0 ? -1.0 : 1.0;
    double before = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double step = sign * (times[i] - before);
        if (!isfinite(times[i]) || step < 0.0 || (i && step == 0.0))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "time %zu is %g; times must increase from 0, or decrease from it", i + 1,
                              times[i]);
        before = times[i];
    }
    return ORFF_OK;
}

static orff_status check(const orff_model *model, const orff_drift *drift, size_t n, const double *X,
                         size_t count, const double *times) {
    if (model->classes || model->p > ORFFI_STATE)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "particles need a field of up to 3 outputs, not %s",
                          model->classes ? "classes" : "so many");
    for (size_t k = 0; k < model->p; k++)
        if (drift->space[k] >= model->d || (drift->has_clock && drift->clock == drift->space[k]))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "input %zu cannot be output %zu's",
                              drift->space[k] + 1, k + 1);
    if ((drift->has_clock && drift->clock >= model->d) || !isfinite(drift->rate) ||
        !(drift->tolerance > 0.0) || !(drift->step >= 0.0) || (drift->has_clock && !isfinite(drift->pace)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a drift has a rate that is finite, a tolerance above "
                                                       "0, a step of 0 or more, and a clock that is an "
                                                       "input");
    if (model->on_plane && memcmp(drift->space, model->plane.inputs, sizeof model->plane.inputs) != 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the inputs that move are not those of the model's plane");
    ORFFI_TRY(orffi_check_finite("X", n, model->d, X));
    return check_times(count, times);
}

static orff_status allocate(run *r, size_t members, size_t *numbers) {
    size_t each;
    ORFFI_TRY(orffi_multiply(members, r->flow.n, &r->all));
    ORFFI_TRY(orffi_multiply(r->count, r->flow.model->d, &each));
    ORFFI_TRY(orffi_multiply(r->all, each, numbers));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->tracks, *numbers));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->particles, r->all));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->moving, r->all));
    for (size_t i = 0; i < *numbers; i++) r->tracks[i] = NAN;
    return orffi_flow_init(&r->flow, r->all);
}

orff_status orff_model_drift(const orff_model *model, const orff_samples *samples, const orff_drift *drift,
                             size_t n, const double *X, size_t count, const double *times, double *tracks) {
    run r = {.flow = {.model = model, .samples = samples, .how = drift, .n = n, .X = X},
             .count = count,
             .times = times};
    size_t numbers = 0;
    if (!model || !drift || !X || !times || !tracks)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_drift: NULL argument");
    if (n == 0 || count == 0) return ORFF_OK;
    ORFFI_TRY(check(model, drift, n, X, count, times));
    r.scale = shortest_scale(model, drift->space);
    r.tolerance = drift->tolerance * r.scale;
    r.sign = times[count - 1] < 0.0 ? -1.0 : 1.0;
    orff_status status = allocate(&r, samples ? orff_samples_count(samples) : 1, &numbers);
    if (!status) status = go(&r);
    if (!status) status = mask_tracks(&r);
    if (!status) memcpy(tracks, r.tracks, numbers * sizeof *tracks);
    orffi_flow_clear(&r.flow);
    orffi_release(r.tracks);
    orffi_release(r.particles);
    orffi_release(r.moving);
    return status;
}
