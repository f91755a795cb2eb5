/* Tables of results: written completely or not at all, then reported. */
#ifndef CLI_WRITTEN_H
#define CLI_WRITTEN_H

#include "formats/output.h"
#include "options.h"

typedef struct cli_written {
    int (*rows)(const void *self, fmt_output *output); /* writes all rows; returns an exit status */
    char *(*json)(const void *self, double seconds);   /* made by cli_json_text */
    void (*say)(const void *self, double seconds);
} cli_written;

/* Checks that -o is given, and that not both the table (of `what`) and the JSON go to standard output. */
int cli_need_table_output(const cli_arguments *arguments, const char *what);

/* Writes the table with so many columns to -o. Makes the JSON for the user before the file is renamed into
 * place: see cli_json_text. */
int cli_write_table(const cli_arguments *arguments, const cli_written *table, size_t n_columns,
                    const fmt_output_column *columns, const void *self, double start);

#endif
