/* What the files that search for delays share. */
#ifndef ORFFI_MODEL_SEARCH_STEPS_H
#define ORFFI_MODEL_SEARCH_STEPS_H

#include "model/search_delays.h"

#define ORFFI_CLIMB_FULL 150 /* evaluations */
#define ORFFI_CLIMB_FEW  25  /* from each of the delays or waves that look best ... */
#define ORFFI_CLIMB_TOPS 4   /* ... so many */

static inline const orffi_planned_part *orffi_search_part(const orffi_delays_search *w, size_t m) {
    return &w->plan->parts.list[m];
}

/* Of the outputs. */
double orffi_search_mean_variance(const orffi_delays_search *w);

/* ---- going up */

/* Up from w->x. coupled: what outputs share, and their delays, are free too. */
orff_status orffi_search_climb(orffi_delays_search *w, bool coupled, size_t most, double *value);

/* The best of several climbs from what x is now: begin, then `offer` after each, then end. */
void orffi_climbs_begin(orffi_delays_search *w, double *best);
orff_status orffi_climbs_offer(orffi_delays_search *w, double *best);
void orffi_climbs_end(orffi_delays_search *w);

/* The log evidence at w->x; -INFINITY where there is none. */
orff_status orffi_search_judge(orffi_delays_search *w, double *value);

/* ---- delays along a line */

/* Delays from + i step of output a of part m, -most <= i <= most. variance: of the output, whose sign is open; or 0: what it shares
 * is `shared`, and half a wave on its opposite. */
typedef struct orffi_delay_line {
    size_t m, a, most;
    double variance, shared;
    const double *from, *step; /* d each */
} orffi_delay_line;

/* The best of them, after a little climb from each of the highest. */
orff_status orffi_search_line(orffi_delays_search *w, const orffi_delay_line *along);

/* Most of the variance of output a is shared, with this sign. */
void orffi_search_share(orffi_delays_search *w, size_t m, size_t a, double variance, double sign);

/* ---- a part joins */

orff_status orffi_search_join_plain(orffi_delays_search *w, size_t m, double of_variance);
orff_status orffi_search_join_wave(orffi_delays_search *w, size_t m);

/* A phase does not tell delays apart that are whole waves apart, or half waves with the opposite sign. */
orff_status orffi_search_waves(orffi_delays_search *w, size_t m);
bool orffi_search_has_phases(const orffi_delays_search *w, size_t m);

#endif
