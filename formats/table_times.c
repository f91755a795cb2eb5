/* The origins of date columns. */
#define _GNU_SOURCE

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/source.h"

bool fmt_table_is_time(const fmt_table *table, size_t column) {
    return table->times && table->times[column].is_time;
}

static int set_units(fmt_table *table, size_t column, const char *text) {
    if (!table->units) table->units = calloc(table->columns + 1, sizeof *table->units);
    char *copy = table->units ? strdup(text) : NULL;
    if (!copy) return fmt_table_fail_memory(table);
    free(table->units[column]);
    table->units[column] = copy;
    return ORFF_OK;
}

/* Rounds to whole seconds, because the units cannot express more. */
static int set_origin(fmt_table *table, size_t column, double seconds) {
    char text[FMT_TIME_ROOM];
    fmt_time *time = &table->times[column];
    time->origin = floor(seconds);
    fmt_time_show(time, text);
    return set_units(table, column, text);
}

int fmt_table_set_time(fmt_table *table, size_t column, const fmt_time *time) {
    if (!table->times) table->times = calloc(table->columns + 1, sizeof *table->times);
    if (!table->times) return fmt_table_fail_memory(table);
    table->times[column] = *time;
    return isnan(time->origin) ? ORFF_OK : set_origin(table, column, time->origin);
}

int fmt_table_time_by_units(fmt_table *table, size_t column, const char *calendar) {
    fmt_time time;
    if (!fmt_time_units(fmt_table_units(table, column), calendar, &time)) return ORFF_OK;
    return fmt_table_set_time(table, column, &time);
}

/* The first value of every chosen date column without an origin, by reading rows until all have one. */
static int find_origins(fmt_table *table) {
    bool got = true, more = true;
    int status = ORFF_OK;
    for (size_t rows = 0; !status && got && more && rows < 100000; rows++) {
        status = table->source->next(table, table->row, &got);
        more = false;
        for (size_t s = 0; !status && got && s < table->n_chosen; s++) {
            const size_t column = table->chosen[s];
            const fmt_time *time = fmt_table_is_time(table, column) ? &table->times[column] : NULL;
            if (!time || !isnan(time->origin)) continue;
            const double seconds = table->row[s] * time->unit + time->base;
            if (isfinite(seconds) && fabs(seconds) < 1e12) status = set_origin(table, column, seconds);
            more = more || isnan(time->origin);
        }
    }
    for (size_t s = 0; !status && s < table->n_chosen; s++) {
        const size_t column = table->chosen[s];
        if (fmt_table_is_time(table, column) && isnan(table->times[column].origin))
            status = set_origin(table, column,
                                table->times[column].base); /* no value found: uses the origin of the file */
    }
    return status ? status : table->source->rewind(table);
}

int fmt_table_begin_times(fmt_table *table) {
    bool unknown = false;
    table->has_times = false;
    for (size_t s = 0; s < table->n_chosen; s++) {
        const size_t column = table->chosen[s];
        if (s == table->label_slot || !fmt_table_is_time(table, column)) continue;
        table->has_times = true;
        unknown = unknown || isnan(table->times[column].origin);
    }
    return unknown ? find_origins(table) : ORFF_OK;
}

int fmt_table_count_time(fmt_table *table, size_t i, const char *units) {
    fmt_time wanted;
    const size_t column = fmt_table_input(table, i);
    if (!fmt_table_is_time(table, column)) return ORFF_OK;
    if (!fmt_time_units(units, NULL, &wanted))
        return fmt_table_fail(
            table, ORFF_ERROR_MISMATCH,
            "column \"%s\" contains dates, but the model was learned from numbers that do not count from a "
            "date",
            fmt_table_name(table, column));
    table->times[column].origin = wanted.base;
    table->times[column].step = wanted.unit;
    return set_units(table, column, units);
}
