#define _GNU_SOURCE

#include "formats/labels.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orff.h"

/* FNV-1a. */
static size_t hash(const char *text, size_t length) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* The bucket that has this text, or the free one where it belongs. */
static size_t *find(const fmt_labels *labels, const char *text, size_t length) {
    const size_t mask = labels->n_buckets - 1;
    for (size_t at = hash(text, length) & mask;; at = (at + 1) & mask) {
        size_t *bucket = &labels->bucket[at];
        if (!*bucket) return bucket;
        const char *name = labels->names[*bucket - 1];
        if (!strncmp(name, text, length) && !name[length]) return bucket;
    }
}

static void fill_buckets(fmt_labels *labels) {
    memset(labels->bucket, 0, labels->n_buckets * sizeof *labels->bucket);
    for (size_t i = 0; i < labels->count; i++)
        *find(labels, labels->names[i], strlen(labels->names[i])) = i + 1;
}

/* Makes room for one more: `room` names, and four times as many buckets. */
static int reserve(fmt_labels *labels) {
    if (labels->count < labels->room) return ORFF_OK;
    const size_t room = labels->room ? 2 * labels->room : 16;
    char **names = realloc(labels->names, room * sizeof *names);
    if (!names) return ORFF_ERROR_NO_MEMORY;
    labels->names = names;
    size_t *bucket = calloc(4 * room, sizeof *bucket);
    if (!bucket) return ORFF_ERROR_NO_MEMORY;
    free(labels->bucket);
    labels->bucket = bucket;
    labels->n_buckets = 4 * room;
    labels->room = room;
    fill_buckets(labels);
    return ORFF_OK;
}

static int find_or_add(fmt_labels *labels, const char *text, size_t length, size_t *index) {
    if (labels->n_buckets) {
        const size_t at = *find(labels, text, length);
        if (at) {
            *index = at - 1;
            return ORFF_OK;
        }
    }
    if (labels->fixed) return ORFF_ERROR_MISMATCH;
    if (labels->count == FMT_LABELS_MOST) return ORFF_ERROR_INVALID_ARGUMENT;
    const int status = reserve(labels);
    if (status) return status;
    char *name = strndup(text, length);
    if (!name) return ORFF_ERROR_NO_MEMORY;
    labels->names[labels->count] = name;
    *find(labels, text, strlen(name)) = labels->count + 1;
    *index = labels->count++;
    return ORFF_OK;
}

int fmt_labels_index_number(fmt_labels *labels, double value, size_t *index) {
    char text[ORFF_NUMBER_ROOM];
    const size_t length = orff_number_print(text, value == 0.0 ? 0.0 : value, true);
    return find_or_add(labels, text, length, index);
}

/* The value of a text that is a whole number. */
static bool as_number(const char *text, size_t length, double *value) {
    char copy[64];
    if (length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return length > 0 && orff_number_scan(copy, value) == copy + length;
}

int fmt_labels_index(fmt_labels *labels, const char *text, size_t length, size_t *index) {
    double value;
    length = strnlen(text, length);
    if (as_number(text, length, &value)) return fmt_labels_index_number(labels, value, index);
    return find_or_add(labels, text, length, index);
}

typedef struct entry {
    char *name;
    double value;
    size_t old;
} entry;

static int by_value(const void *a, const void *b) {
    const double x = ((const entry *)a)->value, y = ((const entry *)b)->value;
    return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

int fmt_labels_sort(fmt_labels *labels, size_t *order) {
    if (labels->count == 0) return ORFF_OK;
    entry *entries = calloc(labels->count, sizeof *entries);
    if (!entries) return ORFF_ERROR_NO_MEMORY;
    bool numbers = true;
    for (size_t i = 0; i < labels->count; i++) {
        entries[i] = (entry){.name = labels->names[i], .old = i};
        numbers = numbers && as_number(entries[i].name, strlen(entries[i].name), &entries[i].value);
    }
    qsort(entries, labels->count, sizeof *entries, numbers ? by_value : by_name);
    for (size_t i = 0; i < labels->count; i++) {
        labels->names[i] = entries[i].name;
        order[entries[i].old] = i;
    }
    free(entries);
    fill_buckets(labels);
    return ORFF_OK;
}

void fmt_labels_clear(fmt_labels *labels) {
    for (size_t i = 0; i < labels->count; i++) free(labels->names[i]);
    free(labels->names);
    free(labels->bucket);
    *labels = (fmt_labels){0};
}
