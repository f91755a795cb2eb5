/* orff predict and orff sample: a model and points to a table of predictions, or of posterior samples. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "coast.h"
#include "commands.h"
#include "data.h"
#include "fit.h"
#include "formats/output.h"
#include "history.h"
#include "lattice.h"
#include "mask.h"
#include "report.h"
#include "result.h"
#include "written.h"

#define BLOCK        4096
#define MOST_SAMPLES 1000000
#define CELLS        ((size_t)1 << 21) /* of a block of samples */
#define MOST_DERIVED 8

/* The columns of the output, and where they come from. */
typedef struct job {
    const cli_arguments *arguments;
    cli_applied applied;
    cli_data data;       /* either these ... */
    cli_lattice lattice; /* ... or this, when it has rows */
    uint64_t next, last; /* row of the lattice, and behind those of this process */
    cli_coast coast;     /* nothing is predicted on its land */
    uint64_t on_land;
    const cli_derived *derived[MOST_DERIVED];
    size_t n_derived, width; /* width: columns in all ... */
    size_t places;           /* ... and those before the outputs */
    bool with_inputs, with_std;
    bool with_noise; /* standard deviations of measurements of the outputs too */
    bool sampling;   /* rows are those of samples: each point has one for each sample, one after the other */
    bool numbered;   /* a column says which sample a row is of ... */
    bool numbered_last;    /* ... behind the inputs, as the slowest dimension of a grid; else before them */
    size_t count;          /* of samples, for rows or for errors of derived fields; 0: none are needed */
    orff_samples *samples; /* or NULL */
    fmt_output_column *columns;
    char **names;              /* of columns, ours */
    char *units[MOST_DERIVED]; /* of derived fields, ours */
    const char **labels;
    size_t filled;
    uint64_t rows;
    orff_mask mask;
    bool masking;
    uint64_t masked;  /* points */
    uint64_t dropped; /* rows of the data */
} job;

const cli_predict_sharing *cli_predict_shared;

/* ---- columns */

static void add_column(job *j, fmt_output_column column, char *name) {
    j->columns = cli_more(j->columns, j->filled + 1, sizeof *j->columns);
    j->names = cli_more(j->names, j->filled + 1, sizeof *j->names);
    column.name = name;
    j->columns[j->filled] = column;
    j->names[j->filled++] = name;
}

static char *name_of(const job *j, orff_side side, size_t i) {
    const char *known = orff_notes_name(j->applied.notes, side, i);
    cli_string made = {0};
    if (known) return cli_copy_text(known);
    cli_append(&made, "%c%zu", side == ORFF_SIDE_INPUT ? 'x' : 'y', i + 1);
    return made.text;
}

static void add_number(job *j) {
    add_column(j,
               (fmt_output_column){.input = j->numbered_last, .units = "1", .standard_name = "realization"},
               cli_copy_text("member"));
}

static void add_inputs(job *j) {
    if (j->numbered && !j->numbered_last) add_number(j);
    for (size_t i = 0; j->with_inputs && i < j->applied.info.inputs; i++)
        add_column(j,
                   (fmt_output_column){.input = true,
                                       .units = orff_notes_units(j->applied.notes, ORFF_SIDE_INPUT, i),
                                       .standard_name =
                                           orff_notes_standard_name(j->applied.notes, ORFF_SIDE_INPUT, i)},
                   name_of(j, ORFF_SIDE_INPUT, i));
    if (j->numbered && j->numbered_last) add_number(j);
}

static void add_outputs(job *j) {
    const size_t classes = j->applied.info.classes;
    j->labels = cli_more(NULL, classes, sizeof *j->labels);
    for (size_t i = 0; i < classes; i++) j->labels[i] = orff_notes_label(j->applied.notes, i);
    const bool named = classes && orff_notes_labels(j->applied.notes) == classes;
    for (size_t i = 0; i < j->applied.info.outputs; i++)
        add_column(j,
                   (fmt_output_column){.units = orff_notes_units(j->applied.notes, ORFF_SIDE_OUTPUT, i),
                                       .standard_name =
                                           orff_notes_standard_name(j->applied.notes, ORFF_SIDE_OUTPUT, i),
                                       .n_labels = named ? classes : 0,
                                       .labels = j->labels},
                   name_of(j, ORFF_SIDE_OUTPUT, i));
}

/* Of `count` columns from `first` on. */
static void add_errors(job *j, size_t first, size_t count, bool noisy) {
    for (size_t i = first; i < first + count; i++) {
        cli_string name = {0};
        cli_append(&name, "%s_std%s", j->names[i], noisy ? "_with_noise" : "");
        add_column(
            j,
            (fmt_output_column){.units = j->columns[i].units, .error_of = j->names[i], .with_noise = noisy},
            name.text);
    }
}

/* Fields that are derived are not measured: they have no noise. */
static bool has_derived_errors(const job *j) {
    return j->with_std || j->with_noise;
}

/* What the conventions call a derived field of an eastward and a northward one. */
static const char *derived_standard_name(const job *j, const char *field) {
    static const char *const known[][3] = {
        {"eastward_wind", "divergence", "divergence_of_wind"},
        {"eastward_wind", "curl", "atmosphere_relative_vorticity"},
        {"eastward_sea_water_velocity", "curl", "ocean_relative_vorticity"}};
    const char *east = orff_notes_standard_name(j->applied.notes, ORFF_SIDE_OUTPUT, 0);
    for (size_t i = 0; east && j->applied.info.on_plane && i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i][0], east) && !strcmp(known[i][1], field)) return known[i][2];
    return NULL;
}

/* divergence; curl_1 .. curl_3; du_dx */
static void add_derived(job *j, size_t k) {
    const cli_derived *field = j->derived[k];
    const size_t d = j->applied.info.inputs, width = field->width(d, j->applied.p);
    j->units[k] = cli_notes_derived_units(j->applied.notes, field->name);
    for (size_t i = 0; i < width; i++) {
        cli_string name = {0};
        if (!strcmp(field->name, "jacobian")) {
            char *output = name_of(j, ORFF_SIDE_OUTPUT, i / d), *input = name_of(j, ORFF_SIDE_INPUT, i % d);
            cli_append(&name, "d%s_d%s", output, input);
            free(output);
            free(input);
        } else {
            cli_append(&name, width > 1 ? "%s_%zu" : "%s", field->name, i + 1);
        }
        const char *standard = width == 1 ? derived_standard_name(j, field->name) : NULL;
        add_column(j, (fmt_output_column){.units = j->units[k], .standard_name = standard}, name.text);
    }
    if (has_derived_errors(j)) add_errors(j, j->filled - width, width, false);
}

static int parse_derive(job *j) {
    const char *text = cli_text(j->arguments, CLI_OPT_DERIVE);
    for (; text; text = *text ? text + 1 : NULL) {
        char word[32];
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, text);
        const cli_derived *field = cli_derived_find(word);
        if (!field || j->n_derived == MOST_DERIVED)
            return cli_wrong(j->arguments, CLI_OPT_DERIVE, "\"%s\" is not known; choose from %s", word,
                             cli_own_options[CLI_OPT_DERIVE].argument);
        if (!field->width(j->applied.info.inputs, j->applied.p) || j->applied.info.classes)
            return cli_failed("--derive %s: does not exist for a model of %zu outputs%s", word,
                              j->applied.info.outputs, j->applied.info.classes ? " (classes)" : "");
        j->derived[j->n_derived++] = field;
        text += length;
    }
    return CLI_DONE;
}

static int plan_columns(job *j) {
    const char *path = cli_text(j->arguments, CLI_OPT_OUTPUT), *end = strrchr(path, '.');
    const bool array = end && !strcmp(end, ".npy");
    j->numbered = j->sampling && !array;
    j->numbered_last = end && !strcmp(end, ".nc");
    int status = parse_derive(j);
    if (status) return status;
    j->with_inputs = !array && !cli_given(j->arguments, CLI_OPT_BARE) &&
                     (j->lattice.rows || orff_notes_named(j->applied.notes));
    j->with_std = cli_given(j->arguments, CLI_OPT_STD);
    j->with_noise = cli_given(j->arguments, CLI_OPT_STD_WITH_NOISE);
    if (has_derived_errors(j) && j->applied.info.classes)
        return cli_failed("--%s: classes have no standard deviation",
                          cli_option_at(j->with_std ? CLI_OPT_STD : CLI_OPT_STD_WITH_NOISE)->name);
    if (j->sampling && j->applied.info.classes) return cli_failed("classes have no samples");
    if (j->masking && j->applied.info.classes) return cli_failed("--mask: classes have no missing value");
    add_inputs(j);
    j->places = j->filled;
    add_outputs(j);
    const size_t first = j->filled - j->applied.info.outputs;
    if (j->with_std) add_errors(j, first, j->applied.info.outputs, false);
    if (j->with_noise) add_errors(j, first, j->applied.info.outputs, true);
    for (size_t i = 0; i < j->n_derived; i++) add_derived(j, i);
    j->width = j->filled;
    return CLI_DONE;
}

/* ---- samples */

static bool needs_samples(const job *j) {
    for (size_t i = 0; has_derived_errors(j) && i < j->n_derived; i++)
        if (!orff_model_has_field_std(j->applied.model, j->derived[i]->field)) return true;
    return j->sampling;
}

static int draw_samples(job *j) {
    uint64_t seed = 0;
    int status = cli_size(j->arguments, CLI_OPT_SAMPLES, 1, MOST_SAMPLES, &j->count);
    if (!status) status = cli_whole(j->arguments, CLI_OPT_SEED, 0, UINT64_MAX, &seed);
    if (status) return status;
    if (!needs_samples(j)) {
        j->count = 0;
        if (cli_given(j->arguments, CLI_OPT_SAMPLES) && !has_derived_errors(j))
            cli_say(
                "--samples is for standard deviations of derived fields (--derive with --std); orff sample "
                "writes samples of the field");
        return CLI_DONE;
    }
    const size_t kept = orff_model_describe(j->applied.model).kept_samples;
    if (!j->sampling && kept && kept < j->count) j->count = kept; /* all there are */
    status = cli_outcome(orff_samples_draw(&j->samples, j->applied.model, j->count, seed), NULL);
    if (!status && !j->sampling)
        cli_say("standard deviations of derived fields are estimated from %zu samples, to about %.2g %%",
                j->count, 100.0 / sqrt(2.0 * (double)j->count));
    return status;
}

/* ---- rows */

/* Points at a time: fewer where there are many samples. */
static size_t block_size(const job *j) {
    const size_t fit = j->sampling ? CELLS / (j->count * j->width) + 1 : BLOCK;
    return fit < BLOCK ? fit : BLOCK;
}

static int next_block(job *j, double *X, size_t *n) {
    const size_t block = block_size(j);
    if (!j->lattice.rows) return cli_data_read(&j->data, block, X, NULL, n);
    if (cli_interrupted()) return cli_failed("interrupted");
    *n = j->last - j->next < block ? (size_t)(j->last - j->next) : block;
    cli_lattice_fill(&j->lattice, j->next, *n, X);
    j->next += *n;
    return CLI_DONE;
}

/* Puts an n x count block at column `at` of the rows. */
static void put(const job *j, size_t n, size_t at, size_t count, const double *values, double *rows) {
    for (size_t i = 0; i < n; i++) memcpy(rows + i * j->width + at, values + i * count, count * sizeof *rows);
}

static int classify(const job *j, size_t n, const double *X, double *values) {
    size_t *labels = cli_more(NULL, n, sizeof *labels);
    const int status = cli_outcome(orff_model_classify(j->applied.model, n, X, labels), NULL);
    for (size_t i = 0; !status && i < n; i++) values[i] = (double)labels[i];
    free(labels);
    return status;
}

/* A field of all samples into column `at` of the rows; values: count x n x width. */
static int put_samples(const job *j, orff_field field, size_t width, size_t n, const double *X, size_t at,
                       double *values, double *rows) {
    const int status = cli_outcome(orff_samples_field(j->samples, field, n, X, values), NULL);
    for (size_t s = 0; !status && s < j->count; s++)
        for (size_t i = 0; i < n; i++)
            memcpy(rows + (i * j->count + s) * j->width + at, values + (s * n + i) * width,
                   width * sizeof *rows);
    return status;
}

/* The number of the sample and the inputs of each row; returns the column behind them. */
static size_t put_places(const job *j, size_t n, const double *X, double *rows) {
    const size_t d = j->with_inputs ? j->applied.info.inputs : 0;
    const size_t number = j->numbered_last ? d : 0, first = j->numbered && !j->numbered_last;
    for (size_t i = 0; i < n * j->count; i++) {
        double *row = rows + i * j->width;
        if (d) memcpy(row + first, X + i / j->count * d, d * sizeof *row);
        if (j->numbered) row[number] = (double)(i % j->count + 1);
    }
    return d + j->numbered;
}

static int compute_samples(const job *j, size_t n, const double *X, double *values, double *rows) {
    const cli_applied *ap = &j->applied;
    size_t at = put_places(j, n, X, rows);
    int status = put_samples(j, ORFF_FIELD_VALUES, ap->p, n, X, at, values, rows);
    at += ap->p;
    for (size_t i = 0; !status && i < j->n_derived; i++) {
        const size_t width = j->derived[i]->width(ap->info.inputs, ap->p);
        status = put_samples(j, j->derived[i]->field, width, n, X, at, values, rows);
        at += width;
    }
    return status;
}

/* Errors of a derived field: in closed form, or by samples. */
static int derived_std(const job *j, const cli_derived *derived, size_t n, const double *X, double *values) {
    const orff_model *model = j->applied.model;
    return cli_outcome(orff_model_has_field_std(model, derived->field)
                           ? orff_model_field_std(model, derived->field, n, X, values)
                           : orff_samples_std(j->samples, derived->field, n, X, values),
                       derived->name);
}

static int compute(const job *j, size_t n, const double *X, double *values, double *rows) {
    const cli_applied *ap = &j->applied;
    const size_t d = ap->info.inputs;
    size_t at = 0;
    if (j->with_inputs) put(j, n, 0, d, X, rows);
    if (j->with_inputs) at = d;
    int status = ap->info.classes ? classify(j, n, X, values) : cli_applied_predict(ap, n, X, values);
    if (!status) put(j, n, at, ap->info.outputs, values, rows);
    at += ap->info.outputs;
    for (int noisy = 0; !status && noisy < 2; noisy++) {
        if (!(noisy ? j->with_noise : j->with_std)) continue;
        status = cli_applied_std(ap, noisy, n, X, values);
        if (!status) put(j, n, at, ap->p, values, rows);
        at += ap->p;
    }
    for (size_t i = 0; !status && i < j->n_derived; i++) {
        const size_t width = j->derived[i]->width(d, ap->p);
        status = cli_applied_derive(ap, j->derived[i], n, X, values);
        if (!status) put(j, n, at, width, values, rows);
        at += width;
        if (!status && has_derived_errors(j)) {
            status = derived_std(j, j->derived[i], n, X, values);
            if (!status) put(j, n, at, width, values, rows);
            at += width;
        }
    }
    return status;
}

/* Points where the model is not to be believed keep their place and lose all else. */
static int mask_block(job *j, size_t n, const double *X, size_t each, double *rows) {
    bool *masked = cli_more(NULL, n, sizeof *masked);
    const int status = cli_mask_points(&j->applied, &j->mask, n, X, masked);
    for (size_t i = 0; !status && i < n; i++) {
        if (!masked[i]) continue;
        j->masked++;
        for (size_t k = 0; k < each * j->width; k++)
            if (k % j->width >= j->places) rows[i * each * j->width + k] = NAN;
    }
    free(masked);
    return status;
}

static int put_rows(void *output, size_t n, const double *rows) {
    return fmt_output_write(output, n, rows) ? cli_failed("%s", fmt_output_error(output)) : CLI_DONE;
}

static int write_block(const job *j, fmt_output *output, size_t n, const double *rows) {
    return cli_predict_shared ? cli_predict_shared->write(n, j->width, rows) : put_rows(output, n, rows);
}

/* Rows of points on land have no values. */
static int mask_land(job *j, size_t n, size_t each, const double *X, double *rows) {
    const size_t first = (j->with_inputs ? j->applied.info.inputs : 0) + j->numbered;
    bool *land = cli_more(NULL, n, sizeof *land);
    const int status = cli_coast_land(&j->coast, j->applied.info.inputs, n, X, land);
    for (size_t i = 0; !status && i < n * each; i++)
        for (size_t k = first; land[i / each] && k < j->width; k++) rows[i * j->width + k] = (double)NAN;
    for (size_t i = 0; !status && i < n; i++) j->on_land += land[i];
    free(land);
    return status;
}

static int run_blocks(job *j, fmt_output *output) {
    const size_t block = block_size(j), each = j->sampling ? j->count : 1;
    double *X = cli_more(NULL, block * j->applied.info.inputs, sizeof *X);
    double *values = cli_more(NULL, block * each * (j->width + j->applied.p), sizeof *values);
    double *rows = cli_more(NULL, block * each * j->width, sizeof *rows);
    size_t n = 1;
    int status = CLI_DONE;
    while (n && !status) {
        status = next_block(j, X, &n);
        if (!status && n) status = (j->sampling ? compute_samples : compute)(j, n, X, values, rows);
        if (!status && n && j->coast.given) status = mask_land(j, n, each, X, rows);
        if (!status && n && j->masking) status = mask_block(j, n, X, each, rows);
        if (!status && n) status = write_block(j, output, n * each, rows);
        j->rows += n;
    }
    free(X);
    free(values);
    free(rows);
    return status;
}

static uint64_t dropped(const job *j) {
    return j->dropped;
}

static char *result_json(const job *j, double seconds) {
    json_t *columns = json_array();
    for (size_t i = 0; i < j->width; i++) json_array_append_new(columns, json_string(j->names[i]));
    json_t *all = json_pack("{s:I, s:I, s:o, s:f, s:o}", "n", (json_int_t)j->rows, "dropped",
                            (json_int_t)dropped(j), "columns", columns, "seconds", seconds, "output",
                            cli_text_or_shown(cli_text(j->arguments, CLI_OPT_OUTPUT)));
    if (j->coast.given) json_object_set_new(all, "on_land", json_integer((json_int_t)j->on_land));
    if (j->count) json_object_set_new(all, "samples", json_integer((json_int_t)j->count));
    if (j->masking) json_object_set_new(all, "masked", json_integer((json_int_t)j->masked));
    return cli_json_text(all);
}

/* Without an output the file is one that all processes have written to, or that of another process. */
static int finish_file(const job *j, fmt_output *output) {
    if (cli_predict_shared && cli_predict_shared->in_place(cli_text(j->arguments, CLI_OPT_OUTPUT)))
        return cli_predict_shared->finish(CLI_DONE);
    const int status =
        output && fmt_output_finish(output) ? cli_failed("%s", fmt_output_error(output)) : CLI_DONE;
    return cli_predict_shared ? cli_predict_shared->agree(status) : status;
}

/* The text for the user is made before the file is renamed into place: see cli_json_text. */
static int finish(const job *j, fmt_output *output, double start) {
    const double seconds = cli_seconds() - start;
    char *text = cli_wants_json() ? result_json(j, seconds) : NULL;
    const int status = finish_file(j, output);
    if (status) {
        free(text);
        return status;
    }
    if (j->coast.given)
        cli_say("%" PRIu64 " of %" PRIu64 " points are on land and have no values", j->on_land, j->rows);
    if (j->sampling)
        cli_say("%zu samples at %" PRIu64 " points, %" PRIu64 " dropped, %.2f s: %s", j->count, j->rows,
                dropped(j), seconds, cli_text(j->arguments, CLI_OPT_OUTPUT));
    else
        cli_say("%" PRIu64 " rows predicted, %" PRIu64 " dropped, %.2f s: %s", j->rows, dropped(j), seconds,
                cli_text(j->arguments, CLI_OPT_OUTPUT));
    if (j->masking) cli_say("%" PRIu64 " of %" PRIu64 " points are masked", j->masked, j->rows);
    return cli_wants_json() ? cli_print_text(text) : CLI_DONE;
}

/* The Earth as the model has it: WGS 84 for a coordinate system, the sphere of the local plane. */
static const fmt_output_earth *earth_of(const job *j) {
    static const fmt_output_earth sphere = {6371008.8, 0.0}, wgs84 = {6378137.0, 298.257223563};
    if (!j->applied.info.on_plane) return NULL;
    return *j->applied.info.plane.crs ? &wgs84 : &sphere;
}

/* Where a model in degrees was learned. */
static char *comment_of(const job *j) {
    const orff_plane *plane = &j->applied.info.plane;
    cli_string text = {0};
    if (!j->applied.info.on_plane) return NULL;
    if (*plane->crs)
        cli_append(&text, "learned on the plane of %s", plane->crs);
    else
        cli_append(&text, "learned on an azimuthal equidistant plane at %.4f E %.4f N", plane->lon,
                   plane->lat);
    return text.text;
}

/* The same of all processes that share the rows. */
static void add_counts(job *j) {
    uint64_t *const counts[] = {&j->rows, &j->dropped, &j->masked, &j->on_land};
    for (size_t i = 0; cli_predict_shared && i < 4; i++) *counts[i] = cli_predict_shared->sum(*counts[i]);
}

/* Each process its rows, into their place of one file. */
static int write_in_place(job *j, double start) {
    uint64_t rows = 0;
    int status = CLI_DONE;
    if (j->lattice.rows) {
        cli_predict_shared->divide(j->lattice.rows, &j->next, &j->last);
        rows = j->last - j->next;
    } else {
        status = cli_predict_shared->count(&j->data, &rows);
    }
    if (!status) status = cli_predict_shared->open(cli_text(j->arguments, CLI_OPT_OUTPUT), rows, j->width);
    if (status) return status;
    status = run_blocks(j, NULL);
    j->dropped = cli_data_dropped(&j->data);
    if (!status) status = cli_predict_shared->agree(CLI_DONE);
    if (status) return cli_predict_shared->finish(status);
    add_counts(j);
    return finish(j, NULL, start);
}

/* All processes a part of the rows, and again. */
static int run_turns(job *j, fmt_output *output) {
    int status = CLI_DONE;
    while (!status && cli_predict_shared->turn(&j->data, j->lattice.rows, &j->next, &j->last)) {
        status = run_blocks(j, NULL);
        j->dropped += cli_data_dropped(&j->data);
        status = cli_predict_shared->gather(status, put_rows, output, j->width);
    }
    if (!status) add_counts(j);
    return status;
}

static int run_alone(job *j, fmt_output *output) {
    const int status = run_blocks(j, output);
    j->dropped = cli_data_dropped(&j->data);
    return status;
}

static int write_all(job *j, double start) {
    fmt_output *output = NULL;
    char *history = cli_history(j->arguments), *comment = comment_of(j);
    const fmt_output_options options = {.n_columns = j->width,
                                        .columns = j->columns,
                                        .shortest = true,
                                        .history = history,
                                        .comment = comment,
                                        .earth = earth_of(j)};
    const bool writes = !cli_predict_shared || cli_predict_shared->first();
    int status = CLI_DONE;
    if (writes && fmt_output_open(&output, cli_text(j->arguments, CLI_OPT_OUTPUT), &options))
        status = cli_failed("%s", fmt_output_error(output));
    if (cli_predict_shared) status = cli_predict_shared->agree(status);
    if (!status) status = (cli_predict_shared ? run_turns : run_alone)(j, output);
    if (!status) status = finish(j, output, start);
    fmt_output_close(output);
    free(history);
    free(comment);
    return status;
}

static int write_rows(job *j, double start) {
    const char *path = cli_text(j->arguments, CLI_OPT_OUTPUT);
    return cli_predict_shared && cli_predict_shared->in_place(path) ? write_in_place(j, start)
                                                                    : write_all(j, start);
}

/* ---- */

static int open_points(job *j) {
    const cli_arguments *a = j->arguments;
    if (cli_given(a, CLI_OPT_ON_GRID) == (a->n_words > 1))
        return cli_wrong_usage(
            a->command, "%s", a->n_words > 1 ? "give --grid or DATA, not both" : "DATA or --grid is missing");
    if (cli_given(a, CLI_OPT_ON_GRID))
        return cli_lattice_parse(&j->lattice, a, j->applied.notes, j->applied.info.inputs);
    return cli_data_apply(&j->data, a, 1, j->applied.notes, j->applied.info.inputs, j->applied.info.outputs,
                          false);
}

static void clear(job *j) {
    for (size_t i = 0; i < j->filled; i++) free(j->names[i]);
    for (size_t i = 0; i < j->n_derived; i++) free(j->units[i]);
    free(j->names);
    free(j->columns);
    free(j->labels);
    orff_samples_free(j->samples);
    cli_coast_clear(&j->coast);
    cli_lattice_clear(&j->lattice);
    cli_data_close(&j->data);
    cli_applied_clear(&j->applied);
}

int cli_predict(const cli_arguments *a, bool samples) {
    const double start = cli_seconds();
    job j = {.arguments = a, .sampling = samples};
    int status = cli_need_table_output(a, "predictions");
    if (status) return status;
    status = cli_applied_load(&j.applied, a->words[0]);
    if (!status && j.applied.info.classes && cli_given(a, CLI_OPT_COAST))
        status = cli_wrong(a, CLI_OPT_COAST, "classes cannot be left out on land");
    if (!status) status = cli_coast_open(&j.coast, a, &j.applied);
    if (!status) status = cli_mask_parse(a, &j.applied, &j.mask, &j.masking);
    if (!status) status = open_points(&j);
    if (!status) status = plan_columns(&j);
    if (!status) status = draw_samples(&j);
    if (!status && j.lattice.rows)
        status = cli_lattice_check(&j.lattice, a, j.sampling ? j.width * j.count : j.width);
    j.last = j.lattice.rows;
    if (cli_predict_shared) status = cli_predict_shared->agree(status);
    if (!status) status = write_rows(&j, start);
    clear(&j);
    return status;
}

static int run(const cli_arguments *a) {
    return cli_predict(a, false);
}

const cli_command cli_command_predict = {
    .name = "predict",
    .summary = "predict at the points of a table or on a grid",
    .usage = "MODEL DATA|--grid X=LO:HI:COUNT,.. -o OUT",
    .text = "Evaluates a model at the rows of DATA or on a grid. The inputs are the columns of DATA with the "
            "names that the model was learned with. OUT is .csv or .tsv (also .gz), .npy (predictions only), "
            ".nc (a CF grid if the points form one), or - for CSV on standard output.",
    .example = "  orff predict wind.orff points.csv --std -o predicted.csv\n"
               "  orff predict wind.orff --grid x=0:1:50,y=0:1:50 --derive curl -o field.nc\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(predict),
    .run = run,
};
