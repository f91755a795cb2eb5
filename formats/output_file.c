/* The bytes of an output: buffered, compressed if the name ends in .gz, and written to standard output or to
 * a file that is replaced at the end. */
#define _GNU_SOURCE

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "formats/sink.h"

static int fail_system(fmt_output *output, int error) {
    return fmt_output_fail(output, ORFF_ERROR_IO, "cannot be written: %s", strerror(error));
}

/* The library's message already names the file. */
static int fail_file(fmt_output *output, int status) {
    snprintf(output->message, sizeof output->message, "%s", orff_error_message());
    return status;
}

/* ---------------------------------------------------------------- opening */

static int start_packing(fmt_output *output) {
    const size_t length = strlen(output->path);
    if (length < 3 || strcasecmp(output->path + length - 3, ".gz")) return ORFF_OK;
    z_stream *packer = calloc(1, sizeof *packer);
    if (!packer) return fmt_output_fail_memory(output);
    if (deflateInit2(packer, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(packer);
        return fmt_output_fail_memory(output);
    }
    output->packer = packer;
    return ORFF_OK;
}

int fmt_output_file_open(fmt_output *output) {
    output->buffer = malloc(FMT_OUTPUT_ROOM);
    if (!output->buffer) return fmt_output_fail_memory(output);
    if (!strcmp(output->path, "-")) {
        output->descriptor = STDOUT_FILENO;
        return ORFF_OK;
    }
    const int status = (int)orff_file_create(&output->file, output->path);
    if (status) return fail_file(output, status);
    output->descriptor = orff_file_descriptor(output->file);
    return start_packing(output);
}

/* ---------------------------------------------------------------- writing */

/* write() for which a pipe without a reader is an error and not a signal: blocks SIGPIPE in this thread, and
 * discards it if this call raised it. */
static ssize_t write_quietly(int descriptor, const void *data, size_t size) {
    const struct timespec now = {0};
    sigset_t pipe, pending, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigemptyset(&pending);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    const ssize_t written = write(descriptor, data, size);
    const int error = errno;
    if (written < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
        while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

static int write_all(fmt_output *output, const void *data, size_t size) {
    const char *at = data;
    while (size) {
        const ssize_t written = write_quietly(output->descriptor, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail_system(output, errno);
        at += written;
        size -= (size_t)written;
    }
    return ORFF_OK;
}

/* Compresses the buffer; `flush` is Z_FINISH at the end. */
static int pack(fmt_output *output, int flush) {
    z_stream *packer = output->packer;
    unsigned char packed[16384];
    packer->next_in = output->buffer;
    packer->avail_in = (unsigned)output->used;
    do {
        packer->next_out = packed;
        packer->avail_out = sizeof packed;
        deflate(packer, flush);
        const int status = write_all(output, packed, sizeof packed - packer->avail_out);
        if (status) return status;
    } while (packer->avail_out == 0);
    output->used = 0;
    return ORFF_OK;
}

int fmt_output_flush(fmt_output *output) {
    if (output->packer) return pack(output, Z_NO_FLUSH);
    const int status = write_all(output, output->buffer, output->used);
    output->used = 0;
    return status;
}

int fmt_output_put(fmt_output *output, const void *data, size_t size) {
    const unsigned char *from = data;
    while (size) {
        const size_t room = FMT_OUTPUT_ROOM - output->used, piece = size < room ? size : room;
        memcpy(output->buffer + output->used, from, piece);
        output->used += piece;
        from += piece;
        size -= piece;
        const int status = output->used == FMT_OUTPUT_ROOM ? fmt_output_flush(output) : ORFF_OK;
        if (status) return status;
    }
    return ORFF_OK;
}

int fmt_output_overwrite(fmt_output *output, const void *data, size_t size) {
    const ssize_t written = pwrite(output->descriptor, data, size, 0);
    if (written < 0) return fail_system(output, errno);
    return (size_t)written == size ? ORFF_OK : fail_system(output, EIO);
}

/* ---------------------------------------------------------------- finishing */

int fmt_output_file_finish(fmt_output *output) {
    int status = output->packer ? pack(output, Z_FINISH) : fmt_output_flush(output);
    if (status || !output->file) return status;
    status = (int)orff_file_commit(output->file);
    return status ? fail_file(output, status) : ORFF_OK;
}

void fmt_output_file_close(fmt_output *output) {
    if (output->packer) deflateEnd(output->packer);
    orff_file_free(output->file);
    free(output->packer);
    free(output->buffer);
}
