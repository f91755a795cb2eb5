/* Series of a table: values at equal steps of time, and the lags of a model. */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "formats/table.h"
#include "options.h"

typedef struct cli_series {
    fmt_table *table;
    size_t n, p;
    double *values; /* n x p, NAN where nothing was measured */
    double *times;  /* n, or NULL: not given */
    size_t gaps;    /* times that are missing from the table, and were filled with NAN */
} cli_series;

/* The columns of `outputs` from the table at `path`, in the order of its rows; with --time, at equal steps of that column. Returns
 * an exit status, after a message. To be closed in any case. */
int cli_series_read(cli_series *series, const cli_arguments *arguments, const char *path,
                    const char *outputs);
void cli_series_close(cli_series *series);

/* "1-4,12": growing, from 1 on. From malloc. */
int cli_series_lags(const cli_arguments *arguments, size_t *count, size_t **lags);

#endif
