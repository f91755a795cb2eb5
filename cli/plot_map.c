/* The script of maps in colours, with what lies over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "inert.h"
#include "picture.h"
#include "report.h"

#define FINER       3    /* cells drawn for each between nodes: their edges are not seen */
#define COVERED     0.06 /* share of the map that points of data may cover ... */
#define LARGEST     0.4  /* ... with the largest marks */
#define MOST_POINTS 20000
#define LEVELS      10.0 /* lines of equal values, about */
#define HATCHES     60   /* diagonals of a hatching */

static bool is(const panel *one, const char *what) {
    return !strcmp(one->what, what);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool shows_field(const picture *f) {
    for (size_t k = 0; k < f->panels; k++)
        if (is(&f->panel[k], "field")) return true;
    return false;
}

/* An arrow below the map tells the scale of those in it. */
static bool has_reference(const picture *f) {
    return shows_field(f) && !cli_given(f->arguments, CLI_OPT_STREAMLINES);
}

/* ---- colours */

/* The colours end where all but a fiftieth of the cells drawn lie: an extreme at the edge must not make the rest pale.
 * `drawn` (n) is sorted. Sizes begin with 0 unless all are far from it. */
static void find_colour_range(panel *one, size_t n, double *drawn) {
    double *range = one->range;
    range[0] = range[1] = 0.0;
    if (!n) return;
    qsort(drawn, n, sizeof *drawn, ascending);
    double low = drawn[n / 50];
    const double high = drawn[n - 1 - n / 50];
    const bool both = low < 0.0 && high > 0.0 && fmin(-low, high) > 0.1 * fmax(-low, high),
               signs = is(one, "divergence") || is(one, "curl") ||
                       (!is(one, "field") && !is(one, "error") && both);
    if (signs && !(high > low || low != 0.0)) low = -1.0; /* zero everywhere: the colour of the middle */
    range[0] = signs ? -fmax(fabs(low), fabs(high)) : low;
    range[1] = signs ? -range[0] : high;
    if (is(one, "field") || (is(one, "error") && low < 0.5 * high)) range[0] = 0.0;
}

/* Errors must be seen where they are large. */
static bool is_drawn(const picture *f, const panel *one, bool known) {
    return known || cli_given(f->arguments, CLI_OPT_HATCH) || (is(one, "error") && !f->masking);
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

/* A column for each panel, NaN where nothing is drawn. */
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

/* The same cells where there is land: it is known to be no part of the field, so it is not white. */
static void put_land(const picture *f, const cells *c) {
    fputs("$land << EOD\n", f->script);
    for (size_t i = 0; i < c->n; i++)
        fprintf(f->script, "%.7g %.7g %s\n%s", c->places[2 * i], c->places[2 * i + 1],
                c->land[i] ? "255" : "0", i % c->count[0] == c->count[0] - 1 ? "\n" : "");
    fputs("EOD\n", f->script);
}

/* Diagonals, where cells are not known. They run from each cell of the lower edge and of the left one. */
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

/* ---- points and coasts */

/* A longitude as the map counts them. */
static double into_map(const picture *f, double x) {
    return f->degrees ? x - 360.0 * floor((x - 0.5 * (f->low[0] + f->high[0])) / 360.0 + 0.5) : x;
}

/* Marks as large as lets the map be seen. Their diameter is about 6 pixels at size 1. */
static double mark_size(const picture *f, size_t count) {
    const double area = 0.5 * (double)f->file.width * (double)f->file.height,
                 diameter = sqrt(COVERED * area / fmax((double)count, 1.0));
    return fmax(fmin(diameter / 8.0, LARGEST), 0.08);
}

/* Which of many rows are drawn: as good as by chance, and the same each time. */
static bool is_chosen(size_t row, size_t count) {
    const double part = fmod((double)row * 0.6180339887498949, 1.0);
    return count <= MOST_POINTS || part * (double)count < (double)MOST_POINTS;
}

/* All places in the map, n x 2. */
static int read_points(const picture *f, size_t *n, double **places) {
    const char *words[1] = {cli_text(f->arguments, CLI_OPT_POINTS)};
    const size_t d = f->applied.info.inputs;
    cli_arguments a = *f->arguments;
    cli_data data;
    a.words = words;
    a.n_words = 1;
    int status = cli_data_apply(&data, &a, 0, f->applied.notes, d, 0, false);
    double *X = cli_more(NULL, 4096 * d, sizeof *X);
    size_t rows = 1, room = 0;
    while (!status && rows) {
        status = cli_data_read(&data, 4096, X, NULL, &rows);
        if (*n + 4096 > room) *places = cli_more(*places, 2 * (room = 2 * (*n + 4096)), sizeof **places);
        for (size_t i = 0; !status && i < rows; i++) {
            const double x = into_map(f, X[i * d + f->axis[0]]), y = X[i * d + f->axis[1]];
            if (!isfinite(x) || !isfinite(y)) continue;
            (*places)[2 * *n] = x;
            (*places)[2 * (*n)++ + 1] = y;
        }
    }
    free(X);
    cli_data_close(&data);
    return status;
}

static int put_points(picture *f) {
    size_t n = 0, drawn = 0;
    double *places = NULL;
    const int status = read_points(f, &n, &places);
    fputs("$points << EOD\n", f->script);
    for (size_t i = 0; !status && i < n; i++) {
        if (!is_chosen(i, n)) continue;
        fprintf(f->script, "%.9g %.9g\n", places[2 * i], places[2 * i + 1]);
        drawn++;
    }
    fputs("EOD\n", f->script);
    f->marked = drawn ? mark_size(f, drawn) : 0.0;
    if (!status && drawn < n) cli_say("%zu of %zu points are marked", drawn, n);
    free(places);
    return status;
}

/* Segments of the coast that meet the region; longitudes that jump are not joined. */
static void put_coast(picture *f) {
    const orff_coast lines = fmt_coast_lines(&f->coast.file);
    fputs("$coast << EOD\n", f->script);
    for (size_t k = 0; k < lines.lines; k++)
        for (size_t i = lines.starts[k]; i + 1 < lines.starts[k + 1]; i++) {
            const double *p = lines.points + 2 * i, x = into_map(f, p[0]), X = into_map(f, p[2]);
            if (!isfinite(x + p[1] + X + p[3]) || (f->coast.degrees && fabs(X - x) > 180.0)) continue;
            if (fmax(x, X) < f->low[0] || fmin(x, X) > f->high[0] || fmax(p[1], p[3]) < f->low[1] ||
                fmin(p[1], p[3]) > f->high[1])
                continue;
            f->has_coast = fprintf(f->script, "%.9g %.9g\n%.9g %.9g\n\n", x, p[1], X, p[3]) > 0;
        }
    fputs("EOD\n", f->script);
}

/* ---- panels */

static void put_palette(const picture *f, const panel *one) {
    const double low = one->range[0], high = one->range[1] > low ? one->range[1] : low + 1.0,
                 tic = cli_tic_step(high - low, f->panels > 1 ? 4.0 : 6.0);
    char colours[CLI_PALETTE_ROOM];
    fprintf(f->script, "set palette defined %s\nset cbrange [%.9g:%.9g]\n",
            cli_style_palette(f->file.style, low < 0.0 && low == -high, colours), low, high);
    if (tic > 0.0 && isfinite(tic)) fprintf(f->script, "set cbtics %.9g\n", tic);
}

static bool has_contours(const picture *f, const panel *one) {
    const char *wish = cli_text(f->arguments, CLI_OPT_CONTOURS);
    const double step = cli_tic_step(one->range[1] - one->range[0], LEVELS);
    if (!(step > 0.0) || !isfinite(step)) return false;
    if (strcmp(wish, "auto")) return !strcmp(wish, "yes");
    return is(one, "potential") || is(one, "stream") || (is(one, "outputs") && f->applied.p == 1);
}

/* gnuplot finds the lines; they become data of their own. */
static void put_contours(const picture *f, const panel *one, size_t column) {
    const double low = one->range[0], high = one->range[1], step = cli_tic_step(high - low, LEVELS);
    fprintf(f->script,
            "set contour base\nunset surface\nset cntrparam linear levels incremental %.9g,%.9g,%.9g\n"
            "set table $contours\nsplot $colours using 1:2:%zu\nunset table\nunset contour\nset surface\n",
            step * ceil(low / step), step, high, column);
}

/* ---- where panels stand: everything in units of the picture's width, from its left lower corner */

/* Lines of text that stand left of a map, below it, right of it and above it. */
static void margins_of(const picture *f, double margins[4]) {
    const double line = cli_picture_line(f);
    margins[0] = line * (f->degrees ? (f->panels > 1 ? 3.4 : 4.2) : 4.6);
    margins[1] = line * (f->degrees && !has_reference(f) ? 1.7 : 3.2);
    margins[2] = line * (f->panels > 1 ? 5.2 : 6.4);
    margins[3] = line * (f->panels > 1 ? 2.2 : 0.7);
}

/* Width and height of a map in a part of the picture, true in proportion. */
static void find_room(picture *f, double width, double height) {
    const double w = f->high[0] - f->low[0], h = (f->high[1] - f->low[1]) * f->aspect;
    double margins[4];
    margins_of(f, margins);
    const double scale =
        fmax(fmin((width - margins[0] - margins[2]) / w, (height - margins[1] - margins[3]) / h),
             cli_picture_line(f) / fmax(w, h));
    f->room[0] = w * scale;
    f->room[1] = h * scale;
}

static double height_of_title(const picture *f) {
    char *title = cli_picture_title(f);
    const double height = title ? 1.8 * cli_picture_line(f) : 0.0;
    free(title);
    return height;
}

/* The layout (rows, columns) in which panels are largest. */
static void find_layout(picture *f) {
    const double width = (double)f->file.width, height = (double)f->file.height - height_of_title(f);
    double best = 0.0;
    for (size_t columns = 1; columns <= f->panels; columns++) {
        const size_t rows = (f->panels + columns - 1) / columns;
        find_room(f, width / (double)columns, height / (double)rows);
        if (columns > 1 && f->room[0] <= best) continue;
        best = f->room[0];
        f->layout[0] = rows;
        f->layout[1] = columns;
    }
    find_room(f, width / (double)f->layout[1], height / (double)f->layout[0]);
}

/* Panels stand side by side, up to three in a row (four: two by two), and the picture is as high as they need, unless a size
 * was given. */
static void fit_height(picture *f) {
    const size_t columns = f->panels < 3 || f->panels == 4 ? 2 : 3, rows = (f->panels + columns - 1) / columns;
    double margins[4];
    if (f->panels == 1 || cli_given(f->arguments, CLI_OPT_SIZE)) return;
    margins_of(f, margins);
    f->file.width = f->file.width * (f->file.printed ? 6 : 8) / 5;
    find_room(f, (double)f->file.width / (double)columns, INFINITY);
    const double high = (double)rows * (f->room[1] + margins[1] + margins[3]) + height_of_title(f),
                 width = (double)f->file.width;
    f->file.height = (size_t)fmin(fmax(high, 0.2 * width), 1.5 * width);
}

void cli_map_arrange(picture *f) {
    fit_height(f);
    find_layout(f);
}

/* The frame of panel k: in the middle of its part. */
static void find_corner(const picture *f, size_t k, double corner[2]) {
    const double width = (double)f->file.width / (double)f->layout[1],
                 height = ((double)f->file.height - height_of_title(f)) / (double)f->layout[0];
    double margins[4];
    margins_of(f, margins);
    corner[0] = width * (double)(k % f->layout[1]) + margins[0] +
                0.5 * (width - margins[0] - margins[2] - f->room[0]);
    corner[1] = height * (double)(f->layout[0] - 1 - k / f->layout[1]) + margins[1] +
                0.5 * (height - margins[1] - margins[3] - f->room[1]);
}

static void put_frame(picture *f, size_t k) {
    const double w = (double)f->file.width, h = (double)f->file.height, line = cli_picture_line(f);
    double *corner = f->corner;
    find_corner(f, k, corner);
    fprintf(
        f->script,
        "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\nset tmargin at "
        "screen %.6f\n",
        corner[0] / w, (corner[0] + f->room[0]) / w, corner[1] / h, (corner[1] + f->room[1]) / h);
    fprintf(f->script, "set colorbox user origin screen %.6f,%.6f size screen %.6f,%.6f\n",
            (corner[0] + f->room[0] + 0.6 * line) / w, corner[1] / h, 0.8 * line / w, f->room[1] / h);
}

/* As many as leave room for their numbers. */
static void put_tics(const picture *f, size_t axis) {
    const double numbers = f->room[axis] / (5.0 * (double)f->file.style->font),
                 step = cli_tic_step(f->high[axis] - f->low[axis], fmax(2.0, fmin(numbers, 10.0)));
    if (step > 0.0 && isfinite(step)) fprintf(f->script, "set %ctics %.9g\n", axis ? 'y' : 'x', step);
}

static void put_axes(const picture *f, size_t width, size_t height) {
    fprintf(f->script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", f->low[0], f->high[0], f->low[1],
            f->high[1]);
    fputs("set tics out nomirror\nunset key\n", f->script);
    if (f->degrees) {
        cli_picture_degrees(f, 0);
        cli_picture_degrees(f, 1);
        return;
    }
    put_tics(f, 0);
    put_tics(f, 1);
    cli_picture_input_label(f, "xlabel", width, 0);
    cli_picture_input_label(f, "ylabel", height, 1);
}

/* Land hides what lies below it, also the ends of streamlines. */
static void put_over(const picture *f) {
    const cli_style *style = f->file.style;
    unsigned red, green, blue;
    if (f->coast.given && sscanf(style->land, "#%2x%2x%2x", &red, &green, &blue) == 3)
        fprintf(f->script, ", \\\n    $land using 1:2:(%u):(%u):(%u):3 with rgbalpha", red, green, blue);
    if (f->has_coast)
        fprintf(f->script, ", \\\n    $coast using 1:2 with lines lw 0.8 lc rgb '%s'", style->coast);
    if (f->marked > 0.0)
        fprintf(f->script, ", \\\n    $points using 1:2 with points pt 7 ps %.3g lc rgb '%s'", f->marked,
                style->dots);
}

static void put_flow(const picture *f) {
    const char *ink = f->file.style->ink;
    if (!f->has_flow) return;
    if (cli_given(f->arguments, CLI_OPT_STREAMLINES)) {
        fprintf(f->script,
                ", \\\n    $streams using 1:2 with lines lw 1 lc rgb '%s', \\\n    $heads using 1:2:3:4 with "
                "vectors head filled size screen 0.009,22 fixed lw 1 lc rgb '%s'",
                ink, ink);
        return;
    }
    if (cli_given(f->arguments, CLI_OPT_ELLIPSES))
        fprintf(
            f->script,
            ", \\\n    $ellipses using 1:2:3:4:5 with ellipses units xx fs transparent solid 0.25 border lc "
            "rgb '%s' fc rgb '%s' lw 0.5",
            ink, f->file.style->paper);
    fprintf(
        f->script,
        ", \\\n    $arrows using 1:2:3:4 with vectors head filled size screen 0.008,20 lw 1.1 lc rgb '%s'",
        ink);
}

static void put_panel(picture *f, size_t k) {
    const panel *one = &f->panel[k];
    const bool contours = has_contours(f, one), field = is(one, "field");
    const char *ink = f->file.style->ink;
    put_frame(f, k);
    put_palette(f, one);
    cli_picture_colour_label(
        f, one, f->panels > 1 ? "title" : "cblabel",
        (size_t)(f->panels > 1 ? (double)f->file.width / (double)f->layout[1] : f->room[1]));
    if (contours) put_contours(f, one, k + 3);
    if (field && has_reference(f)) cli_picture_put_reference(f);
    fprintf(f->script, "plot $colours using 1:2:%zu with image", k + 3);
    if (contours) fprintf(f->script, ", \\\n    $contours using 1:2 with lines lw 0.7 lc rgb '%s'", ink);
    if (f->hatched) fprintf(f->script, ", \\\n    $hatch using 1:2 with lines lw 0.5 lc rgb '%s'", ink);
    if (field) put_flow(f);
    put_over(f);
    fputs(field ? "\nunset arrow 1\nunset label 1\n" : "\n", f->script);
}

/* In the middle of the upper edge. */
static void put_title(const picture *f) {
    char *title = cli_picture_title(f), quoted[CLI_LABEL_ROOM];
    if (title)
        fprintf(f->script,
                "set label 2 %s at screen 0.5, screen %.6f center noenhanced front textcolor rgb '%s'\n",
                cli_label(quoted, cli_picture_letters(&f->file, f->file.width * 9 / 10), title),
                1.0 - 0.9 * cli_picture_line(f) / (double)f->file.height, f->file.style->ink);
    free(title);
}

static void put_panels(picture *f) {
    put_axes(f, (size_t)f->room[0], (size_t)f->room[1]);
    put_title(f);
    if (f->panels > 1) fputs("set multiplot\nset title offset 0,-0.6\n", f->script);
    for (size_t k = 0; k < f->panels; k++) {
        put_panel(f, k);
        fputs("unset label 2\n", f->script);
    }
    if (f->panels > 1) fputs("unset multiplot\n", f->script);
}

/* Bitmaps of colours lie inside of vector formats too: gnuplot lays them there. */
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
    if (!status && cli_given(f->arguments, CLI_OPT_POINTS)) status = put_points(f);
    if (status) return status;
    if (f->coast.given || f->outline) {
        put_coast(f);
        fputs("set clip two\n", script);
    }
    put_panels(f);
    return CLI_DONE;
}
