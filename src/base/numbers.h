/* A window on a long row of numbers that lies in many arrays, one behind the other. Whoever has the arrays passes them by in
 * order; what falls into the window is copied out of them, or into them. */
#ifndef ORFFI_BASE_NUMBERS_H
#define ORFFI_BASE_NUMBERS_H

#include "base/status.h"

typedef struct orffi_numbers {
    uint64_t first; /* the window: count numbers from here on */
    size_t count;
    double *out;      /* count: receives them; NULL: they are taken from ... */
    const double *in; /* ... here */
    uint64_t at;      /* numbers that have passed by */
} orffi_numbers;

/* Whether the window lies within a row of `size`. */
orff_status orffi_numbers_check(const orffi_numbers *window, uint64_t size);

void orffi_numbers_pass(orffi_numbers *window, size_t count, double *numbers);
void orffi_numbers_pass_count(orffi_numbers *window, uint64_t *count); /* one number, exact up to 2^53 */

/* Lets so many pass by at once and says true, unless one of them is in the window. */
bool orffi_numbers_skip(orffi_numbers *window, uint64_t count);
bool orffi_numbers_done(const orffi_numbers *window);

#endif
