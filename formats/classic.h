/* The header of a NetCDF file in the classic format, assembled in memory:
 *
 *     "CDF" version, records, dimensions, attributes, variables
 *
 * with big-endian numbers, and texts padded to multiples of 4. Version 2 has counts of 4 bytes, version 5
 * (wide) of 8; file offsets take 8 in both. If memory runs out, `failed` is set; it needs to be checked only
 * at the end. */
#ifndef FMT_CLASSIC_H
#define FMT_CLASSIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fmt_classic {
    unsigned char *bytes; /* from malloc */
    size_t size, room;
    bool wide, failed;
} fmt_classic;

/* A list being written: its length is filled in when it is closed. */
typedef struct fmt_classic_list {
    size_t at; /* position of tag and length */
    uint32_t tag;
    uint64_t length;
} fmt_classic_list;

enum { FMT_CLASSIC_DIMENSIONS = 10, FMT_CLASSIC_VARIABLES = 11, FMT_CLASSIC_ATTRIBUTES = 12 };

void fmt_classic_begin(fmt_classic *c, bool wide);
void fmt_classic_clear(fmt_classic *c);

fmt_classic_list fmt_classic_open(fmt_classic *c, uint32_t tag);
void fmt_classic_close(fmt_classic *c, const fmt_classic_list *list);

/* Entries of lists. A dimension of length 0 is the record dimension, with no records. */
void fmt_classic_dimension(fmt_classic *c, fmt_classic_list *list, const char *name, uint64_t length);
void fmt_classic_text(fmt_classic *c, fmt_classic_list *list, const char *name, const char *text);
void fmt_classic_numbers(fmt_classic *c, fmt_classic_list *list, const char *name, size_t count,
                         const double *numbers);

/* A variable of doubles. First its name and dimensions; then the caller's list of attributes; then its size
 * in bytes and the offset of its values, which is set once the size of the header is known. */
void fmt_classic_variable(fmt_classic *c, fmt_classic_list *list, const char *name, size_t rank,
                          const uint64_t *dimensions);
size_t fmt_classic_values(fmt_classic *c, uint64_t bytes);
void fmt_classic_place(fmt_classic *c, size_t at, uint64_t place);

/* Converts doubles to the bytes of the file, 8 each. */
void fmt_classic_doubles(size_t count, const double *from, unsigned char *to);

#endif
