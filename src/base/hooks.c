#include "base/hooks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local orff_hooks hooks_here;
static _Thread_local orffi_stage stage_here; /* task NULL: no stage */

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

static orff_status report(const char *task, double done, double total) {
    if (!hooks_here.progress || hooks_here.progress(hooks_here.self, task, done, total)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_CANCELLED, "%s: stopped by the progress callback at %g of %g", task, done,
                      total);
}

/* ---- stages */

static bool knows(const orffi_stage *stage, const char *task, double total) {
    return stage->inner && total > 0.0 && !strcmp(task, stage->inner);
}

orff_status orffi_progress(const char *task, double done, double total) {
    const orffi_stage *stage = &stage_here;
    if (!stage->task) return report(task, done, total);
    const double share = knows(stage, task, total) ? fmin(done / total, 1.0) : 0.0;
    return report(stage->task, stage->done + stage->part * share, stage->total);
}

orff_status orffi_progress_decades(const char *task, size_t done, double first, double least, double wanted) {
    const double all = log(first / wanted), share = all > 0.0 ? log(first / least) / all : 0.0;
    return orffi_progress(task, (double)done, done && share > 0.0 ? (double)done / fmin(share, 1.0) : 0.0);
}

orff_status orffi_stage_enter_part(const char *task, double done, double part, double total,
                                   const char *inner, orffi_stage *before) {
    *before = stage_here;
    const orff_status status = orffi_progress(task, done, total);
    if (!before->task) {
        stage_here = (orffi_stage){task, inner, done, part, total};
    } else if (knows(before, task, total)) {
        const double unit = before->part / total;
        stage_here =
            (orffi_stage){before->task, inner, before->done + unit * done, unit * part, before->total};
    }
    return status;
}

orff_status orffi_stage_enter(const char *task, double done, double total, const char *inner,
                              orffi_stage *before) {
    return orffi_stage_enter_part(task, done, 1.0, total, inner, before);
}

void orffi_stage_leave(const orffi_stage *before) {
    stage_here = *before;
}
