/* What is decided before the first row is summed: some of all rows, and where they lie. */
#ifndef CLI_RANKS_SAMPLE_H
#define CLI_RANKS_SAMPLE_H

#include "cli/data.h"

/* Reads the rows of this rank once. The data then hold `most` of the rows of all ranks (or all of them, where they are fewer), the
 * same and in the same order for any number of ranks: those with the smallest digests of their numbers. low, high (d): the range
 * of all inputs. Returns an exit status that all have agreed upon. */
int cli_sample(cli_data *data, size_t most, double *low, double *high);

/* The rows held are given back. */
void cli_sample_forget(cli_data *data);

#endif
