/* The records of a CSV file: lines, or several where a cell in quotes holds newlines, out of a buffer of
 * some hundred kilobytes. */
#ifndef ORFF_FORMATS_CSV_LINES_H
#define ORFF_FORMATS_CSV_LINES_H

#include "formats/source.h"

typedef struct orff_csv_lines {
    orff_stream *stream;
    char *buffer; /* of which start .. end-1 are still to be used */
    size_t room, start, end;
    bool ended;        /* the stream has no more; the buffer then ends with a newline */
    bool begun;        /* the byte order mark, if any, is behind */
    uint64_t line;     /* of the next byte to be used, from 1 */
    uint64_t row_line; /* where the record read last begins */
    char separator;    /* 0: not known, any of comma, semicolon and tab */
} orff_csv_lines;

/* A record: text .. end-1, and at *end stands a newline or a carriage return. It may be written to. */
typedef struct orff_csv_record {
    char *text, *end;
    bool quoted; /* has a quote somewhere */
} orff_csv_record;

/* Calls that can fail return an orff_status, with the message in the table. */
int orff_csv_lines_open(orff_table *table, orff_csv_lines *lines);

/* The next record that is neither empty nor a comment; valid until the next call. */
int orff_csv_lines_next(orff_table *table, orff_csv_lines *lines, orff_csv_record *record, bool *got);

/* The record read last, unchanged since, is to be read again. */
void orff_csv_lines_unread(orff_csv_lines *lines, const orff_csv_record *record);
int orff_csv_lines_rewind(orff_table *table, orff_csv_lines *lines);
void orff_csv_lines_close(orff_csv_lines *lines);

bool orff_csv_separates(char separator, char c);

int orff_csv_fail_line(orff_table *table, uint64_t line, const char *what);

#endif
