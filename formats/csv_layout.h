/* The layout of a table, found in the first lines of its file: the separator of cells, the decimal sign, and
 * names above the rows that are not a row of cells. */
#ifndef FMT_CSV_LAYOUT_H
#define FMT_CSV_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of a file. The last one ends with its newline, unless the file has no other line. */
typedef struct fmt_csv_sample {
    const char *text, *end;
} fmt_csv_sample;

enum { FMT_CSV_MARKS = 4 };

typedef struct fmt_csv_layout {
    char separator; /* ' ': runs of blanks */
    bool decimal_comma;
    char marks[FMT_CSV_MARKS + 1]; /* lines that start with one of these are comments */
    bool tecplot;
    const char *refusal; /* why rows cannot be read; NULL: they can */
    uint64_t skip;       /* lines before the rows */
    size_t n_names;
    char **names; /* from a comment line or from Tecplot, in UTF-8; allocated by malloc */
} fmt_csv_layout;

/* `separator`: 0 to find it. False: no memory. Clear the layout even then. */
bool fmt_csv_layout_find(fmt_csv_layout *layout, fmt_csv_sample sample, char separator);
void fmt_csv_layout_clear(fmt_csv_layout *layout);

/* The next line that is neither empty nor a comment; false: none. `at` moves past it. */
bool fmt_csv_sample_line(const fmt_csv_layout *layout, fmt_csv_sample *at, fmt_csv_sample *line);

/* The content of a cell. */
typedef enum fmt_csv_kind {
    FMT_CSV_EMPTY,
    FMT_CSV_NUMBER,
    FMT_CSV_COMMA_NUMBER,
    FMT_CSV_TIME,
    FMT_CSV_CLOCK,
    FMT_CSV_TEXT
} fmt_csv_kind;

typedef struct fmt_csv_piece {
    const char *text, *end; /* without blanks and quotes around it */
    bool quoted;
} fmt_csv_piece;

/* The next cell of a line; false after the last one. `*at` starts at the line's text and is NULL at the
 * end. */
bool fmt_csv_piece_next(const char **at, const char *end, char separator, fmt_csv_piece *piece);
fmt_csv_kind fmt_csv_piece_kind(const fmt_csv_piece *piece, double *value);

/* Whether a cell counts as missing: it is empty, or one of the words for that. */
bool fmt_csv_is_missing(const char *text, size_t length);

#endif
