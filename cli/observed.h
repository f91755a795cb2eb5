/* The columns of y if rows are not complete measurements of equal quality: outputs that may be missing,
 * measurements along a direction, errors, instruments. */
#ifndef CLI_OBSERVED_H
#define CLI_OBSERVED_H

#include "data.h"

typedef struct cli_observed {
    char *columns;     /* of y, all in one list; NULL: only those of --outputs */
    size_t outputs;    /* of the model; 0: as many as columns */
    size_t direction;  /* columns of the direction; 0: none */
    size_t errors;     /* columns of errors; 0: none */
    size_t optional;   /* outputs that may be missing */
    size_t companions; /* the first column that may be missing together with its output; 0: none */
    bool drops;        /* rows with a missing output are left out */
} cli_observed;

/* Whether the command has these options. */
bool cli_observes(const cli_arguments *arguments);

/* Each returns an exit status, after a message. The table must be open; pair: two files, without names. */
int cli_observed_read(cli_observed *observed, const cli_arguments *arguments, const cli_data *data,
                      bool pair);
void cli_observed_clear(cli_observed *observed);

/* Distributes the columns of the rows held to their arrays. */
int cli_observed_split(const cli_observed *observed, const cli_arguments *arguments, cli_data *data);

/* The same when the columns are known. */
void cli_observed_place(cli_data *data);

/* A reader of the rows held, then of the rest. */
orff_observation_reader cli_observed_reader(cli_data *data);

/* The rows held, as pointers into the data. */
orff_observations cli_observed_rows(const cli_data *data);

#endif
