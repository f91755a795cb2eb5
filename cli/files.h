/* The files of a command: which are read, which are written. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "options.h"

/* Before any work: what is to be written can be, and is neither read by the same command nor written twice. merge reads
 * all before it writes, so that it may replace what it has read. Returns an exit status, after a message. */
int cli_files_check(const cli_arguments *arguments);

#endif
