/* Shared by the files that read DATA. */
#ifndef CLI_DATA_STEPS_H
#define CLI_DATA_STEPS_H

#include "data.h"

/* Prints the table's message and returns an exit status. */
int cli_table_failed(const fmt_table *table);

/* Whether the inputs are projected to a plane; whether an input has these units. */
bool cli_is_on_plane(const cli_arguments *a);
bool cli_has_units(const cli_data *data, size_t input, const char *units);

/* ---- data_held.c */

/* Reads rows into memory, as many as --memory allows, and finds classes and ranges. Returns an exit
 * status. */
int cli_data_fill(cli_data *data, const cli_arguments *a);

/* ---- data_doubts.c */

/* Tells the user how dates become numbers. */
void cli_data_say_times(const cli_data *data);

/* In degrees a step east is shorter than a step north, so that no field is divergence-free or curl-free. */
void cli_data_hint_plane(const cli_data *data, const cli_arguments *a);

/* Components along the axes of a model's grid do not point east and north. */
void cli_data_warn_grid(const cli_data *data, const cli_arguments *a);

/* Says that an option is missing, and lists the columns to choose from; variables with their dimensions.
 * Returns an exit status. */
int cli_data_refuse_unnamed(const cli_data *data, const cli_arguments *a, const char *option,
                            const char *what);

#endif
