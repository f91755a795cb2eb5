#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "coordinates.h"
#include "observed.h"
#include "report.h"
#include "result.h"
#include "settings.h"

#define BLOCK 4096

const cli_sharing *cli_data_sharing;

static int table_failed(const fmt_table *table) {
    return cli_failed("%s", table ? fmt_table_error(table) : "not enough memory");
}

int cli_data_open_table(fmt_table **table, const char *path, const cli_arguments *a) {
    fmt_table_options options = fmt_table_options_default();
    if (a && cli_serves(CLI_OPT_NA, a->command)) {
        options.n_missing = (size_t)a->given[CLI_OPT_NA].count;
        options.missing = a->given[CLI_OPT_NA].values;
    }
    options.interrupted = cli_interrupted;
    return fmt_table_open(table, path, &options) ? table_failed(*table) : CLI_DONE;
}

/* One file, or two side by side. */
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
    return fmt_table_pair(&data->table, inputs, outputs) ? table_failed(data->table) : CLI_DONE;
}

/* A column that does not exist is wrong usage; any other failure is about the file. */
static int select_columns(cli_data *data, const fmt_table_selection *selection) {
    const int status = fmt_table_select(data->table, selection);
    if (!status) {
        data->d = fmt_table_inputs(data->table);
        data->p = data->columns = fmt_table_outputs(data->table);
        data->weighted = fmt_table_weighted(data->table);
        return cli_data_sharing ? cli_data_sharing->selected(selection) : CLI_DONE;
    }
    const int code = table_failed(data->table);
    return status == ORFF_ERROR_INVALID_ARGUMENT ? CLI_USAGE : code;
}

/* ---- rows */

static void make_room(cli_data *data, size_t rows) {
    data->room = rows;
    data->X = cli_more(data->X, rows * data->d, sizeof *data->X);
    data->Y = cli_more(data->Y, rows * data->columns, sizeof *data->Y);
    if (data->weighted) data->weights = cli_more(data->weights, rows, sizeof *data->weights);
    if (fmt_table_grouped(data->table, FMT_GROUPS))
        data->groups = cli_more(data->groups, rows, sizeof *data->groups);
    if (fmt_table_grouped(data->table, FMT_OFFSETS))
        data->offsets = cli_more(data->offsets, rows, sizeof *data->offsets);
    if (fmt_table_grouped(data->table, FMT_INSTRUMENTS))
        data->instrument_cells = cli_more(data->instrument_cells, rows, sizeof *data->instrument_cells);
}

/* An estimate of all rows from the share of the file that has been read; 0 if it is not known. */
static double expected_rows(const cli_data *data) {
    const double part = fmt_table_progress(data->table), used = (double)fmt_table_used(data->table);
    return part > 0.0 ? used / part : 0.0;
}

static bool show_reading(const cli_data *data) {
    return cli_progress_show("reading rows", (double)fmt_table_used(data->table), expected_rows(data));
}

/* Rows into memory up to the budget. */
static int read_ahead(cli_data *data, size_t budget) {
    const size_t row = (data->d + data->columns + 1) * sizeof(double);
    size_t got = 1;
    data->n = 0;
    while (got && data->n * row < budget) {
        if (data->room < data->n + BLOCK) make_room(data, 2 * data->room + BLOCK);
        fmt_table_groups_into(data->table, FMT_GROUPS, data->groups ? data->groups + data->n : NULL);
        fmt_table_groups_into(data->table, FMT_OFFSETS, data->offsets ? data->offsets + data->n : NULL);
        fmt_table_groups_into(data->table, FMT_INSTRUMENTS,
                              data->instrument_cells ? data->instrument_cells + data->n : NULL);
        if (fmt_table_read(data->table, BLOCK, data->X + data->n * data->d, data->Y + data->n * data->columns,
                           data->weighted ? data->weights + data->n : NULL, &got))
            return table_failed(data->table);
        data->n += got;
        if (!show_reading(data)) return cli_failed("interrupted");
    }
    data->whole = got == 0;
    for (fmt_group which = 0; which < FMT_GROUP_COUNT; which++)
        fmt_table_groups_into(data->table, which, NULL);
    cli_progress_rows(data->whole ? (double)data->n : expected_rows(data));
    return CLI_DONE;
}

/* Reads to the end: all classes are known only after the last row. */
static int scan_rest(cli_data *data) {
    double *X = cli_more(NULL, BLOCK * data->d, sizeof *X), *Y = cli_more(NULL, BLOCK * data->p, sizeof *Y);
    size_t got = 1;
    int status = CLI_DONE;
    while (got && !status) {
        if (fmt_table_read(data->table, BLOCK, X, Y, NULL, &got)) status = table_failed(data->table);
        if (!status && !show_reading(data)) status = cli_failed("interrupted");
    }
    free(X);
    free(Y);
    return status;
}

/* Classes in order; those of rows held are renumbered. */
static int number_labels(cli_data *data) {
    data->classes = fmt_table_label_count(data->table);
    size_t *order = cli_more(NULL, data->classes, sizeof *order);
    const char **labels = cli_more(NULL, data->classes, sizeof *labels);
    int status = fmt_table_sort_labels(data->table, order) ? table_failed(data->table) : CLI_DONE;
    for (size_t i = 0; !status && i < data->n; i++) data->Y[i] = (double)order[(size_t)data->Y[i]];
    for (size_t i = 0; i < data->classes; i++) labels[i] = fmt_table_label(data->table, i);
    if (!status) status = cli_outcome(orff_notes_set_labels(data->notes, data->classes, labels), NULL);
    free(labels);
    free(order);
    return status;
}

static bool has_units(const cli_data *data, size_t input, const char *units) {
    const char *own = orff_notes_units(data->notes, ORFF_SIDE_INPUT, input);
    return own && !strcmp(own, units);
}

/* Whether inputs are laid on a plane. */
static bool is_on_plane(const cli_arguments *a) {
    const cli_option_id geo = cli_setting("geo"), crs = cli_setting("crs");
    if (!cli_serves(geo, a->command)) return false;
    return cli_given(a, crs) || (cli_given(a, geo) && strcmp(cli_text(a, geo), orff_geo_name(ORFF_GEO_NONE)));
}

/* Of input k. A period: numbers are taken from 0 up to it. */
static void find_range(const cli_data *data, size_t k, double period, double *low, double *high) {
    *low = (double)INFINITY;
    *high = (double)-INFINITY;
    for (size_t i = 0; i < data->n; i++) {
        const double value = data->X[i * data->d + k];
        const double x = period > 0.0 ? value - period * floor(value / period) : value;
        *low = fmin(*low, x);
        *high = fmax(*high, x);
    }
}

/* The range of every input over the rows held, in the user's units: a plot needs no other region. Longitudes on a plane may
 * count either way around: from 170 to 190 is a region where from -180 to 180 is the whole Earth. */
static int note_ranges(cli_data *data, const cli_arguments *a) {
    int status = CLI_DONE;
    for (size_t k = 0; !status && data->n && k < data->d; k++) {
        double low, high, other_low, other_high;
        find_range(data, k, 0.0, &low, &high);
        if (is_on_plane(a) && has_units(data, k, "degrees_east")) {
            find_range(data, k, 360.0, &other_low, &other_high);
            if (other_high - other_low < high - low) {
                low = other_low;
                high = other_high;
            }
        }
        status = cli_outcome(orff_notes_set_range(data->notes, k, low, high), NULL);
    }
    return status;
}

/* ---- opening */

static int read_rows_held(cli_data *data, const cli_arguments *a) {
    size_t budget = SIZE_MAX;
    if (cli_data_sharing) return CLI_DONE; /* nobody has them all */
    const bool classify = cli_given(a, CLI_OPT_CLASSIFY);
    int status = a->command->bit & cli_own_options[CLI_OPT_MEMORY].commands
                     ? cli_bytes(a, CLI_OPT_MEMORY, &budget)
                     : CLI_DONE;
    if (!status) status = read_ahead(data, budget);
    if (!status && !data->whole && classify) {
        if (!fmt_table_can_rewind(data->table))
            return cli_failed(
                "%s: --classify reads the data twice, and a pipe can be read only once; use a file, or raise "
                "--memory",
                fmt_table_path(data->table));
        status = scan_rest(data);
        if (!status && fmt_table_rewind(data->table)) status = table_failed(data->table);
        if (!status) status = read_ahead(data, budget);
    }
    if (!status && classify) status = number_labels(data);
    if (!status) status = note_ranges(data, a);
    cli_progress_clear();
    return status;
}

/* Moments of several files are added: they must count dates from the same one. */
static int count_from_1970(cli_data *data) {
    for (size_t i = 0; i < data->d; i++)
        if (fmt_table_is_time(data->table, fmt_table_input(data->table, i)) &&
            fmt_table_count_time(data->table, i, "hours since 1970-01-01T00:00:00Z"))
            return table_failed(data->table);
    return CLI_DONE;
}

/* Dates become numbers, and nobody should have to guess which. */
static void say_times(const cli_data *data) {
    for (size_t i = 0; i < data->d; i++) {
        const size_t column = fmt_table_input(data->table, i);
        const char *clock = fmt_table_clock(data->table, column);
        if (fmt_table_is_time(data->table, column))
            cli_say("%s: dates%s%s are counted in %s", fmt_table_name(data->table, column),
                    clock ? ", with times of day from " : "", clock ? clock : "",
                    fmt_table_units(data->table, column));
    }
}

/* In degrees, a step east is shorter than a step north, and no field is divergence-free or curl-free. */
static void hint_plane(const cli_data *data, const cli_arguments *a) {
    const cli_option_id geo = cli_setting("geo");
    if (!cli_serves(geo, a->command) || cli_given(a, geo) || cli_given(a, cli_setting("crs")) ||
        data->d < 2 || data->p != 2)
        return;
    if (has_units(data, 0, "degrees_east") && has_units(data, 1, "degrees_north"))
        cli_say("%s and %s are degrees; if the outputs are eastward and northward components, add --geo "
                "lonlat to learn in km on a local plane",
                fmt_table_name(data->table, fmt_table_input(data->table, 0)),
                fmt_table_name(data->table, fmt_table_input(data->table, 1)));
}

/* Names and standard names of components along the axes of a model's grid. */
static bool is_along_grid(const char *name) {
    static const char *const parts[] = {"x_wind",      "y_wind",        "_x_velocity",
                                        "_y_velocity", "grid_eastward", "grid_northward"};
    for (size_t i = 0; name && i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* On a grid of longitudes and latitudes the axes do point east and north. */
static bool is_on_axes(const cli_data *data) {
    const char *shape = fmt_table_shape(data->table, fmt_table_input(data->table, 0));
    return shape && *shape && !strchr(shape, ',');
}

static void warn_grid_relative(const cli_data *data, const cli_arguments *a) {
    const size_t first = data->p == 2 ? fmt_table_output(data->table, 0) : 0;
    if (data->p != 2 || data->d < 2 || is_on_axes(data)) return;
    if (!is_on_plane(a) && !has_units(data, 0, "degrees_east")) return;
    if (is_along_grid(fmt_table_standard_name(data->table, first)) ||
        is_along_grid(fmt_table_name(data->table, first)))
        cli_warn(
            "%s and %s look like components along the axes of a grid, but --geo takes them as eastward and "
            "northward: rotate them by the grid's angle first, or learn in the grid's own coordinates "
            "(metres) without --geo",
            fmt_table_name(data->table, first),
            fmt_table_name(data->table, fmt_table_output(data->table, 1)));
}

/* With the columns that there are to choose from; variables with the dimensions they have. */
static int refuse_unnamed(const cli_data *data, const cli_arguments *a, const char *option,
                          const char *what) {
    cli_string names = {0};
    const size_t count = fmt_table_columns(data->table), most = 40;
    for (size_t i = 0; i < count && i < most; i++) {
        const char *shape = fmt_table_shape(data->table, i);
        cli_append(&names, "%s%s", i ? ", " : "", fmt_table_name(data->table, i));
        if (shape && *shape) cli_append(&names, "(%s)", shape);
    }
    const int status = cli_wrong_usage(a->command, "--%s is missing: which columns of %s %s? There are %s%s",
                                       option, fmt_table_path(data->table), what,
                                       names.text ? names.text : "none", count > most ? ", .." : "");
    free(names.text);
    return status;
}

/* Whether all columns of a list are there; an error stays in the table. */
static bool names_columns(const cli_data *data, const char *list) {
    size_t count;
    return !list || !fmt_table_count_columns(data->table, "outputs", list, &count);
}

/* Which columns are inputs where none are named: NULL stands for all that are not something else. */
static int find_inputs(const cli_data *data, const cli_arguments *a, bool pair, char **names) {
    *names = cli_given(a, CLI_OPT_INPUTS) ? cli_copy_text(cli_text(a, CLI_OPT_INPUTS)) : NULL;
    if (pair || *names || !fmt_table_shape(data->table, 0)) return CLI_DONE;
    if (!names_columns(data, cli_text(a, CLI_OPT_OUTPUTS))) return table_failed(data->table);
    *names = cli_coordinates_of(data->table, cli_text(a, CLI_OPT_OUTPUTS), cli_text(a, CLI_OPT_SELECT));
    return *names ? CLI_DONE : refuse_unnamed(data, a, "inputs", "say where");
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
    if (!status) say_times(data);
    if (!status) status = read_rows_held(data, a);
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
    cli_arguments named = *a; /* with the outputs found where none are given */
    char *outputs = NULL;
    *data = (cli_data){0};
    int status = open_words(data, a, first);
    const bool pair = a->n_words > first + 1;
    if (!status && !pair && !cli_given(a, CLI_OPT_OUTPUTS)) {
        outputs = cli_vector_of(data->table);
        if (!outputs) return refuse_unnamed(data, a, "outputs", "are to be learned");
        named.given[CLI_OPT_OUTPUTS].count = 1;
        named.given[CLI_OPT_OUTPUTS].values = (const char **)&outputs;
    }
    if (!status) status = learn_columns(data, &named, pair);
    free(outputs);
    if (!status) status = check_rows(data);
    if (status) return status;
    cli_data_warn_codes(data);
    hint_plane(data, a);
    warn_grid_relative(data, a);
    return CLI_DONE;
}

/* Columns by name if the file has names, otherwise all of them. */
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

/* Dates are counted as in the data that the model was learned from. */
static int count_times(cli_data *data, const orff_notes *notes) {
    for (size_t i = 0; i < data->d; i++)
        if (fmt_table_count_time(data->table, i, orff_notes_units(notes, ORFF_SIDE_INPUT, i)))
            return table_failed(data->table);
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

/* ---- shared rows */

static int next_table(cli_data *data, bool *got) {
    if (data->counts) data->dropped += fmt_table_dropped(data->table);
    data->begun = true;
    const int status = cli_data_sharing->next(data, got);
    data->counts = !status && *got;
    return status;
}

void cli_data_again(cli_data *data) {
    data->begun = data->counts = data->trouble = false;
    data->dropped = 0;
}

uint64_t cli_data_dropped(const cli_data *data) {
    return data->dropped +
           (data->table && (data->counts || !cli_data_sharing) ? fmt_table_dropped(data->table) : 0);
}

/* The next rows of this process, out of whichever table. */
static int read_tables(cli_data *data, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    bool got = true;
    *rows = 0;
    if (cli_data_sharing && !data->begun) data->failed = next_table(data, &got);
    while (!data->failed && got) {
        const int status = fmt_table_read(data->table, room, X, Y, weights, rows);
        data->trouble = status != 0;
        if (status || *rows || !cli_data_sharing) return status;
        data->failed = next_table(data, &got);
    }
    return data->failed;
}

int cli_data_read(cli_data *data, size_t room, double *X, double *Y, size_t *rows) {
    if (cli_interrupted()) return cli_failed("interrupted");
    if (!read_tables(data, room, X, Y, NULL, rows)) return CLI_DONE;
    return data->failed ? data->failed : table_failed(data->table);
}

/* ---- as a reader */

static void give_held(cli_data *data, size_t rows, double *X, double *Y, double *weights) {
    memcpy(X, data->X + data->given * data->d, rows * data->d * sizeof *X);
    memcpy(Y, data->Y + data->given * data->p, rows * data->p * sizeof *Y);
    if (weights) memcpy(weights, data->weights + data->given, rows * sizeof *weights);
    data->given += rows;
}

static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    cli_data *data = self;
    if (cli_interrupted()) return 1;
    if (data->given < data->n || data->whole) {
        *rows = data->n - data->given < room ? data->n - data->given : room;
        give_held(data, *rows, X, Y, weights);
        return 0;
    }
    const int status = read_tables(data, room, X, Y, weights, rows);
    if (!data->failed) cli_progress_rows(expected_rows(data));
    return status;
}

orff_reader cli_data_reader(cli_data *data) {
    return (orff_reader){.read = read_rows, .self = data, .weighted = data->weighted};
}

int cli_data_outcome(const cli_data *data, orff_status status) {
    if (data->failed) return data->failed;
    return data->trouble ? table_failed(data->table) : cli_outcome(status, NULL);
}

/* ---- matrices */

#define MOST_NUMBERS ((size_t)1 << 27)

int cli_data_numbers(const char *path, size_t *rows, size_t *cols, double **numbers) {
    fmt_table *table;
    const fmt_table_selection selection = {0};
    size_t more = 1;
    int status = cli_data_open_table(&table, path, NULL);
    if (!status && fmt_table_select(table, &selection)) status = table_failed(table);
    *rows = 0;
    *cols = status ? 0 : fmt_table_inputs(table);
    while (!status && more) {
        const size_t room = *rows / 2 + 64;
        if ((*rows + room) * *cols > MOST_NUMBERS) {
            status = cli_failed("%s: there are too many numbers for a matrix", path);
            break;
        }
        *numbers = cli_more(*numbers, (*rows + room) * *cols, sizeof **numbers);
        more = 0;
        if (fmt_table_read(table, room, *numbers + *rows * *cols, NULL, NULL, &more))
            status = table_failed(table);
        *rows += more;
    }
    if (!status && !*rows) status = cli_failed("%s: there are no numbers", path);
    fmt_table_close(table);
    return status;
}
