/* NPY 1.0, doubles in C order. The number of rows is known only at the end, when the header is written
 * again. */
#define _GNU_SOURCE

#include "formats/npy_header.h"
#include "formats/sink.h"

static void make_header(const fmt_output *output, char header[FMT_NPY_HEADER]) {
    fmt_npy_make_header(output->rows, output->options.n_columns, header);
}

static int npy_begin(fmt_output *output) {
    char header[FMT_NPY_HEADER];
    if (!output->file || output->packer)
        return fmt_output_fail(output, ORFF_ERROR_INVALID_ARGUMENT,
                               "NPY can be written to a plain file only");
    make_header(output, header);
    return fmt_output_put(output, header, FMT_NPY_HEADER);
}

static int npy_write(fmt_output *output, size_t rows, const double *cells) {
    return fmt_output_put(output, cells, rows * output->options.n_columns * sizeof *cells);
}

static int npy_finish(fmt_output *output) {
    char header[FMT_NPY_HEADER];
    make_header(output, header);
    const int status = fmt_output_flush(output);
    return status ? status : fmt_output_overwrite(output, header, FMT_NPY_HEADER);
}

static const char *const ends[] = {".npy", NULL};

const fmt_sink fmt_sink_npy = {
    .format = FMT_FORMAT_NPY, .ends = ends, .begin = npy_begin, .write = npy_write, .finish = npy_finish};
