/* The operand DATA: a table, a pair of arrays or a NetCDF file, as rows for the library. */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include "formats/table.h"
#include "notes.h"
#include "options.h"

/* The layout of the columns of y if rows are not complete measurements of equal quality. */
typedef struct cli_layout {
    size_t numbers;   /* of y in a row: outputs, or the one measured along a direction */
    size_t direction; /* columns of the direction, after them; 0: none */
    size_t errors;    /* columns of errors, after those; 0: none */
    bool north, toward;
    bool observed; /* rows may have missing outputs, directions or errors */
} cli_layout;

typedef struct cli_data {
    fmt_table *table;
    orff_notes *notes;
    size_t d, p;
    size_t columns; /* of y in the file: outputs, then directions and errors */
    bool weighted;
    size_t classes; /* 0: none */

    size_t n, room; /* rows held in memory, and room for rows */
    double *X, *Y, *weights;
    uint64_t *groups;            /* of the rows held, or NULL */
    uint64_t *offsets;           /* groups with offsets, of the rows held, or NULL */
    uint64_t *instrument_cells;  /* equal numbers for equal cells, of the rows held, or NULL */
    double *directions, *errors; /* n x p; n x numbers of y in a row; or NULL */
    cli_layout layout;
    uint32_t *instruments; /* n, counted from 0; or NULL */
    size_t n_walls;
    double *walls;    /* n_walls x (d + p): points and normals of a coast; or NULL */
    bool whole;       /* all rows are in memory */
    size_t given;     /* rows held that the reader has handed out */
    bool trouble;     /* an error is in the table */
    bool begun;       /* shared: the first table was requested since the beginning */
    bool counts;      /* shared: `dropped` does not yet include rows of this table */
    uint64_t dropped; /* rows left out; while reading, those of the previous tables */
    int failed;       /* shared: exit status of a table that could not be opened */
} cli_data;

/* How DATA is read if several processes share its rows; NULL: by this process alone. Functions return exit
 * statuses. */
typedef struct cli_sharing {
    /* Opens a table that represents all of them: only its columns are used, not its rows. */
    int (*open)(cli_data *data, const cli_arguments *arguments, int first);
    int (*selected)(const fmt_table_selection *selection);
    /* Replaces the table by the next one from which this process reads rows; *got = false: there are no
     * more. */
    int (*next)(cli_data *data, bool *got);
} cli_sharing;
extern const cli_sharing *cli_data_sharing;

/* Begins again with the first row, for shared data. */
void cli_data_again(cli_data *data);

/* The number of rows left out for missing values. */
uint64_t cli_data_dropped(const cli_data *data);

/* Opens the words from `first` on, selects the columns that the options name, and reads rows into memory,
 * all of them or as many as --memory allows. Returns an exit status, after a message. Close the data in
 * any case. */
int cli_data_learn(cli_data *data, const cli_arguments *arguments, int first);

/* For a model: selects columns by the names in its notes unless options name others; keeps no rows in
 * memory. */
int cli_data_apply(cli_data *data, const cli_arguments *arguments, int first, const orff_notes *notes,
                   size_t d, size_t p, bool outputs);
void cli_data_close(cli_data *data);

/* Rows of all tables, as far as is known; 0: not known. */
double cli_data_expected(const cli_data *data);

/* A block of rows as they are in the file. *rows = 0 at the end. Returns an exit status. */
int cli_data_read(cli_data *data, size_t room, double *X, double *Y, size_t *rows);

/* A reader of the rows held, then of the rest. */
orff_reader cli_data_reader(cli_data *data);

/* The exit status of a library call that has used the reader. */
int cli_data_outcome(const cli_data *data, orff_status status);

/* Opens a file without selecting columns. arguments (or NULL) define codes of missing values. */
int cli_data_open_table(fmt_table **table, const char *path, const cli_arguments *arguments);

/* Reads all numbers of a table, rows x cols, into an array from malloc. */
int cli_data_numbers(const char *path, size_t *rows, size_t *cols, double **numbers);

#endif
