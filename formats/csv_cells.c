#define _GNU_SOURCE

#include <string.h>
#include <strings.h>

#include "formats/csv.h"

static void trim(fmt_csv_cell *t, char separator) {
    while (t->text < t->end && (*t->text == ' ' || (*t->text == '\t' && separator != '\t'))) t->text++;
    while (t->text < t->end && (t->end[-1] == ' ' || (t->end[-1] == '\t' && separator != '\t'))) t->end--;
}

/* Removes the quotes of the cell at *at, in place; false if there is text after the closing one. */
static bool parse_quoted(char **at, const char *end, char separator, fmt_csv_cell *t) {
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

bool fmt_csv_parse_cell(char **at, char *end, char separator, fmt_csv_cell *t) {
    if (*at < end && **at == '"') {
        const bool good = parse_quoted(at, end, separator, t);
        trim(t, 0);
        return good;
    }
    char *behind = memchr(*at, separator, (size_t)(end - *at));
    *t = (fmt_csv_cell){*at, behind ? behind : end};
    *at = t->end;
    trim(t, separator);
    return true;
}

bool fmt_csv_cell_is(const fmt_csv_cell *t, const char *word) {
    const size_t length = (size_t)(t->end - t->text);
    return length == strlen(word) && !strncasecmp(t->text, word, length);
}

bool fmt_csv_cell_missing(const fmt_table *table, const fmt_csv_cell *t, bool label) {
    static const char *const words[] = {"", "na", "n/a", "nan", "-nan", "+nan", "null"};
    for (size_t i = 0; i < table->options.n_missing; i++)
        if (fmt_csv_cell_is(t, table->options.missing[i])) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fmt_csv_cell_is(t, words[i])) return true;
    return !label && fmt_csv_is_missing(t->text, (size_t)(t->end - t->text));
}

size_t fmt_csv_count(fmt_csv_record r, char separator) {
    size_t count = 1;
    fmt_csv_cell t;
    for (char *at = r.text; fmt_csv_parse_cell(&at, r.end, separator, &t) && at < r.end; at++) count++;
    return count;
}

void fmt_csv_squeeze(fmt_csv_record *r) {
    char *to = r->text;
    bool inside = false, pending = false;
    for (const char *from = r->text; from < r->end; from++) {
        if (!inside && (*from == ' ' || *from == '\t')) {
            pending = to > r->text;
            continue;
        }
        if (pending) *to++ = '\t';
        pending = false;
        inside ^= *from == '"';
        *to++ = *from;
    }
    r->end = to;
    *to = '\n';
}
