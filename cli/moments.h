/* Moments of data, shared by the commands that accumulate. */
#ifndef ORFF_CLI_MOMENTS_H
#define ORFF_CLI_MOMENTS_H

#include "data.h"
#include "options.h"
#include "orff.h"
#include "spec.h"

/* All rows of the data as moments of the spec's kernel, with checkpoints and from the last one on where
 * options ask for it. Length scales that are auto are settled in the spec, by a small fit to the rows held;
 * the kernel is put into the data's notes, for --from-moments. Returns an exit status. */
int orff_accumulate(const orff_arguments *arguments, orff_data *data, orff_spec *spec,
                    orff_moments **moments);

/* What was accumulated is safe elsewhere. */
void orff_forget_checkpoint(const orff_arguments *arguments);

#endif
