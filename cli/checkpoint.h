/* --checkpoint and --resume, before and after the work. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "options.h"

/* Before any work: a file that is no checkpoint, or one that was not asked for, is refused. Returns an exit status. */
int cli_checkpoint_check(const cli_arguments *arguments);

/* The result is safe elsewhere. */
void cli_checkpoint_forget(const cli_arguments *arguments);

#endif
