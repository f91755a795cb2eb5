/* Prints all text for the terminal, except the help and the progress bar, so that no control character
 * gets through. */
#include <stdarg.h>
#include <stdio.h>

#include "inert.h"
#include "report.h"

static struct {
    bool keeping;
    char failure[2048];
} kept;

void cli_print_message(const char *before, const char *format, va_list list) {
    cli_progress_clear();
    fputs(before, stderr);
    cli_put_shown(stderr, format, list);
    fputc('\n', stderr);
}

void cli_complain(const char *before, const char *format, va_list list) {
    if (!kept.keeping) {
        cli_print_message(before, format, list);
        return;
    }
    const int used = snprintf(kept.failure, sizeof kept.failure, "%.200s", before);
    if (vsnprintf(kept.failure + used, sizeof kept.failure - (size_t)used, format, list) < 0)
        kept.failure[used] = '\0';
}

void cli_keep_failures(bool keep) {
    kept.keeping = keep;
    kept.failure[0] = '\0';
}

const char *cli_kept_failure(void) {
    return kept.failure;
}

void cli_print(const char *format, ...) {
    va_list list;
    va_start(list, format);
    cli_put_shown(stdout, format, list);
    va_end(list);
}

void cli_print_line(const char *format, ...) {
    va_list list;
    va_start(list, format);
    cli_put_shown(stdout, format, list);
    va_end(list);
    putchar('\n');
}

void cli_end_line(void) {
    putchar('\n');
}
