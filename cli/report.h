/* What the user sees while a command works: messages, a progress bar, an interrupt, and memory that is there
 * or not. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>
#include <stdarg.h>

#include "options.h"
#include "orff.h"
#include "signals.h"

/* Sets the hooks of the library, the threads and the handlers of signals. */
int cli_report_begin(const cli_arguments *arguments);

/* Whatever is printed, on either stream, is shown as orff_text_show has it: texts of files and of the command line carry
 * no control characters to the terminal, and a line is a line: its end is never in the format. */

/* A line on standard error, unless --quiet. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "orff: message" on standard error; returns CLI_FAILED, or CLI_INTERRUPTED after an interrupt. */
int cli_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line on standard error; `before` is a text of our own. cli_complain is for failures. */
void cli_print_message(const char *before, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
void cli_complain(const char *before, const char *format, va_list list) __attribute__((format(printf, 2, 0)));

/* Of processes that work together only one speaks, and after all have been heard: failures are kept from now on, the last of
 * them, and not shown. "" where there is none. */
void cli_keep_failures(bool keep);
const char *cli_kept_failure(void);

/* Says nothing but failures from now on, as with --quiet. */
void cli_be_quiet(void);

/* Standard output: a part of a line, a line or its last part, the end of one. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_end_line(void);

/* The outcome of a library call; what (may be NULL) stands before its message. */
int cli_outcome(orff_status status, const char *what);

/* For work outside of the library; also looks for an interrupt: false means stop. total 0: not known. */
bool cli_progress_show(const char *task, double done, double total);
void cli_progress_clear(void);

/* How many rows there will be, as far as is known: the library's passes over a reader do not know. */
void cli_progress_rows(double rows);

/* From now on library calls are about `rows` of `total` rows (0: not known), the first of which is number `first`, and there are so
 * many calls for each block: all of them are one bar. task: a literal; NULL: calls speak for themselves again. */
void cli_progress_block(const char *task, double first, double rows, double total, size_t calls);

double cli_seconds(void); /* a clock that only goes forward */

bool cli_wants_json(void);

/* Prints and frees the object. Returns an exit status. */
int cli_print_json(json_t *object);

/* The same in two steps, for who writes a file between them: once that is in its place, memory can no longer be
 * short. The object is freed; the text is from malloc. */
char *cli_json_text(json_t *object);
int cli_print_text(char *text);

/* The file becomes these bytes, or stays as it was. Returns an exit status. */
int cli_replace_file(const char *path, size_t size, const void *bytes);

/* Whether what was asked to standard output has arrived there: an exit status. */
int cli_check_stdout(void);

/* To be called once, at the beginning: whoever asks jansson for memory that is not there leaves the program with a
 * message, as cli_more does, so that no call of it can lose anything unseen; and whoever leaves, also a library, takes
 * temporary files away. */
void cli_memory_begin(void);

/* Room for count elements, contents kept; leaves the program with a message when there is none. */
void *cli_more(void *memory, size_t count, size_t size);
char *cli_copy_text(const char *text);

/* Text that grows. */
typedef struct cli_string {
    char *text; /* NULL: empty */
    size_t length, room;
} cli_string;
void cli_append(cli_string *string, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
