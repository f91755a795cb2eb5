/* --checkpoint, --checkpoint-rows and --resume. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "options.h"

typedef struct cli_checkpoint {
    const char *path; /* NULL: none */
    uint64_t rows;    /* between two of them */
    bool resume;
} cli_checkpoint;

/* Before any work: a file that is no checkpoint, or one that was not asked for, is refused. Returns an exit status. */
int cli_checkpoint_parse(cli_checkpoint *checkpoint, const cli_arguments *arguments);

/* The result is safe elsewhere. */
void cli_checkpoint_forget(const cli_checkpoint *checkpoint);

#endif
