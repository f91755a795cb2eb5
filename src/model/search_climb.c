/* Maximises the evidence over all unknowns of the delays, or over those that outputs do not share. */
#include "model/search_steps.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "model/candidate.h"

static orff_status find_evidence(void *self, const double *x, double *value, double *gradient) {
    orffi_delays_search *w = self;
    ORFFI_TRY(orffi_progress("delays", 0.0, 0.0));
    return orffi_delays_evaluate(&w->e, x, value, gradient);
}

/* The range of unknown i; if it is not free, only its current value. */
static void bound(orffi_delays_search *w, size_t i, bool is_free, double low, double high) {
    w->lowest[i] = is_free ? low : w->x[i];
    w->highest[i] = is_free ? high : w->x[i];
}

/* coupled: what outputs share, and their delays, are free too. */
static void bound_part(orffi_delays_search *w, size_t m, bool coupled) {
    const orffi_planned_part *one = orffi_search_part(w, m);
    const size_t d = w->e.d, p = w->e.p, at_tau = orffi_delays_at_tau(&w->e, m);
    const bool joined = w->joined[m], scales = joined && orffi_part_is_auto(&one->part),
               waves = joined && orffi_has_open_waves(one),
               delays = joined && coupled && orffi_has_open_delays(one);
    for (size_t k = 0; k < d; k++) {
        bound(w, orffi_delays_at_l(&w->e, m) + k, scales, log(w->few->low[k]),
              log(10.0 * w->plan->extent[k]));
        bound(w, orffi_delays_at_u(&w->e, m) + k, waves, -w->tried.most, w->tried.most);
    }
    for (size_t a = 0; a < p; a++) {
        const double most = 10.0 * sqrt(w->variance[a]);
        bound(w, orffi_delays_at_a(&w->e, m) + a, joined && coupled, -most, most);
        bound(w, orffi_delays_at_c(&w->e, m) + a, joined, log(1e-6 * w->variance[a]),
              log(1e2 * w->variance[a]));
    }
    for (size_t i = 0; i < (p - 1) * d; i++)
        bound(w, at_tau + i, delays, -0.5 * w->plan->extent[i % d], 0.5 * w->plan->extent[i % d]);
}

orff_status orffi_search_climb(orffi_delays_search *w, bool coupled, size_t most, double *value) {
    const double unit = log(orffi_search_mean_variance(w));
    for (size_t m = 0; m < w->e.n_parts; m++) bound_part(w, m, coupled);
    bound(w, w->n - 1, true, unit + ORFFI_LEAST_LOG_NOISE, unit + ORFFI_MOST_LOG_NOISE);
    orffi_minimum found = orffi_few_climb(w->n, w->lowest, w->highest, most);
    const orff_status status = orffi_maximise(&found, find_evidence, w, w->x);
    *value = found.value;
    return status;
}

orff_status orffi_delays_search_climb(orffi_delays_search *w, double *value) {
    return orffi_search_climb(w, true, ORFFI_CLIMB_FULL, value);
}

void orffi_climbs_begin(orffi_delays_search *w, double *best) {
    *best = -INFINITY;
    memcpy(w->kept, w->x, w->n * sizeof *w->x);
    memcpy(w->kept + w->n, w->x, w->n * sizeof *w->x);
}

orff_status orffi_climbs_offer(orffi_delays_search *w, double *best) {
    double value;
    ORFFI_TRY(orffi_search_climb(w, true, ORFFI_CLIMB_FEW, &value));
    if (value > *best) {
        *best = value;
        memcpy(w->kept, w->x, w->n * sizeof *w->x);
    }
    memcpy(w->x, w->kept + w->n, w->n * sizeof *w->x);
    return ORFF_OK;
}

void orffi_climbs_end(orffi_delays_search *w) {
    memcpy(w->x, w->kept, w->n * sizeof *w->x);
}

orff_status orffi_search_judge(orffi_delays_search *w, double *value) {
    const orff_status status = orffi_delays_evaluate(&w->e, w->x, value, NULL);
    if (status == ORFF_ERROR_NOT_POSITIVE) *value = -INFINITY;
    return status == ORFF_ERROR_NOT_POSITIVE ? ORFF_OK : status;
}
