/* Streamlines of a map, evenly spaced: at most one of them crosses each cell of a fine grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "report.h"

#define CELLS    1.6  /* cells per distance between arrows */
#define STEP     0.2  /* length of a step, in cells */
#define LONGEST  2000 /* most steps in each direction */
#define SHORTEST 3.0  /* length in cells: shorter lines are not drawn */

typedef struct streams {
    const picture *picture;
    size_t count[2];
    double cell;      /* side of a cell, in units of x */
    size_t *taken;    /* number of the line that crosses a cell; 0: none */
    double *path;     /* 2 LONGEST + 1 places */
    size_t low, high; /* the filled part of path */
} streams;

static bool is_inside(const picture *f, const double place[2]) {
    for (size_t k = 0; k < 2; k++)
        if (!(place[k] >= f->low[k] && place[k] <= f->high[k])) return false;
    return true;
}

static size_t *cell_at(const streams *s, const double place[2]) {
    const picture *f = s->picture;
    size_t at[2];
    for (size_t k = 0; k < 2; k++) {
        const double part = (place[k] - f->low[k]) / (f->high[k] - f->low[k]);
        at[k] = (size_t)fmin(part * (double)s->count[k], (double)s->count[k] - 1.0);
    }
    return &s->taken[at[1] * s->count[0] + at[0]];
}

/* Unit vector of the field, in units of x and y; false if the field is zero or not known there. */
static bool direction(const streams *s, const double place[2], double step[2]) {
    const picture *f = s->picture;
    if (!is_inside(f, place)) return false;
    const bool known = cli_given(f->arguments, CLI_OPT_HATCH) || cli_grid_known(f, place);
    const double u = cli_grid_at(f, f->grid.F, 2, place), v = cli_grid_at(f, f->grid.F + 1, 2, place),
                 size = hypot(u, v);
    if (!known || !(size > 0.0) || !isfinite(size)) return false;
    step[0] = u / size;
    step[1] = v / size / f->aspect;
    return true;
}

/* A step of the midpoint rule; false at an end: the frame, an unknown part, or another line. */
static bool advance(const streams *s, size_t number, double length, const double from[2], double to[2]) {
    double half[2], step[2];
    if (!direction(s, from, step)) return false;
    for (size_t k = 0; k < 2; k++) half[k] = from[k] + 0.5 * length * step[k];
    if (!direction(s, half, step)) return false;
    for (size_t k = 0; k < 2; k++) to[k] = from[k] + length * step[k];
    if (!is_inside(s->picture, to)) return false;
    size_t *cell = cell_at(s, to);
    if (*cell && *cell != number) return false;
    *cell = number;
    return true;
}

/* Whether a line has returned to its seed after many steps, so that a vortex is drawn once. */
static bool has_closed(const streams *s, const double *place, const double *seed, size_t steps) {
    return steps > 12 &&
           hypot(place[0] - seed[0], (place[1] - seed[1]) * s->picture->aspect) < STEP * s->cell;
}

static void trace(streams *s, size_t number, const double seed[2]) {
    s->low = s->high = LONGEST;
    memcpy(s->path + 2 * LONGEST, seed, 2 * sizeof *seed);
    *cell_at(s, seed) = number;
    while (s->high + 1 < 2 * LONGEST &&
           advance(s, number, STEP * s->cell, s->path + 2 * s->high, s->path + 2 * s->high + 2)) {
        s->high++;
        if (has_closed(s, s->path + 2 * s->high, seed, s->high - LONGEST)) return;
    }
    while (s->low && advance(s, number, -STEP * s->cell, s->path + 2 * s->low, s->path + 2 * s->low - 2))
        s->low--;
}

static void forget(streams *s, size_t number) {
    for (size_t i = 0; i < s->count[0] * s->count[1]; i++)
        if (s->taken[i] == number) s->taken[i] = 0;
}

static void put_line(const streams *s, FILE *script) {
    for (size_t i = s->low; i <= s->high; i++)
        fprintf(script, "%.9g %.9g\n", s->path[2 * i], s->path[2 * i + 1]);
    fputc('\n', script);
}

/* Adds a head in the middle of each line. */
static void add_head(const streams *s, cli_string *heads) {
    const size_t middle = (s->low + s->high) / 2;
    const double *from = s->path + 2 * middle, *to = from + 2;
    cli_append(heads, "%.9g %.9g %.9g %.9g\n", from[0], from[1], to[0] - from[0], to[1] - from[1]);
}

/* Returns whether there are any lines. Seeds from the outside inwards would be better than rows; a stride
 * spreads them. */
static bool try_seeds(streams *s, FILE *script, cli_string *heads) {
    const picture *f = s->picture;
    const size_t n = s->count[0] * s->count[1];
    size_t stride = n * 5 / 8 | 1, number = 1;
    while (n % stride == 0 && stride > 1) stride -= 2;
    for (size_t i = 0, at = 0; i < n; i++, at = (at + stride) % n) {
        const size_t cell[2] = {at % s->count[0], at / s->count[0]};
        double seed[2], step[2];
        for (size_t k = 0; k < 2; k++)
            seed[k] = f->low[k] + (f->high[k] - f->low[k]) * ((double)cell[k] + 0.5) / (double)s->count[k];
        if (s->taken[at] || !direction(s, seed, step)) continue;
        trace(s, number, seed);
        if ((double)(s->high - s->low) * STEP < SHORTEST) {
            forget(s, number);
            continue;
        }
        put_line(s, script);
        add_head(s, heads);
        number++;
    }
    return number > 1;
}

void cli_picture_put_streams(picture *f) {
    streams s = {.picture = f};
    cli_string heads = {0};
    cli_grid_counts(f, (size_t)(CELLS * (double)f->arrows), s.count);
    s.cell = (f->high[0] - f->low[0]) / (double)s.count[0];
    s.taken = cli_more(NULL, s.count[0] * s.count[1], sizeof *s.taken);
    memset(s.taken, 0, s.count[0] * s.count[1] * sizeof *s.taken);
    s.path = cli_more(NULL, 2 * (2 * LONGEST + 1), sizeof *s.path);
    fputs("$streams << EOD\n", f->script);
    f->has_flow = try_seeds(&s, f->script, &heads);
    fprintf(f->script, "EOD\n$heads << EOD\n%sEOD\n", heads.text ? heads.text : "");
    free(heads.text);
    free(s.taken);
    free(s.path);
}
