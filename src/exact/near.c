#include "exact/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"

#define ROWS_IN_CELL 2.0
#define FIRST_CELLS  64
#define MOST_LOOKED \
    4096 /* rows that one search compares: crowds of equal rows are as good as their first ones */

/* From 0 on; around a circle once. */
static double scaled(const orffi_near *g, const double *x, size_t i) {
    const double at = (x[i] - g->low[i]) / g->scale[i];
    return g->period[i] > 0.0 ? at - floor(at / g->period[i]) * g->period[i] : at;
}

static size_t side_of(const orffi_near *g, const double *x, size_t i) {
    const double at = floor(scaled(g, x, i) / g->step[i]);
    if (!(at > 0.0)) return 0;
    return at < (double)g->sides[i] ? (size_t)at : g->sides[i] - 1;
}

static size_t cell_of(const orffi_near *g, const double *x) {
    size_t cell = 0;
    for (size_t i = 0; i < g->d; i++) cell = cell * g->sides[i] + side_of(g, x, i);
    return cell;
}

static void chain(orffi_near *g, size_t row) {
    const size_t cell = cell_of(g, g->X + row * g->d);
    g->next[row] = g->first[cell];
    g->first[cell] = row;
}

static void set_sides(orffi_near *g, size_t i, double extent) {
    const size_t whole = (size_t)fmin(extent / g->width, 1e6);
    const bool circle = g->period[i] > 0.0;
    g->sides[i] = !circle ? 1 + whole : whole ? whole : 1;
    g->step[i] = circle ? extent / (double)g->sides[i] : g->width;
}

/* Cells for `rows` rows; all that came are put into them. */
static orff_status divide(orffi_near *g, double rows) {
    double volume = 1.0, extent[ORFFI_NEAR_MOST], longest = 0.0;
    for (size_t i = 0; i < g->d; i++) {
        extent[i] = g->period[i] > 0.0 ? g->period[i] : (g->high[i] - g->low[i]) / g->scale[i];
        longest = fmax(longest, extent[i]);
    }
    for (size_t i = 0; i < g->d; i++) volume *= fmax(extent[i], 1e-3 * longest);
    g->width = fmax(pow(volume * ROWS_IN_CELL / rows, 1.0 / (double)g->d), 1e-6 * longest);
    if (!(g->width > 0.0)) g->width = 1.0;
    size_t cells = 1;
    for (size_t i = 0; i < g->d; i++) {
        set_sides(g, i, extent[i]);
        if (cells > SIZE_MAX / 8 / g->sides[i]) return orffi_fail(ORFF_ERROR_NO_MEMORY, "too many cells");
        cells *= g->sides[i];
    }
    if (cells > g->cells) {
        orffi_release(g->first);
        g->cells = 0;
        ORFFI_TRY(ORFFI_NEW_ARRAY(g->first, cells));
        g->cells = cells;
    }
    for (size_t c = 0; c < cells; c++) g->first[c] = g->n;
    for (size_t i = 0; i < g->count; i++) chain(g, g->rows[i]);
    return ORFF_OK;
}

orff_status orffi_near_init(orffi_near *g, size_t n, size_t d, const double *X, const double *scale,
                            const double *periods) {
    *g = (orffi_near){.d = d, .n = n, .X = X};
    for (size_t i = 0; i < d; i++) {
        g->scale[i] = scale[i];
        g->period[i] = orffi_is_periodic(periods, i) ? periods[i] / scale[i] : 0.0;
        g->low[i] = g->high[i] = n ? X[i] : 0.0;
        for (size_t r = 1; r < n; r++) {
            g->low[i] = fmin(g->low[i], X[r * d + i]);
            g->high[i] = fmax(g->high[i], X[r * d + i]);
        }
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->next, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->rows, n));
    return divide(g, FIRST_CELLS);
}

void orffi_near_clear(orffi_near *g) {
    orffi_release(g->first);
    orffi_release(g->next);
    orffi_release(g->rows);
    memset(g, 0, sizeof *g);
}

orff_status orffi_near_add(orffi_near *g, size_t row) {
    g->rows[g->count++] = row;
    if (g->count >= FIRST_CELLS && (g->count & (g->count - 1)) == 0) return divide(g, 2.0 * (double)g->count);
    chain(g, row);
    return ORFF_OK;
}

/* ---- searching */

typedef struct search {
    const orffi_near *near;
    const double *x;
    size_t k, count, looked;
    size_t *found;
    double *distances; /* squared, ascending */
} search;

static void offer(search *s, size_t row) {
    const orffi_near *g = s->near;
    double square = 0.0;
    for (size_t i = 0; i < g->d; i++) {
        const double step = orffi_shortest(g->period, i, (s->x[i] - g->X[row * g->d + i]) / g->scale[i]);
        square += step * step;
    }
    s->looked++;
    if (s->count == s->k && square >= s->distances[s->k - 1]) return;
    size_t at = s->count < s->k ? s->count++ : s->k - 1;
    for (; at > 0 && s->distances[at - 1] > square; at--) {
        s->distances[at] = s->distances[at - 1];
        s->found[at] = s->found[at - 1];
    }
    s->distances[at] = square;
    s->found[at] = row;
}

/* The cell so many steps from the middle along input i; false: there is none, or another way around is shorter. */
static bool step_to(const orffi_near *g, size_t i, long middle, long step, size_t *at) {
    const long sides = (long)g->sides[i];
    if (g->period[i] > 0.0) {
        *at = (size_t)((middle + step + sides) % sides);
        return 2 * step <= sides && 2 * step > -sides;
    }
    *at = (size_t)(middle + step);
    return middle + step >= 0 && middle + step < sides;
}

static void look_into(search *s, const long *middle, const long *step) {
    const orffi_near *g = s->near;
    size_t cell = 0, at;
    for (size_t i = 0; i < g->d; i++) {
        if (!step_to(g, i, middle[i], step[i], &at)) return;
        cell = cell * g->sides[i] + at;
    }
    for (size_t row = g->first[cell]; row != g->n && s->looked < MOST_LOOKED; row = g->next[row])
        offer(s, row);
}

/* The cells at `ring` steps from the middle: the last input runs over all of them, or over its two ends only. */
static void look_at_ring(search *s, const long *middle, long ring) {
    const size_t d = s->near->d;
    long step[ORFFI_NEAR_MOST] = {0};
    for (size_t i = 0; i < d; i++) step[i] = -ring;
    for (;;) {
        bool edge = ring == 0;
        for (size_t i = 0; i + 1 < d; i++) edge = edge || labs(step[i]) == ring;
        for (long last = -ring; last <= ring; last += edge || ring == 0 ? 1 : 2 * ring) {
            step[d - 1] = last;
            look_into(s, middle, step);
        }
        size_t i = d - 1;
        while (i-- > 0) {
            if (++step[i] <= ring) break;
            step[i] = -ring;
        }
        if (i == SIZE_MAX) return;
    }
}

/* No row outside of the rings so far can be nearer than this many widths; the point may lie outside of all cells. */
static bool is_enough(const search *s, long ring) {
    const double reach = (double)ring * s->near->width;
    return s->looked >= MOST_LOOKED || (s->count == s->k && s->distances[s->k - 1] <= reach * reach);
}

size_t orffi_near_find(const orffi_near *g, const double *x, size_t k, size_t *found, double *distances) {
    search s = {.near = g, .x = x, .k = k < g->count ? k : g->count, .found = found, .distances = distances};
    long middle[ORFFI_NEAR_MOST];
    size_t longest = 0;
    if (s.k == 0) return 0;
    for (size_t i = 0; i < g->d; i++) {
        middle[i] = (long)side_of(g, x, i);
        longest = g->sides[i] > longest ? g->sides[i] : longest;
    }
    for (long ring = 0; ring <= (long)longest; ring++) {
        look_at_ring(&s, middle, ring);
        if (is_enough(&s, ring)) break;
    }
    return s.count;
}
