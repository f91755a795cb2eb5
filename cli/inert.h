/* Text of unknown origin on its way to a picture, a terminal, or JSON, where it must have no effect. */
#ifndef CLI_INERT_H
#define CLI_INERT_H

#include <stdarg.h>
#include <stdio.h>

/* Widths of labels in characters, and the bytes of the longest in quotes: four bytes per character, each
 * as \ooo, and the final zero. */
#define CLI_LABEL_LEAST 8
#define CLI_LABEL_MOST  100
#define CLI_LABEL_ROOM  (16 * CLI_LABEL_MOST + 3)

/* The text as a gnuplot string in double quotes; returns `quoted`. Letters, spaces and . _ - , [ ] stay as
 * they are, every other byte becomes \ooo: gnuplot sees no line end, quote, backslash, backquote or @ to
 * act on. Characters that cannot be drawn become a space or a question mark. Text wider than `most`
 * (limited to the widths above; Chinese and similar characters count twice) ends in three dots. Only for
 * places with `noenhanced`, as _ and other characters would be markup otherwise. */
const char *cli_label(char quoted[CLI_LABEL_ROOM], size_t most, const char *text);

/* Prints a formatted text as orff_text_show makes it, on one line without line end, truncated after some
 * thousand bytes. Allocates nothing, so that it can report lack of memory. */
void cli_put_shown(FILE *stream, const char *format, va_list list) __attribute__((format(printf, 2, 0)));

/* Prints finished JSON; in its strings, characters that orff_text_show would not show become \uNNNN, which
 * means the same. */
void cli_put_json(FILE *stream, const char *json);

#endif
