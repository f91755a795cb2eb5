/* Arrays of numbers in files, row by row: what NPY and IDX have in common after their headers. */
#ifndef FMT_ARRAY_H
#define FMT_ARRAY_H

#include "formats/source.h"

#define FMT_ARRAY_RANK 16

typedef struct fmt_array_layout {
    size_t rank; /* 1: one column; more than 2: one index of the first dimension is one row, with all its
                    numbers */
    uint64_t shape[FMT_ARRAY_RANK];
    char kind;      /* 'f' float, 'i' integer, 'u' unsigned integer, 'b' boolean */
    unsigned bytes; /* of one number: 1, 2, 4 or 8 */
    bool big_endian, fortran;
    uint64_t offset; /* bytes before the first number */
} fmt_array_layout;

/* Opens the file of a table; read_header reads the format's header, up to the first number. */
int fmt_array_open(fmt_table *table,
                   int (*read_header)(fmt_table *table, fmt_stream *stream, fmt_array_layout *layout));

/* Reads `size` bytes of a header; fewer are an error. */
int fmt_array_read(fmt_table *table, fmt_stream *stream, void *memory, size_t size);

/* True if numbers of this kind and size are supported. */
bool fmt_array_supports(char kind, unsigned bytes);

/* Functions of an fmt_source. */
int fmt_array_choose(fmt_table *table);
int fmt_array_next(fmt_table *table, double *row, bool *got);
int fmt_array_rewind(fmt_table *table);
int fmt_array_share(fmt_table *table, const fmt_share *share, bool *divided);
void fmt_array_place(const fmt_table *table, size_t slot, char *text, size_t room);
double fmt_array_progress(const fmt_table *table);
void fmt_array_close(fmt_table *table);

#endif
