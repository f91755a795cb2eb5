/* How a table is laid out, found in the first lines of its file: what separates cells, which sign decimals have, and the
 * names that stand above the rows in other ways than as a row of cells. */
#ifndef FMT_CSV_LAYOUT_H
#define FMT_CSV_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of a file, the last one with its newline unless it is all that there is. */
typedef struct fmt_csv_sample {
    const char *text, *end;
} fmt_csv_sample;

enum { FMT_CSV_MARKS = 4 };

typedef struct fmt_csv_layout {
    char separator; /* ' ': runs of blanks */
    bool decimal_comma;
    char marks[FMT_CSV_MARKS + 1]; /* lines that begin with one of these are comments */
    bool tecplot;
    const char *refusal; /* why rows cannot be had, NULL: they can */
    uint64_t skip;       /* lines before the rows */
    size_t n_names;
    char **names; /* from a comment line or of Tecplot, in UTF-8; from malloc */
} fmt_csv_layout;

/* `separator`: 0 to find it. False: no memory. The layout is to be cleared in any case. */
bool fmt_csv_layout_find(fmt_csv_layout *layout, fmt_csv_sample sample, char separator);
void fmt_csv_layout_clear(fmt_csv_layout *layout);

/* The next line that is neither empty nor a comment; false: none. `at` moves behind it. */
bool fmt_csv_sample_line(const fmt_csv_layout *layout, fmt_csv_sample *at, fmt_csv_sample *line);

/* What a cell holds. */
typedef enum fmt_csv_kind {
    FMT_CSV_EMPTY,
    FMT_CSV_NUMBER,
    FMT_CSV_COMMA_NUMBER,
    FMT_CSV_TIME,
    FMT_CSV_CLOCK,
    FMT_CSV_TEXT
} fmt_csv_kind;

typedef struct fmt_csv_piece {
    const char *text, *end; /* blanks and quotes around it left out */
    bool quoted;
} fmt_csv_piece;

/* The next cell of a line; false behind the last one. `*at` starts at the line's text and is NULL at the end. */
bool fmt_csv_piece_next(const char **at, const char *end, char separator, fmt_csv_piece *piece);
fmt_csv_kind fmt_csv_piece_kind(const fmt_csv_piece *piece, double *value);

/* Words for what is missing, besides nothing at all. */
bool fmt_csv_is_missing(const char *text, size_t length);

#endif
