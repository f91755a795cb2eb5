/* How a part, with known or with open waves, joins a kernel whose delays are searched. */
#include "model/search_steps.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define TWO_PI       6.28318530717958647693
#define MOST_TRIED   400  /* most delays of an output tried along an input */
#define HALVES_TRIED 10   /* half waves tried on either side of the phase */
#define TRIED_APART  0.25 /* in length scales: a maximum is about half a length scale wide */

/* ---- a part without open waves */

/* With uncoupled outputs: tries some length scales, then climbs from the best. */
static orff_status start_scales(orffi_delays_search *w, size_t m) {
    const orffi_planned_part *one = orffi_search_part(w, m);
    const double *median = w->few->median;
    double *l = w->x + orffi_delays_at_l(&w->e, m), best = -INFINITY, value, ratio = 1.0;
    for (double r = 3.0; r > 0.01 && orffi_part_is_auto(&one->part); r /= 2.0) {
        for (size_t k = 0; k < w->e.d; k++) l[k] = log(fmax(r * median[k], w->few->low[k]));
        ORFFI_TRY(orffi_search_judge(w, &value));
        if (value > best) ratio = r;
        best = fmax(best, value);
    }
    for (size_t k = 0; k < w->e.d; k++)
        l[k] = log(orffi_part_is_auto(&one->part) ? fmax(ratio * median[k], w->few->low[k]) : one->sigmas[k]);
    return orffi_search_climb(w, false, ORFFI_CLIMB_FULL, &value);
}

/* Finds the best delay of output a along input k, with all others fixed. */
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
    const orffi_delay_line along = {.m = m,
                                    .a = a,
                                    .most = (size_t)floor(reach / step),
                                    .variance = variance,
                                    .from = ends,
                                    .step = ends + d};
    const orff_status status = orffi_search_line(w, &along);
    orffi_release(ends);
    return status;
}

/* For given delays: finds the better sign of what output a shares. */
static orff_status scan_sign(orffi_delays_search *w, size_t m, size_t a, double variance) {
    const size_t d = w->e.d;
    double *ends;
    ORFFI_TRY(ORFFI_NEW_ARRAY(ends, 2 * d));
    memcpy(ends, w->x + orffi_delays_at_tau(&w->e, m) + (a - 1) * d, d * sizeof *ends);
    const orffi_delay_line here = {.m = m, .a = a, .variance = variance, .from = ends, .step = ends + d};
    const orff_status status = orffi_search_line(w, &here);
    orffi_release(ends);
    return status;
}

orff_status orffi_search_join_plain(orffi_delays_search *w, size_t m, double of_variance) {
    const size_t p = w->e.p, at_c = orffi_delays_at_c(&w->e, m);
    w->joined[m] = true;
    for (size_t a = 0; a < p; a++) w->x[at_c + a] = log(of_variance * w->variance[a]);
    ORFFI_TRY(start_scales(w, m));
    orffi_search_share(w, m, 0, exp(w->x[at_c]), 1.0);
    for (size_t a = 1; a < p; a++) {
        const double variance = exp(w->x[at_c + a]);
        if (!orffi_has_open_delays(orffi_search_part(w, m))) ORFFI_TRY(scan_sign(w, m, a, variance));
        for (size_t k = 0; orffi_has_open_delays(orffi_search_part(w, m)) && k < w->e.d; k++)
            ORFFI_TRY(scan_input(w, m, a, k, variance));
    }
    return ORFF_OK;
}

/* ---- a part with open waves */

/* mu / |mu|^2 (d): how far a wave moves per radian of its phase. */
static void fill_step(const orffi_delays_search *w, const double *wave, double times, double *step) {
    double square = 0.0;
    for (size_t k = 0; k < w->e.d; k++) square += pow(TWO_PI * wave[k] / w->plan->extent[k], 2.0);
    for (size_t k = 0; k < w->e.d; k++)
        step[k] = square > 0.0 ? times * TWO_PI * wave[k] / w->plan->extent[k] / square : 0.0;
}

/* Makes part m the sine of a wave that stays in step over the given share of the extent. */
static orff_status set_sine(orffi_delays_search *w, size_t m, const double *wave, double in_step) {
    const size_t d = w->e.d, p = w->e.p;
    const orffi_planned_part *one = orffi_search_part(w, m);
    double *amplitude, *phase, *tau = w->x + orffi_delays_at_tau(&w->e, m);
    ORFFI_TRY(ORFFI_NEW_ARRAY(amplitude, 2 * p));
    phase = amplitude + p;
    const orff_status status = orffi_delays_sine(&w->e, w->x, wave, amplitude, phase);
    memcpy(w->x + orffi_delays_at_u(&w->e, m), wave, d * sizeof *wave);
    for (size_t k = 0; k < d; k++)
        w->x[orffi_delays_at_l(&w->e, m) + k] =
            log(orffi_part_is_auto(&one->part) ? in_step * w->plan->extent[k] : one->sigmas[k]);
    for (size_t a = 0; !status && a < p; a++) {
        orffi_search_share(w, m, a, fmax(0.5 * amplitude[a] * amplitude[a], 1e-5 * w->variance[a]), 1.0);
        if (a && orffi_has_open_delays(one)) fill_step(w, wave, phase[a], tau + (a - 1) * d);
    }
    orffi_release(amplitude);
    return status;
}

/* Moves the delay of output a by whole waves to at most half a wave. */
static void wrap(orffi_delays_search *w, size_t m, size_t a, const double *half) {
    const size_t d = w->e.d;
    const double *wave = w->x + orffi_delays_at_u(&w->e, m);
    double *tau = w->x + orffi_delays_at_tau(&w->e, m) + (a - 1) * d, waves = 0.0;
    for (size_t k = 0; k < d; k++) waves += tau[k] * wave[k] / w->plan->extent[k];
    for (size_t k = 0; k < d; k++) tau[k] -= 2.0 * nearbyint(waves) * half[k];
}

orff_status orffi_search_waves(orffi_delays_search *w, size_t m) {
    const size_t d = w->e.d;
    double *ends;
    ORFFI_TRY(ORFFI_NEW_ARRAY(ends, 2 * d));
    orff_status status = ORFF_OK;
    for (size_t a = 1; !status && a < w->e.p; a++) {
        fill_step(w, w->x + orffi_delays_at_u(&w->e, m), 0.5 * TWO_PI, ends + d);
        wrap(w, m, a, ends + d);
        memcpy(ends, w->x + orffi_delays_at_tau(&w->e, m) + (a - 1) * d, d * sizeof *ends);
        const orffi_delay_line along = {.m = m,
                                        .a = a,
                                        .most = HALVES_TRIED,
                                        .shared = w->x[orffi_delays_at_a(&w->e, m) + a],
                                        .from = ends,
                                        .step = ends + d};
        status = orffi_search_line(w, &along);
    }
    orffi_release(ends);
    return status;
}

bool orffi_search_has_phases(const orffi_delays_search *w, size_t m) {
    return orffi_has_open_waves(orffi_search_part(w, m)) && orffi_has_open_delays(orffi_search_part(w, m));
}

orff_status orffi_search_join_wave(orffi_delays_search *w, size_t m) {
    double best;
    ORFFI_TRY(orffi_delays_scan(&w->e, w->x, w->tried.count, w->tried.wave, w->tried.gain));
    orffi_tried_waves_start(&w->tried);
    w->joined[m] = true;
    orffi_climbs_begin(w, &best);
    for (size_t i = 0; i < ORFFI_CLIMB_TOPS; i++) {
        const size_t peak = orffi_tried_waves_next(&w->tried);
        if (peak == w->tried.count) break;
        /* In step over the whole extent, and over an eighth of it. */
        for (double in_step = 1.0; in_step > 0.1; in_step /= 8.0) {
            ORFFI_TRY(set_sine(w, m, w->tried.wave + peak * w->e.d, in_step));
            ORFFI_TRY(orffi_climbs_offer(w, &best));
        }
    }
    orffi_climbs_end(w);
    return orffi_search_has_phases(w, m) ? orffi_search_waves(w, m) : ORFF_OK;
}
