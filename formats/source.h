/* The implementation of a table. Every format is an fmt_source in a file of its own; table.c does what they
 * have in common: columns, missing values, labels, counts. */
#ifndef FMT_SOURCE_H
#define FMT_SOURCE_H

#include "formats/labels.h"
#include "formats/stream.h"
#include "formats/table.h"
#include "formats/times.h"

/* Calls return an orff_status; if it is not ORFF_OK, they have called fmt_table_fail or
 * fmt_table_fail_stream. */
typedef struct fmt_source {
    const char *name;
    const char *const *ends; /* endings of file names, also with .gz after them; terminated by NULL */

    /* Whether a file that starts with these bytes (`got` of them, at most FMT_HEAD) has this format; NULL:
     * cannot tell. */
    bool (*claims)(const unsigned char *head, size_t got);

    /* Reads what precedes the rows: sets state, the columns' names, and rows and rewindable if known. */
    int (*open)(fmt_table *table);

    /* table->chosen holds the columns that next must return; may be NULL. */
    int (*choose)(fmt_table *table);

    /* One row: n_chosen values, NAN if missing. Slot label_slot holds the index of a class if label_done is
     * true, else a value from which table.c makes one. *got = false: no more rows. */
    int (*next)(fmt_table *table, double *row, bool *got);
    int (*rewind)(fmt_table *table); /* goes back to the first row */

    /* Returns only a share of the rows from now on, see fmt_table_share; *divided stays false if this file
     * cannot be divided. NULL: no file of this format can. */
    int (*share)(fmt_table *table, const fmt_share *share, bool *divided);

    /* The place of a value in the last row read: "line 3, column 2 (u)". */
    void (*place)(const fmt_table *table, size_t slot, char *text, size_t room);
    double (*progress)(const fmt_table *table);
    void (*close)(fmt_table *table); /* state may be NULL or incomplete */
} fmt_source;

#define FMT_HEAD 8

/* Whether a name ends with `end`, ignoring case. */
bool fmt_ends_with(const char *path, const char *end);

#define FMT_NO_SLOT SIZE_MAX

#define FMT_MADE_UP_ROOM 24 /* "c1", "c2" .. */

/* Where the selected parts, from .. to - 1 of `whole` equal ones, start and end among n rows or bytes. */
uint64_t fmt_share_begin(const fmt_share *share, uint64_t n);
uint64_t fmt_share_end(const fmt_share *share, uint64_t n);

struct fmt_table {
    const fmt_source *source;
    char *path; /* as shown in messages */
    fmt_table_options options;
    int descriptor; /* the file, if a source gets it already open; closed with the table; -1: none */
    void *state;

    size_t columns;
    char **names;                      /* columns; NULL: the column has no name of its own */
    char (*made_up)[FMT_MADE_UP_ROOM]; /* columns; empty until fmt_table_name is called */
    char **units, **standard_names;    /* columns, entries or all NULL */
    char **titles;   /* columns: a second name of each, as in the header; entries or all NULL */
    char **shapes;   /* columns: the dimensions of a variable as text; entries or all NULL */
    fmt_time *times; /* columns: for dates; NULL: there are none */
    bool has_times;  /* some chosen column holds dates */
    size_t clock; /* the column with times of day for the dates in the column before it; FMT_NO_SLOT: none */
    bool named, rewindable;
    bool label_done;     /* the source makes class indices itself */
    bool drops_missing;  /* missing values are not an error in this format */
    size_t first_output; /* columns from here on are outputs if none are named */
    uint64_t rows;

    size_t n_chosen, *chosen;       /* columns to read, ascending, without repetition */
    double *row;                    /* n_chosen */
    size_t d, p, *x_slot, *y_slot;  /* indices in row: d, p */
    size_t weight_slot, label_slot; /* FMT_NO_SLOT: none */
    struct {
        size_t slot;    /* likewise; its cells may be texts ... */
        bool shared;    /* ... unless it is also an input or an output */
        uint64_t *into; /* receives the groups of the next rows, or NULL */
    } groups[FMT_GROUP_COUNT];
    size_t optional, companions; /* see fmt_table_selection */
    size_t refused;              /* outputs that were optional until fmt_table_require_outputs */
    const char *fixed;           /* valid during choose */
    fmt_labels labels;
    fmt_labels group_names; /* names of groups that are texts ... */
    double *group_values;   /* ... and the numbers that represent them, with the room of the names */

    uint64_t used, dropped, partial;
    bool selected, ended;
    bool empty; /* its share has no rows */
    char message[640];
};

#define FMT_SOURCE_DECLARE(name, file) extern const fmt_source fmt_source_##file;
FMT_FORMAT_LIST(FMT_SOURCE_DECLARE)
#undef FMT_SOURCE_DECLARE

/* The NetCDF reader without a child process: runs in the child of fmt_source_netcdf. */
extern const fmt_source fmt_source_netcdf_bare;

/* Sets the message, with the file's name before it, and returns the status. */
int fmt_table_fail(fmt_table *table, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fmt_table_fail_stream(fmt_table *table, int status, const fmt_stream *stream);
int fmt_table_fail_memory(fmt_table *table);

/* Remembers the text that a group's number represents, unless there are very many. */
int fmt_table_remember_group(fmt_table *table, const char *text, size_t length, double value);

/* A new table without a source, NULL if memory runs out; and a return to the state before the selection. */
fmt_table *fmt_table_make(const char *path);
void fmt_table_clear_selection(fmt_table *table);

#define FMT_COLUMNS_MOST ((uint64_t)1 << 20)

/* Makes a column hold dates. Without an origin, the first value read becomes the origin. */
int fmt_table_set_time(fmt_table *table, size_t column, const fmt_time *time);

/* A column with units such as "days since 1990-01-01" becomes one of dates. */
int fmt_table_time_by_units(fmt_table *table, size_t column, const char *calendar);

/* For the chosen columns: those of dates get an origin. */
int fmt_table_begin_times(fmt_table *table);

/* Makes room for the names of that many columns, all NULL, so that names are generated. */
int fmt_table_make_columns(fmt_table *table, uint64_t columns);

/* A piece of text from a file, made safe for a message: cut, with ? for characters that cannot be printed. */
#define FMT_SHOWN_ROOM 48
const char *fmt_shown(char shown[FMT_SHOWN_ROOM], const char *text, size_t length);

/* The columns in a list such as "lon,3,5-8", in its order. *list is from malloc, even on failure (possibly
 * NULL). `what` names the option in messages. */
int fmt_columns_parse(fmt_table *table, const char *what, const char *text, size_t *count, size_t **list);

/* The name most similar to a given one, NULL if none is similar. NULL entries are skipped. */
const char *fmt_nearest(const char *name, size_t count, char *const *names);

/* Whether a slot is used only for groups, so that its cells may be texts. */
bool fmt_table_is_group(const fmt_table *table, size_t slot);

#endif
