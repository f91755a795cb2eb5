#define _GNU_SOURCE

#include "formats/netcdf_variable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MISSING_MOST = 16 };

/* The content of the attributes. Missing values and, usually, the range apply to the numbers as stored,
 * before scaling. */
typedef struct rules {
    bool is_unsigned; /* signed numbers represent unsigned ones */
    double wrap;      /* 2^bits, to be added to negative ones */
    size_t n_missing;
    double missing[MISSING_MOST];
    double low, high;
    bool range_unpacked; /* the range applies to scaled numbers */
    double scale, offset;
    int code; /* netcdf-c's error, if an attribute could not be read */
} rules;

int fmt_attribute_code(int file, int variable, const char *name, int code) {
    char other[NC_MAX_NAME + 1];
    int count;
    if (code != NC_ENOTATT) return code;
    code = nc_inq_varnatts(file, variable, &count);
    for (int i = 0; !code && i < count; i++) {
        code = nc_inq_attname(file, variable, i, other);
        if (!code && !strcmp(other, name)) return NC_ENOMEM;
    }
    return code ? code : NC_ENOTATT;
}

/* Whether a query for an attribute was answered. That it does not exist is an answer. Running out of memory
 * is not, because numbers must not be read without their scale. */
static bool answered(const fmt_variable *v, rules *r, const char *name, int code) {
    code = fmt_attribute_code(v->file, v->id, name, code);
    if (code && code != NC_ENOTATT && code != NC_ERANGE && !r->code) r->code = code;
    return !code;
}

/* Reads up to `most` numbers of an attribute and returns how many. Text and missing attributes have none. */
static size_t numbers(const fmt_variable *v, rules *r, const char *name, size_t most, double *values) {
    enum { LONGEST = 4096 };
    double all[LONGEST];
    size_t length;
    nc_type type;
    if (!answered(v, r, name, nc_inq_att(v->file, v->id, name, &type, &length))) return 0;
    if (type == NC_CHAR || type > NC_UINT64 || length == 0 || length > LONGEST) return 0;
    if (!answered(v, r, name, nc_get_att_double(v->file, v->id, name, all))) return 0;
    if (length > most) length = most;
    memcpy(values, all, length * sizeof *values);
    return length;
}

static nc_type type_of(const fmt_variable *v, rules *r, const char *name) {
    nc_type type;
    return answered(v, r, name, nc_inq_atttype(v->file, v->id, name, &type)) ? type : NC_NAT;
}

/* The value that netcdf-c writes where nothing was written; bytes have no such value. */
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
    static const char name[] = "_Unsigned";
    char text[8] = "";
    size_t length;
    if (!answered(v, r, name, nc_inq_attlen(v->file, v->id, name, &length)) || length >= sizeof text) return;
    if (type_of(v, r, name) != NC_CHAR || !answered(v, r, name, nc_get_att_text(v->file, v->id, name, text)))
        return;
    r->is_unsigned = !strcasecmp(text, "true");
    r->wrap = v->type == NC_BYTE ? 0x1p8 : v->type == NC_SHORT ? 0x1p16 : v->type == NC_INT ? 0x1p32 : 0.0;
}

/* A range applies to scaled numbers if its type is that of the scaling and differs from that of the stored
 * numbers. */
static void find_range(const fmt_variable *v, rules *r) {
    double range[2] = {(double)-INFINITY, (double)INFINITY};
    const char *name = "valid_range";
    if (numbers(v, r, name, 2, range) != 2) {
        range[0] = (double)-INFINITY;
        range[1] = (double)INFINITY;
        name = numbers(v, r, "valid_min", 1, &range[0]) ? "valid_min" : "valid_max";
        numbers(v, r, "valid_max", 1, &range[1]);
    }
    r->low = range[0];
    r->high = range[1];
    const nc_type scaling =
        type_of(v, r, type_of(v, r, "scale_factor") != NC_NAT ? "scale_factor" : "add_offset");
    const nc_type type = type_of(v, r, name);
    r->range_unpacked = scaling != NC_NAT && type == scaling && type != v->type;
}

static double as_unsigned(const rules *r, double x) {
    return r->is_unsigned && x < 0.0 ? x + r->wrap : x;
}

static rules find_rules(const fmt_variable *v) {
    rules r = {.scale = 1.0};
    find_sign(v, &r);
    r.n_missing = numbers(v, &r, "_FillValue", 1, r.missing);
    if (!r.n_missing) r.n_missing = default_fill(v->type, r.missing);
    r.n_missing += numbers(v, &r, "missing_value", MISSING_MOST - 1, r.missing + r.n_missing);
    for (size_t i = 0; i < r.n_missing; i++) r.missing[i] = as_unsigned(&r, r.missing[i]);
    find_range(v, &r);
    r.low = as_unsigned(&r, r.low);
    r.high = as_unsigned(&r, r.high);
    numbers(v, &r, "scale_factor", 1, &r.scale);
    numbers(v, &r, "add_offset", 1, &r.offset);
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

int fmt_variable_inquire(fmt_variable *v, int file, int id) {
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
    if (r.code) return r.code;
    const int code = nc_get_vara_double(v->file, v->id, start, count, values);
    if (code) return code;
    for (size_t i = 0; i < cells; i++) values[i] = decode(&r, values[i]);
    return 0;
}
