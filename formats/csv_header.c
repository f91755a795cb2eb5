/* The header of a table: names and units; and what the first rows show about the columns. */
#define _GNU_SOURCE

#include <stdlib.h>
#include <string.h>

#include "formats/csv.h"
#include "formats/header.h"
#include "orff.h"

enum { ROWS_LOOKED_AT = 40 };

static int set_name(fmt_table *table, size_t column, const char *text, size_t length) {
    table->names[column] = fmt_header_utf8(text, length);
    return table->names[column] ? ORFF_OK : fmt_table_fail_memory(table);
}

/* Uses the cells of the first row as names, except empty ones. */
static int set_names(fmt_table *table, const fmt_csv *c, fmt_csv_record r) {
    size_t column = 0;
    for (char *at = r.text; column < table->columns; at++, column++) {
        fmt_csv_cell t;
        if (!fmt_csv_parse_cell(&at, r.end, c->between, &t))
            return fmt_csv_fail_line(table, &c->lines, c->lines.row_line,
                                     "in the header: text after a closing quote");
        const int status =
            t.end > t.text ? set_name(table, column, t.text, (size_t)(t.end - t.text)) : ORFF_OK;
        if (status || at == r.end) return status;
    }
    return ORFF_OK;
}

/* Uses the names from a comment or from Tecplot. */
static int set_layout_names(fmt_table *table, const fmt_csv *c) {
    for (size_t i = 0; i < table->columns; i++) {
        const int status = set_name(table, i, c->layout.names[i], strlen(c->layout.names[i]));
        if (status) return status;
    }
    return ORFF_OK;
}

static bool has_text(const fmt_table *table, const fmt_csv *c, fmt_csv_record r) {
    for (char *at = r.text;; at++) {
        fmt_csv_cell t;
        double value;
        if (!fmt_csv_parse_cell(&at, r.end, c->between, &t)) return true;
        const fmt_csv_piece piece = {t.text, t.end, false};
        const fmt_csv_kind kind = fmt_csv_piece_kind(&piece, &value);
        const bool number =
            kind == FMT_CSV_TEXT && orff_number_scan(t.text, &value) == t.end; /* a long number */
        if (kind == FMT_CSV_COMMA_NUMBER && !c->layout.decimal_comma) return true;
        if (kind == FMT_CSV_TEXT && !number && !fmt_csv_cell_missing(table, &t, false)) return true;
        if (at >= r.end) return false;
    }
}

/* If blanks separate cells, "[m s-1]" and "(m)" belong to the name before them. */
static void join_units(fmt_csv_record *r) {
    for (char *at = r->text; at + 1 < r->end; at++) {
        if (*at != '\t' || (at[1] != '[' && at[1] != '(') || at == r->text) continue;
        char *closing = memchr(at, at[1] == '[' ? ']' : ')', (size_t)(r->end - at));
        for (; closing && at < closing; at++)
            if (*at == '\t') *at = ' ';
    }
}

/* Removing quotes changes a record, and the first one may have to be read again, so this works on a copy. */
static int copy_record(fmt_table *table, const fmt_csv *c, const fmt_csv_record *r, fmt_csv_record *copy) {
    const size_t size = (size_t)(r->end - r->text);
    free(copy->text);
    *copy = (fmt_csv_record){.text = malloc(size + 1), .quoted = r->quoted};
    if (!copy->text) return fmt_table_fail_memory(table);
    memcpy(copy->text, r->text, size);
    copy->end = copy->text + size;
    *copy->end = '\n';
    if (c->lines.separator == ' ') {
        fmt_csv_squeeze(copy);
        join_units(copy);
    }
    return ORFF_OK;
}

/* ---------------------------------------------------------------- the lines after the names */

/* Whether all rows examined end with a separator, which then makes no further column. */
static bool ends_with_separator(const fmt_csv *c, fmt_csv_sample sample, size_t columns) {
    fmt_csv_sample line;
    size_t rows = 0;
    for (; rows < ROWS_LOOKED_AT && fmt_csv_sample_line(&c->layout, &sample, &line); rows++) {
        fmt_csv_piece piece = {0};
        size_t count = 0;
        for (const char *at = line.text; fmt_csv_piece_next(&at, line.end, c->lines.separator, &piece);)
            count++;
        if (count > columns || (count == columns && piece.end > piece.text)) return false;
        if (count < columns - 1) return false;
    }
    return rows > 0;
}

static int sample_lines(fmt_table *table, fmt_csv *c, fmt_csv_sample *sample) {
    return fmt_csv_lines_sample(table, &c->lines, &sample->text, &sample->end);
}

/* Whether the line below the names has units: it has no numbers, and the line below it has numbers where it
 * has text. */
static bool are_units(const fmt_csv *c, fmt_csv_sample sample, fmt_csv_sample *units) {
    fmt_csv_sample row;
    fmt_csv_piece unit, number;
    double value;
    size_t found = 0;
    if (!fmt_csv_sample_line(&c->layout, &sample, units) || !fmt_csv_sample_line(&c->layout, &sample, &row))
        return false;
    const char *at = units->text, *below = row.text;
    while (fmt_csv_piece_next(&at, units->end, c->lines.separator, &unit)) {
        if (!fmt_csv_piece_next(&below, row.end, c->lines.separator, &number)) return false;
        const fmt_csv_kind kind = fmt_csv_piece_kind(&unit, &value),
                           under = fmt_csv_piece_kind(&number, &value);
        const bool one = unit.end - unit.text == 1 && *unit.text == '1';
        if (kind != FMT_CSV_TEXT && kind != FMT_CSV_EMPTY && !one) return false;
        found += kind == FMT_CSV_TEXT && under != FMT_CSV_TEXT && under != FMT_CSV_EMPTY;
    }
    return found > 0;
}

static int set_units(fmt_table *table, size_t column, const char *text, size_t length) {
    if (!table->units) table->units = calloc(table->columns + 1, sizeof *table->units);
    if (!table->units) return fmt_table_fail_memory(table);
    free(table->units[column]);
    table->units[column] = fmt_header_utf8(text, length);
    return table->units[column] ? ORFF_OK : fmt_table_fail_memory(table);
}

static int read_units(fmt_table *table, fmt_csv *c) {
    fmt_csv_sample sample, units;
    fmt_csv_piece piece;
    fmt_csv_record record;
    bool got;
    int status = sample_lines(table, c, &sample);
    if (status || !are_units(c, sample, &units)) return status;
    size_t column = 0;
    for (const char *at = units.text;
         !status && column < table->columns && fmt_csv_piece_next(&at, units.end, c->lines.separator, &piece);
         column++)
        if (piece.end > piece.text)
            status = set_units(table, column, piece.text, (size_t)(piece.end - piece.text));
    c->header_rows = 2;
    return status ? status : fmt_csv_lines_next(table, &c->lines, &record, &got);
}

/* Splits "u [m/s]" into the name u and the units m/s. The whole text is kept as a second name. */
static int split_name(fmt_table *table, size_t column) {
    char *units = NULL;
    table->titles[column] = strdup(table->names[column]);
    if (!table->titles[column] || !fmt_header_split(table->names[column], &units))
        return fmt_table_fail_memory(table);
    const int status = units ? set_units(table, column, units, strlen(units)) : ORFF_OK;
    free(units);
    return status;
}

static bool is_named_twice(const fmt_table *table, size_t column) {
    for (size_t i = 0; i < table->columns; i++)
        if (i != column && table->names[i] && !strcmp(table->names[i], table->names[column])) return true;
    return false;
}

/* If two columns differ only in their units, the units are part of the name: "x (km)" and "x (m)". */
static int split_names(fmt_table *table) {
    const size_t n = table->columns;
    if (n > 4096) return ORFF_OK;
    bool *twice = calloc(n + 1, sizeof *twice);
    table->titles = calloc(n + 1, sizeof *table->titles);
    int status = twice && table->titles ? ORFF_OK : fmt_table_fail_memory(table);
    for (size_t i = 0; !status && i < n; i++)
        if (table->names[i]) status = split_name(table, i);
    for (size_t i = 0; !status && i < n; i++) twice[i] = table->names[i] && is_named_twice(table, i);
    for (size_t i = 0; !status && i < n; i++)
        if (twice[i]) strcpy(table->names[i], table->titles[i]); /* both names existed before the split */
    free(twice);
    return status;
}

static int set_clock(fmt_table *table, fmt_csv *c, size_t column) {
    c->clock[column] = true;
    return table->units && table->units[column] ? ORFF_OK : set_units(table, column, "hours", 5);
}

/* A column of times of day right after dates without times is part of these. */
static void join_clock(fmt_table *table, const fmt_csv *c, const bool *bare) {
    for (size_t i = 1; i < table->columns && table->clock == FMT_NO_SLOT; i++)
        if (c->clock[i] && bare[i - 1]) table->clock = i;
}

static int set_date(fmt_table *table, size_t column, double value) {
    const fmt_time time = {.is_time = true, .unit = 1.0, .origin = value, .step = 3600.0};
    return fmt_table_set_time(table, column, &time);
}

/* A column holds dates, or times of day, if its first cell that is not missing is one. */
static int find_times(fmt_table *table, fmt_csv *c) {
    fmt_csv_sample sample, line;
    fmt_csv_piece piece;
    bool *seen = calloc(2 * table->columns + 1, sizeof *seen), *bare = seen ? seen + table->columns : NULL;
    c->clock = calloc(table->columns + 1, sizeof *c->clock);
    int status = seen && c->clock ? sample_lines(table, c, &sample) : fmt_table_fail_memory(table);
    for (size_t rows = 0; !status && rows < ROWS_LOOKED_AT && fmt_csv_sample_line(&c->layout, &sample, &line);
         rows++) {
        size_t column = 0;
        for (const char *at = line.text; !status && column < table->columns &&
                                         fmt_csv_piece_next(&at, line.end, c->lines.separator, &piece);
             column++) {
            double value = 0.0;
            const fmt_csv_kind kind = seen[column] ? FMT_CSV_EMPTY : fmt_csv_piece_kind(&piece, &value);
            seen[column] = seen[column] || kind != FMT_CSV_EMPTY;
            if (kind == FMT_CSV_TIME) status = set_date(table, column, value);
            if (kind == FMT_CSV_TIME)
                bare[column] = !memchr(piece.text, ':', (size_t)(piece.end - piece.text));
            if (kind == FMT_CSV_CLOCK) status = set_clock(table, c, column);
        }
    }
    if (!status) join_clock(table, c, bare);
    free(seen);
    return status;
}

/* ---------------------------------------------------------------- the whole header */

/* Finds the number of columns, whether there is a header, and the names. */
static int study(fmt_table *table, fmt_csv *c, const fmt_csv_record *first) {
    const fmt_table_options *o = &table->options;
    fmt_csv_record copy = {0};
    fmt_csv_sample sample = {first->text, first->text};
    int status = copy_record(table, c, first, &copy);
    size_t columns = status ? 0 : fmt_csv_count(copy, c->between);
    if (!status) status = copy_record(table, c, first, &copy);
    const bool header = !status && (o->header == ORFF_SWITCH_YES ||
                                    (o->header == ORFF_SWITCH_AUTO && has_text(table, c, copy)));
    if (!status) status = copy_record(table, c, first, &copy);
    const bool empty_end = !status && c->between != '\t' && copy.end - copy.text > 1 &&
                           copy.end[-1] == c->between && copy.end[-2] != c->between;
    c->header_rows = header;
    if (!header) fmt_csv_lines_unread(&c->lines, first);
    if (!status) status = sample_lines(table, c, &sample);
    if (!status && empty_end && columns > 2 && ends_with_separator(c, sample, columns)) columns--;
    if (!status) status = fmt_table_make_columns(table, columns);
    const bool above = !header && o->header != ORFF_SWITCH_NO && c->layout.n_names >= columns && columns > 0;
    if (!status && header) status = set_names(table, c, copy);
    if (!status && above) status = set_layout_names(table, c);
    free(copy.text);
    table->named = header || above;
    return status;
}

int fmt_csv_read_header(fmt_table *table, fmt_csv *c, const fmt_csv_record *first) {
    int status = study(table, c, first);
    if (!status && table->named) status = split_names(table);
    if (!status && c->header_rows) status = read_units(table, c);
    return status ? status : find_times(table, c);
}
