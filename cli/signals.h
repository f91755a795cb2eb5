/* Signals that end the program: none leaves a temporary file behind. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

/* TERM, HUP and their like end the program as they would without us, once temporary files are gone. The first
 * interrupt asks the work to stop, and ends the program when the work does not hear it within a second; a second one
 * ends it at once. What was ignored at the start stays ignored. on_terminal: a progress bar may stand on the line. */
void cli_signals_begin(bool on_terminal);

bool cli_interrupted(void);

/* Names of files, and behind them of their directory, that go with the program when a signal ends it; NULL ends the list.
 * The list and its texts must stay as they are until they are withdrawn by NULL. */
void cli_signals_remove(const char *const *names);

/* The user has read that it was interrupted: the handlers need not say it. */
void cli_interrupt_reported(void);

#endif
