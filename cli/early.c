/* A check before any library is initialised. While OpenBLAS is loaded it allocates a work area for every
 * thread. If a memory limit leaves no room for them it tries forever, and main is never reached. The
 * loader calls the functions in the program's preinit array first. */
#define _GNU_SOURCE /* sched_getaffinity, MAP_ANONYMOUS */

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "options.h"
#include "sanitized.h"

#if defined(__linux__) && defined(__ELF__) && !defined(SANITIZED)

/* Only in OpenBLAS. The second returns a constant, so it can be called this early. */
extern char *openblas_get_config(void) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));

#define AREA_MEGABYTES ((size_t)128) /* for newer x86-64 processors; others need less */

static bool is_limited(void) {
    struct rlimit space, data;
    return (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY) ||
           (!getrlimit(RLIMIT_DATA, &data) && data.rlim_cur != RLIM_INFINITY);
}

static bool fits(size_t megabytes) {
    void *map = mmap(NULL, megabytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return false;
    munmap(map, megabytes << 20);
    return true;
}

static long number_of(char **environment, const char *name) {
    const size_t length = strlen(name);
    for (; *environment; environment++)
        if (!strncmp(*environment, name, length) && (*environment)[length] == '=')
            return strtol(*environment + length + 1, NULL, 10);
    return 0;
}

/* The number of threads as OpenBLAS counts them: from the first of these variables that is set. With
 * OpenMP, not all versions consider those before OMP_NUM_THREADS; the larger number has room for both. */
static size_t threads_of(char **environment) {
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"};
    enum { NAMES = sizeof names / sizeof *names, OPENMP = 2 };
    cpu_set_t set;
    const long processors = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    long first = 0, last = 0;
    for (size_t i = 0; i < NAMES; i++) {
        const long count = number_of(environment, names[i]);
        if (!(first > 0)) first = count;
        last = count;
    }
    if (!(first > 0)) first = processors;
    if (!(last > 0)) last = processors;
    if (openblas_get_parallel && openblas_get_parallel() == OPENMP && last > first) first = last;
    return (size_t)(first < processors ? first : processors);
}

static void refuse(size_t needed, bool several) {
    char message[256];
    size_t left = needed;
    while (left && !fits(left)) left--;
    const int length =
        snprintf(message, sizeof message,
                 "orff: the limit on memory (ulimit -v) leaves %zu MB; the linear algebra needs %zu MB to "
                 "start; raise the limit%s\n",
                 left, needed, several ? ", or set OMP_NUM_THREADS=1" : "");
    const ssize_t written = write(STDERR_FILENO, message, (size_t)length);
    (void)written;
    _exit(CLI_FAILED);
}

static void check_limit(int count, char **words, char **environment) {
    (void)count;
    (void)words;
    if (!openblas_get_config || !is_limited()) return;
    const size_t threads = threads_of(environment);
    if (!fits(threads * AREA_MEGABYTES)) refuse(threads * AREA_MEGABYTES, threads > 1);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = check_limit;

#else
typedef int cli_early_is_empty;
#endif
