/* What the files that read DATA share. */
#ifndef CLI_DATA_STEPS_H
#define CLI_DATA_STEPS_H

#include "data.h"

/* The table's own message, as an exit status. */
int cli_table_failed(const fmt_table *table);

/* Whether inputs are laid on a plane; whether one is in these units. */
bool cli_is_on_plane(const cli_arguments *a);
bool cli_has_units(const cli_data *data, size_t input, const char *units);

/* ---- data_held.c */

/* Rows into memory, as many as --memory allows, with the classes and ranges among them. Returns an exit status. */
int cli_data_fill(cli_data *data, const cli_arguments *a);

/* ---- data_doubts.c */

/* Dates become numbers, and nobody should have to guess which. */
void cli_data_say_times(const cli_data *data);

/* In degrees, a step east is shorter than a step north, and no field is divergence-free or curl-free. */
void cli_data_hint_plane(const cli_data *data, const cli_arguments *a);

/* Components along the axes of a model's grid point neither east nor north. */
void cli_data_warn_grid(const cli_data *data, const cli_arguments *a);

/* An option is missing: with the columns that there are to choose from, variables with the dimensions they have. Returns an
 * exit status. */
int cli_data_refuse_unnamed(const cli_data *data, const cli_arguments *a, const char *option,
                            const char *what);

#endif
