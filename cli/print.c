/* All text for the terminal, except the help and the progress bar, is printed here: no control character gets through. */
#include <stdarg.h>

#include "inert.h"
#include "report.h"

void cli_complain(const char *before, const char *format, va_list list) {
    cli_progress_clear();
    fputs(before, stderr);
    cli_put_shown(stderr, format, list);
    fputc('\n', stderr);
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
