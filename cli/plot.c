/* orff plot: draws maps of 2-D fields and of outputs, curves over one input, or the curves of orff tune. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "coast.h"
#include "commands.h"
#include "curves.h"
#include "data.h"
#include "gnuplot.h"
#include "inert.h"
#include "lattice.h"
#include "mask.h"
#include "picture.h"
#include "report.h"
#include "result.h"

#define PIXELS     120   /* colour cells along the longer side */
#define BESIDE     150.0 /* pixels of a panel that tics, labels and the scale of colours take ... */
#define ABOVE      90.0  /* ... and those above and below */
#define MOST_DOUBT 4.0   /* standard deviations drawn, in those of the well-known quarter */

/* ---- the region */

/* The first two inputs that are no covariates, or the only one. */
static int find_axes(picture *f) {
    const cli_applied *ap = &f->applied;
    if (ap->info.classes)
        return cli_failed("classes cannot be drawn; a picture needs outputs that are numbers");
    for (size_t i = 0; f->axes < 2 && i < ap->info.inputs; i++)
        if (!orff_notes_is_covariate(ap->notes, i)) f->axis[f->axes++] = i;
    return f->axes ? CLI_DONE
                   : cli_failed("all inputs are covariates; a picture needs one or two that are not");
}

/* Those that --grid gives a range. */
static int axes_of_grid(picture *f, const cli_lattice *lattice) {
    size_t found = 0;
    for (size_t i = 0; i < lattice->d; i++) {
        if (!(lattice->high[i] > lattice->low[i])) continue;
        if (found < 2) f->axis[found] = i;
        found++;
    }
    if (found == 1 || found == 2) {
        f->axes = found;
        return CLI_DONE;
    }
    return cli_wrong(
        f->arguments, CLI_OPT_ON_GRID,
        "%zu inputs have a range, and a picture has one or two; hold the others at one value each, as in "
        "time=6",
        found);
}

/* From --grid, whose counts do not matter here. */
static int region_of_grid(picture *f) {
    cli_lattice lattice;
    int status = cli_lattice_parse(&lattice, f->arguments, f->applied.notes, f->applied.info.inputs);
    if (!status) status = axes_of_grid(f, &lattice);
    for (size_t i = 0; !status && i < f->applied.info.inputs; i++)
        f->fixed[i] = 0.5 * (lattice.low[i] + lattice.high[i]);
    for (size_t k = 0; !status && k < f->axes; k++) {
        f->low[k] = lattice.low[f->axis[k]];
        f->high[k] = lattice.high[f->axis[k]];
    }
    cli_lattice_clear(&lattice);
    return status;
}

/* The region of the model's data; other inputs are held in the middle of their range. */
static int region_of_data(picture *f) {
    for (size_t i = 0; i < f->applied.info.inputs; i++) {
        double low, high;
        const char *name = orff_notes_name(f->applied.notes, ORFF_SIDE_INPUT, i);
        if (!orff_notes_range(f->applied.notes, i, &low, &high))
            return cli_failed("%s: the model does not say where its data were; give --grid",
                              f->arguments->words[0]);
        bool held = true;
        f->fixed[i] = 0.5 * (low + high);
        for (size_t k = 0; k < f->axes; k++) {
            if (f->axis[k] != i) continue;
            f->low[k] = low;
            f->high[k] = high;
            held = false;
        }
        if (held) cli_say("%s is held at %g", name ? name : "an input", f->fixed[i]);
    }
    return CLI_DONE;
}

static int find_region(picture *f) {
    f->fixed = cli_more(NULL, f->applied.info.inputs, sizeof *f->fixed);
    int status = cli_given(f->arguments, CLI_OPT_ON_GRID) ? region_of_grid(f) : region_of_data(f);
    for (size_t k = 0; !status && k < f->axes; k++) {
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

static double length_of(size_t p, const double *vector) {
    double sum = 0.0;
    for (size_t i = 0; i < p; i++) sum = hypot(sum, vector[i]);
    return sum;
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
    double *S = cli_more(NULL, f->applied.p * n, sizeof *S);
    const int status =
        f->applied.info.has_posterior ? cli_applied_std(&f->applied, false, n, X, S) : CLI_DONE;
    for (size_t i = 0; i < n; i++)
        doubt[i] = f->applied.info.has_posterior ? length_of(f->applied.p, S + i * f->applied.p) : 0.0;
    free(S);
    return status;
}

/* Nothing is known of what is on land: NAN is below no limit. */
static int hide_land(const picture *f, size_t n, const double *X, double *doubt) {
    if (!f->coast.given) return CLI_DONE;
    bool *land = cli_more(NULL, n, sizeof *land);
    const int status = cli_coast_land(&f->coast, f->applied.info.inputs, n, X, land);
    for (size_t i = 0; !status && i < n; i++)
        if (land[i]) doubt[i] = (double)NAN;
    free(land);
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

static bool is(const picture *f, const char *what) {
    return !strcmp(f->what, what);
}

/* values: n x panels. */
static int colours(const picture *f, size_t n, const double *X, double *values) {
    const size_t p = f->applied.p;
    if (f->derived) return cli_applied_derive(&f->applied, f->derived, n, X, values);
    if (is(f, "outputs")) return cli_applied_predict(&f->applied, n, X, values);
    double *F = cli_more(NULL, p * n, sizeof *F);
    const int status = is(f, "error") ? cli_applied_std(&f->applied, false, n, X, F)
                                      : cli_applied_predict(&f->applied, n, X, F);
    for (size_t i = 0; i < n; i++) values[i] = length_of(p, F + i * p);
    free(F);
    return status;
}

/* The colours of panel k end where all but a fiftieth of the cells drawn lie: an extreme at the edge must not make the rest
 * pale. `drawn` (n) is sorted. */
static void find_colour_range(picture *f, size_t k, size_t n, double *drawn) {
    double *range = f->ranges[k];
    range[0] = range[1] = 0.0;
    if (!n) return;
    qsort(drawn, n, sizeof *drawn, ascending);
    const double low = drawn[n / 50], high = drawn[n - 1 - n / 50];
    const bool signs = low < 0.0 && high > 0.0 && fmin(-low, high) > 0.1 * fmax(-low, high);
    range[0] = f->derived || (is(f, "outputs") && signs) ? -fmax(fabs(low), fabs(high))
               : is(f, "outputs")                        ? low
                                                         : 0.0;
    range[1] = f->derived || (is(f, "outputs") && signs) ? -range[0] : high;
}

/* A column for each panel, NaN where nothing is known. */
static int put_colours(picture *f) {
    size_t count[2];
    double *X = points(f, PIXELS, false, count);
    const size_t n = count[0] * count[1], d = f->applied.info.inputs, width = f->width;
    double *values = cli_more(NULL, n * width, sizeof *values), *doubt = cli_more(NULL, n, sizeof *doubt),
           *drawn = cli_more(NULL, n, sizeof *drawn);
    int status = colours(f, n, X, values);
    if (!status) status = doubts(f, n, X, doubt);
    if (!status) status = hide_land(f, n, X, doubt);
    fputs("$colours << EOD\n", f->script);
    for (size_t i = 0; !status && i < n; i++) {
        fprintf(f->script, "%.9g %.9g", X[i * d + f->axis[0]], X[i * d + f->axis[1]]);
        for (size_t k = 0; k < f->panels; k++) {
            const double value = values[i * width + k];
            fprintf(f->script, doubt[i] <= f->limit && isfinite(value) ? " %.9g" : " NaN", value);
        }
        fputs(i % count[0] == count[0] - 1 ? "\n\n" : "\n", f->script);
    }
    fputs("EOD\n", f->script);
    for (size_t k = 0; !status && k < f->panels; k++) {
        size_t known = 0;
        for (size_t i = 0; i < n; i++)
            if (doubt[i] <= f->limit && isfinite(values[i * width + k]))
                drawn[known++] = values[i * width + k];
        find_colour_range(f, k, known, drawn);
    }
    f->cells = n;
    f->hidden = 0;
    for (size_t i = 0; i < n; i++) f->hidden += !(doubt[i] <= f->limit);
    free(X);
    free(values);
    free(doubt);
    free(drawn);
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
    if (!status) status = hide_land(f, n, X, doubt);
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

/* A longitude as the map counts them. */
static double into_map(const picture *f, double x) {
    if (!f->applied.info.on_plane || f->axis[0] != f->applied.info.plane.inputs[0]) return x;
    return x - 360.0 * floor((x - 0.5 * (f->low[0] + f->high[0])) / 360.0 + 0.5);
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
                fprintf(f->script, "%.9g %.9g\n", into_map(f, X[i * d + f->axis[0]]), X[i * d + f->axis[1]]);
    }
    fputs("EOD\n", f->script);
    free(X);
    cli_data_close(&data);
    return status;
}

/* Segments of the coast that meet the region; longitudes that jump are not joined. */
static void put_coast(const picture *f) {
    const orff_coast lines = fmt_coast_lines(&f->coast.file);
    fputs("$coast << EOD\n", f->script);
    for (size_t k = 0; k < lines.lines; k++)
        for (size_t i = lines.starts[k]; i + 1 < lines.starts[k + 1]; i++) {
            const double *p = lines.points + 2 * i, x = into_map(f, p[0]), X = into_map(f, p[2]);
            if (!isfinite(x + p[1] + X + p[3]) || (f->coast.degrees && fabs(X - x) > 180.0)) continue;
            if (fmax(x, X) < f->low[0] || fmin(x, X) > f->high[0] || fmax(p[1], p[3]) < f->low[1] ||
                fmin(p[1], p[3]) > f->high[1])
                continue;
            fprintf(f->script, "%.9g %.9g\n%.9g %.9g\n\n", x, p[1], X, p[3]);
        }
    fputs("EOD\n", f->script);
}

/* ---- the script */

void cli_picture_label(const picture *f, const char *what, size_t length, const char *name,
                       const char *units) {
    char quoted[CLI_LABEL_ROOM];
    cli_string text = {0};
    cli_append(&text, units ? "%s [%s]" : "%s", name, units);
    fprintf(f->script, "set %s %s noenhanced\n", what,
            cli_label(quoted, length * 4 / 5 / CLI_CHARACTER_WIDTH, text.text));
    free(text.text);
}

void cli_picture_input_label(const picture *f, const char *what, size_t length, size_t k) {
    const char *name = orff_notes_name(f->applied.notes, ORFF_SIDE_INPUT, f->axis[k]);
    cli_picture_label(f, what, length,
                      name ? name
                      : k  ? "y"
                           : "x",
                      orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, f->axis[k]));
}

void cli_picture_output_label(const picture *f, const char *what, size_t length, size_t k) {
    const char *name = orff_notes_name(f->applied.notes, ORFF_SIDE_OUTPUT, k);
    char made[24];
    snprintf(made, sizeof made, "y%zu", k + 1);
    cli_picture_label(f, what, length, name ? name : made,
                      orff_notes_units(f->applied.notes, ORFF_SIDE_OUTPUT, k));
}

/* Beside the colours; above a panel, where there are several and little room. */
static void put_colour_label(const picture *f, size_t length, size_t panel) {
    char *derived = f->derived ? cli_notes_derived_units(f->applied.notes, f->what) : NULL;
    if (is(f, "outputs")) {
        cli_picture_output_label(f, f->panels > 1 ? "title" : "cblabel", length, panel);
    } else {
        cli_picture_label(f, "cblabel", length,
                          is(f, "field")   ? "magnitude"
                          : is(f, "error") ? "standard deviation"
                                           : f->what,
                          f->derived ? derived : orff_notes_units(f->applied.notes, ORFF_SIDE_OUTPUT, 0));
    }
    free(derived);
}

/* Light to darker for sizes, so that black arrows stand out; blue to red through white for what has a sign.
 * Both are safe for colour-blind eyes. */
static void put_palette(const picture *f, size_t panel) {
    const double *range = f->ranges[panel], low = range[0], high = range[1] > low ? range[1] : low + 1.0;
    if (low < 0.0 && low == -high) {
        fputs("set palette defined (-1 '#2166ac', -0.5 '#92c5de', 0 '#f7f7f7', 0.5 '#f4a582', 1 '#b2182b')\n",
              f->script);
    } else {
        fputs(
            "set palette defined (0 '#ffffff', 0.25 '#edf8b1', 0.5 '#9fdcb8', 0.75 '#4cb8c4', 1 '#3a8fc4')\n",
            f->script);
    }
    fprintf(f->script, "set cbrange [%.9g:%.9g]\n", low, high);
    const double tic = cli_tic_step(high - low, 4.0);
    if (f->panels > 1 && tic > 0.0 && isfinite(tic)) fprintf(f->script, "set cbtics %.9g\n", tic);
}

static double aspect_of(const picture *f) {
    return f->applied.info.on_plane
               ? 1.0 / fmax(cos(0.5 * (f->low[1] + f->high[1]) * 0.017453292519943295), 0.05)
               : 1.0;
}

static void put_axes(const picture *f, double aspect, size_t width, size_t height) {
    fprintf(f->script, "set size ratio -%.9g\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", aspect,
            f->low[0], f->high[0], f->low[1], f->high[1]);
    fputs("set tics out nomirror\nset border lw 1\nunset key\nset xtics autofreq\n", f->script);
    cli_picture_input_label(f, "xlabel", width, 0);
    cli_picture_input_label(f, "ylabel", height, 1);
}

/* The layout in which panels are largest. */
static void find_layout(const picture *f, double aspect, size_t layout[2]) {
    const double w = f->high[0] - f->low[0], h = (f->high[1] - f->low[1]) * aspect;
    double best = 0.0;
    for (size_t columns = 1; columns <= f->panels; columns++) {
        const size_t rows = (f->panels + columns - 1) / columns;
        const double scale = fmin(((double)f->file.width / (double)columns - BESIDE) / w,
                                  ((double)f->file.height / (double)rows - ABOVE) / h);
        if (columns > 1 && scale <= best) continue;
        best = scale;
        layout[0] = rows;
        layout[1] = columns;
    }
}

static void put_panel(const picture *f, size_t k, size_t height, bool arrows) {
    put_palette(f, k);
    put_colour_label(f, height, k);
    fprintf(f->script, "plot $colours using 1:2:%zu with image%s", k + 3,
            cli_picture_is(&f->file, "svg") ? " pixels" : "");
    if (f->coast.given) fputs(", \\\n    $coast using 1:2 with lines lw 1 lc rgb '#666666'", f->script);
    if (cli_given(f->arguments, CLI_OPT_POINTS))
        fputs(", \\\n    $points using 1:2 with points pt 7 ps 0.35 lc rgb '#d95f02'", f->script);
    if (arrows)
        fputs(", \\\n    $arrows using 1:2:3:4 with vectors head filled size screen 0.008,20 lw 1.1 lc rgb "
              "'black'",
              f->script);
    fputc('\n', f->script);
}

/* Vector formats get the cells as rectangles, so that no picture file lies beside. */
static int put_script(void *self, FILE *script) {
    picture *f = self;
    const double aspect = aspect_of(f);
    const bool arrows = is(f, "field");
    size_t layout[2] = {1, 1};
    f->script = script;
    int status = put_colours(f);
    if (!status && arrows) status = put_arrows(f, aspect);
    if (!status && cli_given(f->arguments, CLI_OPT_POINTS)) status = put_points(f);
    if (status) return status;
    if (f->coast.given) put_coast(f);
    find_layout(f, aspect, layout);
    put_axes(f, aspect, f->file.width / layout[1], f->file.height / layout[0]);
    if (f->coast.given) fputs("set clip two\n", script);
    if (f->panels > 1) fprintf(script, "set multiplot layout %zu,%zu\n", layout[0], layout[1]);
    for (size_t k = 0; k < f->panels; k++) put_panel(f, k, f->file.height / layout[0], arrows);
    if (f->panels > 1) fputs("unset multiplot\n", script);
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
    static const char *const names[] = {"field",  "outputs", "divergence", "curl",  "potential",
                                        "stream", "error",   "matrix",     "tuning"};
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

/* A field of two outputs is one of arrows; others are a panel for each output. */
static int find_panels(picture *f) {
    const size_t p = f->applied.p, d = f->applied.info.inputs;
    if (is(f, "field") && (p != 2 || f->axes != 2)) f->what = "outputs";
    f->width = is(f, "outputs") ? p : f->derived ? f->derived->width(d, p) : 1;
    f->panels = f->width < MOST_PANELS ? f->width : MOST_PANELS;
    if (f->derived && (f->width != 1 || f->axes != 2))
        return cli_failed("--what %s is a picture of two inputs and two outputs; there are %zu and %zu",
                          f->what, f->axes, p);
    if (f->panels < f->width) cli_say("the first %zu of %zu outputs are drawn", f->panels, f->width);
    if (f->axes == 1 && f->coast.given)
        return cli_wrong(f->arguments, CLI_OPT_COAST, "a coast is for maps, of two inputs");
    return CLI_DONE;
}

static json_t *told(const picture *f) {
    json_t *object = json_pack("{s:o, s:s, s:[f,f]}", "picture", cli_text_or_shown(f->file.path), "what",
                               f->what, "x", f->low[0], f->high[0]);
    if (f->axes == 2) json_object_set_new(object, "y", json_pack("[f,f]", f->low[1], f->high[1]));
    json_object_set_new(object, "panels", json_integer((json_int_t)f->panels));
    return object;
}

static int plot_field(picture *f) {
    int status = cli_size(f->arguments, CLI_OPT_ARROWS, 2, 200, &f->arrows);
    if (!status) status = cli_applied_load(&f->applied, f->arguments->words[0]);
    if (!status) status = find_axes(f);
    if (!status) status = cli_mask_parse(f->arguments, &f->applied, &f->mask, &f->masking);
    if (!status && f->masking && cli_given(f->arguments, CLI_OPT_EVERYWHERE))
        status = cli_wrong_usage(f->arguments->command, "give --mask or --everywhere, not both");
    if (!status) status = cli_coast_open(&f->coast, f->arguments, &f->applied);
    if (!status) status = find_region(f);
    if (!status) status = find_panels(f);
    if (!status && f->axes == 2) status = find_limit(f);
    if (!status) status = cli_picture_draw(&f->file, f->axes == 2 ? put_script : cli_picture_put_lines, f);
    if (!status) cli_say("%s", f->file.path);
    if (!status && f->masking && f->axes == 2)
        cli_say("%.0f %% of the picture is masked", 100.0 * (double)f->hidden / (double)f->cells);
    if (!status && cli_wants_json()) status = cli_print_json(told(f));
    free(f->fixed);
    cli_coast_clear(&f->coast);
    cli_applied_clear(&f->applied);
    return status;
}

static int run(const cli_arguments *a) {
    picture f = {.arguments = a};
    int status = cli_picture_parse(&f.file, a);
    if (!status) status = parse_what(&f);
    if (status) return status;
    if (!strcmp(f.what, "matrix")) return cli_plot_matrix(&f.file, a->words[0]);
    return strcmp(f.what, "tuning") ? plot_field(&f) : cli_plot_curves(&f.file, a->words[0]);
}

const cli_command cli_command_plot = {
    .name = "plot",
    .summary = "draw a field, a map, a curve, or the curves of orff tune",
    .usage = "MODEL|REPORT.csv -o PICTURE.svg|.png|.pdf",
    .text =
        "Draws arrows over the colour of their magnitude, or a derived field in colours (--what). "
        "Other than two outputs are maps in colour, a panel for each, and a model of one input is a "
        "curve with a band that holds 95 % of what the field may be. "
        "The region is that of the data the model was learned from, unless --grid names another; inputs with "
        "one value there are held at it: --grid x=0:9:2,y=0:9:2,time=6. "
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
