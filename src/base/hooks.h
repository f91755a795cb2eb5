/* What the library tells the caller while it works, through the calling thread's hooks. */
#ifndef ORFF_BASE_HOOKS_H
#define ORFF_BASE_HOOKS_H

#include "base/status.h"

void orff_log(orff_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ORFF_CANCELLED when the caller wants to stop, else ORFF_OK. Call it from the thread that entered the
 * library. */
orff_status orff_progress(const char *task, double done, double total);

#endif
