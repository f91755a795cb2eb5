/* Inputs on a circle: those of period T repeat after T. Lists of periods have a number for each input, 0 where it is on
 * the line; NULL: all are. */
#ifndef ORFFI_BASE_PERIODS_H
#define ORFFI_BASE_PERIODS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool orffi_is_periodic(const double *periods, size_t i) {
    return periods && periods[i] > 0.0;
}

/* The step along input i that is the shortest among its images: from -T/2 to T/2. */
static inline double orffi_shortest(const double *periods, size_t i, double step) {
    return orffi_is_periodic(periods, i) ? remainder(step, periods[i]) : step;
}

#endif
