/* The records of a CSV file: lines, or several where a cell in quotes holds newlines, out of a buffer of
 * some hundred kilobytes. */
#ifndef FMT_CSV_LINES_H
#define FMT_CSV_LINES_H

#include "formats/source.h"

typedef struct fmt_csv_lines {
    fmt_stream *stream;
    char *buffer; /* of which start .. end-1 are still to be used */
    size_t room, start, end;
    bool ended;        /* the stream has no more; the buffer then ends with a newline */
    bool begun;        /* the byte order mark, if any, is behind */
    uint64_t line;     /* of the next byte to be used, from 1 */
    uint64_t row_line; /* where the record read last begins */
    char separator;    /* 0: not known, any of comma, semicolon and tab */
} fmt_csv_lines;

/* A record: text .. end-1, and at *end stands a newline or a carriage return. It may be written to. */
typedef struct fmt_csv_record {
    char *text, *end;
    bool quoted; /* has a quote somewhere */
} fmt_csv_record;

/* Calls that can fail return an orff_status, with the message in the table. */
int fmt_csv_lines_open(fmt_table *table, fmt_csv_lines *lines);

/* The next record that is neither empty nor a comment; valid until the next call. */
int fmt_csv_lines_next(fmt_table *table, fmt_csv_lines *lines, fmt_csv_record *record, bool *got);

/* The record read last, unchanged since, is to be read again. */
void fmt_csv_lines_unread(fmt_csv_lines *lines, const fmt_csv_record *record);
int fmt_csv_lines_rewind(fmt_table *table, fmt_csv_lines *lines);
void fmt_csv_lines_close(fmt_csv_lines *lines);

bool fmt_csv_separates(char separator, char c);

int fmt_csv_fail_line(fmt_table *table, uint64_t line, const char *what);

#endif
