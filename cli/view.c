/* orff view: a page in which the model itself is evaluated and moves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "commands.h"
#include "data.h"
#include "lattice.h"
#include "mask.h"
#include "notes.h"
#include "page.h"
#include "report.h"
#include "result.h"

#define ERROR_NODES  48  /* of the grid of error bars, along the longer side of the map ... */
#define ERROR_SLIDES 5   /* ... and along each other input */
#define VALUE_NODES  140 /* the same where values come from a grid too */
#define VALUE_SLIDES 9
#define MOST_NODES   40000
#define MARGIN       0.4   /* of the range, around the map: people look beyond the data */
#define PROBES       24    /* places at which the page compares itself with the program */
#define MOST_POINTS  20000 /* of the data, drawn */
#define MOST_ROWS \
    250000 /* that values may come from, the nearest of them; a page is then about as large as its model */
#define KEPT_OF_MEAN  1e-10 /* waves that are left out, beside all of them */
#define KEPT_OF_DRAWS 1e-4

typedef struct page {
    const cli_arguments *arguments;
    cli_applied applied;
    size_t d, p;
    size_t axis[2];     /* inputs that are the map */
    bool vector;        /* outputs are a vector over these */
    bool degrees;       /* these are longitude and latitude, as the model was learned */
    double box[4];      /* of a projected system: as far as its map is known, degrees */
    double *low, *high; /* d */
    size_t samples;
    uint64_t seed;
    json_t *object;
    const char *kind; /* what values come from */
} page;

/* ---- what is shown */

static int refuse_shape(const page *f) {
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

/* The map is the first two inputs that are not covariates, and else the first two. */
static int find_axes(page *f) {
    size_t found = 0;
    f->d = f->applied.info.inputs;
    f->p = f->applied.p;
    const int status = refuse_shape(f);
    if (status) return status;
    for (size_t i = 0; i < f->d && found < 2; i++)
        if (!orff_notes_is_covariate(f->applied.notes, i)) f->axis[found++] = i;
    f->vector = found == 2 && (f->p == 2 || (f->p == 3 && f->d == 3)) && same_units(f->applied.notes, f->p);
    for (size_t i = 0; i < f->d && found < 2; i++)
        if (orff_notes_is_covariate(f->applied.notes, i)) f->axis[found++] = i;
    return CLI_DONE;
}

static int region_of_grid(page *f) {
    cli_lattice lattice;
    const int status = cli_lattice_parse(&lattice, f->arguments, f->applied.notes, f->d);
    for (size_t i = 0; !status && i < f->d; i++) {
        f->low[i] = lattice.low[i];
        f->high[i] = lattice.high[i];
    }
    cli_lattice_clear(&lattice);
    return status;
}

static int find_region(page *f) {
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

/* ---- grids */

static bool is_axis(const page *f, size_t i) {
    return i == f->axis[0] || i == f->axis[1];
}

/* Over the map with its margin, and over the ranges of the other inputs. */
static void grid_make(const page *f, size_t nodes, size_t slides, cli_lattice *grid) {
    const double wide = f->high[f->axis[0]] - f->low[f->axis[0]],
                 tall = f->high[f->axis[1]] - f->low[f->axis[1]];
    *grid = (cli_lattice){.d = f->d, .rows = 1};
    grid->count = cli_more(NULL, f->d, sizeof *grid->count);
    grid->low = cli_more(NULL, f->d, sizeof *grid->low);
    grid->high = cli_more(NULL, f->d, sizeof *grid->high);
    for (size_t i = 0; i < f->d; i++) {
        const double extent = f->high[i] - f->low[i], margin = is_axis(f, i) ? MARGIN * extent : 0.0;
        const bool stretched = !f->vector; /* axes of other units say nothing of each other */
        const double part = stretched ? 1.0 : extent / fmax(wide, tall);
        grid->count[i] = is_axis(f, i)  ? (size_t)fmax(8.0, ceil((double)nodes * part))
                         : extent > 0.0 ? slides
                                        : 1;
        grid->low[i] = f->low[i] - margin;
        grid->high[i] = f->high[i] + margin;
    }
    for (size_t k = 0; f->applied.info.on_plane && k < 2; k++) {
        const size_t at = f->applied.info.plane.inputs[k];
        grid->low[at] = fmax(grid->low[at], f->box[2 * k]);
        grid->high[at] = fmin(grid->high[at], f->box[2 * k + 1]);
    }
    for (size_t i = 0; i < f->d; i++) grid->rows *= grid->count[i];
}

/* With as many other inputs as there may be, nodes are halved until they are few enough. */
static void grid_fit(const page *f, size_t nodes, size_t slides, cli_lattice *grid) {
    grid_make(f, nodes, slides, grid);
    while (grid->rows > MOST_NODES && (nodes > 8 || slides > 2)) {
        cli_lattice_clear(grid);
        if (slides > 2)
            slides = slides / 2 < 2 ? 2 : slides / 2;
        else
            nodes /= 2;
        grid_make(f, nodes, slides, grid);
    }
}

static int add_grid(page *f, const char *name, const cli_lattice *grid, bool errors) {
    const size_t n = (size_t)grid->rows;
    double *X = cli_more(NULL, n * f->d, sizeof *X), *values = cli_more(NULL, n * f->p, sizeof *values);
    cli_lattice_fill(grid, 0, n, X);
    const int status = errors ? cli_applied_std(&f->applied, false, n, X, values)
                              : cli_applied_predict(&f->applied, n, X, values);
    if (!status) json_object_set_new(f->object, name, cli_page_grid(grid, f->p, values));
    free(X);
    free(values);
    return status;
}

/* What error bars are relative to, and up to which part of it the field is known. */
static void add_prior(page *f) {
    double *prior = cli_more(NULL, f->p, sizeof *prior);
    if (cli_mask_prior(&f->applied, prior)) {
        json_t *list = json_array();
        for (size_t k = 0; k < f->p; k++) json_array_append_new(list, json_real(prior[k]));
        json_object_set_new(f->object, "prior", list);
        json_object_set_new(f->object, "little_known", json_real(CLI_LITTLE_KNOWN));
    }
    free(prior);
}

static int add_errors(page *f) {
    cli_lattice grid;
    if (!f->applied.info.has_posterior) return CLI_DONE;
    add_prior(f);
    grid_fit(f, ERROR_NODES, ERROR_SLIDES, &grid);
    const int status = add_grid(f, "errors", &grid, true);
    cli_lattice_clear(&grid);
    return status;
}

/* ---- values */

static int add_values_on_grid(page *f) {
    cli_lattice grid;
    f->kind = "nodes";
    cli_say("a browser cannot evaluate this model, so the page contains its values on a grid and shows how "
            "accurate they are");
    grid_fit(f, VALUE_NODES, VALUE_SLIDES, &grid);
    const int status = add_grid(f, "nodes", &grid, false);
    cli_lattice_clear(&grid);
    return status;
}

static bool has_centres(const orff_sum *sum) {
    for (size_t i = 0; i < orff_sum_terms(sum); i++)
        if (orff_sum_term(sum, i).centres) return true;
    return false;
}

/* The sum that the model is, where it is one that the page can add up; else a grid. */
static int add_values(page *f) {
    orff_sum *sum = NULL;
    const orff_status outcome = orff_model_sum(f->applied.model, &sum);
    if (outcome && outcome != ORFF_ERROR_UNSUPPORTED) return cli_outcome(outcome, NULL);
    if (sum && orff_sum_term(sum, 0).nearest && orff_sum_term(sum, 0).centres > MOST_ROWS) {
        orff_sum_free(sum);
        sum = NULL;
    }
    json_t *parts = sum && has_centres(sum) ? cli_page_parts(&f->applied) : json_array();
    if (!sum || !parts) {
        orff_sum_free(sum);
        return add_values_on_grid(f);
    }
    f->kind = orff_sum_term(sum, 0).nearest ? "nearest"
              : has_centres(sum)            ? "centres"
              : orff_sum_term(sum, 0).steps ? "harmonics"
                                            : "waves";
    json_object_set_new(f->object, "parts", parts);
    json_object_set_new(f->object, "mean", cli_page_numbers(f->p, orff_sum_mean(sum), false));
    json_t *terms = cli_page_sum(sum, f->d, f->p, f->applied.info.parts, false, KEPT_OF_MEAN);
    if (f->applied.info.trend_terms) json_array_append_new(terms, cli_page_trend(&f->applied));
    json_object_set_new(f->object, "terms", terms);
    orff_sum_free(sum);
    return CLI_DONE;
}

/* ---- samples */

/* A model that keeps fewer says so; the page then has none. */
static int add_samples(page *f) {
    orff_samples *samples = NULL;
    json_t *list = json_array();
    json_object_set_new(f->object, "samples", list);
    const bool summed = strcmp(f->kind, "nodes") && strcmp(f->kind, "nearest");
    if (!f->samples || !f->applied.info.has_posterior || !summed) return CLI_DONE;
    if (f->applied.info.trend_terms) {
        cli_say("the model has a trend, so the page shows no samples; orff sample writes them");
        return CLI_DONE;
    }
    orff_status status = orff_samples_draw(&samples, f->applied.model, f->samples, f->seed);
    if (status == ORFF_ERROR_UNSUPPORTED) {
        cli_warn("no samples: %s", orff_error_message());
        return CLI_DONE;
    }
    for (size_t i = 0; !status && i < f->samples; i++) {
        orff_sum *sum = NULL;
        status = orff_samples_sum(samples, i, &sum);
        if (status) break;
        json_array_append_new(list,
                              cli_page_sum(sum, f->d, f->p, f->applied.info.parts, true, KEPT_OF_DRAWS));
        orff_sum_free(sum);
    }
    orff_samples_free(samples);
    return cli_outcome(status, NULL);
}

/* ---- places at which the page compares itself with the program */

/* Between 0 and 1, spread evenly: multiples of irrational numbers. */
static double spread(size_t i, size_t k) {
    static const double steps[] = {0.7548776662466927, 0.5698402909980532, 0.8191725133961645,
                                   0.6710436067037893};
    const double at = 0.5 + (double)(i + 1) * steps[k % 4] * (1.0 + (double)(k / 4));
    return at - floor(at);
}

static int add_probes(page *f) {
    double *X = cli_more(NULL, PROBES * (f->d + f->p), sizeof *X), *F = X + PROBES * f->d;
    for (size_t i = 0; i < PROBES * f->d; i++) {
        const size_t k = i % f->d;
        X[i] = f->low[k] + spread(i / f->d, k) * (f->high[k] - f->low[k]);
    }
    const int status = cli_applied_predict(&f->applied, PROBES, X, F);
    if (!status)
        json_object_set_new(f->object, "probes",
                            json_pack("{s:o, s:o}", "x", cli_page_numbers(PROBES * f->d, X, false), "values",
                                      cli_page_numbers(PROBES * f->p, F, false)));
    free(X);
    return status;
}

/* ---- points */

/* Rows of which every `step`th is kept: twice as many are left out whenever there are too many. */
typedef struct thinned {
    size_t kept, step, seen;
    double *X; /* kept x d */
} thinned;

static void keep(thinned *t, size_t d, const double *x) {
    if (t->seen++ % t->step) return;
    if (t->kept == MOST_POINTS) {
        for (size_t i = 0; 2 * i < t->kept; i++) memmove(t->X + i * d, t->X + 2 * i * d, d * sizeof *t->X);
        t->kept = (t->kept + 1) / 2;
        t->step *= 2;
        if ((t->seen - 1) % t->step) return;
    }
    memcpy(t->X + t->kept++ * d, x, d * sizeof *t->X);
}

static bool all_finite(size_t d, const double *x) {
    for (size_t i = 0; i < d; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static int read_points(page *f, thinned *t) {
    const char *words[1] = {cli_text(f->arguments, CLI_OPT_POINTS)};
    cli_arguments a = *f->arguments;
    cli_data data;
    double *X = cli_more(NULL, 4096 * f->d, sizeof *X);
    size_t n = 1;
    a.words = words;
    a.n_words = 1;
    int status = cli_data_apply(&data, &a, 0, f->applied.notes, f->d, 0, false);
    while (!status && n) {
        status = cli_data_read(&data, 4096, X, NULL, &n);
        for (size_t i = 0; !status && i < n; i++)
            if (all_finite(f->d, X + i * f->d)) keep(t, f->d, X + i * f->d);
    }
    cli_data_close(&data);
    free(X);
    return status;
}

static int add_points(page *f) {
    thinned t = {.step = 1};
    if (!cli_given(f->arguments, CLI_OPT_POINTS)) return CLI_DONE;
    t.X = cli_more(NULL, MOST_POINTS * f->d, sizeof *t.X);
    const int status = read_points(f, &t);
    if (!status)
        json_object_set_new(f->object, "points",
                            json_pack("{s:I, s:I, s:o}", "count", (json_int_t)t.kept, "of",
                                      (json_int_t)t.seen, "x", cli_page_numbers(t.kept * f->d, t.X, true)));
    free(t.X);
    return status;
}

/* ---- what it is called */

static json_t *column(const page *f, orff_side side, size_t i) {
    const orff_notes *notes = f->applied.notes;
    json_t *object = json_pack("{s:o, s:o}", "name", cli_page_text(orff_notes_name(notes, side, i)), "units",
                               cli_page_text(orff_notes_units(notes, side, i)));
    if (side == ORFF_SIDE_OUTPUT) {
        const double noise = f->applied.info.noise[i];
        json_object_set_new(object, "noise", isfinite(noise) ? json_real(noise) : json_null());
        return object;
    }
    json_object_set_new(object, "covariate", json_boolean(orff_notes_is_covariate(notes, i)));
    json_object_set_new(object, "low", json_real(f->low[i]));
    json_object_set_new(object, "high", json_real(f->high[i]));
    return object;
}

static json_t *columns(const page *f, orff_side side, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, column(f, side, i));
    return list;
}

static bool has_units(const page *f, size_t axis, const char *expected) {
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, f->axis[axis]);
    return units && !strcmp(units, expected);
}

/* The region in degrees may become another: see cli_page_plane. */
static int add_plane(page *f) {
    const orff_plane *plane = &f->applied.info.plane;
    const size_t *at = plane->inputs;
    json_t *object = NULL;
    f->degrees = has_units(f, 0, "degrees_east") && has_units(f, 1, "degrees_north");
    if (!f->applied.info.on_plane) return CLI_DONE;
    double low[2] = {f->low[at[0]], f->low[at[1]]}, high[2] = {f->high[at[0]], f->high[at[1]]};
    const int status = cli_page_plane(plane, low, high, f->box, &object);
    for (size_t k = 0; k < 2; k++) {
        f->low[at[k]] = low[k];
        f->high[at[k]] = high[k];
    }
    json_object_set_new(f->object, "plane", object);
    return status;
}

/* The shortest length scale of each input: how fine the page must look. */
static json_t *details(const page *f) {
    json_t *list = json_array();
    for (size_t i = 0; i < f->d; i++) {
        double least = INFINITY;
        for (size_t m = 0; m < f->applied.info.parts; m++) {
            orff_part part;
            if (!orff_model_part(f->applied.model, m, &part) && part.sigmas && part.sigmas[i] > 0.0)
                least = fmin(least, part.sigmas[i]);
        }
        json_array_append_new(list, isfinite(least) ? json_real(least) : json_null());
    }
    return list;
}

static void add_names(page *f) {
    const orff_model_info *info = &f->applied.info;
    const char *path = f->arguments->words[0], *slash = strrchr(path, '/');
    char *turn = cli_notes_derived_units(f->applied.notes, "curl");
    json_object_set_new(f->object, "title", cli_page_text(slash ? slash + 1 : path));
    json_object_set_new(f->object, "version", json_string(orff_version()));
    json_object_set_new(f->object, "kernel", cli_page_text(info->kernel));
    json_object_set_new(f->object, "engine", json_string(orff_engine_name(info->engine)));
    json_object_set_new(f->object, "rows", json_integer((json_int_t)info->rows));
    json_object_set_new(f->object, "inputs", columns(f, ORFF_SIDE_INPUT, f->d));
    json_object_set_new(f->object, "outputs", columns(f, ORFF_SIDE_OUTPUT, f->p));
    json_object_set_new(f->object, "axes",
                        json_pack("[I, I]", (json_int_t)f->axis[0], (json_int_t)f->axis[1]));
    json_object_set_new(f->object, "vector", json_boolean(f->vector));
    json_object_set_new(f->object, "degrees", json_boolean(f->degrees));
    json_object_set_new(f->object, "length", cli_page_text(orff_notes_length_units(f->applied.notes)));
    json_object_set_new(f->object, "slope_units", cli_page_text(turn));
    json_object_set_new(f->object, "details", details(f));
    free(turn);
}

/* Of maps in degrees, with room to look about: see view/src/backdrop.js. */
static int add_coast(page *f) {
    const orff_model_info *info = &f->applied.info;
    const bool given = cli_given(f->arguments, CLI_OPT_COAST);
    json_t *list = NULL;
    double box[4];
    if (!info->on_plane && !f->degrees)
        return given ? cli_wrong(f->arguments, CLI_OPT_COAST,
                                 "is for pages of models in degrees (--geo lonlat)")
                     : CLI_DONE;
    for (size_t k = 0; k < 2; k++) {
        const size_t at = info->on_plane ? info->plane.inputs[k] : f->axis[k];
        const double about = f->high[at] - f->low[at];
        box[2 * k] = f->low[at] - about;
        box[2 * k + 1] = f->high[at] + about;
    }
    const int status = cli_page_coast(given ? cli_text(f->arguments, CLI_OPT_COAST) : NULL, box, &list);
    json_object_set_new(f->object, "coast", list);
    return status;
}

/* ---- the command */

static int fill(page *f) {
    f->object = json_object();
    int status = add_plane(f);
    if (!status) add_names(f);
    if (!status) status = add_coast(f);
    if (!status) status = add_values(f);
    if (!status) status = add_errors(f);
    if (!status) status = add_samples(f);
    if (!status) status = add_probes(f);
    if (!status) status = add_points(f);
    json_object_set_new(f->object, "kind", json_string(f->kind ? f->kind : ""));
    return status;
}

static int finish(page *f) {
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
    page f = {.arguments = a};
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
