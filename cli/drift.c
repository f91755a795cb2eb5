/* orff drift: particles moving with a field and its samples. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "commands.h"
#include "data.h"
#include "mask.h"
#include "report.h"
#include "result.h"
#include "written.h"

#define MOST_MEMBERS 100000
#define MOST_TIMES   1000000
#define TIMES        48
#define BLOCK        4096
enum { OWN = 3, MOST_COLUMNS = 40 }; /* columns before the inputs: time, particle, member */

typedef struct job {
    const cli_arguments *arguments;
    cli_applied applied;
    orff_drift drift;
    bool hours; /* times are in hours */
    size_t n, d, p;
    double *X; /* n x d */
    size_t count;
    double *times;
    size_t members;   /* samples */
    double *tracks;   /* (1 + members) x count x n x d: with the prediction, then with the samples */
    double *distance; /* count x n for the prediction, or NULL */
    double *mean, *covariance;
    size_t *left;
    size_t ended, far;
    double scale;

    size_t width;
    fmt_output_column columns[MOST_COLUMNS];
    char *names[MOST_COLUMNS];
} job;

static size_t total(const job *j) {
    return j->count * j->n;
}

/* ---- places and times */

/* The notes without the input that --start sets. */
static int notes_without(const job *j, orff_notes **notes) {
    int status = cli_outcome(orff_notes_create(notes, j->d - 1, j->p), NULL);
    for (size_t i = 0, k = 0; !status && i < j->d; i++) {
        if (i == j->drift.clock) continue;
        const char *name = orff_notes_name(j->applied.notes, ORFF_SIDE_INPUT, i);
        const char *units = orff_notes_units(j->applied.notes, ORFF_SIDE_INPUT, i);
        if (name) status = cli_outcome(orff_notes_set_name(*notes, ORFF_SIDE_INPUT, k, name), NULL);
        if (!status && units)
            status = cli_outcome(orff_notes_set_units(*notes, ORFF_SIDE_INPUT, k, units), NULL);
        k++;
    }
    return status;
}

/* Copies rows that may lack the input of --start (wide numbers each) to rows of d numbers. */
static void place_rows(job *j, size_t first, size_t rows, size_t wide, const double *from, double start) {
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0, at = 0; k < j->d; k++) {
            const bool given = wide < j->d && k == j->drift.clock;
            j->X[(first + i) * j->d + k] = given ? start : from[i * wide + at];
            at += !given;
        }
}

static int read_table(job *j, cli_data *data, double start) {
    double *block = cli_more(NULL, BLOCK * j->d, sizeof *block);
    size_t rows = 1;
    int status = CLI_DONE;
    while (!status && rows) {
        status = cli_data_read(data, BLOCK, block, NULL, &rows);
        if (status || !rows) break;
        j->X = cli_more(j->X, (j->n + rows) * j->d, sizeof *j->X);
        place_rows(j, j->n, rows, data->d, block, start);
        j->n += rows;
    }
    free(block);
    if (!status && !j->n) status = cli_failed("%s: there are no points", fmt_table_path(data->table));
    return status;
}

static int read_points(job *j) {
    const char *words[1] = {cli_text(j->arguments, CLI_OPT_FROM)};
    const bool held = cli_given(j->arguments, CLI_OPT_START);
    cli_arguments a = *j->arguments;
    cli_data data = {0};
    orff_notes *notes = NULL;
    double start = 0.0;
    if (!words[0]) return cli_wrong_usage(a.command, "--from is missing: where do the particles start?");
    if (held && !j->drift.has_clock)
        return cli_wrong(&a, CLI_OPT_START, "the model has no input that is time");
    int status = held ? cli_number(&a, CLI_OPT_START, -1e300, 1e300, &start) : CLI_DONE;
    if (!status && held) status = notes_without(j, &notes);
    a.words = words;
    a.n_words = 1;
    if (!status)
        status = cli_data_apply(&data, &a, 0, held ? notes : j->applied.notes, j->d - held, 0, false);
    if (!status) status = read_table(j, &data, start);
    cli_data_close(&data);
    orff_notes_free(notes);
    return status;
}

static int fill_times(job *j) {
    const cli_option_id option = j->hours ? CLI_OPT_HOURS : CLI_OPT_TIME;
    double end = 0.0, every = 0.0;
    int status = cli_number(j->arguments, option, -1e9, 1e9, &end);
    if (!status && end == 0.0) status = cli_wrong(j->arguments, option, "must not be 0");
    if (!status && cli_given(j->arguments, CLI_OPT_EVERY))
        status = cli_number(j->arguments, CLI_OPT_EVERY, 1e-9, 1e9, &every);
    if (status) return status;
    if (every == 0.0) every = fabs(end) / TIMES;
    const double steps = ceil(fabs(end) / every * (1.0 - 1e-9));
    if (steps > MOST_TIMES)
        return cli_wrong(j->arguments, CLI_OPT_EVERY, "%g is too short: there would be %.3g times", every,
                         steps);
    j->count = (size_t)steps + 1;
    j->times = cli_more(NULL, j->count, sizeof *j->times);
    for (size_t i = 0; i < j->count; i++) j->times[i] = copysign(fmin((double)i * every, fabs(end)), end);
    return CLI_DONE;
}

/* ---- settings */

static int fill_drift(job *j) {
    const cli_arguments *a = j->arguments;
    bool masked;
    if (cli_given(a, CLI_OPT_HOURS) == cli_given(a, CLI_OPT_TIME))
        return cli_wrong_usage(a->command, cli_given(a, CLI_OPT_HOURS)
                                               ? "give --hours or --time, not both"
                                               : "--hours or --time is missing: how long do the particles "
                                                 "drift?");
    j->hours = cli_given(a, CLI_OPT_HOURS);
    const orff_status found = orff_model_drift_default(j->applied.model, j->hours, &j->drift);
    if (found == ORFF_ERROR_UNSUPPORTED && j->hours && j->p <= 3 && !j->applied.info.classes)
        return cli_failed("--hours: %s (--time T)", orff_error_message());
    int status = cli_outcome(found, NULL);
    orff_mask mask = orff_mask_default();
    if (!status) status = cli_mask_parse(a, &j->applied, &mask, &masked);
    j->drift.mask = mask;
    if (!status && strcmp(cli_text(a, CLI_OPT_STEP), "auto") != 0)
        status = cli_number(a, CLI_OPT_STEP, 1e-12, 1e9, &j->drift.step);
    if (!status && *j->drift.assumed) cli_say("%s", j->drift.assumed);
    return status;
}

/* ---- drifting */

static int run_members(job *j) {
    uint64_t seed = 0;
    orff_samples *samples = NULL;
    int status = cli_whole(j->arguments, CLI_OPT_SEED, 0, UINT64_MAX, &seed);
    if (!status)
        status = cli_outcome(orff_samples_draw(&samples, j->applied.model, j->members, seed), "--samples");
    if (!status)
        status = cli_outcome(orff_model_drift(j->applied.model, samples, &j->drift, j->n, j->X, j->count,
                                              j->times, j->tracks + total(j) * j->d),
                             NULL);
    orff_samples_free(samples);
    if (status) return status;
    j->mean = cli_more(NULL, total(j) * j->d, sizeof *j->mean);
    j->covariance = cli_more(NULL, total(j) * j->p * j->p, sizeof *j->covariance);
    j->left = cli_more(NULL, total(j), sizeof *j->left);
    return cli_outcome(orff_drift_spread(j->applied.model, &j->drift, j->members, total(j),
                                         j->tracks + total(j) * j->d, j->mean, j->covariance, j->left),
                       NULL);
}

/* The shortest length scale: farther than that from all rows, a field is a guess. */
static double shortest_scale(const job *j) {
    double least = INFINITY;
    for (size_t m = 0; m < j->applied.info.parts; m++) {
        orff_part part;
        if (orff_model_part(j->applied.model, m, &part) || !part.sigmas) continue;
        for (size_t k = 0; k < j->p; k++)
            if (part.sigmas[j->drift.space[k]] > 0.0) least = fmin(least, part.sigmas[j->drift.space[k]]);
    }
    return least;
}

/* Distances along the paths of the prediction; NaN where a particle has ended. */
static int fill_distances(job *j) {
    if (!j->applied.info.places) return CLI_DONE;
    double *at = cli_more(NULL, total(j) * j->d, sizeof *at);
    j->distance = cli_more(NULL, total(j), sizeof *j->distance);
    for (size_t i = 0; i < total(j); i++)
        memcpy(at + i * j->d, isnan(j->tracks[i * j->d]) ? j->X + i % j->n * j->d : j->tracks + i * j->d,
               j->d * sizeof *at);
    const int status = cli_outcome(orff_model_distance(j->applied.model, total(j), at, j->distance), NULL);
    for (size_t i = 0; i < total(j); i++)
        if (isnan(j->tracks[i * j->d])) j->distance[i] = NAN;
    free(at);
    return status;
}

static void count_lost(job *j) {
    j->scale = shortest_scale(j);
    for (size_t i = 0; i < j->n; i++) {
        bool far = false;
        for (size_t t = 0; j->distance && t < j->count; t++)
            far = far || j->distance[t * j->n + i] > j->scale;
        j->far += far;
        if (isnan(j->tracks[((j->count - 1) * j->n + i) * j->d])) j->ended++;
    }
}

static int drift(job *j) {
    const double numbers = (double)(1 + j->members) * (double)j->count * (double)j->n * (double)j->d;
    if (numbers > (double)(SIZE_MAX / 64))
        return cli_failed("there are too many particles, samples and times");
    j->tracks = cli_more(NULL, (1 + j->members) * total(j) * j->d, sizeof *j->tracks);
    int status = cli_outcome(
        orff_model_drift(j->applied.model, NULL, &j->drift, j->n, j->X, j->count, j->times, j->tracks), NULL);
    if (!status && j->members) status = run_members(j);
    if (!status) status = fill_distances(j);
    if (!status) count_lost(j);
    return status;
}

/* ---- columns */

static void add_column(job *j, char *name, fmt_output_column column) {
    column.name = j->names[j->width] = name;
    j->columns[j->width++] = column;
}

static char *input_name(const job *j, size_t i, const char *behind) {
    const char *known = orff_notes_name(j->applied.notes, ORFF_SIDE_INPUT, i);
    cli_string made = {0};
    if (known)
        cli_append(&made, "%s%s", known, behind);
    else
        cli_append(&made, "x%zu%s", i + 1, behind);
    return made.text;
}

static const char *units_of(const job *j, size_t i) {
    return orff_notes_units(j->applied.notes, ORFF_SIDE_INPUT, i);
}

/* Columns of the members' mean places and their ellipse or, except for two outputs, a standard deviation
 * for each axis. */
static void add_spread(job *j, const char *length) {
    for (size_t k = 0; k < j->p; k++)
        add_column(j, input_name(j, j->drift.space[k], "_mean"),
                   (fmt_output_column){.units = units_of(j, j->drift.space[k])});
    if (j->p == 2) {
        add_column(j, cli_copy_text("std_major"), (fmt_output_column){.units = length});
        add_column(j, cli_copy_text("std_minor"), (fmt_output_column){.units = length});
        add_column(j, cli_copy_text("std_angle"), (fmt_output_column){.units = "degree"});
    }
    for (size_t k = 0; j->p != 2 && k < j->p; k++)
        add_column(j, input_name(j, j->drift.space[k], "_std"), (fmt_output_column){.units = length});
    add_column(j, cli_copy_text("left"), (fmt_output_column){.units = "1"});
}

static int plan_columns(job *j) {
    const char *length = orff_notes_length_units(j->applied.notes);
    if (!*length) length = NULL;
    if (j->d + OWN + 2 + 2 * j->p + 4 > MOST_COLUMNS)
        return cli_failed("the model has too many inputs to drift along");
    add_column(j, cli_copy_text(j->hours ? "hours" : "elapsed"),
               (fmt_output_column){.input = true, .units = j->hours ? "hours" : NULL});
    add_column(j, cli_copy_text("particle"), (fmt_output_column){.input = true, .units = "1"});
    add_column(j, cli_copy_text("member"),
               (fmt_output_column){.input = true, .units = "1", .standard_name = "realization"});
    for (size_t i = 0; i < j->d; i++)
        add_column(j, input_name(j, i, ""), (fmt_output_column){.units = units_of(j, i)});
    if (j->distance) add_column(j, cli_copy_text("distance"), (fmt_output_column){.units = length});
    if (j->members) add_spread(j, length);
    return CLI_DONE;
}

/* ---- rows */

/* Roots of the eigenvalues of a 2 x 2 covariance, and the angle of the larger from the first axis towards
 * the second. */
static void ellipse(const double *C, double *out) {
    const double middle = 0.5 * (C[0] + C[3]), half = hypot(0.5 * (C[0] - C[3]), C[1]);
    out[0] = sqrt(middle + half);
    out[1] = sqrt(fmax(middle - half, 0.0));
    out[2] = 0.5 * atan2(2.0 * C[1], C[0] - C[3]) * 57.29577951308232;
}

static void put_spread(const job *j, size_t at, double *cells) {
    const double *C = j->covariance + at * j->p * j->p;
    for (size_t k = 0; k < j->p; k++) *cells++ = j->mean[at * j->d + j->drift.space[k]];
    if (j->p == 2) ellipse(C, cells);
    for (size_t k = 0; j->p != 2 && k < j->p; k++) cells[k] = sqrt(C[k * j->p + k]);
    cells[j->p == 2 ? 3 : j->p] = (double)j->left[at];
}

/* Spread and distance are in the rows of member 0; other rows have none. */
static void put_row(const job *j, size_t member, size_t i, size_t t, double *row) {
    const size_t at = t * j->n + i;
    row[0] = j->times[t];
    row[1] = (double)(i + 1);
    row[2] = (double)member;
    memcpy(row + OWN, j->tracks + (member * total(j) + at) * j->d, j->d * sizeof *row);
    size_t next = OWN + j->d;
    for (size_t k = next; k < j->width; k++) row[k] = NAN;
    if (member) return;
    if (j->distance) row[next++] = j->distance[at];
    if (j->members) put_spread(j, at, row + next);
}

static int write_rows(const void *self, fmt_output *output) {
    const job *j = self;
    double *rows = cli_more(NULL, j->count * j->width, sizeof *rows);
    int status = CLI_DONE;
    for (size_t a = 0; !status && a < (1 + j->members) * j->n; a++) {
        for (size_t t = 0; t < j->count; t++) put_row(j, a / j->n, a % j->n, t, rows + t * j->width);
        if (fmt_output_write(output, j->count, rows)) status = cli_failed("%s", fmt_output_error(output));
    }
    free(rows);
    return status;
}

/* ---- messages */

static char *result_json(const void *self, double seconds) {
    const job *j = self;
    json_t *columns = json_array();
    for (size_t i = 0; i < j->width; i++) json_array_append_new(columns, json_string(j->names[i]));
    json_t *all = json_pack("{s:I, s:I, s:I, s:f, s:s, s:I, s:o, s:f, s:o}", "n", (json_int_t)j->n, "samples",
                            (json_int_t)j->members, "times", (json_int_t)j->count, "end",
                            j->times[j->count - 1], "unit", j->hours ? "hours" : "inputs/outputs", "ended",
                            (json_int_t)j->ended, "columns", columns, "seconds", seconds, "output",
                            cli_text_or_shown(cli_text(j->arguments, CLI_OPT_OUTPUT)));
    if (j->distance) json_object_set_new(all, "far", json_integer((json_int_t)j->far));
    if (*j->drift.assumed) json_object_set_new(all, "assumed", json_string(j->drift.assumed));
    return cli_json_text(all);
}

static void say(const void *self, double seconds) {
    const job *j = self;
    const char *length = orff_notes_length_units(j->applied.notes);
    cli_say("%zu particle%s, %zu samples, %g%s in %zu times, %.2f s: %s", j->n, j->n == 1 ? "" : "s",
            j->members, j->times[j->count - 1], j->hours ? " hours" : "", j->count, seconds,
            cli_text(j->arguments, CLI_OPT_OUTPUT));
    if (j->ended)
        cli_say("%zu of them end%s early, where the field is masked or the model does not reach", j->ended,
                j->ended == 1 ? "s" : "");
    if (j->far)
        cli_say("%zu of them go%s farther from all data than one length scale, %.3g%s%s, where the field is "
                "a guess: see the column distance. --mask distance=R ends them there",
                j->far, j->far == 1 ? "es" : "", j->scale, *length ? " " : "", length);
}

static const cli_written written = {.rows = write_rows, .json = result_json, .say = say};

static void clear(job *j) {
    for (size_t i = 0; i < j->width; i++) free(j->names[i]);
    free(j->X);
    free(j->times);
    free(j->tracks);
    free(j->distance);
    free(j->mean);
    free(j->covariance);
    free(j->left);
    cli_applied_clear(&j->applied);
}

static int run(const cli_arguments *a) {
    const double start = cli_seconds();
    job j = {.arguments = a};
    int status = cli_need_table_output(a, "tracks");
    if (status) return status;
    status = cli_applied_load(&j.applied, a->words[0]);
    j.d = j.applied.info.inputs;
    j.p = j.applied.p;
    if (!status) status = fill_drift(&j);
    if (!status && cli_given(a, CLI_OPT_MEMBERS))
        status = cli_size(a, CLI_OPT_MEMBERS, 1, MOST_MEMBERS, &j.members);
    if (!status) status = fill_times(&j);
    if (!status) status = read_points(&j);
    if (!status) status = drift(&j);
    if (!status) status = plan_columns(&j);
    if (!status) status = cli_write_table(a, &written, j.width, j.columns, &j, start);
    clear(&j);
    return status;
}

const cli_command cli_command_drift = {
    .name = "drift",
    .summary = "let particles drift with a field, with the uncertainty of their paths",
    .usage = "MODEL --from POINTS --hours H -o TRACKS",
    .text = "Particles start at the points of a table and move with the field for H hours (--time if units "
            "are not known). Member 0 moves with the prediction. With --samples K, members 1 to K move with "
            "posterior samples: fields that agree with the data. The rows of member 0 then also have the "
            "mean position of the samples, their standard deviation along the two axes of their ellipse, the "
            "angle of the longer axis from the direction of the first input (east), and how many particles "
            "are still moving. Integration steps adapt to the field (Dormand and Prince 5(4)). With --geo "
            "particles move on the sphere. If time is an input of the model, it advances with the particles. "
            "A particle that leaves the region of the data keeps moving, and the column distance says how "
            "far it is from the nearest row of the data; --mask ends it there. TRACKS is .csv or .tsv (also "
            ".gz), .nc with the dimensions member, particle and time, or - for CSV on standard output.",
    .example = "  orff drift currents.orff --from releases.csv --hours 72 --samples 50 -o tracks.csv\n"
               "  orff drift currents.orff --from found.csv --hours -24 --every 1 --mask distance=20 -o "
               "origins.nc\n",
    .least = 1,
    .most = 1,
    .bit = CLI_BIT(drift),
    .run = run,
};
