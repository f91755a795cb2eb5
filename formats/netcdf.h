/* A NetCDF file under way, for the parts of its reader. */
#ifndef FMT_NETCDF_H
#define FMT_NETCDF_H

#include "formats/netcdf_variable.h"

enum { FMT_AXES_MOST = FMT_VARIABLE_RANK };

/* A dimension that rows run over, or a part of it. */
typedef struct fmt_netcdf_axis {
    int id;
    size_t first, length;
    size_t step;         /* how much of it a block has, save for a shorter one at the end */
    size_t start, count; /* what this block has */
} fmt_netcdf_axis;

typedef struct fmt_netcdf {
    fmt_netcdf_file file;
    size_t n_variables;
    fmt_variable *variables; /* one per column */
    size_t n_fixed;
    struct {
        int id;
        size_t index, length; /* length 0: held at the index; else this many indices from there on */
    } fixed[FMT_AXES_MOST];
    size_t n_axes;
    fmt_netcdf_axis axes[FMT_AXES_MOST];
    double **values; /* n_chosen: the block's part of each variable */
    size_t (
        *stride)[FMT_AXES_MOST]; /* n_chosen x axes: steps in values, 0 where the variable lacks the axis */
    size_t at[FMT_AXES_MOST];    /* the row in the block, counted from the block's start */
    bool begun, in_block;
    uint64_t row;
} fmt_netcdf;

/* Columns: the variables that hold numbers, of all groups. */
int fmt_netcdf_list(fmt_table *table, fmt_netcdf *n);

/* Takes table->fixed apart: which dimensions are held at an index, or cut to a part. */
int fmt_netcdf_fix(fmt_table *table, fmt_netcdf *n);

size_t fmt_netcdf_length(const fmt_netcdf *n, int dimension);
const char *fmt_netcdf_dimension(const fmt_netcdf *n, int dimension, char name[NC_MAX_NAME + 1]);

#endif
