/* orff plot: draws a 2-D field, or the curves of orff tune. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "commands.h"
#include "curves.h"
#include "data.h"
#include "gnuplot.h"
#include "inert.h"
#include "lattice.h"
#include "mask.h"
#include "report.h"
#include "result.h"

#define PIXELS     120 /* colour cells along the longer side */
#define MOST_DOUBT 4.0 /* standard deviations drawn, in those of the well-known quarter */

typedef struct picture {
    const cli_arguments *arguments;
    cli_picture file;
    cli_applied applied;
    const char *what;
    size_t axis[2]; /* inputs that are x and y */
    double *fixed;  /* d: where the other inputs are held */
    double low[2], high[2];
    size_t arrows;
    double limit; /* standard deviation above which nothing is drawn */
    orff_mask mask;
    bool masking;               /* by --mask instead of the limit */
    size_t cells, hidden;       /* coloured cells in all, and those that are masked */
    const cli_derived *derived; /* NULL: magnitude or error */
    FILE *script;
} picture;

/* ---- the region */

static int find_axes(picture *f) {
    const cli_applied *ap = &f->applied;
    size_t found = 0;
    for (size_t i = 0; i < ap->info.inputs; i++) {
        if (orff_notes_is_covariate(ap->notes, i)) continue;
        if (found < 2) f->axis[found] = i;
        found++;
    }
    if (found == 2 && ap->info.outputs == 2 && !ap->info.classes) return CLI_DONE;
    return cli_failed("a picture needs a model with two inputs (apart from covariates) and two outputs; this "
                      "one has %zu and %zu",
                      found, ap->info.outputs);
}

/* From --grid, whose counts do not matter here. */
static int region_of_grid(picture *f) {
    cli_lattice lattice;
    const int status = cli_lattice_parse(&lattice, f->arguments, f->applied.notes, f->applied.info.inputs);
    for (size_t i = 0; !status && i < f->applied.info.inputs; i++)
        f->fixed[i] = 0.5 * (lattice.low[i] + lattice.high[i]);
    for (size_t k = 0; !status && k < 2; k++) {
        f->low[k] = lattice.low[f->axis[k]];
        f->high[k] = lattice.high[f->axis[k]];
    }
    cli_lattice_clear(&lattice);
    return status;
}

/* The region of the model's data; covariates are held in the middle of their range. */
static int region_of_data(picture *f) {
    for (size_t i = 0; i < f->applied.info.inputs; i++) {
        double low, high;
        const char *name = orff_notes_name(f->applied.notes, ORFF_SIDE_INPUT, i);
        if (!orff_notes_range(f->applied.notes, i, &low, &high))
            return cli_failed("%s: the model does not say where its data were; give --grid",
                              f->arguments->words[0]);
        f->fixed[i] = 0.5 * (low + high);
        for (size_t k = 0; k < 2; k++) {
            if (f->axis[k] != i) continue;
            f->low[k] = low;
            f->high[k] = high;
        }
        if (orff_notes_is_covariate(f->applied.notes, i))
            cli_say("%s is held at %g", name ? name : "an input", f->fixed[i]);
    }
    return CLI_DONE;
}

static int find_region(picture *f) {
    f->fixed = cli_more(NULL, f->applied.info.inputs, sizeof *f->fixed);
    int status = cli_given(f->arguments, CLI_OPT_ON_GRID) ? region_of_grid(f) : region_of_data(f);
    for (size_t k = 0; !status && k < 2; k++) {
        const double extent = f->high[k] - f->low[k];
        if (!(extent > 0.0) || !isfinite(extent))
            status = cli_failed("the region %g to %g, %g to %g cannot be drawn; give another with --grid",
                                f->low[0], f->high[0], f->low[1], f->high[1]);
    }
    return status;
}

/* nx x ny points over the region, x running fastest, cells centred when there are margins. */
static double *points(const picture *f, size_t most, bool inside, size_t count[2]) {
    const size_t d = f->applied.info.inputs;
    const double extent[2] = {f->high[0] - f->low[0], f->high[1] - f->low[1]},
                 longer = fmax(extent[0], extent[1]);
    for (size_t k = 0; k < 2; k++) count[k] = (size_t)fmax(2.0, round((double)most * extent[k] / longer));
    double *X = cli_more(NULL, count[0] * count[1] * d, sizeof *X);
    for (size_t i = 0; i < count[0] * count[1]; i++) {
        const size_t place[2] = {i % count[0], i / count[0]};
        memcpy(X + i * d, f->fixed, d * sizeof *X);
        for (size_t k = 0; k < 2; k++) {
            const double part = inside ? ((double)place[k] + 0.5) / (double)count[k]
                                       : (double)place[k] / (double)(count[k] - 1);
            X[i * d + f->axis[k]] = f->low[k] + part * extent[k];
        }
    }
    return X;
}

/* ---- where the model knows something */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Infinite where a point is masked, else 0. */
static int masks(const picture *f, size_t n, const double *X, double *doubt) {
    bool *masked = cli_more(NULL, n, sizeof *masked);
    const int status = cli_mask_points(&f->applied, &f->mask, n, X, masked);
    for (size_t i = 0; i < n; i++) doubt[i] = !status && masked[i] ? INFINITY : 0.0;
    free(masked);
    return status;
}

/* Root mean square standard deviation at each of n points; zeros for a model without error bars. */
static int doubts(const picture *f, size_t n, const double *X, double *doubt) {
    if (f->masking) return masks(f, n, X, doubt);
    double *S = cli_more(NULL, 2 * n, sizeof *S);
    const int status =
        f->applied.info.has_posterior ? cli_applied_std(&f->applied, false, n, X, S) : CLI_DONE;
    for (size_t i = 0; i < n; i++)
        doubt[i] = f->applied.info.has_posterior ? hypot(S[2 * i], S[2 * i + 1]) : 0.0;
    free(S);
    return status;
}

/* Far from the data the error bars grow to those of the prior, a few times those of the best-known quarter of the
 * picture. */
static int find_limit(picture *f) {
    size_t count[2];
    double *X = points(f, PIXELS / 3, true, count);
    const size_t n = count[0] * count[1];
    double *doubt = cli_more(NULL, n, sizeof *doubt);
    const int status = doubts(f, n, X, doubt);
    qsort(doubt, n, sizeof *doubt, ascending);
    f->limit = cli_given(f->arguments, CLI_OPT_EVERYWHERE) ? INFINITY : MOST_DOUBT * doubt[n / 4];
    if (f->masking) f->limit = 0.0;
    free(X);
    free(doubt);
    return status;
}

/* ---- the data in the script */

static int colours(const picture *f, size_t n, const double *X, double *values) {
    double *F = cli_more(NULL, 2 * n, sizeof *F);
    int status;
    if (f->derived) {
        status = cli_applied_derive(&f->applied, f->derived, n, X, values);
    } else if (!strcmp(f->what, "error")) {
        status = cli_applied_std(&f->applied, false, n, X, F);
    } else {
        status = cli_applied_predict(&f->applied, n, X, F);
    }
    for (size_t i = 0; !f->derived && i < n; i++) values[i] = hypot(F[2 * i], F[2 * i + 1]);
    free(F);
    return status;
}

/* The size that all but a fiftieth of the cells drawn stay below: an extreme at the edge must not make the
 * rest pale. Sorts the sizes. */
static double usual_size(size_t n, double *sizes) {
    qsort(sizes, n, sizeof *sizes, ascending);
    return n ? sizes[n - 1 - n / 50] : 0.0;
}

static int put_colours(picture *f, double *largest) {
    size_t count[2];
    double *X = points(f, PIXELS, false, count);
    const size_t n = count[0] * count[1], d = f->applied.info.inputs;
    double *values = cli_more(NULL, n, sizeof *values), *doubt = cli_more(NULL, n, sizeof *doubt);
    int status = colours(f, n, X, values);
    if (!status) status = doubts(f, n, X, doubt);
    size_t drawn = 0; /* doubt is overwritten by the sizes of the cells drawn */
    fputs("$colours << EOD\n", f->script);
    for (size_t i = 0; !status && i < n; i++) {
        const bool known = doubt[i] <= f->limit && isfinite(values[i]);
        fprintf(f->script, known ? "%.9g %.9g %.9g\n" : "%.9g %.9g NaN\n", X[i * d + f->axis[0]],
                X[i * d + f->axis[1]], values[i]);
        if (known) doubt[drawn++] = fabs(values[i]);
        if (i % count[0] == count[0] - 1) fputc('\n', f->script);
    }
    fputs("EOD\n", f->script);
    f->cells = n;
    f->hidden = n - drawn;
    *largest = usual_size(drawn, doubt);
    free(X);
    free(values);
    free(doubt);
    return status;
}

/* Arrows centred on their points, the longest as long as the distance between them. Degrees of longitude are
 * shorter than those of latitude, and an arrow must point where the wind blows. */
static int put_arrows(const picture *f, double aspect) {
    size_t count[2];
    double *X = points(f, f->arrows, true, count), longest = 0.0;
    const size_t n = count[0] * count[1], d = f->applied.info.inputs;
    double *F = cli_more(NULL, 2 * n, sizeof *F), *doubt = cli_more(NULL, n, sizeof *doubt);
    int status = cli_applied_predict(&f->applied, n, X, F);
    if (!status) status = doubts(f, n, X, doubt);
    for (size_t i = 0; !status && i < n; i++)
        if (doubt[i] <= f->limit && isfinite(hypot(F[2 * i], F[2 * i + 1])))
            longest = fmax(longest, hypot(F[2 * i], F[2 * i + 1]));
    const double step = (f->high[0] - f->low[0]) / (double)count[0],
                 scale = longest > 0.0 ? step / longest : 0.0;
    fputs("$arrows << EOD\n", f->script);
    for (size_t i = 0; !status && i < n; i++) {
        const double u = scale * F[2 * i], v = scale * F[2 * i + 1] / aspect;
        if (!(doubt[i] <= f->limit) || !isfinite(u) || !isfinite(v)) continue;
        fprintf(f->script, "%.9g %.9g %.9g %.9g\n", X[i * d + f->axis[0]] - 0.5 * u,
                X[i * d + f->axis[1]] - 0.5 * v, u, v);
    }
    fputs("EOD\n", f->script);
    free(X);
    free(F);
    free(doubt);
    return status;
}

static int put_points(const picture *f) {
    const char *path = cli_text(f->arguments, CLI_OPT_POINTS);
    cli_data data;
    const size_t d = f->applied.info.inputs;
    const char *words[1] = {path};
    cli_arguments a = *f->arguments;
    a.words = words;
    a.n_words = 1;
    int status = cli_data_apply(&data, &a, 0, f->applied.notes, d, 0, false);
    double *X = cli_more(NULL, 4096 * d, sizeof *X);
    size_t n = 1;
    fputs("$points << EOD\n", f->script);
    while (!status && n) {
        status = cli_data_read(&data, 4096, X, NULL, &n);
        for (size_t i = 0; !status && i < n; i++)
            if (isfinite(X[i * d + f->axis[0]]) && isfinite(X[i * d + f->axis[1]]))
                fprintf(f->script, "%.9g %.9g\n", X[i * d + f->axis[0]], X[i * d + f->axis[1]]);
    }
    fputs("EOD\n", f->script);
    free(X);
    cli_data_close(&data);
    return status;
}

/* ---- the script */

static void put_label(const picture *f, const char *what, const char *name, const char *units) {
    char quoted[CLI_LABEL_ROOM];
    const size_t length = *what == 'x' ? f->file.width : f->file.height;
    cli_string text = {0};
    cli_append(&text, units ? "%s [%s]" : "%s", name, units);
    fprintf(f->script, "set %slabel %s noenhanced\n", what,
            cli_label(quoted, length * 4 / 5 / CLI_CHARACTER_WIDTH, text.text));
    free(text.text);
}

static const char *input_name(const picture *f, size_t k) {
    const char *name = orff_notes_name(f->applied.notes, ORFF_SIDE_INPUT, f->axis[k]);
    return name ? name : k ? "y" : "x";
}

static void put_colour_label(const picture *f) {
    char *derived = f->derived ? cli_notes_derived_units(f->applied.notes, f->what) : NULL;
    put_label(f, "cb",
              !strcmp(f->what, "field")   ? "magnitude"
              : !strcmp(f->what, "error") ? "standard deviation"
                                          : f->what,
              f->derived ? derived : orff_notes_units(f->applied.notes, ORFF_SIDE_OUTPUT, 0));
    free(derived);
}

/* Light to darker for sizes, so that black arrows stand out; blue to red through white for what has a sign.
 * Both are safe for colour-blind eyes. */
static void put_palette(const picture *f, double largest) {
    if (f->derived) {
        fputs("set palette defined (-1 '#2166ac', -0.5 '#92c5de', 0 '#f7f7f7', 0.5 '#f4a582', 1 '#b2182b')\n",
              f->script);
        fprintf(f->script, "set cbrange [%.9g:%.9g]\n", largest > 0.0 ? -largest : -1.0,
                largest > 0.0 ? largest : 1.0);
        return;
    }
    fputs("set palette defined (0 '#ffffff', 0.25 '#edf8b1', 0.5 '#9fdcb8', 0.75 '#4cb8c4', 1 '#3a8fc4')\n",
          f->script);
    fprintf(f->script, "set cbrange [0:%.9g]\n", largest > 0.0 ? largest : 1.0);
}

static double aspect_of(const picture *f) {
    return f->applied.info.on_plane
               ? 1.0 / fmax(cos(0.5 * (f->low[1] + f->high[1]) * 0.017453292519943295), 0.05)
               : 1.0;
}

static void put_axes(const picture *f, double aspect) {
    fprintf(f->script, "set size ratio -%.9g\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", aspect,
            f->low[0], f->high[0], f->low[1], f->high[1]);
    fputs("set tics out nomirror\nset border lw 1\nunset key\nset xtics autofreq\n", f->script);
    put_label(f, "x", input_name(f, 0), orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, f->axis[0]));
    put_label(f, "y", input_name(f, 1), orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, f->axis[1]));
    put_colour_label(f);
}

/* Vector formats get the cells as rectangles, so that no picture file lies beside. */
static int put_script(void *self, FILE *script) {
    picture *f = self;
    double largest = 0.0;
    const double aspect = aspect_of(f);
    const bool arrows = !strcmp(f->what, "field"), places = cli_given(f->arguments, CLI_OPT_POINTS);
    f->script = script;
    int status = put_colours(f, &largest);
    if (!status && arrows) status = put_arrows(f, aspect);
    if (!status && places) status = put_points(f);
    if (status) return status;
    put_palette(f, largest);
    put_axes(f, aspect);
    fprintf(script, "plot $colours using 1:2:3 with image%s",
            cli_picture_is(&f->file, "svg") ? " pixels" : "");
    if (places) fputs(", \\\n    $points using 1:2 with points pt 7 ps 0.35 lc rgb '#d95f02'", script);
    if (arrows)
        fputs(", \\\n    $arrows using 1:2:3:4 with vectors head filled size screen 0.008,20 lw 1.1 lc rgb "
              "'black'",
              script);
    fputc('\n', script);
    return CLI_DONE;
}

/* ---- options */

/* A model may have any name except that of a table. */
static bool is_report(const char *path) {
    const size_t length = strlen(path);
    return (length > 4 && !strcmp(path + length - 4, ".csv")) ||
           (length > 7 && !strcmp(path + length - 7, ".csv.gz"));
}

static int parse_what(picture *f) {
    static const char *const names[] = {"field",  "divergence", "curl",  "potential",
                                        "stream", "error",      "tuning"};
    const size_t count = sizeof names / sizeof *names;
    const bool report = !cli_given(f->arguments, CLI_OPT_WHAT) && is_report(f->arguments->words[0]);
    f->what = report ? "tuning" : cli_text(f->arguments, CLI_OPT_WHAT);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], f->what)) continue;
        f->derived = cli_derived_find(f->what);
        return CLI_DONE;
    }
    const char *near = cli_suggest(f->what, count, names);
    return cli_wrong(f->arguments, CLI_OPT_WHAT, "\"%s\" is not known; %s %s", f->what,
                     near ? "did you mean" : "choose from",
                     near ? near : cli_own_options[CLI_OPT_WHAT].argument);
}

static int plot_field(picture *f) {
    int status = cli_size(f->arguments, CLI_OPT_ARROWS, 2, 200, &f->arrows);
    if (!status) status = cli_applied_load(&f->applied, f->arguments->words[0]);
    if (!status) status = find_axes(f);
    if (!status) status = cli_mask_parse(f->arguments, &f->applied, &f->mask, &f->masking);
    if (!status && f->masking && cli_given(f->arguments, CLI_OPT_EVERYWHERE))
        status = cli_wrong_usage(f->arguments->command, "give --mask or --everywhere, not both");
    if (!status) status = find_region(f);
    if (!status) status = find_limit(f);
    if (!status) status = cli_picture_draw(&f->file, put_script, f);
    if (!status) cli_say("%s", f->file.path);
    if (!status && f->masking)
        cli_say("%.0f %% of the picture is masked", 100.0 * (double)f->hidden / (double)f->cells);
    if (!status && cli_wants_json())
        status = cli_print_json(json_pack("{s:o, s:s, s:[f,f], s:[f,f]}", "picture",
                                          cli_text_or_shown(f->file.path), "what", f->what, "x", f->low[0],
                                          f->high[0], "y", f->low[1], f->high[1]));
    free(f->fixed);
    cli_applied_clear(&f->applied);
    return status;
}

static int run(const cli_arguments *a) {
    picture f = {.arguments = a};
    int status = cli_picture_parse(&f.file, a);
    if (!status) status = parse_what(&f);
    if (status) return status;
    return strcmp(f.what, "tuning") ? plot_field(&f) : cli_plot_curves(&f.file, a->words[0]);
}

const cli_command cli_command_plot = {
    .name = "plot",
    .summary = "draw a 2-D field, or the curves of orff tune",
    .usage = "MODEL|REPORT.csv -o PICTURE.svg|.png|.pdf",
    .text = "Draws arrows over the colour of their magnitude, or a derived field in colours (--what). "
            "The region is that of the data the model was learned from, unless --grid names another. "
            "For a report of orff tune it draws the cross-validated error against lambda, one line "
            "for each candidate. Needs gnuplot.",
    .example = "  orff plot wind.orff --points wind.csv -o wind.svg\n  orff plot wind.orff --what curl -o "
               "vorticity.png\n"
               "  orff plot scores.csv -o curves.svg\n",
    .least = 1,
    .most = 1,
    .bit = CLI_BIT(plot),
    .run = run,
};
