#include "checkpoint.h"

#include <string.h>

#include "orff.h"
#include "report.h"

int cli_checkpoint_check(const cli_arguments *a) {
    const char *path = cli_text(a, cli_setting("checkpoint"));
    const bool resume = !strcmp(cli_text(a, cli_setting("resume")), "yes");
    if (!path) return resume ? cli_wrong(a, cli_setting("resume"), "needs --checkpoint FILE") : CLI_DONE;
    return cli_outcome(orff_checkpoint_check(path, resume), NULL);
}

void cli_checkpoint_forget(const cli_arguments *a) {
    const char *path = cli_text(a, cli_setting("checkpoint"));
    if (path && orff_checkpoint_remove(path)) cli_warn("%s", orff_error_message());
}
