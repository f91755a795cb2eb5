#define _GNU_SOURCE

#include "formats/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/source.h"

/* ---------------------------------------------------------------- messages */

int orff_table_fail(orff_table *table, int status, const char *format, ...) {
    const size_t room = sizeof table->message;
    const char *name = strcmp(table->path, "-") ? table->path : "standard input";
    const int used = snprintf(table->message, room, "%.400s: ", name);
    va_list args;
    va_start(args, format);
    vsnprintf(table->message + used, room - (size_t)used, format, args);
    va_end(args);
    return status;
}

int orff_table_fail_stream(orff_table *table, int status, const orff_stream *stream) {
    return orff_table_fail(table, status, "%s", orff_stream_error(stream));
}

int orff_table_fail_memory(orff_table *table) {
    return orff_table_fail(table, ORFF_NO_MEMORY, "not enough memory");
}

const char *orff_shown(char shown[ORFF_SHOWN_ROOM], const char *text, size_t length) {
    const size_t most = ORFF_SHOWN_ROOM - 3;
    const size_t kept = length < most ? length : most;
    for (size_t i = 0; i < kept; i++) {
        const unsigned char c = (unsigned char)text[i];
        shown[i] = c < 32 || c == 127 ? '?' : text[i];
    }
    memcpy(shown + kept, length > most ? ".." : "", length > most ? 3 : 1);
    return shown;
}

/* ---------------------------------------------------------------- opening and closing */

orff_table_options orff_table_options_default(void) {
    return (orff_table_options){.format = ORFF_FORMAT_AUTO, .header = ORFF_AUTO};
}

int orff_table_make_columns(orff_table *table, uint64_t columns) {
    if (columns > ORFF_COLUMNS_MOST)
        return orff_table_fail(table, ORFF_FORMAT, "%llu columns, more than %llu",
                               (unsigned long long)columns, (unsigned long long)ORFF_COLUMNS_MOST);
    table->names = calloc(columns ? (size_t)columns : 1, sizeof *table->names);
    if (!table->names) return orff_table_fail_memory(table);
    table->columns = table->first_output = (size_t)columns;
    return ORFF_OK;
}

static bool ends_with(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcasecmp(path + n - m, end);
}

/* By the name, with or without .gz. */
static const orff_source *source_by_name(const char *path) {
    static const struct {
        const char *end;
        const orff_source *source;
    } known[] = {
        {".csv", &orff_source_csv},    {".tsv", &orff_source_csv},    {".txt", &orff_source_csv},
        {".npy", &orff_source_npy},    {"-ubyte", &orff_source_idx},  {".idx", &orff_source_idx},
        {".nc", &orff_source_netcdf},  {".nc4", &orff_source_netcdf}, {".cdf", &orff_source_netcdf},
        {".grd", &orff_source_netcdf},
    };
    char packed[16];
    if (!strcmp(path, "-")) return &orff_source_csv;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(packed, sizeof packed, "%s.gz", known[i].end);
        if (ends_with(path, known[i].end) || ends_with(path, packed)) return known[i].source;
    }
    return NULL;
}

/* By the first bytes. Those of a pipe can be read only once: it is taken for CSV, as standard input is. */
static int source_by_content(orff_table *table) {
    struct stat about;
    if (!stat(table->path, &about) &&
        (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode) || S_ISSOCK(about.st_mode))) {
        table->source = &orff_source_csv;
        return ORFF_OK;
    }
    unsigned char head[8] = {0};
    size_t got = 0;
    orff_stream *stream;
    int status = orff_stream_open(&stream, table->path);
    if (!status) status = orff_stream_read(stream, head, sizeof head, &got);
    if (status) orff_table_fail_stream(table, status, stream);
    orff_stream_close(stream);
    if (!memcmp(head, "\x93NUMPY", 6)) {
        table->source = &orff_source_npy;
    } else if (!memcmp(head, "CDF", 3) || !memcmp(head, "\x89HDF", 4)) {
        table->source = &orff_source_netcdf;
    } else if (got >= 4 && !head[0] && !head[1] && head[2] >= 8 && head[2] <= 14 && head[3]) {
        table->source = &orff_source_idx;
    } else {
        table->source = &orff_source_csv;
    }
    return status;
}

static int find_source(orff_table *table) {
    switch (table->options.format) {
    case ORFF_FORMAT_CSV:
        table->source = &orff_source_csv;
        return ORFF_OK;
    case ORFF_FORMAT_NPY:
        table->source = &orff_source_npy;
        return ORFF_OK;
    case ORFF_FORMAT_IDX:
        table->source = &orff_source_idx;
        return ORFF_OK;
    case ORFF_FORMAT_NETCDF:
        table->source = &orff_source_netcdf;
        return ORFF_OK;
    case ORFF_FORMAT_AUTO:
        break;
    }
    table->source = source_by_name(table->path);
    return table->source ? ORFF_OK : source_by_content(table);
}

orff_table *orff_table_make(const char *path) {
    orff_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    table->path = strdup(path);
    table->rows = ORFF_ROWS_UNKNOWN;
    table->weight_slot = table->label_slot = ORFF_NO_SLOT;
    table->options = orff_table_options_default();
    if (table->path) return table;
    free(table);
    return NULL;
}

int orff_table_open(orff_table **out, const char *path, const orff_table_options *options) {
    orff_table *table = *out = orff_table_make(path);
    if (!table) return ORFF_NO_MEMORY;
    if (options) table->options = *options;
    const int status = find_source(table);
    return status ? status : table->source->open(table);
}

static void free_names(size_t count, char **names) {
    for (size_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}

void orff_table_clear_selection(orff_table *table) {
    free(table->chosen);
    free(table->row);
    free(table->x_slot);
    free(table->y_slot);
    table->chosen = table->x_slot = table->y_slot = NULL;
    table->row = NULL;
    table->n_chosen = table->d = table->p = 0;
    table->weight_slot = table->label_slot = ORFF_NO_SLOT;
    orff_labels_clear(&table->labels);
}

void orff_table_close(orff_table *table) {
    if (!table) return;
    if (table->source) table->source->close(table);
    orff_table_clear_selection(table);
    free_names(table->columns, table->names);
    free_names(table->columns, table->units);
    free_names(table->columns, table->standard_names);
    free(table->path);
    free(table);
}

/* ---------------------------------------------------------------- looking */

const char *orff_table_error(const orff_table *table) {
    return table ? table->message : "not enough memory";
}

const char *orff_table_path(const orff_table *table) {
    return table->path;
}

const char *orff_table_format(const orff_table *table) {
    return table->source->name;
}

size_t orff_table_columns(const orff_table *table) {
    return table->columns;
}

const char *orff_table_name(const orff_table *table, size_t column) {
    char **name = &table->names[column];
    if (!*name && asprintf(name, "c%zu", column + 1) < 0) *name = NULL;
    return *name ? *name : "?";
}

bool orff_table_named(const orff_table *table) {
    return table->named;
}

const char *orff_table_units(const orff_table *table, size_t column) {
    return table->units ? table->units[column] : NULL;
}

const char *orff_table_standard_name(const orff_table *table, size_t column) {
    return table->standard_names ? table->standard_names[column] : NULL;
}

uint64_t orff_table_rows(const orff_table *table) {
    return table->rows;
}

double orff_table_progress(const orff_table *table) {
    return table->source->progress(table);
}

size_t orff_table_inputs(const orff_table *table) {
    return table->d;
}

size_t orff_table_outputs(const orff_table *table) {
    return table->p;
}

size_t orff_table_input(const orff_table *table, size_t i) {
    return table->chosen[table->x_slot[i]];
}

size_t orff_table_output(const orff_table *table, size_t i) {
    return table->chosen[table->y_slot[i]];
}

bool orff_table_weighted(const orff_table *table) {
    return table->weight_slot != ORFF_NO_SLOT;
}

uint64_t orff_table_used(const orff_table *table) {
    return table->used;
}

uint64_t orff_table_dropped(const orff_table *table) {
    return table->dropped;
}

size_t orff_table_label_count(const orff_table *table) {
    return table->labels.count;
}

const char *orff_table_label(const orff_table *table, size_t i) {
    return table->labels.names[i];
}

int orff_table_sort_labels(orff_table *table, size_t *order) {
    return orff_labels_sort(&table->labels, order) ? orff_table_fail_memory(table) : ORFF_OK;
}

/* ---------------------------------------------------------------- rows */

static int fail_at(orff_table *table, size_t slot, int status, const char *what) {
    char place[256];
    table->source->place(table, slot, place, sizeof place);
    return orff_table_fail(table, status, "%s: %s", place, what);
}

/* Whether the row just read may be used. */
static int check_row(orff_table *table, bool *usable) {
    *usable = true;
    for (size_t s = 0; s < table->n_chosen; s++) {
        if (isfinite(table->row[s])) continue;
        if (!isnan(table->row[s])) return fail_at(table, s, ORFF_NOT_FINITE, "the value is infinite");
        if (!table->drops_missing) return fail_at(table, s, ORFF_NOT_FINITE, "the value is missing");
        *usable = false;
    }
    if (*usable && table->weight_slot != ORFF_NO_SLOT && table->row[table->weight_slot] < 0.0)
        return fail_at(table, table->weight_slot, ORFF_FORMAT, "the weight is negative");
    return ORFF_OK;
}

static int make_label(orff_table *table) {
    size_t index;
    double *value = &table->row[table->label_slot];
    const int status = orff_labels_index_number(&table->labels, *value, &index);
    if (status == ORFF_NO_MEMORY) return orff_table_fail_memory(table);
    if (status == ORFF_MISMATCH)
        return fail_at(table, table->label_slot, ORFF_FORMAT, "the class is not one of the known ones");
    if (status)
        return fail_at(table, table->label_slot, ORFF_FORMAT, "too many different values for classes");
    *value = (double)index;
    return ORFF_OK;
}

/* The next usable row into table->row. */
static int next_row(orff_table *table, bool *got) {
    for (;;) {
        bool usable;
        int status = table->source->next(table, table->row, got);
        if (status || !*got) return status;
        status = check_row(table, &usable);
        if (status) return status;
        if (usable) break;
        table->dropped++;
    }
    table->used++;
    return table->label_slot != ORFF_NO_SLOT && !table->label_done ? make_label(table) : ORFF_OK;
}

int orff_table_read(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    orff_table *table = self;
    const double *row = table->row;
    *rows = 0;
    if (!table->selected) return orff_table_fail(table, ORFF_INVALID_ARGUMENT, "no columns are chosen");
    while (*rows < room && !table->ended) {
        bool got;
        const int status = next_row(table, &got);
        if (status) return status;
        if (!got) {
            table->ended = true;
            break;
        }
        for (size_t i = 0; i < table->d; i++) *X++ = row[table->x_slot[i]];
        for (size_t i = 0; i < table->p; i++) *Y++ = row[table->y_slot[i]];
        if (weights) *weights++ = table->weight_slot == ORFF_NO_SLOT ? 1.0 : row[table->weight_slot];
        ++*rows;
    }
    return ORFF_OK;
}

int orff_table_rewind(void *self) {
    orff_table *table = self;
    if (!table->rewindable) return orff_table_fail(table, ORFF_IO, "cannot be read twice");
    table->used = table->dropped = 0;
    table->ended = false;
    return table->source->rewind(table);
}

orff_reader orff_table_reader(orff_table *table) {
    return (orff_reader){.read = orff_table_read,
                         .rewind = table->rewindable ? orff_table_rewind : NULL,
                         .self = table,
                         .weighted = table->weight_slot != ORFF_NO_SLOT};
}
