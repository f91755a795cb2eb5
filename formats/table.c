#define _GNU_SOURCE

#include "formats/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/source.h"

/* ---------------------------------------------------------------- messages */

/* Names and texts from files appear in messages, so characters that a terminal would act on are shown as \x1b
 * and the like. */
int fmt_table_fail(fmt_table *table, int status, const char *format, ...) {
    char message[sizeof table->message];
    const char *name = strcmp(table->path, "-") ? table->path : "standard input";
    const int used = snprintf(message, sizeof message, "%.400s: ", name);
    va_list args;
    va_start(args, format);
    vsnprintf(message + used, sizeof message - (size_t)used, format, args);
    va_end(args);
    orff_text_show(table->message, sizeof table->message, message);
    return status;
}

int fmt_table_fail_stream(fmt_table *table, int status, const fmt_stream *stream) {
    return fmt_table_fail(table, status, "%s", fmt_stream_error(stream));
}

int fmt_table_fail_memory(fmt_table *table) {
    return fmt_table_fail(table, ORFF_ERROR_NO_MEMORY, "not enough memory");
}

const char *fmt_shown(char shown[FMT_SHOWN_ROOM], const char *text, size_t length) {
    const size_t most = FMT_SHOWN_ROOM - 3;
    const size_t kept = length < most ? length : most;
    for (size_t i = 0; i < kept; i++) {
        const unsigned char c = (unsigned char)text[i];
        shown[i] = c < 32 || c == 127 ? '?' : text[i];
    }
    memcpy(shown + kept, length > most ? ".." : "", length > most ? 3 : 1);
    return shown;
}

/* ---------------------------------------------------------------- opening and closing */

fmt_table_options fmt_table_options_default(void) {
    return (fmt_table_options){.format = FMT_FORMAT_AUTO, .header = ORFF_SWITCH_AUTO};
}

int fmt_table_make_columns(fmt_table *table, uint64_t columns) {
    if (columns > FMT_COLUMNS_MOST)
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "%llu columns, more than %llu",
                              (unsigned long long)columns, (unsigned long long)FMT_COLUMNS_MOST);
    table->names = calloc(columns ? (size_t)columns : 1, sizeof *table->names);
    table->made_up = calloc(columns ? (size_t)columns : 1, sizeof *table->made_up);
    if (!table->names || !table->made_up) return fmt_table_fail_memory(table);
    table->columns = table->first_output = (size_t)columns;
    return ORFF_OK;
}

bool fmt_ends_with(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcasecmp(path + n - m, end);
}

/* In the order of fmt_format, without auto. */
static const fmt_source *const sources[] = {
#define SOURCE_OF(name, file) &fmt_source_##file,
    FMT_FORMAT_LIST(SOURCE_OF)
#undef SOURCE_OF
};
enum { SOURCES = sizeof sources / sizeof *sources };

static bool claims_name(const fmt_source *source, const char *path) {
    char gz[32], xz[32];
    for (const char *const *end = source->ends; *end; end++) {
        snprintf(gz, sizeof gz, "%s.gz", *end);
        snprintf(xz, sizeof xz, "%s.xz", *end);
        if (fmt_ends_with(path, *end) || fmt_ends_with(path, gz) || fmt_ends_with(path, xz)) return true;
    }
    return false;
}

static const fmt_source *source_by_name(const char *path) {
    if (!strcmp(path, "-")) return sources[0];
    for (size_t i = 0; i < SOURCES; i++)
        if (claims_name(sources[i], path)) return sources[i];
    return NULL;
}

/* Decides by the first bytes. Those of a pipe can be read only once, so it is taken for CSV, as standard
 * input is. */
static int source_by_content(fmt_table *table) {
    struct stat about;
    table->source = sources[0];
    if (!stat(table->path, &about) &&
        (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode) || S_ISSOCK(about.st_mode)))
        return ORFF_OK;
    unsigned char head[FMT_HEAD] = {0};
    size_t got = 0;
    fmt_stream *stream;
    int status = fmt_stream_open(&stream, table->path);
    if (!status) status = fmt_stream_read(stream, head, sizeof head, &got);
    if (status) fmt_table_fail_stream(table, status, stream);
    fmt_stream_close(stream);
    for (size_t i = 0; !status && i < SOURCES; i++) {
        if (!sources[i]->claims || !sources[i]->claims(head, got)) continue;
        table->source = sources[i];
        break;
    }
    return status;
}

static int find_source(fmt_table *table) {
    if (table->options.format != FMT_FORMAT_AUTO) {
        table->source = sources[table->options.format - 1];
        return ORFF_OK;
    }
    table->source = source_by_name(table->path);
    return table->source ? ORFF_OK : source_by_content(table);
}

static void forget_slots(fmt_table *table) {
    table->weight_slot = table->label_slot = FMT_NO_SLOT;
    for (size_t k = 0; k < FMT_GROUP_COUNT; k++) table->groups[k].slot = FMT_NO_SLOT;
}

fmt_table *fmt_table_make(const char *path) {
    fmt_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    table->path = strdup(path);
    table->rows = FMT_ROWS_UNKNOWN;
    table->descriptor = -1;
    forget_slots(table);
    table->clock = FMT_NO_SLOT;
    table->options = fmt_table_options_default();
    if (table->path) return table;
    free(table);
    return NULL;
}

int fmt_table_open(fmt_table **out, const char *path, const fmt_table_options *options) {
    fmt_table *table = *out = fmt_table_make(path);
    if (!table) return ORFF_ERROR_NO_MEMORY;
    if (options) table->options = *options;
    const int status = find_source(table);
    return status ? status : table->source->open(table);
}

static void free_names(size_t count, char **names) {
    for (size_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}

void fmt_table_clear_selection(fmt_table *table) {
    free(table->chosen);
    free(table->row);
    free(table->x_slot);
    free(table->y_slot);
    table->chosen = table->x_slot = table->y_slot = NULL;
    table->row = NULL;
    table->n_chosen = table->d = table->p = 0;
    forget_slots(table);
    fmt_labels_clear(&table->labels);
    fmt_labels_clear(&table->group_names);
    free(table->group_values);
}

void fmt_table_close(fmt_table *table) {
    if (!table) return;
    if (table->source) table->source->close(table);
    if (table->descriptor >= 0) close(table->descriptor);
    fmt_table_clear_selection(table);
    free_names(table->columns, table->names);
    free(table->made_up);
    free_names(table->columns, table->units);
    free_names(table->columns, table->standard_names);
    free_names(table->columns, table->titles);
    free_names(table->columns, table->shapes);
    free(table->times);
    free(table->path);
    free(table);
}

/* ---------------------------------------------------------------- the columns */

const char *fmt_table_error(const fmt_table *table) {
    return table ? table->message : "not enough memory";
}

const char *fmt_table_path(const fmt_table *table) {
    return table->path;
}

const char *fmt_table_format(const fmt_table *table) {
    return table->source->name;
}

size_t fmt_table_columns(const fmt_table *table) {
    return table->columns;
}

const char *fmt_table_name(const fmt_table *table, size_t column) {
    char *made_up = table->made_up[column];
    if (table->names[column]) return table->names[column];
    if (!*made_up) snprintf(made_up, FMT_MADE_UP_ROOM, "c%zu", column + 1);
    return made_up;
}

bool fmt_table_named(const fmt_table *table) {
    return table->named;
}

const char *fmt_table_units(const fmt_table *table, size_t column) {
    return table->units ? table->units[column] : NULL;
}

const char *fmt_table_standard_name(const fmt_table *table, size_t column) {
    return table->standard_names ? table->standard_names[column] : NULL;
}

const char *fmt_table_clock(const fmt_table *table, size_t column) {
    return table->clock == column + 1 ? fmt_table_name(table, table->clock) : NULL;
}

const char *fmt_table_shape(const fmt_table *table, size_t column) {
    return table->shapes ? table->shapes[column] : NULL;
}

uint64_t fmt_table_rows(const fmt_table *table) {
    return table->rows;
}

double fmt_table_progress(const fmt_table *table) {
    return table->source->progress(table);
}

size_t fmt_table_inputs(const fmt_table *table) {
    return table->d;
}

size_t fmt_table_outputs(const fmt_table *table) {
    return table->p;
}

size_t fmt_table_input(const fmt_table *table, size_t i) {
    return table->chosen[table->x_slot[i]];
}

size_t fmt_table_output(const fmt_table *table, size_t i) {
    return table->chosen[table->y_slot[i]];
}

bool fmt_table_weighted(const fmt_table *table) {
    return table->weight_slot != FMT_NO_SLOT;
}

bool fmt_table_grouped(const fmt_table *table, fmt_group which) {
    return table->groups[which].slot != FMT_NO_SLOT;
}

void fmt_table_groups_into(fmt_table *table, fmt_group which, uint64_t *groups) {
    table->groups[which].into = groups;
}

bool fmt_table_is_group(const fmt_table *table, size_t slot) {
    for (size_t k = 0; k < FMT_GROUP_COUNT; k++)
        if (slot == table->groups[k].slot && !table->groups[k].shared) return true;
    return false;
}

int fmt_table_remember_group(fmt_table *table, const char *text, size_t length, double value) {
    const size_t known = table->group_names.count;
    size_t index;
    const int status = fmt_labels_index(&table->group_names, text, length, &index);
    if (status == ORFF_ERROR_NO_MEMORY) return fmt_table_fail_memory(table);
    if (status || index < known) return ORFF_OK;
    double *grown = realloc(table->group_values, table->group_names.room * sizeof *grown);
    if (!grown) return fmt_table_fail_memory(table);
    table->group_values = grown;
    table->group_values[index] = value;
    return ORFF_OK;
}

void fmt_table_group_name(const fmt_table *table, uint64_t group, char *name, size_t room) {
    char number[ORFF_NUMBER_ROOM];
    double value;
    memcpy(&value, &group, sizeof value);
    orff_number_print(number, value, true);
    snprintf(name, room, "%s", number);
    for (size_t i = 0; i < table->group_names.count; i++)
        if (table->group_values[i] == value) snprintf(name, room, "%s", table->group_names.names[i]);
}

void fmt_table_require_outputs(fmt_table *table) {
    table->refused = table->optional;
    table->optional = 0;
}

uint64_t fmt_table_used(const fmt_table *table) {
    return table->used;
}

uint64_t fmt_table_partial(const fmt_table *table) {
    return table->partial;
}

uint64_t fmt_table_dropped(const fmt_table *table) {
    return table->dropped;
}

size_t fmt_table_label_count(const fmt_table *table) {
    return table->labels.count;
}

const char *fmt_table_label(const fmt_table *table, size_t i) {
    return table->labels.names[i];
}

int fmt_table_sort_labels(fmt_table *table, size_t *order) {
    return fmt_labels_sort(&table->labels, order) ? fmt_table_fail_memory(table) : ORFF_OK;
}

/* ---------------------------------------------------------------- rows */

static int fail_at(fmt_table *table, size_t slot, int status, const char *what) {
    char place[256];
    table->source->place(table, slot, place, sizeof place);
    return fmt_table_fail(table, status, "%s: %s", place, what);
}

/* Replaces numbers that represent missing values by NAN, and raw dates by their counts; leaves classes and
 * groups unchanged. */
static void decode_row(fmt_table *table) {
    for (size_t s = 0; s < table->n_chosen; s++) {
        double value;
        if (s == table->label_slot || fmt_table_is_group(table, s)) continue;
        for (size_t i = 0; i < table->options.n_missing; i++) {
            const char *text = table->options.missing[i], *end = orff_number_scan(text, &value);
            if (end && !*end && table->row[s] == value) table->row[s] = (double)NAN;
        }
        if (table->has_times && fmt_table_is_time(table, table->chosen[s]))
            table->row[s] = fmt_time_count(&table->times[table->chosen[s]], table->row[s]);
    }
}

/* Whether a slot is one of the first `outputs` outputs, the optional ones. */
static bool is_among(const fmt_table *table, size_t slot, size_t outputs) {
    for (size_t k = 0; k < outputs; k++)
        if (table->y_slot[k] == slot) return true;
    return false;
}

static int fail_missing(fmt_table *table, size_t slot) {
    return fail_at(table, slot, ORFF_ERROR_NOT_FINITE,
                   is_among(table, slot, table->refused)
                       ? "the value is missing; --skip-missing leaves such rows out, --missing-outputs use "
                         "learns from what they have"
                       : "the value is missing; --skip-missing leaves such rows out");
}

static bool is_companion(const fmt_table *table, size_t slot) {
    for (size_t k = table->companions; k && k < table->p; k++)
        if (table->y_slot[k] == slot) return true;
    return false;
}

/* Whether the last row read is usable; a row without any of its optional outputs is not. */
static int check_row(fmt_table *table, bool *usable) {
    size_t absent = 0;
    *usable = true;
    for (size_t s = 0; s < table->n_chosen; s++) {
        if (isfinite(table->row[s])) continue;
        if (!isnan(table->row[s])) return fail_at(table, s, ORFF_ERROR_NOT_FINITE, "the value is infinite");
        if (is_companion(table, s)) continue;
        if (is_among(table, s, table->optional)) {
            absent++;
            continue;
        }
        if (!table->drops_missing) return fail_missing(table, s);
        *usable = false;
    }
    if (table->optional && absent == table->optional) *usable = false;
    if (*usable && absent) table->partial++;
    if (*usable && table->weight_slot != FMT_NO_SLOT && table->row[table->weight_slot] < 0.0)
        return fail_at(table, table->weight_slot, ORFF_ERROR_FORMAT, "the weight is negative");
    return ORFF_OK;
}

static int make_label(fmt_table *table) {
    size_t index;
    double *value = &table->row[table->label_slot];
    const int status = fmt_labels_index_number(&table->labels, *value, &index);
    if (status == ORFF_ERROR_NO_MEMORY) return fmt_table_fail_memory(table);
    if (status == ORFF_ERROR_MISMATCH)
        return fail_at(table, table->label_slot, ORFF_ERROR_FORMAT, "the class is not one of the known ones");
    if (status)
        return fail_at(table, table->label_slot, ORFF_ERROR_FORMAT, "too many different values for classes");
    *value = (double)index;
    return ORFF_OK;
}

/* Reads the next usable row into table->row. */
static int next_row(fmt_table *table, bool *got) {
    for (;;) {
        bool usable;
        int status = table->source->next(table, table->row, got);
        if (status || !*got) return status;
        if (table->has_times || table->options.n_missing) decode_row(table);
        status = check_row(table, &usable);
        if (status) return status;
        if (usable) break;
        table->dropped++;
    }
    table->used++;
    return table->label_slot != FMT_NO_SLOT && !table->label_done ? make_label(table) : ORFF_OK;
}

/* The bits of a number, with -0 replaced by 0. */
static void put_group(uint64_t *group, double value) {
    value += 0.0;
    memcpy(group, &value, sizeof *group);
}

int fmt_table_read(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    fmt_table *table = self;
    const double *row = table->row;
    *rows = 0;
    if (!table->selected) return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "no columns are chosen");
    while (*rows < room && !table->ended && !table->empty) {
        bool got;
        const int status = next_row(table, &got);
        if (status) return status;
        if (!got) {
            table->ended = true;
            break;
        }
        for (size_t i = 0; i < table->d; i++) *X++ = row[table->x_slot[i]];
        for (size_t i = 0; i < table->p; i++) *Y++ = row[table->y_slot[i]];
        for (size_t k = 0; k < FMT_GROUP_COUNT; k++)
            if (table->groups[k].into && fmt_table_grouped(table, (fmt_group)k))
                put_group(table->groups[k].into++, row[table->groups[k].slot]);
        if (weights) *weights++ = table->weight_slot == FMT_NO_SLOT ? 1.0 : row[table->weight_slot];
        ++*rows;
    }
    return ORFF_OK;
}

bool fmt_table_can_rewind(const fmt_table *table) {
    return table->rewindable;
}

int fmt_table_rewind(fmt_table *table) {
    if (!table->rewindable) return fmt_table_fail(table, ORFF_ERROR_IO, "cannot be read twice");
    table->used = table->dropped = table->partial = 0;
    table->ended = false;
    return table->source->rewind(table);
}
