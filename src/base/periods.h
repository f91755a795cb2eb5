/* Periodic inputs: an input with period T repeats after T. A list of periods has one number per input, 0 for
 * inputs that are not periodic; NULL: none is. */
#ifndef ORFFI_BASE_PERIODS_H
#define ORFFI_BASE_PERIODS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool orffi_is_periodic(const double *periods, size_t i) {
    return periods && periods[i] > 0.0;
}

/* The shortest of the equivalent steps along input i: from -T/2 to T/2. */
static inline double orffi_shortest(const double *periods, size_t i, double step) {
    return orffi_is_periodic(periods, i) ? remainder(step, periods[i]) : step;
}

#endif
