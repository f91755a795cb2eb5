#include "formats/classic.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 2, DOUBLE = 6 }; /* types */

/* ---------------------------------------------------------------- bytes */

/* Makes room for `size` more bytes, set to zero; NULL if memory runs out. */
static unsigned char *grow(fmt_classic *c, size_t size) {
    if (!c->failed && c->size + size > c->room) {
        const size_t room = 2 * (c->size + size);
        unsigned char *bytes = realloc(c->bytes, room);
        c->failed = !bytes;
        if (bytes) {
            c->bytes = bytes;
            c->room = room;
        }
    }
    if (c->failed) return NULL;
    c->size += size;
    return memset(c->bytes + c->size - size, 0, size);
}

static void store(unsigned char *to, size_t size, uint64_t value) {
    for (size_t i = 0; i < size; i++) to[i] = (unsigned char)(value >> 8 * (size - 1 - i));
}

static void put(fmt_classic *c, size_t size, uint64_t value) {
    unsigned char *to = grow(c, size);
    if (to) store(to, size, value);
}

static size_t count_bytes(const fmt_classic *c) {
    return c->wide ? 8 : 4;
}

/* A length, the letters, and zero bytes up to a multiple of 4. */
static void put_letters(fmt_classic *c, const char *text) {
    const size_t length = strlen(text);
    put(c, count_bytes(c), length);
    unsigned char *to = grow(c, (length + 3) / 4 * 4);
    if (to) memcpy(to, text, length);
}

void fmt_classic_doubles(size_t count, const double *from, unsigned char *to) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        store(to + 8 * i, 8, bits);
    }
}

/* ---------------------------------------------------------------- lists */

void fmt_classic_begin(fmt_classic *c, bool wide) {
    *c = (fmt_classic){.wide = wide};
    unsigned char *magic = grow(c, 4);
    if (magic) memcpy(magic, wide ? "CDF\5" : "CDF\2", 4);
    put(c, count_bytes(c), 0); /* records */
}

void fmt_classic_clear(fmt_classic *c) {
    free(c->bytes);
    *c = (fmt_classic){0};
}

fmt_classic_list fmt_classic_open(fmt_classic *c, uint32_t tag) {
    const fmt_classic_list list = {.at = c->size, .tag = tag};
    grow(c, 4 + count_bytes(c));
    return list;
}

/* An empty list has no tag. */
void fmt_classic_close(fmt_classic *c, const fmt_classic_list *list) {
    if (c->failed || !list->length) return;
    store(c->bytes + list->at, 4, list->tag);
    store(c->bytes + list->at + 4, count_bytes(c), list->length);
}

void fmt_classic_dimension(fmt_classic *c, fmt_classic_list *list, const char *name, uint64_t length) {
    list->length++;
    put_letters(c, name);
    put(c, count_bytes(c), length);
}

void fmt_classic_text(fmt_classic *c, fmt_classic_list *list, const char *name, const char *text) {
    list->length++;
    put_letters(c, name);
    put(c, 4, TEXT);
    put_letters(c, text);
}

void fmt_classic_numbers(fmt_classic *c, fmt_classic_list *list, const char *name, size_t count,
                         const double *numbers) {
    list->length++;
    put_letters(c, name);
    put(c, 4, DOUBLE);
    put(c, count_bytes(c), count);
    unsigned char *to = grow(c, 8 * count);
    if (to) fmt_classic_doubles(count, numbers, to);
}

void fmt_classic_variable(fmt_classic *c, fmt_classic_list *list, const char *name, size_t rank,
                          const uint64_t *dimensions) {
    list->length++;
    put_letters(c, name);
    put(c, count_bytes(c), rank);
    for (size_t i = 0; i < rank; i++) put(c, count_bytes(c), dimensions[i]);
}

size_t fmt_classic_values(fmt_classic *c, uint64_t bytes) {
    put(c, 4, DOUBLE);
    put(c, count_bytes(c), bytes);
    put(c, 8, 0);
    return c->size - 8;
}

void fmt_classic_place(fmt_classic *c, size_t at, uint64_t place) {
    if (!c->failed) store(c->bytes + at, 8, place);
}
