/* The commands of orff-mpi that all ranks work at; the others are those of orff, and rank 0's. */
#ifndef CLI_RANKS_COMMANDS_H
#define CLI_RANKS_COMMANDS_H

#include "cli/options.h"

extern const cli_command cli_command_fit_ranks, cli_command_moments_ranks, cli_command_predict_ranks;

int cli_fit_without_moments(const cli_arguments *arguments);

#endif
