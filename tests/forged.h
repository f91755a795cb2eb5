/* Files of models and moments taken apart, changed and put together again with a right checksum: what somebody would do
 * who wants to harm whoever loads them. */
#ifndef ORFF_TESTS_FORGED_H
#define ORFF_TESTS_FORGED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/archive.h"

/* ---- apart and together */

typedef struct forged {
    json_t *header, *document;
    size_t size;            /* of the tensors */
    unsigned char *tensors; /* from malloc, with room for one byte more */
} forged;

static inline void *forged_alloc(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) abort();
    return memory;
}

static inline void forged_clear(forged *file) {
    json_decref(file->header);
    json_decref(file->document);
    free(file->tensors);
    *file = (forged){0};
}

static inline size_t forged_header_length(const unsigned char *bytes) {
    size_t length = 0;
    for (int i = 0; i < 8; i++) length |= (size_t)bytes[i] << 8 * i;
    return length;
}

/* False where the bytes are no archive at all; clear it in any case. */
static inline bool forged_take_apart(const unsigned char *bytes, size_t size, forged *file) {
    *file = (forged){0};
    if (size < 8 || forged_header_length(bytes) > size - 8) return false;
    const size_t head = 8 + forged_header_length(bytes);
    file->header = json_loadb((const char *)bytes + 8, head - 8, 0, NULL);
    const json_t *metadata = json_object_get(file->header, "__metadata__");
    const char *document = json_string_value(json_object_get(metadata, "json"));
    file->document = document ? json_loads(document, 0, NULL) : NULL;
    file->size = size - head;
    file->tensors = forged_alloc(file->size + 1);
    memcpy(file->tensors, bytes + head, file->size);
    return json_is_object(file->document);
}

/* The digits of the checksum, wherever there is room for them. */
static inline void forged_seal(unsigned char *bytes, size_t size) {
    const size_t digits = 8 + strlen(ORFFI_ARCHIVE_PREFIX);
    char text[ORFFI_ARCHIVE_DIGITS + 1];
    if (size < digits + ORFFI_ARCHIVE_DIGITS) return;
    snprintf(text, sizeof text, "%08x", (unsigned)orffi_archive_head_checksum(bytes, size));
    memcpy(bytes + digits, text, ORFFI_ARCHIVE_DIGITS);
}

/* The whole file, to be freed. */
static inline unsigned char *forged_put_together(const forged *file, size_t *size) {
    char *document = json_dumps(file->document, JSON_COMPACT);
    json_object_set_new(json_object_get(file->header, "__metadata__"), "json", json_string(document));
    char *header = json_dumps(file->header, JSON_COMPACT);
    if (!document || !header) abort();
    const size_t text = strlen(header), head = (8 + text + 63) / 64 * 64;
    unsigned char *bytes = forged_alloc(head + file->size);
    memset(bytes, ' ', head);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((head - 8) >> 8 * i & 0xff);
    memcpy(bytes + 8, header, text);
    memcpy(bytes + head, file->tensors, file->size);
    *size = head + file->size;
    forged_seal(bytes, *size);
    free(header);
    free(document);
    return bytes;
}

/* ---- whole files */

static inline unsigned char *forged_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = forged_alloc(1 << 20);
    if (!file) {
        fprintf(stderr, "there is no %s\n", path);
        abort();
    }
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* ---- members and numbers */

/* The member of the document that a file is about. */
static inline json_t *forged_about(const forged *file) {
    json_t *model = json_object_get(file->document, "model");
    return model ? model : json_object_get(file->document, "moments");
}

/* Where the numbers of a tensor lie among the tensors; how many there are. */
static inline size_t forged_numbers(const forged *file, const char *name, size_t *begin) {
    const json_t *offsets = json_object_get(json_object_get(file->header, name), "data_offsets");
    const size_t first = (size_t)json_integer_value(json_array_get(offsets, 0));
    const size_t last = (size_t)json_integer_value(json_array_get(offsets, 1));
    *begin = first;
    return first <= last && last <= file->size ? (last - first) / 8 : 0;
}

static inline void forged_set_number(const forged *file, const char *name, size_t i, double value) {
    size_t begin;
    if (i < forged_numbers(file, name, &begin)) memcpy(file->tensors + begin + 8 * i, &value, sizeof value);
}

#endif
