/* Bytes of a file or of standard input, unpacked on the way when they are gzip. */
#ifndef ORFF_FORMATS_STREAM_H
#define ORFF_FORMATS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct orff_stream orff_stream;

/* The calls return an orff_status; orff_stream_error then has the reason, without the name of the file.
 * *stream is set also on failure, save for ORFF_NO_MEMORY, and must be closed. */
int orff_stream_open(orff_stream **stream, const char *path);
void orff_stream_close(orff_stream *stream);
const char *orff_stream_error(const orff_stream *stream);

/* Fills the memory as far as the file goes: *got < size only at its end. */
int orff_stream_read(orff_stream *stream, void *memory, size_t size, size_t *got);
int orff_stream_skip(orff_stream *stream, uint64_t size);

bool orff_stream_can_rewind(const orff_stream *stream);
int orff_stream_rewind(orff_stream *stream);

/* True for gzip, after the first read. */
bool orff_stream_packed(const orff_stream *stream);

/* 0 to 1, of the bytes in the file; NAN for a pipe. */
double orff_stream_progress(const orff_stream *stream);

/* The whole of a plain regular file, mapped read-only; NULL for others and where the system cannot. The
 * mapping lives as long as the stream. */
const unsigned char *orff_stream_map(orff_stream *stream, size_t *size);

#endif
