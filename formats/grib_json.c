/* Fields as written by grib2json, and read by earth and leaflet-velocity: a list of records, each with a
 * header that describes its grid, and the numbers of one field. Every record is a column; all must have the
 * same grid. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/header.h"
#include "formats/json.h"
#include "formats/source.h"

enum { MOST_RECORDS = 4096, PLACES = 2, NAME_ROOM = 120, UNIT_ROOM = 40 };
#define MOST_BYTES ((size_t)1 << 30)

/* nx x ny points from (lo1, la1) on, with longitude varying fastest. Latitude decreases unless la2 or the
 * scanning mode say otherwise. */
typedef struct grid {
    double nx, ny, lo1, la1, la2, dx, dy, mode;
} grid;

typedef struct parameter {
    double discipline, category, number;
    const char *name, *units, *standard, *words; /* words: its name in grib2json */
} parameter;

typedef struct record {
    grid grid;
    const parameter *parameter; /* NULL: unknown */
    double discipline, category, number; /* the code of the parameter in the tables of GRIB 2 */
    char name[NAME_ROOM], units[UNIT_ROOM];
    double *values;
    size_t count, room;
} record;

typedef struct state {
    char *text;
    record *records;
    size_t n, next;
} state;

/* ---------------------------------------------------------------- records */

static bool read_header(fmt_json *j, record *r) {
    char key[32];
    struct {
        const char *name;
        double *place;
    } numbers[] = {{"nx", &r->grid.nx},   {"ny", &r->grid.ny},        {"lo1", &r->grid.lo1},
                   {"la1", &r->grid.la1}, {"la2", &r->grid.la2},      {"dx", &r->grid.dx},
                   {"dy", &r->grid.dy},   {"scanMode", &r->grid.mode},
                   {"discipline", &r->discipline}, {"parameterCategory", &r->category},
                   {"parameterNumber", &r->number}};
    for (bool more = fmt_json_enter(j, '{'); more; more = fmt_json_more(j, '}')) {
        bool known = false;
        if (!fmt_json_key(j, key, sizeof key)) return false;
        for (size_t i = 0; !known && i < sizeof numbers / sizeof *numbers; i++) {
            known = !strcmp(key, numbers[i].name);
            if (known) fmt_json_number(j, numbers[i].place);
        }
        if (known) continue;
        if (!strcmp(key, "parameterNumberName") && fmt_json_peek(j) == '"') {
            fmt_json_text(j, r->name, sizeof r->name);
        } else if (!strcmp(key, "parameterUnit") && fmt_json_peek(j) == '"') {
            fmt_json_text(j, r->units, sizeof r->units);
        } else {
            fmt_json_skip(j);
        }
    }
    return !j->trouble;
}

static bool read_data(fmt_json *j, record *r) {
    if (r->values) return fmt_json_fail(j, "a record has its data twice");
    for (bool more = fmt_json_enter(j, '['); more; more = fmt_json_more(j, ']')) {
        if (r->count == r->room) {
            const size_t room = r->room ? 2 * r->room : 1024;
            double *values = realloc(r->values, room * sizeof *values);
            if (!values) return fmt_json_fail(j, "not enough memory");
            r->values = values;
            r->room = room;
        }
        if (!fmt_json_number(j, &r->values[r->count++])) return false;
    }
    return !j->trouble;
}

static bool read_record(fmt_json *j, record *r) {
    char key[32];
    bool header = false;
    r->grid.la2 = r->grid.mode = r->category = r->number = (double)NAN; /* discipline 0: meteorology */
    for (bool more = fmt_json_enter(j, '{'); more; more = fmt_json_more(j, '}')) {
        if (!fmt_json_key(j, key, sizeof key)) return false;
        if (!strcmp(key, "header")) {
            header = read_header(j, r);
        } else if (!strcmp(key, "data")) {
            read_data(j, r);
        } else {
            fmt_json_skip(j);
        }
    }
    return j->trouble || header ? !j->trouble
                                : fmt_json_fail(j, "a record has no header; expected those of grib2json");
}

static bool read_records(fmt_json *j, state *s) {
    for (bool more = fmt_json_enter(j, '['); more; more = fmt_json_more(j, ']')) {
        if (s->n == MOST_RECORDS) return fmt_json_fail(j, "has more than 4096 records");
        record *records = realloc(s->records, (s->n + 1) * sizeof *records);
        if (!records) return fmt_json_fail(j, "not enough memory");
        s->records = records;
        records[s->n] = (record){0};
        if (!read_record(j, &records[s->n++])) return false;
    }
    if (j->trouble) return false;
    if (fmt_json_peek(j)) return fmt_json_fail(j, "something follows its end");
    return s->n || fmt_json_fail(j, "has no records");
}

/* ---------------------------------------------------------------- the table */

static bool is_count(double value) {
    return value >= 1.0 && value <= 1e6 && value == floor(value);
}

static bool same_grid(const grid *a, const grid *b) {
    return a->nx == b->nx && a->ny == b->ny && a->lo1 == b->lo1 && a->la1 == b->la1 && a->dx == b->dx &&
           a->dy == b->dy;
}

static int check_records(fmt_table *table, const state *s) {
    const grid *g = &s->records[0].grid;
    for (size_t i = 0; i < s->n; i++) {
        const record *r = &s->records[i];
        if (!is_count(r->grid.nx) || !is_count(r->grid.ny) ||
            !isfinite(r->grid.lo1 + r->grid.la1 + r->grid.dx + r->grid.dy))
            return fmt_table_fail(table, ORFF_ERROR_FORMAT,
                                  "record %zu: the header does not say the grid: nx, ny, lo1, la1, dx, dy",
                                  i + 1);
        if (r->grid.nx * r->grid.ny != (double)r->count)
            return fmt_table_fail(table, ORFF_ERROR_FORMAT, "record %zu: %zu numbers for a grid of %g x %g",
                                  i + 1, r->count, r->grid.nx, r->grid.ny);
        if (!same_grid(&r->grid, g))
            return fmt_table_fail(table, ORFF_ERROR_UNSUPPORTED,
                                  "record %zu is on another grid than the first; split the file", i + 1);
    }
    return ORFF_OK;
}

/* Turns "m.s-1" into the form of other files. */
static void tidy_units(char *units) {
    for (char *at = units; *at; at++)
        if (*at == '.') *at = ' ';
}

static const parameter parameters[] = {
    {0, 0, 0, "temperature", "K", "air_temperature", "Temperature"},
    {0, 1, 1, "relative_humidity", "%", "relative_humidity", "Relative_humidity"},
    {0, 2, 0, "wind_direction", "degree", "wind_from_direction", "Wind_direction_from_which_blowing"},
    {0, 2, 1, "wind_speed", "m s-1", "wind_speed", "Wind_speed"},
    {0, 2, 2, "u", "m s-1", "eastward_wind", "U-component_of_wind"},
    {0, 2, 3, "v", "m s-1", "northward_wind", "V-component_of_wind"},
    {0, 3, 0, "pressure", "Pa", "air_pressure", "Pressure"},
    {0, 3, 1, "pressure_at_sea_level", "Pa", "air_pressure_at_mean_sea_level", "Pressure_reduced_to_MSL"},
    {10, 1, 2, "u", "m s-1", "eastward_sea_water_velocity", "U-component_of_current"},
    {10, 1, 3, "v", "m s-1", "northward_sea_water_velocity", "V-component_of_current"}};

/* Finds a parameter by name if it has one, else by its code; NULL if unknown. */
static const parameter *find_parameter(const record *r) {
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        const parameter *p = &parameters[i];
        if (*r->name ? !strcmp(p->words, r->name)
                     : p->discipline == r->discipline && p->category == r->category && p->number == r->number)
            return p;
    }
    return NULL;
}

/* Completes what the header omits, using the code. */
static void complete(record *r) {
    const parameter *p = r->parameter = find_parameter(r);
    tidy_units(r->units);
    if (!p) return;
    if (!*r->name) snprintf(r->name, sizeof r->name, "%s", p->name);
    if (!*r->units) snprintf(r->units, sizeof r->units, "%s", p->units);
}

/* The name of a record; the second one with the same name gets the suffix _2. */
static char *make_name(const state *s, size_t i) {
    char text[NAME_ROOM + 16];
    size_t same = 1;
    for (size_t k = 0; k < i; k++) same += !strcmp(s->records[k].name, s->records[i].name);
    const int used = snprintf(text, sizeof text, *s->records[i].name ? "%s" : "field", s->records[i].name);
    if (same > 1) snprintf(text + used, sizeof text - (size_t)used, "_%zu", same);
    return fmt_header_utf8(text, strlen(text));
}

static int name_columns(fmt_table *table, const state *s) {
    static const char *const places[PLACES] = {"lon", "lat"}, *const degrees[PLACES] = {"degrees_east",
                                                                                        "degrees_north"};
    int status = fmt_table_make_columns(table, s->n + PLACES);
    if (status) return status;
    for (size_t i = 0; i < s->n; i++) complete(&s->records[i]);
    table->units = calloc(table->columns, sizeof *table->units);
    table->standard_names = calloc(table->columns, sizeof *table->standard_names);
    if (!table->units || !table->standard_names) return fmt_table_fail_memory(table);
    for (size_t i = 0; !status && i < table->columns; i++) {
        record *r = i < PLACES ? NULL : &s->records[i - PLACES];
        const char *standard = r && r->parameter ? r->parameter->standard : NULL;
        table->names[i] = r ? make_name(s, i - PLACES) : strdup(places[i]);
        table->units[i] = r ? fmt_header_utf8(r->units, strlen(r->units)) : strdup(degrees[i]);
        if (standard) table->standard_names[i] = strdup(standard);
        if (!table->names[i] || !table->units[i] || (standard && !table->standard_names[i]))
            status = fmt_table_fail_memory(table);
    }
    table->named = table->rewindable = table->drops_missing = true;
    table->rows = (uint64_t)s->records[0].count;
    return status;
}

static int fail_json(fmt_table *table, const fmt_json *j) {
    if (!strcmp(j->trouble, "not enough memory")) return fmt_table_fail_memory(table);
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "byte %zu: %s", (size_t)(j->at - j->start) + 1,
                          j->trouble);
}

static int open_file(fmt_table *table) {
    state *s = table->state = calloc(1, sizeof *s);
    char message[sizeof table->message];
    size_t length;
    if (!s) return fmt_table_fail_memory(table);
    int status = fmt_text_load(table->path, MOST_BYTES, &s->text, &length, message, sizeof message);
    if (status) {
        orff_text_show(table->message, sizeof table->message, message);
        return status;
    }
    fmt_json j = {.start = s->text, .at = s->text, .end = s->text + length};
    if (!read_records(&j, s)) return fail_json(table, &j);
    free(s->text);
    s->text = NULL;
    status = check_records(table, s);
    return status ? status : name_columns(table, s);
}

/* ---------------------------------------------------------------- rows */

static double latitude(const grid *g, size_t row) {
    const bool north =
        isfinite(g->la2) ? g->la2 > g->la1 : isfinite(g->mode) && fmod(floor(g->mode / 64.0), 2.0) == 1.0;
    return g->la1 + (north ? 1.0 : -1.0) * fabs(g->dy) * (double)(row / (size_t)g->nx);
}

static int next_row(fmt_table *table, double *row, bool *got) {
    state *s = table->state;
    const grid *g = &s->records[0].grid;
    *got = s->next < s->records[0].count;
    for (size_t slot = 0; *got && slot < table->n_chosen; slot++) {
        const size_t column = table->chosen[slot];
        row[slot] = column == 0   ? g->lo1 + g->dx * (double)(s->next % (size_t)g->nx)
                    : column == 1 ? latitude(g, s->next)
                                  : s->records[column - PLACES].values[s->next];
    }
    s->next += *got;
    return ORFF_OK;
}

static int rewind_rows(fmt_table *table) {
    ((state *)table->state)->next = 0;
    return ORFF_OK;
}

static void place(const fmt_table *table, size_t slot, char *text, size_t room) {
    const state *s = table->state;
    snprintf(text, room, "point %zu (%.100s)", s->next, fmt_table_name(table, table->chosen[slot]));
}

static double progress(const fmt_table *table) {
    const state *s = table->state;
    return (double)s->next / (double)s->records[0].count;
}

static void close_file(fmt_table *table) {
    state *s = table->state;
    for (size_t i = 0; s && i < s->n; i++) free(s->records[i].values);
    if (s) free(s->records);
    if (s) free(s->text);
    free(s);
}

/* "[" and "{" with nothing but blanks before and between. */
static bool claims(const unsigned char *head, size_t got) {
    size_t at = 0, found = 0;
    for (; at < got && found < 2; at++) {
        if (head[at] == "[{"[found])
            found++;
        else if (!head[at] || !strchr(" \t\r\n", head[at]))
            return false;
    }
    return found == 2;
}

static const char *const ends[] = {".json", NULL};

const fmt_source fmt_source_grib_json = {
    .name = "grib2json",
    .ends = ends,
    .claims = claims,
    .open = open_file,
    .next = next_row,
    .rewind = rewind_rows,
    .place = place,
    .progress = progress,
    .close = close_file,
};
