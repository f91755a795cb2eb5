/* What travels with a model or with moments: names and units of columns, classes, the plane. A JSON object:
 *
 *   {"inputs": [{"name": "lon", "units": "degrees_east", "low": -75, "high": -70}, ..], "outputs": [..],
 * "named": true, "covariates": [2], "labels": ["a", "b"], "geo": {"lon": -70.1, "lat": 39.2}, "kernel": {..}}
 */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <jansson.h>

#include "formats/table.h"
#include "options.h"
#include "orff.h"

/* Of a table whose columns are selected. */
json_t *cli_notes_of_table(const fmt_table *table);

/* The notes of a file, checked against what it holds; an empty object where its text is no JSON object, which is not an
 * error: other programs keep other texts there. Returns an exit status, after a message that names the file. */
int cli_notes_of_model(json_t **notes, const char *path, const orff_model *model);
int cli_notes_of_moments(json_t **notes, const char *path, const orff_moments *moments);

/* side: "inputs" or "outputs". NULL where there is nothing. */
const char *cli_notes_name(const json_t *notes, const char *side, size_t i);
const char *cli_notes_units(const json_t *notes, const char *side, size_t i);

/* The range that input i had; false where it is not known. */
bool cli_notes_range(const json_t *notes, size_t i, double *low, double *high);

/* Names for --inputs, quoted and with commas between; from malloc; NULL where the columns have none. */
char *cli_notes_columns(const json_t *notes, const char *side);

/* --covariates: which of the d inputs, names or 1-based numbers. covariate (d) is set. Returns an exit
 * status. */
int cli_notes_covariates(const cli_arguments *arguments, json_t *notes, size_t d, bool *covariate);
bool cli_notes_is_covariate(const json_t *notes, size_t i);
size_t cli_notes_covariate_count(const json_t *notes);

size_t cli_notes_labels(const json_t *notes);
const char *cli_notes_label(const json_t *notes, size_t i);

void cli_notes_set_plane(json_t *notes, const orff_plane *plane);

/* The units that the inputs of the field's space share, for words; "" where they do not. */
const char *cli_notes_length_units(const json_t *notes, size_t d);

/* Units of a field made from the first output: its own for each length, or times a length (potentials). To be freed;
 * NULL where they are not known. */
char *cli_notes_derived_units(const json_t *notes, size_t d, const char *field);

#endif
