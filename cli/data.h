/* The operand DATA: a table, a pair of arrays or a NetCDF file, as rows for the library. */
#ifndef ORFF_CLI_DATA_H
#define ORFF_CLI_DATA_H

#include "formats/table.h"
#include "geo.h"
#include "notes.h"
#include "options.h"

typedef struct orff_data {
    orff_table *table;
    json_t *notes;
    size_t d, p;
    bool weighted;
    size_t classes;  /* 0: none */
    bool *covariate; /* d */

    bool on_plane; /* inputs plane[0..1] are km, outputs turned */
    orff_geo geo;
    size_t plane[2];
    double farthest; /* km from the centre, of the rows seen */

    size_t n, room; /* rows held */
    double *X, *Y, *weights;
    bool whole;   /* all rows are held */
    size_t given; /* rows that the reader has handed out of those held */
    bool trouble; /* the table has failed */
} orff_data;

/* Opens the words from `first` on, selects the columns that the options name and holds rows in memory, all of
 * them or as many as --memory allows. Returns an exit status, after a message. The data must be closed in any
 * case. */
int orff_data_learn(orff_data *data, const orff_arguments *arguments, int first);

/* For a model: columns by the names in its notes unless options name others; nothing is held. */
int orff_data_apply(orff_data *data, const orff_arguments *arguments, int first, const json_t *notes,
                    size_t d, size_t p, bool outputs);
void orff_data_close(orff_data *data);

/* A block of rows as they are in the file. *rows = 0 at the end. Returns an exit status. */
int orff_data_read(orff_data *data, size_t room, double *X, double *Y, size_t *rows);

/* Rows held, then the rest, on the plane if there is one. */
orff_reader orff_data_reader(orff_data *data);

/* The outcome of a library call that has read from the reader. */
int orff_data_outcome(const orff_data *data, orff_status status);

/* Opens a file without selecting anything. */
int orff_data_open_table(orff_table **table, const char *path);

/* A square table of p x p numbers. */
int orff_data_matrix(const char *path, size_t p, double *matrix);

#endif
