/* Evaluates the model once, at the nodes of a grid over the region of a map; everything drawn is
 * interpolated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "picture.h"
#include "report.h"

#define NODES    120  /* along the longer side */
#define ROUNDING 1e-9 /* of a slope, relative to the field over the width of the map */

/* ---- nodes */

void cli_grid_counts(const picture *f, size_t most, size_t count[2]) {
    const double extent[2] = {f->high[0] - f->low[0], (f->high[1] - f->low[1]) * f->aspect},
                 longer = fmax(extent[0], extent[1]);
    for (size_t k = 0; k < 2; k++) count[k] = (size_t)fmax(2.0, round((double)most * extent[k] / longer));
}

static void make_nodes(picture *f) {
    const size_t d = f->applied.info.inputs;
    grid *g = &f->grid;
    cli_grid_counts(f, NODES, g->count);
    g->X = cli_more(NULL, g->count[0] * g->count[1] * d, sizeof *g->X);
    for (size_t i = 0; i < g->count[0] * g->count[1]; i++) {
        const size_t place[2] = {i % g->count[0], i / g->count[0]};
        memcpy(g->X + i * d, f->fixed, d * sizeof *g->X);
        for (size_t k = 0; k < 2; k++)
            g->X[i * d + f->axis[k]] =
                f->low[k] + (f->high[k] - f->low[k]) * (double)place[k] / (double)(g->count[k] - 1);
    }
}

/* ---- between nodes */

/* The cubic through p[1] and p[2] of equally spaced p[0..3], with slopes from their neighbours, at t
 * between p[1] and p[2]. */
static double cubic(const double p[4], double t) {
    return p[1] +
           0.5 * t *
               (p[2] - p[0] +
                t * (2.0 * p[0] - 5.0 * p[1] + 4.0 * p[2] - p[3] + t * (3.0 * (p[1] - p[2]) + p[3] - p[0])));
}

/* Four of `count` values starting with `first`, `stride` apart; extrapolates linearly beyond the ends. */
static void four(const double *values, size_t stride, size_t count, ptrdiff_t first, double p[4]) {
    const ptrdiff_t last = (ptrdiff_t)count - 1;
    for (ptrdiff_t k = 0; k < 4; k++) {
        const ptrdiff_t i = first + k, inside = i < 0 ? 0 : i > last ? last : i, next = i < 0 ? 1 : last - 1;
        p[k] = values[(size_t)inside * stride];
        if (i != inside) p[k] = 2.0 * p[k] - values[(size_t)next * stride];
    }
}

/* The cell of a place, and the position in the cell. */
static ptrdiff_t cell_of(const picture *f, size_t k, double x, double *t) {
    const double cells = (double)(f->grid.count[k] - 1),
                 at = fmin(fmax((x - f->low[k]) / (f->high[k] - f->low[k]) * cells, 0.0), cells),
                 cell = fmin(floor(at), cells - 1.0);
    *t = at - cell;
    return (ptrdiff_t)cell;
}

double cli_grid_at(const picture *f, const double *values, size_t width, const double place[2]) {
    double tx, ty, across[4], p[4];
    const size_t nx = f->grid.count[0], ny = f->grid.count[1];
    const ptrdiff_t cx = cell_of(f, 0, place[0], &tx), cy = cell_of(f, 1, place[1], &ty),
                    last = (ptrdiff_t)ny - 1;
    for (ptrdiff_t k = 0; k < 4; k++) {
        const ptrdiff_t row = cy - 1 + k, inside = row < 0 ? 0 : row > last ? last : row;
        four(values + (size_t)inside * nx * width, width, nx, cx - 1, p);
        across[k] = cubic(p, tx);
    }
    if (cy == 0) across[0] = 2.0 * across[1] - across[2];
    if (cy == last - 1) across[3] = 2.0 * across[2] - across[1];
    return cubic(across, ty);
}

/* Interpolates linearly, as doubts jump where a mask begins. */
bool cli_grid_known(const picture *f, const double place[2]) {
    double tx, ty;
    const size_t nx = f->grid.count[0], cx = (size_t)cell_of(f, 0, place[0], &tx),
                 cy = (size_t)cell_of(f, 1, place[1], &ty);
    const double *p = f->grid.doubt + cy * nx + cx;
    const double low = p[0] + tx * (p[1] - p[0]), high = p[nx] + tx * (p[nx + 1] - p[nx]);
    return low + ty * (high - low) <= f->limit;
}

int cli_grid_land(const picture *f, size_t n, const double *places, bool *land) {
    memset(land, 0, n * sizeof *land);
    if (!f->coast.given) return CLI_DONE;
    const orff_coast lines = fmt_coast_lines(&f->coast.file);
    return cli_outcome(orff_coast_land(&lines, f->coast.degrees, n, places, land, NULL), NULL);
}

/* ---- values */

static double length_of(size_t p, const double *vector) {
    double sum = 0.0;
    for (size_t i = 0; i < p; i++) sum = hypot(sum, vector[i]);
    return sum;
}

static bool shows(const picture *f, const char *what) {
    for (size_t k = 0; k < f->panels; k++)
        if (!strcmp(f->panel[k].what, what)) return true;
    return false;
}

/* Doubts are 1 where points are masked, otherwise 0. */
static int find_mask(picture *f, size_t n) {
    bool *masked = cli_more(NULL, n, sizeof *masked);
    const int status = cli_mask_points(&f->applied, &f->mask, n, f->grid.X, masked);
    for (size_t i = 0; i < n; i++) f->grid.doubt[i] = !status && masked[i];
    f->limit = 0.5;
    free(masked);
    return status;
}

/* Doubts are standard deviations relative to the prior's. Without error bars, or if those of the prior are
 * unknown (a kernel without an exact form), everything is drawn. */
static int find_limit(picture *f, size_t n) {
    double *prior = cli_more(NULL, f->applied.p, sizeof *prior);
    const bool all = cli_given(f->arguments, CLI_OPT_EVERYWHERE) || !cli_mask_prior(&f->applied, prior);
    free(prior);
    f->limit = all ? INFINITY : CLI_LITTLE_KNOWN;
    if (!all)
        return cli_outcome(orff_model_relative_std(f->applied.model, n, f->grid.X, f->grid.doubt), NULL);
    memset(f->grid.doubt, 0, n * sizeof *f->grid.doubt);
    return CLI_DONE;
}

static int find_doubts(picture *f, size_t n) {
    f->grid.doubt = cli_more(NULL, n, sizeof *f->grid.doubt);
    return f->masking ? find_mask(f, n) : find_limit(f, n);
}

/* A field that the kernel makes zero is zero up to rounding, whose pattern means nothing. */
static int fill_derived(picture *f, panel *one, size_t n) {
    const size_t p = f->applied.p;
    const bool slope = !strcmp(one->what, "divergence") || !strcmp(one->what, "curl");
    double *F = slope ? cli_more(NULL, n * p, sizeof *F) : NULL, field = 0.0, most = 0.0;
    int status = cli_applied_derive(&f->applied, one->derived, n, f->grid.X, one->values);
    if (!status && slope) status = cli_applied_predict(&f->applied, n, f->grid.X, F);
    for (size_t i = 0; !status && slope && i < n; i++) {
        field = fmax(field, length_of(p, F + i * p));
        most = fmax(most, fabs(one->values[i]));
    }
    free(F);
    if (status || !slope || most > ROUNDING * field / (f->high[0] - f->low[0])) return status;
    memset(one->values, 0, n * sizeof *one->values);
    cli_say("the %s is zero everywhere with this kernel", one->what);
    return CLI_DONE;
}

/* S: n x p. */
static int fill_panel(picture *f, panel *one, size_t n, const double *S) {
    const size_t p = f->applied.p;
    const bool error = !strcmp(one->what, "error"), output = !strcmp(one->what, "outputs");
    one->values = cli_more(NULL, n, sizeof *one->values);
    if (one->derived) return fill_derived(f, one, n);
    for (size_t i = 0; i < n; i++)
        one->values[i] =
            output ? f->grid.F[i * p + one->output] : length_of(p, (error ? S : f->grid.F) + i * p);
    return CLI_DONE;
}

int cli_grid_fill(picture *f) {
    make_nodes(f);
    const size_t n = f->grid.count[0] * f->grid.count[1], p = f->applied.p;
    double *S = shows(f, "error") ? cli_more(NULL, n * p, sizeof *S) : NULL;
    int status = S ? cli_applied_std(&f->applied, false, n, f->grid.X, S) : CLI_DONE;
    if (!status && (shows(f, "field") || shows(f, "outputs"))) {
        f->grid.F = cli_more(NULL, n * p, sizeof *f->grid.F);
        status = cli_applied_predict(&f->applied, n, f->grid.X, f->grid.F);
    }
    if (!status) status = find_doubts(f, n);
    for (size_t k = 0; !status && k < f->panels; k++) status = fill_panel(f, &f->panel[k], n, S);
    free(S);
    return status;
}

void cli_grid_clear(picture *f) {
    for (size_t k = 0; k < f->panels; k++) free(f->panel[k].values);
    free(f->grid.X);
    free(f->grid.F);
    free(f->grid.doubt);
}
