/* Curves over one input, each with its band, one below the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "picture.h"
#include "report.h"

#define STEPS 400  /* points along the input */
#define BAND  1.96 /* standard deviations that contain 95 % */

/* A row of the script has x, and for each output f, f - band, f + band; NaN is a gap. */
static void put_value(FILE *script, double value) {
    fprintf(script, isfinite(value) ? " %.9g" : " NaN", value);
}

static int put_curves(const picture *f) {
    const size_t d = f->applied.info.inputs, p = f->applied.p, n = STEPS + 1;
    const bool bands = f->applied.info.has_posterior;
    double *X = cli_more(NULL, n * d, sizeof *X), *F = cli_more(NULL, n * p, sizeof *F),
           *S = cli_more(NULL, n * p, sizeof *S);
    for (size_t i = 0; i < n; i++) {
        memcpy(X + i * d, f->fixed, d * sizeof *X);
        X[i * d + f->axis[0]] = f->low[0] + (f->high[0] - f->low[0]) * (double)i / STEPS;
    }
    int status = cli_applied_predict(&f->applied, n, X, F);
    if (!status && bands) status = cli_applied_std(&f->applied, false, n, X, S);
    fputs("$curves << EOD\n", f->script);
    for (size_t i = 0; !status && i < n; i++) {
        fprintf(f->script, "%.9g", X[i * d + f->axis[0]]);
        for (size_t k = i * p; k < i * p + f->panels; k++) {
            const double spread = bands ? BAND * S[k] : 0.0,
                         centre = !strcmp(f->what, "error") ? spread / BAND : F[k];
            put_value(f->script, centre);
            put_value(f->script, F[k] - spread);
            put_value(f->script, F[k] + spread);
        }
        fputc('\n', f->script);
    }
    fputs("EOD\n", f->script);
    free(X);
    free(F);
    free(S);
    return status;
}

/* Puts the rows of --points, with their outputs. */
static int put_data(const picture *f) {
    enum { ROOM = 1024 };
    const char *words[1] = {cli_text(f->arguments, CLI_OPT_POINTS)};
    const size_t d = f->applied.info.inputs, p = f->applied.p;
    cli_arguments a = *f->arguments;
    cli_data data;
    a.words = words;
    a.n_words = 1;
    int status = cli_data_apply(&data, &a, 0, f->applied.notes, d, p, true);
    double *X = cli_more(NULL, ROOM * d, sizeof *X), *Y = cli_more(NULL, ROOM * p, sizeof *Y);
    size_t n = 1;
    fputs("$points << EOD\n", f->script);
    while (!status && n) {
        status = cli_data_read(&data, ROOM, X, Y, &n);
        for (size_t i = 0; !status && i < n; i++) {
            fprintf(f->script, "%.9g", isfinite(X[i * d + f->axis[0]]) ? X[i * d + f->axis[0]] : f->low[0]);
            for (size_t k = 0; k < f->panels; k++) put_value(f->script, Y[i * p + k]);
            fputc('\n', f->script);
        }
    }
    fputs("EOD\n", f->script);
    free(X);
    free(Y);
    cli_data_close(&data);
    return status;
}

static void put_panel(const picture *f, size_t k, bool bands, bool data) {
    const size_t column = 2 + 3 * k;
    cli_picture_output_label(f, "ylabel", f->file.height / f->panels, k);
    fputs("plot ", f->script);
    if (bands)
        fprintf(f->script, "$curves using 1:%zu:%zu with filledcurves lc rgb '%s' title '95 %%', \\\n    ",
                column + 1, column + 2, f->file.style->band);
    if (data)
        fprintf(f->script, "$points using 1:%zu with points pt 7 ps 0.5 lc rgb '%s' title 'data', \\\n    ",
                k + 2, f->file.style->dots);
    fprintf(f->script, "$curves using 1:%zu with lines lw 2 lc rgb '%s' %s\n", column, f->file.style->curve,
            bands || data ? "title 'field'" : "notitle");
    fputs("unset title\n", f->script);
}

/* Puts the title above the first panel. */
static void put_title(const picture *f) {
    char *title = cli_picture_title(f);
    if (title) cli_picture_label(f, "title", f->file.width, title, NULL);
    free(title);
}

int cli_picture_put_lines(void *self, FILE *script) {
    picture *f = self;
    const bool data = cli_given(f->arguments, CLI_OPT_POINTS), error = !strcmp(f->what, "error");
    f->script = script;
    if (error) f->panels = f->applied.p < MOST_PANELS ? f->applied.p : MOST_PANELS;
    int status = put_curves(f);
    if (!status && data && !error) status = put_data(f);
    if (status) return status;
    fprintf(script, "set xrange [%.9g:%.9g]\nset tics out nomirror\nset border 3\n", f->low[0], f->high[0]);
    cli_put_tics(script, "x", f->low[0], f->high[0],
                 cli_tic_step_below(&f->file, 0.85 * (double)f->file.width, f->low[0], f->high[0], 10.0));
    fputs("set format y '%.10g'\n", script);
    fprintf(script, "set grid ytics lt 1 lw 0.5 lc rgb '%s'\nset key top right horizontal samplen 2\n",
            f->file.style->faint);
    cli_picture_input_label(f, "xlabel", f->file.width, 0);
    if (f->panels > 1) fprintf(script, "set multiplot layout %zu,1\n", f->panels);
    put_title(f);
    for (size_t k = 0; k < f->panels; k++)
        put_panel(f, k, f->applied.info.has_posterior && !error, data && !error);
    if (f->panels > 1) fputs("unset multiplot\n", script);
    return CLI_DONE;
}
