#include "base/hooks.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local orff_hooks hooks_here;

void orff_set_hooks(const orff_hooks *hooks) {
    hooks_here = hooks ? *hooks : (orff_hooks){0};
}

orff_hooks orffi_hooks_swap(orff_hooks hooks) {
    const orff_hooks before = hooks_here;
    hooks_here = hooks;
    return before;
}

void orffi_log(orff_log_level level, const char *format, ...) {
    if (!hooks_here.log) return;
    char message[512], shown[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    orff_text_show(shown, sizeof shown, message);
    hooks_here.log(hooks_here.self, level, shown);
}

orff_status orffi_progress(const char *task, double done, double total) {
    if (!hooks_here.progress || hooks_here.progress(hooks_here.self, task, done, total)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_CANCELLED, "%s: stopped by the progress callback at %g of %g", task, done,
                      total);
}
