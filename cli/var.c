/* orff var: several series learned from their own past. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "fit.h"
#include "report.h"
#include "result.h"
#include "series.h"
#include "settings.h"

#define DRAWS 1999
#define FREE  16 /* most series whose links are printed */

typedef struct job {
    const cli_arguments *arguments;
    cli_series series;
    size_t n_lags, *lags;
    cli_settings settings;
    orff_notes *notes;
    orff_model *model;
    size_t draws;                   /* bootstrap draws; 0: no links */
    double *strength, *probability; /* p x p */
} job;

static size_t column_of(const job *j, size_t k) {
    const fmt_table *t = j->series.table;
    return fmt_table_outputs(t) ? fmt_table_output(t, k) : fmt_table_input(t, k);
}

static const char *name_of(const job *j, size_t k) {
    return fmt_table_name(j->series.table, column_of(j, k));
}

/* ---- notes */

/* Inputs are named after their values: "u(t-3)". */
static orff_status name_inputs(job *j) {
    const size_t p = j->series.p;
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < p * j->n_lags; i++) {
        cli_string name = {0};
        const char *units = fmt_table_units(j->series.table, column_of(j, i % p));
        cli_append(&name, "%s(t-%zu)", name_of(j, i % p), j->lags[i / p]);
        status = orff_notes_set_name(j->notes, ORFF_SIDE_INPUT, i, name.text);
        if (!status && units) status = orff_notes_set_units(j->notes, ORFF_SIDE_INPUT, i, units);
        free(name.text);
    }
    return status;
}

static int make_notes(job *j) {
    const size_t p = j->series.p;
    orff_status status = orff_notes_create(&j->notes, p * j->n_lags, p);
    if (!status) status = orff_notes_set_named(j->notes, true);
    if (!status) status = name_inputs(j);
    for (size_t k = 0; !status && k < p; k++) {
        const char *units = fmt_table_units(j->series.table, column_of(j, k));
        status = orff_notes_set_name(j->notes, ORFF_SIDE_OUTPUT, k, name_of(j, k));
        if (!status && units) status = orff_notes_set_units(j->notes, ORFF_SIDE_OUTPUT, k, units);
    }
    return cli_outcome(status, NULL);
}

/* ---- learning */

static orff_series series_of(const job *j) {
    return (orff_series){.n = j->series.n,
                         .p = j->series.p,
                         .values = j->series.values,
                         .n_lags = j->n_lags,
                         .lags = j->lags,
                         .changes = cli_given(j->arguments, CLI_OPT_CHANGES)};
}

/* Reads settings in view of the rows that the series makes. */
static int read_settings(job *j) {
    const orff_series series = series_of(j);
    size_t rows = 0;
    int status = cli_outcome(orff_series_rows(&series, &rows, NULL, NULL, NULL), NULL);
    if (status) return status;
    const size_t p = series.p, d = p * series.n_lags;
    double *X = cli_more(NULL, rows * d, sizeof *X), *Y = cli_more(NULL, rows * p, sizeof *Y);
    const orff_data_shape shape = {.d = d, .p = p, .n = rows, .X = X, .Y = Y};
    status = cli_outcome(orff_series_rows(&series, NULL, X, Y, NULL), NULL);
    if (!status) status = cli_settings_read(&j->settings, j->arguments, &shape);
    free(X);
    free(Y);
    return status;
}

static int learn(job *j) {
    const orff_series series = series_of(j);
    const size_t square = series.p * series.p;
    int status = cli_outcome(orff_model_fit_series(&j->model, &j->settings.settings, &series), NULL);
    if (status || !j->draws) return status;
    j->strength = cli_more(NULL, square, sizeof *j->strength);
    j->probability = cli_more(NULL, square, sizeof *j->probability);
    return cli_outcome(orff_series_links(j->model, &series, j->draws, j->settings.settings.sampling.seed,
                                         j->strength, j->probability),
                       NULL);
}

/* ---- messages */

static void say_links(const job *j) {
    const size_t p = j->series.p;
    if (!j->draws || p > FREE) return;
    cli_say("  links              what one series does to another, and the probability that it does not help "
            "to predict it");
    for (size_t a = 0; a < p * p; a++)
        cli_say("  %-18s %-18s strength %.3f, probability %.3f%s", name_of(j, a % p), name_of(j, a / p),
                j->strength[a], j->probability[a], j->probability[a] <= 0.05 ? " *" : "");
}

static json_t *links_json(const job *j) {
    json_t *list = json_array();
    const size_t p = j->series.p;
    for (size_t a = 0; a < p * p; a++)
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o}", "from", cli_text_or_shown(name_of(j, a % p)),
                                        "to", cli_text_or_shown(name_of(j, a / p)), "strength",
                                        cli_number_or_null(j->strength[a]), "probability",
                                        cli_number_or_null(j->probability[a])));
    return list;
}

static json_t *more_of(const job *j) {
    json_t *lags = json_array();
    for (size_t i = 0; i < j->n_lags; i++) json_array_append_new(lags, json_integer((json_int_t)j->lags[i]));
    json_t *more = json_pack("{s:o, s:I}", "lags", lags, "gaps", (json_int_t)j->series.gaps);
    if (j->draws) json_object_set_new(more, "links", links_json(j));
    return more;
}

static void clear(job *j) {
    orff_model_free(j->model);
    orff_notes_free(j->notes);
    cli_settings_clear(&j->settings);
    cli_series_close(&j->series);
    free(j->lags);
    free(j->strength);
    free(j->probability);
}

static int run(const cli_arguments *a) {
    const double start = cli_seconds();
    job j = {.arguments = a};
    int status = cli_need_output(a);
    if (!status && !cli_given(a, CLI_OPT_OUTPUTS))
        status = cli_wrong_usage(a->command, "--outputs is missing: which columns are the series?");
    if (!status) status = cli_series_lags(a, &j.n_lags, &j.lags);
    if (!status && cli_given(a, CLI_OPT_LINKS)) j.draws = DRAWS;
    if (!status) status = cli_series_read(&j.series, a, a->words[0], cli_text(a, CLI_OPT_OUTPUTS));
    if (!status) status = read_settings(&j);
    if (!status) status = make_notes(&j);
    if (!status) status = learn(&j);
    if (!status) status = cli_settings_note(&j.settings, j.notes);
    if (!status) say_links(&j);
    if (!status) status = cli_finish_fit(a, j.model, j.notes, 0, start, more_of(&j));
    clear(&j);
    return status;
}

const cli_command cli_command_var = {
    .name = "var",
    .summary = "learn several series from their own past (vector autoregression)",
    .usage = "SERIES --outputs COLUMNS --lags LAGS -o MODEL",
    .text = "Learns y(t) = f(y(t - lag), ..) from a table whose rows are consecutive time steps. With --time "
            "the steps come from that column: missing times are gaps, and rows that need a missing value are "
            "left out. Without it every row is one step, and nothing may be missing. All settings of orff "
            "fit apply: the kernel sets what f may look like, and --output-matrix learn couples the series. "
            "Held-out errors are those of whole stretches of time. --links reports which series drives "
            "which. orff forecast continues the series.",
    .example = "  orff var series.csv --outputs a,b,c --lags 1-4,12 --time t -o m.orff\n"
               "  orff forecast m.orff --steps 12 --std -o next.csv\n",
    .least = 1,
    .most = 1,
    .bit = CLI_BIT(var),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_LEARNING | ORFF_USE_SOLVING,
    .run = run,
};
