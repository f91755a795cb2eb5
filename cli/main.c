/* The program orff. */
#include <stddef.h>

#include "commands.h"
#include "launch.h"
#include "program.h"
#include "report.h"

const cli_command *const cli_commands[] = {
#define COMMAND(name) &cli_command_##name,
    CLI_COMMAND_LIST(COMMAND) NULL,
#undef COMMAND
};

int main(int count, char **words) {
    int status;
    cli_memory_begin();
    return cli_launch(words, &status) ? status : cli_program(count, words, NULL);
}
