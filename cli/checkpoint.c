#include "checkpoint.h"

#include "orff.h"
#include "report.h"

int cli_checkpoint_parse(cli_checkpoint *checkpoint, const cli_arguments *a) {
    *checkpoint =
        (cli_checkpoint){.path = cli_text(a, CLI_OPT_CHECKPOINT), .resume = cli_given(a, CLI_OPT_RESUME)};
    const int status = cli_whole(a, CLI_OPT_CHECKPOINT_ROWS, 1, UINT64_MAX / 2, &checkpoint->rows);
    if (status) return status;
    if (!checkpoint->path)
        return checkpoint->resume ? cli_wrong(a, CLI_OPT_RESUME, "needs --checkpoint FILE") : CLI_DONE;
    return cli_outcome(orff_checkpoint_check(checkpoint->path, checkpoint->resume), NULL);
}

void cli_checkpoint_forget(const cli_checkpoint *checkpoint) {
    if (checkpoint->path && orff_checkpoint_remove(checkpoint->path)) cli_warn("%s", orff_error_message());
}
