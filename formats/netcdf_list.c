/* The variables of a NetCDF file, with their attributes. */
#define _GNU_SOURCE

#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/netcdf.h"

enum { GROUPS_MOST = 1 << 16 };

/* Copies a text attribute, NULL if there is none. Returns netcdf-c's code. */
static int text_attribute(int file, int variable, const char *name, char **text) {
    size_t length;
    nc_type type;
    int code = fmt_attribute_code(file, variable, name, nc_inq_att(file, variable, name, &type, &length));
    if (code) return code == NC_ENOTATT ? 0 : code;
    if (type != NC_CHAR || length == 0 || length > 4096) return 0;
    *text = calloc(length + 1, 1);
    if (!*text) return NC_ENOMEM;
    code = nc_get_att_text(file, variable, name, *text);
    return fmt_attribute_code(file, variable, name, code);
}

/* "time=24, lat=5", cut if it is too long. */
static char *shape_of(const fmt_variable *v) {
    char text[1024] = "", name[NC_MAX_NAME + 1];
    size_t used = 0;
    for (int k = 0; k < v->rank && used + 120 < sizeof text; k++) {
        size_t length = 0;
        if (nc_inq_dim(v->file, v->dimensions[k], name, &length)) return strdup("?");
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.80s=%zu", k ? ", " : "", name, length);
    }
    return strdup(text);
}

/* All groups, the root first; `groups` is from malloc. Returns netcdf-c's code. */
static int list_groups(int root, size_t *count, int **groups) {
    *count = 1;
    *groups = malloc(sizeof **groups);
    if (!*groups) return NC_ENOMEM;
    (*groups)[0] = root;
    for (size_t i = 0; i < *count; i++) {
        int more = 0;
        const int code = nc_inq_grps((*groups)[i], &more, NULL);
        if (code) return code == NC_ENOTNC4 ? 0 : code;
        if (more <= 0) continue;
        if (*count + (size_t)more > GROUPS_MOST) return 0;
        int *larger = realloc(*groups, (*count + (size_t)more) * sizeof **groups);
        if (!larger) return NC_ENOMEM;
        *groups = larger;
        const int listed = nc_inq_grps(larger[i], NULL, larger + *count);
        if (listed) return listed;
        *count += (size_t)more;
    }
    return 0;
}

/* u, or /model/surface/u for a variable in a group. */
static int name_variable(const fmt_variable *v, bool root, char **name) {
    size_t length = 0;
    if (root) return (*name = strdup(v->name)) ? 0 : NC_ENOMEM;
    int code = nc_inq_grpname_full(v->file, &length, NULL);
    if (code || length > 4096) return code ? code : NC_EMAXNAME;
    *name = calloc(length + strlen(v->name) + 2, 1);
    if (!*name) return NC_ENOMEM;
    code = nc_inq_grpname_full(v->file, NULL, *name);
    strcat(strcat(*name, "/"), v->name);
    return code;
}

/* Makes a column of a variable of numbers; returns netcdf-c's code. */
static int add_variable(fmt_table *table, fmt_netcdf *n, int group, int id) {
    fmt_variable *v = &n->variables[table->columns];
    int code = fmt_variable_inquire(v, group, id);
    if (code || !v->numeric) return code;
    char *calendar = NULL;
    const size_t column = table->columns++;
    code = name_variable(v, group == n->file.id, &table->names[column]);
    if (!code) code = text_attribute(group, id, "units", &table->units[column]);
    if (!code) code = text_attribute(group, id, "standard_name", &table->standard_names[column]);
    if (!code) code = text_attribute(group, id, "calendar", &calendar);
    if (!code) table->shapes[column] = shape_of(v);
    if (!code && !table->shapes[column]) code = NC_ENOMEM;
    if (!code && fmt_table_time_by_units(table, column, calendar)) code = NC_ENOMEM;
    free(calendar);
    return code;
}

static int count_variables(size_t n_groups, const int *groups, uint64_t *count) {
    *count = 0;
    for (size_t g = 0; g < n_groups; g++) {
        int here = 0;
        const int code = nc_inq_nvars(groups[g], &here);
        if (code) return code;
        *count += here > 0 ? (uint64_t)here : 0;
    }
    return 0;
}

static int make_columns(fmt_table *table, fmt_netcdf *n, uint64_t count) {
    const int status = fmt_table_make_columns(table, count);
    if (status) return status;
    const size_t room = (size_t)count + 1;
    n->variables = calloc(room, sizeof *n->variables);
    table->units = calloc(room, sizeof *table->units);
    table->times = calloc(room, sizeof *table->times); /* columns are added one by one */
    table->standard_names = calloc(room, sizeof *table->standard_names);
    table->shapes = calloc(room, sizeof *table->shapes);
    const bool all = n->variables && table->units && table->times && table->standard_names && table->shapes;
    return all ? ORFF_OK : fmt_table_fail_memory(table);
}

static int add_variables(fmt_table *table, fmt_netcdf *n, size_t n_groups, const int *groups, uint64_t most) {
    table->columns = 0;
    for (size_t g = 0; g < n_groups; g++) {
        int here = 0, code = nc_inq_nvars(groups[g], &here);
        for (int id = 0; !code && id < here && table->columns < most; id++)
            code = add_variable(table, n, groups[g], id);
        if (code) return fmt_netcdf_fail(table, "cannot be read", code);
    }
    table->first_output = table->columns;
    return table->columns ? ORFF_OK
                          : fmt_table_fail(table, ORFF_ERROR_FORMAT, "has no variables that hold numbers");
}

int fmt_netcdf_list(fmt_table *table, fmt_netcdf *n) {
    size_t n_groups;
    int *groups = NULL;
    uint64_t count = 0;
    int code = list_groups(n->file.id, &n_groups, &groups);
    if (!code) code = count_variables(n_groups, groups, &count);
    int status = code ? fmt_netcdf_fail(table, "cannot be read", code) : make_columns(table, n, count);
    if (!status) status = add_variables(table, n, n_groups, groups, count);
    free(groups);
    return status;
}
