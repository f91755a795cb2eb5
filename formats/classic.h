/* The header of a NetCDF file in the classic format, put together in memory:
 *
 *     "CDF" version, records, dimensions, attributes, variables
 *
 * with numbers big-endian and texts filled up to multiples of 4. Version 2 counts in 4 bytes, version 5 (wide) in 8;
 * places in the file take 8 in both. Who lacks memory finds `failed` set at the end; until then nothing need be checked. */
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

/* A list under way: its length is known when it is closed. */
typedef struct fmt_classic_list {
    size_t at; /* where tag and length stand */
    uint32_t tag;
    uint64_t length;
} fmt_classic_list;

enum { FMT_CLASSIC_DIMENSIONS = 10, FMT_CLASSIC_VARIABLES = 11, FMT_CLASSIC_ATTRIBUTES = 12 };

void fmt_classic_begin(fmt_classic *c, bool wide);
void fmt_classic_clear(fmt_classic *c);

fmt_classic_list fmt_classic_open(fmt_classic *c, uint32_t tag);
void fmt_classic_close(fmt_classic *c, const fmt_classic_list *list);

/* Entries of lists. A dimension of length 0 is the one of records, of which there are none. */
void fmt_classic_dimension(fmt_classic *c, fmt_classic_list *list, const char *name, uint64_t length);
void fmt_classic_text(fmt_classic *c, fmt_classic_list *list, const char *name, const char *text);
void fmt_classic_numbers(fmt_classic *c, fmt_classic_list *list, const char *name, size_t count,
                         const double *numbers);

/* A variable of doubles: its name and dimensions; then the caller's list of attributes; then its bytes, and the place
 * of its values, which is set once the header has its size. */
void fmt_classic_variable(fmt_classic *c, fmt_classic_list *list, const char *name, size_t rank,
                          const uint64_t *dimensions);
size_t fmt_classic_values(fmt_classic *c, uint64_t bytes);
void fmt_classic_place(fmt_classic *c, size_t at, uint64_t place);

/* count doubles as the file has them, 8 bytes each. */
void fmt_classic_doubles(size_t count, const double *from, unsigned char *to);

#endif
