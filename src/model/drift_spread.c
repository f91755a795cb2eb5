/* The spread of particles carried by samples: their mean, and the covariance about it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/plane.h"
#include "model/drift.h"

/* All members that started at one point. */
typedef struct cloud {
    orffi_flow flow;
    size_t members, apart; /* apart: distance in memory between members */
    const double *x;       /* first member */
} cloud;

static const double *member(const cloud *c, size_t i) {
    return c->x + i * c->apart;
}

static bool has_ended(const cloud *c, size_t i) {
    return isnan(member(c, i)[c->flow.how->space[0]]);
}

/* The mean of the states; on the sphere only its direction counts. Returns how many have not ended. */
static size_t mean_state(const cloud *c, double *mean) {
    size_t left = 0;
    memset(mean, 0, ORFFI_STATE * sizeof *mean);
    for (size_t i = 0; i < c->members; i++) {
        double state[ORFFI_STATE];
        if (has_ended(c, i)) continue;
        orffi_flow_state(&c->flow, member(c, i), state);
        for (size_t k = 0; k < c->flow.m; k++) mean[k] += state[k];
        left++;
    }
    for (size_t k = 0; left && k < c->flow.m; k++) mean[k] /= (double)left;
    return left;
}

/* Steps from the mean along its east and north, as long as the great circle. */
static void step_on_sphere(const double *mean, const double *state, double *step) {
    const double across = hypot(mean[0], mean[1]), radius = hypot(across, mean[2]);
    const double c = across > 0.0 ? mean[0] / across : 1.0, s = across > 0.0 ? mean[1] / across : 0.0;
    const double north[3] = {-mean[2] / radius * c, -mean[2] / radius * s, across / radius};
    step[0] = -s * state[0] + c * state[1];
    step[1] = north[0] * state[0] + north[1] * state[1] + north[2] * state[2];
    const double up = (mean[0] * state[0] + mean[1] * state[1] + mean[2] * state[2]) / radius;
    const double length = hypot(step[0], step[1]), arc = ORFFI_EARTH_KM * atan2(length, up);
    for (size_t k = 0; k < 2 && length > 0.0; k++) step[k] *= arc / length;
}

static void fill_covariance(const cloud *c, size_t left, const double *mean, double *covariance) {
    const size_t p = c->flow.model->p;
    for (size_t k = 0; k < p * p; k++) covariance[k] = left > 1 ? 0.0 : NAN;
    for (size_t i = 0; left > 1 && i < c->members; i++) {
        double state[ORFFI_STATE], step[ORFFI_STATE];
        if (has_ended(c, i)) continue;
        orffi_flow_state(&c->flow, member(c, i), state);
        for (size_t k = 0; k < p; k++) step[k] = state[k] - mean[k];
        if (c->flow.model->on_plane) step_on_sphere(mean, state, step);
        for (size_t k = 0; k < p * p; k++) covariance[k] += step[k / p] * step[k % p] / (double)(left - 1);
    }
}

/* Inputs that do not move are copied from the first member that has not ended. */
static void fill_mean(const cloud *c, const double *mean, double *x) {
    size_t first = 0;
    while (has_ended(c, first)) first++;
    memcpy(x, member(c, first), c->flow.model->d * sizeof *x);
    orffi_flow_place(&c->flow, mean, x);
}

orff_status orff_drift_spread(const orff_model *model, const orff_drift *drift, size_t members, size_t n,
                              const double *tracks, double *mean, double *covariance, size_t *left) {
    if (!model || !drift || !tracks)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_drift_spread: NULL argument");
    const size_t d = model->d, p = model->p;
    cloud c = {.flow = {.model = model, .how = drift, .m = model->on_plane ? 3 : p},
               .members = members,
               .apart = n * d};
    for (size_t i = 0; i < n; i++) {
        double state[ORFFI_STATE];
        c.x = tracks + i * d;
        const size_t still = mean_state(&c, state);
        if (left) left[i] = still;
        for (size_t k = 0; mean && k < d; k++) mean[i * d + k] = NAN;
        if (mean && still) fill_mean(&c, state, mean + i * d);
        if (covariance) fill_covariance(&c, still, state, covariance + i * p * p);
    }
    return ORFF_OK;
}
