/* The option --select: dimensions fixed at an index, or restricted to a part. */
#define _GNU_SOURCE

#include <errno.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/netcdf.h"

size_t fmt_netcdf_length(const fmt_netcdf *n, int dimension) {
    size_t length = 0;
    return nc_inq_dimlen(n->file.id, dimension, &length) ? 0 : length;
}

const char *fmt_netcdf_dimension(const fmt_netcdf *n, int dimension, char name[NC_MAX_NAME + 1]) {
    return nc_inq_dimname(n->file.id, dimension, name) ? "?" : name;
}

/* Finds a dimension by its name. Dimensions of chosen variables come first, because other groups may have
 * dimensions of the same name; -1: none. */
static int find_dimension(const fmt_table *table, const fmt_netcdf *n, const char *wanted) {
    char name[NC_MAX_NAME + 1];
    for (size_t i = 0; i < table->n_chosen + table->columns; i++) {
        const fmt_variable *v = &n->variables[i < table->n_chosen ? table->chosen[i] : i - table->n_chosen];
        for (int k = 0; k < v->rank; k++)
            if (!strcmp(fmt_netcdf_dimension(n, v->dimensions[k], name), wanted)) return v->dimensions[k];
    }
    int id;
    return nc_inq_dimid(n->file.id, wanted, &id) ? -1 : id;
}

static int fail_dimension(fmt_table *table, const fmt_netcdf *n, const char *name) {
    char names[FMT_AXES_MOST][NC_MAX_NAME + 1], *list[FMT_AXES_MOST], shown[FMT_SHOWN_ROOM], all[200] = "";
    char scratch[NC_MAX_NAME + 1];
    size_t count = 0, used = 0;
    for (size_t i = 0; i < table->columns; i++) {
        const fmt_variable *v = &n->variables[i];
        for (int k = 0; k < v->rank && count < FMT_AXES_MOST; k++) {
            size_t seen = 0;
            list[count] = names[count];
            snprintf(names[count], sizeof names[count], "%s",
                     fmt_netcdf_dimension(n, v->dimensions[k], scratch));
            while (seen < count && strcmp(names[seen], names[count])) seen++;
            count += seen == count;
        }
    }
    fmt_shown(shown, name, strlen(name));
    const char *nearest = fmt_nearest(name, count, list);
    if (nearest)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                              "select: there is no dimension \"%s\"; did you mean \"%.64s\"?", shown,
                              nearest);
    for (size_t i = 0; i < count && used + 70 < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%.60s", i ? ", " : "", names[i]);
    return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                          "select: there is no dimension \"%s\"; there are %s", shown, all);
}

/* A whole number at *at, at most `most`; *at moves past it. `otherwise` if there is none. */
static bool index_at(const char **at, size_t otherwise, size_t most, size_t *index) {
    char *end;
    *index = otherwise;
    if (**at < '0' || **at > '9') return true;
    errno = 0;
    const unsigned long long value = strtoull(*at, &end, 10);
    *at = end;
    *index = (size_t)value;
    return !errno && value <= most;
}

/* "3", or "0:24" for the indices 0 to 23; either end may be omitted. */
static bool parse_indices(const char *at, size_t length, size_t *index, size_t *count) {
    size_t to;
    const bool some = *at != '\0' && strcmp(at, ":");
    if (!index_at(&at, 0, length, index)) return false;
    *count = 0;
    if (!*at) return some && *index < length;
    if (*at++ != ':' || !index_at(&at, length, length, &to) || *at || to <= *index) return false;
    *count = to - *index;
    return some;
}

/* One "time=3" or "time=0:24". */
static int fix(fmt_table *table, fmt_netcdf *n, char *item) {
    char *equals = strchr(item, '=');
    size_t index, count;
    if (!equals)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                              "select: \"%s\": expected dimension=index or dimension=from:to", item);
    *equals = '\0';
    const int id = find_dimension(table, n, item);
    if (id < 0) return fail_dimension(table, n, item);
    const size_t length = fmt_netcdf_length(n, id);
    if (!parse_indices(equals + 1, length, &index, &count))
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                              "select: %s=%s: expected an index from 0 to %zu, or a range such as 0:%zu",
                              item, equals + 1, length ? length - 1 : 0, length);
    if (n->n_fixed == FMT_AXES_MOST)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "select: too many dimensions");
    n->fixed[n->n_fixed].id = id;
    n->fixed[n->n_fixed].length = count;
    n->fixed[n->n_fixed++].index = index;
    return ORFF_OK;
}

int fmt_netcdf_fix(fmt_table *table, fmt_netcdf *n) {
    char *copy = strdup(table->fixed ? table->fixed : "");
    if (!copy) return fmt_table_fail_memory(table);
    int status = ORFF_OK;
    char *next = NULL;
    n->n_fixed = 0;
    for (char *item = strtok_r(copy, ", ", &next); item && !status; item = strtok_r(NULL, ", ", &next))
        status = fix(table, n, item);
    free(copy);
    return status;
}
