/* The search for the most probable delays, together with all other unknowns. Parts of the kernel join one
 * after another.
 *
 * The evidence has a local maximum at every delay at which the outputs happen to look alike. So each
 * output of a part is first tried at delays over half the extent of the rows, a quarter of a length scale
 * apart; then all unknowns climb together from the best few of them. A part whose wavelength is open joins
 * as one more sine, with its own amplitude and phase in each output (tried_waves.h). Its delays are first
 * those phases, then the phases plus or minus whole waves. */
#ifndef ORFFI_MODEL_SEARCH_DELAYS_H
#define ORFFI_MODEL_SEARCH_DELAYS_H

#include "exact/delays.h"
#include "model/few.h"
#include "model/tried_waves.h"

typedef struct orffi_delays_search {
    const orffi_plan *plan;
    const orffi_few *few;
    orffi_delays e;
    orffi_tried_waves tried;
    size_t n;                            /* number of unknowns */
    double *variance;                    /* p: of the outputs */
    bool *joined;                        /* one per part */
    double *x, *lowest, *highest, *kept; /* n, n, n, 2 n */
} orffi_delays_search;

/* Whether these are to be learned for a part. */
bool orffi_has_open_delays(const orffi_planned_part *one);
bool orffi_has_open_waves(const orffi_planned_part *one);

/* parts: those of the plan, each with a base. Clear w in any case. */
orff_status orffi_delays_search_init(orffi_delays_search *w, const orffi_plan *plan, const orffi_few *few,
                                     const orff_part *parts);
void orffi_delays_search_clear(orffi_delays_search *w);

/* The first joins all parts, starting with none. The second climbs from the current x and returns the log
 * evidence reached. */
orff_status orffi_delays_search_start(orffi_delays_search *w);
orff_status orffi_delays_search_climb(orffi_delays_search *w, double *value);

#endif
