/* Reading rows of DATA into memory. */
#include "data_steps.h"

#include <math.h>
#include <stdlib.h>

#include "report.h"

#define BLOCK 4096

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

double cli_data_expected(const cli_data *data) {
    const double part = fmt_table_progress(data->table), used = (double)fmt_table_used(data->table);
    return part > 0.0 ? used / part : 0.0;
}

static bool show_reading(const cli_data *data) {
    return cli_progress_show("reading rows", (double)fmt_table_used(data->table), cli_data_expected(data));
}

/* Reads rows into memory up to the budget. */
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
            return cli_table_failed(data->table);
        data->n += got;
        if (!show_reading(data)) return cli_failed("interrupted");
    }
    data->whole = got == 0;
    for (fmt_group which = 0; which < FMT_GROUP_COUNT; which++)
        fmt_table_groups_into(data->table, which, NULL);
    cli_progress_rows(data->whole ? (double)data->n : cli_data_expected(data));
    return CLI_DONE;
}

/* Reads to the end, as all classes are known only after the last row. */
static int scan_rest(cli_data *data) {
    double *X = cli_more(NULL, BLOCK * data->d, sizeof *X), *Y = cli_more(NULL, BLOCK * data->p, sizeof *Y);
    size_t got = 1;
    int status = CLI_DONE;
    while (got && !status) {
        if (fmt_table_read(data->table, BLOCK, X, Y, NULL, &got)) status = cli_table_failed(data->table);
        if (!status && !show_reading(data)) status = cli_failed("interrupted");
    }
    free(X);
    free(Y);
    return status;
}

/* Sorts the classes and renumbers those of the rows held. */
static int number_labels(cli_data *data) {
    data->classes = fmt_table_label_count(data->table);
    size_t *order = cli_more(NULL, data->classes, sizeof *order);
    const char **labels = cli_more(NULL, data->classes, sizeof *labels);
    int status = fmt_table_sort_labels(data->table, order) ? cli_table_failed(data->table) : CLI_DONE;
    for (size_t i = 0; !status && i < data->n; i++) data->Y[i] = (double)order[(size_t)data->Y[i]];
    for (size_t i = 0; i < data->classes; i++) labels[i] = fmt_table_label(data->table, i);
    if (!status) status = cli_outcome(orff_notes_set_labels(data->notes, data->classes, labels), NULL);
    free(labels);
    free(order);
    return status;
}

/* The range of input k. With a period, values are reduced to [0, period). */
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

/* Notes the range of every input over the rows held, in the user's units, as the default region of plots.
 * Longitudes on a plane may count either way around: 170 to 190 is a region, where -180 to 180 would be
 * the whole Earth. */
static int note_ranges(cli_data *data, const cli_arguments *a) {
    int status = CLI_DONE;
    for (size_t k = 0; !status && data->n && k < data->d; k++) {
        double low, high, other_low, other_high;
        find_range(data, k, 0.0, &low, &high);
        if (cli_is_on_plane(a) && cli_has_units(data, k, "degrees_east")) {
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

int cli_data_fill(cli_data *data, const cli_arguments *a) {
    size_t budget = SIZE_MAX;
    if (cli_data_sharing) return CLI_DONE; /* no process has all rows */
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
        if (!status && fmt_table_rewind(data->table)) status = cli_table_failed(data->table);
        if (!status) status = read_ahead(data, budget);
    }
    if (!status && classify) status = number_labels(data);
    if (!status) status = note_ranges(data, a);
    cli_progress_clear();
    return status;
}
