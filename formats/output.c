#define _GNU_SOURCE

#include "formats/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sink.h"

int orff_output_fail(orff_output *output, int status, const char *format, ...) {
    const size_t room = sizeof output->message;
    const char *name = strcmp(output->path, "-") ? output->path : "standard output";
    const int used = snprintf(output->message, room, "%.400s: ", name);
    va_list args;
    va_start(args, format);
    vsnprintf(output->message + used, room - (size_t)used, format, args);
    va_end(args);
    return status;
}

int orff_output_fail_memory(orff_output *output) {
    return orff_output_fail(output, ORFF_NO_MEMORY, "not enough memory");
}

const char *orff_output_error(const orff_output *output) {
    return output ? output->message : "not enough memory";
}

static bool ends_with(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcasecmp(path + n - m, end);
}

static const orff_sink *sink_by_format(orff_format format) {
    switch (format) {
    case ORFF_FORMAT_CSV:
        return &orff_sink_csv;
    case ORFF_FORMAT_NPY:
        return &orff_sink_npy;
    case ORFF_FORMAT_NETCDF:
        return &orff_sink_netcdf;
    default:
        return NULL;
    }
}

static const orff_sink *sink_by_name(const char *path) {
    static const struct {
        const char *end;
        const orff_sink *sink;
    } known[] = {
        {".csv", &orff_sink_csv},    {".csv.gz", &orff_sink_csv}, {".tsv", &orff_sink_csv},
        {".tsv.gz", &orff_sink_csv}, {".txt", &orff_sink_csv},    {".npy", &orff_sink_npy},
        {".nc", &orff_sink_netcdf},  {".nc4", &orff_sink_netcdf},
    };
    if (!strcmp(path, "-")) return &orff_sink_csv;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_with(path, known[i].end)) return known[i].sink;
    return NULL;
}

static int begin(orff_output *output) {
    const orff_output_options *o = &output->options;
    const char *path = output->path;
    output->sink = o->format == ORFF_FORMAT_AUTO ? sink_by_name(path) : sink_by_format(o->format);
    if (!output->sink)
        return orff_output_fail(
            output, ORFF_INVALID_ARGUMENT,
            "no format that can be written: the name must end in .csv, .tsv, .npy or .nc");
    if (o->n_columns == 0) return orff_output_fail(output, ORFF_INVALID_ARGUMENT, "no columns to write");
    output->separator = ends_with(path, ".tsv") || ends_with(path, ".tsv.gz") ? '\t' : ',';
    const int status = orff_output_file_open(output);
    return status || !output->sink->begin ? status : output->sink->begin(output);
}

int orff_output_open(orff_output **out, const char *path, const orff_output_options *options) {
    orff_output *output = *out = calloc(1, sizeof *output);
    if (!output) return ORFF_NO_MEMORY;
    output->descriptor = -1;
    output->options = *options;
    output->path = strdup(path);
    if (!output->path) {
        free(output);
        *out = NULL;
        return ORFF_NO_MEMORY;
    }
    return begin(output);
}

int orff_output_write(orff_output *output, size_t rows, const double *cells) {
    const int status = rows ? output->sink->write(output, rows, cells) : ORFF_OK;
    output->rows += rows;
    return status;
}

int orff_output_finish(orff_output *output) {
    const int status = output->sink->finish ? output->sink->finish(output) : ORFF_OK;
    return status ? status : orff_output_file_finish(output);
}

void orff_output_close(orff_output *output) {
    if (!output) return;
    if (output->sink && output->sink->close) output->sink->close(output);
    orff_output_file_close(output);
    free(output->path);
    free(output);
}
