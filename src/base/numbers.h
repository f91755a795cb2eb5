/* A window on a long sequence of numbers that spans many arrays. The owner passes its arrays in order;
 * whatever falls into the window is copied out of them, or into them. */
#ifndef ORFFI_BASE_NUMBERS_H
#define ORFFI_BASE_NUMBERS_H

#include "base/status.h"

typedef struct orffi_numbers {
    uint64_t first; /* the window: count numbers from this one on */
    size_t count;
    double *out;      /* count: receives the numbers; NULL: they come from ... */
    const double *in; /* ... this array */
    uint64_t at;      /* numbers passed so far */
} orffi_numbers;

/* Fails unless the window lies within a sequence of `size` numbers. */
orff_status orffi_numbers_check(const orffi_numbers *window, uint64_t size);

void orffi_numbers_pass(orffi_numbers *window, size_t count, double *numbers);
void orffi_numbers_pass_count(orffi_numbers *window, uint64_t *count); /* one number, exact up to 2^53 */

/* Passes `count` numbers at once and returns true, unless one of them is in the window. */
bool orffi_numbers_skip(orffi_numbers *window, uint64_t count);
bool orffi_numbers_done(const orffi_numbers *window);

#endif
