#define _GNU_SOURCE

#include "formats/csv_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SLACK: room for the newline that is added to a last line without one. */
enum { BUFFER_START = 1 << 18, BUFFER_MOST = 1 << 26, SLACK = 8 };

int fmt_csv_fail_line(fmt_table *table, const fmt_csv_lines *c, uint64_t line, const char *what) {
    char where[FMT_LINE_ROOM];
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "%s: %s", fmt_csv_line_text(c, line, where), what);
}

static int make_room(fmt_table *table, fmt_csv_lines *c) {
    memmove(c->buffer, c->buffer + c->start, c->end - c->start);
    c->end -= c->start;
    c->start = 0;
    if (c->end < c->room) return ORFF_OK;
    if (c->room >= BUFFER_MOST)
        return fmt_csv_fail_line(table, c, c->line, "a row of more than 64 MiB (a quote never closed?)");
    char *buffer = realloc(c->buffer, 2 * c->room + SLACK);
    if (!buffer) return fmt_table_fail_memory(table);
    c->buffer = buffer;
    c->room *= 2;
    return ORFF_OK;
}

/* UTF-8 files may start with a byte order mark, which is skipped; other encodings are refused. */
static int skip_mark(fmt_table *table, fmt_csv_lines *c) {
    const char *text = c->buffer + c->start;
    const size_t size = c->end - c->start;
    c->begun = true;
    if (size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "is UTF-16 text; save it as UTF-8");
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) c->start += 3;
    return ORFF_OK;
}

/* Reads more of the file after the bytes in the buffer. At the end of the file, adds a newline if the last
 * line has none. */
static int refill(fmt_table *table, fmt_csv_lines *c) {
    size_t got;
    int status = make_room(table, c);
    if (status) return status;
    status = fmt_stream_read(c->stream, c->buffer + c->end, c->room - c->end, &got);
    if (status) return fmt_table_fail_stream(table, status, c->stream);
    c->ended = got < c->room - c->end;
    c->end += got;
    c->taken += got;
    if (!c->begun) status = skip_mark(table, c);
    if (c->ended && c->end > c->start && c->buffer[c->end - 1] != '\n') {
        c->buffer[c->end++] = '\n';
        c->taken++;
    }
    return status;
}

bool fmt_csv_separates(char separator, char c) {
    return c == separator || (separator == ' ' && c == '\t');
}

/* The position after the quoted text that starts at `at`; NULL if it does not end before `limit`. */
static char *skip_quoted(char *at, const char *limit) {
    for (at++;; at++) {
        at = memchr(at, '"', (size_t)(limit - at));
        if (!at || ++at == limit) return NULL;
        if (*at != '"') return at;
    }
}

/* The newline that ends a record with quotes. A quote counts only at the start of a cell. Newlines inside are
 * counted. */
static char *find_quoted_end(const fmt_csv_lines *c, char *at, const char *limit, uint64_t *lines) {
    bool begins = true;
    while (at && at < limit) {
        if (begins && *at == '"') {
            char *behind = skip_quoted(at, limit);
            for (; behind && at < behind; at++) *lines += *at == '\n';
            at = behind;
            begins = false;
        } else if (*at == '\n') {
            return at;
        } else {
            begins = fmt_csv_separates(c->separator, *at++);
        }
    }
    return NULL;
}

static bool is_comment(const fmt_csv_lines *c, const char *text) {
    for (const char *mark = c->marks; *mark; mark++)
        if (*text == *mark) return true;
    return c->zones && isalpha((unsigned char)*text);
}

/* A line of blanks counts as empty. */
static bool is_empty(const fmt_csv_record *r) {
    const char *at = r->text;
    while (at < r->end && *at == ' ') at++;
    return at == r->end;
}

/* The newline that ends the record at the start of the buffer; NULL if the record is not complete. */
static char *find_end(const fmt_csv_lines *c, fmt_csv_record *r, uint64_t *lines) {
    char *text = c->buffer + c->start;
    char *newline = memchr(text, '\n', c->end - c->start);
    *lines = 1;
    r->quoted = newline && !is_comment(c, text) && memchr(text, '"', (size_t)(newline - text));
    return r->quoted ? find_quoted_end(c, text, c->buffer + c->end, lines) : newline;
}

/* The position in the file at which the next record starts. */
static uint64_t position(const fmt_csv_lines *c) {
    return c->taken - (c->end - c->start);
}

/* Refuses a divided file with a newline in quotes: the next share may have started in the middle of such a
 * cell. */
static int fail_divided(fmt_table *table, const fmt_csv_lines *c) {
    char where[FMT_LINE_ROOM];
    return fmt_table_fail(table, ORFF_ERROR_UNSUPPORTED,
                          "%s: a cell in quotes holds a newline, so the file cannot be divided; pack it with "
                          "gzip, and it is read as a whole",
                          fmt_csv_line_text(c, c->row_line, where));
}

/* The next line, or lines, that make a record, whatever their content. */
static int next_lines(fmt_table *table, fmt_csv_lines *c, fmt_csv_record *r, bool *got) {
    uint64_t lines;
    char *newline;
    *got = false;
    if (c->limit && position(c) >= c->limit) return ORFF_OK;
    while (!(newline = find_end(c, r, &lines))) {
        if (c->ended && c->start == c->end) return ORFF_OK;
        if (c->ended) return fmt_csv_fail_line(table, c, c->line, "a quote is opened and never closed");
        const int status = refill(table, c);
        if (status) return status;
    }
    r->text = c->buffer + c->start;
    r->end = newline > r->text && newline[-1] == '\r' ? newline - 1 : newline;
    c->start = (size_t)(newline + 1 - c->buffer);
    c->row_line = c->line;
    c->line += lines;
    *got = true;
    if (c->limit && lines > 1) return fail_divided(table, c);
    return ORFF_OK;
}

int fmt_csv_lines_next(fmt_table *table, fmt_csv_lines *c, fmt_csv_record *r, bool *got) {
    int status;
    do status = next_lines(table, c, r, got);
    while (!status && *got && (is_empty(r) || is_comment(c, r->text)));
    return status;
}

void fmt_csv_lines_unread(fmt_csv_lines *c, const fmt_csv_record *r) {
    c->start = (size_t)(r->text - c->buffer);
    c->line = c->row_line;
}

int fmt_csv_lines_sample(fmt_table *table, fmt_csv_lines *c, const char **text, const char **end) {
    int status = ORFF_OK;
    if (!c->ended && !memchr(c->buffer + c->start, '\n', c->end - c->start)) status = refill(table, c);
    const char *start = c->buffer + c->start, *last = c->buffer + c->end;
    const char *newline = last > start ? memrchr(start, '\n', (size_t)(last - start)) : NULL;
    *text = start;
    *end = newline ? newline + 1 : last;
    return status;
}

int fmt_csv_lines_skip(fmt_table *table, fmt_csv_lines *c, uint64_t count) {
    int status = ORFF_OK;
    while (count && !status) {
        char *text = c->buffer + c->start, *newline = memchr(text, '\n', c->end - c->start);
        if (!newline && c->ended) break;
        if (!newline) {
            status = refill(table, c);
            continue;
        }
        c->start += (size_t)(newline + 1 - text);
        c->line++;
        count--;
    }
    return status;
}

int fmt_csv_lines_open(fmt_table *table, fmt_csv_lines *c) {
    c->line = 1;
    c->marks[0] = '#';
    c->room = BUFFER_START;
    c->buffer = malloc(c->room + SLACK);
    if (!c->buffer) return fmt_table_fail_memory(table);
    const int status = fmt_stream_open(&c->stream, table->path);
    return status ? fmt_table_fail_stream(table, status, c->stream) : ORFF_OK;
}

int fmt_csv_lines_rewind(fmt_table *table, fmt_csv_lines *c) {
    const int status = fmt_stream_rewind(c->stream);
    if (status) return fmt_table_fail_stream(table, status, c->stream);
    c->start = c->end = 0;
    c->ended = c->begun = false;
    c->line = 1;
    c->taken = c->after = c->limit = 0;
    return ORFF_OK;
}

int fmt_csv_lines_share(fmt_table *table, fmt_csv_lines *c, uint64_t byte, uint64_t limit) {
    const bool follows = byte <= position(c); /* the header or the previous share ended there or later */
    c->limit = limit;
    if (follows) return ORFF_OK;
    const int status = fmt_stream_seek(c->stream, byte - 1); /* if it is a newline, the record before ends
                                                                there */
    if (status) return fmt_table_fail_stream(table, status, c->stream);
    c->start = c->end = 0;
    c->ended = false;
    c->taken = c->after = byte - 1;
    c->line = 0;
    return fmt_csv_lines_skip(table, c, 1);
}

const char *fmt_csv_line_text(const fmt_csv_lines *c, uint64_t line, char text[FMT_LINE_ROOM]) {
    const int used = snprintf(text, FMT_LINE_ROOM, "line %llu", (unsigned long long)line);
    if (c->after)
        snprintf(text + used, FMT_LINE_ROOM - (size_t)used, " after byte %llu", (unsigned long long)c->after);
    return text;
}

void fmt_csv_lines_close(fmt_csv_lines *c) {
    fmt_stream_close(c->stream);
    free(c->buffer);
}
