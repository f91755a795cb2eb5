/* What the library tells the caller while it works, through the calling thread's hooks. */
#ifndef ORFFI_BASE_HOOKS_H
#define ORFFI_BASE_HOOKS_H

#include "base/status.h"

void orffi_log(orff_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Other hooks for the calling thread; returns those before, to be set again. */
orff_hooks orffi_hooks_swap(orff_hooks hooks);

/* ORFF_ERROR_CANCELLED when the caller wants to stop, else ORFF_OK. Call it from the thread that entered the
 * library. */
orff_status orffi_progress(const char *task, double done, double total);

#endif
