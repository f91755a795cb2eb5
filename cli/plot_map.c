/* The script of maps in colours, with what is drawn above them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "report.h"

/* Cells drawn between neighbouring nodes, along each axis: so many that their edges are invisible. */
#define FINER   3
#define HATCHES 60 /* diagonal lines of a hatching */

bool cli_panel_is(const panel *one, const char *what) {
    return !strcmp(one->what, what);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool shows_field(const picture *f) {
    for (size_t k = 0; k < f->panels; k++)
        if (cli_panel_is(&f->panel[k], "field")) return true;
    return false;
}

bool cli_picture_has_reference(const picture *f) {
    return shows_field(f) && !cli_given(f->arguments, CLI_OPT_STREAMLINES);
}

/* ---- colours */

/* The range of the colours excludes a fiftieth of the cells drawn at each end, so that an extreme at the
 * edge does not make the rest pale. Sorts `drawn` (n). Lengths begin at 0 unless all are far from it. */
static void find_colour_range(panel *one, size_t n, double *drawn) {
    double *range = one->range;
    range[0] = range[1] = 0.0;
    if (!n) return;
    qsort(drawn, n, sizeof *drawn, ascending);
    double low = drawn[n / 50];
    const double high = drawn[n - 1 - n / 50];
    const bool both = low < 0.0 && high > 0.0 && fmin(-low, high) > 0.1 * fmax(-low, high),
               signs = cli_panel_is(one, "divergence") || cli_panel_is(one, "curl") ||
                       (!cli_panel_is(one, "field") && !cli_panel_is(one, "error") && both);
    if (signs && !(high > low || low != 0.0)) low = -1.0; /* zero everywhere: the middle colour */
    range[0] = signs ? -fmax(fabs(low), fabs(high)) : low;
    range[1] = signs ? -range[0] : high;
    if (cli_panel_is(one, "field") || (cli_panel_is(one, "error") && low < 0.5 * high)) range[0] = 0.0;
}

/* Errors must be visible where they are large. */
static bool is_drawn(const picture *f, const panel *one, bool known) {
    return known || cli_given(f->arguments, CLI_OPT_HATCH) || (cli_panel_is(one, "error") && !f->masking);
}

typedef struct cells {
    size_t count[2], n;
    double *places; /* n x 2 */
    bool *land, *known;
} cells;

static int make_cells(const picture *f, cells *c) {
    for (size_t k = 0; k < 2; k++) c->count[k] = (f->grid.count[k] - 1) * FINER + 1;
    c->n = c->count[0] * c->count[1];
    c->places = cli_more(NULL, 2 * c->n, sizeof *c->places);
    c->land = cli_more(NULL, c->n, sizeof *c->land);
    c->known = cli_more(NULL, c->n, sizeof *c->known);
    for (size_t i = 0; i < c->n; i++) {
        const size_t at[2] = {i % c->count[0], i / c->count[0]};
        for (size_t k = 0; k < 2; k++)
            c->places[2 * i + k] =
                f->low[k] + (f->high[k] - f->low[k]) * (double)at[k] / (double)(c->count[k] - 1);
        c->known[i] = cli_grid_known(f, c->places + 2 * i);
    }
    return cli_grid_land(f, c->n, c->places, c->land);
}

/* One column per panel, NaN where nothing is drawn. */
static void put_cells(picture *f, const cells *c) {
    double *drawn = cli_more(NULL, c->n * f->panels, sizeof *drawn);
    size_t counts[MOST_PANELS] = {0};
    fputs("$colours << EOD\n", f->script);
    for (size_t i = 0; i < c->n; i++) {
        fprintf(f->script, "%.7g %.7g", c->places[2 * i], c->places[2 * i + 1]);
        for (size_t k = 0; k < f->panels; k++) {
            const double value = cli_grid_at(f, f->panel[k].values, 1, c->places + 2 * i);
            const bool shown = !c->land[i] && is_drawn(f, &f->panel[k], c->known[i]) && isfinite(value);
            fprintf(f->script, shown ? " %.5g" : " NaN", value);
            if (shown) drawn[k * c->n + counts[k]++] = value;
        }
        fputs(i % c->count[0] == c->count[0] - 1 ? "\n\n" : "\n", f->script);
    }
    fputs("EOD\n", f->script);
    for (size_t k = 0; k < f->panels; k++) find_colour_range(&f->panel[k], counts[k], drawn + k * c->n);
    free(drawn);
}

/* The same cells on land, which is no part of the field and so not white. */
static void put_land(const picture *f, const cells *c) {
    fputs("$land << EOD\n", f->script);
    for (size_t i = 0; i < c->n; i++)
        fprintf(f->script, "%.7g %.7g %s\n%s", c->places[2 * i], c->places[2 * i + 1],
                c->land[i] ? "255" : "0", i % c->count[0] == c->count[0] - 1 ? "\n" : "");
    fputs("EOD\n", f->script);
}

/* Diagonal lines where cells are not known, starting at cells of the lower and the left edge. */
static void put_hatching(picture *f, const cells *c) {
    const size_t nx = c->count[0], ny = c->count[1], gap = (nx > ny ? nx : ny) / HATCHES + 1;
    fputs("$hatch << EOD\n", f->script);
    for (size_t diagonal = 0; diagonal < nx + ny; diagonal += gap) {
        const size_t x0 = diagonal < nx ? diagonal : 0, y0 = diagonal < nx ? 0 : diagonal - nx + 1;
        for (size_t k = 0; x0 + k < nx && y0 + k < ny; k++) {
            const size_t i = (y0 + k) * nx + x0 + k;
            if (c->known[i] || c->land[i])
                fputc('\n', f->script);
            else
                f->hatched = fprintf(f->script, "%.7g %.7g\n", c->places[2 * i], c->places[2 * i + 1]) > 0;
        }
        fputc('\n', f->script);
    }
    fputs("EOD\n", f->script);
}

static int put_colours(picture *f) {
    cells c = {0};
    const int status = make_cells(f, &c);
    if (!status) put_cells(f, &c);
    if (!status && f->coast.given) put_land(f, &c);
    if (!status && cli_given(f->arguments, CLI_OPT_HATCH)) put_hatching(f, &c);
    f->cells = c.n;
    for (size_t i = 0; i < c.n; i++) f->hidden += c.land[i] || !c.known[i];
    free(c.places);
    free(c.land);
    free(c.known);
    return status;
}

/* ---- panels */

/* Colours are bitmaps in vector formats, too: gnuplot embeds them. */
int cli_picture_put_map(void *self, FILE *script) {
    picture *f = self;
    f->script = script;
    int status = put_colours(f);
    if (!status && shows_field(f)) {
        if (cli_given(f->arguments, CLI_OPT_STREAMLINES))
            cli_picture_put_streams(f);
        else
            status = cli_picture_put_arrows(f);
    }
    if (!status && cli_given(f->arguments, CLI_OPT_POINTS)) status = cli_picture_put_points(f);
    if (status) return status;
    if (f->coast.given || f->outline) {
        cli_picture_put_coast(f);
        fputs("set clip two\n", script);
    }
    cli_picture_put_panels(f);
    return CLI_DONE;
}
