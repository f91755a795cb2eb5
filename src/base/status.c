#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_message[512];

const char *orff_status_text(orff_status status) {
    static const char *const texts[] = {
#define TEXT(name, text) text,
        ORFF_STATUS_LIST(TEXT)
#undef TEXT
    };
    return (unsigned)status < ORFF_STATUS_COUNT ? texts[status] : "unknown status";
}

const char *orff_error_message(void) {
    return last_message;
}

/* Formats into a separate buffer first, because an argument may be the current message. Makes names and texts
 * from files safe to show. */
orff_status orffi_fail(orff_status status, const char *format, ...) {
    char message[sizeof last_message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    orff_text_show(last_message, sizeof last_message, message);
    return status;
}

static orff_status check_shape(const char *name, size_t rows, size_t cols, const void *a) {
    if (rows && cols > SIZE_MAX / sizeof(double) / rows)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: %zu x %zu numbers do not fit in memory", name,
                          rows, cols);
    if (!a && rows && cols) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
    return ORFF_OK;
}

static orff_status not_finite(const char *name, size_t cols, size_t at, double value) {
    return orffi_fail(ORFF_ERROR_NOT_FINITE, "%s is %g in row %zu, column %zu", name, value, at / cols + 1,
                      at % cols + 1);
}

#define REAL        double
#define NAMED(name) name
#define BITS        uint64_t
#define LEAST       0x0010000000000000u /* one in the exponent */
#include "base/finite.inc"

#define REAL        float
#define NAMED(name) name##_single
#define BITS        uint32_t
#define LEAST       0x00800000u
#include "base/finite.inc"
