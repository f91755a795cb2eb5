/* Names of an enumeration: lists of texts, terminated by NULL. */
#ifndef ORFFI_BASE_NAMES_H
#define ORFFI_BASE_NAMES_H

#include "base/status.h"

/* The index of a name in its list. If it is not there, the message lists the names, or suggests the most
 * similar one: "there is no loss "hubber"; did you mean "huber"? There are ..". */
orff_status orffi_names_find(const char *what, const char *name, const char *const *names, size_t *place);

/* For the lists of orff.h: the text of an entry. */
#define ORFFI_NAME_OF(name, text)            text,
#define ORFFI_NAME_OF_FILE(name, file, text) text,

#endif
