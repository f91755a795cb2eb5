/* NetCDF with CF conventions: rows that lie on a grid become variables over the axes, with the first input
 * varying fastest (lat, lon for inputs lon, lat); others become variables along a single dimension "point".
 *
 * We write the bytes ourselves, like all outputs: netcdf-c does not report write errors when it closes a
 * file, and ends the program if memory runs out. */
#define _GNU_SOURCE

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/classic.h"
#include "formats/grid.h"
#include "formats/sink.h"
#include "formats/units.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
#define VERSION    STRING(ORFF_VERSION_MAJOR) "." STRING(ORFF_VERSION_MINOR) "." STRING(ORFF_VERSION_PATCH)

enum { LONGEST_NAME = 256, MOST_DIMENSIONS = 1024 }; /* the limits of netcdf-c */
#define MAPPING "latitude_longitude"                 /* the variable, and its kind */
#define FILL    9.9692099683868690e+36               /* NC_FILL_DOUBLE: missing value */
typedef char clean_text[LONGEST_NAME + 1];

typedef struct writer {
    size_t rows, room;
    double *cells;     /* rows x n_columns */
    size_t d, *inputs; /* columns that are coordinates */
    fmt_grid grid;
    bool gridded;
    clean_text *names; /* n_columns */
    fmt_classic header;
    bool mapped;     /* there is a grid mapping, after the columns */
    size_t *places;  /* n_columns + 1: where in the header the offset of its values is stored */
    double *scratch; /* cells of the grid, or rows */
} writer;

/* ---------------------------------------------------------------- rows */

static int netcdf_begin(fmt_output *output) {
    const fmt_output_options *o = &output->options;
    if (!output->file || output->packer)
        return fmt_output_fail(output, ORFF_ERROR_INVALID_ARGUMENT,
                               "NetCDF can be written to a plain file only");
    writer *w = output->state = calloc(1, sizeof *w);
    if (!w) return fmt_output_fail_memory(output);
    w->inputs = calloc(o->n_columns, sizeof *w->inputs);
    w->places = calloc(o->n_columns + 1, sizeof *w->places);
    w->names = calloc(o->n_columns, sizeof *w->names);
    if (!w->inputs || !w->places || !w->names) return fmt_output_fail_memory(output);
    for (size_t i = 0; i < o->n_columns; i++)
        if (o->columns[i].input) w->inputs[w->d++] = i;
    if (w->d > MOST_DIMENSIONS) return fmt_output_fail(output, ORFF_ERROR_UNSUPPORTED, "too many inputs");
    return ORFF_OK;
}

static int netcdf_write(fmt_output *output, size_t rows, const double *cells) {
    writer *w = output->state;
    const size_t n = output->options.n_columns;
    if (w->rows + rows > w->room) {
        const size_t room = w->rows + rows > 2 * w->room ? w->rows + rows : 2 * w->room;
        double *grown = realloc(w->cells, room * n * sizeof *grown);
        if (!grown) return fmt_output_fail_memory(output);
        w->cells = grown;
        w->room = room;
    }
    memcpy(w->cells + w->rows * n, cells, rows * n * sizeof *cells);
    w->rows += rows;
    return ORFF_OK;
}

/* ---------------------------------------------------------------- names */

/* A name of letters, digits and underscores only that starts with a letter. */
static void clean_name(const char *name, clean_text clean) {
    size_t used = 0;
    if (!isalpha((unsigned char)*name)) clean[used++] = 'v';
    for (; *name && used < LONGEST_NAME; name++) {
        const unsigned char c = (unsigned char)*name;
        clean[used++] = (char)(c < 128 && isalnum(c) ? c : '_');
    }
    clean[used] = '\0';
}

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Two variables must not have the same name. */
static int clean_names(fmt_output *output, writer *w) {
    const size_t n = output->options.n_columns;
    clean_text *sorted = calloc(n, sizeof *sorted);
    int status = ORFF_OK;
    if (!sorted) return fmt_output_fail_memory(output);
    for (size_t i = 0; i < n; i++) clean_name(output->options.columns[i].name, w->names[i]);
    memcpy(sorted, w->names, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (size_t i = 1; !status && i < n; i++)
        if (!strcmp(sorted[i - 1], sorted[i]))
            status =
                fmt_output_fail(output, ORFF_ERROR_INVALID_ARGUMENT,
                                "variable %s cannot be written: two columns would have this name", sorted[i]);
    free(sorted);
    return status;
}

/* ---------------------------------------------------------------- attributes */

static void put_text(writer *w, fmt_classic_list *list, const char *name, const char *text) {
    if (text) fmt_classic_text(&w->header, list, name, text);
}

static const fmt_output_column *find_column(const fmt_output_options *o, const char *name) {
    for (size_t i = 0; i < o->n_columns; i++)
        if (!strcmp(o->columns[i].name, name)) return &o->columns[i];
    return NULL;
}

/* The given units, else those derived from the name; an error has the units of its column. */
static const char *units_of(const fmt_output_options *o, const fmt_output_column *column) {
    if (column->units) return column->units;
    const fmt_output_column *whole = column->error_of ? find_column(o, column->error_of) : NULL;
    if (whole && whole != column) return whole->units ? whole->units : fmt_units_guess(whole->name).units;
    return fmt_units_guess(column->name).units;
}

/* Clean names separated by blanks. */
typedef struct names {
    char *text; /* NULL: none */
    size_t length;
} names;

static bool append_name(names *all, const char *name) {
    clean_text clean;
    clean_name(name, clean);
    const size_t length = strlen(clean), start = all->text ? all->length + 1 : 0;
    char *grown = realloc(all->text, start + length + 1);
    if (!grown) return false;
    if (start) grown[start - 1] = ' ';
    memcpy(grown + start, clean, length + 1);
    all->text = grown;
    all->length = start + length;
    return true;
}

/* An attribute with the names of columns for which `belongs` holds; omitted if there are none. */
static void put_names(const fmt_output *output, writer *w, fmt_classic_list *list, const char *attribute,
                      bool (*belongs)(const fmt_output_column *column, const char *to), const char *to) {
    const fmt_output_options *o = &output->options;
    names all = {0};
    for (size_t i = 0; i < o->n_columns; i++)
        if (belongs(&o->columns[i], to) && !append_name(&all, o->columns[i].name)) w->header.failed = true;
    put_text(w, list, attribute, all.text);
    free(all.text);
}

static bool is_error_of(const fmt_output_column *column, const char *name) {
    return column->error_of && !strcmp(column->error_of, name);
}

static bool is_input(const fmt_output_column *column, const char *unused) {
    (void)unused;
    return column->input;
}

/* flag_values and flag_meanings of a column of classes. */
static void put_flags(writer *w, fmt_classic_list *list, const fmt_output_column *column) {
    double *values = calloc(column->n_labels, sizeof *values);
    names meanings = {0};
    if (!values) w->header.failed = true;
    for (size_t i = 0; values && i < column->n_labels; i++) {
        values[i] = (double)i;
        if (!append_name(&meanings, column->labels[i])) w->header.failed = true;
    }
    if (values) fmt_classic_numbers(&w->header, list, "flag_values", column->n_labels, values);
    put_text(w, list, "flag_meanings", meanings.text);
    free(values);
    free(meanings.text);
}

static bool is_time(const char *units) {
    return units && strstr(units, " since ");
}

static void put_coordinate_attributes(writer *w, fmt_classic_list *list, const fmt_output_column *column,
                                      const char *units) {
    const fmt_units guess = fmt_units_guess(column->name);
    const char *standard = column->standard_name ? column->standard_name : guess.standard_name;
    put_text(w, list, "standard_name", is_time(units) ? "time" : standard);
    if (is_time(units)) put_text(w, list, "calendar", "standard");
    if (w->gridded) put_text(w, list, "axis", is_time(units) ? "T" : guess.axis);
}

/* "eastward_wind standard_error" for the error of a field; the error of a measurement has no standard
 * name. */
static void put_standard_name(const fmt_output *output, writer *w, fmt_classic_list *list,
                              const fmt_output_column *column) {
    const fmt_output_column *whole =
        column->error_of ? find_column(&output->options, column->error_of) : NULL;
    char text[2 * LONGEST_NAME];
    if (!whole) {
        put_text(w, list, "standard_name", column->standard_name);
    } else if (whole->standard_name && !column->with_noise) {
        snprintf(text, sizeof text, "%.256s standard_error", whole->standard_name);
        put_text(w, list, "standard_name", text);
    }
}

static void put_data_attributes(const fmt_output *output, writer *w, fmt_classic_list *list,
                                const fmt_output_column *column) {
    const double fill = FILL;
    char text[2 * LONGEST_NAME];
    fmt_classic_numbers(&w->header, list, "_FillValue", 1, &fill);
    put_standard_name(output, w, list, column);
    if (column->error_of) {
        snprintf(text, sizeof text, "standard deviation of %s%.256s",
                 column->with_noise ? "a new measurement of " : "", column->error_of);
        put_text(w, list, "long_name", text);
    }
    if (column->n_labels) put_flags(w, list, column);
    if (!w->gridded) put_names(output, w, list, "coordinates", is_input, NULL);
    put_names(output, w, list, "ancillary_variables", is_error_of, column->name);
    if (w->mapped) put_text(w, list, "grid_mapping", MAPPING);
}

static void put_attributes(const fmt_output *output, writer *w, size_t i) {
    const fmt_output_column *column = &output->options.columns[i];
    fmt_classic_list list = fmt_classic_open(&w->header, FMT_CLASSIC_ATTRIBUTES);
    const char *units = units_of(&output->options, column);
    put_text(w, &list, "units", units);
    if (!column->error_of) put_text(w, &list, "long_name", column->name);
    if (column->input) {
        put_coordinate_attributes(w, &list, column, units);
    } else {
        put_data_attributes(output, w, &list, column);
    }
    fmt_classic_close(&w->header, &list);
}

/* ---------------------------------------------------------------- the header */

static size_t cells_of(const writer *w) {
    return w->gridded ? w->grid.cells : w->rows;
}

/* The size of a column in bytes: along its own axis, or in every cell. Without rows "point" is the record
 * dimension, and the size is that of one record. */
static uint64_t bytes_of(const writer *w, const fmt_output_column *column, size_t axis) {
    const size_t count = w->gridded && column->input ? w->grid.length[axis] : cells_of(w);
    return 8 * (uint64_t)(count ? count : 1);
}

/* Slowest first: the axes from the last input to the first, or the single one of points. */
static void put_dimensions(writer *w) {
    fmt_classic_list list = fmt_classic_open(&w->header, FMT_CLASSIC_DIMENSIONS);
    if (!w->gridded) fmt_classic_dimension(&w->header, &list, "point", w->rows);
    for (size_t k = 0; w->gridded && k < w->d; k++)
        fmt_classic_dimension(&w->header, &list, w->names[w->inputs[k]], w->grid.length[k]);
    fmt_classic_close(&w->header, &list);
}

/* A variable without dimensions, whose single number has no meaning. */
static void put_mapping(const fmt_output *output, writer *w, fmt_classic_list *list) {
    const fmt_output_earth *earth = output->options.earth;
    const bool flat = earth->inverse_flattening > 0.0;
    fmt_classic_variable(&w->header, list, MAPPING, 0, NULL);
    fmt_classic_list about = fmt_classic_open(&w->header, FMT_CLASSIC_ATTRIBUTES);
    put_text(w, &about, "grid_mapping_name", MAPPING);
    fmt_classic_numbers(&w->header, &about, flat ? "semi_major_axis" : "earth_radius", 1, &earth->radius);
    if (flat) fmt_classic_numbers(&w->header, &about, "inverse_flattening", 1, &earth->inverse_flattening);
    fmt_classic_close(&w->header, &about);
    w->places[output->options.n_columns] = fmt_classic_values(&w->header, 8);
}

/* Dimension k is that of input k; values of a field have all dimensions, the last one first. */
static void put_variables(const fmt_output *output, writer *w) {
    uint64_t all[MOST_DIMENSIONS + 1] = {0};
    size_t axis = 0;
    for (size_t k = 0; w->gridded && k < w->d; k++) all[k] = w->d - 1 - k;
    fmt_classic_list list = fmt_classic_open(&w->header, FMT_CLASSIC_VARIABLES);
    for (size_t i = 0; i < output->options.n_columns; i++) {
        const fmt_output_column *column = &output->options.columns[i];
        const bool alone = w->gridded && column->input;
        const uint64_t own = axis;
        fmt_classic_variable(&w->header, &list, w->names[i], alone || !w->gridded ? 1 : w->d,
                             alone ? &own : all);
        put_attributes(output, w, i);
        w->places[i] = fmt_classic_values(&w->header, bytes_of(w, column, axis));
        axis += column->input;
    }
    if (w->mapped) put_mapping(output, w, &list);
    fmt_classic_close(&w->header, &list);
}

/* Sets the offsets: the values of each variable follow those of the one before. */
static void place_values(const fmt_output *output, writer *w) {
    uint64_t at = w->header.size;
    size_t axis = 0;
    for (size_t i = 0; i < output->options.n_columns; i++) {
        const fmt_output_column *column = &output->options.columns[i];
        fmt_classic_place(&w->header, w->places[i], at);
        at += bytes_of(w, column, axis);
        axis += column->input;
    }
    if (w->mapped) fmt_classic_place(&w->header, w->places[output->options.n_columns], at);
}

/* Version 2 (64-bit offsets), which every program reads; version 5 if a variable is too large for it. */
static int put_header(fmt_output *output, writer *w) {
    const fmt_output_options *o = &output->options;
    fmt_classic_begin(&w->header, cells_of(w) >= (size_t)1 << 28);
    put_dimensions(w);
    fmt_classic_list list = fmt_classic_open(&w->header, FMT_CLASSIC_ATTRIBUTES);
    put_text(w, &list, "Conventions", "CF-1.8");
    put_text(w, &list, "title", o->title);
    put_text(w, &list, "source", "orff " VERSION);
    put_text(w, &list, "history", o->history ? o->history : "written by orff " VERSION);
    put_text(w, &list, "comment", o->comment);
    if (!w->gridded) put_text(w, &list, "featureType", "point");
    fmt_classic_close(&w->header, &list);
    put_variables(output, w);
    place_values(output, w);
    if (w->header.failed) return fmt_output_fail_memory(output);
    return fmt_output_put(output, w->header.bytes, w->header.size);
}

/* ---------------------------------------------------------------- values */

static int put_doubles(fmt_output *output, size_t count, const double *values) {
    enum { BLOCK = 512 };
    unsigned char bytes[8 * BLOCK];
    int status = ORFF_OK;
    for (size_t at = 0; !status && at < count; at += BLOCK) {
        const size_t n = count - at < BLOCK ? count - at : BLOCK;
        fmt_classic_doubles(n, values + at, bytes);
        status = fmt_output_put(output, bytes, 8 * n);
    }
    return status;
}

static int put_column(fmt_output *output, writer *w, size_t i) {
    const size_t n = output->options.n_columns, cells = cells_of(w);
    const bool input = output->options.columns[i].input;
    for (size_t c = 0; c < cells; c++) w->scratch[c] = FILL;
    for (size_t r = 0; r < w->rows; r++) {
        const double value = w->cells[r * n + i];
        if (input || !isnan(value)) w->scratch[w->gridded ? w->grid.cell[r] : r] = value;
    }
    return put_doubles(output, cells, w->scratch);
}

static int put_all(fmt_output *output, writer *w) {
    size_t k = 0;
    int status = ORFF_OK;
    for (size_t i = 0; !status && i < output->options.n_columns; i++) {
        if (w->gridded && output->options.columns[i].input) {
            status = put_doubles(output, w->grid.length[k], w->grid.axis[k]);
            k++;
        } else {
            status = put_column(output, w, i);
        }
    }
    if (!status && w->mapped) status = put_doubles(output, 1, (const double[]){0.0});
    return status;
}

static int lay_out(fmt_output *output, writer *w) {
    const size_t n = output->options.n_columns;
    for (size_t r = 0; r < w->rows; r++)
        for (size_t k = 0; k < w->d; k++)
            if (!isfinite(w->cells[r * n + w->inputs[k]]))
                return fmt_output_fail(output, ORFF_ERROR_NOT_FINITE,
                                       "row %zu has a coordinate that is not a number", r + 1);
    if (fmt_grid_find(&w->grid, w->rows, n, w->cells, w->d, w->inputs, &w->gridded))
        return fmt_output_fail_memory(output);
    w->scratch = calloc(cells_of(w) + 1, sizeof *w->scratch);
    return w->scratch ? ORFF_OK : fmt_output_fail_memory(output);
}

static bool has_name(const fmt_output *output, const writer *w, const char *name) {
    for (size_t i = 0; i < output->options.n_columns; i++)
        if (!strcmp(w->names[i], name)) return true;
    return false;
}

static int netcdf_finish(fmt_output *output) {
    writer *w = output->state;
    int status = lay_out(output, w);
    if (!status) status = clean_names(output, w);
    w->mapped = output->options.earth && w->rows && !has_name(output, w, MAPPING);
    if (!status) status = put_header(output, w);
    return status ? status : put_all(output, w);
}

static void netcdf_close(fmt_output *output) {
    writer *w = output->state;
    if (!w) return;
    fmt_grid_clear(&w->grid);
    free(w->cells);
    free(w->inputs);
    free(w->places);
    free(w->names);
    fmt_classic_clear(&w->header);
    free(w->scratch);
    free(w);
}

static const char *const ends[] = {".nc", ".nc4", NULL};

const fmt_sink fmt_sink_netcdf = {.format = FMT_FORMAT_NETCDF,
                                  .ends = ends,
                                  .begin = netcdf_begin,
                                  .write = netcdf_write,
                                  .finish = netcdf_finish,
                                  .close = netcdf_close};
