/* Log messages and progress reports to the caller, through the calling thread's hooks. */
#ifndef ORFFI_BASE_HOOKS_H
#define ORFFI_BASE_HOOKS_H

#include "base/status.h"

void orffi_log(orff_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets other hooks for the calling thread; returns the previous ones, to be restored. */
orff_hooks orffi_hooks_swap(orff_hooks hooks);

/* ORFF_ERROR_CANCELLED if the caller wants to stop, else ORFF_OK. Call it from the thread that entered the
 * library. */
orff_status orffi_progress(const char *task, double done, double total);

/* A step of a stage whose own work also reports progress. Between enter and leave, all progress of the
 * calling thread is reported as that of the stage, so that the caller sees one measure for all steps instead
 * of one for each small task. The task named `inner` tells how far the current step is; none does if NULL.
 * Only the outermost of nested stages is reported. */
#define ORFFI_FOLDS_TASK "cross-validation" /* a task that is inner to several */

typedef struct orffi_stage {
    const char *task, *inner;
    double done, total;
} orffi_stage;

/* Entering also reports progress. Call leave even if enter failed. */
orff_status orffi_stage_enter(const char *task, double done, double total, const char *inner,
                              orffi_stage *before);
void orffi_stage_leave(const orffi_stage *before);

#endif
