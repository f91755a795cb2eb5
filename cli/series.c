#include "series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "report.h"

#define BLOCK    1024
#define MOST_LAG 100000
#define MOST_GAP 10.0 /* a gap may be so many times as long as the measured part */

/* ---- lags */

static int add_lag(const cli_arguments *a, double lag, size_t *count, size_t **lags) {
    if (*count && lag <= (double)(*lags)[*count - 1])
        return cli_wrong(a, CLI_OPT_LAGS, "lags must increase, but %g comes after %zu", lag,
                         (*lags)[*count - 1]);
    *lags = cli_more(*lags, *count + 1, sizeof **lags);
    (*lags)[(*count)++] = (size_t)lag;
    return CLI_DONE;
}

static bool is_lag(const char *end, double value) {
    return end && value >= 1.0 && value <= MOST_LAG && value == floor(value);
}

int cli_series_lags(const cli_arguments *a, size_t *count, size_t **lags) {
    const char *text = cli_text(a, CLI_OPT_LAGS);
    int status = CLI_DONE;
    *count = 0;
    for (const char *at = text; !status && at; at = *at ? at + 1 : NULL) {
        double first, last;
        at = cli_scan_number(at, "-,", &first);
        const bool ranges = at && *at == '-';
        last = first;
        if (ranges) at = cli_scan_number(at + 1, ",", &last);
        if (!is_lag(at, first) || !is_lag(at, last) || last < first)
            return cli_wrong(a, CLI_OPT_LAGS,
                             "\"%s\" is not a list of lags; expected whole numbers and ranges such as 1-4,12",
                             text);
        for (double lag = first; !status && lag <= last; lag++) status = add_lag(a, lag, count, lags);
        if (!*at) break;
    }
    return status;
}

/* ---- rows */

static int table_failed(const fmt_table *table) {
    return cli_failed("%s", fmt_table_error(table));
}

/* With times, values may be missing; without, each row is a step, and no value may be missing. */
static int select_columns(cli_series *s, const cli_arguments *a, const char *outputs) {
    const char *time = cli_text(a, CLI_OPT_TIME_COLUMN);
    size_t count = 0;
    if (fmt_table_count_columns(s->table, "outputs", outputs, &count)) return table_failed(s->table);
    const fmt_table_selection selection = {.inputs = time ? time : outputs,
                                           .outputs = time ? outputs : NULL,
                                           .optional = time ? count : 0,
                                           .skip_missing = false};
    s->p = count;
    if (fmt_table_select(s->table, &selection)) return table_failed(s->table);
    if (time && fmt_table_inputs(s->table) != 1)
        return cli_wrong(a, CLI_OPT_TIME_COLUMN, "expected one column, found %zu",
                         fmt_table_inputs(s->table));
    return CLI_DONE;
}

/* Leaving out rows would join the values before and after a gap. */
static int row_failed(const fmt_table *table, bool timed) {
    const char *message = fmt_table_error(table), *hint = strstr(message, "; --skip-missing");
    if (!hint) return table_failed(table);
    return cli_failed("%.*s; %s", (int)(hint - message), message,
                      timed ? "give the time of every row, and remove rows without values"
                            : "give the column of times with --time, so that missing rows become gaps");
}

static int read_all(cli_series *s, bool timed) {
    size_t rows = 1, room = 0;
    int status = CLI_DONE;
    while (!status && rows) {
        if (cli_interrupted()) return cli_failed("interrupted");
        if (s->n + BLOCK > room) {
            room = 2 * (s->n + BLOCK);
            s->values = cli_more(s->values, room * s->p, sizeof *s->values);
            s->times = cli_more(s->times, room, sizeof *s->times);
        }
        double *values = s->values + s->n * s->p, *times = s->times + s->n;
        if (fmt_table_read(s->table, BLOCK, timed ? times : values, timed ? values : NULL, NULL, &rows))
            status = row_failed(s->table, timed);
        s->n += status ? 0 : rows;
    }
    if (!status && !s->n) status = cli_failed("%s: there are no rows", fmt_table_path(s->table));
    if (timed) return status;
    free(s->times);
    s->times = NULL;
    return status;
}

/* ---- equal steps */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_step(const cli_series *s) {
    double *steps = cli_more(NULL, s->n, sizeof *steps);
    for (size_t i = 1; i < s->n; i++) steps[i - 1] = s->times[i] - s->times[i - 1];
    qsort(steps, s->n - 1, sizeof *steps, by_size);
    const double median = steps[(s->n - 1) / 2];
    free(steps);
    return median;
}

/* Months and years differ in length: the next time is one step away unless two or more steps are nearer. */
static size_t steps_between(const cli_series *s, size_t i, double median) {
    const double steps = floor((s->times[i] - s->times[i - 1]) / median + 0.5);
    return steps < 1.0 ? 1 : (size_t)steps;
}

static int check_times(const cli_series *s, double *total, double median) {
    *total = 1.0;
    for (size_t i = 1; i < s->n; i++) {
        if (!(s->times[i] > s->times[i - 1]))
            return cli_failed("%s: the time of row %zu is not after that of the row before: sort the table",
                              fmt_table_path(s->table), i + 1);
        *total += (double)steps_between(s, i, median);
    }
    if (*total > MOST_GAP * (double)s->n)
        return cli_failed(
            "%s: the times are not at equal steps: at steps of %g most of them would be missing",
            fmt_table_path(s->table), median);
    return CLI_DONE;
}

static int fill_gaps(cli_series *s) {
    if (!s->times || s->n < 2) return CLI_DONE;
    const double median = median_step(s);
    double total = 0.0;
    if (!(median > 0.0))
        return cli_failed("%s: times must increase from row to row: sort the table",
                          fmt_table_path(s->table));
    const int status = check_times(s, &total, median);
    if (status || total == (double)s->n) return status;
    const size_t n = (size_t)total;
    double *values = cli_more(NULL, n * s->p, sizeof *values), *times = cli_more(NULL, n, sizeof *times);
    for (size_t i = 0; i < n * s->p; i++) values[i] = NAN;
    for (size_t i = 0, at = 0; i < s->n; i++) {
        const size_t step = i ? steps_between(s, i, median) : 0;
        for (size_t k = 1; k < step; k++) times[at + k] = s->times[i - 1] + (double)k * median;
        at += step;
        times[at] = s->times[i];
        memcpy(values + at * s->p, s->values + i * s->p, s->p * sizeof *values);
    }
    s->gaps = n - s->n;
    s->n = n;
    free(s->values);
    free(s->times);
    s->values = values;
    s->times = times;
    return CLI_DONE;
}

int cli_series_read(cli_series *s, const cli_arguments *a, const char *path, const char *outputs) {
    *s = (cli_series){0};
    int status = cli_data_open_table(&s->table, path, a);
    if (!status) status = select_columns(s, a, outputs);
    if (!status) status = read_all(s, cli_given(a, CLI_OPT_TIME_COLUMN));
    if (!status) status = fill_gaps(s);
    if (!status && s->gaps)
        cli_say("%s: %zu times are missing; they are treated as gaps", fmt_table_path(s->table), s->gaps);
    return status;
}

void cli_series_close(cli_series *s) {
    fmt_table_close(s->table);
    free(s->values);
    free(s->times);
    *s = (cli_series){0};
}
