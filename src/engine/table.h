/* Rows in memory. */
#ifndef ORFFI_ENGINE_TABLE_H
#define ORFFI_ENGINE_TABLE_H

#include "base/status.h"

typedef struct orffi_table {
    size_t n, d, p;
    double *X, *Y, *weights; /* n x d, n x p, n or NULL */
} orffi_table;

orff_status orffi_table_init(orffi_table *table, size_t n, size_t d, size_t p, bool weighted);
void orffi_table_clear(orffi_table *table);

/* All rows that a reader has; `expected` of them, or about so many. */
orff_status orffi_table_gather(orffi_table *table, const orff_reader *reader, size_t expected, size_t d,
                               size_t p);

/* The sum of the weights; the number of rows without any. */
double orffi_table_weight(const orffi_table *table);

#endif
