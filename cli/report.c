#define _XOPEN_SOURCE 700

#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inert.h"

/* State of the terminal, of which a program has one. */
static struct {
    bool mute;             /* another process prints */
    bool quiet, json, bar; /* bar: standard error is a terminal */
    bool shown;            /* a bar is on the current line */
    char task[48];
    double start, last;   /* of the task, or of its bar; when something was last shown */
    double first, done;   /* at the start, and now */
    double rows;          /* that a pass over the data will meet; 0: not known */
    struct {              /* of rows: its calls are one bar with those of the others */
        const char *task; /* NULL: there is none */
        double first, rows, total;
        double call, calls, share; /* which call of how many, and how far it is */
    } block;
} terminal;

void cli_be_quiet(void) {
    terminal.mute = terminal.quiet = true;
}

bool cli_wants_json(void) {
    return terminal.json && !terminal.mute;
}

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- progress */

void cli_progress_clear(void) {
    if (terminal.shown) fputs("\r\033[K", stderr);
    terminal.shown = false;
}

static const char *time_left(double seconds, char text[24]) {
    if (seconds < 90.0) {
        snprintf(text, 24, "%.0f s left", ceil(seconds));
    } else {
        snprintf(text, 24, "%.0f min left", ceil(seconds / 60.0));
    }
    return text;
}

/* "12.1 k/s" */
static const char *rate_text(double rate, char text[24]) {
    const double unit = rate >= 1e6 ? 1e6 : rate >= 1e3 ? 1e3 : 1.0;
    snprintf(text, 24, "%.3g%s/s", rate / unit, unit == 1e6 ? " M" : unit == 1e3 ? " k" : "");
    return text;
}

/* Rates of steps that are few, or of shares of one, tell nothing. */
#define FEW 50.0

/* Seconds before it is known how fast a task is. */
#define EARLY 0.5

static void draw(double done, double total, double elapsed) {
    char bar[25] = "", left[24], speed[24] = "";
    const double rate = elapsed > EARLY ? (done - terminal.first) / elapsed : 0.0;
    terminal.shown = true;
    if (!(total > 0.0)) {
        fprintf(stderr, "\r\033[K%s: %.0f  %s", terminal.task, done, rate_text(rate, speed));
        return;
    }
    const int filled = (int)(24.0 * fmin(done / total, 1.0));
    memset(bar, '#', (size_t)filled);
    fprintf(stderr, "\r\033[K%-20s [%-24s] %3.0f %%  %s%s%s", terminal.task, bar,
            100.0 * fmin(done / total, 1.0), rate > 0.0 && total >= FEW ? rate_text(rate, speed) : "",
            rate > 0.0 && total >= FEW ? "  " : "",
            rate > 0.0 ? time_left(fmax(total - done, 0.0) / rate, left) : "");
}

bool cli_progress_show(const char *task, double done, double total) {
    const double now = cli_seconds();
    /* a task that comes again, or goes on from where it was, has a speed of its own */
    if (strncmp(task, terminal.task, sizeof terminal.task - 1) || done < 0.5 * terminal.done) {
        cli_progress_clear();
        snprintf(terminal.task, sizeof terminal.task, "%s", task);
        terminal.start = now;
        terminal.first = done;
    }
    terminal.done = done;
    if (terminal.last == 0.0) terminal.last = now;
    const double silent = now - terminal.last;
    if (terminal.bar && silent > (now - terminal.start > 1.0 ? 0.1 : 1.0)) {
        terminal.last = now;
        draw(done, total, now - terminal.start);
    }
    return !cli_interrupted();
}

void cli_progress_rows(double rows) {
    terminal.rows = rows;
}

void cli_progress_block(const char *task, double first, double rows, double total, size_t calls) {
    terminal.block.task = task;
    terminal.block.first = first;
    terminal.block.rows = rows;
    terminal.block.total = total;
    terminal.block.calls = (double)calls;
    terminal.block.call = terminal.block.share = 0.0;
}

/* A call that begins again is the next one. */
static bool show_block(double share) {
    if (share < terminal.block.share) terminal.block.call += 1.0;
    terminal.block.share = share;
    const double part = fmin((terminal.block.call + share) / terminal.block.calls, 1.0);
    return cli_progress_show(terminal.block.task, terminal.block.first + terminal.block.rows * part,
                             terminal.block.total);
}

static bool on_progress(void *self, const char *task, double done, double total) {
    (void)self;
    if (terminal.block.task) return show_block(total > 0.0 ? fmin(done / total, 1.0) : 0.0);
    if (!(total > 0.0) && !strcmp(task, "moments")) total = terminal.rows;
    return cli_progress_show(task, done, total);
}

/* ---- messages */

void cli_say(const char *format, ...) {
    va_list list;
    if (terminal.quiet) return;
    va_start(list, format);
    cli_print_message("", format, list);
    va_end(list);
}

void cli_warn(const char *format, ...) {
    va_list list;
    if (terminal.quiet) return;
    va_start(list, format);
    cli_print_message("warning: ", format, list);
    va_end(list);
}

static void on_log(void *self, orff_log_level level, const char *message) {
    (void)self;
    if (level == ORFF_LOG_WARNING) {
        cli_warn("%s", message);
    } else {
        cli_say("%s", message);
    }
}

int cli_failed(const char *format, ...) {
    va_list list;
    if (cli_interrupted()) {
        cli_interrupt_reported();
        if (!terminal.mute) {
            cli_progress_clear();
            fputs("orff: interrupted\n", stderr);
        }
        return CLI_INTERRUPTED;
    }
    va_start(list, format);
    cli_complain("orff: ", format, list);
    va_end(list);
    return CLI_FAILED;
}

int cli_outcome(orff_status status, const char *what) {
    if (status == ORFF_OK) return CLI_DONE;
    const char *message = *orff_error_message() ? orff_error_message() : orff_status_text(status);
    return what ? cli_failed("%s: %s", what, message) : cli_failed("%s", message);
}

int cli_report_begin(const cli_arguments *arguments) {
    size_t threads = 0;
    const int status = cli_size(arguments, CLI_OPT_THREADS, 0, 65536, &threads);
    if (status) return status;
    terminal.quiet = terminal.mute || cli_given(arguments, CLI_OPT_QUIET);
    terminal.json = cli_given(arguments, CLI_OPT_JSON);
    terminal.bar = !terminal.quiet && isatty(STDERR_FILENO);
    cli_signals_begin(terminal.bar);
    const orff_hooks hooks = {.log = on_log, .progress = on_progress};
    orff_set_hooks(&hooks);
    return threads ? cli_outcome(orff_set_threads(threads), "--threads") : CLI_DONE;
}

/* ---- files and standard output */

int cli_replace_file(const char *path, size_t size, const void *bytes) {
    orff_file *file = NULL;
    orff_status status = orff_file_create(&file, path);
    if (!status) status = orff_file_write(file, bytes, size);
    if (!status) status = orff_file_commit(file);
    orff_file_free(file);
    return cli_outcome(status, NULL);
}

/* A write that failed earlier has set the error flag of the stream, but errno is lost. */
int cli_check_stdout(void) {
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return CLI_DONE;
    return cli_failed("standard output: cannot be written%s%s", errno ? ": " : "",
                      errno ? strerror(errno) : "");
}

char *cli_json_text(json_t *object) {
    char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    return text;
}

int cli_print_text(char *text) {
    if (!text) return cli_failed("the result cannot be written as JSON");
    cli_progress_clear();
    cli_put_json(stdout, text);
    putchar('\n');
    free(text);
    return cli_check_stdout();
}

int cli_print_json(json_t *object) {
    return cli_print_text(cli_json_text(object));
}

/* ---- memory and text */

static _Noreturn void leave(size_t count, size_t size) {
    cli_failed("not enough memory for %zu times %zu bytes", count, size);
    exit(CLI_FAILED);
}

void *cli_more(void *memory, size_t count, size_t size) {
    const bool fits = !size || count <= SIZE_MAX / size;
    void *more = fits ? realloc(memory, count && size ? count * size : 1) : NULL;
    if (!more) leave(count, size);
    return more;
}

static void *more_json(size_t size) {
    void *more = malloc(size);
    if (!more) leave(1, size);
    return more;
}

void cli_memory_begin(void) {
    json_set_alloc_funcs(more_json, free);
    atexit(orff_file_remove_temporaries); /* libraries exit when memory runs out */
}

char *cli_copy_text(const char *text) {
    return strcpy(cli_more(NULL, strlen(text) + 1, 1), text);
}

void cli_append(cli_string *string, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int more = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (string->length + (size_t)more >= string->room) {
        string->room = 2 * (string->length + (size_t)more + 1);
        string->text = cli_more(string->text, string->room, 1);
    }
    va_start(list, format);
    vsnprintf(string->text + string->length, (size_t)more + 1, format, list);
    va_end(list);
    string->length += (size_t)more;
}
