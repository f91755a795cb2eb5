/* Status codes travel as return values; the particulars of a failure are kept per thread. */
#ifndef ORFFI_BASE_STATUS_H
#define ORFFI_BASE_STATUS_H

#include "orff.h"

/* Keep the message of a failure and return its status: `return orffi_fail(ORFF_ERROR_NO_MEMORY, "...", ...)`. */
orff_status orffi_fail(orff_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Return early when a call fails: for functions that own nothing yet. */
#define ORFFI_TRY(call)                                  \
    do {                                                 \
        const orff_status orffi_try_status_ = (call);    \
        if (orffi_try_status_) return orffi_try_status_; \
    } while (0)

/* Refuse NULL or non-finite data, naming the argument and the place of the first bad number. */
orff_status orffi_check_finite(const char *name, size_t rows, size_t cols, const double *a);
orff_status orffi_check_finite_single(const char *name, size_t rows, size_t cols, const float *a);

#endif
