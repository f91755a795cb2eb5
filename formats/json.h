/* JSON text, walked through where it stands: nothing is copied or built, so a file costs its own size and no more, and how
 * deep it nests is limited by a number instead of the stack.
 *
 *     for (bool more = fmt_json_enter(&j, '['); more; more = fmt_json_more(&j, ']'))
 *         fmt_json_number(&j, &value);
 *     if (j.trouble) ...
 *
 * After a failure every call is false and moves nothing: it is enough to look at `trouble` at the end. */
#ifndef FMT_JSON_H
#define FMT_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/table.h"

#define FMT_JSON_DEPTH 256 /* of lists and objects inside each other */

typedef struct fmt_json {
    const char *start, *at, *end;
    const char *trouble; /* NULL: none so far */
    size_t depth;
} fmt_json;

/* A list or an object begins: true if something is in it. Then, behind each value, whether another follows. */
bool fmt_json_enter(fmt_json *j, char opening);
bool fmt_json_more(fmt_json *j, char closing);

/* What the next value begins with; 0 at the end. */
char fmt_json_peek(fmt_json *j);

/* The name of a member, cut to the room; the value follows. */
bool fmt_json_key(fmt_json *j, char *key, size_t room);

/* null is NAN, and so is a text that is no number ("NaN"). */
bool fmt_json_number(fmt_json *j, double *value);

/* Cut to the room, as UTF-8; what is escaped beyond ASCII is '?'. */
bool fmt_json_text(fmt_json *j, char *text, size_t room);

/* Any value. */
bool fmt_json_skip(fmt_json *j);

/* Keeps the first trouble; returns false. */
bool fmt_json_fail(fmt_json *j, const char *trouble);

/* A whole file, plain or packed, into memory (free it); at most `most` bytes. Returns an orff_status with its message in
 * `message`. */
int fmt_text_load(const char *path, size_t most, char **text, size_t *length, char *message, size_t room);

#endif
