/* What is behind a table. Every format is an fmt_source in a file of its own; table.c does what is
 * common: columns, missing values, labels, counts. */
#ifndef FMT_SOURCE_H
#define FMT_SOURCE_H

#include "formats/labels.h"
#include "formats/stream.h"
#include "formats/table.h"
#include "formats/times.h"

/* Calls return an orff_status, after fmt_table_fail or fmt_table_fail_stream when it is not ORFF_OK. */
typedef struct fmt_source {
    const char *name;
    const char *const *ends; /* of names of such files, also with .gz behind; ends with NULL */

    /* Whether a file that begins with these bytes (`got` of them, at most FMT_HEAD) is one; NULL: no way to tell. */
    bool (*claims)(const unsigned char *head, size_t got);

    /* Read what stands before the rows: sets state, the columns' names, and rows and rewindable where
     * known. */
    int (*open)(fmt_table *table);

    /* table->chosen holds the columns that next is to give; may be NULL. */
    int (*choose)(fmt_table *table);

    /* One row: n_chosen values, NAN where missing; slot label_slot holds the number of a class when
     * label_done is true, else a value of which table.c makes one. *got = false: no more. */
    int (*next)(fmt_table *table, double *row, bool *got);
    int (*rewind)(fmt_table *table); /* to the first row */

    /* Only a share of the rows from now on, see fmt_table_share; *divided stays false where this file cannot be divided. NULL: no
     * file of this format can. */
    int (*share)(fmt_table *table, const fmt_share *share, bool *divided);

    /* Where a value of the row read last stands: "line 3, column 2 (u)". */
    void (*place)(const fmt_table *table, size_t slot, char *text, size_t room);
    double (*progress)(const fmt_table *table);
    void (*close)(fmt_table *table); /* state may be NULL or half made */
} fmt_source;

#define FMT_HEAD 8

/* Whether a name ends so, in letters of any size. */
bool fmt_ends_with(const char *path, const char *end);

#define FMT_NO_SLOT SIZE_MAX

#define FMT_MADE_UP_ROOM 24 /* "c1", "c2" .. */

/* `whole` parts of equal size, of which from .. to - 1 are taken: where they begin and end among n rows or bytes. */
uint64_t fmt_share_begin(const fmt_share *share, uint64_t n);
uint64_t fmt_share_end(const fmt_share *share, uint64_t n);

struct fmt_table {
    const fmt_source *source;
    char *path; /* as shown in messages */
    fmt_table_options options;
    int descriptor; /* the file, where a source is handed it open; closed with the table; -1: none */
    void *state;

    size_t columns;
    char **names;                      /* columns; NULL: the column has none of its own */
    char (*made_up)[FMT_MADE_UP_ROOM]; /* columns; empty until somebody asks: fmt_table_name */
    char **units, **standard_names;    /* columns, entries or all NULL */
    char **titles;   /* columns: another name of each, as the header has it; entries or all NULL */
    char **shapes;   /* columns: the dimensions of a variable as text; entries or all NULL */
    fmt_time *times; /* columns: those that are dates; NULL: none */
    bool has_times;  /* some chosen column is one */
    size_t
        clock; /* a column of times of day that belong to the dates of the column before it; FMT_NO_SLOT: none */
    bool named, rewindable;
    bool label_done;     /* the source makes labels itself */
    bool drops_missing;  /* missing values are no error in this format */
    size_t first_output; /* the columns from here on are outputs when none are named */
    uint64_t rows;

    size_t n_chosen, *chosen;       /* columns wanted, ascending, without repetition */
    double *row;                    /* n_chosen */
    size_t d, p, *x_slot, *y_slot;  /* places in row: d, p */
    size_t weight_slot, label_slot; /* FMT_NO_SLOT: none */
    struct {
        size_t slot;    /* likewise; its cells may be texts ... */
        bool shared;    /* ... unless it is an input or an output too */
        uint64_t *into; /* where those of the next rows go, or NULL */
    } groups[FMT_GROUP_COUNT];
    size_t optional, companions; /* see fmt_table_selection */
    size_t refused;              /* outputs that were optional, until that was taken back */
    const char *fixed;           /* valid during choose */
    fmt_labels labels;
    fmt_labels group_names; /* of groups that are texts ... */
    double *group_values;   /* ... and the numbers that stand for them, with room as the names have */

    uint64_t used, dropped, partial;
    bool selected, ended;
    bool empty; /* its share has no rows */
    char message[640];
};

#define FMT_SOURCE_DECLARE(name, file) extern const fmt_source fmt_source_##file;
FMT_FORMAT_LIST(FMT_SOURCE_DECLARE)
#undef FMT_SOURCE_DECLARE

/* NetCDF without a process of its own: what runs in the child of fmt_source_netcdf. */
extern const fmt_source fmt_source_netcdf_bare;

/* Keeps the message, with the file's name before it, and returns the status. */
int fmt_table_fail(fmt_table *table, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fmt_table_fail_stream(fmt_table *table, int status, const fmt_stream *stream);
int fmt_table_fail_memory(fmt_table *table);

/* Remembers the text that a number of a group stands for, unless there are very many. */
int fmt_table_remember_group(fmt_table *table, const char *text, size_t length, double value);

/* A table of no source yet, NULL without memory; and one before its selection. */
fmt_table *fmt_table_make(const char *path);
void fmt_table_clear_selection(fmt_table *table);

#define FMT_COLUMNS_MOST ((uint64_t)1 << 20)

/* Makes a column one of dates. Without an origin the first value that is read becomes it. */
int fmt_table_set_time(fmt_table *table, size_t column, const fmt_time *time);

/* A column with units such as "days since 1990-01-01" becomes one of dates. */
int fmt_table_time_by_units(fmt_table *table, size_t column, const char *calendar);

/* For columns that are chosen now: those of dates get an origin. */
int fmt_table_begin_times(fmt_table *table);

/* Room for the names of that many columns, which are NULL: made up. */
int fmt_table_make_columns(fmt_table *table, uint64_t columns);

/* A piece of text from a file, made fit for a message: cut, and with ? for what cannot be printed. */
#define FMT_SHOWN_ROOM 48
const char *fmt_shown(char shown[FMT_SHOWN_ROOM], const char *text, size_t length);

/* The columns of a list such as "lon,3,5-8", in its order. *list is from malloc, also on failure (maybe
 * NULL). `what` names the option in messages. */
int fmt_columns_parse(fmt_table *table, const char *what, const char *text, size_t *count, size_t **list);

/* The name most like a given one, NULL where none is. Names that are NULL are passed over. */
const char *fmt_nearest(const char *name, size_t count, char *const *names);

/* Whether a slot has only groups, whose cells may be texts. */
bool fmt_table_is_group(const fmt_table *table, size_t slot);

#endif
