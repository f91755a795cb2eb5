#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

struct orff_file {
    char *shown; /* the caller's path, for messages */
    orffi_target target;
    char *temporary; /* in the target's directory; NULL: none, or renamed */
    int descriptor;  /* -1: closed */
};

static orff_status fail_system(const orff_file *file, int error) {
    return orffi_fail(ORFF_ERROR_IO, "%s: cannot be written: %s", file->shown, strerror(error));
}

/* ---- opening */

/* Creates a file with a name of its own. If it will replace a file, others may not read it before it has the
 * mode of that file. */
static orff_status create_temporary(orff_file *file) {
    static atomic_uint counter;
    const size_t room = strlen(file->target.path) + 64;
    ORFFI_TRY(ORFFI_NEW_ARRAY(file->temporary, room));
    do {
        snprintf(file->temporary, room, "%s" ORFFI_TEMPORARY_MARK "%ld-%u", file->target.path, (long)getpid(),
                 atomic_fetch_add(&counter, 1));
        orffi_temporary_note(file->temporary);
        file->descriptor =
            open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, file->target.exists ? 0600 : 0666);
        if (file->descriptor >= 0) return ORFF_OK;
        orffi_temporary_forget(file->temporary);
    } while (errno == EEXIST);
    const int error = errno;
    orffi_release(file->temporary);
    file->temporary = NULL;
    return fail_system(file, error);
}

/* Copies owner and mode of the file to be replaced. Only root can change the owner; otherwise the file
 * belongs to the writer. */
static orff_status keep_attributes(orff_file *file) {
    const orffi_target *old = &file->target;
    if (!old->exists) return ORFF_OK;
    if (old->owner != geteuid() && fchown(file->descriptor, old->owner, old->group) && errno != EPERM)
        return fail_system(file, errno);
    return fchmod(file->descriptor, old->mode) ? fail_system(file, errno) : ORFF_OK;
}

/* Locks the temporary, to tell other machines and containers that it is in use; see
 * orffi_temporary_remove_stale. Does nothing if locks are not available. */
static void lock(const orff_file *file) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fcntl(file->descriptor, F_SETLK, &whole);
}

static orff_status begin(orff_file *file, const char *path) {
    ORFFI_TRY(orffi_replace_text(&file->shown, path));
    ORFFI_TRY(orffi_target_find(path, &file->target));
    orffi_temporary_remove_stale(file->target.path);
    ORFFI_TRY(create_temporary(file));
    lock(file);
    return keep_attributes(file);
}

orff_status orff_file_create(orff_file **out, const char *path) {
    orff_file *file;
    if (!out || !path || !*path)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the name of a file is empty");
    ORFFI_TRY(ORFFI_NEW(file));
    file->descriptor = -1;
    const orff_status status = begin(file, path);
    if (status) {
        orff_file_free(file);
    } else {
        *out = file;
    }
    return status;
}

/* ---- writing */

int orff_file_descriptor(const orff_file *file) {
    return file->descriptor;
}

const char *orff_file_temporary(const orff_file *file) {
    return file->temporary;
}

/* A single write may take fewer bytes than given. */
orff_status orff_file_write(orff_file *file, const void *data, size_t bytes) {
    const char *at = data;
    while (bytes) {
        const size_t piece = bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30;
        const ssize_t written = write(file->descriptor, at, piece);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail_system(file, written ? errno : EIO);
        at += written;
        bytes -= (size_t)written;
    }
    return ORFF_OK;
}

/* ---- closing */

/* Makes the new name survive a crash of the machine. The file is complete, old or new, whether this succeeds
 * or not, so a directory that cannot be synced is not an error. */
static void sync_directory(char *target) {
    char *slash = strrchr(target, '/');
    if (slash) slash[slash == target] = '\0';
    const int descriptor = open(slash ? target : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

static int sync_and_close(orff_file *file) {
    const int descriptor = file->descriptor;
    const int error = fsync(descriptor) ? errno : 0;
    file->descriptor = -1;
    return close(descriptor) && !error ? errno : error;
}

orff_status orff_file_commit(orff_file *file) {
    int error = sync_and_close(file);
    if (!error && rename(file->temporary, file->target.path)) error = errno;
    if (error) return fail_system(file, error);
    orffi_temporary_forget(file->temporary);
    orffi_release(file->temporary);
    file->temporary = NULL;
    sync_directory(file->target.path);
    return ORFF_OK;
}

void orff_file_free(orff_file *file) {
    if (!file) return;
    if (file->descriptor >= 0) close(file->descriptor);
    if (file->temporary) {
        unlink(file->temporary);
        orffi_temporary_forget(file->temporary);
    }
    orffi_release(file->temporary);
    orffi_target_clear(&file->target);
    orffi_release(file->shown);
    orffi_release(file);
}

orff_status orffi_file_replace(const char *path, size_t count, const orffi_span *spans,
                               orffi_file_check check) {
    orff_file *file;
    ORFFI_TRY(orff_file_create(&file, path));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = orff_file_write(file, spans[i].data, spans[i].bytes);
    if (!status && check) status = check(file->temporary);
    if (!status) status = orff_file_commit(file);
    orff_file_free(file);
    return status;
}
