/* One line for each command; its file has the same name. */
#ifndef ORFF_CLI_COMMANDS_H
#define ORFF_CLI_COMMANDS_H

#include "options.h"

extern const orff_command orff_command_fit;
extern const orff_command orff_command_predict;
extern const orff_command orff_command_evaluate;
extern const orff_command orff_command_tune;
extern const orff_command orff_command_info;
extern const orff_command orff_command_kernel;
extern const orff_command orff_command_moments;
extern const orff_command orff_command_merge;
extern const orff_command orff_command_plan;
extern const orff_command orff_command_bound;
extern const orff_command orff_command_exact;
extern const orff_command orff_command_plot;

#endif
