/* Rows of all ranks to moments on rank 0: what fit and moments have in common. */
#ifndef CLI_RANKS_LEARN_H
#define CLI_RANKS_LEARN_H

#include "classes.h"
#include "cli/data.h"
#include "cli/moments_file.h"
#include "cli/settings.h"
#include "orff_mpi.h"
#include "portions.h"
#include "sums.h"

/* Options that may be decided by the rows: kernel, base, sigma, sigma-range, extent. */
enum { CLI_DECIDED = 5 };

typedef struct cli_learning {
    cli_arguments arguments; /* as given, with what was decided */
    char *texts[CLI_DECIDED];
    const char *values[CLI_DECIDED];
    cli_data data;
    cli_settings settings;
    cli_coder coder;               /* of classes */
    bool on_plane;                 /* rows are in degrees and lie on ... */
    orff_plane plane;              /* ... this plane */
    cli_moments moments;           /* of this rank; in the end, on rank 0, of all */
    cli_sums sums;                 /* of the portions of this rank */
    const char *checkpoint;        /* NULL: none */
    uint64_t checkpoint_rows;      /* between two files */
    cli_portions portions;         /* of this rank */
    cli_aside aside;               /* of the rows that are in the sum */
    uint64_t rows;                 /* read, of a portion */
    uint64_t partial;              /* rows without some of their outputs */
    double began, summed, reduced; /* when: cli_seconds */
} cli_learning;

/* Returns an exit status that all have agreed upon. The notes of the data are those for the result. To be cleared in any
 * case. */
int cli_learn(cli_learning *learning, const cli_arguments *arguments);

/* Whether rows become moments; not with --spread, nor with a solver that sweeps the rows. */
bool cli_sums_rows(const cli_arguments *arguments);

/* Only what is decided before rows are summed. */
int cli_learn_kernel(cli_learning *learning, const cli_arguments *arguments);

/* The features that were decided upon; status of this rank. */
int cli_learn_features(cli_learning *learning, orff_kernel **kernel, orff_features **features);
void cli_learning_clear(cli_learning *learning);

#endif
