/* Reads a table as a matrix. */
#include "data_steps.h"

#include "report.h"

#define MOST_NUMBERS ((size_t)1 << 27)

int cli_data_numbers(const char *path, size_t *rows, size_t *cols, double **numbers) {
    fmt_table *table;
    const fmt_table_selection selection = {0};
    size_t more = 1;
    int status = cli_data_open_table(&table, path, NULL);
    if (!status && fmt_table_select(table, &selection)) status = cli_table_failed(table);
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
            status = cli_table_failed(table);
        *rows += more;
    }
    if (!status && !*rows) status = cli_failed("%s: there are no numbers", path);
    fmt_table_close(table);
    return status;
}
