/* The records of a CSV file: single lines, or several if a cell in quotes contains newlines. They are read
 * through a buffer of some hundred kilobytes. */
#ifndef FMT_CSV_LINES_H
#define FMT_CSV_LINES_H

#include "formats/source.h"

typedef struct fmt_csv_lines {
    fmt_stream *stream;
    char *buffer; /* of which start .. end-1 are not used yet */
    size_t room, start, end;
    bool ended;        /* the stream is at its end; the buffer then ends with a newline */
    bool begun;        /* the byte order mark, if any, has been skipped */
    uint64_t line;     /* of the next unused byte, counted from 1 */
    uint64_t row_line; /* where the last record read starts */
    char separator;    /* ' ': runs of blanks */
    char marks[8];     /* lines that start with one of these are comments */
    bool zones;        /* lines that start with a letter are comments too */
    uint64_t taken;    /* bytes of the file up to the end of the buffer */
    uint64_t after;    /* lines are counted from this byte on: 0, or the start of a share */
    uint64_t limit;    /* records that start at this byte or later belong to other shares; 0: no limit */
} fmt_csv_lines;

/* A record: text .. end-1; *end is a newline or a carriage return. It may be modified. */
typedef struct fmt_csv_record {
    char *text, *end;
    bool quoted; /* contains a quote */
} fmt_csv_record;

/* Calls that can fail return an orff_status, with the message in the table. */
int fmt_csv_lines_open(fmt_table *table, fmt_csv_lines *lines);

/* The next record that is neither empty nor a comment; valid until the next call. */
int fmt_csv_lines_next(fmt_table *table, fmt_csv_lines *lines, fmt_csv_record *record, bool *got);

/* Makes the last record read, which must be unchanged, the next one again. */
void fmt_csv_lines_unread(fmt_csv_lines *lines, const fmt_csv_record *record);
int fmt_csv_lines_rewind(fmt_table *table, fmt_csv_lines *lines);

/* The bytes of the file that are in the buffer after the records read, at least one line; valid until the
 * next call. */
int fmt_csv_lines_sample(fmt_table *table, fmt_csv_lines *lines, const char **text, const char **end);

/* Skips lines, whatever their content. */
int fmt_csv_lines_skip(fmt_table *table, fmt_csv_lines *lines, uint64_t count);

/* Restricts reading to records that start in byte .. limit - 1. Records that start before `byte` are skipped.
 * May be called again for the share that follows the last one. */
int fmt_csv_lines_share(fmt_table *table, fmt_csv_lines *lines, uint64_t byte, uint64_t limit);

/* "line 3", or "line 3 after byte 5000" in a share. */
#define FMT_LINE_ROOM 64
const char *fmt_csv_line_text(const fmt_csv_lines *lines, uint64_t line, char text[FMT_LINE_ROOM]);
void fmt_csv_lines_close(fmt_csv_lines *lines);

bool fmt_csv_separates(char separator, char c);

int fmt_csv_fail_line(fmt_table *table, const fmt_csv_lines *lines, uint64_t line, const char *what);

#endif
