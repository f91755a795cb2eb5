/* What main does with its arguments: finds the command and runs it. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "options.h"

/* agree (NULL for a single process) combines the outcomes of all processes into one, before the command
 * runs. Returns the exit status. */
int cli_program(int count, char **words, int (*agree)(int status));

#endif
