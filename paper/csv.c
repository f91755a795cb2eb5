/* Tables: CSV files whose first columns name the row, written row by row so that a killed run can go on. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_LINE 1024

struct paper_table {
    FILE *file;
    char *header;
    size_t keys;
    char **rows; /* whole lines */
    size_t count, room;
};

bool paper_field(const char *line, size_t index, char *text, size_t size) {
    for (; index > 0; index--) {
        line = strchr(line, ',');
        if (!line) return false;
        line++;
    }
    const size_t length = strcspn(line, ",\r\n");
    if (length >= size) return false;
    memcpy(text, line, length);
    text[length] = '\0';
    return true;
}

static void keep(paper_table *table, const char *line) {
    if (table->count == table->room) {
        table->room = table->room ? 2 * table->room : 64;
        table->rows = realloc(table->rows, table->room * sizeof *table->rows);
        if (!table->rows) paper_fatal("not enough memory for a table of %zu rows", table->room);
    }
    char *copy = paper_alloc(strlen(line) + 1, 1);
    strcpy(copy, line);
    table->rows[table->count++] = copy;
}

/* The complete lines below the header of an earlier file; a last line without its end was cut by a kill. */
static void keep_earlier(paper_table *table, const char *path) {
    char *text = paper_read_text(path);
    char *line = text, *end = line ? strchr(line, '\n') : NULL;
    if (end) *end = '\0';
    if (end && !strcmp(line, table->header))
        for (line = end + 1; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            keep(table, line);
        }
    free(text);
}

static paper_table *open_table(paper_run *run, const char *file, size_t keys, const char *header,
                               bool earlier) {
    if (run->n_tables == PAPER_MAX_TABLES) paper_fatal("more than %d tables in one item", PAPER_MAX_TABLES);
    paper_table *table = paper_alloc(1, sizeof *table);
    char path[PAPER_MAX_PATH];
    paper_path(run, file, path);
    table->keys = keys;
    table->header = paper_alloc(strlen(header) + 1, 1);
    strcpy(table->header, header);
    if (earlier) keep_earlier(table, path);
    table->file = fopen(path, "w");
    if (!table->file) paper_fatal("%s: %s", path, strerror(errno));
    fprintf(table->file, "%s\n", header);
    for (size_t i = 0; i < table->count; i++) fprintf(table->file, "%s\n", table->rows[i]);
    fflush(table->file);
    run->tables[run->n_tables++] = table;
    return table;
}

paper_table *paper_table_open(paper_run *run, const char *file, size_t keys, const char *header) {
    return open_table(run, file, keys, header, run->resume);
}

paper_table *paper_table_derived(paper_run *run, const char *file, size_t keys, const char *header) {
    return open_table(run, file, keys, header, false);
}

void paper_table_close(paper_table *table) {
    if (fclose(table->file)) paper_fatal("a table could not be written: %s", strerror(errno));
    for (size_t i = 0; i < table->count; i++) free(table->rows[i]);
    free(table->rows);
    free(table->header);
    free(table);
}

void paper_row(paper_table *table, const char *format, ...) {
    char line[MAX_LINE];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= MAX_LINE) paper_fatal("a row of \"%s\" is too long", table->header);
    keep(table, line);
    fprintf(table->file, "%s\n", line);
    if (fflush(table->file)) paper_fatal("a row of \"%s\" could not be written", table->header);
}

/* The row whose first fields are the key's parts; NULL: none. */
static const char *find(const paper_table *table, const char *key) {
    const size_t length = strlen(key);
    for (size_t i = 0; i < table->count; i++) {
        const char *row = table->rows[i];
        size_t at = 0;
        while (at < length && (row[at] == key[at] || (row[at] == ',' && key[at] == '/'))) at++;
        if (at == length && (row[at] == ',' || !row[at])) return row;
    }
    return NULL;
}

bool paper_has(const paper_table *table, const char *key, ...) {
    char text[MAX_LINE];
    va_list arguments;
    va_start(arguments, key);
    vsnprintf(text, sizeof text, key, arguments);
    va_end(arguments);
    return find(table, text) != NULL;
}

double paper_value(const paper_table *table, const char *column, const char *key, ...) {
    char text[MAX_LINE], name[MAX_LINE];
    va_list arguments;
    va_start(arguments, key);
    vsnprintf(text, sizeof text, key, arguments);
    va_end(arguments);
    const char *row = find(table, text);
    for (size_t i = 0; row && paper_field(table->header, i, name, sizeof name); i++)
        if (!strcmp(name, column)) return paper_field(row, i, text, sizeof text) ? strtod(text, NULL) : NAN;
    return NAN;
}
