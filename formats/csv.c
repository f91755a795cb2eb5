/* Comma-separated values, as RFC 4180 has them and as they come: also with semicolons or tabs, with a byte
 * order mark, with comment lines, plain or gzip. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/csv_lines.h"
#include "orff.h"

typedef struct csv {
    fmt_csv_lines lines;
    bool header;
    int32_t *slot; /* columns: place in a row, -1 when not wanted */
} csv;

/* ---------------------------------------------------------------- cells */

typedef struct cell {
    char *text, *end; /* blanks around it are left out; at *end stands no part of a number */
} cell;

static void trim(cell *t, char separator) {
    while (t->text < t->end && (*t->text == ' ' || (*t->text == '\t' && separator != '\t'))) t->text++;
    while (t->text < t->end && (t->end[-1] == ' ' || (t->end[-1] == '\t' && separator != '\t'))) t->end--;
}

/* Takes the quotes off the cell at *at, in place; false when something stands behind the closing one. */
static bool take_quoted(char **at, const char *end, char separator, cell *t) {
    char *from = *at + 1, *to = from;
    t->text = to;
    for (; from < end; *to++ = *from++) {
        if (*from != '"') continue;
        if (++from == end || *from != '"') break;
    }
    while (from < end && *from == ' ') from++;
    t->end = to;
    *to = '\n';
    *at = from;
    return from == end || fmt_csv_separates(separator, *from);
}

/* The cell at *at, which moves to the separator behind it or to the end. */
static bool take_cell(char **at, char *end, char separator, cell *t) {
    if (*at < end && **at == '"') {
        const bool good = take_quoted(at, end, separator, t);
        trim(t, 0);
        return good;
    }
    char *behind = memchr(*at, separator, (size_t)(end - *at));
    *t = (cell){*at, behind ? behind : end};
    *at = t->end;
    trim(t, separator);
    return true;
}

static bool is_word(const cell *t, const char *word) {
    const size_t length = (size_t)(t->end - t->text);
    return length == strlen(word) && !strncasecmp(t->text, word, length);
}

static bool is_missing(const cell *t) {
    static const char *const words[] = {"", "na", "n/a", "nan", "-nan", "+nan", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(t, words[i])) return true;
    return false;
}

static int fail_cell(fmt_table *table, size_t column, const cell *t, const char *what) {
    const csv *c = table->state;
    char shown[FMT_SHOWN_ROOM], name[FMT_SHOWN_ROOM];
    fmt_shown(shown, t->text, (size_t)(t->end - t->text));
    fmt_shown(name, fmt_table_name(table, column), strlen(fmt_table_name(table, column)));
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "line %llu, column %zu (%s): \"%s\" %s",
                          (unsigned long long)c->lines.row_line, column + 1, name, shown, what);
}

static int label_value(fmt_table *table, size_t column, const cell *t, double *value) {
    size_t index;
    const int status = fmt_labels_index(&table->labels, t->text, (size_t)(t->end - t->text), &index);
    if (status == ORFF_ERROR_NO_MEMORY) return fmt_table_fail_memory(table);
    if (status == ORFF_ERROR_MISMATCH) return fail_cell(table, column, t, "is not one of the known classes");
    if (status) return fail_cell(table, column, t, "is one class too many; is this a column of numbers?");
    *value = (double)index;
    return ORFF_OK;
}

/* The number that stands for a group: that of the cell, or one of 52 bits that follow from its text (FNV-1a). */
static void group_value(const cell *t, double *value) {
    uint64_t hash = 14695981039346656037u;
    if (orff_number_scan(t->text, value) == t->end && isfinite(*value)) return;
    for (const char *at = t->text; at < t->end; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    *value = -(double)((hash ^ hash >> 52) & ((UINT64_C(1) << 52) - 1)) - 0.5;
}

static int cell_value(fmt_table *table, size_t column, size_t slot, const cell *t, double *value) {
    if (is_missing(t)) {
        *value = (double)NAN;
        return ORFF_OK;
    }
    if (slot == table->label_slot) return label_value(table, column, t, value);
    if (slot == table->group_slot && !table->group_shared) {
        group_value(t, value);
        return ORFF_OK;
    }
    if (orff_number_scan(t->text, value) == t->end)
        return isinf(*value) ? fail_cell(table, column, t, "is too large for a number") : ORFF_OK;
    const char *word = t->text + (*t->text == '-' || *t->text == '+');
    const cell unsigned_word = {(char *)word, t->end};
    if (is_word(&unsigned_word, "inf") || is_word(&unsigned_word, "infinity"))
        return fail_cell(table, column, t, "is infinite");
    if (memchr(t->text, ',', (size_t)(t->end - t->text)))
        return fail_cell(table, column, t, "is not a number; the decimal sign must be a point");
    return fail_cell(table, column, t, "is not a number");
}

/* ---------------------------------------------------------------- rows */

/* Cells of a record; counted apart from reading it, for the message. */
static size_t count_cells(fmt_csv_record r, char separator) {
    size_t count = 1;
    cell t;
    for (char *at = r.text; take_cell(&at, r.end, separator, &t) && at < r.end; at++) count++;
    return count;
}

static int fail_ragged(fmt_table *table, uint64_t line, size_t found) {
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "line %llu: %zu cells, expected %zu",
                          (unsigned long long)line, found, table->columns);
}

/* The one cell at *at into its slot, by the full rules. */
static int slow_cell(fmt_table *table, const csv *c, const fmt_csv_record *r, char **at, size_t column,
                     double *row) {
    cell t;
    if (!take_cell(at, r->end, c->lines.separator, &t))
        return fail_cell(table, column, &t, "has text behind its closing quote");
    const int32_t slot = c->slot[column];
    return slot < 0 ? ORFF_OK : cell_value(table, column, (size_t)slot, &t, &row[slot]);
}

/* A plain number, or a cell that nobody wants; false leaves the cell to slow_cell. */
static bool quick_cell(const csv *c, const fmt_csv_record *r, char **at, size_t column, size_t label_slot,
                       double *row) {
    const int32_t slot = c->slot[column];
    if (**at == '"') return false;
    if (slot < 0) {
        char *behind = memchr(*at, c->lines.separator, (size_t)(r->end - *at));
        *at = behind ? behind : r->end;
        return true;
    }
    if ((size_t)slot == label_slot) return false;
    const char *behind = orff_number_scan(*at, &row[slot]);
    if (!behind || (behind != r->end && *behind != c->lines.separator) || isinf(row[slot])) return false;
    *at += behind - *at;
    return true;
}

static int parse_row(fmt_table *table, const csv *c, const fmt_csv_record *r, double *row) {
    char *at = r->text;
    size_t column = 0;
    for (;; at++) {
        if (column == table->columns) {
            const fmt_csv_record rest = {at, r->end, r->quoted};
            return fail_ragged(table, c->lines.row_line, column + count_cells(rest, c->lines.separator));
        }
        if (!quick_cell(c, r, &at, column, table->label_slot, row)) {
            const int status = slow_cell(table, c, r, &at, column, row);
            if (status) return status;
        }
        column++;
        if (at == r->end) break;
    }
    return column == table->columns ? ORFF_OK : fail_ragged(table, c->lines.row_line, column);
}

static int csv_next(fmt_table *table, double *row, bool *got) {
    csv *c = table->state;
    fmt_csv_record r;
    const int status = fmt_csv_lines_next(table, &c->lines, &r, got);
    return status || !*got ? status : parse_row(table, c, &r, row);
}

static void csv_place(const fmt_table *table, size_t slot, char *text, size_t room) {
    const csv *c = table->state;
    const size_t column = table->chosen[slot];
    const char *name = fmt_table_name(table, column);
    char shown[FMT_SHOWN_ROOM];
    snprintf(text, room, "line %llu, column %zu (%s)", (unsigned long long)c->lines.row_line, column + 1,
             fmt_shown(shown, name, strlen(name)));
}

/* ---------------------------------------------------------------- opening */

/* The one of tab, semicolon and comma that stands most often outside quotes; comma when there is none. */
static char find_separator(const char *text, const char *end) {
    static const char candidates[] = "\t;,";
    size_t counts[3] = {0};
    bool inside = false;
    for (; text < end; text++) {
        inside ^= *text == '"';
        const char *which = inside ? NULL : memchr(candidates, *text, 3);
        if (which) counts[which - candidates]++;
    }
    const size_t best = counts[0] >= counts[1] ? 0 : 1;
    return counts[2] > counts[best] || counts[best] == 0 ? ',' : candidates[best];
}

static bool has_end(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcasecmp(path + n - m, end);
}

/* The cells of the first row become names, empty ones apart. */
static int take_names(fmt_table *table, const csv *c, fmt_csv_record r) {
    size_t column = 0;
    for (char *at = r.text;; at++, column++) {
        cell t;
        if (!take_cell(&at, r.end, c->lines.separator, &t))
            return fmt_csv_fail_line(table, c->lines.row_line, "in the header: text behind a closing quote");
        if (t.end > t.text && !(table->names[column] = strndup(t.text, (size_t)(t.end - t.text))))
            return fmt_table_fail_memory(table);
        if (at == r.end) return ORFF_OK;
    }
}

static bool has_text(const csv *c, fmt_csv_record r) {
    for (char *at = r.text;; at++) {
        cell t;
        double value;
        if (!take_cell(&at, r.end, c->lines.separator, &t)) return true;
        if (!is_missing(&t) && orff_number_scan(t.text, &value) != t.end) return true;
        if (at >= r.end) return false;
    }
}

/* Taking quotes off changes a record, and the first one may have to be read again: this works on a copy. */
static int copy_record(fmt_table *table, const fmt_csv_record *r, fmt_csv_record *copy) {
    const size_t size = (size_t)(r->end - r->text);
    *copy = (fmt_csv_record){.text = malloc(size + 1), .quoted = r->quoted};
    if (!copy->text) return fmt_table_fail_memory(table);
    memcpy(copy->text, r->text, size);
    copy->end = copy->text + size;
    *copy->end = '\n';
    return ORFF_OK;
}

/* Separator, number of columns, whether there is a header, and the names. */
static int study(fmt_table *table, csv *c, const fmt_csv_record *first) {
    const fmt_table_options *o = &table->options;
    const bool tabs = has_end(table->path, ".tsv") || has_end(table->path, ".tsv.gz");
    c->lines.separator = o->separator ? o->separator : tabs ? '\t' : find_separator(first->text, first->end);
    fmt_csv_record copy;
    int status = copy_record(table, first, &copy);
    if (status) return status;
    const size_t columns = count_cells(copy, c->lines.separator);
    memcpy(copy.text, first->text, (size_t)(first->end - first->text));
    c->header = o->header == ORFF_SWITCH_YES || (o->header == ORFF_SWITCH_AUTO && has_text(c, copy));
    memcpy(copy.text, first->text, (size_t)(first->end - first->text));
    status = fmt_table_make_columns(table, columns);
    if (!status && c->header) status = take_names(table, c, copy);
    free(copy.text);
    table->named = c->header;
    return status;
}

/* The first record is looked at; as data it stays where it is. */
static int begin(fmt_table *table, csv *c) {
    fmt_csv_record first;
    bool got;
    int status = fmt_csv_lines_next(table, &c->lines, &first, &got);
    if (status) return status;
    if (!got) return fmt_table_fail(table, ORFF_ERROR_FORMAT, "is empty");
    status = study(table, c, &first);
    if (!status && !c->header) fmt_csv_lines_unread(&c->lines, &first);
    return status;
}

static int csv_open(fmt_table *table) {
    csv *c = table->state = calloc(1, sizeof *c);
    if (!c) return fmt_table_fail_memory(table);
    const int status = fmt_csv_lines_open(table, &c->lines);
    if (status) return status;
    table->rewindable = fmt_stream_can_rewind(c->lines.stream);
    table->label_done = true;
    return begin(table, c);
}

static int csv_choose(fmt_table *table) {
    csv *c = table->state;
    free(c->slot);
    c->slot = calloc(table->columns, sizeof *c->slot);
    if (!c->slot) return fmt_table_fail_memory(table);
    for (size_t i = 0; i < table->columns; i++) c->slot[i] = -1;
    for (size_t s = 0; s < table->n_chosen; s++) c->slot[table->chosen[s]] = (int32_t)s;
    return ORFF_OK;
}

/* The header ends where it was found to end, when the separator was not known yet. */
static int skip_header(fmt_table *table, csv *c) {
    fmt_csv_record header;
    bool got;
    const char separator = c->lines.separator;
    c->lines.separator = 0;
    const int status = fmt_csv_lines_next(table, &c->lines, &header, &got);
    c->lines.separator = separator;
    return status;
}

static int csv_rewind(fmt_table *table) {
    csv *c = table->state;
    const int status = fmt_csv_lines_rewind(table, &c->lines);
    return status || !c->header ? status : skip_header(table, c);
}

static double csv_progress(const fmt_table *table) {
    return fmt_stream_progress(((const csv *)table->state)->lines.stream);
}

static void csv_close(fmt_table *table) {
    csv *c = table->state;
    if (!c) return;
    fmt_csv_lines_close(&c->lines);
    free(c->slot);
    free(c);
}

static const char *const ends[] = {".csv", ".tsv", ".txt", NULL};

const fmt_source fmt_source_csv = {
    .name = "csv",
    .ends = ends,
    .open = csv_open,
    .choose = csv_choose,
    .next = csv_next,
    .rewind = csv_rewind,
    .place = csv_place,
    .progress = csv_progress,
    .close = csv_close,
};
