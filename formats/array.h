/* Arrays of numbers in files, row by row: what NPY and IDX have in common behind their headers. */
#ifndef ORFF_FORMATS_ARRAY_H
#define ORFF_FORMATS_ARRAY_H

#include "formats/source.h"

#define ORFF_ARRAY_RANK 16

typedef struct orff_array_layout {
    size_t rank; /* 1: one column; more than 2: what one index of the first dimension has is one row */
    uint64_t shape[ORFF_ARRAY_RANK];
    char kind;      /* 'f' float, 'i' integer, 'u' unsigned integer, 'b' truth value */
    unsigned bytes; /* of one number: 1, 2, 4 or 8 */
    bool big_endian, fortran;
    uint64_t offset; /* bytes before the first number */
} orff_array_layout;

/* Open the file of a table; read_header reads the format's header, up to the first number. */
int orff_array_open(orff_table *table,
                    int (*read_header)(orff_table *table, orff_stream *stream, orff_array_layout *layout));

/* `size` bytes of a header; fewer are an error. */
int orff_array_read(orff_table *table, orff_stream *stream, void *memory, size_t size);

/* True when there are numbers of that kind and size. */
bool orff_array_supports(char kind, unsigned bytes);

/* Functions of an orff_source. */
int orff_array_choose(orff_table *table);
int orff_array_next(orff_table *table, double *row, bool *got);
int orff_array_rewind(orff_table *table);
void orff_array_place(const orff_table *table, size_t slot, char *text, size_t room);
double orff_array_progress(const orff_table *table);
void orff_array_close(orff_table *table);

#endif
