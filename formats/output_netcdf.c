/* NetCDF after the CF conventions: rows that lie on a grid become variables over the axes, the first input
 * running fastest (lat, lon for inputs lon, lat); others become variables along the one dimension "point". */
#define _GNU_SOURCE

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/grid.h"
#include "formats/sink.h"
#include "formats/units.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
#define VERSION    STRING(ORFF_VERSION_MAJOR) "." STRING(ORFF_VERSION_MINOR) "." STRING(ORFF_VERSION_PATCH)

typedef struct writer {
    size_t rows, room;
    double *cells;     /* rows x n_columns */
    size_t d, *inputs; /* columns that are coordinates */
    fmt_grid grid;
    bool gridded;
    int file;
    int *variables;  /* n_columns */
    double *scratch; /* cells of the grid, or rows */
} writer;

static int fail_netcdf(fmt_output *output, const char *name, int code) {
    const int status = code == NC_ENOMEM ? ORFF_ERROR_NO_MEMORY : ORFF_ERROR_IO;
    const char *why = code == NC_EHDFERR && errno ? strerror(errno) : nc_strerror(code);
    if (name) return fmt_output_fail(output, status, "variable %s cannot be written: %s", name, why);
    return fmt_output_fail(output, status, "cannot be written: %s", why);
}

/* ---------------------------------------------------------------- rows */

static int netcdf_begin(fmt_output *output) {
    const fmt_output_options *o = &output->options;
    if (!output->file || output->packer)
        return fmt_output_fail(output, ORFF_ERROR_INVALID_ARGUMENT,
                               "NetCDF can be written to a plain file only");
    writer *w = output->state = calloc(1, sizeof *w);
    if (!w) return fmt_output_fail_memory(output);
    w->file = -1;
    w->inputs = calloc(o->n_columns, sizeof *w->inputs);
    w->variables = calloc(o->n_columns, sizeof *w->variables);
    if (!w->inputs || !w->variables) return fmt_output_fail_memory(output);
    for (size_t i = 0; i < o->n_columns; i++)
        if (o->columns[i].input) w->inputs[w->d++] = i;
    if (w->d > NC_MAX_VAR_DIMS) return fmt_output_fail(output, ORFF_ERROR_UNSUPPORTED, "too many inputs");
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

/* ---------------------------------------------------------------- definitions */

/* A name with letters, digits and underscores only, beginning with a letter. */
static void clean_name(const char *name, char clean[NC_MAX_NAME + 1]) {
    size_t used = 0;
    if (!isalpha((unsigned char)*name)) clean[used++] = 'v';
    for (; *name && used < NC_MAX_NAME; name++) {
        const unsigned char c = (unsigned char)*name;
        clean[used++] = (char)(c < 128 && isalnum(c) ? c : '_');
    }
    clean[used] = '\0';
}

static int put_text(const writer *w, int variable, const char *name, const char *text) {
    return text ? nc_put_att_text(w->file, variable, name, strlen(text), text) : 0;
}

static const fmt_output_column *find_column(const fmt_output_options *o, const char *name) {
    for (size_t i = 0; i < o->n_columns; i++)
        if (!strcmp(o->columns[i].name, name)) return &o->columns[i];
    return NULL;
}

/* Given units, else those of the name; an error has the units of what it belongs to. */
static const char *units_of(const fmt_output_options *o, const fmt_output_column *column) {
    if (column->units) return column->units;
    const fmt_output_column *whole = column->error_of ? find_column(o, column->error_of) : NULL;
    if (whole && whole != column) return whole->units ? whole->units : fmt_units_guess(whole->name).units;
    return fmt_units_guess(column->name).units;
}

/* Clean names with blanks between. */
typedef struct list {
    char *text; /* NULL: empty */
    size_t length;
} list;

static int append_name(list *l, const char *name) {
    char clean[NC_MAX_NAME + 1];
    clean_name(name, clean);
    const size_t length = strlen(clean), start = l->text ? l->length + 1 : 0;
    char *grown = realloc(l->text, start + length + 1);
    if (!grown) return NC_ENOMEM;
    if (start) grown[start - 1] = ' ';
    memcpy(grown + start, clean, length + 1);
    *l = (list){grown, start + length};
    return 0;
}

/* The names of columns for which `belongs` holds, as a text attribute; none: no attribute. */
static int put_names(const fmt_output *output, const writer *w, int variable, const char *attribute,
                     bool (*belongs)(const fmt_output_column *column, const char *to), const char *to) {
    const fmt_output_options *o = &output->options;
    list names = {0};
    int code = 0;
    for (size_t i = 0; !code && i < o->n_columns; i++)
        if (belongs(&o->columns[i], to)) code = append_name(&names, o->columns[i].name);
    if (!code) code = put_text(w, variable, attribute, names.text);
    free(names.text);
    return code;
}

static bool is_error_of(const fmt_output_column *column, const char *name) {
    return column->error_of && !strcmp(column->error_of, name);
}

static bool is_input(const fmt_output_column *column, const char *unused) {
    (void)unused;
    return column->input;
}

/* flag_values and flag_meanings of a column of classes. */
static int put_flags(const writer *w, int variable, const fmt_output_column *column) {
    double *values = calloc(column->n_labels, sizeof *values);
    list meanings = {0};
    int code = values ? 0 : NC_ENOMEM;
    for (size_t i = 0; !code && i < column->n_labels; i++) {
        values[i] = (double)i;
        code = append_name(&meanings, column->labels[i]);
    }
    if (!code)
        code = nc_put_att_double(w->file, variable, "flag_values", NC_DOUBLE, column->n_labels, values);
    if (!code) code = put_text(w, variable, "flag_meanings", meanings.text);
    free(values);
    free(meanings.text);
    return code;
}

static int put_coordinate_attributes(const writer *w, int variable, const fmt_output_column *column) {
    const fmt_units guess = fmt_units_guess(column->name);
    const char *standard = column->standard_name ? column->standard_name : guess.standard_name;
    int code = put_text(w, variable, "standard_name", standard);
    if (!code && w->gridded) code = put_text(w, variable, "axis", guess.axis);
    return code;
}

static int put_data_attributes(const fmt_output *output, const writer *w, int variable,
                               const fmt_output_column *column) {
    const double fill = NC_FILL_DOUBLE;
    char text[2 * NC_MAX_NAME];
    int code = nc_put_att_double(w->file, variable, "_FillValue", NC_DOUBLE, 1, &fill);
    if (!code) code = put_text(w, variable, "standard_name", column->standard_name);
    if (!code && column->error_of) {
        snprintf(text, sizeof text, "standard deviation of %.256s", column->error_of);
        code = put_text(w, variable, "long_name", text);
    }
    if (!code && column->n_labels) code = put_flags(w, variable, column);
    if (!code && !w->gridded) code = put_names(output, w, variable, "coordinates", is_input, NULL);
    if (!code) code = put_names(output, w, variable, "ancillary_variables", is_error_of, column->name);
    return code;
}

static int define_variable(fmt_output *output, writer *w, size_t i, int rank, const int *dimensions) {
    const fmt_output_column *column = &output->options.columns[i];
    char clean[NC_MAX_NAME + 1];
    clean_name(column->name, clean);
    int *variable = &w->variables[i];
    int code = nc_def_var(w->file, clean, NC_DOUBLE, rank, dimensions, variable);
    if (!code) code = put_text(w, *variable, "units", units_of(&output->options, column));
    if (!code && !column->error_of) code = put_text(w, *variable, "long_name", column->name);
    if (!code) {
        code = column->input ? put_coordinate_attributes(w, *variable, column)
                             : put_data_attributes(output, w, *variable, column);
    }
    return code ? fail_netcdf(output, clean, code) : ORFF_OK;
}

/* The dimensions, slowest first: the axes from the last input to the first, or the one of the points. */
static int define_dimensions(fmt_output *output, const writer *w, int *dimensions) {
    char clean[NC_MAX_NAME + 1] = "point";
    int code = w->gridded ? 0 : nc_def_dim(w->file, clean, w->rows, dimensions);
    for (size_t k = 0; !code && w->gridded && k < w->d; k++) {
        clean_name(output->options.columns[w->inputs[k]].name, clean);
        code = nc_def_dim(w->file, clean, w->grid.length[k], &dimensions[w->d - 1 - k]);
    }
    return code ? fail_netcdf(output, clean, code) : ORFF_OK;
}

static int define_variables(fmt_output *output, writer *w, const int *dimensions) {
    int status = ORFF_OK;
    size_t k = 0;
    for (size_t i = 0; !status && i < output->options.n_columns; i++) {
        const bool axis = w->gridded && output->options.columns[i].input;
        const int *own = axis ? &dimensions[w->d - 1 - k++] : dimensions;
        status = define_variable(output, w, i, axis || !w->gridded ? 1 : (int)w->d, own);
    }
    return status;
}

static int define(fmt_output *output, writer *w) {
    const fmt_output_options *o = &output->options;
    int code = put_text(w, NC_GLOBAL, "Conventions", "CF-1.8");
    if (!code) code = put_text(w, NC_GLOBAL, "title", o->title);
    if (!code) code = put_text(w, NC_GLOBAL, "history", o->history ? o->history : "written by orff " VERSION);
    if (code) return fail_netcdf(output, NULL, code);
    int *dimensions = calloc(w->d + 1, sizeof *dimensions);
    if (!dimensions) return fmt_output_fail_memory(output);
    int status = define_dimensions(output, w, dimensions);
    if (!status) status = define_variables(output, w, dimensions);
    free(dimensions);
    if (status) return status;
    code = nc_enddef(w->file);
    return code ? fail_netcdf(output, NULL, code) : ORFF_OK;
}

/* ---------------------------------------------------------------- values */

static int put_column(fmt_output *output, writer *w, size_t i) {
    const size_t n = output->options.n_columns, cells = w->gridded ? w->grid.cells : w->rows;
    const bool input = output->options.columns[i].input;
    for (size_t c = 0; c < cells; c++) w->scratch[c] = NC_FILL_DOUBLE;
    for (size_t r = 0; r < w->rows; r++) {
        const double value = w->cells[r * n + i];
        if (input || !isnan(value)) w->scratch[w->gridded ? w->grid.cell[r] : r] = value;
    }
    const int code = nc_put_var_double(w->file, w->variables[i], w->scratch);
    return code ? fail_netcdf(output, output->options.columns[i].name, code) : ORFF_OK;
}

static int put_all(fmt_output *output, writer *w) {
    size_t k = 0;
    int status = ORFF_OK;
    for (size_t i = 0; !status && i < output->options.n_columns; i++) {
        if (w->gridded && output->options.columns[i].input) {
            const int code = nc_put_var_double(w->file, w->variables[i], w->grid.axis[k++]);
            if (code) status = fail_netcdf(output, output->options.columns[i].name, code);
        } else {
            status = put_column(output, w, i);
        }
    }
    return status;
}

static int lay_out(fmt_output *output, writer *w) {
    const size_t n = output->options.n_columns;
    for (size_t r = 0; r < w->rows; r++)
        for (size_t k = 0; k < w->d; k++)
            if (!isfinite(w->cells[r * n + w->inputs[k]]))
                return fmt_output_fail(output, ORFF_ERROR_NOT_FINITE,
                                       "row %zu has a coordinate that is no number", r + 1);
    if (fmt_grid_find(&w->grid, w->rows, n, w->cells, w->d, w->inputs, &w->gridded))
        return fmt_output_fail_memory(output);
    const size_t cells = w->gridded ? w->grid.cells : w->rows;
    w->scratch = calloc(cells + 1, sizeof *w->scratch);
    return w->scratch ? ORFF_OK : fmt_output_fail_memory(output);
}

/* The 64-bit offset form of the classic format, which every program reads; NetCDF-4 where a variable is
 * too large for it. */
static int netcdf_finish(fmt_output *output) {
    writer *w = output->state;
    int status = lay_out(output, w);
    if (status) return status;
    const size_t cells = w->gridded ? w->grid.cells : w->rows;
    const int kind = cells < ((size_t)1 << 28) ? NC_64BIT_OFFSET : NC_NETCDF4;
    errno = 0;
    int code = nc_create(orff_file_temporary(output->file), NC_CLOBBER | kind, &w->file);
    if (code) {
        w->file = -1;
        return fail_netcdf(output, NULL, code);
    }
    status = define(output, w);
    if (!status) status = put_all(output, w);
    if (status) return status;
    code = nc_close(w->file);
    w->file = -1;
    return code ? fail_netcdf(output, NULL, code) : ORFF_OK;
}

static void netcdf_close(fmt_output *output) {
    writer *w = output->state;
    if (!w) return;
    if (w->file >= 0) nc_abort(w->file);
    fmt_grid_clear(&w->grid);
    free(w->cells);
    free(w->inputs);
    free(w->variables);
    free(w->scratch);
    free(w);
}

const fmt_sink fmt_sink_netcdf = {.name = "netcdf",
                                  .begin = netcdf_begin,
                                  .write = netcdf_write,
                                  .finish = netcdf_finish,
                                  .close = netcdf_close};
