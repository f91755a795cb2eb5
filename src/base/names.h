/* Names of an enumeration: lists of texts that end with NULL. */
#ifndef ORFFI_BASE_NAMES_H
#define ORFFI_BASE_NAMES_H

#include "base/status.h"

/* The place of a name in its list. When it has none, the message says what there is, or which name is most like it:
 * "there is no loss "hubber"; did you mean "huber"? There are ..". */
orff_status orffi_names_find(const char *what, const char *name, const char *const *names, size_t *place);

/* For the lists of orff.h: the text of an entry. */
#define ORFFI_NAME_OF(name, text)            text,
#define ORFFI_NAME_OF_FILE(name, file, text) text,

#endif
