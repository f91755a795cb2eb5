/* Shared by the files that search for delays. */
#ifndef ORFFI_MODEL_SEARCH_STEPS_H
#define ORFFI_MODEL_SEARCH_STEPS_H

#include "model/search_delays.h"

#define ORFFI_CLIMB_FULL 150 /* evaluations of a full climb */
#define ORFFI_CLIMB_FEW  25  /* evaluations from each of the most promising delays or waves ... */
#define ORFFI_CLIMB_TOPS 4   /* ... which are so many */

static inline const orffi_planned_part *orffi_search_part(const orffi_delays_search *w, size_t m) {
    return &w->plan->parts.list[m];
}

/* The mean variance of the outputs. */
double orffi_search_mean_variance(const orffi_delays_search *w);

/* ---- climbing */

/* Climbs from w->x. coupled: what outputs share, and their delays, are free too. */
orff_status orffi_search_climb(orffi_delays_search *w, bool coupled, size_t most, double *value);

/* Keep the best of several climbs, each starting from the x at the beginning: begin, `offer` after each
 * climb, end. */
void orffi_climbs_begin(orffi_delays_search *w, double *best);
orff_status orffi_climbs_offer(orffi_delays_search *w, double *best);
void orffi_climbs_end(orffi_delays_search *w);

/* The log evidence at w->x; -INFINITY if there is none. */
orff_status orffi_search_judge(orffi_delays_search *w, double *value);

/* ---- delays along a line */

/* Delays from + i step of output a of part m, -most <= i <= most. variance > 0: the variance of the
 * output, whose sign is open. variance = 0: the output shares `shared`, with the opposite sign at every
 * other half wave. */
typedef struct orffi_delay_line {
    size_t m, a, most;
    double variance, shared;
    const double *from, *step; /* d each */
} orffi_delay_line;

/* Moves to the best delay on the line, after a short climb from each of the highest. */
orff_status orffi_search_line(orffi_delays_search *w, const orffi_delay_line *along);

/* Makes most of the variance of output a shared, with this sign. */
void orffi_search_share(orffi_delays_search *w, size_t m, size_t a, double variance, double sign);

/* ---- joining a part */

orff_status orffi_search_join_plain(orffi_delays_search *w, size_t m, double of_variance);
orff_status orffi_search_join_wave(orffi_delays_search *w, size_t m);

/* A phase leaves open delays that differ by whole waves, or by half waves with the opposite sign: tries
 * them. */
orff_status orffi_search_waves(orffi_delays_search *w, size_t m);
bool orffi_search_has_phases(const orffi_delays_search *w, size_t m);

#endif
