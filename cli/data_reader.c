/* Reading rows of DATA, from one table, or from several that processes share. */
#include "data_steps.h"

#include <string.h>

#include "report.h"

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

/* Reads the next rows of this process, from the current or the next table. */
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
    return data->failed ? data->failed : cli_table_failed(data->table);
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
    if (!data->failed) cli_progress_rows(cli_data_expected(data));
    return status;
}

orff_reader cli_data_reader(cli_data *data) {
    return (orff_reader){.read = read_rows, .self = data, .weighted = data->weighted};
}

int cli_data_outcome(const cli_data *data, orff_status status) {
    if (data->failed) return data->failed;
    return data->trouble ? cli_table_failed(data->table) : cli_outcome(status, NULL);
}
