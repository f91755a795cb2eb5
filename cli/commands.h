/* One line for each command; its file has the same name. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

extern const cli_command cli_command_fit;
extern const cli_command cli_command_predict;
extern const cli_command cli_command_evaluate;
extern const cli_command cli_command_tune;
extern const cli_command cli_command_info;
extern const cli_command cli_command_kernel;
extern const cli_command cli_command_moments;
extern const cli_command cli_command_merge;
extern const cli_command cli_command_plan;
extern const cli_command cli_command_bound;
extern const cli_command cli_command_exact;
extern const cli_command cli_command_plot;

#endif
