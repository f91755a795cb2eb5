/* --checkpoint and --resume, before and after the work. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "options.h"

/* Before any work: fails for a file that is not a checkpoint, or a checkpoint without --resume. Returns an
 * exit status. */
int cli_checkpoint_check(const cli_arguments *arguments);

/* Removes the checkpoint; the result must be saved already. */
void cli_checkpoint_forget(const cli_arguments *arguments);

#endif
