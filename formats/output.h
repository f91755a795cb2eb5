/* Tables of numbers to files: CSV and TSV, NPY and NetCDF.
 *
 *     const fmt_output_column columns[] = {
 *         {.name = "lon", .input = true}, {.name = "lat", .input = true},
 *         {.name = "u"}, {.name = "u_std", .error_of = "u"}};
 *     fmt_output *output;
 *     fmt_output_options options = {.n_columns = 4, .columns = columns};
 *     if (fmt_output_open(&output, "wind.nc", &options) || fmt_output_write(output, n, cells) ||
 *         fmt_output_finish(output))
 *         puts(fmt_output_error(output));
 *     fmt_output_close(output);
 *
 * The file appears under its name, whole, in fmt_output_finish, by an orff_file; fmt_output_close without it leaves
 * nothing. Calls return an orff_status as an int.
 * A reader of a pipe that goes away is an error (ORFF_ERROR_IO) and no signal. */
#ifndef FMT_OUTPUT_H
#define FMT_OUTPUT_H

#include "formats/table.h"

typedef struct fmt_output fmt_output;

typedef struct fmt_output_column {
    const char *name;
    bool input;                /* a coordinate: in NetCDF an axis of the grid */
    const char *units;         /* NULL: as the name tells (lon, lat, .._ms, .._km), or none */
    const char *standard_name; /* NULL: as the name tells, or none */
    const char *error_of;      /* the column whose standard deviation this is; NULL: none */
    bool with_noise;           /* it is that of a new measurement */
    size_t n_labels; /* values are numbers of classes with these names: CSV has the names; 0: plain numbers */
    const char *const *labels;
} fmt_output_column;

/* What longitudes and latitudes are on. */
typedef struct fmt_output_earth {
    double radius;             /* metres; of the equator where it is flattened */
    double inverse_flattening; /* 0: a sphere */
} fmt_output_earth;

typedef struct fmt_output_options {
    fmt_format format; /* auto: by the name's end, .csv, .tsv, .csv.gz, .npy or .nc; "-" is CSV */
    size_t n_columns;
    const fmt_output_column *columns; /* with all they point to, these must stay until the output is closed */
    bool shortest;                    /* CSV: as few digits as give the same number back, else 17 */
    const char *title, *history;      /* NetCDF; NULL: none, and which program wrote it */
    const char *comment;              /* NetCDF; NULL: none */
    const fmt_output_earth *earth;    /* NetCDF: becomes the grid mapping of the outputs; NULL: none */
} fmt_output_options;

/* *output is set also on failure, for its message, and must be closed; it is NULL only when there is no
 * memory. */
int fmt_output_open(fmt_output **output, const char *path, const fmt_output_options *options);

/* cells: rows x n_columns. NetCDF keeps them in memory: rows whose inputs lie on a grid become one, with
 * gaps where rows are not there, others become a list of points. */
int fmt_output_write(fmt_output *output, size_t rows, const double *cells);

int fmt_output_finish(fmt_output *output);
void fmt_output_close(fmt_output *output);

/* "wind.nc: cannot be written: No space left on device". Takes NULL. */
const char *fmt_output_error(const fmt_output *output);

/* What a table of that many rows takes at the least: bytes of the file, and bytes of memory until it is written
 * (0: rows pass through). Both are UINT64_MAX when they do not fit in 64 bits. */
void fmt_output_least(const char *path, size_t columns, uint64_t rows, uint64_t *file, uint64_t *memory);

#endif
