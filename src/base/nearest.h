/* Rows by their distance from something. */
#ifndef ORFFI_BASE_NEAREST_H
#define ORFFI_BASE_NEAREST_H

#include <stddef.h>

typedef struct orffi_neighbour {
    double distance; /* or its square: only the order counts; of equal ones the row that comes first */
    size_t row;
} orffi_neighbour;

/* The `count` nearest of n to the front, in any order: count < n. */
void orffi_nearest_first(orffi_neighbour *list, size_t n, size_t count);

#endif
