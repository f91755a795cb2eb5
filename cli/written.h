/* Tables of results: written whole or not at all, and then told of. */
#ifndef CLI_WRITTEN_H
#define CLI_WRITTEN_H

#include "formats/output.h"
#include "options.h"

typedef struct cli_written {
    int (*rows)(const void *self, fmt_output *output); /* writes all of them; an exit status */
    char *(*json)(const void *self, double seconds);   /* by cli_json_text */
    void (*say)(const void *self, double seconds);
} cli_written;

/* -o is given, and standard output is not to hold both the table (of `what`) and the JSON. */
int cli_need_table_output(const cli_arguments *arguments, const char *what);

/* Writes the table of so many columns to -o. The JSON for the user is made before the file is renamed into place: see cli_json_text. */
int cli_write_table(const cli_arguments *arguments, const cli_written *table, size_t n_columns,
                    const fmt_output_column *columns, const void *self, double start);

#endif
