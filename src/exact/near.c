#include "exact/near.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"

#define LEAF       8  /* rows in a leaf, about */
#define MOST_SHARE 16 /* rows that an orthant has at least: more add nothing to those behind which they lie */

/* ---- building the tree */

static void swap(size_t *a, size_t *b) {
    const size_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Reorders the rows of [begin, end) so that along input i none before `middle` is larger than any from there
 * on (Hoare 1961). */
static void halve(const orffi_near *g, size_t i, size_t begin, size_t end, size_t middle) {
    size_t *rows = g->rows, low = begin, high = end - 1;
    while (low < high) {
        const double pivot = g->X[rows[low + (high - low) / 2] * g->d + i];
        size_t left = low, right = high;
        while (true) {
            while (g->X[rows[left] * g->d + i] < pivot) left++;
            while (pivot < g->X[rows[right] * g->d + i]) right--;
            if (left >= right) break;
            swap(&rows[left++], &rows[right--]);
        }
        if (middle <= right)
            high = right;
        else
            low = right + 1;
    }
}

/* The input along which these rows extend farthest, in scales. */
static size_t longest(const orffi_near *g, size_t begin, size_t end) {
    double most = -1.0;
    size_t which = 0;
    for (size_t i = 0; i < g->d; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t r = begin; r < end; r++) {
            low = fmin(low, g->X[g->rows[r] * g->d + i]);
            high = fmax(high, g->X[g->rows[r] * g->d + i]);
        }
        if (high / g->scale[i] - low / g->scale[i] > most) {
            most = high / g->scale[i] - low / g->scale[i];
            which = i;
        }
    }
    return which;
}

static void divide(orffi_near *g, size_t node, size_t level, size_t begin, size_t end) {
    if (level == g->levels) return;
    const size_t middle = begin + (end - begin) / 2, i = longest(g, begin, end);
    halve(g, i, begin, end, middle);
    g->split[node] = (unsigned char)i;
    g->at[node] = g->X[g->rows[middle] * g->d + i];
    divide(g, 2 * node + 1, level + 1, begin, middle);
    divide(g, 2 * node + 2, level + 1, middle, end);
}

static double fold(double x, double period) {
    return period > 0.0 ? x - period * floor(x / period) : x;
}

/* Moves rows into one period of every periodic input. */
static orff_status fold_rows(orffi_near *g) {
    bool any = false;
    for (size_t i = 0; i < g->d; i++) any = any || g->period[i] > 0.0;
    if (!any) return ORFF_OK;
    ORFFI_TRY(orffi_alloc(&g->folded, g->n, g->d * sizeof *g->folded));
    for (size_t i = 0; i < g->n * g->d; i++) g->folded[i] = fold(g->X[i], g->period[i % g->d]);
    g->X = g->folded;
    return ORFF_OK;
}

orff_status orffi_near_init(orffi_near *g, size_t n, size_t d, const double *X, const double *scale,
                            const double *periods) {
    *g = (orffi_near){.d = d, .n = n, .X = X};
    for (size_t i = 0; i < d; i++) {
        g->scale[i] = scale[i];
        g->period[i] = orffi_is_periodic(periods, i) ? periods[i] : 0.0;
    }
    ORFFI_TRY(fold_rows(g));
    X = g->X;
    while (n >> g->levels > LEAF) g->levels++;
    const size_t nodes = ((size_t)2 << g->levels) - 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->rows, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->place, n));
    ORFFI_TRY(orffi_alloc(&g->points, n, d * sizeof *g->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->here, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->came, nodes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->split, nodes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->at, nodes));
    for (size_t i = 0; i < n; i++) g->rows[i] = i;
    divide(g, 0, 0, 0, n);
    for (size_t i = 0; i < n; i++) {
        g->place[g->rows[i]] = i;
        memcpy(g->points + i * d, X + g->rows[i] * d, d * sizeof *X);
    }
    return ORFF_OK;
}

void orffi_near_clear(orffi_near *g) {
    orffi_release(g->folded);
    orffi_release(g->rows);
    orffi_release(g->place);
    orffi_release(g->points);
    orffi_release(g->here);
    orffi_release(g->came);
    orffi_release(g->split);
    orffi_release(g->at);
    memset(g, 0, sizeof *g);
}

void orffi_near_add(orffi_near *g, size_t row) {
    size_t node = 0, begin = 0, end = g->n;
    g->here[g->place[row]] = true;
    g->count++;
    for (size_t level = 0;; level++) {
        const size_t middle = begin + (end - begin) / 2;
        g->came[node]++;
        if (level == g->levels) return;
        const bool upper = g->place[row] >= middle;
        node = 2 * node + (upper ? 2 : 1);
        *(upper ? &begin : &end) = middle;
    }
}

/* ---- searching */

typedef struct search {
    const orffi_near *near;
    double x[ORFFI_NEAR_MOST];
    size_t k, count;
    size_t *found;
    double *distances; /* squared, ascending */
    bool one;          /* only rows of one orthant of x count: ... */
    unsigned orthant;  /* ... bit i: not below x along input i */
} search;

/* Whether the lower, or the upper, half of what is divided there along input i has rows of the orthant. */
static bool reaches(const search *s, size_t i, double at, bool upper) {
    if (!s->one) return true;
    return s->orthant >> i & 1u ? upper || at >= s->x[i] : !upper || at < s->x[i];
}

static bool is_within(const search *s, const double *point) {
    unsigned orthant = 0;
    for (size_t i = 0; s->one && i < s->near->d; i++) orthant |= (unsigned)(point[i] >= s->x[i]) << i;
    return !s->one || orthant == s->orthant;
}

/* Rows come again from the other side of a circle: the nearer side counts. */
static bool is_found(search *s, size_t row, double square) {
    for (size_t i = 0; i < s->count; i++) {
        if (s->found[i] != row) continue;
        if (s->distances[i] <= square) return true;
        for (s->count--; i < s->count; i++) {
            s->found[i] = s->found[i + 1];
            s->distances[i] = s->distances[i + 1];
        }
    }
    return false;
}

static void offer(search *s, size_t place) {
    const orffi_near *g = s->near;
    double square = 0.0;
    if (!is_within(s, g->points + place * g->d)) return;
    for (size_t i = 0; i < g->d; i++) {
        const double step = (s->x[i] - g->points[place * g->d + i]) / g->scale[i];
        square += step * step;
    }
    if (s->count == s->k && !(square < s->distances[s->k - 1])) return;
    if (g->folded && is_found(s, g->rows[place], square)) return;
    size_t at = s->count < s->k ? s->count++ : s->k - 1;
    for (; at > 0 && s->distances[at - 1] > square; at--) {
        s->distances[at] = s->distances[at - 1];
        s->found[at] = s->found[at - 1];
    }
    s->distances[at] = square;
    s->found[at] = g->rows[place];
}

/* Whether no row of a half can be among the nearest. away: the distance of x from the half along each input,
 * in scales, a lower bound for its rows. Rounding must not make the half appear farther than its rows are. */
static bool is_too_far(const search *s, const double *away) {
    double square = 0.0;
    if (s->count < s->k) return false;
    for (size_t i = 0; i < s->near->d; i++) square += away[i] * away[i];
    return square * (1.0 - 1e-14) >= s->distances[s->k - 1];
}

/* Searches the half on the side of x first. */
static void search_node(search *s, size_t node, size_t level, size_t begin, size_t end, double *away) {
    const orffi_near *g = s->near;
    if (g->came[node] == 0 || is_too_far(s, away)) return;
    if (level == g->levels) {
        for (size_t i = begin; i < end; i++)
            if (g->here[i]) offer(s, i);
        return;
    }
    const size_t i = g->split[node], middle = begin + (end - begin) / 2;
    const double step = (s->x[i] - g->at[node]) / g->scale[i], before = away[i];
    const bool upper = step >= 0.0;
    for (size_t side = 0; side < 2; side++) {
        const bool second = upper != (side == 1);
        if (!reaches(s, i, g->at[node], second)) continue;
        away[i] = side == 1 ? fabs(step) : before;
        search_node(s, 2 * node + (second ? 2 : 1), level + 1, second ? middle : begin, second ? end : middle,
                    away);
    }
    away[i] = before;
}

/* From x, and a period further on both sides where inputs go round. */
static size_t run(search *s, const double *x) {
    const orffi_near *g = s->near;
    size_t rounds = s->k ? 1 : 0;
    for (size_t i = 0; i < g->d; i++) rounds *= g->period[i] > 0.0 ? 3 : 1;
    for (size_t j = 0; j < rounds; j++) {
        double away[ORFFI_NEAR_MOST] = {0};
        size_t rest = j;
        for (size_t i = 0; i < g->d; i++) {
            const double period = g->period[i], side = rest % 3 == 2 ? -1.0 : (double)(rest % 3);
            s->x[i] = fold(x[i], period) + (period > 0.0 ? side * period : 0.0);
            if (period > 0.0) rest /= 3;
        }
        search_node(s, 0, 0, 0, g->n, away);
    }
    return s->count;
}

size_t orffi_near_find(const orffi_near *g, const double *x, size_t k, size_t *found, double *distances) {
    search s = {.near = g, .k = k < g->count ? k : g->count, .found = found, .distances = distances};
    return run(&s, x);
}

/* ---- all around */

/* The orthant of x in which the nearest image of a row is. */
static unsigned orthant_of(const orffi_near *g, const double *x, size_t row) {
    unsigned orthant = 0;
    for (size_t i = 0; i < g->d; i++) {
        const double period = g->period[i];
        double step = g->X[row * g->d + i] - fold(x[i], period);
        if (period > 0.0) step -= period * round(step / period);
        orthant |= (unsigned)(step >= 0.0) << i;
    }
    return orthant;
}

static bool is_among(size_t count, const size_t *rows, size_t row) {
    for (size_t i = 0; i < count; i++)
        if (rows[i] == row) return true;
    return false;
}

/* One more row in the place of the farthest of those before *end whose orthant has more than its share. */
static void replace(const orffi_near *g, const double *x, size_t share, size_t row, double distance,
                    size_t *had, size_t count, size_t *end, size_t *found, double *distances) {
    for (size_t i = *end; i-- > 0;) {
        const unsigned orthant = orthant_of(g, x, found[i]);
        if (had[orthant] <= share) continue;
        had[orthant]--;
        for (size_t j = i; j + 1 < count; j++) {
            found[j] = found[j + 1];
            distances[j] = distances[j + 1];
        }
        found[count - 1] = row;
        distances[count - 1] = distance;
        --*end;
        return;
    }
}

size_t orffi_near_around(const orffi_near *g, const double *x, size_t k, size_t *found, double *distances) {
    const size_t orthants = (size_t)1 << g->d, most = k / (2 * orthants),
                 share = most < MOST_SHARE ? most : MOST_SHARE;
    const size_t count = orffi_near_find(g, x, k, found, distances);
    size_t had[1 << ORFFI_NEAR_MOST] = {0}, end = count, others[MOST_SHARE];
    double squares[MOST_SHARE];
    if (count < k || !share) return count; /* all that came */
    for (size_t i = 0; i < count; i++) had[orthant_of(g, x, found[i])]++;
    for (unsigned o = 0; o < orthants; o++) {
        search s = {.near = g, .k = share, .found = others, .distances = squares, .one = true, .orthant = o};
        if (had[o] >= share) continue;
        const size_t met = run(&s, x);
        for (size_t i = 0; i < met; i++)
            if (!is_among(count, found, others[i]))
                replace(g, x, share, others[i], squares[i], had, count, &end, found, distances);
    }
    return count;
}
