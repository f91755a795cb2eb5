/* The names of classes and their numbers. */
#ifndef FMT_LABELS_H
#define FMT_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#define FMT_LABELS_MOST 65536 /* a column with more is not one of classes */

typedef struct fmt_labels {
    size_t count, room;
    char **names;
    size_t *bucket; /* open addressing: index + 1, 0 is free; n_buckets is a power of two */
    size_t n_buckets;
    bool fixed; /* new names are refused */
} fmt_labels;

/* The index of a text, which is added if it is new. "1", "1.0" and "+1" are the same. ORFF_ERROR_MISMATCH:
 * the list is fixed and does not have it; ORFF_ERROR_INVALID_ARGUMENT: too many; ORFF_ERROR_NO_MEMORY. */
int fmt_labels_index(fmt_labels *labels, const char *text, size_t length, size_t *index);
int fmt_labels_index_number(fmt_labels *labels, double value, size_t *index);

/* order[old] = new. */
int fmt_labels_sort(fmt_labels *labels, size_t *order);
void fmt_labels_clear(fmt_labels *labels);

#endif
