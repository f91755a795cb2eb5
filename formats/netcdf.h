/* An open NetCDF file, for the parts of its reader. */
#ifndef FMT_NETCDF_H
#define FMT_NETCDF_H

#include "formats/netcdf_variable.h"

enum { FMT_AXES_MOST = FMT_VARIABLE_RANK };

/* A dimension that rows run over, or part of it. */
typedef struct fmt_netcdf_axis {
    int id;
    size_t first, length;
    size_t step;         /* length of a block along it; the last block may be shorter */
    size_t start, count; /* the part in this block */
} fmt_netcdf_axis;

typedef struct fmt_netcdf {
    fmt_netcdf_file file;
    size_t n_variables;
    fmt_variable *variables; /* one per column */
    size_t n_fixed;
    struct {
        int id;
        size_t index, length; /* length 0: fixed at the index; else this many indices from there on */
    } fixed[FMT_AXES_MOST];
    size_t n_axes;
    fmt_netcdf_axis axes[FMT_AXES_MOST];
    double **values; /* n_chosen: each variable in the block */
    size_t (
        *stride)[FMT_AXES_MOST]; /* n_chosen x axes: strides in values, 0 if the variable lacks the axis */
    size_t at[FMT_AXES_MOST];    /* the row in the block, relative to the block's start */
    bool begun, in_block;
    uint64_t row;
} fmt_netcdf;

/* Creates a column for every variable of numbers, in all groups. */
int fmt_netcdf_list(fmt_table *table, fmt_netcdf *n);

/* Parses table->fixed: which dimensions are fixed at an index, or restricted to a part. */
int fmt_netcdf_fix(fmt_table *table, fmt_netcdf *n);

size_t fmt_netcdf_length(const fmt_netcdf *n, int dimension);
const char *fmt_netcdf_dimension(const fmt_netcdf *n, int dimension, char name[NC_MAX_NAME + 1]);

#endif
