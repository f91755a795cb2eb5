/* orff view: a page that evaluates the model and moves particles through the field. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lattice.h"
#include "page.h"
#include "report.h"
#include "result.h"

/* ---- contents of the page */

static int refuse_shape(const cli_view *f) {
    if (f->applied.info.classes)
        return cli_failed("%s: it predicts classes; a page shows numbers", f->arguments->words[0]);
    if (f->d >= 2) return CLI_DONE;
    return cli_failed("%s: it has one input; a map needs two", f->arguments->words[0]);
}

static bool same_units(const orff_notes *notes, size_t p) {
    const char *first = orff_notes_units(notes, ORFF_SIDE_OUTPUT, 0);
    for (size_t i = 1; i < p; i++) {
        const char *other = orff_notes_units(notes, ORFF_SIDE_OUTPUT, i);
        if (first && other && strcmp(first, other)) return false;
    }
    return true;
}

/* The map shows the first two inputs that are not covariates; if there are fewer, covariates too. */
static int find_axes(cli_view *f) {
    size_t found = 0;
    f->d = f->applied.info.inputs;
    f->p = f->applied.p;
    const int status = refuse_shape(f);
    if (status) return status;
    for (size_t i = 0; i < f->d && found < 2; i++)
        if (!orff_notes_is_covariate(f->applied.notes, i)) f->axis[found++] = i;
    f->vector = found == 2 && (cli_applied_is_flow(&f->applied) || (f->p == 3 && f->d == 3)) &&
                same_units(f->applied.notes, f->p);
    for (size_t i = 0; i < f->d && found < 2; i++)
        if (orff_notes_is_covariate(f->applied.notes, i)) f->axis[found++] = i;
    return CLI_DONE;
}

static int region_of_grid(cli_view *f) {
    cli_lattice lattice;
    const int status = cli_lattice_parse(&lattice, f->arguments, f->applied.notes, f->d);
    for (size_t i = 0; !status && i < f->d; i++) {
        f->low[i] = lattice.low[i];
        f->high[i] = lattice.high[i];
    }
    cli_lattice_clear(&lattice);
    return status;
}

static int find_region(cli_view *f) {
    f->low = cli_more(NULL, 2 * f->d, sizeof *f->low);
    f->high = f->low + f->d;
    const bool given = cli_given(f->arguments, CLI_OPT_ON_GRID);
    const int status = given ? region_of_grid(f) : CLI_DONE;
    if (status) return status;
    for (size_t i = 0; i < f->d; i++) {
        if (!given && !orff_notes_range(f->applied.notes, i, &f->low[i], &f->high[i]))
            return cli_failed("%s: the model does not contain the range of its data; give --grid",
                              f->arguments->words[0]);
        const bool map = i == f->axis[0] || i == f->axis[1];
        const double extent = f->high[i] - f->low[i];
        if (!isfinite(extent) || extent < 0.0 || (map && !(extent > 0.0)))
            return cli_failed("the region from %g to %g cannot be shown; give another with --grid", f->low[i],
                              f->high[i]);
    }
    return CLI_DONE;
}

/* ---- the command */

static int fill(cli_view *f) {
    f->object = json_object();
    int status = cli_view_plane(f);
    if (!status) cli_view_names(f);
    if (!status) status = cli_view_coast(f);
    if (!status) status = cli_view_values(f);
    if (!status) status = cli_view_errors(f);
    if (!status) status = cli_view_samples(f);
    if (!status) status = cli_view_probes(f);
    if (!status) status = cli_view_points(f);
    json_object_set_new(f->object, "kind", json_string(f->kind ? f->kind : ""));
    return status;
}

static int finish(cli_view *f) {
    const char *path = cli_text(f->arguments, CLI_OPT_OUTPUT);
    const size_t samples = json_array_size(json_object_get(f->object, "samples"));
    json_t *result = json_pack("{s:o, s:s, s:I}", "page", cli_text_or_shown(path), "values", f->kind,
                               "samples", (json_int_t)samples);
    size_t bytes = 0;
    json_t *object = f->object;
    f->object = NULL;
    int status = cli_page_write(path, object, &bytes);
    if (!status) cli_say("%s: %zu kB; open it in a browser", path, (bytes + 999) / 1000);
    if (!status && cli_wants_json()) {
        json_object_set_new(result, "bytes", json_integer((json_int_t)bytes));
        return cli_print_json(result);
    }
    json_decref(result);
    return status;
}

static int run(const cli_arguments *a) {
    cli_view f = {.arguments = a};
    if (!cli_given(a, CLI_OPT_OUTPUT))
        return cli_wrong_usage(a->command, "name the page with -o, as in -o field.html");
    int status = cli_size(a, CLI_OPT_VIEW_SAMPLES, 0, 100, &f.samples);
    if (!status) status = cli_whole(a, CLI_OPT_SEED, 0, UINT64_MAX, &f.seed);
    if (status) return status;
    status = cli_applied_load(&f.applied, a->words[0]);
    if (!status) status = find_axes(&f);
    if (!status) status = find_region(&f);
    if (!status) status = fill(&f);
    if (!status) status = finish(&f);
    json_decref(f.object);
    free(f.low);
    cli_applied_clear(&f.applied);
    return status;
}

const cli_command cli_command_view = {
    .name = "view",
    .summary = "write a page in which the field moves",
    .usage = "MODEL -o PAGE.html",
    .text = "Writes one HTML file that contains the model and evaluates it in the browser. Particles move "
            "through the field, over the colour of its speed, vorticity, divergence or error bar; a single "
            "output is drawn as a map with contours. Point at a place to read its value. You can drag and "
            "zoom, step through time or depth, show posterior samples in turn, copy a link to the current "
            "view, and save a picture. The file needs no network and no other files, so you can send it to "
            "others. The region is that of the data, unless --grid gives another.",
    .example =
        "  orff view wind.orff -o wind.html\n  orff view wind.orff --points wind.csv -n 12 -o wind.html\n",
    .least = 1,
    .most = 1,
    .bit = CLI_BIT(view),
    .run = run,
};
