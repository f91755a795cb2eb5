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
#include "lattice.h"
#include "mask.h"
#include "picture.h"
#include "report.h"
#include "result.h"

#define LONGEST 20.0 /* ratio of the sides of a map up to which proportions are true */

/* ---- the region */

/* Draws the first two inputs that are not covariates, or the only one. */
static int find_axes(picture *f) {
    const cli_applied *ap = &f->applied;
    if (ap->info.classes)
        return cli_failed("classes cannot be drawn; a picture needs outputs that are numbers");
    for (size_t i = 0; f->axes < 2 && i < ap->info.inputs; i++)
        if (!orff_notes_is_covariate(ap->notes, i)) f->axis[f->axes++] = i;
    return f->axes ? CLI_DONE
                   : cli_failed("all inputs are covariates; a picture needs one or two that are not");
}

/* Draws the inputs to which --grid gives a range. */
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
        "%zu inputs have a range, but a picture has one or two; give each of the others a single value, as "
        "in time=6",
        found);
}

/* Takes the region from --grid, whose counts do not matter here. */
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

/* Takes the region of the model's data; other inputs are held at the middle of their range. */
static int region_of_data(picture *f) {
    for (size_t i = 0; i < f->applied.info.inputs; i++) {
        double low, high;
        const char *name = orff_notes_name(f->applied.notes, ORFF_SIDE_INPUT, i);
        if (!orff_notes_range(f->applied.notes, i, &low, &high))
            return cli_failed("%s: the model does not contain the range of its data; give --grid",
                              f->arguments->words[0]);
        bool held = true;
        f->fixed[i] = 0.5 * (low + high);
        for (size_t k = 0; k < f->axes; k++) {
            if (f->axis[k] != i) continue;
            f->low[k] = low;
            f->high[k] = high;
            held = false;
        }
        if (held) cli_say("%s is fixed at %g", name ? name : "an input", f->fixed[i]);
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

/* ---- true proportions */

static bool is_unit(const picture *f, size_t k, const char *unit) {
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, f->axis[k]);
    return units && !strcmp(units, unit);
}

static bool is_in_degrees(const picture *f) {
    const orff_plane *plane = &f->applied.info.plane;
    if (f->axes != 2) return false;
    if (f->applied.info.on_plane) return f->axis[0] == plane->inputs[0] && f->axis[1] == plane->inputs[1];
    return is_unit(f, 0, "degrees_east") && is_unit(f, 1, "degrees_north");
}

/* If units cannot be compared, such as km and hours, or sides differ too much, the picture uses the
 * available room. */
static void find_aspect(picture *f) {
    const char *x = orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, f->axis[0]),
               *y = orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, f->axis[1]);
    const double sides = (f->high[1] - f->low[1]) / (f->high[0] - f->low[0]);
    f->degrees = is_in_degrees(f);
    f->aspect =
        f->degrees ? 1.0 / fmax(cos(0.5 * (f->low[1] + f->high[1]) * 0.017453292519943295), 0.05) : 1.0;
    if (f->degrees) return;
    if ((x && y && strcmp(x, y)) || sides > LONGEST || sides < 1.0 / LONGEST) f->aspect = 0.75 / sides;
}

/* ---- options */

/* A model may have any file name except that of a table. */
static bool is_report(const char *path) {
    const size_t length = strlen(path);
    return (length > 4 && !strcmp(path + length - 4, ".csv")) ||
           (length > 7 && !strcmp(path + length - 7, ".csv.gz"));
}

static const char *const whats[] = {"field", "outputs", "divergence", "curl",      "potential",   "stream",
                                    "error", "matrix",  "spectrum",   "residuals", "calibration", "tuning"};
#define WHATS (sizeof whats / sizeof *whats)

static int refuse_what(const picture *f, const char *word) {
    const char *near = cli_suggest(word, WHATS, whats);
    return cli_wrong(f->arguments, CLI_OPT_WHAT, "\"%s\" is not known; %s %s%s", word,
                     near ? "did you mean" : "choose from",
                     near ? near : cli_own_options[CLI_OPT_WHAT].argument, near ? "?" : "");
}

/* The name in the table up to a comma or the end of the text; NULL: none. */
static const char *scan_what(const char *text) {
    const size_t length = strcspn(text, ",");
    for (size_t i = 0; i < WHATS; i++)
        if (strlen(whats[i]) == length && !strncmp(whats[i], text, length)) return whats[i];
    return NULL;
}

static bool is_map(const char *what) {
    return strcmp(what, "tuning") && strcmp(what, "matrix") && strcmp(what, "spectrum") &&
           strcmp(what, "residuals") && strcmp(what, "calibration");
}

/* Parses one name, or a list of maps. */
static int parse_what(picture *f) {
    const bool report = !cli_given(f->arguments, CLI_OPT_WHAT) && is_report(f->arguments->words[0]);
    const char *at = f->what = report ? "tuning" : cli_text(f->arguments, CLI_OPT_WHAT);
    for (bool more = true; more;) {
        const size_t length = strcspn(at, ",");
        const char *name = scan_what(at);
        more = at[length];
        if (!name && at == f->what && !more) return refuse_what(f, at);
        if (!name || f->panels == MOST_PANELS || (!is_map(name) && (more || at != f->what)))
            return cli_wrong(f->arguments, CLI_OPT_WHAT,
                             "\"%s\" is not a list of up to %d maps, such as field,error,curl", f->what,
                             MOST_PANELS);
        f->panel[f->panels++] = (panel){.what = name, .derived = cli_derived_find(name)};
        at += length + more;
    }
    return CLI_DONE;
}

static int check_contours(const cli_arguments *a) {
    const char *text = cli_text(a, CLI_OPT_CONTOURS);
    if (!strcmp(text, "auto") || !strcmp(text, "yes") || !strcmp(text, "no")) return CLI_DONE;
    return cli_wrong(a, CLI_OPT_CONTOURS, "\"%s\" is not auto, yes or no", text);
}

/* ---- panels */

/* Replaces a panel that shows all outputs by one for each output. */
static size_t add_outputs(const picture *f, panel *list, size_t count) {
    for (size_t k = 0; k < f->applied.p && count < MOST_PANELS; k++)
        list[count++] = (panel){.what = "outputs", .output = k};
    return count;
}

/* Whether the field is drawn as arrows. */
static bool has_arrows(const picture *f) {
    return f->applied.p == 2 && f->axes == 2 &&
           (cli_applied_is_flow(&f->applied) || cli_given(f->arguments, CLI_OPT_WHAT));
}

/* A field without arrows becomes a panel for each output. */
static int find_panels(picture *f) {
    const size_t p = f->applied.p, d = f->applied.info.inputs;
    panel list[MOST_PANELS] = {{0}};
    size_t count = 0, wanted = 0;
    if (!strcmp(f->what, "field") && !has_arrows(f)) f->what = "outputs";
    for (size_t k = 0; k < f->panels; k++) {
        const panel one = f->panel[k];
        const bool outputs = !strcmp(one.what, "outputs") || (!strcmp(one.what, "field") && !has_arrows(f));
        if (one.derived && (one.derived->width(d, p) != 1 || f->axes != 2))
            return cli_failed("--what %s needs two inputs and two outputs; there are %zu and %zu", one.what,
                              f->axes, p);
        wanted += outputs ? p : 1;
        if (outputs)
            count = add_outputs(f, list, count);
        else if (count < MOST_PANELS)
            list[count++] = one;
    }
    memcpy(f->panel, list, count * sizeof *list);
    f->panels = count;
    if (count < wanted) cli_say("the first %zu of %zu outputs are drawn", count, wanted);
    return CLI_DONE;
}

/* Fails for what needs a map. */
static int check_lines(const picture *f) {
    if (f->axes == 2) return CLI_DONE;
    if (f->coast.given) return cli_wrong(f->arguments, CLI_OPT_COAST, "a coast needs a map, with two inputs");
    if (strchr(f->what, ','))
        return cli_wrong(f->arguments, CLI_OPT_WHAT, "panels of %s need maps, with two inputs", f->what);
    return CLI_DONE;
}

static json_t *result_json(const picture *f) {
    json_t *object = json_pack("{s:o, s:s, s:[f,f]}", "picture", cli_text_or_shown(f->file.path), "what",
                               f->what, "x", f->low[0], f->high[0]);
    if (f->axes == 2) json_object_set_new(object, "y", json_pack("[f,f]", f->low[1], f->high[1]));
    json_object_set_new(object, "panels", json_integer((json_int_t)f->panels));
    return object;
}

/* ---- */

static int load(picture *f) {
    int status = cli_size(f->arguments, CLI_OPT_ARROWS, 2, 200, &f->arrows);
    if (!status) status = check_contours(f->arguments);
    if (!status) status = cli_applied_load(&f->applied, f->arguments->words[0]);
    if (!status) status = find_axes(f);
    if (!status) status = cli_mask_parse(f->arguments, &f->applied, &f->mask, &f->masking);
    if (!status && f->masking && cli_given(f->arguments, CLI_OPT_EVERYWHERE))
        status = cli_wrong_usage(f->arguments->command, "give --mask or --everywhere, not both");
    if (!status && cli_given(f->arguments, CLI_OPT_ELLIPSES) && !f->applied.info.has_posterior)
        status =
            cli_failed("%s: the model was saved without a posterior, so it has no ellipses; fit it again "
                       "with --posterior yes",
                       f->arguments->words[0]);
    if (!status) status = cli_coast_open(&f->coast, f->arguments, &f->applied);
    return status;
}

static int draw(picture *f) {
    int status = find_region(f);
    if (!status) status = find_panels(f);
    if (!status) status = check_lines(f);
    if (status || f->axes == 1) return status ? status : cli_picture_draw(&f->file, cli_picture_put_lines, f);
    find_aspect(f);
    f->outline = f->degrees && !f->coast.given;
    if (f->outline) status = cli_coast_outline(&f->coast, &f->applied);
    cli_map_arrange(f);
    if (!status) status = cli_grid_fill(f);
    if (!status) status = cli_picture_draw(&f->file, cli_picture_put_map, f);
    return status;
}

/* An empty picture looks like a mistake. */
static void say_if_empty(const picture *f) {
    if (f->cells && f->hidden == f->cells && !f->masking && !cli_given(f->arguments, CLI_OPT_HATCH) &&
        strcmp(f->what, "error") != 0)
        cli_say("the data say little anywhere in this picture, so it is empty; --everywhere draws the field, "
                "--what error "
                "its standard deviation");
}

static int plot_field(picture *f) {
    int status = load(f);
    if (!status) status = draw(f);
    if (!status) cli_say("%s", f->file.path);
    if (!status && f->masking && f->axes == 2)
        cli_say("%.0f %% of the picture is masked", 100.0 * (double)f->hidden / (double)f->cells);
    if (!status) say_if_empty(f);
    if (!status && cli_wants_json()) status = cli_print_json(result_json(f));
    free(f->fixed);
    cli_grid_clear(f);
    cli_coast_clear(&f->coast);
    cli_applied_clear(&f->applied);
    return status;
}

static int run(const cli_arguments *a) {
    picture f = {.arguments = a};
    int status = cli_picture_parse(&f.file, a);
    if (!status) status = parse_what(&f);
    if (status) return status;
    if (!strcmp(f.what, "residuals") || !strcmp(f.what, "calibration")) return cli_plot_scores(&f);
    if (a->n_words > 1)
        return cli_wrong_usage(a->command,
                               "DATA is for --what residuals and calibration; use --points to mark "
                               "positions");
    if (!strcmp(f.what, "matrix")) return cli_plot_matrix(&f.file, a->words[0]);
    if (!strcmp(f.what, "spectrum")) return cli_plot_spectrum(&f);
    return strcmp(f.what, "tuning") ? plot_field(&f) : cli_plot_curves(&f.file, a->words[0]);
}

const cli_command cli_command_plot = {
    .name = "plot",
    .summary = "draw a field, a map, a curve, or the curves of orff tune",
    .usage = "MODEL|REPORT.csv [DATA] -o PICTURE.svg|.png|.pdf",
    .text =
        "Draws a vector field with two components as arrows over the colour of their length, and a derived "
        "field in colours (--what). Several of these make panels: --what field,error,curl. Models in degrees "
        "become "
        "maps with coasts. Other outputs are drawn in colours, one panel for each. A model with "
        "one input is drawn as a curve with a 95 % band for the field. The region is that of the data, "
        "unless --grid gives another; an input with a single value there is held fixed: --grid "
        "x=0:9:2,y=0:9:2,time=6. A report of orff tune is drawn as the cross-validated error against lambda, "
        "one line for each candidate. --what residuals and calibration show how well a model and its error "
        "bars do on DATA, and --what spectrum shows its power against wavenumber. Needs gnuplot.",
    .example = "  orff plot wind.orff --points wind.csv -o wind.svg\n  orff plot wind.orff --what curl -o "
               "vorticity.png\n"
               "  orff plot wind.orff --what field,error,curl --style paper -o wind.pdf\n"
               "  orff plot wind.orff held_out.csv --what calibration -o calibration.svg\n"
               "  orff plot scores.csv -o curves.svg\n",
    .least = 1,
    .most = 3,
    .bit = CLI_BIT(plot),
    .run = run,
};
