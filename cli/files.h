/* The files that a command reads and writes. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "options.h"

/* Before any work: checks that files to be written can be written, and are neither read by the same
 * command nor written twice. merge reads all files before it writes, so it may replace a file that it
 * reads. Returns an exit status, after a message. */
int cli_files_check(const cli_arguments *arguments);

#endif
