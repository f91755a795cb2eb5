/* What the columns of y are, where rows are not whole measurements of equal quality: outputs that may be missing, what a
 * field has along a direction, errors, instruments. */
#ifndef CLI_OBSERVED_H
#define CLI_OBSERVED_H

#include "data.h"

typedef struct cli_observed {
    char *columns;     /* of y, all of them in one list; NULL: those of --outputs alone */
    size_t outputs;    /* of the model; 0: as many as columns */
    size_t direction;  /* columns of the direction; 0: none */
    size_t errors;     /* columns of errors; 0: none */
    size_t optional;   /* outputs that may be missing */
    size_t companions; /* the first column that may be missing with its output; 0: none */
    bool drops;        /* rows without some output are left out */
} cli_observed;

/* Whether the command takes the options. */
bool cli_observes(const cli_arguments *arguments);

/* Each returns an exit status, after a message. The table is open; pair: two files, without names. */
int cli_observed_read(cli_observed *observed, const cli_arguments *arguments, const cli_data *data,
                      bool pair);
void cli_observed_clear(cli_observed *observed);

/* The columns of the rows held, each to its place. */
int cli_observed_split(const cli_observed *observed, const cli_arguments *arguments, cli_data *data);

/* The same once it is known which they are. */
void cli_observed_place(cli_data *data);

/* Rows held, then the rest. */
orff_observation_reader cli_observed_reader(cli_data *data);

/* The rows held; they point into the data. */
orff_observations cli_observed_rows(const cli_data *data);

#endif
