/* What the user sees while a command works (messages, a progress bar, an interrupt), and memory
 * allocation. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>
#include <stdarg.h>

#include "options.h"
#include "orff.h"
#include "signals.h"

/* Sets the library's hooks and threads, and the signal handlers. */
int cli_report_begin(const cli_arguments *arguments);

/* Everything printed, on either stream, is shown as orff_text_show makes it: texts from files and from the
 * command line carry no control characters to the terminal. A line is a line: formats never contain its
 * end. */

/* A line on standard error, unless --quiet. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "orff: message" on standard error; returns CLI_FAILED, or CLI_INTERRUPTED after an interrupt. */
int cli_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line on standard error; `before` must be a trusted text. cli_complain is for failures. */
void cli_print_message(const char *before, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
void cli_complain(const char *before, const char *format, va_list list) __attribute__((format(printf, 2, 0)));

/* Of several processes only one prints, after it has heard from all: from now on, failures are not printed
 * but kept, the last of them only. "" if there is none. */
void cli_keep_failures(bool keep);
const char *cli_kept_failure(void);

/* From now on prints only failures, as with --quiet. */
void cli_be_quiet(void);

/* To standard output: a part of a line, a line or its last part, the end of a line. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_end_line(void);

/* The exit status of a library call; what (may be NULL) precedes its message. */
int cli_outcome(orff_status status, const char *what);

/* For work outside the library; also checks for an interrupt: false means stop. total 0: unknown. */
bool cli_progress_show(const char *task, double done, double total);
void cli_progress_clear(void);

/* Sets the expected number of rows, which the library's passes over a reader do not know. */
void cli_progress_rows(double rows);

/* From now on library calls are about `rows` of `total` rows (0: not known), the first of which is number `first`, and there are so
 * many calls for each block: all of them are one bar. task: a literal; NULL: calls speak for themselves again. */
void cli_progress_block(const char *task, double first, double rows, double total, size_t calls);

double cli_seconds(void); /* a clock that only goes forward */

bool cli_wants_json(void);

/* Prints and frees the object. Returns an exit status. */
int cli_print_json(json_t *object);

/* The same in two steps, to write a file between them: once it is in its place, memory can no longer run
 * out. Frees the object; the text is from malloc. */
char *cli_json_text(json_t *object);
int cli_print_text(char *text);

/* Replaces the file by these bytes, or leaves it unchanged. Returns an exit status. */
int cli_replace_file(const char *path, size_t size, const void *bytes);

/* Whether everything printed to standard output has been written: returns an exit status. */
int cli_check_stdout(void);

/* Call this once, at the beginning. If memory runs out in jansson, the program then exits with a message,
 * as in cli_more, so that no call can lose anything unnoticed. Any exit, also by a library, removes
 * temporary files. */
void cli_memory_begin(void);

/* Room for count elements, keeping the contents; exits with a message if there is no memory. */
void *cli_more(void *memory, size_t count, size_t size);
char *cli_copy_text(const char *text);

/* Text that grows. */
typedef struct cli_string {
    char *text; /* NULL: empty */
    size_t length, room;
} cli_string;
void cli_append(cli_string *string, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
