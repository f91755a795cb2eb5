#include "model/search_delays.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/candidate.h"
#include "solve/minimise.h"

#define TWO_PI           6.28318530717958647693
#define MOST_TRIED       400  /* delays of an output along an input */
#define HALVES_TRIED     10   /* half waves beside the phase, on either side */
#define SHARED           0.9  /* of the variance, where delays are tried */
#define TOLERANCE        0.01 /* of the log evidence: the top is flat */
#define MOST_EVALUATIONS 150
#define FEW_EVALUATIONS  25   /* from each of the delays or waves that look best ... */
#define TOPS             4    /* ... so many */
#define TRIED_APART      0.25 /* length scales: a top is about half of one wide */
#define LONGEST_STEP     1.0
#define LEAST_VARIANCE   1e-6    /* of an output, against the mean of all: one that is constant */
#define ABSENT           (-80.0) /* log c of a part that has not joined yet */

bool orffi_has_open_delays(const orffi_planned_part *one) {
    return !one->part.delays;
}

bool orffi_has_open_waves(const orffi_planned_part *one) {
    return one->part.learn_wavelengths && !one->part.wavelengths;
}

static const orffi_planned_part *part_of(const orffi_delays_search *w, size_t m) {
    return &w->plan->parts.list[m];
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

static double mean_variance(const orffi_delays_search *w) {
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

/* ---- going up */

static orff_status downhill(void *self, const double *x, double *value, double *gradient) {
    orffi_delays_search *w = self;
    ORFFI_TRY(orffi_progress("delays", 0.0, 0.0));
    ORFFI_TRY(orffi_delays_evaluate(&w->e, x, value, gradient));
    *value = -*value;
    for (size_t i = 0; i < w->n; i++) gradient[i] = -gradient[i];
    return ORFF_OK;
}

/* The range of unknown i: where it stands, if it is not free. */
static void bound(orffi_delays_search *w, size_t i, bool is_free, double low, double high) {
    w->lowest[i] = is_free ? low : w->x[i];
    w->highest[i] = is_free ? high : w->x[i];
}

/* coupled: what outputs share, and their delays, are free too. */
static void bound_part(orffi_delays_search *w, size_t m, bool coupled) {
    const orffi_planned_part *one = part_of(w, m);
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

/* Up from w->x. */
static orff_status climb(orffi_delays_search *w, bool coupled, size_t most, double *value) {
    const double unit = log(mean_variance(w));
    for (size_t m = 0; m < w->e.n_parts; m++) bound_part(w, m, coupled);
    bound(w, w->n - 1, true, unit + ORFFI_LEAST_LOG_NOISE, unit + ORFFI_MOST_LOG_NOISE);
    orffi_minimum found = {.n = w->n,
                           .low = w->lowest,
                           .high = w->highest,
                           .step = LONGEST_STEP,
                           .tolerance = TOLERANCE,
                           .most = most};
    const orff_status status = orffi_minimise(&found, downhill, w, w->x);
    *value = -found.value;
    return status;
}

orff_status orffi_delays_search_climb(orffi_delays_search *w, double *value) {
    return climb(w, true, MOST_EVALUATIONS, value);
}

/* The best of several climbs from what x is now: begin, then `offer` after each, then end. */
static void climbs_begin(orffi_delays_search *w, double *best) {
    *best = -INFINITY;
    memcpy(w->kept, w->x, w->n * sizeof *w->x);
    memcpy(w->kept + w->n, w->x, w->n * sizeof *w->x);
}

static orff_status climbs_offer(orffi_delays_search *w, double *best) {
    double value;
    ORFFI_TRY(climb(w, true, FEW_EVALUATIONS, &value));
    if (value > *best) {
        *best = value;
        memcpy(w->kept, w->x, w->n * sizeof *w->x);
    }
    memcpy(w->x, w->kept + w->n, w->n * sizeof *w->x);
    return ORFF_OK;
}

static void climbs_end(orffi_delays_search *w) {
    memcpy(w->x, w->kept, w->n * sizeof *w->x);
}

/* ---- delays along a line */

/* Most of the variance of output a is shared, with this sign. */
static void share(orffi_delays_search *w, size_t m, size_t a, double variance, double sign) {
    w->x[orffi_delays_at_a(&w->e, m) + a] = sign * sqrt(SHARED * variance);
    w->x[orffi_delays_at_c(&w->e, m) + a] = log((1.0 - SHARED) * variance);
}

/* Delays from + i step of output a of part m, -most <= i <= most. variance: of the output, whose sign is open; or 0: what it shares
 * is `shared`, and half a wave on its opposite. */
typedef struct line {
    size_t m, a, most;
    double variance, shared;
    const double *from, *step; /* d each */
} line;

/* One of them, with the better sign. */
typedef struct tried {
    double sign, value;
    bool seen;
} tried;

static void place(orffi_delays_search *w, const line *along, size_t i, double sign) {
    const double times = (double)i - (double)along->most;
    double *tau = w->x + orffi_delays_at_tau(&w->e, along->m) + (along->a - 1) * w->e.d;
    for (size_t k = 0; k < w->e.d; k++) tau[k] = along->from[k] + times * along->step[k];
    if (along->variance > 0.0)
        share(w, along->m, along->a, along->variance, sign);
    else
        w->x[orffi_delays_at_a(&w->e, along->m) + along->a] =
            fmod(times, 2.0) == 0.0 ? along->shared : -along->shared;
}

static orff_status judge(orffi_delays_search *w, double *value) {
    const orff_status status = orffi_delays_evaluate(&w->e, w->x, value, NULL);
    if (status == ORFF_ERROR_NOT_POSITIVE) *value = -INFINITY;
    return status == ORFF_ERROR_NOT_POSITIVE ? ORFF_OK : status;
}

static orff_status try_delay(orffi_delays_search *w, const line *along, size_t i, tried *t) {
    double value;
    t->value = -INFINITY;
    for (double sign = 1.0; sign >= -1.0; sign -= along->variance > 0.0 ? 2.0 : 3.0) {
        place(w, along, i, sign);
        ORFFI_TRY(judge(w, &value));
        if (value <= t->value) continue;
        t->value = value;
        t->sign = sign;
    }
    return ORFF_OK;
}

/* The highest of the tops that has not been seen yet; count where there is none. */
static size_t next_top(size_t count, tried *all) {
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        const bool top =
            (!i || all[i].value >= all[i - 1].value) && (i + 1 == count || all[i].value >= all[i + 1].value);
        if (top && !all[i].seen && (best == count || all[i].value > all[best].value)) best = i;
    }
    if (best < count) all[best].seen = true;
    return best;
}

/* Up a little from each of the highest tops: what is highest at delays that are not quite right need not be so at its top. Beside a
 * phase, another delay than the nearest must be more probable than all of them together: it gains more than the logarithm of their
 * number. */
static orff_status climb_tops(orffi_delays_search *w, const line *along, size_t count, tried *all) {
    double best;
    climbs_begin(w, &best);
    if (along->variance == 0.0 && count > 1) {
        all[along->most].seen = true;
        place(w, along, along->most, 1.0);
        ORFFI_TRY(climbs_offer(w, &best));
        best += log((double)count);
    }
    for (size_t k = 0; k < TOPS; k++) {
        const size_t top = next_top(count, all);
        if (top == count) break;
        place(w, along, top, all[top].sign);
        ORFFI_TRY(climbs_offer(w, &best));
    }
    climbs_end(w);
    return ORFF_OK;
}

static orff_status scan(orffi_delays_search *w, const line *along) {
    const size_t count = 2 * along->most + 1;
    tried *all;
    ORFFI_TRY(ORFFI_NEW_ARRAY(all, count));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = orffi_progress("delays", (double)i, (double)count);
        if (!status) status = try_delay(w, along, i, &all[i]);
    }
    if (!status) status = climb_tops(w, along, count, all);
    orffi_release(all);
    return status;
}

/* ---- a part without open waves */

/* Outputs by themselves: the best of some length scales, then up. */
static orff_status start_scales(orffi_delays_search *w, size_t m) {
    const orffi_planned_part *one = part_of(w, m);
    const double *median = w->few->median;
    double *l = w->x + orffi_delays_at_l(&w->e, m), best = -INFINITY, value, ratio = 1.0;
    for (double r = 3.0; r > 0.01 && orffi_part_is_auto(&one->part); r /= 2.0) {
        for (size_t k = 0; k < w->e.d; k++) l[k] = log(fmax(r * median[k], w->few->low[k]));
        ORFFI_TRY(judge(w, &value));
        if (value > best) ratio = r;
        best = fmax(best, value);
    }
    for (size_t k = 0; k < w->e.d; k++)
        l[k] = log(orffi_part_is_auto(&one->part) ? fmax(ratio * median[k], w->few->low[k]) : one->sigmas[k]);
    return climb(w, false, MOST_EVALUATIONS, &value);
}

/* The best delay of output a along input k, the others as they are. */
static orff_status scan_input(orffi_delays_search *w, size_t m, size_t a, size_t k, double variance) {
    const size_t d = w->e.d;
    const double reach = 0.5 * w->plan->extent[k],
                 apart = TRIED_APART * exp(w->x[orffi_delays_at_l(&w->e, m) + k]),
                 step = fmax(apart, 2.0 * reach / MOST_TRIED);
    double *ends;
    ORFFI_TRY(ORFFI_NEW_ARRAY(ends, 2 * d));
    memcpy(ends, w->x + orffi_delays_at_tau(&w->e, m) + (a - 1) * d, d * sizeof *ends);
    ends[k] = 0.0;
    ends[d + k] = step;
    const line along = {.m = m,
                        .a = a,
                        .most = (size_t)floor(reach / step),
                        .variance = variance,
                        .from = ends,
                        .step = ends + d};
    const orff_status status = scan(w, &along);
    orffi_release(ends);
    return status;
}

/* The delays are given: the better sign of what output a shares. */
static orff_status scan_sign(orffi_delays_search *w, size_t m, size_t a, double variance) {
    const size_t d = w->e.d;
    double *ends;
    ORFFI_TRY(ORFFI_NEW_ARRAY(ends, 2 * d));
    memcpy(ends, w->x + orffi_delays_at_tau(&w->e, m) + (a - 1) * d, d * sizeof *ends);
    const line here = {.m = m, .a = a, .variance = variance, .from = ends, .step = ends + d};
    const orff_status status = scan(w, &here);
    orffi_release(ends);
    return status;
}

static orff_status join_plain(orffi_delays_search *w, size_t m, double of_variance) {
    const size_t p = w->e.p, at_c = orffi_delays_at_c(&w->e, m);
    w->joined[m] = true;
    for (size_t a = 0; a < p; a++) w->x[at_c + a] = log(of_variance * w->variance[a]);
    ORFFI_TRY(start_scales(w, m));
    share(w, m, 0, exp(w->x[at_c]), 1.0);
    for (size_t a = 1; a < p; a++) {
        const double variance = exp(w->x[at_c + a]);
        if (!orffi_has_open_delays(part_of(w, m))) ORFFI_TRY(scan_sign(w, m, a, variance));
        for (size_t k = 0; orffi_has_open_delays(part_of(w, m)) && k < w->e.d; k++)
            ORFFI_TRY(scan_input(w, m, a, k, variance));
    }
    return ORFF_OK;
}

/* ---- a part with open waves */

/* mu / |mu|^2 (d): how far a wave moves for each radian of its phase. */
static void fill_step(const orffi_delays_search *w, const double *wave, double times, double *step) {
    double square = 0.0;
    for (size_t k = 0; k < w->e.d; k++) square += pow(TWO_PI * wave[k] / w->plan->extent[k], 2.0);
    for (size_t k = 0; k < w->e.d; k++)
        step[k] = square > 0.0 ? times * TWO_PI * wave[k] / w->plan->extent[k] / square : 0.0;
}

/* Part m is the sine of a wave, in step over some share of the extent. */
static orff_status set_sine(orffi_delays_search *w, size_t m, const double *wave, double in_step) {
    const size_t d = w->e.d, p = w->e.p;
    const orffi_planned_part *one = part_of(w, m);
    double *amplitude, *phase, *tau = w->x + orffi_delays_at_tau(&w->e, m);
    ORFFI_TRY(ORFFI_NEW_ARRAY(amplitude, 2 * p));
    phase = amplitude + p;
    const orff_status status = orffi_delays_sine(&w->e, w->x, wave, amplitude, phase);
    memcpy(w->x + orffi_delays_at_u(&w->e, m), wave, d * sizeof *wave);
    for (size_t k = 0; k < d; k++)
        w->x[orffi_delays_at_l(&w->e, m) + k] =
            log(orffi_part_is_auto(&one->part) ? in_step * w->plan->extent[k] : one->sigmas[k]);
    for (size_t a = 0; !status && a < p; a++) {
        share(w, m, a, fmax(0.5 * amplitude[a] * amplitude[a], 1e-5 * w->variance[a]), 1.0);
        if (a && orffi_has_open_delays(one)) fill_step(w, wave, phase[a], tau + (a - 1) * d);
    }
    orffi_release(amplitude);
    return status;
}

/* Back by whole waves, to where output a is late by half a wave at most. */
static void wrap(orffi_delays_search *w, size_t m, size_t a, const double *half) {
    const size_t d = w->e.d;
    const double *wave = w->x + orffi_delays_at_u(&w->e, m);
    double *tau = w->x + orffi_delays_at_tau(&w->e, m) + (a - 1) * d, waves = 0.0;
    for (size_t k = 0; k < d; k++) waves += tau[k] * wave[k] / w->plan->extent[k];
    for (size_t k = 0; k < d; k++) tau[k] -= 2.0 * nearbyint(waves) * half[k];
}

/* A phase does not tell delays apart that are whole waves apart, or half waves with the opposite sign. */
static orff_status scan_waves(orffi_delays_search *w, size_t m) {
    const size_t d = w->e.d;
    double *ends;
    ORFFI_TRY(ORFFI_NEW_ARRAY(ends, 2 * d));
    orff_status status = ORFF_OK;
    for (size_t a = 1; !status && a < w->e.p; a++) {
        fill_step(w, w->x + orffi_delays_at_u(&w->e, m), 0.5 * TWO_PI, ends + d);
        wrap(w, m, a, ends + d);
        memcpy(ends, w->x + orffi_delays_at_tau(&w->e, m) + (a - 1) * d, d * sizeof *ends);
        const line along = {.m = m,
                            .a = a,
                            .most = HALVES_TRIED,
                            .shared = w->x[orffi_delays_at_a(&w->e, m) + a],
                            .from = ends,
                            .step = ends + d};
        status = scan(w, &along);
    }
    orffi_release(ends);
    return status;
}

static bool has_phases(const orffi_delays_search *w, size_t m) {
    return orffi_has_open_waves(part_of(w, m)) && orffi_has_open_delays(part_of(w, m));
}

static orff_status join_wave(orffi_delays_search *w, size_t m) {
    double best;
    ORFFI_TRY(orffi_delays_scan(&w->e, w->x, w->tried.count, w->tried.wave, w->tried.gain));
    orffi_tried_waves_start(&w->tried);
    w->joined[m] = true;
    climbs_begin(w, &best);
    for (size_t i = 0; i < TOPS; i++) {
        const size_t peak = orffi_tried_waves_next(&w->tried);
        if (peak == w->tried.count) break;
        for (double in_step = 1.0; in_step > 0.1; in_step /= 8.0) { /* throughout; and for a while */
            ORFFI_TRY(set_sine(w, m, w->tried.wave + peak * w->e.d, in_step));
            ORFFI_TRY(climbs_offer(w, &best));
        }
    }
    climbs_end(w);
    return has_phases(w, m) ? scan_waves(w, m) : ORFF_OK;
}

/* ---- all parts */

/* What is given of a part that has not joined. */
static void set_given(orffi_delays_search *w, size_t m) {
    const orffi_planned_part *one = part_of(w, m);
    const size_t d = w->e.d, p = w->e.p;
    for (size_t k = 0; k < d; k++) {
        const double wave = one->wavelengths ? one->wavelengths[k] : 0.0;
        w->x[orffi_delays_at_l(&w->e, m) + k] =
            log(orffi_part_is_auto(&one->part) ? w->few->median[k] : one->sigmas[k]);
        w->x[orffi_delays_at_u(&w->e, m) + k] = wave != 0.0 ? w->plan->extent[k] / wave : 0.0;
    }
    for (size_t a = 0; a < p; a++) w->x[orffi_delays_at_c(&w->e, m) + a] = ABSENT;
    for (size_t i = d; one->delays && i < p * d; i++) /* behind the first output */
        w->x[orffi_delays_at_tau(&w->e, m) + i - d] = one->delays[i] - one->delays[i % d];
}

/* Part m leaves. */
static void part_with(orffi_delays_search *w, size_t m) {
    w->joined[m] = false;
    memset(w->x + orffi_delays_at_a(&w->e, m), 0, w->e.p * sizeof *w->x);
    set_given(w, m);
}

/* A wave that joined before the others may have been one of theirs: each is searched again beside all of them. At last the delays, which
 * are sure only then. */
static orff_status again(orffi_delays_search *w) {
    double best, value, *before;
    if (w->e.n_parts == 1) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(before, w->n));
    orff_status status = orffi_delays_search_climb(w, &best);
    for (size_t m = 0; !status && m < w->e.n_parts; m++) {
        if (!orffi_has_open_waves(part_of(w, m))) continue;
        memcpy(before, w->x, w->n * sizeof *before);
        part_with(w, m);
        status = climb(w, true, FEW_EVALUATIONS, &value);
        if (!status) status = join_wave(w, m);
        if (!status) status = orffi_delays_search_climb(w, &value);
        if (!status && value < best) memcpy(w->x, before, w->n * sizeof *before);
        best = fmax(best, value);
    }
    for (size_t m = 0; !status && m < w->e.n_parts; m++)
        if (has_phases(w, m)) status = scan_waves(w, m);
    orffi_release(before);
    return status;
}

orff_status orffi_delays_search_start(orffi_delays_search *w) {
    const double mean = mean_variance(w);
    size_t joined = 0;
    for (size_t m = 0; m < w->e.n_parts; m++) set_given(w, m);
    for (size_t m = 0; m < w->e.n_parts; m++) {
        if (orffi_has_open_waves(part_of(w, m))) continue;
        if (!joined) w->x[w->n - 1] = log(0.1 * mean);
        ORFFI_TRY(join_plain(w, m, joined++ ? 0.1 : 1.0));
    }
    if (!joined) w->x[w->n - 1] = log(mean);
    for (size_t m = 0; m < w->e.n_parts; m++)
        if (orffi_has_open_waves(part_of(w, m))) ORFFI_TRY(join_wave(w, m));
    return again(w);
}
