#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static orff_status cannot_read(const char *path, int error) {
    return orffi_fail(ORFF_ERROR_IO, "%s: cannot be read: %s", path, strerror(error));
}

/* Fills bytes [0, size); returns 0 or the error number. A file that became shorter in the meantime is an
 * error. */
static int read_all(int descriptor, unsigned char *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(descriptor, bytes + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got ? errno : EIO;
        done += (size_t)got;
    }
    return 0;
}

static orff_status read_into_memory(orffi_file_view *view, const char *path, int descriptor) {
    ORFFI_TRY(orffi_alloc(&view->memory, view->size, 1));
    const int error = read_all(descriptor, view->memory, view->size);
    if (!error) {
        view->bytes = view->memory;
        return ORFF_OK;
    }
    orffi_release(view->memory);
    return cannot_read(path, error);
}

static orff_status view_descriptor(orffi_file_view *view, const char *path, int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status)) return cannot_read(path, errno);
    if (!S_ISREG(status.st_mode)) return orffi_fail(ORFF_ERROR_IO, "%s: is not a regular file", path);
    if ((uintmax_t)status.st_size > SIZE_MAX) return cannot_read(path, EFBIG);
    view->size = (size_t)status.st_size;
    void *map = view->size ? mmap(NULL, view->size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    if (map == MAP_FAILED) return read_into_memory(view, path, descriptor);
    view->bytes = map;
    return ORFF_OK;
}

/* O_NONBLOCK: refuses a pipe instead of waiting for it. */
orff_status orffi_file_view_open(orffi_file_view *view, const char *path) {
    orffi_file_view opened = {0};
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return cannot_read(path, errno);
    const orff_status status = view_descriptor(&opened, path, descriptor);
    close(descriptor);
    if (!status) *view = opened;
    return status;
}

void orffi_file_view_close(orffi_file_view *view) {
    if (view->memory) {
        orffi_release(view->memory);
    } else if (view->bytes) {
        munmap((void *)(uintptr_t)view->bytes, view->size);
    }
    *view = (orffi_file_view){0};
}
