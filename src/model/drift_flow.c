#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/plane.h"
#include "model/drift.h"
#include "model/samples.h"

#define DEGREE 0.017453292519943295

orff_status orffi_flow_init(orffi_flow *flow, size_t room) {
    flow->m = flow->model->on_plane ? 3 : flow->model->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(flow->at, room * flow->model->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(flow->f, room * flow->model->p));
    return ORFFI_NEW_ARRAY(flow->more, room * flow->model->p);
}

void orffi_flow_clear(orffi_flow *flow) {
    orffi_release(flow->at);
    orffi_release(flow->f);
    orffi_release(flow->more);
}

/* ---- places */

void orffi_flow_state(const orffi_flow *flow, const double *x, double *state) {
    const size_t *space = flow->how->space;
    if (!flow->model->on_plane) {
        for (size_t k = 0; k < flow->m; k++) state[k] = x[space[k]];
        return;
    }
    const double lon = x[space[0]] * DEGREE, lat = x[space[1]] * DEGREE;
    state[0] = ORFFI_EARTH_KM * cos(lat) * cos(lon);
    state[1] = ORFFI_EARTH_KM * cos(lat) * sin(lon);
    state[2] = ORFFI_EARTH_KM * sin(lat);
}

void orffi_flow_place(const orffi_flow *flow, const double *state, double *x) {
    const size_t *space = flow->how->space;
    if (!flow->model->on_plane) {
        for (size_t k = 0; k < flow->m; k++) x[space[k]] = state[k];
        return;
    }
    const double lon = atan2(state[1], state[0]) / DEGREE, before = x[space[0]];
    x[space[0]] = lon + 360.0 * round((before - lon) / 360.0);
    x[space[1]] = atan2(state[2], hypot(state[0], state[1])) / DEGREE;
}

/* All inputs of a particle at its trial. */
static void fill_inputs(const orffi_flow *flow, const orffi_particle *particle, double share, double *x) {
    const size_t d = flow->model->d;
    memcpy(x, flow->X + particle->number % flow->n * d, d * sizeof *x);
    if (flow->model->on_plane) x[flow->how->space[0]] = particle->from;
    orffi_flow_place(flow, particle->trial, x);
    if (flow->how->has_clock)
        x[flow->how->clock] += flow->how->pace * (particle->time + share * particle->step);
}

/* ---- velocities */

static void fill_slope(const orffi_flow *flow, const double *x, const double *f, double *slope) {
    const double rate = flow->how->rate;
    if (!flow->model->on_plane) {
        for (size_t k = 0; k < flow->m; k++) slope[k] = rate * f[k];
        return;
    }
    const double lon = x[flow->how->space[0]] * DEGREE, lat = x[flow->how->space[1]] * DEGREE;
    const double east[3] = {-sin(lon), cos(lon), 0.0};
    const double north[3] = {-sin(lat) * cos(lon), -sin(lat) * sin(lon), cos(lat)};
    for (size_t k = 0; k < 3; k++) slope[k] = rate * (f[0] * east[k] + f[1] * north[k]);
}

/* Values of the model, or what member i of the samples adds to them. */
static orff_status values(const orffi_flow *flow, size_t member, bool sampled, size_t n, const double *X,
                          double *out) {
    return sampled ? orffi_samples_deviation(flow->samples, member, n, X, out)
                   : orff_model_predict(flow->model, n, X, out);
}

static bool is_refusal(orff_status status) {
    return status == ORFF_ERROR_UNSUPPORTED || status == ORFF_ERROR_NOT_FINITE;
}

/* All points at once. If one is refused, each by itself, with NaN for the refused ones. */
static orff_status values_or_nan(const orffi_flow *flow, size_t member, bool sampled, size_t n,
                                 const double *X, double *out) {
    const size_t d = flow->model->d, p = flow->model->p;
    orff_status status = values(flow, member, sampled, n, X, out);
    if (!is_refusal(status)) return status;
    for (size_t i = 0; i < n; i++) {
        status = values(flow, member, sampled, 1, X + i * d, out + i * p);
        if (status && !is_refusal(status)) return status;
        for (size_t k = 0; status && k < p; k++) out[i * p + k] = NAN;
    }
    return ORFF_OK;
}

/* Expects the particles of a member side by side. */
static orff_status add_samples(orffi_flow *flow, size_t count, orffi_particle *const *particles) {
    const size_t d = flow->model->d, p = flow->model->p;
    for (size_t first = 0, end; first < count; first = end) {
        const size_t member = particles[first]->number / flow->n;
        for (end = first; end < count && particles[end]->number / flow->n == member;) end++;
        ORFFI_TRY(values_or_nan(flow, member, true, end - first, flow->at + first * d, flow->more));
        for (size_t i = 0; i < (end - first) * p; i++) flow->f[first * p + i] += flow->more[i];
    }
    return ORFF_OK;
}

orff_status orffi_flow_slopes(orffi_flow *flow, size_t count, orffi_particle *const *particles, size_t stage,
                              double share) {
    const size_t d = flow->model->d, p = flow->model->p;
    for (size_t i = 0; i < count; i++) fill_inputs(flow, particles[i], share, flow->at + i * d);
    const orff_hooks before = orffi_hooks_swap((orff_hooks){0}); /* the steps report progress themselves */
    orff_status status = values_or_nan(flow, 0, false, count, flow->at, flow->f);
    if (!status && flow->samples) status = add_samples(flow, count, particles);
    orffi_hooks_swap(before);
    for (size_t i = 0; !status && i < count; i++) {
        double *slope = particles[i]->slope[stage];
        fill_slope(flow, flow->at + i * d, flow->f + i * p, slope);
        for (size_t k = 0; k < flow->m; k++)
            if (!isfinite(slope[k])) particles[i]->ended = true;
    }
    return status;
}
