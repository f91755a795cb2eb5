#define _GNU_SOURCE

#include "formats/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sink.h"
#include "formats/source.h"

int fmt_output_fail(fmt_output *output, int status, const char *format, ...) {
    const size_t room = sizeof output->message;
    const char *name = strcmp(output->path, "-") ? output->path : "standard output";
    const int used = snprintf(output->message, room, "%.400s: ", name);
    va_list args;
    va_start(args, format);
    vsnprintf(output->message + used, room - (size_t)used, format, args);
    va_end(args);
    return status;
}

int fmt_output_fail_memory(fmt_output *output) {
    return fmt_output_fail(output, ORFF_ERROR_NO_MEMORY, "not enough memory");
}

const char *fmt_output_error(const fmt_output *output) {
    return output ? output->message : "not enough memory";
}

static const fmt_sink *const sinks[] = {
#define SINK_OF(file) &fmt_sink_##file,
    FMT_SINK_LIST(SINK_OF) NULL
#undef SINK_OF
};

static bool claims_name(const fmt_sink *sink, const char *path) {
    for (const char *const *end = sink->ends; *end; end++)
        if (fmt_ends_with(path, *end)) return true;
    return false;
}

/* Standard output gets the first format of the list. */
static const fmt_sink *find_sink(const char *path, fmt_format format) {
    if (format == FMT_FORMAT_AUTO && !strcmp(path, "-")) return sinks[0];
    for (size_t i = 0; sinks[i]; i++)
        if (format == FMT_FORMAT_AUTO ? claims_name(sinks[i], path) : sinks[i]->format == format)
            return sinks[i];
    return NULL;
}

static int begin(fmt_output *output) {
    const fmt_output_options *o = &output->options;
    const char *path = output->path;
    output->sink = find_sink(path, o->format);
    if (!output->sink)
        return fmt_output_fail(output, ORFF_ERROR_INVALID_ARGUMENT,
                               "this format cannot be written: the name must end in .csv, .tsv, .npy or .nc");
    if (o->n_columns == 0) return fmt_output_fail(output, ORFF_ERROR_INVALID_ARGUMENT, "no columns to write");
    output->separator = fmt_ends_with(path, ".tsv") || fmt_ends_with(path, ".tsv.gz") ? '\t' : ',';
    const int status = fmt_output_file_open(output);
    return status || !output->sink->begin ? status : output->sink->begin(output);
}

int fmt_output_open(fmt_output **out, const char *path, const fmt_output_options *options) {
    fmt_output *output = *out = calloc(1, sizeof *output);
    if (!output) return ORFF_ERROR_NO_MEMORY;
    output->descriptor = -1;
    output->options = *options;
    output->path = strdup(path);
    if (!output->path) {
        free(output);
        *out = NULL;
        return ORFF_ERROR_NO_MEMORY;
    }
    return begin(output);
}

int fmt_output_write(fmt_output *output, size_t rows, const double *cells) {
    const int status = rows ? output->sink->write(output, rows, cells) : ORFF_OK;
    output->rows += rows;
    return status;
}

int fmt_output_finish(fmt_output *output) {
    const int status = output->sink->finish ? output->sink->finish(output) : ORFF_OK;
    return status ? status : fmt_output_file_finish(output);
}

void fmt_output_close(fmt_output *output) {
    if (!output) return;
    if (output->sink && output->sink->close) output->sink->close(output);
    fmt_output_file_close(output);
    free(output->path);
    free(output);
}

static uint64_t product(uint64_t a, uint64_t b) {
    uint64_t result;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* A cell of CSV has at least a digit and a separator, and deflate packs at most 1032 bytes into one. In a
 * NetCDF grid the inputs take almost nothing, so one column counts. */
void fmt_output_least(const char *path, size_t columns, uint64_t rows, uint64_t *file, uint64_t *memory) {
    const fmt_sink *sink = find_sink(path, FMT_FORMAT_AUTO);
    const uint64_t cells = product(rows, columns);
    *memory = sink == &fmt_sink_netcdf ? product(cells, sizeof(double)) : 0;
    *file = sink == &fmt_sink_netcdf ? product(rows, sizeof(double))
            : sink == &fmt_sink_npy  ? product(cells, sizeof(double))
                                     : product(cells, 2);
    if (fmt_ends_with(path, ".gz") && *file != UINT64_MAX) *file /= 1032;
}
