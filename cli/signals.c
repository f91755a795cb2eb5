#define _XOPEN_SOURCE 700

#include "signals.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "orff.h"

static volatile sig_atomic_t interrupted, reported, bar;
static const char *const *volatile own_files;

void cli_signals_remove(const char *const *names) {
    own_files = names;
}

bool cli_interrupted(void) {
    return interrupted != 0;
}

void cli_interrupt_reported(void) {
    reported = 1;
}

/* ---- handlers: they call only functions that POSIX allows there */

static void remove_files(void) {
    const char *const *name = own_files;
    orff_file_remove_temporaries();
    for (; name && *name; name++)
        if (unlink(*name)) rmdir(*name);
}

static void write_text(const char *text) {
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* a failure cannot be reported */
}

static void leave(int number) {
    (void)number;
    remove_files();
    if (!reported && bar) write_text("\r\033[K");
    if (!reported) write_text("orff: interrupted\n");
    _exit(CLI_INTERRUPTED);
}

/* BLAS and LAPACK may work for minutes before the library checks again. */
static void on_interrupt(int number) {
    if (interrupted) leave(number);
    interrupted = 1;
    alarm(1);
}

/* The default action is restored, and the signal is not blocked, so it ends the program here. */
static void on_end(int number) {
    remove_files();
    raise(number);
}

/* ---- */

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) || before.sa_handler == SIG_IGN) return;
    sigaction(number, &action, NULL);
}

void cli_signals_begin(bool on_terminal) {
    static const int ends[] = {SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    bar = on_terminal;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        handle(ends[i], on_end, (int)SA_RESETHAND | SA_NODEFER);
    handle(SIGINT, on_interrupt, 0);
    signal(SIGALRM, leave);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* exceeding a limit on file sizes is then an error like others */
}
