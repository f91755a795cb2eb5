/* Shared by the parts of the CSV reader: its state, and cells. */
#ifndef FMT_CSV_H
#define FMT_CSV_H

#include "formats/csv_layout.h"
#include "formats/csv_lines.h"

typedef struct fmt_csv {
    fmt_csv_lines lines;
    fmt_csv_layout layout;
    char between;          /* the separator of a record's cells, after runs of blanks were squeezed */
    uint64_t header_rows;  /* rows of names and of units below them */
    bool *clock;           /* columns: whether they hold times of day */
    uint64_t begin, limit; /* a share: records that start in these bytes; limit 0: all */
    int32_t *slot;         /* columns: index in a row, -1 if not wanted; with CAREFUL for anything but plain
                      numbers */
} fmt_csv;

/* Reads names, units and date columns from the lines before the rows: csv_header.c. The first record is
 * `first`. */
int fmt_csv_read_header(fmt_table *table, fmt_csv *c, const fmt_csv_record *first);

typedef struct fmt_csv_cell {
    char *text, *end; /* without blanks around it; the byte at *end is no part of a number */
} fmt_csv_cell;

/* The cell at *at, which moves to the separator after it or to the end. Removes quotes in place; false if
 * there is text after the closing one. */
bool fmt_csv_parse_cell(char **at, char *end, char separator, fmt_csv_cell *t);
bool fmt_csv_cell_is(const fmt_csv_cell *t, const char *word);

/* The name of a class may be "none" or "*". */
bool fmt_csv_cell_missing(const fmt_table *table, const fmt_csv_cell *t, bool label);

/* The number of cells in a record, whose quotes it removes. */
size_t fmt_csv_count(fmt_csv_record r, char separator);

/* Replaces each run of blanks outside quotes by one tab, in place, and removes those at the ends. */
void fmt_csv_squeeze(fmt_csv_record *r);

#endif
