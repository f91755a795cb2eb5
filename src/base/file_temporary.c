/* Temporary files: those in progress, where a signal handler can find them, and those that dead processes
 * left. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* ---- registered names: static, so that a handler never reads freed memory */

enum { SLOTS = 16 };
enum { EMPTY, CHANGING, FULL };

static struct {
    atomic_int state;
    pid_t process; /* a child of fork must not remove its parent's files */
    char name[PATH_MAX];
} slots[SLOTS];

static bool move(size_t i, int from, int to) {
    return atomic_compare_exchange_strong(&slots[i].state, &from, to);
}

void orffi_temporary_note(const char *name) {
    if (strlen(name) >= sizeof slots[0].name) return;
    for (size_t i = 0; i < SLOTS; i++) {
        if (!move(i, EMPTY, CHANGING)) continue;
        slots[i].process = getpid();
        strcpy(slots[i].name, name);
        atomic_store(&slots[i].state, FULL);
        return;
    }
}

void orffi_temporary_forget(const char *name) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (!move(i, FULL, CHANGING)) continue;
        const bool same = slots[i].process == getpid() && !strcmp(slots[i].name, name);
        atomic_store(&slots[i].state, same ? EMPTY : FULL);
        if (same) return;
    }
}

void orff_file_remove_temporaries(void) {
    const int error = errno;
    for (size_t i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].state) == FULL && slots[i].process == getpid()) unlink(slots[i].name);
    errno = error;
}

/* ---- files of dead processes */

/* The process in "<process>-<counter>", or 0. */
static long owner_of(const char *mark) {
    char *end;
    if (*mark < '1' || *mark > '9') return 0;
    errno = 0;
    const long process = strtol(mark, &end, 10);
    if (errno || *end != '-' || !end[1] || end[1 + strspn(end + 1, "0123456789")]) return 0;
    return process;
}

/* If the process runs on another machine or in another container, it holds a lock. */
static bool is_locked(int directory, const char *name) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int descriptor = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return true;
    const bool locked = fcntl(descriptor, F_GETLK, &lock) || lock.l_type != F_UNLCK;
    close(descriptor);
    return locked;
}

static void remove_if_stale(int directory, const char *name, const char *mark) {
    const long process = owner_of(mark);
    if (!process || process != (pid_t)process || !kill((pid_t)process, 0) || errno != ESRCH) return;
    if (!is_locked(directory, name)) unlinkat(directory, name, 0);
}

void orffi_temporary_remove_stale(const char *target) {
    char start[PATH_MAX + sizeof ORFFI_TEMPORARY_MARK], place[PATH_MAX] = ".";
    const char *slash = strrchr(target, '/');
    if (strlen(target) >= PATH_MAX) return;
    snprintf(start, sizeof start, "%s%s", slash ? slash + 1 : target, ORFFI_TEMPORARY_MARK);
    if (slash) snprintf(place, sizeof place, "%.*s", (int)(slash - target) + 1, target);
    DIR *directory = opendir(place);
    if (!directory) return;
    const size_t length = strlen(start);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (!strncmp(entry->d_name, start, length))
            remove_if_stale(dirfd(directory), entry->d_name, entry->d_name + length);
    closedir(directory);
}
