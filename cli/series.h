/* Series from a table: values at equal steps of time, and the lags of a model. */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "formats/table.h"
#include "options.h"

typedef struct cli_series {
    fmt_table *table;
    size_t n, p;
    double *values; /* n x p, NAN where a value is missing */
    double *times;  /* n, or NULL if not given */
    size_t gaps;    /* number of times missing from the table, filled with NAN */
} cli_series;

/* Reads the columns of `outputs` from the table at `path`, in the order of its rows; with --time, at equal
 * steps of that column. Returns an exit status, after a message. Close it in any case. */
int cli_series_read(cli_series *series, const cli_arguments *arguments, const char *path,
                    const char *outputs);
void cli_series_close(cli_series *series);

/* "1-4,12": increasing, at least 1. From malloc. */
int cli_series_lags(const cli_arguments *arguments, size_t *count, size_t **lags);

#endif
