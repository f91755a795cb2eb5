/* Tables of numbers from files: CSV and TSV, NPY, IDX and NetCDF through one interface.
 *
 *     fmt_table *table;
 *     fmt_table_options options = fmt_table_options_default();
 *     fmt_table_selection selection = {.inputs = "lon,lat", .outputs = "u,v"};
 *     if (fmt_table_open(&table, "wind.csv.gz", &options) || fmt_table_select(table, &selection))
 *         puts(fmt_table_error(table));
 *     else
 *         orff_model_fit_stream(&model, &settings, 2, 2, &(orff_reader){.read = fmt_table_read, .self = table});
 *     fmt_table_close(table);
 *
 * Open, look at the columns, select, read blocks of rows. Memory does not grow with the number of rows,
 * except for an array in Fortran order inside a .gz. Calls that can fail return an orff_status as an int (0:
 * success), and the table keeps the message, which names the file and the line and column, or the variable
 * and index. Only one thread at a time may use a table; netcdf-c allows only one thread in total. */
#ifndef FMT_TABLE_H
#define FMT_TABLE_H

#include "orff.h"

typedef struct fmt_table fmt_table;

/* The formats that can be read: one line here, and a file with its fmt_source. A file of unknown format is
 * taken for the first. */
#define FMT_FORMAT_LIST(X)  \
    X(CSV, csv)             \
    X(NPY, npy)             \
    X(IDX, idx)             \
    X(GRIB_JSON, grib_json) \
    X(NETCDF, netcdf)

typedef enum fmt_format {
    FMT_FORMAT_AUTO, /* from the file's name, else from its first bytes; "-" is CSV */
#define FMT_FORMAT_ENUM(name, file) FMT_FORMAT_##name,
    FMT_FORMAT_LIST(FMT_FORMAT_ENUM)
#undef FMT_FORMAT_ENUM
} fmt_format;

typedef struct fmt_table_options {
    fmt_format format;
    char separator;             /* CSV; ' ': runs of blanks; 0: found in the first rows (tab for .tsv) */
    orff_switch header;         /* CSV; auto: the first row is a header if some cell is neither a number nor
                           missing */
    size_t n_missing;           /* values and words for a missing value, besides the usual ones; must ... */
    const char *const *missing; /* ... live as long as the table; "-999" is any number that equals it */
    bool (*interrupted)(void);  /* called while a read waits; true ends it. NULL: never */
} fmt_table_options;

fmt_table_options fmt_table_options_default(void);

/* Opens a file, plain or compressed, or "-" for standard input. *table is set even on failure, for its
 * message, and must be closed; it is NULL only if memory for it runs out. */
int fmt_table_open(fmt_table **table, const char *path, const fmt_table_options *options);

/* Two tables side by side, with their rows paired: the inputs are in the first, the outputs in the second.
 * The pair owns both, even if this fails. Column indices continue from the first to the second. */
int fmt_table_pair(fmt_table **table, fmt_table *inputs, fmt_table *outputs);
void fmt_table_close(fmt_table *table);

/* The last failure: "wind.csv: line 12, column 3 (u_ms): "x" is not a number". Accepts NULL. */
const char *fmt_table_error(const fmt_table *table);
const char *fmt_table_path(const fmt_table *table);
const char *fmt_table_format(const fmt_table *table); /* "csv", "npy", "idx", "grib2json", "netcdf", "pair" */

/* ---------------------------------------------------------------- columns */

size_t fmt_table_columns(const fmt_table *table);
const char *fmt_table_name(const fmt_table *table,
                           size_t column);    /* generated (c1, c2, ..) if the file has none */
bool fmt_table_named(const fmt_table *table); /* names are from the file */

/* From a NetCDF file; NULL if it has none. */
const char *fmt_table_units(const fmt_table *table, size_t column);
const char *fmt_table_standard_name(const fmt_table *table, size_t column);

/* Whether a column holds dates. They are returned as hours since the first one; after the selection the units
 * name the origin: "hours since 2024-05-01T06:30:00Z". To use the origin of another file, set its units for
 * input i, after the selection and before reading. */
bool fmt_table_is_time(const fmt_table *table, size_t column);
int fmt_table_count_time(fmt_table *table, size_t i, const char *units);

/* The column of times of day, such as 06:30, that are added to the dates in a column; NULL: none. It follows
 * the dates immediately, and is skipped if it is listed right after them among the inputs. On its own it
 * counts hours of the day. */
const char *fmt_table_clock(const fmt_table *table, size_t column);

/* The dimensions of a variable: "time=24, lat=5"; NULL if there are none. */
const char *fmt_table_shape(const fmt_table *table, size_t column);

/* Rows in the file, including those with missing values; UINT64_MAX if only reading can tell. For NetCDF
 * after the selection. */
#define FMT_ROWS_UNKNOWN UINT64_MAX
uint64_t fmt_table_rows(const fmt_table *table);

/* The part of the file already read, from 0 to 1; NAN if unknown. */
double fmt_table_progress(const fmt_table *table);

/* ---------------------------------------------------------------- the selection */

/* Columns are listed by names, or 1-based numbers and ranges of them ("lon,lat", "1-20,22"). A name in double
 * quotes may contain a comma. A column whose name looks like a number is found by its name. */
typedef struct fmt_table_selection {
    const char *inputs;  /* NULL: all columns that are not outputs or weights; the first table of a pair */
    const char *outputs; /* NULL: none; the second table of a pair */
    const char *weights; /* NULL: none */
    const char *groups;  /* one column of texts or numbers, which may also be an input; NULL: none */
    const char *instruments; /* likewise; NULL: none */
    const char *offsets;     /* likewise; NULL: none */
    size_t optional;         /* this many of the first outputs may be missing (NaN), but not all of them */
    size_t companions;       /* outputs from this index on may be missing too, and are not counted; 0: none */
    const char *fixed;       /* NetCDF: dimensions fixed at a 0-based index, "time=0,depth=3"; NULL: none */
    bool skip_missing;       /* omit rows with missing values, as NetCDF always does; else refuse them */
    bool labels;             /* the only output is a class: it becomes 0, 1, .. in order of appearance ... */
    size_t n_labels;         /* ... or its index in this list, and other classes are refused; 0: no list */
    const char *const *label_names;
} fmt_table_selection;

/* The number of columns in a list; `what` names it in the message if it is wrong. */
int fmt_table_count_columns(fmt_table *table, const char *what, const char *names, size_t *count);

/* Chooses columns; once, before reading. Also usable to check names. */
int fmt_table_select(fmt_table *table, const fmt_table_selection *selection);

size_t fmt_table_inputs(const fmt_table *table);           /* d */
size_t fmt_table_outputs(const fmt_table *table);          /* p */
size_t fmt_table_input(const fmt_table *table, size_t i);  /* column of input i */
size_t fmt_table_output(const fmt_table *table, size_t i); /* column of output i */
bool fmt_table_weighted(const fmt_table *table);
/* The columns that define groups of rows. */
typedef enum fmt_group { FMT_GROUPS, FMT_INSTRUMENTS, FMT_OFFSETS, FMT_GROUP_COUNT } fmt_group;
bool fmt_table_grouped(const fmt_table *table, fmt_group which);

/* ---------------------------------------------------------------- rows */

/* The functions of an orff_reader; self is the table. X: room x d, Y: room x p (may be NULL if p = 0),
 * weights: room or NULL. *rows = 0 at the end. An unusable row is an error, or is omitted and counted. */
int fmt_table_read(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows);

/* Where fmt_table_read stores the groups of its rows from now on, as many as it reads: equal numbers for
 * equal cells. NULL: nowhere. */
void fmt_table_groups_into(fmt_table *table, fmt_group which, uint64_t *groups);

/* The name of such a group: the text of its cells, or a number. Cut to the room. */
void fmt_table_group_name(const fmt_table *table, uint64_t group, char *name, size_t room);
int fmt_table_rewind(fmt_table *table);
bool fmt_table_can_rewind(const fmt_table *table); /* false if the input cannot be read twice: a pipe */

/* Restricts reading to a share of the rows, for one of several readers: parts from .. to - 1 of `whole`.
 * Adjacent shares together have every row exactly once, and reading one does not read the others. Call it
 * after the selection and before the first row; and again, when all rows of a share have been read, for the
 * share that follows it, whose rows are then counted anew. Arrays are divided by rows, CSV by bytes: a share
 * has the rows that start in it. What cannot be divided (compressed files, formats that must be read from the
 * beginning) goes entirely to the share that starts at 0. A divided CSV file with newlines in quotes is
 * refused by the first share that meets one. */
typedef struct fmt_share {
    uint64_t from, to, whole;
} fmt_share;
int fmt_table_share(fmt_table *table, const fmt_share *share);

/* NetCDF is divided by the selection: returns the text for fmt_table_selection.fixed that selects only this
 * share of the first dimension of the rows; from malloc. NULL if no dimension can be divided, or memory runs
 * out; *empty if the share has no index. The table must be open, with its columns selected. */
char *fmt_table_slab(const fmt_table *table, const char *fixed, const fmt_share *share, bool *empty);

/* From now on no output may be missing. */
void fmt_table_require_outputs(fmt_table *table);

uint64_t fmt_table_used(const fmt_table *table);    /* rows returned since the start or the last rewind */
uint64_t fmt_table_dropped(const fmt_table *table); /* rows omitted because of missing values */
uint64_t fmt_table_partial(const fmt_table *table); /* rows returned without some of their outputs */

/* The classes seen so far. */
size_t fmt_table_label_count(const fmt_table *table);
const char *fmt_table_label(const fmt_table *table, size_t i);

/* Sorts the classes, by number if all are numbers, else as text. order (label_count): the new index of each
 * old one, for rows read before. */
int fmt_table_sort_labels(fmt_table *table, size_t *order);

#endif
