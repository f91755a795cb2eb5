#include "data_steps.h"

#include <stdlib.h>

#include "codes.h"
#include "coordinates.h"
#include "observed.h"
#include "report.h"
#include "settings.h"

const cli_sharing *cli_data_sharing;

int cli_table_failed(const fmt_table *table) {
    return cli_failed("%s", table ? fmt_table_error(table) : "not enough memory");
}

int cli_data_open_table(fmt_table **table, const char *path, const cli_arguments *a) {
    fmt_table_options options = fmt_table_options_default();
    if (a && cli_serves(CLI_OPT_NA, a->command)) {
        options.n_missing = (size_t)a->given[CLI_OPT_NA].count;
        options.missing = a->given[CLI_OPT_NA].values;
    }
    options.interrupted = cli_interrupted;
    return fmt_table_open(table, path, &options) ? cli_table_failed(*table) : CLI_DONE;
}

/* Opens one file, or two side by side. */
static int open_words(cli_data *data, const cli_arguments *a, int first) {
    fmt_table *outputs;
    if (cli_data_sharing) return cli_data_sharing->open(data, a, first);
    int status = cli_data_open_table(&data->table, a->words[first], a);
    if (status || a->n_words < first + 2) return status;
    status = cli_data_open_table(&outputs, a->words[first + 1], a);
    if (status) {
        fmt_table_close(outputs);
        return status;
    }
    fmt_table *inputs = data->table;
    data->table = NULL;
    return fmt_table_pair(&data->table, inputs, outputs) ? cli_table_failed(data->table) : CLI_DONE;
}

/* A column that does not exist is a usage error; any other failure is about the file. */
static int select_columns(cli_data *data, const fmt_table_selection *selection) {
    const int status = fmt_table_select(data->table, selection);
    if (!status) {
        data->d = fmt_table_inputs(data->table);
        data->p = data->columns = fmt_table_outputs(data->table);
        data->weighted = fmt_table_weighted(data->table);
        return cli_data_sharing ? cli_data_sharing->selected(selection) : CLI_DONE;
    }
    const int code = cli_table_failed(data->table);
    return status == ORFF_ERROR_INVALID_ARGUMENT ? CLI_USAGE : code;
}

/* ---- opening */

/* As moments of several files may be added, all must count dates from the same origin. */
static int count_from_1970(cli_data *data) {
    for (size_t i = 0; i < data->d; i++)
        if (fmt_table_is_time(data->table, fmt_table_input(data->table, i)) &&
            fmt_table_count_time(data->table, i, "hours since 1970-01-01T00:00:00Z"))
            return cli_table_failed(data->table);
    return CLI_DONE;
}

/* Whether all columns of a list exist; an error stays in the table. */
static bool names_columns(const cli_data *data, const char *list) {
    size_t count;
    return !list || !fmt_table_count_columns(data->table, "outputs", list, &count);
}

/* The names of the inputs, if given or found; NULL means all columns without another use. */
static int find_inputs(const cli_data *data, const cli_arguments *a, bool pair, char **names) {
    *names = cli_given(a, CLI_OPT_INPUTS) ? cli_copy_text(cli_text(a, CLI_OPT_INPUTS)) : NULL;
    if (pair || *names || !fmt_table_shape(data->table, 0)) return CLI_DONE;
    if (!names_columns(data, cli_text(a, CLI_OPT_OUTPUTS))) return cli_table_failed(data->table);
    *names = cli_coordinates_of(data->table, cli_text(a, CLI_OPT_OUTPUTS), cli_text(a, CLI_OPT_SELECT));
    return *names ? CLI_DONE : cli_data_refuse_unnamed(data, a, "inputs", "say where");
}

static int learn_columns(cli_data *data, const cli_arguments *a, bool pair) {
    char *inputs = NULL;
    int status = find_inputs(data, a, pair, &inputs);
    cli_observed observed = {0};
    if (!status) status = cli_observed_read(&observed, a, data, pair);
    const fmt_table_selection selection = {
        .inputs = inputs,
        .outputs = observed.columns ? observed.columns : cli_text(a, CLI_OPT_OUTPUTS),
        .weights = cli_text(a, CLI_OPT_WEIGHTS),
        .groups = cli_text(a, CLI_OPT_GROUPS),
        .instruments = cli_observes(a) ? cli_text(a, CLI_OPT_NOISE_BY) : NULL,
        .offsets = cli_observes(a) ? cli_text(a, CLI_OPT_GROUP_EFFECT) : NULL,
        .optional = observed.optional,
        .companions = observed.companions,
        .fixed = cli_text(a, CLI_OPT_SELECT),
        .skip_missing = cli_given(a, CLI_OPT_SKIP_MISSING) || observed.drops,
        .labels = cli_given(a, CLI_OPT_CLASSIFY)};
    if (!status) status = select_columns(data, &selection);
    if (!status && a->command->bit & CLI_BIT(moments)) status = count_from_1970(data);
    cli_observed_clear(&observed);
    free(inputs);
    if (!status)
        status = cli_notes_of_table(&data->notes, data->table, observed.outputs, observed.direction > 0);
    if (!status) status = cli_settings_note_covariates(a, data->d, data->notes);
    if (!status) cli_data_say_times(data);
    if (!status) status = cli_data_fill(data, a);
    return status ? status : cli_observed_split(&observed, a, data);
}

static int check_rows(const cli_data *data) {
    const char *path = fmt_table_path(data->table);
    if (!data->n && data->whole)
        return cli_failed("%s: there are no rows%s", path,
                          fmt_table_dropped(data->table) ? " without missing values" : "");
    if ((data->groups || data->offsets) && !data->whole)
        return cli_failed("%s: %s needs all rows in memory; raise --memory", path,
                          data->groups ? "--groups" : "--group-effect");
    return CLI_DONE;
}

int cli_data_learn(cli_data *data, const cli_arguments *a, int first) {
    cli_arguments named = *a; /* including outputs that were found */
    char *outputs = NULL;
    *data = (cli_data){0};
    int status = open_words(data, a, first);
    const bool pair = a->n_words > first + 1;
    if (!status && !pair && !cli_given(a, CLI_OPT_OUTPUTS)) {
        outputs = cli_vector_of(data->table);
        if (!outputs) return cli_data_refuse_unnamed(data, a, "outputs", "are to be learned");
        named.given[CLI_OPT_OUTPUTS].count = 1;
        named.given[CLI_OPT_OUTPUTS].values = (const char **)&outputs;
    }
    if (!status) status = learn_columns(data, &named, pair);
    free(outputs);
    if (!status) status = check_rows(data);
    if (status) return status;
    cli_data_warn_codes(data);
    cli_data_hint_plane(data, a);
    cli_data_warn_grid(data, a);
    return CLI_DONE;
}

/* Columns by name if the file has names, otherwise all. */
static char *columns_for(const cli_data *data, const char *given, const orff_notes *notes, orff_side side,
                         size_t count, bool pair) {
    if (given) return cli_copy_text(given);
    return fmt_table_named(data->table) && !pair ? cli_notes_columns(notes, side, count) : NULL;
}

static int check_sizes(const cli_data *data, size_t d, size_t p, bool outputs) {
    if (data->d != d)
        return cli_failed("%s: the model has %zu inputs, but the data have %zu columns; choose them with "
                          "--inputs",
                          fmt_table_path(data->table), d, data->d);
    if (outputs && data->p != p)
        return cli_failed("%s: the model has %zu outputs, but the data have %zu; choose them with --outputs",
                          fmt_table_path(data->table), p, data->p);
    return CLI_DONE;
}

/* Counts dates as in the data that the model was learned from. */
static int count_times(cli_data *data, const orff_notes *notes) {
    for (size_t i = 0; i < data->d; i++)
        if (fmt_table_count_time(data->table, i, orff_notes_units(notes, ORFF_SIDE_INPUT, i)))
            return cli_table_failed(data->table);
    return CLI_DONE;
}

int cli_data_apply(cli_data *data, const cli_arguments *a, int first, const orff_notes *notes, size_t d,
                   size_t p, bool outputs) {
    *data = (cli_data){0};
    int status = open_words(data, a, first);
    if (status) return status;
    const bool pair = a->n_words > first + 1;
    const bool takes_outputs = a->command->bit & cli_own_options[CLI_OPT_OUTPUTS].commands;
    const bool grouped = a->command->bit & cli_own_options[CLI_OPT_GROUPS].commands;
    char *x = columns_for(data, cli_text(a, CLI_OPT_INPUTS), notes, ORFF_SIDE_INPUT, d, pair);
    char *y = outputs ? columns_for(data, takes_outputs ? cli_text(a, CLI_OPT_OUTPUTS) : NULL, notes,
                                    ORFF_SIDE_OUTPUT, p, pair)
                      : NULL;
    const size_t count = outputs ? orff_notes_labels(notes) : 0;
    const char **labels = cli_more(NULL, count, sizeof *labels);
    for (size_t i = 0; i < count; i++) labels[i] = orff_notes_label(notes, i);
    const fmt_table_selection selection = {.inputs = x,
                                           .outputs = y,
                                           .groups = grouped ? cli_text(a, CLI_OPT_GROUPS) : NULL,
                                           .fixed = cli_text(a, CLI_OPT_SELECT),
                                           .skip_missing = cli_given(a, CLI_OPT_SKIP_MISSING),
                                           .labels = count > 0,
                                           .n_labels = count,
                                           .label_names = labels};
    status = select_columns(data, &selection);
    if (!status) status = check_sizes(data, d, p, outputs);
    if (!status) status = count_times(data, notes);
    free(x);
    free(y);
    free(labels);
    return status;
}

void cli_data_close(cli_data *data) {
    fmt_table_close(data->table);
    orff_notes_free(data->notes);
    free(data->X);
    free(data->Y);
    free(data->weights);
    free(data->groups);
    free(data->offsets);
    free(data->instrument_cells);
    free(data->directions);
    free(data->errors);
    free(data->instruments);
    free(data->walls);
    *data = (cli_data){0};
}
