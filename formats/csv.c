/* Comma-separated values, as defined by RFC 4180 and as found in practice: also with semicolons, tabs or
 * blanks between cells, with decimal commas, a byte order mark, comment lines, units, dates, plain or
 * compressed. csv_layout.c finds out which. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/csv.h"
#include "orff.h"

#define CAREFUL ((int32_t)1 << 30)
#define ADDED   (-2) /* no slot of its own: a time of day, added to the date before it */

/* ---------------------------------------------------------------- cells */

static int fail_cell(fmt_table *table, size_t column, const fmt_csv_cell *t, const char *what) {
    const fmt_csv *c = table->state;
    char shown[FMT_SHOWN_ROOM], name[FMT_SHOWN_ROOM], where[FMT_LINE_ROOM];
    fmt_shown(shown, t->text, (size_t)(t->end - t->text));
    fmt_shown(name, fmt_table_name(table, column), strlen(fmt_table_name(table, column)));
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "%s, column %zu (%s): \"%s\" %s",
                          fmt_csv_line_text(&c->lines, c->lines.row_line, where), column + 1, name, shown,
                          what);
}

static int label_value(fmt_table *table, size_t column, const fmt_csv_cell *t, double *value) {
    size_t index;
    const int status = fmt_labels_index(&table->labels, t->text, (size_t)(t->end - t->text), &index);
    if (status == ORFF_ERROR_NO_MEMORY) return fmt_table_fail_memory(table);
    if (status == ORFF_ERROR_MISMATCH) return fail_cell(table, column, t, "is not one of the known classes");
    if (status) return fail_cell(table, column, t, "is one class too many; is this a column of numbers?");
    *value = (double)index;
    return ORFF_OK;
}

/* The number that represents a group: the number in the cell, or 52 bits derived from its text (FNV-1a). */
static int group_value(fmt_table *table, const fmt_csv_cell *t, double *value) {
    uint64_t hash = 14695981039346656037u;
    if (orff_number_scan(t->text, value) == t->end && isfinite(*value)) return ORFF_OK;
    for (const char *at = t->text; at < t->end; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    *value = -(double)((hash ^ hash >> 52) & ((UINT64_C(1) << 52) - 1)) - 0.5;
    return fmt_table_remember_group(table, t->text, (size_t)(t->end - t->text), *value);
}

/* Replaces the only comma of a number by a point. False: the number has a point, or several commas. */
static bool comma_to_point(const fmt_csv_cell *t) {
    char *comma = memchr(t->text, ',', (size_t)(t->end - t->text));
    if (memchr(t->text, '.', (size_t)(t->end - t->text))) return false;
    if (comma) *comma = '.';
    return true;
}

/* 01.03.2021 or 3/1/21: day or month first, which the numbers need not say. */
static bool is_ambiguous_date(const fmt_csv_cell *t) {
    int day, month, year, length = 0;
    char separator[2];
    const size_t size = (size_t)(t->end - t->text);
    char text[12] = "";
    if (size < 6 || size >= sizeof text) return false;
    memcpy(text, t->text, size);
    return sscanf(text, "%2d%1[./]%2d%1[./]%4d%n", &day, separator, &month, separator, &year, &length) == 5 &&
           (size_t)length == size;
}

static int fail_date(fmt_table *table, size_t column, const fmt_csv_cell *t) {
    return fail_cell(table, column, t, "is a date whose day and month cannot be told apart; write 2024-05-01");
}

static int fail_number(fmt_table *table, size_t column, const fmt_csv_cell *t) {
    const fmt_csv *c = table->state;
    if (is_ambiguous_date(t)) return fail_date(table, column, t);
    const char *word = t->text + (*t->text == '-' || *t->text == '+');
    const fmt_csv_cell unsigned_word = {(char *)word, t->end};
    if (fmt_csv_cell_is(&unsigned_word, "inf") || fmt_csv_cell_is(&unsigned_word, "infinity"))
        return fail_cell(table, column, t, "is infinite");
    if (memchr(t->text, ',', (size_t)(t->end - t->text)))
        return fail_cell(table, column, t,
                         c->layout.decimal_comma ? "is not a number"
                                                 : "is not a number; other cells have a decimal point");
    return fail_cell(table, column, t, "is not a number");
}

static int number_value(fmt_table *table, size_t column, const fmt_csv_cell *t, double *value) {
    const fmt_csv *c = table->state;
    if (c->layout.decimal_comma && !comma_to_point(t))
        return is_ambiguous_date(t) ? fail_date(table, column, t)
                                    : fail_cell(table, column, t, "has a decimal point, and the first rows have commas");
    if (orff_number_scan(t->text, value) != t->end) return fail_number(table, column, t);
    return isinf(*value) ? fail_cell(table, column, t, "is too large for a number") : ORFF_OK;
}

static int clock_value(fmt_table *table, size_t column, const fmt_csv_cell *t, double *seconds) {
    return fmt_clock_parse(t->text, t->end, seconds)
               ? ORFF_OK
               : fail_cell(table, column, t, "is not a time of day such as 06:30, as the first rows have");
}

/* Adds a time of day to the date in the cell before, in seconds. */
static int add_clock(fmt_table *table, size_t column, const fmt_csv_cell *t, double *date) {
    double seconds = (double)NAN;
    const int status =
        fmt_csv_cell_missing(table, t, false) ? ORFF_OK : clock_value(table, column, t, &seconds);
    if (!status) *date += seconds;
    return status;
}

static int cell_value(fmt_table *table, size_t column, size_t slot, const fmt_csv_cell *t, double *value) {
    const bool group = fmt_table_is_group(table, slot);
    if (fmt_csv_cell_missing(table, t, group || slot == table->label_slot)) {
        *value = (double)NAN;
        return ORFF_OK;
    }
    if (slot == table->label_slot) return label_value(table, column, t, value);
    if (group) return group_value(table, t, value);
    if (((const fmt_csv *)table->state)->clock[column]) {
        const int status = clock_value(table, column, t, value);
        *value /= 3600.0;
        return status;
    }
    if (!fmt_table_is_time(table, column)) return number_value(table, column, t, value);
    return fmt_time_parse(t->text, t->end, value)
               ? ORFF_OK
               : fail_cell(table, column, t,
                           "is not a date such as 2024-05-01T06:30:00, as the first rows have");
}

/* ---------------------------------------------------------------- rows */

static int fail_ragged(fmt_table *table, const fmt_csv_lines *lines, size_t found) {
    char where[FMT_LINE_ROOM];
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "%s: %zu cells, expected %zu",
                          fmt_csv_line_text(lines, lines->row_line, where), found, table->columns);
}

/* Parses the cell at *at into its slot, by the full rules. */
static int slow_cell(fmt_table *table, const fmt_csv *c, const fmt_csv_record *r, char **at, size_t column,
                     double *row) {
    fmt_csv_cell t;
    if (!fmt_csv_parse_cell(at, r->end, c->between, &t))
        return fail_cell(table, column, &t, "has text after its closing quote");
    const int32_t slot = c->slot[column];
    if (slot == ADDED || (column == table->clock && c->slot[column - 1] >= 0)) {
        const int status = add_clock(table, column, &t, &row[c->slot[column - 1] & ~CAREFUL]);
        if (status) return status;
    }
    if (slot < 0) return ORFF_OK;
    return cell_value(table, column, (size_t)(slot & ~CAREFUL), &t, &row[slot & ~CAREFUL]);
}

/* Parses a plain number, or skips an unused cell; false leaves the cell to slow_cell. */
static bool quick_cell(const fmt_csv *c, const fmt_csv_record *r, char **at, size_t column, double *row) {
    const int32_t slot = c->slot[column];
    if (**at == '"') return false;
    if (slot == ADDED) return false;
    if (slot < 0) {
        char *behind = memchr(*at, c->between, (size_t)(r->end - *at));
        *at = behind ? behind : r->end;
        return true;
    }
    if (slot & CAREFUL) return false;
    const char *behind = orff_number_scan(*at, &row[slot]);
    if (!behind || (behind != r->end && *behind != c->between) || isinf(row[slot])) return false;
    *at += behind - *at;
    return true;
}

static bool is_blank(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at == end;
}

static int parse_row(fmt_table *table, const fmt_csv *c, const fmt_csv_record *r, double *row) {
    char *at = r->text;
    size_t column = 0;
    for (;; at++) {
        if (column == table->columns) {
            const fmt_csv_record rest = {at, r->end, r->quoted};
            if (is_blank(at, r->end)) return ORFF_OK; /* a separator after the last cell */
            return fail_ragged(table, &c->lines, column + fmt_csv_count(rest, c->between));
        }
        if (!quick_cell(c, r, &at, column, row)) {
            const int status = slow_cell(table, c, r, &at, column, row);
            if (status) return status;
        }
        column++;
        if (at == r->end) break;
    }
    return column == table->columns ? ORFF_OK : fail_ragged(table, &c->lines, column);
}

static int next_record(fmt_table *table, fmt_csv *c, fmt_csv_record *r, bool *got) {
    const int status = fmt_csv_lines_next(table, &c->lines, r, got);
    if (!status && *got && c->lines.separator == ' ') fmt_csv_squeeze(r);
    return status;
}

static int csv_next(fmt_table *table, double *row, bool *got) {
    fmt_csv *c = table->state;
    fmt_csv_record r;
    const int status = next_record(table, c, &r, got);
    return status || !*got ? status : parse_row(table, c, &r, row);
}

static void csv_place(const fmt_table *table, size_t slot, char *text, size_t room) {
    const fmt_csv *c = table->state;
    const size_t column = table->chosen[slot];
    const char *name = fmt_table_name(table, column);
    char shown[FMT_SHOWN_ROOM], where[FMT_LINE_ROOM];
    snprintf(text, room, "%s, column %zu (%s)", fmt_csv_line_text(&c->lines, c->lines.row_line, where),
             column + 1, fmt_shown(shown, name, strlen(name)));
}

/* ---------------------------------------------------------------- opening */

/* Finds the separator and everything else needed before a record can be read. */
static int find_layout(fmt_table *table, fmt_csv *c) {
    const bool tabs = fmt_ends_with(table->path, ".tsv") || fmt_ends_with(table->path, ".tsv.gz") ||
                      fmt_ends_with(table->path, ".tsv.xz");
    const char separator = table->options.separator ? table->options.separator : tabs ? '\t' : '\0';
    fmt_csv_sample sample;
    const int status = fmt_csv_lines_sample(table, &c->lines, &sample.text, &sample.end);
    if (status) return status;
    if (!fmt_csv_layout_find(&c->layout, sample, separator)) return fmt_table_fail_memory(table);
    if (c->layout.refusal) return fmt_table_fail(table, ORFF_ERROR_UNSUPPORTED, "%s", c->layout.refusal);
    c->lines.separator = c->layout.separator;
    c->between = c->layout.separator == ' ' ? '\t' : c->layout.separator;
    c->lines.zones = c->layout.tecplot;
    memcpy(c->lines.marks, c->layout.marks, sizeof c->layout.marks);
    return fmt_csv_lines_skip(table, &c->lines, c->layout.skip);
}

/* Reads the header from the first record; a record of data is left to be read again. */
static int begin(fmt_table *table, fmt_csv *c) {
    fmt_csv_record first;
    bool got = false;
    int status = find_layout(table, c);
    if (!status) status = fmt_csv_lines_next(table, &c->lines, &first, &got);
    if (status) return status;
    if (!got) return fmt_table_fail(table, ORFF_ERROR_FORMAT, "is empty");
    return fmt_csv_read_header(table, c, &first);
}

static int csv_open(fmt_table *table) {
    fmt_csv *c = table->state = calloc(1, sizeof *c);
    if (!c) return fmt_table_fail_memory(table);
    const int status = fmt_csv_lines_open(table, &c->lines);
    if (status) return status;
    table->rewindable = fmt_stream_can_rewind(c->lines.stream);
    table->label_done = true;
    return begin(table, c);
}

static int csv_choose(fmt_table *table) {
    fmt_csv *c = table->state;
    free(c->slot);
    c->slot = calloc(table->columns, sizeof *c->slot);
    if (!c->slot) return fmt_table_fail_memory(table);
    for (size_t i = 0; i < table->columns; i++) c->slot[i] = -1;
    for (size_t s = 0; s < table->n_chosen; s++) {
        const size_t column = table->chosen[s];
        const bool careful = s == table->label_slot || c->layout.decimal_comma ||
                             fmt_table_is_time(table, column) || c->clock[column];
        c->slot[column] = (int32_t)s | (careful ? CAREFUL : 0);
    }
    if (table->clock != FMT_NO_SLOT && c->slot[table->clock - 1] >= 0 && c->slot[table->clock] < 0)
        c->slot[table->clock] = ADDED;
    return ORFF_OK;
}

static int csv_rewind(fmt_table *table) {
    fmt_csv *c = table->state;
    fmt_csv_record header;
    bool got;
    int status = fmt_csv_lines_rewind(table, &c->lines);
    if (!status) status = fmt_csv_lines_skip(table, &c->lines, c->layout.skip);
    for (uint64_t i = 0; !status && i < c->header_rows; i++)
        status = fmt_csv_lines_next(table, &c->lines, &header, &got);
    return status || !c->limit ? status : fmt_csv_lines_share(table, &c->lines, c->begin, c->limit);
}

static int csv_share(fmt_table *table, const fmt_share *share, bool *divided) {
    fmt_csv *c = table->state;
    const uint64_t size = fmt_stream_size(c->lines.stream);
    if (!table->rewindable || fmt_stream_packed(c->lines.stream) || !size) return ORFF_OK;
    *divided = true;
    c->begin = fmt_share_begin(share, size);
    c->limit = fmt_share_end(share, size);
    if (c->limit == c->begin) {
        table->empty = true;
        c->limit = 0;
        return ORFF_OK;
    }
    return fmt_csv_lines_share(table, &c->lines, c->begin, c->limit);
}

static double csv_progress(const fmt_table *table) {
    const fmt_csv *c = table->state;
    if (!c->limit) return fmt_stream_progress(c->lines.stream);
    return fmin(1.0, ((double)c->lines.taken - (double)c->begin) / (double)(c->limit - c->begin));
}

static void csv_close(fmt_table *table) {
    fmt_csv *c = table->state;
    if (!c) return;
    fmt_csv_lines_close(&c->lines);
    fmt_csv_layout_clear(&c->layout);
    free(c->slot);
    free(c->clock);
    free(c);
}

static const char *const ends[] = {".csv", ".tsv", ".txt", ".dat", ".vec", ".xyz", NULL};

const fmt_source fmt_source_csv = {
    .name = "csv",
    .ends = ends,
    .open = csv_open,
    .choose = csv_choose,
    .next = csv_next,
    .rewind = csv_rewind,
    .share = csv_share,
    .place = csv_place,
    .progress = csv_progress,
    .close = csv_close,
};
