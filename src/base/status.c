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

/* Written aside first: an argument may be the present message itself. Names and texts of files stand in messages. */
orff_status orffi_fail(orff_status status, const char *format, ...) {
    char message[sizeof last_message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    orff_text_show(last_message, sizeof last_message, message);
    return status;
}

/* NaN and infinity have all exponent bits set: without the sign, adding one to the exponent carries into the
 * sign bit for these alone. Integer sums, so the compiler may vectorise without relaxing floating point. */
static bool all_finite(size_t count, const double *a) {
    uint64_t carry = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        carry |= (bits & 0x7fffffffffffffffu) + 0x0010000000000000u;
    }
    return carry >> 63 == 0;
}

static bool all_finite_single(size_t count, const float *a) {
    uint32_t carry = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        carry |= (bits & 0x7fffffffu) + 0x00800000u;
    }
    return carry >> 31 == 0;
}

static orff_status check_shape(const char *name, size_t rows, size_t cols, const void *a) {
    if (rows && cols > SIZE_MAX / rows)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: %zu x %zu numbers fit no memory", name, rows,
                          cols);
    if (!a && rows && cols) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
    return ORFF_OK;
}

static orff_status not_finite(const char *name, size_t cols, size_t at, double value) {
    return orffi_fail(ORFF_ERROR_NOT_FINITE, "%s is %g in row %zu, column %zu", name, value, at / cols + 1,
                      at % cols + 1);
}

orff_status orffi_check_finite(const char *name, size_t rows, size_t cols, const double *a) {
    ORFFI_TRY(check_shape(name, rows, cols, a));
    const size_t count = rows * cols;
    if (all_finite(count, a)) return ORFF_OK;
    size_t at = 0;
    while (all_finite(1, a + at)) at++;
    return not_finite(name, cols, at, a[at]);
}

orff_status orffi_check_finite_single(const char *name, size_t rows, size_t cols, const float *a) {
    ORFFI_TRY(check_shape(name, rows, cols, a));
    const size_t count = rows * cols;
    if (all_finite_single(count, a)) return ORFF_OK;
    size_t at = 0;
    while (all_finite_single(1, a + at)) at++;
    return not_finite(name, cols, at, (double)a[at]);
}
