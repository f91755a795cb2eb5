/* Status codes are return values; the message of a failure is kept per thread. */
#ifndef ORFFI_BASE_STATUS_H
#define ORFFI_BASE_STATUS_H

#include "orff.h"

/* Keeps the message of a failure and returns its status: `return orffi_fail(ORFF_ERROR_NO_MEMORY, "...",
 * ...)`. */
orff_status orffi_fail(orff_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns early if a call fails: for functions that own nothing yet. */
#define ORFFI_TRY(call)                                  \
    do {                                                 \
        const orff_status orffi_try_status_ = (call);    \
        if (orffi_try_status_) return orffi_try_status_; \
    } while (0)

/* Refuses NULL or non-finite data; the message names the argument and the position of the first bad
 * number. */
orff_status orffi_check_finite(const char *name, size_t rows, size_t cols, const double *a);
orff_status orffi_check_finite_single(const char *name, size_t rows, size_t cols, const float *a);

#endif
