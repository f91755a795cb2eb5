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

/* The same of an iteration number `done` (from 0) whose residual falls by about as many decades in each: those so far over those in
 * all tell how many iterations there are. Residuals (of any one power): the first, the least so far, and the one that is wanted. */
orff_status orffi_progress_decades(const char *task, size_t done, double first, double least, double wanted);

/* A step of a stage whose own work tells of itself. From enter to leave all progress on the calling thread is that of the
 * stage, so that one measure of what is left stands for all of its steps, and not one for each little task of them. How
 * far a step is the task `inner` tells; nobody if NULL. Of stages within stages only the outermost is seen; one that is the
 * inner task of another tells how far that one's step is. */
#define ORFFI_FOLDS_TASK      "cross-validation" /* tasks that are inner to several */
#define ORFFI_COVARIANCE_TASK "covariance"

typedef struct orffi_stage {
    const char *task, *inner;
    double done, part, total; /* part: of the step */
} orffi_stage;

/* Entering also reports progress. Call leave even if enter failed. */
orff_status orffi_stage_enter(const char *task, double done, double total, const char *inner,
                              orffi_stage *before);
/* A step of this part of the total. */
orff_status orffi_stage_enter_part(const char *task, double done, double part, double total,
                                   const char *inner, orffi_stage *before);
void orffi_stage_leave(const orffi_stage *before);

#endif
