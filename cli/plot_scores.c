/* How well a model predicts data it has not seen: residuals, and how often its intervals contain the
 * values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "inert.h"
#include "picture.h"
#include "report.h"
#include "result.h"

#define BLOCK       4096
#define MOST_ROWS   4000 /* most points per output in a picture */
#define MOST_CURVES 8
#define BINS        40 /* of a histogram, from -4 to 4 */

static const char *const inks[MOST_CURVES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#882255", "#7f7f7f"};

typedef struct scores {
    picture *picture;
    cli_data data;
    size_t n, p, room; /* rows; outputs; rows there is room for */
    double *F, *Y,
        *S;       /* n x p: predictions, values, standard deviations of values; S NULL without error bars */
    double worst; /* largest difference between expected and observed shares */
} scores;

/* ---- reading */

static void make_room(scores *s) {
    if (s->n + BLOCK <= s->room) return;
    s->room = 2 * (s->n + BLOCK);
    s->F = cli_more(s->F, s->room * s->p, sizeof *s->F);
    s->Y = cli_more(s->Y, s->room * s->p, sizeof *s->Y);
    if (s->picture->applied.info.has_posterior) s->S = cli_more(s->S, s->room * s->p, sizeof *s->S);
}

static int read_rows(scores *s) {
    const cli_applied *ap = &s->picture->applied;
    double *X = cli_more(NULL, BLOCK * ap->info.inputs, sizeof *X);
    int status = CLI_DONE;
    for (size_t rows = 1; rows && !status;) {
        make_room(s);
        double *F = s->F + s->n * s->p, *S = s->S ? s->S + s->n * s->p : NULL;
        status = cli_data_read(&s->data, BLOCK, X, s->Y + s->n * s->p, &rows);
        if (!status && rows) status = cli_applied_predict(ap, rows, X, F);
        if (!status && rows && S) status = cli_applied_std(ap, true, rows, X, S);
        if (!status) s->n += rows;
    }
    free(X);
    if (!status && !s->n) status = cli_failed("%s: there are no rows", fmt_table_path(s->data.table));
    return status;
}

/* ---- calibration */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The probability of the central interval that just reaches value i of output k: erf(|z| / sqrt 2). */
static double claimed(const scores *s, size_t i, size_t k) {
    const size_t at = i * s->p + k;
    return erf(fabs(s->Y[at] - s->F[at]) / s->S[at] * 0.7071067811865476);
}

/* When these are sorted, their ranks are the observed shares: a correct curve is on the diagonal. */
static void put_calibration_curve(scores *s, size_t k, double *sorted) {
    FILE *script = s->picture->script;
    size_t known = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double claim = claimed(s, i, k);
        if (isfinite(claim)) sorted[known++] = claim;
    }
    qsort(sorted, known, sizeof *sorted, ascending);
    fputs("0 0\n", script);
    for (size_t i = 0; i < known; i++) {
        const double share = ((double)i + 0.5) / (double)known;
        s->worst = fmax(s->worst, fabs(share - sorted[i]));
        if (known <= MOST_ROWS || i % (known / MOST_ROWS + 1) == 0)
            fprintf(script, "%.6g %.6g\n", 100.0 * sorted[i], 100.0 * share);
    }
    fputs("100 100\n\n\n", script);
}

/* The title of a curve: the output's name. */
static void put_curve_title(const picture *f, size_t k) {
    const char *name = orff_notes_name(f->applied.notes, ORFF_SIDE_OUTPUT, k);
    char quoted[CLI_LABEL_ROOM], made[24];
    snprintf(made, sizeof made, "y%zu", k + 1);
    fprintf(f->script, " title %s",
            cli_label(quoted, cli_picture_letters(&f->file, f->file.width / 4), name ? name : made));
}

static size_t curves_of(const scores *s) {
    return s->p < MOST_CURVES ? s->p : MOST_CURVES;
}

static void put_frame(const picture *f) {
    char *title = cli_picture_title(f);
    fprintf(f->script, "set tics out nomirror\nset border 3\nset grid lt 1 lw 0.5 lc rgb '%s'\n",
            f->file.style->faint);
    fputs("set key noenhanced samplen 2 Left reverse\n", f->script);
    if (title) cli_picture_label(f, "title", f->file.width, title, NULL);
    free(title);
}

static int put_calibration(void *self, FILE *script) {
    scores *s = self;
    const cli_style *style = s->picture->file.style;
    double *sorted = cli_more(NULL, s->n, sizeof *sorted);
    s->picture->script = script;
    fputs("$curves << EOD\n", script);
    for (size_t k = 0; k < curves_of(s); k++) put_calibration_curve(s, k, sorted);
    fputs("EOD\n", script);
    put_frame(s->picture);
    fputs("set size ratio 1\nset xrange [0:100]\nset yrange [0:100]\nset key bottom right\n"
          "set xlabel 'interval of the model (%)'\nset ylabel 'values inside (%)'\n",
          script);
    fprintf(script, "plot x with lines dt 2 lw 1 lc rgb '%s' title 'ideal'", style->ink);
    for (size_t k = 0; k < curves_of(s); k++) {
        fprintf(script, ", \\\n    $curves index %zu with lines lw 2 lc rgb '%s'", k, inks[k]);
        put_curve_title(s->picture, k);
    }
    fputc('\n', script);
    free(sorted);
    return CLI_DONE;
}

/* ---- residuals */

/* Predicted values and residuals of an output; thinned if there are many rows. */
static void put_residual_rows(const scores *s, size_t k) {
    const size_t every = s->n / MOST_ROWS + 1;
    for (size_t i = 0; i < s->n; i += every) {
        const double f = s->F[i * s->p + k], y = s->Y[i * s->p + k];
        if (isfinite(f) && isfinite(y)) fprintf(s->picture->script, "%.7g %.7g\n", f, y - f);
    }
    fputs("\n\n", s->picture->script);
}

/* Densities of the residuals over their standard deviations, in bins; residuals beyond them are left out. */
static void put_histogram(const scores *s, size_t k) {
    size_t counts[BINS] = {0}, known = 0;
    for (size_t i = 0; i < s->n; i++) {
        const size_t at = i * s->p + k;
        const double z = (s->Y[at] - s->F[at]) / s->S[at], bin = floor((z + 4.0) * BINS / 8.0);
        if (!isfinite(z)) continue;
        known++;
        if (bin >= 0.0 && bin < BINS) counts[(size_t)bin]++;
    }
    for (size_t b = 0; b < BINS; b++)
        fprintf(s->picture->script, "%.6g %.6g\n", -4.0 + 8.0 * ((double)b + 0.5) / BINS,
                known ? (double)counts[b] * BINS / (8.0 * (double)known) : 0.0);
    fputs("\n\n", s->picture->script);
}

static void put_plots(const scores *s, const char *block, const char *how) {
    FILE *script = s->picture->script;
    for (size_t k = 0; k < curves_of(s); k++) {
        fprintf(script, ", \\\n    %s index %zu with %s lc rgb '%s'", block, k, how, inks[k]);
        put_curve_title(s->picture, k);
    }
    fputc('\n', script);
}

static int put_residuals(void *self, FILE *script) {
    scores *s = self;
    picture *f = s->picture;
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_OUTPUT, 0), *ink = f->file.style->ink;
    f->script = script;
    fputs("$rows << EOD\n", script);
    for (size_t k = 0; k < curves_of(s); k++) put_residual_rows(s, k);
    fputs("EOD\n$bins << EOD\n", script);
    for (size_t k = 0; s->S && k < curves_of(s); k++) put_histogram(s, k);
    fputs("EOD\n", script);
    put_frame(f);
    if (s->S) fputs("set multiplot layout 1,2\n", script);
    cli_picture_label(f, "xlabel", f->file.width / 2, "predicted", units);
    cli_picture_label(f, "ylabel", f->file.height, "measured minus predicted", units);
    fprintf(script, "plot 0 with lines dt 2 lw 1 lc rgb '%s' notitle", ink);
    put_plots(s, "$rows", "points pt 7 ps 0.3");
    if (!s->S) return CLI_DONE;
    fputs("set xrange [-4:4]\nset yrange [0:*]\nset xlabel 'residual / its standard deviation'\nset ylabel "
          "'density'\n",
          script);
    fprintf(script, "plot exp(-x*x/2)/sqrt(2*pi) with lines dt 2 lw 1.5 lc rgb '%s' title 'normal'", ink);
    put_plots(s, "$bins", "histeps lw 1.5");
    fputs("unset multiplot\n", script);
    return CLI_DONE;
}

/* ---- */

static int load(scores *s) {
    picture *f = s->picture;
    const cli_arguments *a = f->arguments;
    if (a->n_words < 2) return cli_wrong_usage(a->command, "--what %s needs DATA after the model", f->what);
    int status = cli_applied_load(&f->applied, a->words[0]);
    if (!status && f->applied.info.classes)
        status = cli_failed("classes cannot be drawn; a picture needs outputs that are numbers");
    if (!status && !strcmp(f->what, "calibration") && !f->applied.info.has_posterior)
        status = cli_failed(
            "%s: the model was saved without a posterior, so it has no error bars; fit it again with "
            "--posterior yes",
            a->words[0]);
    s->p = f->applied.p;
    f->axes = 2;
    if (status) return status;
    return cli_data_apply(&s->data, a, 1, f->applied.notes, f->applied.info.inputs, s->p, true);
}

int cli_plot_scores(picture *f) {
    scores s = {.picture = f};
    const bool calibration = !strcmp(f->what, "calibration");
    int status = load(&s);
    if (!status) status = read_rows(&s);
    if (!status) status = cli_picture_draw(&f->file, calibration ? put_calibration : put_residuals, &s);
    if (!status && s.p > MOST_CURVES) cli_say("the first %d of %zu outputs are drawn", MOST_CURVES, s.p);
    if (!status) cli_say("%s", f->file.path);
    if (!status && cli_wants_json()) {
        json_t *object = json_pack("{s:o, s:s, s:I}", "picture", cli_text_or_shown(f->file.path), "what",
                                   f->what, "n", (json_int_t)s.n);
        if (calibration) json_object_set_new(object, "worst", cli_number_or_null(s.worst));
        status = cli_print_json(object);
    }
    cli_data_close(&s.data);
    cli_applied_clear(&f->applied);
    free(s.F);
    free(s.Y);
    free(s.S);
    return status;
}
