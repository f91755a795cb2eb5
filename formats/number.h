/* Numbers as text, the same in every locale. */
#ifndef FMT_NUMBER_H
#define FMT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* The number [+-]digits[.digits][e[+-]digits] at the start of `text`, rounded to the nearest double
 * (infinity when it is too large for one). Returns where it ends, NULL when there is none. The text must
 * hold, somewhere, a character that no number has: a newline or a zero byte. */
const char *fmt_number_scan(const char *text, double *value);

#define FMT_NUMBER_ROOM 32

/* Writes the value and a zero byte, returns the length. With `shortest` the fewest of 15, 16 or 17
 * significant digits that read back to the same value, else 17 of them. */
size_t fmt_number_print(char text[FMT_NUMBER_ROOM], double value, bool shortest);

#endif
