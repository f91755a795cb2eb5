#include "curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/table.h"
#include "inert.h"
#include "report.h"
#include "result.h"

#define COLOURED 8   /* candidates in colour, listed in the key */
#define MOST     3.0 /* errors up to so many times the smallest are drawn */

/* One line of the report. */
typedef struct point {
    double lambda, rmse;
} point;

/* One candidate: its lines, which are consecutive in the report. */
typedef struct curve {
    double number;
    size_t first, count, best, label; /* best is relative to first */
} curve;

typedef struct curves {
    fmt_table *table; /* has the labels */
    size_t n_points, n_curves;
    point *points;
    curve *curves; /* after reading, sorted with the best first */
    const cli_picture *picture;
} curves;

static const point *best_point(const curves *c, size_t i) {
    return &c->points[c->curves[i].first + c->curves[i].best];
}

/* ---- reading */

static int refuse(const fmt_table *table) {
    return cli_failed(
        "%s; a report of orff tune (--report) has the columns candidate, label, lambda and cv_rmse",
        fmt_table_error(table));
}

static void add_row(curves *c, const double *x, double label) {
    const bool fresh = c->n_curves == 0 || c->curves[c->n_curves - 1].number != x[0];
    if (fresh) {
        c->curves = cli_more(c->curves, c->n_curves + 1, sizeof *c->curves);
        c->curves[c->n_curves++] = (curve){.number = x[0], .first = c->n_points, .label = (size_t)label};
    }
    curve *last = &c->curves[c->n_curves - 1];
    c->points = cli_more(c->points, c->n_points + 1, sizeof *c->points);
    c->points[c->n_points++] = (point){x[1], x[2]};
    if (x[2] < c->points[last->first + last->best].rmse) last->best = last->count;
    last->count++;
}

static int read_rows(curves *c, const char *path) {
    enum { ROOM = 256 };
    double X[3 * ROOM], Y[ROOM];
    size_t rows = 1;
    while (rows) {
        if (fmt_table_read(c->table, ROOM, X, Y, NULL, &rows)) return refuse(c->table);
        for (size_t i = 0; i < rows; i++) {
            if (!(X[3 * i + 1] > 0.0) || !isfinite(X[3 * i + 1]) || !(X[3 * i + 2] >= 0.0) ||
                !isfinite(X[3 * i + 2]))
                return cli_failed("%s: row %zu: lambda %g and cv_rmse %g cannot be drawn", path,
                                  c->n_points + 1, X[3 * i + 1], X[3 * i + 2]);
            add_row(c, X + 3 * i, Y[i]);
        }
    }
    return c->n_points ? CLI_DONE : cli_failed("%s: has no rows", path);
}

/* Sorts by the smallest error. The points of every curve are in `sorting`. */
static const curves *sorting;

static int by_error(const void *a, const void *b) {
    const curve *x = a, *y = b;
    const double e = sorting->points[x->first + x->best].rmse, f = sorting->points[y->first + y->best].rmse;
    return e < f ? -1 : e > f ? 1 : (x->first > y->first) - (x->first < y->first);
}

static int read_report(curves *c, const char *path) {
    const fmt_table_options options = fmt_table_options_default();
    const fmt_table_selection selection = {
        .inputs = "candidate,lambda,cv_rmse", .outputs = "label", .skip_missing = true, .labels = true};
    if (fmt_table_open(&c->table, path, &options)) return cli_failed("%s", fmt_table_error(c->table));
    if (fmt_table_select(c->table, &selection)) return refuse(c->table);
    const int status = read_rows(c, path);
    sorting = c;
    if (!status) qsort(c->curves, c->n_curves, sizeof *c->curves, by_error);
    return status;
}

/* ---- the script */

/* Colours that colour-blind eyes can tell apart (those of Okabe and Ito, with wine for yellow, which is faint
 * on white), each with a mark of its own. */
static const char *const inks[COLOURED] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#e69f00", "#56b4e9", "#882255", "#7f7f7f"};
static const int marks[COLOURED] = {7, 5, 9, 11, 13, 4, 8, 10};

static void put_curve(const curves *c, size_t i, FILE *script) {
    const curve *one = &c->curves[i];
    for (size_t k = 0; k < one->count; k++)
        fprintf(script, "%.9g %.9g\n", c->points[one->first + k].lambda, c->points[one->first + k].rmse);
    fputs("\n\n", script);
}

/* From a little below the smallest error to the largest, without the part where lambda is far too small.
 * Tics are listed, as so short a range contains few powers of ten. */
static void put_range(const curves *c, FILE *script) {
    const double least = best_point(c, 0)->rmse;
    double most = least;
    for (size_t i = 0; i < c->n_points; i++) most = fmax(most, c->points[i].rmse);
    const double low = 0.95 * least, high = 1.05 * fmin(most, MOST * least),
                 step = cli_tic_step(high - low, 6.0);
    if (!(step > 0.0) || !isfinite(high)) return; /* errors at the ends of what numbers can hold */
    fprintf(script, "set yrange [%.9g:%.9g]\n", low, high);
    cli_put_tics(script, "y", low, high, step);
}

static void put_axes(const curves *c, FILE *script) {
    fputs("set logscale xy\nset format x '10^{%T}'\nset tics out nomirror\nset border 3\n"
          "set xlabel 'lambda'\nset ylabel 'cross-validated RMSE'\n"
          "set key below Left reverse noenhanced samplen 2 spacing 1.2 maxcols 2\n",
          script);
    fprintf(script, "set grid ytics lt 1 lw 0.5 lc rgb '%s'\n", c->picture->style->faint);
    put_range(c, script);
}

/* gnuplot omits a key that needs more than about half of the picture. */
static void put_plots(const curves *c, FILE *script) {
    const size_t most = cli_picture_letters(c->picture, c->picture->width * 2 / 5),
                 coloured = c->n_curves < COLOURED ? c->n_curves : COLOURED;
    const point *best = best_point(c, 0);
    char title[64], quoted[CLI_LABEL_ROOM];
    fputs("plot \\\n", script);
    for (size_t i = coloured; i < c->n_curves; i++) {
        fprintf(script, "    $curves index %zu with %s lc rgb '#bbbbbb' ", i,
                c->curves[i].count > 1 ? "lines lw 1" : "points pt 7 ps 0.5");
        fputs("notitle, \\\n", script);
    }
    for (size_t i = 0; i < coloured; i++) {
        fprintf(script, "    $curves index %zu with linespoints lw 2 pt %d ps 0.6 lc rgb '%s' title %s, \\\n",
                i, marks[i], inks[i], cli_label(quoted, most, fmt_table_label(c->table, c->curves[i].label)));
    }
    snprintf(title, sizeof title, "best: %.4g at %.3g", best->rmse, best->lambda);
    fprintf(script, "    $best with points pt 6 ps 2.2 lw 2.5 lc rgb '%s' title %s", c->picture->style->ink,
            cli_label(quoted, most, title));
    if (c->n_curves > coloured)
        fprintf(script, ", \\\n    NaN with lines lw 1 lc rgb '#bbbbbb' title '%zu others'",
                c->n_curves - coloured);
    fputc('\n', script);
}

static int put_script(void *self, FILE *script) {
    const curves *c = self;
    fputs("$curves << EOD\n", script);
    for (size_t i = 0; i < c->n_curves; i++) put_curve(c, i, script);
    fputs("EOD\n", script);
    fprintf(script, "$best << EOD\n%.9g %.9g\nEOD\n", best_point(c, 0)->lambda, best_point(c, 0)->rmse);
    put_axes(c, script);
    put_plots(c, script);
    return CLI_DONE;
}

int cli_plot_curves(const cli_picture *picture, const char *report) {
    curves c = {.picture = picture};
    int status = read_report(&c, report);
    if (!status) status = cli_picture_draw(picture, put_script, &c);
    if (!status) cli_say("%s", picture->path);
    if (!status && cli_wants_json())
        status = cli_print_json(
            json_pack("{s:o, s:s, s:I, s:o, s:f, s:o}", "picture", cli_text_or_shown(picture->path), "what",
                      "tuning", "candidates", (json_int_t)c.n_curves, "best",
                      cli_text_or_shown(fmt_table_label(c.table, c.curves[0].label)), "lambda",
                      best_point(&c, 0)->lambda, "cv_rmse", cli_number_or_null(best_point(&c, 0)->rmse)));
    fmt_table_close(c.table);
    free(c.points);
    free(c.curves);
    return status;
}
