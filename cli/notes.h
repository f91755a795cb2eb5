/* Notes (orff_notes of the library) for the program's tables, files and options. */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <jansson.h>

#include "formats/table.h"
#include "moments_file.h"
#include "options.h"
#include "orff.h"

/* Each returns an exit status, after a message. Free the notes in any case. */

/* From a table whose columns are selected. outputs: of the model (0: as many as columns). along: the one
 * column contains measurements along directions, and only gives their unit. */
int cli_notes_of_table(orff_notes **notes, const fmt_table *table, size_t outputs, bool along);

/* The notes in a file, checked against its contents; messages name the file. */
int cli_notes_of_model(orff_notes **notes, const char *path, const orff_model *model);
int cli_notes_of_moments(orff_notes **notes, const char *path, const cli_moments *moments);

/* For --json; NULL if memory runs out. */
json_t *cli_notes_json(orff_notes *notes);

/* The names of `count` columns for --inputs, quoted, separated by commas; from malloc; NULL if the columns
 * have none. */
char *cli_notes_columns(const orff_notes *notes, orff_side side, size_t count);

/* The length scales of a kernel as text, rounded for reading; free it; NULL if there are none. */
char *cli_notes_scales(const orff_notes *notes);

/* Units of a derived field; free the text; NULL if unknown. */
char *cli_notes_derived_units(const orff_notes *notes, const char *field);

#endif
