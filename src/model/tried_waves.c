#include "model/tried_waves.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Step in waves over the extent, along an input: a peak is about 1 wide on each side ... */
#define ALONG  0.25
#define ACROSS 0.5 /* ... so this step, across inputs, finds its slope */
#define WIDTH  1.0
#define MOST   4000 /* waves along an input, and as many across inputs */

/* ---- the list */

/* Down to waves as short as two rows on average. */
static size_t count_along(size_t n) {
    const double count = 0.5 * (double)n / ALONG;
    return count < MOST ? (size_t)count : MOST;
}

/* Points of the grid -r..r in each input: one of each pair w and -w, without those along an input. */
static double count_across(size_t d, size_t r) {
    return 0.5 * (pow(2.0 * (double)r + 1.0, (double)d) - 1.0) - (double)(d * r);
}

/* The grid, too, reaches waves of two rows on average; along each of several inputs these are fewer. */
static size_t reach_across(size_t d, size_t n) {
    size_t r = d > 1 ? (size_t)(0.5 * pow((double)n, 1.0 / (double)d) / ACROSS) : 0;
    while (r && count_across(d, r) > MOST) r--;
    return r;
}

static double *add_along(size_t d, size_t count, double *at) {
    for (size_t k = 0; k < d; k++)
        for (size_t i = 0; i < count; i++, at += d) at[k] = ALONG * (double)(i + 1);
    return at;
}

/* Whether a point of the grid (d numbers 0..2r, where r means no wave) is on the list. */
static bool is_across(size_t d, const size_t *point, size_t r) {
    size_t others = 0;
    bool forward = false;
    for (size_t k = 0; k < d; k++) {
        if (!others) forward = point[k] > r;
        others += point[k] != r;
    }
    return others > 1 && forward;
}

static orff_status add_across(size_t d, size_t r, double *at) {
    size_t *point, k = 0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(point, d));
    while (r && k < d) {
        if (is_across(d, point, r)) {
            for (size_t i = 0; i < d; i++) at[i] = ACROSS * ((double)point[i] - (double)r);
            at += d;
        }
        for (k = 0; k < d && point[k] == 2 * r; k++) point[k] = 0;
        if (k < d) point[k]++;
    }
    orffi_release(point);
    return ORFF_OK;
}

orff_status orffi_tried_waves_init(orffi_tried_waves *t, size_t d, size_t n) {
    const size_t along = count_along(n), r = reach_across(d, n);
    *t = (orffi_tried_waves){
        .d = d, .count = d * along + (size_t)count_across(d, r), .most = ALONG * (double)along};
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->wave, t->count * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->gain, t->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->amplitude, t->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->seen, t->count));
    return add_across(d, r, add_along(d, along, t->wave));
}

void orffi_tried_waves_clear(orffi_tried_waves *t) {
    orffi_release(t->wave);
    orffi_release(t->gain);
    orffi_release(t->amplitude);
    orffi_release(t->seen);
    *t = (orffi_tried_waves){0};
}

/* ---- peaks */

void orffi_tried_waves_start(orffi_tried_waves *t) {
    memset(t->seen, 0, t->count * sizeof *t->seen);
}

/* w and -w are the same wave. */
static bool are_near(const orffi_tried_waves *t, size_t i, size_t j) {
    double same = 0.0, opposite = 0.0;
    for (size_t k = 0; k < t->d; k++) {
        const double a = t->wave[i * t->d + k], b = t->wave[j * t->d + k];
        same = fmax(same, fabs(a - b));
        opposite = fmax(opposite, fabs(a + b));
    }
    return fmin(same, opposite) < WIDTH;
}

static bool is_peak(const orffi_tried_waves *t, size_t i) {
    for (size_t j = 0; j < t->count; j++)
        if (t->gain[j] > t->gain[i] && are_near(t, i, j)) return false;
    return true;
}

size_t orffi_tried_waves_next(orffi_tried_waves *t) {
    for (;;) {
        size_t best = t->count;
        for (size_t i = 0; i < t->count; i++)
            if (!t->seen[i] && t->gain[i] > 0.0 && (best == t->count || t->gain[i] > t->gain[best])) best = i;
        if (best == t->count) return best;
        t->seen[best] = true;
        if (is_peak(t, best)) return best;
    }
}
