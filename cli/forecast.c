/* orff forecast: the future of a series. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "commands.h"
#include "notes.h"
#include "report.h"
#include "result.h"
#include "series.h"
#include "written.h"

#define MOST_STEPS   1000000
#define MOST_SAMPLES 100000

typedef struct job {
    const cli_arguments *arguments;
    cli_applied applied;
    cli_series series; /* another history, if given */
    size_t p, steps, samples;
    bool std, paths;
    uint64_t seed;
    double *mean, *S, *all; /* steps x p, steps x p, samples x steps x p */
    size_t width;
    fmt_output_column *columns;
    char **names;
} job;

static int read_options(job *j) {
    const cli_arguments *a = j->arguments;
    int status = cli_size(a, CLI_OPT_STEPS, 1, MOST_STEPS, &j->steps);
    j->std = cli_given(a, CLI_OPT_STD);
    j->paths = cli_given(a, CLI_OPT_PATHS);
    if (!status) status = cli_size(a, CLI_OPT_FUTURES, j->std ? 2 : 1, MOST_SAMPLES, &j->samples);
    if (!status) status = cli_whole(a, CLI_OPT_SEED, 0, UINT64_MAX, &j->seed);
    if (!status && !cli_given(a, CLI_OPT_STEPS))
        status = cli_wrong_usage(a->command, "--steps is missing: how many steps ahead?");
    if (!status && j->std && j->paths)
        status = cli_wrong_usage(a->command, "give --std or --paths, not both");
    return status;
}

static int read_history(job *j) {
    const cli_arguments *a = j->arguments;
    if (a->n_words < 2) return CLI_DONE;
    char *columns = cli_given(a, CLI_OPT_OUTPUTS)
                        ? cli_copy_text(cli_text(a, CLI_OPT_OUTPUTS))
                        : cli_notes_columns(j->applied.notes, ORFF_SIDE_OUTPUT, j->p);
    int status = columns ? cli_series_read(&j->series, a, a->words[1], columns)
                         : cli_wrong_usage(a->command, "--outputs is missing: which columns are the series?");
    if (!status && j->series.p != j->p)
        status = cli_failed("%s: the model has %zu series, but the table has %zu; choose them with --outputs",
                            a->words[1], j->p, j->series.p);
    free(columns);
    return status;
}

static int run_forecast(job *j) {
    const size_t each = j->steps * j->p;
    j->mean = cli_more(NULL, each, sizeof *j->mean);
    j->S = cli_more(NULL, each, sizeof *j->S);
    j->all = j->paths ? cli_more(NULL, j->samples * each, sizeof *j->all) : NULL;
    return cli_outcome(orff_model_forecast(j->applied.model, j->series.n, j->series.values, j->steps,
                                           j->samples, j->seed, j->mean, j->std ? j->S : NULL, j->all),
                       NULL);
}

/* ---- the table: step [member] outputs [errors] */

static void add_column(job *j, fmt_output_column column, const char *name, const char *end) {
    cli_string text = {0};
    cli_append(&text, "%s%s", name, end);
    column.name = j->names[j->width] = text.text;
    j->columns[j->width++] = column;
}

static void plan_columns(job *j) {
    const size_t most = 2 + 2 * j->p;
    j->columns = cli_more(NULL, most, sizeof *j->columns);
    j->names = cli_more(NULL, most, sizeof *j->names);
    if (j->paths) add_column(j, (fmt_output_column){.input = true}, "member", "");
    add_column(j, (fmt_output_column){.input = true}, "step", "");
    for (size_t i = 0; i < (j->std ? 2 : 1) * j->p; i++) {
        const size_t k = i % j->p;
        const char *name = orff_notes_name(j->applied.notes, ORFF_SIDE_OUTPUT, k);
        char made[32];
        snprintf(made, sizeof made, "y%zu", k + 1);
        add_column(j, (fmt_output_column){.units = orff_notes_units(j->applied.notes, ORFF_SIDE_OUTPUT, k)},
                   name ? name : made, i < j->p ? "" : "_std");
    }
}

static int write_rows(const void *self, fmt_output *output) {
    const job *j = self;
    const size_t p = j->p, members = j->paths ? j->samples : 1;
    double *row = cli_more(NULL, j->width, sizeof *row);
    int status = CLI_DONE;
    for (size_t a = 0; !status && a < members * j->steps; a++) {
        const size_t t = a % j->steps;
        size_t at = 0;
        if (j->paths) row[at++] = (double)(a / j->steps + 1);
        row[at++] = (double)(t + 1);
        memcpy(row + at, j->paths ? j->all + a * p : j->mean + t * p, p * sizeof *row);
        if (j->std) memcpy(row + at + p, j->S + t * p, p * sizeof *row);
        if (fmt_output_write(output, 1, row)) status = cli_failed("%s", fmt_output_error(output));
    }
    free(row);
    return status;
}

static char *result_json(const void *self, double seconds) {
    const job *j = self;
    return cli_json_text(json_pack("{s:I, s:I, s:f, s:o}", "steps", (json_int_t)j->steps, "samples",
                                   (json_int_t)j->samples, "seconds", seconds, "output",
                                   cli_text_or_shown(cli_text(j->arguments, CLI_OPT_OUTPUT))));
}

static void say(const void *self, double seconds) {
    const job *j = self;
    cli_say("%zu steps ahead, %zu futures, %.2f s: %s", j->steps, j->samples, seconds,
            cli_text(j->arguments, CLI_OPT_OUTPUT));
}

static const cli_written written = {.rows = write_rows, .json = result_json, .say = say};

static void clear(job *j) {
    for (size_t i = 0; i < j->width; i++) free(j->names[i]);
    free(j->names);
    free(j->columns);
    free(j->mean);
    free(j->S);
    free(j->all);
    cli_series_close(&j->series);
    cli_applied_clear(&j->applied);
}

static int run(const cli_arguments *a) {
    const double start = cli_seconds();
    job j = {.arguments = a};
    int status = cli_need_table_output(a, "forecast");
    if (!status) status = read_options(&j);
    if (!status) status = cli_applied_load(&j.applied, a->words[0]);
    j.p = j.applied.p;
    if (!status) status = read_history(&j);
    if (!status) status = run_forecast(&j);
    if (!status) plan_columns(&j);
    if (!status) status = cli_write_table(a, &written, j.width, j.columns, &j, start);
    clear(&j);
    return status;
}

const cli_command cli_command_forecast = {
    .name = "forecast",
    .summary = "continue series learned by orff var",
    .usage = "MODEL [SERIES] --steps K -o OUT",
    .text = "Simulates what follows the series that a model of orff var was learned from, or those of a "
            "table SERIES with the same columns. Each simulated future uses one posterior sample of the "
            "function, and adds the noise of a measurement at every step, which the next steps build on. OUT "
            "has one row for each step, with the mean of the futures. --std adds their standard deviation. "
            "--paths writes every future instead, with its number in the column \"member\".",
    .example = "  orff forecast m.orff --steps 12 --std -o next.csv\n"
               "  orff forecast m.orff newest.csv --steps 24 -n 500 --paths -o futures.csv\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(forecast),
    .run = run,
};
