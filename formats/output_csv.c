#define _GNU_SOURCE

#include <math.h>
#include <string.h>

#include "formats/sink.h"
#include "orff.h"

/* Text that a reader could take for something else is put in quotes, with its own quotes doubled. */
static int put_text(fmt_output *output, const char *text) {
    const char special[] = {output->separator, '"', '\n', '\r', '\0'};
    if (*text && *text != '#' && *text != ' ' && !strpbrk(text, special))
        return fmt_output_put(output, text, strlen(text));
    int status = fmt_output_put(output, "\"", 1);
    for (; !status && *text; text++)
        status = fmt_output_put(output, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    return status ? status : fmt_output_put(output, "\"", 1);
}

static int put_number(fmt_output *output, double value) {
    char text[ORFF_NUMBER_ROOM];
    if (isnan(value)) return fmt_output_put(output, "nan", 3);
    return fmt_output_put(output, text, orff_number_print(text, value, output->options.shortest));
}

static int put_cell(fmt_output *output, const fmt_output_column *column, double value) {
    if (column->n_labels == 0) return put_number(output, value);
    if (!(value >= 0.0 && value < (double)column->n_labels))
        return fmt_output_fail(output, ORFF_ERROR_INVALID_ARGUMENT,
                               "column %s: %g is not the number of a class", column->name, value);
    return put_text(output, column->labels[(size_t)value]);
}

static int csv_begin(fmt_output *output) {
    int status = ORFF_OK;
    for (size_t i = 0; !status && i < output->options.n_columns; i++) {
        if (i) status = fmt_output_put(output, &output->separator, 1);
        if (!status) status = put_text(output, output->options.columns[i].name);
    }
    return status ? status : fmt_output_put(output, "\n", 1);
}

static int csv_write(fmt_output *output, size_t rows, const double *cells) {
    const size_t n = output->options.n_columns;
    int status = ORFF_OK;
    for (size_t i = 0; !status && i < rows * n; i++) {
        status = put_cell(output, &output->options.columns[i % n], cells[i]);
        if (!status) status = fmt_output_put(output, i % n == n - 1 ? "\n" : &output->separator, 1);
    }
    return status;
}

static const char *const ends[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", NULL};

const fmt_sink fmt_sink_csv = {
    .format = FMT_FORMAT_CSV, .ends = ends, .begin = csv_begin, .write = csv_write};
