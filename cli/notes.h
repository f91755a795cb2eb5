/* Notes of the library's (orff_notes) for the program's tables, files and options. */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <jansson.h>

#include "formats/table.h"
#include "moments_file.h"
#include "options.h"
#include "orff.h"

/* Each returns an exit status, after a message. The notes are to be freed in any case. */

/* Of a table whose columns are selected. The model has so many outputs (0: as many as columns); along: the one column is what
 * they have along a direction, and says only their unit. */
int cli_notes_of_table(orff_notes **notes, const fmt_table *table, size_t outputs, bool along);

/* The notes of a file, checked against what it holds; the message names the file. */
int cli_notes_of_model(orff_notes **notes, const char *path, const orff_model *model);
int cli_notes_of_moments(orff_notes **notes, const char *path, const cli_moments *moments);

/* For --json; NULL where there is no memory. */
json_t *cli_notes_json(orff_notes *notes);

/* The names of `count` columns for --inputs, quoted and with commas between; from malloc; NULL where the columns have
 * none. */
char *cli_notes_columns(const orff_notes *notes, orff_side side, size_t count);

/* The length scales of a kernel, as text, with as many digits as people read; to be freed; NULL where there are none. */
char *cli_notes_scales(const orff_notes *notes);

/* Units of a derived field; to be freed; NULL where they are not known. */
char *cli_notes_derived_units(const orff_notes *notes, const char *field);

#endif
