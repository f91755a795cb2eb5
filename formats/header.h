/* Names of columns as files have them: units behind the name, and letters of other encodings. */
#ifndef FMT_HEADER_H
#define FMT_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/* "u [m/s]", "u[m/s]" and "u (m/s)" become "u", and *units "m/s" (from malloc); other names stay, with *units NULL. In
 * parentheses only what is made of known units counts: "speed (east)" is a name. False: no memory. */
bool fmt_header_split(char *name, char **units);

/* A copy in UTF-8, from malloc: text that is not UTF-8 already is taken for Latin-1. NULL: no memory. */
char *fmt_header_utf8(const char *text, size_t length);

#endif
