/* Signals that end the program leave no temporary files behind. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

/* TERM, HUP and similar signals end the program as they would without handlers, after temporary files are
 * removed. The first interrupt requests a stop, and ends the program if work has not stopped within a
 * second; a second interrupt ends it at once. Signals ignored at the start stay ignored. on_terminal:
 * there may be a progress bar on the line. */
void cli_signals_begin(bool on_terminal);

bool cli_interrupted(void);

/* Names of files, followed by that of their directory, to be removed when a signal ends the program; NULL
 * ends the list. The list and its texts must stay unchanged until a call with NULL. */
void cli_signals_remove(const char *const *names);

/* The user has been told of the interrupt, so the handlers need not do so. */
void cli_interrupt_reported(void);

#endif
