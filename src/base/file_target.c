#define _XOPEN_SOURCE 700

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { MOST_LINKS = 40 }; /* the limit of Linux */

static orff_status fail_system(const char *path, int error) {
    if (error == ENOMEM) return orffi_fail(ORFF_ERROR_NO_MEMORY, "%s: no memory for its name", path);
    return orffi_fail(ORFF_ERROR_IO, "%s: cannot be written: %s", path, strerror(error));
}

/* The destination of the link at `path`, from malloc; relative ones start from the link's own directory. NULL
 * with errno. */
static char *follow(const char *path) {
    char to[PATH_MAX];
    const ssize_t length = readlink(path, to, sizeof to - 1);
    if (length < 0) return NULL;
    to[length] = '\0';
    const char *slash = strrchr(path, '/');
    const size_t before = *to == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    char *joined = malloc(before + (size_t)length + 1);
    if (!joined) return NULL;
    memcpy(joined, path, before);
    memcpy(joined + before, to, (size_t)length + 1);
    return joined;
}

/* realpath if the file exists; else the end of the chain of links, or the path itself. NULL with errno. */
static char *resolve(const char *path) {
    char *at = strdup(path);
    for (int links = 0; at; links++) {
        struct stat about;
        char *real = realpath(at, NULL);
        if (real || errno != ENOENT) {
            free(at);
            return real;
        }
        if (lstat(at, &about) || !S_ISLNK(about.st_mode)) return at;
        char *next = links < MOST_LINKS ? follow(at) : NULL;
        if (links == MOST_LINKS) errno = ELOOP;
        const int error = errno;
        free(at);
        errno = error;
        at = next;
    }
    return NULL;
}

/* A directory, a device or a pipe must not be renamed over. The owner's write bit counts even for root:
 * whoever cleared it wants to keep the file. */
static orff_status inspect(const char *path, orffi_target *target) {
    struct stat about;
    if (stat(target->path, &about)) return errno == ENOENT ? ORFF_OK : fail_system(path, errno);
    if (!S_ISREG(about.st_mode))
        return orffi_fail(ORFF_ERROR_IO,
                          "%s: exists and is not a regular file, so it is not replaced; "
                          "choose another name",
                          path);
    if (!(about.st_mode & S_IWUSR) || access(target->path, W_OK))
        return orffi_fail(ORFF_ERROR_IO, "%s: is read-only; allow writing (chmod u+w) or choose another name",
                          path);
    *target = (orffi_target){.path = target->path,
                             .exists = true,
                             .mode = about.st_mode & 07777,
                             .owner = about.st_uid,
                             .group = about.st_gid};
    return ORFF_OK;
}

orff_status orffi_target_find(const char *path, orffi_target *target) {
    orffi_target found = {.path = resolve(path)};
    if (!found.path) return fail_system(path, errno);
    const orff_status status = inspect(path, &found);
    if (status) {
        free(found.path);
    } else {
        *target = found;
    }
    return status;
}

void orffi_target_clear(orffi_target *target) {
    free(target->path);
    *target = (orffi_target){0};
}

/* Checks that the directory of a target may be written to. */
static orff_status check_directory(const char *path, const char *target) {
    char directory[PATH_MAX] = ".";
    const char *slash = strrchr(target, '/');
    const size_t length = slash ? (size_t)(slash - target) + 1 : 1;
    if (length >= sizeof directory) return fail_system(path, ENAMETOOLONG);
    if (slash) {
        memcpy(directory, target, length);
        directory[length] = '\0';
    }
    if (!access(directory, W_OK | X_OK)) return ORFF_OK;
    if (errno == ENOENT)
        return orffi_fail(ORFF_ERROR_IO, "%s: cannot be written: there is no directory %s", path, directory);
    return fail_system(path, errno);
}

orff_status orff_file_check(const char *path) {
    orffi_target target;
    if (!path || !*path) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the name of a file is empty");
    ORFFI_TRY(orffi_target_find(path, &target));
    const orff_status status = check_directory(path, target.path);
    orffi_target_clear(&target);
    return status;
}
