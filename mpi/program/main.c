/* The program orff-mpi: orff for many processes. */
#include <string.h>

#include "cli/commands.h"
#include "cli/program.h"
#include "cli/report.h"
#include "commands.h"
#include "ranks.h"

const cli_command *const cli_commands[] = {
#define cli_command_fit     cli_command_fit_ranks
#define cli_command_moments cli_command_moments_ranks
#define cli_command_predict cli_command_predict_ranks
#define COMMAND(name)       &cli_command_##name,
    CLI_COMMAND_LIST(COMMAND) NULL,
#undef COMMAND
#undef cli_command_predict
#undef cli_command_moments
#undef cli_command_fit
};

/* Whether all ranks work at it. */
static bool is_shared(int count, char **words) {
    static const char *const shared[] = {"fit", "moments", "predict"};
    for (size_t i = 0; count > 1 && i < sizeof shared / sizeof *shared; i++)
        if (!strcmp(words[1], shared[i])) return true;
    return false;
}

int main(int count, char **words) {
    cli_memory_begin();
    cli_ranks_begin(&count, &words);
    int status = cli_agree(CLI_DONE);
    if (!status && is_shared(count, words))
        status = cli_program(count, words, cli_agree);
    else if (!status && cli_is_first())
        status = cli_program(count, words, NULL);
    return cli_ranks_end(status);
}
