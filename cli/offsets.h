/* Offsets of groups of rows, as lines and as JSON. */
#ifndef CLI_OFFSETS_H
#define CLI_OFFSETS_H

#include <jansson.h>

#include "data.h"

enum { CLI_OFFSETS_LINE = 1000, CLI_OFFSETS_SHOWN = 20 };

/* Writes the names of the groups into the notes of the data, if the model has offsets. */
int cli_offsets_note(cli_data *data, const orff_model *model);

/* "30 groups, 0.4, 0.5 (standard deviations)"; then for group i "name: -0.21 +- 0.03, 0.4 +- 0.03". They
 * allocate nothing. */
void cli_offsets_words(const orff_model *model, char line[CLI_OFFSETS_LINE]);
void cli_offsets_line(const orff_model *model, const orff_notes *notes, size_t i,
                      char line[CLI_OFFSETS_LINE]);

/* [{"group": name, "values", "errors": p numbers}, ..] */
json_t *cli_offsets_json(const orff_model *model, const orff_notes *notes);

#endif
