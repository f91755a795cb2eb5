/* Whether notes are what this program and the Python package write. A file may come from anybody: whoever reads notes
 * that passed may rely on every member that is there. All members may be missing, and others may be there. */
#ifndef CLI_NOTES_CHECK_H
#define CLI_NOTES_CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Of the model or the moments that the notes travel with. */
typedef struct cli_notes_sizes {
    size_t inputs, outputs; /* columns of the table: one output for classes */
    size_t classes;         /* labels, where there are any; 0: there may be none */
} cli_notes_sizes;

/* False with what is wrong, as in "\"inputs[1].name\" is not a text", in `problem`. */
bool cli_notes_check(const json_t *notes, const cli_notes_sizes *sizes, char *problem, size_t room);

#endif
