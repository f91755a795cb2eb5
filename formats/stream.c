#define _GNU_SOURCE

#include "formats/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "orff.h"

enum { PACKED_ROOM = 1 << 17, PIECE = 1 << 30 };

struct fmt_stream {
    gzFile file; /* reads plain files as they are */
    int descriptor;
    bool regular, seekable;
    uint64_t size;
    unsigned char *map;
    size_t map_size;
    char message[256];
};

static int fail(fmt_stream *stream, int status, const char *what, const char *why) {
    snprintf(stream->message, sizeof stream->message, "%s: %s", what, why);
    return status;
}

static int look(fmt_stream *stream) {
    struct stat about;
    if (fstat(stream->descriptor, &about))
        return fail(stream, ORFF_ERROR_IO, "cannot be opened", strerror(errno));
    if (S_ISDIR(about.st_mode)) return fail(stream, ORFF_ERROR_IO, "cannot be read", "it is a directory");
    stream->regular = S_ISREG(about.st_mode);
    stream->size = stream->regular ? (uint64_t)about.st_size : 0;
    stream->seekable = stream->regular && lseek(stream->descriptor, 0, SEEK_CUR) >= 0;
    return ORFF_OK;
}

int fmt_stream_open(fmt_stream **out, const char *path) {
    fmt_stream *stream = *out = calloc(1, sizeof *stream);
    if (!stream) return ORFF_ERROR_NO_MEMORY;
    const bool standard = !strcmp(path, "-");
    stream->descriptor =
        standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (stream->descriptor < 0) return fail(stream, ORFF_ERROR_IO, "cannot be opened", strerror(errno));
    const int status = look(stream);
    if (status) return status;
    stream->file = gzdopen(stream->descriptor, "rb");
    if (!stream->file) return fail(stream, ORFF_ERROR_NO_MEMORY, "cannot be read", "not enough memory");
    gzbuffer(stream->file, PACKED_ROOM);
    return ORFF_OK;
}

void fmt_stream_close(fmt_stream *stream) {
    if (!stream) return;
    if (stream->map) munmap(stream->map, stream->map_size);
    if (stream->file) {
        gzclose_r(stream->file);
    } else if (stream->descriptor >= 0) {
        close(stream->descriptor);
    }
    free(stream);
}

const char *fmt_stream_error(const fmt_stream *stream) {
    return stream ? stream->message : "not enough memory";
}

/* zlib's code of a failure to a status and words. Z_BUF_ERROR: the file ends within the packed data. */
static int fail_reading(fmt_stream *stream) {
    const int system = errno;
    int code;
    const char *text = gzerror(stream->file, &code);
    if (code == Z_ERRNO) return fail(stream, ORFF_ERROR_IO, "cannot be read", strerror(system));
    if (code == Z_BUF_ERROR)
        return fail(stream, ORFF_ERROR_FORMAT, "damaged gzip data", "the file is cut short");
    if (code == Z_MEM_ERROR) return fail(stream, ORFF_ERROR_NO_MEMORY, "cannot be read", "not enough memory");
    return fail(stream, ORFF_ERROR_FORMAT, "damaged gzip data", text);
}

/* gzread tells of a file cut short only once, and not always by what it returns. */
static bool cut_short(fmt_stream *stream) {
    int code;
    gzerror(stream->file, &code);
    return code == Z_BUF_ERROR;
}

int fmt_stream_read(fmt_stream *stream, void *memory, size_t size, size_t *got) {
    char *at = memory;
    *got = 0;
    while (*got < size) {
        const size_t piece = size - *got < PIECE ? size - *got : PIECE;
        errno = 0;
        const int count = gzread(stream->file, at + *got, (unsigned)piece);
        if (count < 0 || cut_short(stream)) return fail_reading(stream);
        if (count == 0) break;
        *got += (size_t)count;
    }
    return ORFF_OK;
}

int fmt_stream_skip(fmt_stream *stream, uint64_t size) {
    char scratch[4096];
    while (size) {
        size_t got, piece = size < sizeof scratch ? (size_t)size : sizeof scratch;
        const int status = fmt_stream_read(stream, scratch, piece, &got);
        if (status) return status;
        if (got < piece) return fail(stream, ORFF_ERROR_FORMAT, "cannot be read", "the file is cut short");
        size -= piece;
    }
    return ORFF_OK;
}

bool fmt_stream_can_rewind(const fmt_stream *stream) {
    return stream->seekable;
}

int fmt_stream_rewind(fmt_stream *stream) {
    if (!stream->seekable) return fail(stream, ORFF_ERROR_IO, "cannot be read twice", "it is a pipe");
    return gzrewind(stream->file) ? fail(stream, ORFF_ERROR_IO, "cannot be read again", strerror(errno))
                                  : ORFF_OK;
}

bool fmt_stream_packed(const fmt_stream *stream) {
    return !gzdirect(stream->file);
}

int fmt_stream_duplicate(const fmt_stream *stream) {
    return fcntl(stream->descriptor, F_DUPFD_CLOEXEC, 0);
}

double fmt_stream_progress(const fmt_stream *stream) {
    if (!stream->regular || stream->size == 0) return NAN;
    const double done = (double)gzoffset(stream->file) / (double)stream->size;
    return done < 1.0 ? done : 1.0;
}

const unsigned char *fmt_stream_map(fmt_stream *stream, size_t *size) {
    if (!stream->map) {
        if (!stream->regular || !gzdirect(stream->file) || stream->size == 0) return NULL;
        stream->map_size = (size_t)stream->size;
        void *map = mmap(NULL, stream->map_size, PROT_READ, MAP_PRIVATE, stream->descriptor, 0);
        if (map == MAP_FAILED) return NULL;
        stream->map = map;
    }
    *size = stream->map_size;
    return stream->map;
}
