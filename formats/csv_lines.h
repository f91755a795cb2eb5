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
    char separator;    /* ' ': runs of blanks */
    char marks[8];     /* lines that begin with one of these are comments */
    bool zones;        /* and those that begin with a letter */
    uint64_t taken;    /* bytes of the file up to the end of the buffer */
    uint64_t after;    /* lines are counted from this byte on: 0, or where a share begins */
    uint64_t limit;    /* records that begin at this byte or behind it are somebody else's; 0: none are */
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

/* What of the file is in the buffer behind the records read, at least one line of it; valid until the next call. */
int fmt_csv_lines_sample(fmt_table *table, fmt_csv_lines *lines, const char **text, const char **end);

/* Passes over lines, whatever is on them. */
int fmt_csv_lines_skip(fmt_table *table, fmt_csv_lines *lines, uint64_t count);

/* Only records that begin in byte .. limit - 1; whatever begins before `byte` is passed over. The share that follows the one
 * read last may be asked for then. */
int fmt_csv_lines_share(fmt_table *table, fmt_csv_lines *lines, uint64_t byte, uint64_t limit);

/* "line 3", or "line 3 after byte 5000" in a share. */
#define FMT_LINE_ROOM 64
const char *fmt_csv_line_text(const fmt_csv_lines *lines, uint64_t line, char text[FMT_LINE_ROOM]);
void fmt_csv_lines_close(fmt_csv_lines *lines);

bool fmt_csv_separates(char separator, char c);

int fmt_csv_fail_line(fmt_table *table, const fmt_csv_lines *lines, uint64_t line, const char *what);

#endif
