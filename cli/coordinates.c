/* Inputs and outputs of gridded variables if the user named none. */
#include "coordinates.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"

static bool is_column(const fmt_table *table, size_t i, const char *name, size_t length) {
    const char *own = fmt_table_name(table, i);
    return own && strlen(own) == length && !memcmp(own, name, length);
}

/* Whether --select keeps a single index of a dimension, which is then no input. */
static bool is_fixed(const char *select, const char *name, size_t length) {
    for (const char *at = select; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t size = strcspn(at, ",");
        if (size > length && !memcmp(at, name, length) && at[length] == '=') return !memchr(at, ':', size);
    }
    return false;
}

/* Whether there is a coordinate: a variable of one dimension with that dimension's name. */
static bool is_coordinate(const fmt_table *table, const char *name, size_t length) {
    for (size_t i = 0; i < fmt_table_columns(table); i++) {
        const char *shape = fmt_table_shape(table, i);
        if (is_column(table, i, name, length) && shape && !strchr(shape, ',') &&
            !strncmp(shape, name, length) && shape[length] == '=')
            return true;
    }
    return false;
}

/* Adds the dimensions of a shape such as "time=24, lat=5" in reverse order: x, y, then the others. */
static bool add_coordinates(const fmt_table *table, const char *select, const char *shape,
                            cli_string *names) {
    while (*shape) {
        const size_t length = strcspn(shape, "="), whole = strcspn(shape, ",");
        const bool one = !strncmp(shape + length, "=1", 2) && whole == length + 2;
        if (!one && !is_fixed(select, shape, length)) {
            cli_string longer = {0};
            if (!is_coordinate(table, shape, length)) return false;
            cli_append(&longer, "%.*s%s%s", (int)length, shape, names->text ? "," : "",
                       names->text ? names->text : "");
            free(names->text);
            *names = longer;
        }
        shape += whole;
        shape += strspn(shape, ", ");
    }
    return names->text != NULL;
}

char *cli_coordinates_of(const fmt_table *table, const char *outputs, const char *select) {
    cli_string names = {0};
    for (size_t i = 0; outputs && i < fmt_table_columns(table); i++) {
        const char *shape = fmt_table_shape(table, i);
        if (!shape || !is_column(table, i, outputs, strcspn(outputs, ","))) continue;
        if (add_coordinates(table, select, shape, &names)) {
            cli_say("inputs: %s, the coordinates of %.*s; use --inputs to choose others", names.text,
                    (int)strcspn(outputs, ","), outputs);
            return names.text;
        }
    }
    free(names.text);
    return NULL;
}

/* ---- vectors */

static bool same_grid(const fmt_table *table, size_t i, size_t k) {
    const char *a = fmt_table_shape(table, i), *b = fmt_table_shape(table, k);
    return a && b && strchr(a, ',') && !strcmp(a, b);
}

/* "surface_eastward_sea_water_velocity" and "surface_northward_sea_water_velocity"; a space precedes a
 * modifier such as standard_error. */
static bool are_components(const char *east, const char *north) {
    const char *at = east && north ? strstr(east, "eastward") : NULL;
    if (!at || strchr(east, ' ')) return false;
    const size_t before = (size_t)(at - east);
    return !strncmp(east, north, before) && !strncmp(north + before, "northward", 9) &&
           !strcmp(at + 8, north + before + 9);
}

static bool are_u_and_v(const char *u, const char *v) {
    return u && v && ((*u == 'u' && *v == 'v') || (*u == 'U' && *v == 'V')) && !strcmp(u + 1, v + 1);
}

static bool are_pair(const fmt_table *table, size_t i, size_t k, bool standard) {
    if (i == k || !same_grid(table, i, k)) return false;
    return standard ? are_components(fmt_table_standard_name(table, i), fmt_table_standard_name(table, k))
                    : are_u_and_v(fmt_table_name(table, i), fmt_table_name(table, k));
}

/* The number of pairs; u and v: the last pair. */
static size_t find_pairs(const fmt_table *table, bool standard, size_t *u, size_t *v) {
    const size_t columns = fmt_table_columns(table);
    size_t found = 0;
    for (size_t i = 0; i < columns; i++)
        for (size_t k = 0; k < columns; k++) {
            if (!are_pair(table, i, k, standard)) continue;
            *u = i;
            *v = k;
            found++;
        }
    return found;
}

char *cli_vector_of(const fmt_table *table) {
    size_t u = 0, v = 0, found = find_pairs(table, true, &u, &v);
    if (!found) found = find_pairs(table, false, &u, &v);
    if (found != 1) return NULL;
    cli_string names = {0};
    cli_append(&names, "%s,%s", fmt_table_name(table, u), fmt_table_name(table, v));
    cli_say("outputs: %s, the only vector in the file; use --outputs to choose others", names.text);
    return names.text;
}
