/* Comparison of a quick run with paper/NAME/expected.csv: file,row,column,value,tolerance,origin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_FIELD 256

typedef struct expectation {
    char file[MAX_FIELD], row[MAX_FIELD], column[MAX_FIELD];
    double value, tolerance;
} expectation;

static double number(const char *line, size_t index, const char *where) {
    char text[MAX_FIELD], *end;
    if (!paper_field(line, index, text, sizeof text))
        paper_fatal("%s: too few fields in \"%s\"", where, line);
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) paper_fatal("%s: \"%s\" is no number", where, text);
    return value;
}

static expectation parse(const char *line, const char *where) {
    expectation e;
    if (!paper_field(line, 0, e.file, sizeof e.file) || !paper_field(line, 1, e.row, sizeof e.row) ||
        !paper_field(line, 2, e.column, sizeof e.column))
        paper_fatal("%s: too few fields in \"%s\"", where, line);
    e.value = number(line, 3, where);
    e.tolerance = number(line, 4, where);
    return e;
}

/* Whether a CSV line starts with the fields of the key "a/b/c". */
static bool is_row(const char *line, const char *key) {
    for (; *key; line++, key++)
        if (*line != *key && !(*line == ',' && *key == '/')) return false;
    return *line == ',';
}

static size_t column_index(const char *header, const char *column) {
    char name[MAX_FIELD];
    for (size_t i = 0; paper_field(header, i, name, sizeof name); i++)
        if (!strcmp(name, column)) return i;
    return SIZE_MAX;
}

/* The number that the run has there; NAN: none. */
static double found(const paper_run *run, const expectation *e) {
    char path[PAPER_MAX_PATH], text[MAX_FIELD];
    paper_path(run, e->file, path);
    char *table = paper_read_text(path);
    double value = NAN;
    const size_t column = table ? column_index(table, e->column) : SIZE_MAX;
    for (const char *line = table; line && column != SIZE_MAX; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (!is_row(line, e->row)) continue;
        if (paper_field(line, column, text, sizeof text) && *text) value = strtod(text, NULL);
        break;
    }
    free(table);
    return value;
}

size_t paper_check(const paper_run *run, size_t *compared) {
    char path[PAPER_MAX_PATH];
    paper_source(run, "expected.csv", path);
    char *text = paper_read_text(path);
    if (!text) paper_fatal("%s is missing", path);
    size_t wrong = 0;
    *compared = 0;
    char *line = strchr(text, '\n'); /* behind the header */
    while (line && line[1]) {
        char *end = strchr(++line, '\n');
        if (end) *end = '\0';
        const expectation e = parse(line, path);
        const double value = found(run, &e);
        *compared += 1;
        if (!(fabs(value - e.value) <= e.tolerance)) { /* also when it is NAN */
            printf("%s: %s, row %s: %s is %.6g, expected %.6g within %.2g\n", run->item->name, e.file, e.row,
                   e.column, value, e.value, e.tolerance);
            wrong++;
        }
        line = end;
    }
    free(text);
    if (!*compared) paper_fatal("%s expects nothing", path);
    return wrong;
}
