/* NetCDF: variables over shared dimensions become rows.
 *
 * A row is one index of every dimension of the chosen variables, except fixed dimensions. A variable that
 * lacks some of these dimensions repeats along them: lon(lon) and lat(lat) with u(lat, lon), as well as
 * curvilinear lon(y, x), lat(y, x) with u(y, x). Rows are made in blocks; each is a box of indices, read at
 * once from every variable. */
#define _GNU_SOURCE

#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/netcdf.h"

enum { BLOCK_CELLS = 1 << 18 };

/* ---------------------------------------------------------------- opening */

static int netcdf_open(fmt_table *table) {
    fmt_netcdf *n = table->state = calloc(1, sizeof *n);
    if (!n) return fmt_table_fail_memory(table);
    n->file.id = -1;
    table->drops_missing = table->rewindable = table->named = true;
    int status = table->descriptor < 0 ? fmt_netcdf_find_file(table) : ORFF_OK;
    if (!status) status = fmt_netcdf_open_file(table, &n->file);
    return status ? status : fmt_netcdf_list(table, n);
}

/* ---------------------------------------------------------------- choosing */

/* The index of a dimension among the fixed ones; n_fixed if it is not fixed. */
static size_t find_fixed(const fmt_netcdf *n, int dimension) {
    size_t i = 0;
    while (i < n->n_fixed && (n->fixed[i].id != dimension || n->fixed[i].length)) i++;
    return i;
}

/* The whole dimension, or the selected part of it. */
static fmt_netcdf_axis make_axis(const fmt_netcdf *n, int dimension) {
    size_t i = 0;
    while (i < n->n_fixed && n->fixed[i].id != dimension) i++;
    if (i == n->n_fixed) return (fmt_netcdf_axis){.id = dimension, .length = fmt_netcdf_length(n, dimension)};
    return (fmt_netcdf_axis){.id = dimension, .first = n->fixed[i].index, .length = n->fixed[i].length};
}

/* The index of a dimension among the axes; n_axes if it is not one. */
static size_t find_axis(const fmt_netcdf *n, int dimension) {
    size_t i = 0;
    while (i < n->n_axes && n->axes[i].id != dimension) i++;
    return i;
}

static int add_axes(fmt_table *table, fmt_netcdf *n, const fmt_variable *v) {
    for (int k = 0; k < v->rank; k++) {
        for (int l = 0; l < k; l++)
            if (v->dimensions[k] == v->dimensions[l])
                return fmt_table_fail(table, ORFF_ERROR_UNSUPPORTED, "variable %s has one dimension twice",
                                      v->name);
        if (find_fixed(n, v->dimensions[k]) < n->n_fixed || find_axis(n, v->dimensions[k]) < n->n_axes)
            continue;
        if (n->n_axes == FMT_AXES_MOST)
            return fmt_table_fail(table, ORFF_ERROR_UNSUPPORTED, "more than 32 dimensions");
        n->axes[n->n_axes++] = make_axis(n, v->dimensions[k]);
    }
    return ORFF_OK;
}

/* Finds the axes, starting with the variables that have most dimensions, so that rows come in the order of
 * the file. */
static int find_axes(fmt_table *table, fmt_netcdf *n) {
    n->n_axes = 0;
    for (int rank = FMT_AXES_MOST; rank > 0; rank--) {
        for (size_t s = 0; s < table->n_chosen; s++) {
            const fmt_variable *v = &n->variables[table->chosen[s]];
            const int status = v->rank == rank ? add_axes(table, n, v) : ORFF_OK;
            if (status) return status;
        }
    }
    return ORFF_OK;
}

static bool has_dimension(const fmt_variable *v, int dimension) {
    for (int k = 0; k < v->rank; k++)
        if (v->dimensions[k] == dimension) return true;
    return false;
}

/* Some input must change along every axis, or rows with equal inputs would be mixed up. */
static int check_axes(fmt_table *table, const fmt_netcdf *n) {
    char name[NC_MAX_NAME + 1];
    for (size_t a = 0; a < n->n_axes; a++) {
        bool covered = n->axes[a].length <= 1;
        for (size_t i = 0; i < table->d && !covered; i++)
            covered = has_dimension(&n->variables[table->chosen[table->x_slot[i]]], n->axes[a].id);
        if (covered) continue;
        fmt_netcdf_dimension(n, n->axes[a].id, name);
        return fmt_table_fail(
            table, ORFF_ERROR_INVALID_ARGUMENT,
            "dimension %.64s (length %zu) is not among the inputs: fix it, for example with --select "
            "%.64s=0, or add a variable along it to the inputs",
            name, n->axes[a].length, name);
    }
    return ORFF_OK;
}

static int count_rows(fmt_table *table, const fmt_netcdf *n) {
    table->rows = 1;
    for (size_t a = 0; a < n->n_axes; a++) {
        const uint64_t length = n->axes[a].length;
        if (length && table->rows > ((uint64_t)1 << 62) / length)
            return fmt_table_fail(table, ORFF_ERROR_FORMAT, "its dimensions are too long");
        table->rows *= length;
    }
    return ORFF_OK;
}

static void free_block(fmt_table *table, fmt_netcdf *n) {
    for (size_t s = 0; n->values && s < table->n_chosen; s++) free(n->values[s]);
    free(n->values);
    free(n->stride);
    n->values = NULL;
    n->stride = NULL;
}

static void reset(fmt_netcdf *n) {
    n->begun = n->in_block = false;
    n->row = 0;
}

static int make_block(fmt_table *table, fmt_netcdf *n) {
    free_block(table, n);
    n->values = calloc(table->n_chosen + 1, sizeof *n->values);
    n->stride = calloc(table->n_chosen + 1, sizeof *n->stride);
    reset(n);
    return n->values && n->stride ? ORFF_OK : fmt_table_fail_memory(table);
}

static int netcdf_choose(fmt_table *table) {
    fmt_netcdf *n = table->state;
    int status = fmt_netcdf_fix(table, n);
    if (!status) status = find_axes(table, n);
    if (!status) status = check_axes(table, n);
    if (!status) status = count_rows(table, n);
    for (size_t s = 0; !status && s < table->n_chosen; s++)
        status = fmt_zarr_check(table, &n->variables[table->chosen[s]]);
    if (!status) status = make_block(table, n);
    if (status) free_block(table, n);
    return status;
}

/* ---------------------------------------------------------------- blocks */

static void set_part(fmt_netcdf_axis *x, size_t start) {
    x->start = start;
    x->count = x->length - start < x->step ? x->length - start : x->step;
}

/* The first block: the inner axes whole as far as they fit, part of the next axis, one index of the
 * others. */
static void first_block(fmt_netcdf *n) {
    size_t room = BLOCK_CELLS;
    for (size_t a = n->n_axes; a-- > 0;) {
        fmt_netcdf_axis *x = &n->axes[a];
        x->step = x->length < room ? x->length : room;
        room = x->step < x->length || room / x->step == 0 ? 1 : room / x->step;
        set_part(x, 0);
    }
    n->begun = true;
}

/* Moves to the next block, with the last axis varying fastest; false at the end. */
static bool next_block(fmt_netcdf *n) {
    if (!n->begun) {
        first_block(n);
        return true;
    }
    for (size_t a = n->n_axes; a-- > 0;) {
        fmt_netcdf_axis *x = &n->axes[a];
        if (x->start + x->count < x->length) {
            set_part(x, x->start + x->count);
            return true;
        }
        set_part(x, 0);
    }
    return false;
}

/* Reads the block's part of one variable, and sets its strides. Later blocks are not larger, so the memory of
 * the first one suffices. */
static int read_variable(fmt_table *table, fmt_netcdf *n, size_t s) {
    const fmt_variable *v = &n->variables[table->chosen[s]];
    size_t start[FMT_AXES_MOST] = {0}, count[FMT_AXES_MOST] = {0}, cells = 1;
    memset(n->stride[s], 0, sizeof n->stride[s]);
    for (int k = v->rank; k-- > 0;) {
        const size_t f = find_fixed(n, v->dimensions[k]), a = find_axis(n, v->dimensions[k]);
        start[k] = f < n->n_fixed ? n->fixed[f].index : n->axes[a].first + n->axes[a].start;
        count[k] = f < n->n_fixed ? 1 : n->axes[a].count;
        if (f == n->n_fixed) n->stride[s][a] = cells;
        cells *= count[k];
    }
    if (!n->values[s]) n->values[s] = malloc(cells * sizeof **n->values);
    if (!n->values[s]) return fmt_table_fail_memory(table);
    const int code = fmt_variable_read(v, start, count, cells, n->values[s]);
    if (!code) return ORFF_OK;
    char what[NC_MAX_NAME + 32];
    snprintf(what, sizeof what, "variable %s cannot be read", v->name);
    return fmt_netcdf_fail(table, what, code);
}

static int read_block(fmt_table *table, fmt_netcdf *n) {
    for (size_t s = 0; s < table->n_chosen; s++) {
        const int status = read_variable(table, n, s);
        if (status) return status;
    }
    memset(n->at, 0, sizeof n->at);
    n->in_block = true;
    return ORFF_OK;
}

/* Moves to the next row of the block; false at its end. */
static bool advance(fmt_netcdf *n) {
    for (size_t a = n->n_axes; a-- > 0;) {
        if (++n->at[a] < n->axes[a].count) return true;
        n->at[a] = 0;
    }
    return false;
}

static int netcdf_next(fmt_table *table, double *row, bool *got) {
    fmt_netcdf *n = table->state;
    *got = n->row < table->rows;
    if (!*got) return ORFF_OK;
    if (!n->in_block || !advance(n)) {
        *got = next_block(n);
        const int status = *got ? read_block(table, n) : ORFF_OK;
        if (status || !*got) return status;
    }
    for (size_t s = 0; s < table->n_chosen; s++) {
        size_t cell = 0;
        for (size_t a = 0; a < n->n_axes; a++) cell += n->at[a] * n->stride[s][a];
        row[s] = n->values[s][cell];
    }
    n->row++;
    return ORFF_OK;
}

static int netcdf_rewind(fmt_table *table) {
    reset(table->state);
    return ORFF_OK;
}

/* "variable u, index [0][12][40]" */
static void netcdf_place(const fmt_table *table, size_t slot, char *text, size_t room) {
    const fmt_netcdf *n = table->state;
    const fmt_variable *v = &n->variables[table->chosen[slot]];
    int used = snprintf(text, room, "variable %.64s, index ", v->name);
    for (int k = 0; k < v->rank && (size_t)used + 24 < room; k++) {
        const size_t f = find_fixed(n, v->dimensions[k]), a = find_axis(n, v->dimensions[k]);
        const size_t index =
            f < n->n_fixed ? n->fixed[f].index : n->axes[a].first + n->axes[a].start + n->at[a];
        used += snprintf(text + used, room - (size_t)used, "[%zu]", index);
    }
}

static double netcdf_progress(const fmt_table *table) {
    const fmt_netcdf *n = table->state;
    const bool known = table->rows && table->rows != FMT_ROWS_UNKNOWN;
    return known ? (double)n->row / (double)table->rows : (double)NAN;
}

static void netcdf_close(fmt_table *table) {
    fmt_netcdf *n = table->state;
    if (!n) return;
    fmt_netcdf_close_file(&n->file);
    free_block(table, n);
    free(n->variables);
    free(n);
}

const fmt_source fmt_source_netcdf_bare = {
    .name = "netcdf",
    .open = netcdf_open,
    .choose = netcdf_choose,
    .next = netcdf_next,
    .rewind = netcdf_rewind,
    .place = netcdf_place,
    .progress = netcdf_progress,
    .close = netcdf_close,
};
