/* Shared by the commands that write models. */
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include <jansson.h>

#include "data.h"
#include "orff.h"
#include "settings.h"

/* Learns from the rows of DATA and writes the model; exact: without features, whatever --engine says. */
int cli_fit_rows(const cli_arguments *arguments, bool exact);

/* Learns from incomplete rows that exceed memory, by summing them up, and writes the model. */
int cli_fit_summed(const cli_arguments *arguments, cli_data *data, cli_settings *settings, double start);

/* Learns from moments, with the kernel in their notes unless options give another, and writes the model. */
struct cli_moments;
int cli_fit_moments(const cli_arguments *arguments, const struct cli_moments *moments, orff_notes *notes,
                    uint64_t dropped, double start);

/* Fails if -o is missing. */
int cli_need_output(const cli_arguments *arguments);

/* Writes the model and prints the result; more (taken over, may be NULL) is added to the JSON. */
int cli_finish_fit(const cli_arguments *arguments, orff_model *model, orff_notes *notes, uint64_t dropped,
                   double start, json_t *more);

#endif
