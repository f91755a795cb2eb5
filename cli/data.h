/* The operand DATA: a table, a pair of arrays or a NetCDF file, as rows for the library. */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include "formats/table.h"
#include "notes.h"
#include "options.h"

/* What the columns of y are where rows are not whole measurements of equal quality. */
typedef struct cli_layout {
    size_t numbers;   /* of y in a row: outputs, or the one along a direction */
    size_t direction; /* columns of the direction, behind them; 0: none */
    size_t errors;    /* columns of errors, behind those; 0: none */
    bool north, toward;
    bool observed; /* rows may miss outputs, have directions or errors */
} cli_layout;

typedef struct cli_data {
    fmt_table *table;
    orff_notes *notes;
    size_t d, p;
    size_t columns; /* of y in the file: the outputs, then those of directions and of errors */
    bool weighted;
    size_t classes; /* 0: none */

    size_t n, room; /* rows held */
    double *X, *Y, *weights;
    uint64_t *groups;            /* of the rows held, or NULL */
    uint64_t *offsets;           /* the groups that have offsets, likewise */
    uint64_t *instrument_cells;  /* likewise: equal numbers for equal cells */
    double *directions, *errors; /* n x p, n x the numbers of Y in a row; or NULL */
    cli_layout layout;
    uint32_t *instruments; /* n, counted from 0; or NULL */
    size_t n_walls;
    double *walls;    /* n_walls x (d + p): points and normals of a coast; or NULL */
    bool whole;       /* all rows are held */
    size_t given;     /* rows that the reader has handed out of those held */
    bool trouble;     /* the table has failed */
    bool begun;       /* shared: a table was asked for since the beginning */
    bool counts;      /* shared: rows that the table leaves out are not in `dropped` yet */
    uint64_t dropped; /* rows left out; while they are read, of the tables before this one */
    int failed;       /* shared: the exit status of a table that could not be opened */
} cli_data;

/* How DATA is read where several processes share its rows; NULL: it is read as it stands. The calls return exit statuses. */
typedef struct cli_sharing {
    /* The table that stands for all of them: its columns are looked at, its rows are not. */
    int (*open)(cli_data *data, const cli_arguments *arguments, int first);
    int (*selected)(const fmt_table_selection *selection);
    /* The next table that this process has rows of takes the place of the last; *got = false: there are no more. */
    int (*next)(cli_data *data, bool *got);
} cli_sharing;
extern const cli_sharing *cli_data_sharing;

/* Begin again with the first row; for data that are shared. */
void cli_data_again(cli_data *data);

/* Rows left out for missing values. */
uint64_t cli_data_dropped(const cli_data *data);

/* Opens the words from `first` on, selects the columns that the options name and holds rows in memory, all of
 * them or as many as --memory allows. Returns an exit status, after a message. The data must be closed in any
 * case. */
int cli_data_learn(cli_data *data, const cli_arguments *arguments, int first);

/* For a model: columns by the names in its notes unless options name others; nothing is held. */
int cli_data_apply(cli_data *data, const cli_arguments *arguments, int first, const orff_notes *notes,
                   size_t d, size_t p, bool outputs);
void cli_data_close(cli_data *data);

/* Rows of all tables, as far as is known; 0: not known. */
double cli_data_expected(const cli_data *data);

/* A block of rows as they are in the file. *rows = 0 at the end. Returns an exit status. */
int cli_data_read(cli_data *data, size_t room, double *X, double *Y, size_t *rows);

/* Rows held, then the rest. */
orff_reader cli_data_reader(cli_data *data);

/* The outcome of a library call that has read from the reader. */
int cli_data_outcome(const cli_data *data, orff_status status);

/* Opens a file without selecting anything. The arguments, NULL for none, say what stands for missing values. */
int cli_data_open_table(fmt_table **table, const char *path, const cli_arguments *arguments);

/* All numbers of a table, rows x cols, from malloc. */
int cli_data_numbers(const char *path, size_t *rows, size_t *cols, double **numbers);

#endif
