/* A NetCDF file and its variables, with what their attributes say of the numbers. */
#ifndef FMT_NETCDF_VARIABLE_H
#define FMT_NETCDF_VARIABLE_H

#include <netcdf.h>

#include "formats/source.h"

#define FMT_VARIABLE_RANK 32

typedef struct fmt_variable {
    int file, id; /* the group that it is in, and its number there */
    char name[NC_MAX_NAME + 1];
    nc_type type;
    bool numeric; /* false for text, for other types and for more than FMT_VARIABLE_RANK dimensions */
    int rank, dimensions[FMT_VARIABLE_RANK];
} fmt_variable;

/* Keeps netcdf-c's text of a code with the table's message. */
int fmt_netcdf_fail(fmt_table *table, const char *what, int code);

/* Gives the table a descriptor of its file that can be seeked in: of the file itself, or, when it is packed
 * or a pipe, of a temporary file that has no name any more. */
int fmt_netcdf_find_file(fmt_table *table);

typedef struct fmt_netcdf_file {
    int id;    /* -1: not open */
    void *map; /* of a file without a name; else NULL */
    size_t size;
} fmt_netcdf_file;

/* Opens what the table's descriptor has. Close it also after a failure. */
int fmt_netcdf_open_file(fmt_table *table, fmt_netcdf_file *file);
void fmt_netcdf_close_file(fmt_netcdf_file *file);

/* How xarray writes Zarr that any netcdf-c with NCZarr reads. */
#define FMT_ZARR_PLAIN \
    "xarray: ds.to_zarr(.., zarr_format=2, encoding={v: {\"compressors\": None} for v in ds.variables})"

/* Refuses an array of Zarr that netcdf-c would misread; other files pass. Returns an orff_status. */
int fmt_zarr_check(fmt_table *table, const fmt_variable *variable);

/* These return a code of netcdf-c, 0 when done. */
int fmt_variable_inquire(fmt_variable *variable, int file, int id);

/* A box of `cells` values, with scale_factor and add_offset applied. NAN: _FillValue, missing_value, or
 * outside of valid_range, valid_min, valid_max. */
int fmt_variable_read(const fmt_variable *variable, const size_t *start, const size_t *count, size_t cells,
                      double *values);

/* What a question on an attribute has come to: netcdf-c also says that there is no such attribute (NC_ENOTATT) where it
 * lacks the memory to look for it, and that is NC_ENOMEM here. */
int fmt_attribute_code(int file, int variable, const char *name, int code);

#endif
