/* Bytes of a file or of standard input, unpacked if they are gzip or xz. */
#ifndef FMT_STREAM_H
#define FMT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fmt_stream fmt_stream;

/* The calls return an orff_status; fmt_stream_error then has the reason, without the name of the file.
 * *stream is set even on failure, except for ORFF_ERROR_NO_MEMORY, and must be closed. */
int fmt_stream_open(fmt_stream **stream, const char *path);
void fmt_stream_close(fmt_stream *stream);
const char *fmt_stream_error(const fmt_stream *stream);

/* Fills the memory as far as the file goes: *got < size only at its end. */
int fmt_stream_read(fmt_stream *stream, void *memory, size_t size, size_t *got);

/* Whether the stream is at its end; otherwise it consumes a byte. In a compressed file, anything after the
 * compressed data is an error. */
int fmt_stream_at_end(fmt_stream *stream, bool *at_end);
int fmt_stream_skip(fmt_stream *stream, uint64_t size);

bool fmt_stream_can_rewind(const fmt_stream *stream);
int fmt_stream_rewind(fmt_stream *stream);

/* Moves to a position in a plain file that can be rewound; others are refused. */
int fmt_stream_seek(fmt_stream *stream, uint64_t byte);

/* The size of a regular file in bytes, 0 for others. */
uint64_t fmt_stream_size(const fmt_stream *stream);

/* True for gzip and xz, after the first read. */
bool fmt_stream_packed(const fmt_stream *stream);

/* A duplicate descriptor of the same file, which the caller closes; -1 with errno if there is none. */
int fmt_stream_duplicate(const fmt_stream *stream);

/* From 0 to 1, in bytes of the file; NAN for a pipe. */
double fmt_stream_progress(const fmt_stream *stream);

/* A whole plain regular file, mapped read-only; NULL for others, and if the system cannot. The mapping lives
 * as long as the stream. */
const unsigned char *fmt_stream_map(fmt_stream *stream, size_t *size);

#endif
