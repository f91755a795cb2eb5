/* What the parts of the CSV reader share: its state, and cells. */
#ifndef FMT_CSV_H
#define FMT_CSV_H

#include "formats/csv_layout.h"
#include "formats/csv_lines.h"

typedef struct fmt_csv {
    fmt_csv_lines lines;
    fmt_csv_layout layout;
    char between;          /* what stands between the cells of a record, once blanks are squeezed */
    uint64_t header_rows;  /* names, and units below them */
    bool *clock;           /* columns: those of times of day */
    uint64_t begin, limit; /* a share: records that begin in these bytes; limit 0: all */
    int32_t
        *slot; /* columns: place in a row, -1 when not wanted; with CAREFUL for what is not a plain number */
} fmt_csv;

/* Names, units and columns of dates, out of the lines before the rows: csv_header.c. The first record is `first`. */
int fmt_csv_read_header(fmt_table *table, fmt_csv *c, const fmt_csv_record *first);

typedef struct fmt_csv_cell {
    char *text, *end; /* blanks around it are left out; at *end stands no part of a number */
} fmt_csv_cell;

/* The cell at *at, which moves to the separator behind it or to the end. Quotes are taken off in place; false when
 * something stands behind the closing one. */
bool fmt_csv_parse_cell(char **at, char *end, char separator, fmt_csv_cell *t);
bool fmt_csv_cell_is(const fmt_csv_cell *t, const char *word);

/* A class may be called "none" or "*". */
bool fmt_csv_cell_missing(const fmt_table *table, const fmt_csv_cell *t, bool label);

/* Cells of a record, which loses its quotes. */
size_t fmt_csv_count(fmt_csv_record r, char separator);

/* Runs of blanks outside quotes become one tab each, in place; none is left at the ends. */
void fmt_csv_squeeze(fmt_csv_record *r);

#endif
