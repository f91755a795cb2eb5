/* A NetCDF file and its variables, with the attributes that affect their numbers. */
#ifndef FMT_NETCDF_VARIABLE_H
#define FMT_NETCDF_VARIABLE_H

#include <netcdf.h>

#include "formats/source.h"

#define FMT_VARIABLE_RANK 32

typedef struct fmt_variable {
    int file, id; /* the group that contains it, and its id there */
    char name[NC_MAX_NAME + 1];
    nc_type type;
    bool numeric; /* false for text, other types, and more than FMT_VARIABLE_RANK dimensions */
    int rank, dimensions[FMT_VARIABLE_RANK];
} fmt_variable;

/* Sets the table's message from netcdf-c's text for a code. */
int fmt_netcdf_fail(fmt_table *table, const char *what, int code);

/* Gives the table a seekable descriptor: of the file itself, or, if that is compressed or a pipe, of a
 * temporary file that is already unlinked. */
int fmt_netcdf_find_file(fmt_table *table);

typedef struct fmt_netcdf_file {
    int id;    /* -1: not open */
    void *map; /* for a file without a name; else NULL */
    size_t size;
} fmt_netcdf_file;

/* Opens the file of the table's descriptor. Close it even after a failure. */
int fmt_netcdf_open_file(fmt_table *table, fmt_netcdf_file *file);
void fmt_netcdf_close_file(fmt_netcdf_file *file);

/* How to write Zarr with xarray so that any netcdf-c with NCZarr can read it. */
#define FMT_ZARR_PLAIN \
    "xarray: ds.to_zarr(.., zarr_format=2, encoding={v: {\"compressors\": None} for v in ds.variables})"

/* Refuses an array of Zarr that netcdf-c would misread; accepts other files. Returns an orff_status. */
int fmt_zarr_check(fmt_table *table, const fmt_variable *variable);

/* These return a code of netcdf-c, 0 for success. */
int fmt_variable_inquire(fmt_variable *variable, int file, int id);

/* Reads a box of `cells` values, with scale_factor and add_offset applied. NAN: _FillValue, missing_value, or
 * outside valid_range, valid_min, valid_max. */
int fmt_variable_read(const fmt_variable *variable, const size_t *start, const size_t *count, size_t cells,
                      double *values);

/* The code of a query for an attribute. netcdf-c also reports a missing attribute (NC_ENOTATT) when it lacks
 * the memory to look for it; the result here is then NC_ENOMEM. */
int fmt_attribute_code(int file, int variable, const char *name, int code);

#endif
