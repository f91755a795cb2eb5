#define _GNU_SOURCE

#include "formats/netcdf_variable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MISSING_MOST = 16 };

/* What the attributes say. Missing values and, mostly, the range are of the numbers as stored, before
 * scaling. */
typedef struct rules {
    bool is_unsigned; /* signed numbers that stand for unsigned ones */
    double wrap;      /* then 2^bits */
    size_t n_missing;
    double missing[MISSING_MOST];
    double low, high;
    bool range_unpacked; /* the range is of scaled numbers */
    double scale, offset;
} rules;

/* Up to `most` numbers of an attribute; how many. Text and absent attributes have none. */
static size_t numbers(const fmt_variable *v, const char *name, size_t most, double *values) {
    size_t length;
    nc_type type;
    if (nc_inq_att(v->file, v->id, name, &type, &length)) return 0;
    if (type == NC_CHAR || type > NC_UINT64 || length == 0 || length > 4096) return 0;
    double *all = calloc(length, sizeof *all);
    if (!all || nc_get_att_double(v->file, v->id, name, all)) length = 0;
    if (length > most) length = most;
    if (length) memcpy(values, all, length * sizeof *values);
    free(all);
    return length;
}

static nc_type type_of(const fmt_variable *v, const char *name) {
    nc_type type;
    return nc_inq_atttype(v->file, v->id, name, &type) ? NC_NAT : type;
}

/* What netcdf-c writes where nothing was written; bytes have no such value. */
static size_t default_fill(nc_type type, double *value) {
    switch (type) {
    case NC_SHORT:
        *value = NC_FILL_SHORT;
        return 1;
    case NC_USHORT:
        *value = NC_FILL_USHORT;
        return 1;
    case NC_INT:
        *value = NC_FILL_INT;
        return 1;
    case NC_UINT:
        *value = NC_FILL_UINT;
        return 1;
    case NC_INT64:
        *value = (double)NC_FILL_INT64;
        return 1;
    case NC_UINT64:
        *value = (double)NC_FILL_UINT64;
        return 1;
    case NC_FLOAT:
        *value = (double)NC_FILL_FLOAT;
        return 1;
    case NC_DOUBLE:
        *value = NC_FILL_DOUBLE;
        return 1;
    default:
        return 0;
    }
}

static void find_sign(const fmt_variable *v, rules *r) {
    char text[8] = "";
    size_t length;
    if (nc_inq_attlen(v->file, v->id, "_Unsigned", &length) || length >= sizeof text) return;
    if (type_of(v, "_Unsigned") != NC_CHAR || nc_get_att_text(v->file, v->id, "_Unsigned", text)) return;
    r->is_unsigned = !strcasecmp(text, "true");
    r->wrap = v->type == NC_BYTE ? 0x1p8 : v->type == NC_SHORT ? 0x1p16 : v->type == NC_INT ? 0x1p32 : 0.0;
}

/* A range has the units of scaled numbers when its type is that of the scaling and not that of the
 * numbers. */
static void find_range(const fmt_variable *v, rules *r) {
    double range[2] = {(double)-INFINITY, (double)INFINITY};
    const char *name = "valid_range";
    if (numbers(v, name, 2, range) != 2) {
        range[0] = (double)-INFINITY;
        range[1] = (double)INFINITY;
        name = numbers(v, "valid_min", 1, &range[0]) ? "valid_min" : "valid_max";
        numbers(v, "valid_max", 1, &range[1]);
    }
    r->low = range[0];
    r->high = range[1];
    const nc_type scaling = type_of(v, type_of(v, "scale_factor") != NC_NAT ? "scale_factor" : "add_offset");
    const nc_type type = type_of(v, name);
    r->range_unpacked = scaling != NC_NAT && type == scaling && type != v->type;
}

static double as_unsigned(const rules *r, double x) {
    return r->is_unsigned && x < 0.0 ? x + r->wrap : x;
}

static rules find_rules(const fmt_variable *v) {
    rules r = {.scale = 1.0};
    find_sign(v, &r);
    r.n_missing = numbers(v, "_FillValue", 1, r.missing);
    if (!r.n_missing) r.n_missing = default_fill(v->type, r.missing);
    r.n_missing += numbers(v, "missing_value", MISSING_MOST - 1, r.missing + r.n_missing);
    for (size_t i = 0; i < r.n_missing; i++) r.missing[i] = as_unsigned(&r, r.missing[i]);
    find_range(v, &r);
    r.low = as_unsigned(&r, r.low);
    r.high = as_unsigned(&r, r.high);
    numbers(v, "scale_factor", 1, &r.scale);
    numbers(v, "add_offset", 1, &r.offset);
    return r;
}

static double decode(const rules *r, double x) {
    x = as_unsigned(r, x);
    for (size_t i = 0; i < r->n_missing; i++)
        if (x == r->missing[i]) return (double)NAN;
    const double value = x * r->scale + r->offset;
    const double ranged = r->range_unpacked ? value : x;
    return ranged >= r->low && ranged <= r->high ? value : (double)NAN;
}

int fmt_variable_look(fmt_variable *v, int file, int id) {
    *v = (fmt_variable){.file = file, .id = id};
    int code = nc_inq_var(file, id, v->name, &v->type, &v->rank, NULL, NULL);
    if (code) return code;
    v->numeric =
        v->type != NC_CHAR && v->type >= NC_BYTE && v->type <= NC_UINT64 && v->rank <= FMT_VARIABLE_RANK;
    return v->numeric ? nc_inq_vardimid(file, id, v->dimensions) : 0;
}

int fmt_variable_read(const fmt_variable *v, const size_t *start, const size_t *count, size_t cells,
                      double *values) {
    const rules r = find_rules(v);
    const int code = nc_get_vara_double(v->file, v->id, start, count, values);
    if (code) return code;
    for (size_t i = 0; i < cells; i++) values[i] = decode(&r, values[i]);
    return 0;
}
