/* Shared by the parts of orff predict and orff sample. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H

#include "apply.h"
#include "coast.h"
#include "data.h"
#include "formats/output.h"
#include "lattice.h"

#define CLI_MOST_DERIVED 8

/* The columns of the output, and their sources. */
typedef struct cli_prediction {
    const cli_arguments *arguments;
    cli_applied applied;
    cli_data data;       /* points from here ... */
    cli_lattice lattice; /* ... or from here, if it has rows */
    uint64_t next, last; /* the next row of the lattice; the end of this process's rows */
    cli_coast coast;     /* no predictions on its land */
    uint64_t on_land;
    const cli_derived *derived[CLI_MOST_DERIVED];
    size_t n_derived, width; /* width: number of columns ... */
    size_t places;           /* ... and of those before the outputs */
    bool with_inputs, with_std;
    bool with_noise;    /* also standard deviations of measurements of the outputs */
    bool sampling;      /* rows are samples: each point has one row for each sample, one after the other */
    bool numbered;      /* a column has the number of the sample ... */
    bool numbered_last; /* ... after the inputs, as the slowest dimension of a grid; otherwise before them */
    size_t count;       /* number of samples, for rows or for errors of derived fields; 0: not needed */
    orff_samples *samples; /* or NULL */
    fmt_output_column *columns;
    char **names;                  /* of columns, owned */
    char *units[CLI_MOST_DERIVED]; /* of derived fields, owned */
    const char **labels;
    size_t filled;
    uint64_t rows;
    orff_mask mask;
    bool masking;
    uint64_t masked;  /* number of masked points */
    uint64_t dropped; /* number of rows left out of the data */
} cli_prediction;

/* ---- predict_columns.c */

/* Plans the columns of the output from --derive and similar options. Returns an exit status. */
int cli_prediction_plan(cli_prediction *j);

/* Whether derived fields are followed by standard deviations. */
bool cli_prediction_has_errors(const cli_prediction *j);

/* ---- predict_rows.c */

/* Points per block: fewer with many samples. */
size_t cli_prediction_block(const cli_prediction *j);

/* Reads the next points. X: room for a block. *n = 0 at the end. Returns an exit status. */
int cli_prediction_next(cli_prediction *j, double *X, size_t *n);

/* Fills all columns at n points, for all samples if they are wanted, except for points that are masked or
 * on land. Room for values: n x samples x (width + p), for rows: n x samples x width. */
int cli_prediction_fill(cli_prediction *j, size_t n, const double *X, double *values, double *rows);

/* ---- predict_write.c */

int cli_prediction_write(cli_prediction *j, double start);

#endif
