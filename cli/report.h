/* What the user sees while a command works: messages, a progress bar, an interrupt, and memory that is there
 * or not. */
#ifndef ORFF_CLI_REPORT_H
#define ORFF_CLI_REPORT_H

#include <jansson.h>

#include "options.h"
#include "orff.h"

/* Sets the hooks of the library, the threads and the handler of interrupts. */
int orff_report_begin(const orff_arguments *arguments);

/* A line on standard error, unless --quiet. */
void orff_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void orff_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "orff: message" on standard error; returns ORFF_FAILED, or ORFF_INTERRUPTED after an interrupt. */
int orff_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The outcome of a library call; what (may be NULL) stands before its message. */
int orff_outcome(orff_status status, const char *what);

bool orff_interrupted(void);

/* For work outside of the library; also looks for an interrupt: false means stop. total 0: not known. */
bool orff_progress_show(const char *task, double done, double total);
void orff_progress_clear(void);

/* How many rows there will be, as far as is known: the library's passes over a reader do not know. */
void orff_progress_rows(double rows);

double orff_seconds(void); /* a clock that only goes forward */

bool orff_wants_json(void);

/* Prints and frees the object. Returns an exit status. */
int orff_print_json(json_t *object);

/* What was asked to standard output has arrived there. */
int orff_check_stdout(void);

/* Room for count elements, contents kept; leaves the program with a message when there is none. */
void *orff_more(void *memory, size_t count, size_t size);
char *orff_copy_text(const char *text);

/* Text that grows. */
typedef struct orff_string {
    char *text; /* NULL: empty */
    size_t length;
} orff_string;
void orff_append(orff_string *string, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
