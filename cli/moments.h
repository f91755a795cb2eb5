/* Moments of data, shared by the commands that accumulate. */
#ifndef CLI_MOMENTS_H
#define CLI_MOMENTS_H

#include "data.h"
#include "options.h"
#include "orff.h"
#include "spec.h"

/* All rows of the data as moments of the spec's kernel, with checkpoints and from the last one on where
 * options ask for it. Length scales that are auto are settled in the spec, by a small fit to the rows held;
 * the kernel is put into the data's notes, for --from-moments. Returns an exit status. */
int cli_accumulate(const cli_arguments *arguments, cli_data *data, cli_spec *spec, orff_moments **moments);

/* What was accumulated is safe elsewhere. */
void cli_forget_checkpoint(const cli_arguments *arguments);

#endif
