/* Names of columns in files: with units after the name, and in other encodings. */
#ifndef FMT_HEADER_H
#define FMT_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/* Splits "u [m/s]", "u[m/s]" and "u (m/s)" into "u" and *units "m/s" (from malloc). Other names are
 * unchanged, with *units NULL. In parentheses only known units count: "speed (east)" is a name. False: no
 * memory. */
bool fmt_header_split(char *name, char **units);

/* A copy in UTF-8, from malloc; text that is not UTF-8 is read as Latin-1. NULL: no memory. */
char *fmt_header_utf8(const char *text, size_t length);

#endif
