/* The values of a page: a sum, or a grid; with errors, samples, and places for the page's self-check. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lattice.h"
#include "mask.h"
#include "page.h"
#include "report.h"

#define ERROR_NODES  48  /* of the grid of error bars, along the longer side of the map ... */
#define ERROR_SLIDES 5   /* ... and nodes along each other input */
#define VALUE_NODES  140 /* the same for values, if they come from a grid too */
#define VALUE_SLIDES 9
#define MOST_NODES   40000
#define MARGIN       0.4 /* of the range, around the map, for looking beyond the data */
#define PROBES       24  /* places for the page's self-check */
/* Most rows in a page that predicts from the nearest: it is then about as large as its model. */
#define MOST_ROWS     250000
#define KEPT_OF_MEAN  1e-10 /* waves left out, relative to all */
#define KEPT_OF_DRAWS 1e-4

/* ---- grids */

static bool is_axis(const cli_view *f, size_t i) {
    return i == f->axis[0] || i == f->axis[1];
}

/* A grid over the map with its margin, and over the ranges of the other inputs. */
static void grid_make(const cli_view *f, size_t nodes, size_t slides, cli_lattice *grid) {
    const double wide = f->high[f->axis[0]] - f->low[f->axis[0]],
                 tall = f->high[f->axis[1]] - f->low[f->axis[1]];
    *grid = (cli_lattice){.d = f->d, .rows = 1};
    grid->count = cli_more(NULL, f->d, sizeof *grid->count);
    grid->low = cli_more(NULL, f->d, sizeof *grid->low);
    grid->high = cli_more(NULL, f->d, sizeof *grid->high);
    for (size_t i = 0; i < f->d; i++) {
        const double extent = f->high[i] - f->low[i], margin = is_axis(f, i) ? MARGIN * extent : 0.0;
        const bool stretched = !f->vector; /* axes with other units cannot be compared */
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

/* Halves slides and nodes until there are few enough, however many other inputs there are. */
static void grid_fit(const cli_view *f, size_t nodes, size_t slides, cli_lattice *grid) {
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

static int add_grid(cli_view *f, const char *name, const cli_lattice *grid, bool errors) {
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

/* Adds the prior, which error bars are relative to, and the part of it up to which the field is known. */
static void add_prior(cli_view *f) {
    double *prior = cli_more(NULL, f->p, sizeof *prior);
    if (cli_mask_prior(&f->applied, prior)) {
        json_t *list = json_array();
        for (size_t k = 0; k < f->p; k++) json_array_append_new(list, json_real(prior[k]));
        json_object_set_new(f->object, "prior", list);
        json_object_set_new(f->object, "little_known", json_real(CLI_LITTLE_KNOWN));
    }
    free(prior);
}

int cli_view_errors(cli_view *f) {
    cli_lattice grid;
    if (!f->applied.info.has_posterior) return CLI_DONE;
    add_prior(f);
    grid_fit(f, ERROR_NODES, ERROR_SLIDES, &grid);
    const int status = add_grid(f, "errors", &grid, true);
    cli_lattice_clear(&grid);
    return status;
}

/* ---- values */

static int add_values_on_grid(cli_view *f) {
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

int cli_view_values(cli_view *f) {
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

int cli_view_samples(cli_view *f) {
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

/* ---- places for the page's self-check */

/* Numbers between 0 and 1, spread evenly: multiples of irrational numbers. */
static double spread(size_t i, size_t k) {
    static const double steps[] = {0.7548776662466927, 0.5698402909980532, 0.8191725133961645,
                                   0.6710436067037893};
    const double at = 0.5 + (double)(i + 1) * steps[k % 4] * (1.0 + (double)(k / 4));
    return at - floor(at);
}

int cli_view_probes(cli_view *f) {
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
