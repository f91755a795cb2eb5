/* Makes waiting threads give way soon. Threads of GNU's OpenMP otherwise wait in a loop, for milliseconds:
 * on a machine with other work, two threads are then slower than one. OpenMP reads from the environment
 * how long they loop while it is loaded, so the variable must be set before. The loader calls the
 * functions in the program's preinit array first; but the environment cannot grow there, as the C library
 * later starts with the one from the kernel. So a variable that no library reads lends its place, and gets
 * it back before main. Settings of the user about waiting are left alone. */
#include <stdbool.h>
#include <string.h>

#include "sanitized.h"

#if defined(__linux__) && defined(__ELF__) && !defined(SANITIZED)

extern char **environ;

/* Few enough to give way, enough for short waits between threads that all run (docs/features.md). */
static char setting[] = "GOMP_SPINCOUNT=100";
static char *lent; /* the variable that lends its place */

static char **place_of(char **environment, const char *name) {
    const size_t length = strlen(name);
    for (; *environment; environment++)
        if (!strncmp(*environment, name, length) && (*environment)[length] == '=') return environment;
    return NULL;
}

static void lend_place(int count, char **words, char **environment) {
    static const char *const lenders[] = {"_", "SHLVL", "OLDPWD", "PWD", "LOGNAME", "USER", "PATH"};
    (void)count;
    (void)words;
    if (place_of(environment, "GOMP_SPINCOUNT") || place_of(environment, "OMP_WAIT_POLICY")) return;
    for (size_t i = 0; i < sizeof lenders / sizeof *lenders; i++) {
        char **place = place_of(environment, lenders[i]);
        if (!place) continue;
        lent = *place;
        *place = setting;
        return;
    }
}

/* Constructors of a program run after those of its libraries. */
__attribute__((constructor)) static void give_back(void) {
    for (char **place = environ; lent && place && *place; place++)
        if (*place == setting) *place = lent;
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = lend_place;

#else
typedef int cli_waiting_is_empty;
#endif
