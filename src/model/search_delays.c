#include "model/search_steps.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define LEAST_VARIANCE 1e-6    /* of an output, relative to the mean of all: a constant output gets this */
#define ABSENT         (-80.0) /* log c of a part that has not joined yet */

bool orffi_has_open_delays(const orffi_planned_part *one) {
    return !one->part.delays;
}

bool orffi_has_open_waves(const orffi_planned_part *one) {
    return one->part.learn_wavelengths && !one->part.wavelengths;
}

/* ---- memory */

static orff_status measure_variances(orffi_delays_search *w) {
    const size_t p = w->plan->p;
    double count = 0.0, mean = 0.0;
    for (size_t g = 0; g < w->few->sample.count; g++) {
        const orffi_evidence_rows *rows = &w->few->rows[g];
        for (size_t i = 0; i < rows->n; i++) {
            if (rows->weights && !(rows->weights[i] > 0.0)) continue;
            for (size_t a = 0; a < p; a++) w->variance[a] += rows->Y[i * p + a] * rows->Y[i * p + a];
            count += 1.0;
        }
    }
    for (size_t a = 0; a < p; a++) mean += w->variance[a] / (double)p;
    if (!(mean > 0.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the outputs do not vary: no delay can be learned");
    for (size_t a = 0; a < p; a++) w->variance[a] = fmax(w->variance[a], LEAST_VARIANCE * mean) / count;
    return ORFF_OK;
}

double orffi_search_mean_variance(const orffi_delays_search *w) {
    double mean = 0.0;
    for (size_t a = 0; a < w->plan->p; a++) mean += w->variance[a] / (double)w->plan->p;
    return mean;
}

orff_status orffi_delays_search_init(orffi_delays_search *w, const orffi_plan *plan, const orffi_few *few,
                                     const orff_part *parts) {
    *w = (orffi_delays_search){.plan = plan, .few = few};
    ORFFI_TRY(orffi_delays_init(&w->e, plan->d, plan->p, plan->parts.count, parts, few->sample.count,
                                few->rows, plan->extent, plan->periods));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->variance, plan->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->joined, plan->parts.count));
    w->n = orffi_delays_unknowns(&w->e);
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->x, 5 * w->n));
    w->lowest = w->x + w->n;
    w->highest = w->lowest + w->n;
    w->kept = w->highest + w->n;
    ORFFI_TRY(orffi_tried_waves_init(&w->tried, plan->d, few->table.n));
    return measure_variances(w);
}

void orffi_delays_search_clear(orffi_delays_search *w) {
    orffi_delays_clear(&w->e);
    orffi_tried_waves_clear(&w->tried);
    orffi_release(w->variance);
    orffi_release(w->joined);
    orffi_release(w->x);
    *w = (orffi_delays_search){0};
}

/* ---- all parts */

/* Sets what is given about a part that has not joined. */
static void set_given(orffi_delays_search *w, size_t m) {
    const orffi_planned_part *one = orffi_search_part(w, m);
    const size_t d = w->e.d, p = w->e.p;
    for (size_t k = 0; k < d; k++) {
        const double wave = one->wavelengths ? one->wavelengths[k] : 0.0;
        w->x[orffi_delays_at_l(&w->e, m) + k] =
            log(orffi_part_is_auto(&one->part) ? w->few->median[k] : one->sigmas[k]);
        w->x[orffi_delays_at_u(&w->e, m) + k] = wave != 0.0 ? w->plan->extent[k] / wave : 0.0;
    }
    for (size_t a = 0; a < p; a++) w->x[orffi_delays_at_c(&w->e, m) + a] = ABSENT;
    for (size_t i = d; one->delays && i < p * d; i++) /* relative to the first output */
        w->x[orffi_delays_at_tau(&w->e, m) + i - d] = one->delays[i] - one->delays[i % d];
}

/* Removes part m from the kernel. */
static void part_with(orffi_delays_search *w, size_t m) {
    w->joined[m] = false;
    memset(w->x + orffi_delays_at_a(&w->e, m), 0, w->e.p * sizeof *w->x);
    set_given(w, m);
}

/* A wave that joined early may have taken the place of another part's wave: each is searched again beside
 * all others. At last the delays are searched, which only then can be determined. */
static orff_status again(orffi_delays_search *w) {
    double best, value, *before;
    if (w->e.n_parts == 1) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(before, w->n));
    orff_status status = orffi_delays_search_climb(w, &best);
    for (size_t m = 0; !status && m < w->e.n_parts; m++) {
        if (!orffi_has_open_waves(orffi_search_part(w, m))) continue;
        memcpy(before, w->x, w->n * sizeof *before);
        part_with(w, m);
        status = orffi_search_climb(w, true, ORFFI_CLIMB_FEW, &value);
        if (!status) status = orffi_search_join_wave(w, m);
        if (!status) status = orffi_delays_search_climb(w, &value);
        if (!status && value < best) memcpy(w->x, before, w->n * sizeof *before);
        best = fmax(best, value);
    }
    for (size_t m = 0; !status && m < w->e.n_parts; m++)
        if (orffi_search_has_phases(w, m)) status = orffi_search_waves(w, m);
    orffi_release(before);
    return status;
}

orff_status orffi_delays_search_start(orffi_delays_search *w) {
    const double mean = orffi_search_mean_variance(w);
    size_t joined = 0;
    for (size_t m = 0; m < w->e.n_parts; m++) set_given(w, m);
    for (size_t m = 0; m < w->e.n_parts; m++) {
        if (orffi_has_open_waves(orffi_search_part(w, m))) continue;
        if (!joined) w->x[w->n - 1] = log(0.1 * mean);
        ORFFI_TRY(orffi_search_join_plain(w, m, joined++ ? 0.1 : 1.0));
    }
    if (!joined) w->x[w->n - 1] = log(mean);
    for (size_t m = 0; m < w->e.n_parts; m++)
        if (orffi_has_open_waves(orffi_search_part(w, m))) ORFFI_TRY(orffi_search_join_wave(w, m));
    return again(w);
}
