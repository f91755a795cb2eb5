/* Text of unknown origin on its way out of the program: to a picture, a terminal, or JSON. Whatever it says, it is
 * nothing but text there. */
#ifndef CLI_INERT_H
#define CLI_INERT_H

#include <stdarg.h>
#include <stdio.h>

/* The widths of labels in characters, and the bytes of the longest in quotes: four a character, each as \ooo, and the
 * zero at the end. */
#define CLI_LABEL_LEAST 8
#define CLI_LABEL_MOST  100
#define CLI_LABEL_ROOM  (16 * CLI_LABEL_MOST + 3)

/* The text as a string of gnuplot in double quotes; returns `quoted`. Letters, spaces and . _ - , [ ] stand for
 * themselves, every other byte is \ooo: no line ends, no quote, backslash, backquote or @ is left for gnuplot to act
 * on. What cannot be drawn becomes a space or a question mark; what is wider than `most` (held to the widths above;
 * Chinese and the like count twice) ends in three dots. For places with `noenhanced`, or _ and more would be markup. */
const char *cli_label(char quoted[CLI_LABEL_ROOM], size_t most, const char *text);

/* A formatted text as orff_text_show has it, on one line without its end, cut after some thousand bytes. Needs no
 * memory, so that lack of it can be told. */
void cli_put_shown(FILE *stream, const char *format, va_list list) __attribute__((format(printf, 2, 0)));

/* Finished JSON; in its strings, what orff_text_show would not show becomes \uNNNN, which means the same. */
void cli_put_json(FILE *stream, const char *json);

#endif
