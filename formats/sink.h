/* What is behind an output. Every format is an orff_sink in a file of its own; output_file.c has the
 * bytes. */
#ifndef ORFF_FORMATS_SINK_H
#define ORFF_FORMATS_SINK_H

#include "formats/output.h"

typedef struct orff_sink {
    const char *name;
    int (*begin)(orff_output *output); /* the file is open; may be NULL */
    int (*write)(orff_output *output, size_t rows, const double *cells);
    int (*finish)(orff_output *output); /* what stands at the end; may be NULL */
    void (*close)(orff_output *output); /* frees state; may be NULL */
} orff_sink;

extern const orff_sink orff_sink_csv, orff_sink_npy, orff_sink_netcdf;

#define ORFF_OUTPUT_ROOM 65536

struct orff_output {
    const orff_sink *sink;
    char *path; /* as shown in messages */
    orff_output_options options;
    void *state;
    uint64_t rows;
    char separator;

    int descriptor;  /* -1: not open */
    char *target;    /* path with its links resolved */
    char *temporary; /* what to rename to it; NULL when written in place: standard output, a device, a pipe */
    bool owned;      /* the descriptor is ours to close */
    void *packer;    /* of zlib; NULL: plain */
    unsigned char *buffer; /* ORFF_OUTPUT_ROOM, of which `used` are waiting */
    size_t used;
    char message[640];
};

int orff_output_fail(orff_output *output, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int orff_output_fail_memory(orff_output *output);

/* Bytes of the file. Failures are in the output's message. */
int orff_output_file_open(orff_output *output);
int orff_output_put(orff_output *output, const void *data, size_t size);
int orff_output_flush(orff_output *output);
int orff_output_overwrite(orff_output *output, const void *data,
                          size_t size); /* at the start, after a flush */
int orff_output_file_finish(orff_output *output);
void orff_output_file_close(orff_output *output);

#endif
