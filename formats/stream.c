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

#include "formats/unxz.h"
#include "orff.h"

enum { ROOM = 1 << 17, PIECE = 1 << 30 };

/* The memory sanitizer does not see what zlib and liblzma write. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define WRITTEN(memory, bytes) __msan_unpoison(memory, bytes)
#endif
#endif
#ifndef WRITTEN
#define WRITTEN(memory, bytes) ((void)0)
#endif

/* Plain bytes are passed through. Compressed files must be gzip members one after the other, and nothing
 * else; zlib's own gzread would silently ignore anything after the last one. */
struct fmt_stream {
    int descriptor;
    bool regular, seekable;
    uint64_t size;
    off_t start;    /* initial position of the descriptor, if seekable */
    bool begun;     /* the first bytes have been read */
    bool packed;    /* they are gzip or xz */
    fmt_unxz *unxz; /* for xz, once started */
    bool is_xz, xz_ended;
    bool at_end;           /* the descriptor is at its end */
    uint64_t consumed;     /* bytes read from the descriptor */
    unsigned char *buffer; /* ROOM bytes, of which unpacker.next_in, avail_in are not used yet */
    z_stream unpacker;
    bool unpacking;   /* unpacker needs inflateEnd */
    bool in_member;   /* inside a member */
    uint64_t members; /* members completed */
    int failed;       /* returned again by later calls */
    unsigned char *map;
    size_t map_size;
    char message[256];
};

static int fail(fmt_stream *stream, int status, const char *what, const char *why) {
    snprintf(stream->message, sizeof stream->message, "%s: %s", what, why);
    return status;
}

static int inspect_file(fmt_stream *stream) {
    struct stat about;
    if (fstat(stream->descriptor, &about))
        return fail(stream, ORFF_ERROR_IO, "cannot be opened", strerror(errno));
    if (S_ISDIR(about.st_mode)) return fail(stream, ORFF_ERROR_IO, "cannot be read", "it is a directory");
    stream->regular = S_ISREG(about.st_mode);
    stream->size = stream->regular ? (uint64_t)about.st_size : 0;
    stream->start = stream->regular ? lseek(stream->descriptor, 0, SEEK_CUR) : -1;
    stream->seekable = stream->start >= 0;
    return ORFF_OK;
}

int fmt_stream_open(fmt_stream **out, const char *path) {
    fmt_stream *stream = *out = calloc(1, sizeof *stream);
    if (!stream) return ORFF_ERROR_NO_MEMORY;
    const bool standard = !strcmp(path, "-");
    stream->descriptor =
        standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (stream->descriptor < 0) return fail(stream, ORFF_ERROR_IO, "cannot be opened", strerror(errno));
    const int status = inspect_file(stream);
    if (status) return status;
    stream->buffer = malloc(ROOM);
    return stream->buffer ? ORFF_OK
                          : fail(stream, ORFF_ERROR_NO_MEMORY, "cannot be read", "not enough memory");
}

void fmt_stream_close(fmt_stream *stream) {
    if (!stream) return;
    if (stream->map) munmap(stream->map, stream->map_size);
    if (stream->unpacking) inflateEnd(&stream->unpacker);
    fmt_unxz_close(stream->unxz);
    if (stream->descriptor >= 0) close(stream->descriptor);
    free(stream->buffer);
    free(stream);
}

const char *fmt_stream_error(const fmt_stream *stream) {
    return stream ? stream->message : "not enough memory";
}

/* ---------------------------------------------------------------- bytes of the file */

/* Reads up to `size` bytes from the descriptor, none at its end. */
static int read_some(fmt_stream *stream, void *memory, size_t size, size_t *got) {
    const ssize_t count = read(stream->descriptor, memory, size < PIECE ? size : PIECE);
    if (count < 0) return fail(stream, ORFF_ERROR_IO, "cannot be read", strerror(errno));
    *got = (size_t)count;
    stream->consumed += *got;
    stream->at_end = *got == 0;
    return ORFF_OK;
}

/* Reads more after the bytes in the buffer. */
static int fill(fmt_stream *stream) {
    z_stream *z = &stream->unpacker;
    size_t got;
    memmove(stream->buffer, z->next_in ? z->next_in : stream->buffer, z->avail_in);
    z->next_in = stream->buffer;
    const int status = read_some(stream, stream->buffer + z->avail_in, ROOM - z->avail_in, &got);
    if (!status) z->avail_in += (unsigned)got;
    return status;
}

/* Recognises gzip by its two first bytes, xz by six. */
static int begin(fmt_stream *stream) {
    z_stream *z = &stream->unpacker;
    int status = ORFF_OK;
    if (stream->begun) return ORFF_OK;
    while (!status && z->avail_in < 6 && !stream->at_end) status = fill(stream);
    stream->begun = !status;
    stream->is_xz = z->avail_in >= 6 && !memcmp(z->next_in,
                                                "\xfd"
                                                "7zXZ",
                                                6);
    stream->packed = stream->is_xz || (z->avail_in >= 2 && z->next_in[0] == 0x1f && z->next_in[1] == 0x8b);
    return status;
}

/* Uses the buffer first, then reads directly from the file. */
static int read_plain(fmt_stream *stream, unsigned char *at, size_t size, size_t *got) {
    z_stream *z = &stream->unpacker;
    *got = z->avail_in < size ? z->avail_in : size;
    if (*got == 0) return read_some(stream, at, size, got);
    memcpy(at, z->next_in, *got);
    z->next_in += *got;
    z->avail_in -= (unsigned)*got;
    return ORFF_OK;
}

/* ---------------------------------------------------------------- gzip */

static int fail_behind(fmt_stream *stream) {
    return fail(stream, ORFF_ERROR_FORMAT, "damaged gzip data", "something that is not gzip follows it");
}

static int begin_member(fmt_stream *stream) {
    z_stream *z = &stream->unpacker;
    if (z->next_in[0] != 0x1f) return fail_behind(stream);
    const int code = stream->unpacking ? inflateReset(z) : inflateInit2(z, 15 + 16);
    if (code != Z_OK) return fail(stream, ORFF_ERROR_NO_MEMORY, "cannot be read", "not enough memory");
    stream->unpacking = stream->in_member = true;
    return ORFF_OK;
}

/* If a member has produced nothing yet and is not valid, it is garbage after the last member. */
static int fail_unpacking(fmt_stream *stream, int code) {
    const z_stream *z = &stream->unpacker;
    if (code == Z_MEM_ERROR) return fail(stream, ORFF_ERROR_NO_MEMORY, "cannot be read", "not enough memory");
    if (stream->members && z->total_out == 0) return fail_behind(stream);
    return fail(stream, ORFF_ERROR_FORMAT, "damaged gzip data", z->msg ? z->msg : "it cannot be unpacked");
}

/* Some bytes, none after the last member. */
static int read_gzip(fmt_stream *stream, unsigned char *at, size_t size, size_t *got) {
    z_stream *z = &stream->unpacker;
    const unsigned room = (unsigned)(size < PIECE ? size : PIECE);
    z->next_out = at;
    z->avail_out = room;
    while (z->avail_out == room) {
        int status = z->avail_in || stream->at_end ? ORFF_OK : fill(stream);
        if (!status && z->avail_in == 0 && stream->at_end) {
            if (!stream->in_member) break;
            return fail(stream, ORFF_ERROR_FORMAT, "damaged gzip data", "the file is cut short");
        }
        if (!status && z->avail_in && !stream->in_member) status = begin_member(stream);
        if (status) return status;
        const int code = z->avail_in ? inflate(z, Z_NO_FLUSH) : Z_OK;
        stream->in_member = code != Z_STREAM_END;
        stream->members += code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END) return fail_unpacking(stream, code);
    }
    *got = room - z->avail_out;
    WRITTEN(z->next_out - *got, *got);
    return ORFF_OK;
}

/* ---------------------------------------------------------------- xz */

static int fail_xz(fmt_stream *stream, fmt_unxz_outcome outcome) {
    if (outcome == FMT_UNXZ_ABSENT)
        return fail(stream, ORFF_ERROR_UNSUPPORTED, "is packed with xz",
                    "this build cannot unpack it (liblzma-dev was missing); unpack it first");
    if (outcome == FMT_UNXZ_LARGE)
        return fail(stream, ORFF_ERROR_NO_MEMORY, "cannot be unpacked",
                    "it needs more than 512 MB of memory");
    return fail(stream, ORFF_ERROR_FORMAT, "damaged xz data",
                outcome == FMT_UNXZ_SHORT ? "the file is cut short" : "it cannot be unpacked");
}

/* Some bytes, none at the end. */
static int read_xz(fmt_stream *stream, unsigned char *at, size_t size, size_t *got) {
    z_stream *z = &stream->unpacker;
    size_t room = size;
    unsigned char *to = at;
    if (!stream->unxz) stream->unxz = fmt_unxz_open();
    if (!stream->unxz) return fail(stream, ORFF_ERROR_NO_MEMORY, "cannot be read", "not enough memory");
    while (room == size && !stream->xz_ended) {
        const int status = z->avail_in || stream->at_end ? ORFF_OK : fill(stream);
        if (status) return status;
        const unsigned char *from = z->next_in;
        size_t left = z->avail_in;
        const fmt_unxz_outcome outcome =
            fmt_unxz_run(stream->unxz, &from, &left, stream->at_end && !left, &to, &room);
        z->next_in += from - z->next_in;
        z->avail_in = (unsigned)left;
        if (outcome > FMT_UNXZ_END) return fail_xz(stream, outcome);
        stream->xz_ended = outcome == FMT_UNXZ_END;
    }
    *got = size - room;
    WRITTEN(at, *got);
    return ORFF_OK;
}

static int read_packed(fmt_stream *stream, unsigned char *at, size_t size, size_t *got) {
    return stream->is_xz ? read_xz(stream, at, size, got) : read_gzip(stream, at, size, got);
}

int fmt_stream_read(fmt_stream *stream, void *memory, size_t size, size_t *got) {
    size_t piece = 1;
    *got = 0;
    if (!stream->failed) stream->failed = begin(stream);
    while (!stream->failed && *got < size && piece) {
        unsigned char *at = (unsigned char *)memory + *got;
        stream->failed = stream->packed ? read_packed(stream, at, size - *got, &piece)
                                        : read_plain(stream, at, size - *got, &piece);
        if (!stream->failed) *got += piece;
    }
    return stream->failed;
}

int fmt_stream_at_end(fmt_stream *stream, bool *at_end) {
    char byte;
    size_t got;
    const int status = fmt_stream_read(stream, &byte, 1, &got);
    *at_end = got == 0;
    return status;
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
    if (lseek(stream->descriptor, stream->start, SEEK_SET) < 0)
        return fail(stream, ORFF_ERROR_IO, "cannot be read again", strerror(errno));
    stream->unpacker.avail_in = 0;
    fmt_unxz_close(stream->unxz);
    stream->unxz = NULL;
    stream->begun = stream->at_end = stream->in_member = stream->xz_ended = false;
    stream->consumed = stream->members = 0;
    stream->failed = ORFF_OK;
    return ORFF_OK;
}

int fmt_stream_seek(fmt_stream *stream, uint64_t byte) {
    if (!stream->seekable || stream->packed || stream->start != 0)
        return fail(stream, ORFF_ERROR_IO, "cannot be read from the middle", "it is packed, or a pipe");
    if (byte > INT64_MAX || lseek(stream->descriptor, (off_t)byte, SEEK_SET) < 0)
        return fail(stream, ORFF_ERROR_IO, "cannot be read from the middle", strerror(errno));
    stream->unpacker.avail_in = 0;
    stream->at_end = false;
    stream->consumed = byte;
    stream->failed = ORFF_OK;
    return ORFF_OK;
}

uint64_t fmt_stream_size(const fmt_stream *stream) {
    return stream->size;
}

bool fmt_stream_packed(const fmt_stream *stream) {
    return stream->packed;
}

int fmt_stream_duplicate(const fmt_stream *stream) {
    return fcntl(stream->descriptor, F_DUPFD_CLOEXEC, 0);
}

double fmt_stream_progress(const fmt_stream *stream) {
    if (!stream->regular || stream->size == 0) return NAN;
    const double done = (double)(stream->consumed - stream->unpacker.avail_in) / (double)stream->size;
    return done < 1.0 ? done : 1.0;
}

const unsigned char *fmt_stream_map(fmt_stream *stream, size_t *size) {
    if (!stream->map) {
        if (stream->start != 0 || begin(stream) || stream->packed || stream->size == 0) return NULL;
        stream->map_size = (size_t)stream->size;
        void *map = mmap(NULL, stream->map_size, PROT_READ, MAP_PRIVATE, stream->descriptor, 0);
        if (map == MAP_FAILED) return NULL;
        stream->map = map;
    }
    *size = stream->map_size;
    return stream->map;
}
