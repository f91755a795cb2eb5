/* A reader of JSON text that walks through it in place: it copies and builds nothing, so a file takes no
 * memory beyond its own size, and nesting is limited by a number instead of the stack.
 *
 *     for (bool more = fmt_json_enter(&j, '['); more; more = fmt_json_more(&j, ']'))
 *         fmt_json_number(&j, &value);
 *     if (j.trouble) ...
 *
 * After a failure every call returns false and does nothing, so it is enough to check `trouble` at the
 * end. */
#ifndef FMT_JSON_H
#define FMT_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/table.h"

#define FMT_JSON_DEPTH 256 /* nesting of lists and objects */

typedef struct fmt_json {
    const char *start, *at, *end;
    const char *trouble; /* NULL: none so far */
    size_t depth;
} fmt_json;

/* Enters a list or an object: true if it has a value. After each value: whether another one follows. */
bool fmt_json_enter(fmt_json *j, char opening);
bool fmt_json_more(fmt_json *j, char closing);

/* The first character of the next value; 0 at the end. */
char fmt_json_peek(fmt_json *j);

/* The name of a member, cut to the room; its value follows. */
bool fmt_json_key(fmt_json *j, char *key, size_t room);

/* null is NAN, and so is a text that is not a number ("NaN"). */
bool fmt_json_number(fmt_json *j, double *value);

/* Cut to the room, as UTF-8; escaped characters beyond ASCII become '?'. */
bool fmt_json_text(fmt_json *j, char *text, size_t room);

/* Skips any value. */
bool fmt_json_skip(fmt_json *j);

/* Records the first trouble; returns false. */
bool fmt_json_fail(fmt_json *j, const char *trouble);

/* A whole file, plain or compressed, in memory (to be freed); at most `most` bytes. Returns an orff_status
 * with its message in `message`. */
int fmt_text_load(const char *path, size_t most, char **text, size_t *length, char *message, size_t room);

#endif
