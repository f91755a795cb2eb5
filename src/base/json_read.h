/* JSON text read into jansson's values, every allocation checked.
 *
 * jansson's own reader does not check whether its buffer could grow. If memory runs short it silently drops
 * bytes of a string, reads past the buffer, or reports malformed text. A file must not lose a letter of its
 * notes that way, nor be reported as damaged. Building values, whose failures jansson reports, is left to
 * it. */
#ifndef ORFFI_BASE_JSON_READ_H
#define ORFFI_BASE_JSON_READ_H

#include <jansson.h>

#include "base/status.h"

enum { ORFFI_JSON_DEPTH = 2048 }; /* nesting of objects and lists */

/* The object or list in `length` bytes, surrounded by nothing but white space. ORFF_ERROR_NO_MEMORY, or
 * ORFF_ERROR_FORMAT with the error and its position in bytes: also for repeated keys, text that is not UTF-8
 * or contains a zero, and numbers out of range. */
orff_status orffi_json_read(const char *text, size_t length, json_t **out);

#endif
