/* Tries delays along a line. */
#include "model/search_steps.h"

#include <math.h>

#include "base/hooks.h"
#include "base/memory.h"

#define SHARED 0.9 /* share of the variance assumed to be common while delays are tried */

void orffi_search_share(orffi_delays_search *w, size_t m, size_t a, double variance, double sign) {
    w->x[orffi_delays_at_a(&w->e, m) + a] = sign * sqrt(SHARED * variance);
    w->x[orffi_delays_at_c(&w->e, m) + a] = log((1.0 - SHARED) * variance);
}

/* One delay, with the better sign. */
typedef struct tried {
    double sign, value;
    bool seen;
} tried;

static void place(orffi_delays_search *w, const orffi_delay_line *along, size_t i, double sign) {
    const double times = (double)i - (double)along->most;
    double *tau = w->x + orffi_delays_at_tau(&w->e, along->m) + (along->a - 1) * w->e.d;
    for (size_t k = 0; k < w->e.d; k++) tau[k] = along->from[k] + times * along->step[k];
    if (along->variance > 0.0)
        orffi_search_share(w, along->m, along->a, along->variance, sign);
    else
        w->x[orffi_delays_at_a(&w->e, along->m) + along->a] =
            fmod(times, 2.0) == 0.0 ? along->shared : -along->shared;
}

static orff_status try_delay(orffi_delays_search *w, const orffi_delay_line *along, size_t i, tried *t) {
    double value;
    t->value = -INFINITY;
    for (double sign = 1.0; sign >= -1.0; sign -= along->variance > 0.0 ? 2.0 : 3.0) {
        place(w, along, i, sign);
        ORFFI_TRY(orffi_search_judge(w, &value));
        if (value <= t->value) continue;
        t->value = value;
        t->sign = sign;
    }
    return ORFF_OK;
}

/* The highest local maximum not yet seen; count if there is none. */
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

/* Climbs a little from each of the highest maxima, as the highest value at inexact delays need not lead to
 * the highest maximum. Starting from a phase, a delay other than the nearest must be more probable than
 * all of them together: it must gain more than the logarithm of their number. */
static orff_status climb_tops(orffi_delays_search *w, const orffi_delay_line *along, size_t count,
                              tried *all) {
    double best;
    orffi_climbs_begin(w, &best);
    if (along->variance == 0.0 && count > 1) {
        all[along->most].seen = true;
        place(w, along, along->most, 1.0);
        ORFFI_TRY(orffi_climbs_offer(w, &best));
        best += log((double)count);
    }
    for (size_t k = 0; k < ORFFI_CLIMB_TOPS; k++) {
        const size_t top = next_top(count, all);
        if (top == count) break;
        place(w, along, top, all[top].sign);
        ORFFI_TRY(orffi_climbs_offer(w, &best));
    }
    orffi_climbs_end(w);
    return ORFF_OK;
}

orff_status orffi_search_line(orffi_delays_search *w, const orffi_delay_line *along) {
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
