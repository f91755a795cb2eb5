#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* Names on their way from the caller's path to the file. */
typedef struct names {
    char *target;    /* path with its links resolved; from realpath or strdup, so ended by free() */
    char *temporary; /* target + ".tmp-<pid>-<counter>" */
    size_t room;
} names;

static orff_status cannot(const char *what, const char *path, int error) {
    return orffi_fail(ORFF_ERROR_IO, "%s: cannot be %s: %s", path, what, strerror(error));
}

/* A device or a directory must not be renamed over; a file that is not there yet is fine. */
static orff_status resolve(const char *path, char **target) {
    struct stat status;
    *target = realpath(path, NULL);
    if (!*target && errno != ENOENT) return cannot("written", path, errno);
    if (*target && (stat(*target, &status) || !S_ISREG(status.st_mode)))
        return orffi_fail(ORFF_ERROR_IO, "%s: exists and is not a regular file", path);
    if (!*target) *target = strdup(path);
    return *target ? ORFF_OK : orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for a file name");
}

static orff_status name_files(const char *path, names *n) {
    ORFFI_TRY(resolve(path, &n->target));
    n->room = strlen(n->target) + 64;
    return ORFFI_NEW_ARRAY(n->temporary, n->room);
}

static void free_names(names *n) {
    free(n->target);
    orffi_release(n->temporary);
}

/* A descriptor of a new file with a name of its own, or -1 with errno. */
static int create_temporary(names *n) {
    static atomic_uint counter;
    int descriptor;
    do {
        snprintf(n->temporary, n->room, "%s.tmp-%ld-%u", n->target, (long)getpid(),
                 atomic_fetch_add(&counter, 1));
        descriptor = open(n->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EEXIST);
    return descriptor;
}

/* 0, or the error number. A write may take less than it was given. */
static int write_all(int descriptor, const orffi_span *span) {
    const char *at = span->data;
    for (size_t left = span->bytes; left;) {
        const size_t piece = left < ((size_t)1 << 30) ? left : (size_t)1 << 30;
        const ssize_t written = write(descriptor, at, piece);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written ? errno : EIO;
        at += written;
        left -= (size_t)written;
    }
    return 0;
}

static int fill_and_close(int descriptor, size_t count, const orffi_span *spans) {
    int error = 0;
    for (size_t i = 0; !error && i < count; i++) error = write_all(descriptor, &spans[i]);
    if (!error && fsync(descriptor)) error = errno;
    if (close(descriptor) && !error) error = errno;
    return error;
}

/* So that the new name survives a crash of the machine. Where a directory cannot be opened or synced (some
 * network and foreign file systems) there is nothing more to do. */
static int sync_directory(names *n) {
    char *slash = strrchr(n->target, '/');
    if (slash) slash[slash == n->target] = '\0';
    const int descriptor = open(slash ? n->target : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    const int error = fsync(descriptor) ? errno : 0;
    close(descriptor);
    return error == EINVAL || error == ENOTSUP || error == ENOSYS ? 0 : error;
}

static orff_status replace(const char *path, names *n, size_t count, const orffi_span *spans) {
    const int descriptor = create_temporary(n);
    if (descriptor < 0) return cannot("written", path, errno);
    int error = fill_and_close(descriptor, count, spans);
    if (!error && rename(n->temporary, n->target)) error = errno;
    if (error) {
        unlink(n->temporary);
        return cannot("written", path, error);
    }
    error = sync_directory(n);
    return error ? cannot("made safe on disk, though it is written", path, error) : ORFF_OK;
}

orff_status orffi_file_replace(const char *path, size_t count, const orffi_span *spans) {
    names n = {0};
    orff_status status = name_files(path, &n);
    if (!status) status = replace(path, &n, count, spans);
    free_names(&n);
    return status;
}
