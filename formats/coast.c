#define _GNU_SOURCE
#include "formats/coast.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json.h"

#define MOST_BYTES ((size_t)1 << 30)
#define MARK       "\xef\xbb\xbf" /* of UTF-8 */

void fmt_coast_clear(fmt_coast *coast) {
    free(coast->starts);
    free(coast->xy);
    *coast = (fmt_coast){0};
}

orff_coast fmt_coast_lines(const fmt_coast *coast) {
    return (orff_coast){.lines = coast->lines, .starts = coast->starts, .points = coast->xy};
}

/* ---------------------------------------------------------------- growing */

static bool grow(void **memory, size_t *room, size_t needed, size_t size) {
    if (needed <= *room) return true;
    const size_t more = needed < 512 ? 1024 : 2 * needed;
    void *grown = realloc(*memory, more * size);
    if (!grown) return false;
    *memory = grown;
    *room = more;
    return true;
}

static bool add_point(fmt_coast *c, double x, double y) {
    void *memory = c->xy;
    const bool there = grow(&memory, &c->room_points, c->points + 1, 2 * sizeof *c->xy);
    c->xy = memory;
    if (!there) return false;
    c->xy[2 * c->points] = x;
    c->xy[2 * c->points++ + 1] = y;
    return true;
}

/* Ends the current line; a single point is not a line and is dropped. */
static bool end_line(fmt_coast *c) {
    void *memory = c->starts;
    const bool there = grow(&memory, &c->room_lines, c->lines + 2, sizeof *c->starts);
    c->starts = memory;
    if (!there) return false;
    if (!c->lines) c->starts[0] = 0;
    const size_t first = c->starts[c->lines];
    if (c->points < first + 2) {
        c->points = first;
        return true;
    }
    c->starts[++c->lines] = c->points;
    return true;
}

/* ---------------------------------------------------------------- GeoJSON */

static bool out_of_memory(fmt_json *j) {
    return fmt_json_fail(j, "not enough memory");
}

/* [x, y] or [x, y, height, ..], from after its opening bracket. */
static bool read_position(fmt_json *j, fmt_coast *c) {
    double place[2] = {(double)NAN, (double)NAN}, value;
    size_t count = 0;
    bool more;
    do {
        if (!fmt_json_number(j, &value)) return false;
        if (count < 2) place[count++] = value;
        more = fmt_json_more(j, ']');
    } while (more);
    if (j->trouble) return false;
    if (count < 2) return fmt_json_fail(j, "a position needs two numbers");
    return add_point(c, place[0], place[1]) || out_of_memory(j);
}

/* Nested lists, down to positions; a list of positions is a line. `deep`: how many further levels are
 * allowed. */
static bool read_coordinates(fmt_json *j, fmt_coast *c, int deep) {
    if (deep < 0) return fmt_json_fail(j, "coordinates nest deeper than those of a MultiPolygon");
    if (!fmt_json_enter(j, '[')) return !j->trouble;
    const char first = fmt_json_peek(j);
    if (first != '[') return read_position(j, c);
    const size_t before = c->points;
    bool more;
    do {
        if (!read_coordinates(j, c, deep - 1)) return false;
        more = fmt_json_more(j, ']');
    } while (more);
    if (j->trouble) return false;
    return c->points == before || end_line(c) || out_of_memory(j);
}

/* Any object: a geometry, a feature, or a collection of either. */
static bool read_object(fmt_json *j, fmt_coast *c);

static bool read_objects(fmt_json *j, fmt_coast *c) {
    if (fmt_json_peek(j) != '[') return read_object(j, c);
    for (bool more = fmt_json_enter(j, '['); more; more = fmt_json_more(j, ']'))
        if (!read_object(j, c)) return false;
    return !j->trouble;
}

/* Removes the points of an object that has no lines. */
static bool drop_points(fmt_coast *c, const char *type, size_t lines, size_t points) {
    if (!end_line(c)) return false;
    if (strcmp(type, "Point") && strcmp(type, "MultiPoint")) return true;
    c->lines = lines;
    c->points = points;
    return true;
}

static bool read_object(fmt_json *j, fmt_coast *c) {
    char key[32], type[32] = "";
    const size_t lines = c->lines, points = c->points;
    if (fmt_json_peek(j) != '{') return fmt_json_skip(j);
    for (bool more = fmt_json_enter(j, '{'); more; more = fmt_json_more(j, '}')) {
        if (!fmt_json_key(j, key, sizeof key)) return false;
        if (!strcmp(key, "coordinates") && fmt_json_peek(j) == '[') {
            read_coordinates(j, c, 4);
        } else if (!strcmp(key, "features") || !strcmp(key, "geometry") || !strcmp(key, "geometries")) {
            read_objects(j, c);
        } else if (!strcmp(key, "type") && fmt_json_peek(j) == '"') {
            fmt_json_text(j, type, sizeof type);
        } else {
            fmt_json_skip(j);
        }
    }
    if (j->trouble) return false;
    return drop_points(c, type, lines, points) || out_of_memory(j);
}

static bool read_json(fmt_json *j, fmt_coast *c) {
    if (!read_object(j, c)) return false;
    return !fmt_json_peek(j) || fmt_json_fail(j, "something follows its end");
}

/* ---------------------------------------------------------------- text */

static bool is_gap(char letter) {
    return letter && strchr(" \t,;", letter);
}

/* The number at *at, NAN for nan and the like; false if there is none. */
static bool parse_number(const char **at, double *value) {
    while (is_gap(**at)) ++*at;
    const char *end = orff_number_scan(*at, value);
    if (!end && !strncasecmp(*at, "nan", 3)) {
        *value = (double)NAN;
        end = *at + 3;
    }
    if (!end || (*end && !is_gap(*end) && *end != '\r')) return false;
    *at = end;
    return true;
}

static bool is_blank(const char *line) {
    return line[strspn(line, " \t\r,;")] == '\0';
}

/* One line of text, terminated by a zero byte. */
static int read_line(fmt_coast *c, const char *line, bool first) {
    double x, y;
    const char *at = line + strspn(line, " \t");
    if (*at == '#') return ORFF_OK;
    if (*at == '>' || is_blank(at)) return end_line(c) ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
    if (!parse_number(&at, &x) || !parse_number(&at, &y)) return first ? ORFF_OK : ORFF_ERROR_FORMAT;
    if (isnan(x) || isnan(y)) return end_line(c) ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
    return add_point(c, x, y) ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
}

static int read_text(fmt_coast *c, char *text, size_t length, size_t *line) {
    char *at = text, *end = text + length;
    if (!strncmp(at, MARK, strlen(MARK))) at += strlen(MARK);
    for (*line = 1; at < end; ++*line) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end; /* which points to the terminating zero */
        *stop = '\0';
        const int status = read_line(c, at, c->points == 0 && c->lines == 0 && *line < 3);
        if (status) return status;
        at = stop + 1;
    }
    return end_line(c) ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
}

/* ---------------------------------------------------------------- Natural Earth */

/* scripts/natural-earth.py describes the layout. */
static const unsigned char land[] = {
#include <natural_earth_land.inc> /* made by the build from natural-earth/land-50m.bin */
};

static unsigned read_unsigned(const unsigned char **at, const unsigned char *end) {
    unsigned value = 0;
    for (unsigned shift = 0; *at < end && shift < 28; shift += 7) {
        const unsigned byte = *(*at)++;
        value |= (byte & 127u) << shift;
        if (byte < 128) break;
    }
    return value;
}

static int read_signed(const unsigned char **at, const unsigned char *end) {
    const unsigned value = read_unsigned(at, end);
    return value & 1 ? -(int)(value / 2) - 1 : (int)(value / 2);
}

static bool read_natural_earth(fmt_coast *c) {
    const unsigned char *at = land, *end = land + sizeof land;
    while (at < end) {
        int x = 0, y = 0;
        for (unsigned left = read_unsigned(&at, end); left; left--) {
            x += read_signed(&at, end);
            y += read_signed(&at, end);
            if (!add_point(c, x / 100.0, y / 100.0)) return false;
        }
        if (!end_line(c)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- reading a file */

static int say(char *message, size_t room, int status, const char *path, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static int say(char *message, size_t room, int status, const char *path, const char *format, ...) {
    va_list args;
    const int used = snprintf(message, room, "%.300s: ", path);
    va_start(args, format);
    if (used > 0 && (size_t)used < room) vsnprintf(message + used, room - (size_t)used, format, args);
    va_end(args);
    return status;
}

static int read_whole(fmt_coast *c, const char *path, char *text, size_t length, char *message, size_t room) {
    const char *first = text + (strncmp(text, MARK, strlen(MARK)) ? 0 : strlen(MARK));
    first += strspn(first, " \t\r\n");
    fmt_json j = {.start = text, .at = first, .end = text + length};
    size_t line = 0;
    if (*first == '{') {
        if (read_json(&j, c)) return ORFF_OK;
        return say(message, room,
                   strcmp(j.trouble, "not enough memory") ? ORFF_ERROR_FORMAT : ORFF_ERROR_NO_MEMORY, path,
                   "byte %zu: %s", (size_t)(j.at - j.start) + 1, j.trouble);
    }
    const int status = read_text(c, text, length, &line);
    if (status == ORFF_ERROR_FORMAT)
        return say(message, room, status, path,
                   "line %zu: expected x and y, a line that begins with > or an empty one", line);
    return status ? say(message, room, status, path, "not enough memory") : ORFF_OK;
}

int fmt_coast_read(fmt_coast *coast, const char *path, char *message, size_t room) {
    char *text = NULL;
    size_t length = 0;
    *coast = (fmt_coast){0};
    if (!strcmp(path, FMT_NATURAL_EARTH))
        return read_natural_earth(coast)
                   ? ORFF_OK
                   : say(message, room, ORFF_ERROR_NO_MEMORY, path, "not enough memory");
    int status = fmt_text_load(path, MOST_BYTES, &text, &length, message, room);
    if (!status) status = read_whole(coast, path, text, length, message, room);
    if (!status && !coast->lines)
        status = say(message, room, ORFF_ERROR_FORMAT, path,
                     "there are no lines in it; expected GeoJSON, or x and y");
    free(text);
    return status;
}
