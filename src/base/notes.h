/* Notes as JSON: see section 12 of orff.h and docs/files.md. A file may come from anybody. Readers of notes
 * that passed the check may rely on every member they find. Any member may be missing, and unknown ones may
 * be there. */
#ifndef ORFFI_BASE_NOTES_H
#define ORFFI_BASE_NOTES_H

#include <jansson.h>

#include "base/status.h"

/* Sizes of the model or the moments that the notes belong to. */
typedef struct orffi_notes_sizes {
    size_t inputs, outputs; /* columns of the table: one output for classes */
    size_t classes;         /* number of labels, if there are any; 0: there may be none */
} orffi_notes_sizes;

struct orff_notes {
    orffi_notes_sizes sizes;
    json_t *object;
    char *text; /* result of the last orff_notes_text, or NULL */
};

/* On failure returns false, with the reason, as in "\"inputs[1].name\" is not a text", in `problem`. */
bool orffi_notes_check(const json_t *notes, const orffi_notes_sizes *sizes, char *problem, size_t room);

#endif
