/* What main does with its words: finds the command and runs it. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "options.h"

/* agree, NULL for a process by itself: makes one outcome of those of all processes, before the command runs. Returns the exit
 * status. */
int cli_program(int count, char **words, int (*agree)(int status));

#endif
