/* What the parts of orff predict and orff sample share. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H

#include "apply.h"
#include "coast.h"
#include "data.h"
#include "formats/output.h"
#include "lattice.h"

#define CLI_MOST_DERIVED 8

/* The columns of the output, and where they come from. */
typedef struct cli_prediction {
    const cli_arguments *arguments;
    cli_applied applied;
    cli_data data;       /* either these ... */
    cli_lattice lattice; /* ... or this, when it has rows */
    uint64_t next, last; /* row of the lattice, and behind those of this process */
    cli_coast coast;     /* nothing is predicted on its land */
    uint64_t on_land;
    const cli_derived *derived[CLI_MOST_DERIVED];
    size_t n_derived, width; /* width: columns in all ... */
    size_t places;           /* ... and those before the outputs */
    bool with_inputs, with_std;
    bool with_noise; /* standard deviations of measurements of the outputs too */
    bool sampling;   /* rows are those of samples: each point has one for each sample, one after the other */
    bool numbered;   /* a column says which sample a row is of ... */
    bool numbered_last;    /* ... behind the inputs, as the slowest dimension of a grid; else before them */
    size_t count;          /* of samples, for rows or for errors of derived fields; 0: none are needed */
    orff_samples *samples; /* or NULL */
    fmt_output_column *columns;
    char **names;                  /* of columns, ours */
    char *units[CLI_MOST_DERIVED]; /* of derived fields, ours */
    const char **labels;
    size_t filled;
    uint64_t rows;
    orff_mask mask;
    bool masking;
    uint64_t masked;  /* points */
    uint64_t dropped; /* rows of the data */
} cli_prediction;

/* ---- predict_columns.c */

/* What --derive and its like ask for: the columns of the output. Returns an exit status. */
int cli_prediction_plan(cli_prediction *j);

/* Whether derived fields have standard deviations beside them. */
bool cli_prediction_has_errors(const cli_prediction *j);

/* ---- predict_rows.c */

/* Points at a time: fewer where there are many samples. */
size_t cli_prediction_block(const cli_prediction *j);

/* X: room for a block. *n = 0 at the end. Returns an exit status. */
int cli_prediction_next(cli_prediction *j, double *X, size_t *n);

/* All columns at n points, of all samples where these are asked for: without what is masked, or on land. values, rows: room for
 * n x samples x (width + p), and x width. */
int cli_prediction_fill(cli_prediction *j, size_t n, const double *X, double *values, double *rows);

/* ---- predict_write.c */

int cli_prediction_write(cli_prediction *j, double start);

#endif
