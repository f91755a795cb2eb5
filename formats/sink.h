/* The implementation of an output. Every format is an fmt_sink in a file of its own; output_file.c writes the
 * bytes. */
#ifndef FMT_SINK_H
#define FMT_SINK_H

#include "formats/output.h"

typedef struct fmt_sink {
    fmt_format format;
    const char *const *ends;          /* endings of file names; terminated by NULL */
    int (*begin)(fmt_output *output); /* called when the file is open; may be NULL */
    int (*write)(fmt_output *output, size_t rows, const double *cells);
    int (*finish)(fmt_output *output); /* writes the end of the file; may be NULL */
    void (*close)(fmt_output *output); /* frees state; may be NULL */
} fmt_sink;

/* The formats that can be written: one line here, and a file with its fmt_sink. */
#define FMT_SINK_LIST(X) \
    X(csv)               \
    X(npy)               \
    X(netcdf)

#define FMT_SINK_DECLARE(file) extern const fmt_sink fmt_sink_##file;
FMT_SINK_LIST(FMT_SINK_DECLARE)
#undef FMT_SINK_DECLARE

#define FMT_OUTPUT_ROOM 65536

struct fmt_output {
    const fmt_sink *sink;
    char *path; /* as shown in messages */
    fmt_output_options options;
    void *state;
    uint64_t rows;
    char separator;

    orff_file *file;       /* NULL: standard output */
    int descriptor;        /* -1: not open */
    void *packer;          /* zlib's state; NULL: plain */
    unsigned char *buffer; /* FMT_OUTPUT_ROOM bytes, of which `used` are to be written */
    size_t used;
    char message[640];
};

int fmt_output_fail(fmt_output *output, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fmt_output_fail_memory(fmt_output *output);

/* Write the bytes of the file. Failures set the output's message. */
int fmt_output_file_open(fmt_output *output);
int fmt_output_put(fmt_output *output, const void *data, size_t size);
int fmt_output_flush(fmt_output *output);
int fmt_output_overwrite(fmt_output *output, const void *data, size_t size); /* at the start of the file,
                                                                                after a flush */
int fmt_output_file_finish(fmt_output *output);
void fmt_output_file_close(fmt_output *output);

#endif
