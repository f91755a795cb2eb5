/* Writes tables of numbers to files: CSV and TSV, NPY and NetCDF.
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
 * The file appears under its name, complete, in fmt_output_finish, by an orff_file; fmt_output_close without
 * it leaves no file. Calls return an orff_status as an int. If the reader of a pipe goes away, the result is
 * an error (ORFF_ERROR_IO) and not a signal. */
#ifndef FMT_OUTPUT_H
#define FMT_OUTPUT_H

#include "formats/table.h"

typedef struct fmt_output fmt_output;

typedef struct fmt_output_column {
    const char *name;
    bool input;                /* a coordinate: in NetCDF an axis of the grid */
    const char *units;         /* NULL: derived from the name (lon, lat, .._ms, .._km), or none */
    const char *standard_name; /* NULL: derived from the name, or none */
    const char *error_of;      /* the column whose standard deviation this is; NULL: none */
    bool with_noise;           /* of a new measurement */
    size_t n_labels; /* values are indices of classes with these names, which CSV shows; 0: plain numbers */
    const char *const *labels;
} fmt_output_column;

/* The Earth that longitudes and latitudes refer to. */
typedef struct fmt_output_earth {
    double radius;             /* metres; at the equator if it is flattened */
    double inverse_flattening; /* 0: a sphere */
} fmt_output_earth;

typedef struct fmt_output_options {
    fmt_format format; /* auto: from the end of the name, .csv, .tsv, .csv.gz, .npy or .nc; "-" is CSV */
    size_t n_columns;
    const fmt_output_column *columns; /* must stay, with all they point to, until the output is closed */
    bool shortest;                    /* CSV: the fewest digits that give the same number back, else 17 */
    const char *title, *history;      /* NetCDF; NULL: no title, and a history that names the program */
    const char *comment;              /* NetCDF; NULL: none */
    const fmt_output_earth *earth;    /* NetCDF: becomes the grid mapping of the outputs; NULL: none */
} fmt_output_options;

/* *output is set even on failure, for its message, and must be closed; it is NULL only if memory runs out. */
int fmt_output_open(fmt_output **output, const char *path, const fmt_output_options *options);

/* cells: rows x n_columns. NetCDF keeps them in memory. If the inputs of all rows lie on a grid, they are
 * written as a grid, with gaps for missing rows; otherwise as a list of points. */
int fmt_output_write(fmt_output *output, size_t rows, const double *cells);

int fmt_output_finish(fmt_output *output);
void fmt_output_close(fmt_output *output);

/* "wind.nc: cannot be written: No space left on device". Accepts NULL. */
const char *fmt_output_error(const fmt_output *output);

/* The least that a table with this many rows takes: bytes in the file, and bytes in memory until it is
 * written (0: rows are written as they come). UINT64_MAX if they do not fit in 64 bits. */
void fmt_output_least(const char *path, size_t columns, uint64_t rows, uint64_t *file, uint64_t *memory);

#endif
