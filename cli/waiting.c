/* Threads that wait give way soon. Those of GNU's OpenMP otherwise wait in a loop, for milliseconds: on a machine that has
 * other work, two threads are then slower than one. How long they loop is read from the environment while OpenMP is loaded,
 * so it has to stand there before. The functions of the program's preinit array are the first that the loader calls; but the
 * environment cannot grow there, as the C library begins later with the one that the kernel has left. So a variable that no
 * library looks at lends its place, and has it back before main. What the user says about waiting is left alone. */
#include <stdbool.h>
#include <string.h>

#include "sanitized.h"

#if defined(__linux__) && defined(__ELF__) && !defined(SANITIZED)

extern char **environ;

/* Few enough to give way, enough for the short waits between threads that all run (docs/features.md). */
static char setting[] = "GOMP_SPINCOUNT=100";
static char *lent; /* whose place it has */

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

/* The constructors of a program come after those of its libraries. */
__attribute__((constructor)) static void give_back(void) {
    for (char **place = environ; lent && place && *place; place++)
        if (*place == setting) *place = lent;
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = lend_place;

#else
typedef int cli_waiting_is_empty;
#endif
