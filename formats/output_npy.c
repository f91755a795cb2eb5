/* NPY 1.0, doubles in C order. The number of rows is known at the end, and then written over the header. */
#define _GNU_SOURCE

#include <stdio.h>
#include <string.h>

#include "formats/sink.h"

enum { HEADER = 128 };

static void make_header(const fmt_output *output, char header[HEADER]) {
    char text[HEADER];
    const uint16_t one = 1, length = HEADER - 10;
    char first;
    memcpy(&first, &one, 1);
    memset(header, ' ', HEADER);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(length & 0xff);
    header[9] = (char)(length >> 8);
    const int used =
        snprintf(text, sizeof text, "{'descr': '%cf8', 'fortran_order': False, 'shape': (%llu, %zu), }",
                 first ? '<' : '>', (unsigned long long)output->rows, output->options.n_columns);
    memcpy(header + 10, text, (size_t)used);
    header[HEADER - 1] = '\n';
}

static int npy_begin(fmt_output *output) {
    char header[HEADER];
    if (!output->file || output->packer)
        return fmt_output_fail(output, ORFF_ERROR_INVALID_ARGUMENT,
                               "NPY can be written to a plain file only");
    make_header(output, header);
    return fmt_output_put(output, header, HEADER);
}

static int npy_write(fmt_output *output, size_t rows, const double *cells) {
    return fmt_output_put(output, cells, rows * output->options.n_columns * sizeof *cells);
}

static int npy_finish(fmt_output *output) {
    char header[HEADER];
    make_header(output, header);
    const int status = fmt_output_flush(output);
    return status ? status : fmt_output_overwrite(output, header, HEADER);
}

static const char *const ends[] = {".npy", NULL};

const fmt_sink fmt_sink_npy = {
    .format = FMT_FORMAT_NPY, .ends = ends, .begin = npy_begin, .write = npy_write, .finish = npy_finish};
