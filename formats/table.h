/* Tables of numbers from files: CSV and TSV, NPY, IDX and NetCDF behind one interface.
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
 * save for an array in Fortran order inside a .gz. Calls that can fail return an orff_status as an int (0:
 * done), and the table keeps the message, which names the file and the line and column, or the variable
 * and index. A table is for one thread at a time; netcdf-c allows only one thread in all. */
#ifndef FMT_TABLE_H
#define FMT_TABLE_H

#include "orff.h"

typedef struct fmt_table fmt_table;

/* The formats that can be read: one line here, and a file with its fmt_source. A file that is none of the others is taken
 * for the first. */
#define FMT_FORMAT_LIST(X)  \
    X(CSV, csv)             \
    X(NPY, npy)             \
    X(IDX, idx)             \
    X(GRIB_JSON, grib_json) \
    X(NETCDF, netcdf)

typedef enum fmt_format {
    FMT_FORMAT_AUTO, /* by the file's name, else by its first bytes; "-" is CSV */
#define FMT_FORMAT_ENUM(name, file) FMT_FORMAT_##name,
    FMT_FORMAT_LIST(FMT_FORMAT_ENUM)
#undef FMT_FORMAT_ENUM
} fmt_format;

typedef struct fmt_table_options {
    fmt_format format;
    char separator; /* CSV; ' ': runs of blanks; 0: found in the first rows (tab for .tsv) */
    orff_switch
        header; /* CSV; auto: the first row is one when a cell of it is neither a number nor missing */
    size_t
        n_missing; /* values and words that stand for a missing value, besides the usual ones; they must ... */
    const char *const *missing; /* ... live as long as the table: "-999" is any number that equals it */
    bool (*interrupted)(void);  /* asked while a read waits; true ends it. NULL: never */
} fmt_table_options;

fmt_table_options fmt_table_options_default(void);

/* Open a file, plain or gzip, or "-" for standard input. *table is set also on failure, for its message,
 * and must be closed; it is NULL only when there is no memory for it. */
int fmt_table_open(fmt_table **table, const char *path, const fmt_table_options *options);

/* Two tables side by side, their rows paired: the inputs are in the first, the outputs in the second. The
 * pair owns both, also when this fails. Column numbers run on from the first to the second. */
int fmt_table_pair(fmt_table **table, fmt_table *inputs, fmt_table *outputs);
void fmt_table_close(fmt_table *table);

/* The last failure: "wind.csv: line 12, column 3 (u_ms): "x" is not a number". Takes NULL. */
const char *fmt_table_error(const fmt_table *table);
const char *fmt_table_path(const fmt_table *table);
const char *fmt_table_format(const fmt_table *table); /* "csv", "npy", "idx", "grib2json", "netcdf", "pair" */

/* ---------------------------------------------------------------- what there is */

size_t fmt_table_columns(const fmt_table *table);
const char *fmt_table_name(const fmt_table *table,
                           size_t column);    /* made up (c1, c2, ..) where the file has none */
bool fmt_table_named(const fmt_table *table); /* names are from the file */

/* As a NetCDF file says; NULL where nothing is said. */
const char *fmt_table_units(const fmt_table *table, size_t column);
const char *fmt_table_standard_name(const fmt_table *table, size_t column);

/* Whether a column holds dates. They are handed out as hours since the first one; after the selection the units say since
 * when: "hours since 2024-05-01T06:30:00Z". To count as another file did, give its units for input i, after the selection
 * and before reading. */
bool fmt_table_is_time(const fmt_table *table, size_t column);
int fmt_table_count_time(fmt_table *table, size_t i, const char *units);

/* The column of times of day, such as 06:30, that are added to the dates of a column; NULL: none. It stands right behind the
 * dates, and is left out where it is listed right behind them among the inputs. Alone it is hours of the day. */
const char *fmt_table_clock(const fmt_table *table, size_t column);

/* The dimensions of a variable: "time=24, lat=5"; NULL where there are none. */
const char *fmt_table_shape(const fmt_table *table, size_t column);

/* Rows in the file, missing ones included; UINT64_MAX where only reading can tell. For NetCDF after the
 * selection. */
#define FMT_ROWS_UNKNOWN UINT64_MAX
uint64_t fmt_table_rows(const fmt_table *table);

/* How much of the file was read, 0 to 1; NAN where that is not known. */
double fmt_table_progress(const fmt_table *table);

/* ---------------------------------------------------------------- what is wanted */

/* Columns are listed by names, or 1-based numbers and ranges of them ("lon,lat", "1-20,22"); a name in
 * double quotes may hold a comma. A column that is named like a number is found by its name. */
typedef struct fmt_table_selection {
    const char *inputs;  /* NULL: all columns that are not outputs or weights; the first table of a pair */
    const char *outputs; /* NULL: none; the second table of a pair */
    const char *weights; /* NULL: none */
    const char *groups;  /* one column, of texts or numbers, which may be an input too; NULL: none */
    const char *instruments; /* another such one; NULL: none */
    const char *offsets;     /* and another; NULL: none */
    size_t optional;         /* so many of the first outputs may be missing (NaN), but not all of them */
    size_t companions;       /* outputs from this on may be missing too, and do not count; 0: none */
    const char *fixed;       /* NetCDF: dimensions held at a 0-based index, "time=0,depth=3"; NULL: none */
    bool skip_missing;       /* leave out rows with missing values, as NetCDF does always; else refuse them */
    bool labels;             /* the one output is a class: it becomes 0, 1, .. in order of appearance ... */
    size_t n_labels;         /* ... or as in this list, where others are refused; 0: no list */
    const char *const *label_names;
} fmt_table_selection;

/* How many columns a list names; `what` stands in the message where it is wrong. */
int fmt_table_count_columns(fmt_table *table, const char *what, const char *names, size_t *count);

/* Choose columns; once, before reading. Also usable as a check of names. */
int fmt_table_select(fmt_table *table, const fmt_table_selection *selection);

size_t fmt_table_inputs(const fmt_table *table);           /* d */
size_t fmt_table_outputs(const fmt_table *table);          /* p */
size_t fmt_table_input(const fmt_table *table, size_t i);  /* column of input i */
size_t fmt_table_output(const fmt_table *table, size_t i); /* column of output i */
bool fmt_table_weighted(const fmt_table *table);
/* The columns that say what belongs together. */
typedef enum fmt_group { FMT_GROUPS, FMT_INSTRUMENTS, FMT_OFFSETS, FMT_GROUP_COUNT } fmt_group;
bool fmt_table_grouped(const fmt_table *table, fmt_group which);

/* ---------------------------------------------------------------- rows */

/* The functions of an orff_reader; self is the table. X: room x d, Y: room x p (may be NULL when p = 0),
 * weights: room or NULL. *rows = 0 at the end. A row that cannot be used ends in an error, or is left out
 * and counted. */
int fmt_table_read(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows);

/* Where fmt_table_read puts the groups of its rows from now on, as many as it reads: equal numbers for equal cells. NULL:
 * nowhere. */
void fmt_table_groups_into(fmt_table *table, fmt_group which, uint64_t *groups);

/* What such a number stands for: the text of its cells, or a number. Cut where there is no room. */
void fmt_table_group_name(const fmt_table *table, uint64_t group, char *name, size_t room);
int fmt_table_rewind(fmt_table *table);
bool fmt_table_can_rewind(const fmt_table *table); /* false where the input cannot be read twice: a pipe */

/* Only a share of the rows, those from .. to - 1 of `whole`, for one of several readers: shares that join have every row once,
 * and reading one does not read the others. After the selection, before the first row; again when all its rows have been
 * read, for the share that follows it, whose rows are then counted anew. Arrays are divided by rows, CSV by
 * bytes: a share has the rows that begin in it. What cannot be divided (packed files, formats that are read from one end to the
 * other) goes whole to the share that begins at 0. A CSV file with newlines in quotes is refused where it was divided, by the
 * first share that meets one. */
typedef struct fmt_share {
    uint64_t from, to, whole;
} fmt_share;
int fmt_table_share(fmt_table *table, const fmt_share *share);

/* NetCDF is divided by the selection: the text for fmt_table_selection.fixed that holds, of the first dimension of the rows,
 * only this share; from malloc. NULL where there is no such dimension, which is not to be divided, or no memory; *empty where
 * the share has no index of it. The table is opened, and the columns are selected. */
char *fmt_table_slab(const fmt_table *table, const char *fixed, const fmt_share *share, bool *empty);

/* From here on no output may be missing. */
void fmt_table_require_outputs(fmt_table *table);

uint64_t fmt_table_used(const fmt_table *table);    /* rows handed out since the start or the last rewind */
uint64_t fmt_table_dropped(const fmt_table *table); /* rows left out for missing values */
uint64_t fmt_table_partial(const fmt_table *table); /* rows handed out without some of their outputs */

/* The classes met so far. */
size_t fmt_table_label_count(const fmt_table *table);
const char *fmt_table_label(const fmt_table *table, size_t i);

/* Put the classes in order, by number when all are numbers, else as text. order (label_count): the new
 * index of each old one, for what was read before. */
int fmt_table_sort_labels(fmt_table *table, size_t *order);

#endif
