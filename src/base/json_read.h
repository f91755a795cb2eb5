/* JSON text read into jansson's values, every allocation checked.
 *
 * jansson's own reader does not look whether its buffer could grow: where memory runs short it drops bytes of a string
 * without a word, or reads past the buffer, or calls the text malformed. A file must not lose a letter of its notes
 * that way, nor be called damaged. Building values, which jansson does report, is left to it. */
#ifndef ORFFI_BASE_JSON_READ_H
#define ORFFI_BASE_JSON_READ_H

#include <jansson.h>

#include "base/status.h"

enum { ORFFI_JSON_DEPTH = 2048 }; /* of objects and lists inside each other */

/* The object or list in `length` bytes, with nothing but white space around it. ORFF_ERROR_NO_MEMORY, or
 * ORFF_ERROR_FORMAT with what is wrong at which byte: also for keys that repeat, text that is not UTF-8 or has a zero
 * in it, and numbers that do not fit. */
orff_status orffi_json_read(const char *text, size_t length, json_t **out);

#endif
