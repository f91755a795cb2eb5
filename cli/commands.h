/* The commands: for each one line, and a file of the same name. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

#define CLI_COMMAND_DECLARE(name) extern const cli_command cli_command_##name;
CLI_COMMAND_LIST(CLI_COMMAND_DECLARE)
#undef CLI_COMMAND_DECLARE

#endif
