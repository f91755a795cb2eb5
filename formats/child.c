#define _GNU_SOURCE

#include "formats/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "formats/wire.h"

enum { SOCKET = 3, KEPT = 4, ABOVE = 16, LOOK_MS = 200, DESCRIPTORS_MOST = 1 << 16 };

/* ---------------------------------------------------------------- in the child */

/* The parent's signal handlers are reset. Signals that a terminal or a supervisor sends to the whole group
 * are ignored: the parent handles them, and the child dies with it. */
static void reset_signals(void) {
    static const int left_to_parent[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP};
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN) signal(number, SIG_DFL);
    }
    for (size_t i = 0; i < sizeof left_to_parent / sizeof *left_to_parent; i++)
        signal(left_to_parent[i], SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void die_with_parent(pid_t parent) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(1);
}

static void close_from(int first) {
#ifdef CLOSE_RANGE_CLOEXEC
    if (!close_range((unsigned)first, ~0U, 0)) return;
#endif
    const long most = sysconf(_SC_OPEN_MAX);
    for (int i = first; i < (most > 0 && most < DESCRIPTORS_MOST ? most : DESCRIPTORS_MOST); i++) close(i);
}

/* Leaves SOCKET and KEPT (or -1) open, connects the standard streams to /dev/null, and closes all others. */
static int sort_descriptors(int line, int descriptor) {
    const int nothing = open("/dev/null", O_RDWR);
    const int high_line = fcntl(line, F_DUPFD, ABOVE);
    const int high = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD, ABOVE);
    if (high_line < 0 || (descriptor >= 0 && high < 0)) _exit(1);
    for (int i = 0; i < SOCKET; i++)
        if (nothing >= 0) dup2(nothing, i);
    if (dup2(high_line, SOCKET) < 0 || (high >= 0 && dup2(high, KEPT) < 0)) _exit(1);
    close_from(high < 0 ? KEPT : KEPT + 1);
    return high < 0 ? -1 : KEPT;
}

/* Bytes of address space in use; 0 if the system does not say. */
static uint64_t address_space(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 0;
    if (fscanf(file, "%llu", &pages) != 1) pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Reduces the current limit to `most`; false if it is not above that. */
static bool lower(struct rlimit *now, rlim_t most) {
    if (now->rlim_cur != RLIM_INFINITY && now->rlim_cur <= most) return false;
    now->rlim_cur = most;
    return true;
}

static void set_limits(const fmt_child_limits *limits) {
    const uint64_t used = address_space();
    struct rlimit now;
    if (!getrlimit(RLIMIT_CORE, &now) && lower(&now, 0)) setrlimit(RLIMIT_CORE, &now);
    if (!used || limits->memory >= (uint64_t)1 << 60) return;
    if (!getrlimit(RLIMIT_AS, &now) && lower(&now, (rlim_t)(used + limits->memory)))
        setrlimit(RLIMIT_AS, &now);
}

/* ---------------------------------------------------------------- starting */

int fmt_child_start(fmt_child *child, const fmt_child_limits *limits, int descriptor,
                    void (*work)(int socket, int kept, void *self), void *self) {
    int line[2];
    sigset_t all, before;
    const pid_t parent = getpid();
    *child = (fmt_child){.socket = -1, .seconds = limits->seconds, .ending = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line)) return errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t id = fork();
    const int error = errno;
    if (id == 0) {
        reset_signals();
        die_with_parent(parent);
        const int kept = sort_descriptors(line[1], descriptor);
        set_limits(limits);
        work(SOCKET, kept, self);
        _exit(0);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(line[1]);
    child->socket = line[0];
    child->id = id < 0 ? 0 : id;
    return id < 0 ? error : 0;
}

/* ---------------------------------------------------------------- in the parent */

/* Seconds of processor time that the child has used. */
static double time_used(const fmt_child *child) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(child->id, &clock) || clock_gettime(clock, &time)) return child->begun;
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

fmt_child_outcome fmt_child_ask(fmt_child *child, const void *bytes, size_t size) {
    if (!child->id) return FMT_CHILD_GONE;
    child->begun = time_used(child);
    return fmt_wire_send(child->socket, bytes, size) ? FMT_CHILD_FINE : FMT_CHILD_GONE;
}

/* Waits until there is something to read, or a reason to stop waiting. */
static fmt_child_outcome wait_for(fmt_child *child) {
    for (;;) {
        struct pollfd line = {.fd = child->socket, .events = POLLIN};
        if (poll(&line, 1, LOOK_MS) > 0) return FMT_CHILD_FINE;
        if (child->interrupted && child->interrupted()) return FMT_CHILD_INTERRUPTED;
        if (time_used(child) - child->begun > child->seconds) return FMT_CHILD_SLOW;
    }
}

fmt_child_outcome fmt_child_receive(fmt_child *child, void *bytes, size_t size) {
    char *at = bytes;
    fmt_child_outcome outcome = child->id ? FMT_CHILD_FINE : FMT_CHILD_GONE;
    while (size && !outcome) {
        const ssize_t got = recv(child->socket, at, size, MSG_DONTWAIT);
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
            outcome = wait_for(child);
        } else {
            outcome = FMT_CHILD_GONE;
        }
    }
    if (outcome) fmt_child_end(child);
    return outcome;
}

/* Killing a child that is already exiting does not change its exit status. */
void fmt_child_end(fmt_child *child) {
    if (child->socket >= 0) close(child->socket);
    child->socket = -1;
    if (!child->id) return;
    int ending;
    pid_t ended;
    kill(child->id, SIGKILL);
    while ((ended = waitpid(child->id, &ending, 0)) < 0 && errno == EINTR) continue;
    child->ending = ended == child->id ? ending : -1;
    child->id = 0;
}
