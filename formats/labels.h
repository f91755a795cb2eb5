/* The names of classes and their numbers. */
#ifndef ORFF_FORMATS_LABELS_H
#define ORFF_FORMATS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#define ORFF_LABELS_MOST 65536 /* more than this is no column of classes */

typedef struct orff_labels {
    size_t count, room;
    char **names;
    size_t *bucket; /* open addressing: index + 1, 0 is free; n_buckets is a power of two */
    size_t n_buckets;
    bool fixed; /* no new ones */
} orff_labels;

/* The number of a text, which is added when it is new. "1", "1.0" and "+1" are the same. ORFF_MISMATCH:
 * the list is fixed and does not have it; ORFF_INVALID_ARGUMENT: too many; ORFF_NO_MEMORY. */
int orff_labels_index(orff_labels *labels, const char *text, size_t length, size_t *index);
int orff_labels_index_number(orff_labels *labels, double value, size_t *index);

/* order[old] = new. */
int orff_labels_sort(orff_labels *labels, size_t *order);
void orff_labels_clear(orff_labels *labels);

#endif
