/* For LD_PRELOAD: makes chosen calls of the program orff fail, and counts them.
 *
 *     ORFF_FAIL=memory:17      the 17th allocation (malloc, calloc, realloc, aligned_alloc, posix_memalign ..) fails
 *     ORFF_FAIL=memory:17+     the 17th and all after it
 *     ORFF_FAIL=write:3:EIO    the 3rd write or pwrite fails with EIO; without a name with ENOSPC
 *
 * likewise sync (fsync, fdatasync), rename, close (close, fclose) and flush (fflush). A close that fails has closed. The
 * calls of the C library itself are seen where they go through its own symbols: all of malloc do, the writes inside of
 * stdio do not; for those the driver has a limit of the size of files.
 *
 * Calls count from the beginning of main, so that what the constructors of libraries do is left out. The driver faults.c
 * gives descriptors instead: ORFF_FAIL_RECORD of a fault_record, and ORFF_FAIL_SERVER of a socket, from which come
 * orders; for each the process forks just before main, and the child runs the program: this saves the time of loading
 * libraries. These variables and LD_PRELOAD are taken out of the environment: programs that orff starts run
 * undisturbed. Nothing here allocates. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

/* What malloc and the others do; theirs are the names that can be called before dlsym can. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static fault_record unshared, *record = &unshared;
static atomic_bool active;
static atomic_ulong calls[FAULT_KINDS]; /* of this process: a child of fork counts on its own */
static atomic_bool traced;

static fault_order order = {.kind = -1, .limit = -1};
static int server = -1;

/* ---- where */

/* "liborff.so.0+0x1234" */
static void describe(const void *address, char place[FAULT_PLACE]) {
    Dl_info about;
    if (!dladdr(address, &about) || !about.dli_fname) {
        snprintf(place, FAULT_PLACE, "?");
        return;
    }
    const char *slash = strrchr(about.dli_fname, '/');
    snprintf(place, FAULT_PLACE, "%.60s+0x%lx", slash ? slash + 1 : about.dli_fname,
             (unsigned long)((uintptr_t)address - (uintptr_t)about.dli_fbase));
}

/* Its first call loads a library: not in a handler, and not while calls count. */
static void trace(void) {
    void *frames[FAULT_FRAMES + 3];
    if (atomic_exchange(&traced, true)) return;
    const int count = backtrace(frames, FAULT_FRAMES + 3) - 3;
    for (int i = 0; i < count; i++) describe(frames[i + 3], record->frame[i]);
    atomic_store(&record->frames, count > 0 ? count : 0);
}

static bool is_other(const char *place) {
    return !strncmp(place, "libc.so", 7) || !strncmp(place, "ld-linux", 8) ||
           !strncmp(place, "libinterpose", 12);
}

/* The innermost frame outside of the C library and of this one. */
static void note_end(void) {
    void *frames[48];
    char place[FAULT_PLACE];
    const int count = backtrace(frames, 48);
    for (int i = 1; i < count && !*record->ended_in; i++) {
        describe(frames[i], place);
        if (!is_other(place)) memcpy(record->ended_in, place, FAULT_PLACE);
    }
}

/* ---- whether */

static bool fails(int kind) {
    if (!atomic_load(&active)) return false;
    const unsigned long now = atomic_fetch_add(&calls[kind], 1) + 1;
    unsigned long most = atomic_load(&record->calls[kind]);
    while (now > most && !atomic_compare_exchange_weak(&record->calls[kind], &most, now)) continue;
    if (kind != order.kind || now < order.which || (now > order.which && !order.all_after)) return false;
    trace();
    errno = order.error;
    return true;
}

/* ---- memory */

static bool lacks_memory(void) {
    if (!atomic_load(&active)) atomic_fetch_add(&record->before, 1);
    return fails(FAULT_MEMORY);
}

void *malloc(size_t size) {
    return lacks_memory() ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return lacks_memory() ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    return lacks_memory() ? NULL : __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    return lacks_memory() ? NULL : __libc_memalign(alignment, size);
}
void *memalign(size_t alignment, size_t size) {
    return lacks_memory() ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || !alignment || (alignment & (alignment - 1))) return EINVAL;
    void *found = lacks_memory() ? NULL : __libc_memalign(alignment, size);
    if (!found) return ENOMEM;
    *memory = found;
    return 0;
}

/* ---- files */

/* The function that this one stands before. */
#define NEXT(name)                              \
    static __typeof__(&name) next;              \
    if (!next) {                                \
        void *symbol = dlsym(RTLD_NEXT, #name); \
        memcpy(&next, &symbol, sizeof next);    \
    }

ssize_t write(int file, const void *data, size_t size) {
    NEXT(write)
    return fails(FAULT_WRITE) ? -1 : next(file, data, size);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    NEXT(pwrite)
    return fails(FAULT_WRITE) ? -1 : next(file, data, size, at);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    NEXT(pwrite64)
    return fails(FAULT_WRITE) ? -1 : next(file, data, size, at);
}
int fsync(int file) {
    NEXT(fsync)
    return fails(FAULT_SYNC) ? -1 : next(file);
}
int fdatasync(int file) {
    NEXT(fdatasync)
    return fails(FAULT_SYNC) ? -1 : next(file);
}
int rename(const char *from, const char *to) {
    NEXT(rename)
    return fails(FAULT_RENAME) ? -1 : next(from, to);
}
int close(int file) {
    NEXT(close)
    const int code = next(file);
    return fails(FAULT_CLOSE) ? -1 : code;
}
int fclose(FILE *stream) {
    NEXT(fclose)
    const int code = next(stream);
    return fails(FAULT_CLOSE) ? EOF : code;
}
int fflush(FILE *stream) {
    NEXT(fflush)
    return fails(FAULT_FLUSH) ? EOF : next(stream);
}

/* ---- the end, when a library makes it */

void exit(int status) {
    NEXT(exit)
    char place[FAULT_PLACE];
    describe(__builtin_return_address(0), place);
    if (strncmp(place, "orff", 4) && !is_other(place)) memcpy(record->ended_in, place, FAULT_PLACE);
    next(status);
}

static void on_signal(int number) {
    note_end();
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(void) {
    static char stack[1 << 16];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND | SA_NODEFER)};
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

/* ---- the beginning */

static void read_order(const char *text) {
    static const char *const names[FAULT_KINDS] = FAULT_NAMES;
    const char *colon = text ? strchr(text, ':') : NULL;
    if (!colon) return;
    for (int i = 0; i < FAULT_KINDS; i++)
        if (!strncmp(text, names[i], (size_t)(colon - text)) && !names[i][colon - text]) order.kind = i;
    char *end;
    order.which = strtoul(colon + 1, &end, 10);
    order.all_after = *end == '+';
    end += order.all_after;
    order.error = order.kind == FAULT_MEMORY ? ENOMEM : !strcmp(end, ":EIO") ? EIO : ENOSPC;
}

static void share_record(const char *text) {
    if (!text) return;
    const int file = atoi(text);
    void *page = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) return;
    atomic_store(&((fault_record *)page)->before, atomic_load(&unshared.before));
    record = page;
    close(file);
}

__attribute__((constructor)) static void begin(void) {
    share_record(getenv("ORFF_FAIL_RECORD"));
    read_order(getenv("ORFF_FAIL"));
    if (getenv("ORFF_FAIL_SERVER")) server = atoi(getenv("ORFF_FAIL_SERVER"));
    unsetenv("ORFF_FAIL");
    unsetenv("ORFF_FAIL_RECORD");
    unsetenv("ORFF_FAIL_SERVER");
    unsetenv("LD_PRELOAD");
}

/* A child for every order, whose status goes back. Returns in the child. */
static void serve(void) {
    while (read(server, &order, sizeof order) == sizeof order) {
        int status;
        const pid_t child = fork();
        if (!child) {
            const struct rlimit limit = {(rlim_t)order.limit, (rlim_t)order.limit};
            if (order.limit >= 0) setrlimit(RLIMIT_FSIZE, &limit);
            close(server);
            return;
        }
        while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        if (child < 0 || write(server, &status, sizeof status) != sizeof status) break;
    }
    _exit(0);
}

typedef int main_fn(int, char **, char **);
static main_fn *real_main;

static int counted_main(int count, char **words, char **environment) {
    void *frames[2];
    backtrace(frames, 2);
    if (server >= 0) serve();
    watch_signals();
    alarm(FAULT_SECONDS);
    atomic_store(&active, true);
    return real_main(count, words, environment);
}

int __libc_start_main(main_fn *main, int count, char **words, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_fn *main, int count, char **words, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
    NEXT(__libc_start_main)
    const char *slash = count ? strrchr(words[0], '/') : NULL;
    const char *name = slash ? slash + 1 : count ? words[0] : "";
    real_main = main;
    return next(strcmp(name, "orff") ? main : counted_main, count, words, init, fini, rtld_fini, stack_end);
}
