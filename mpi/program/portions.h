/* Which portions of the rows this rank sums up, and where the sums are kept meanwhile, for who goes on after a crash.
 *
 * A file of the checkpoint has the sum of some portions and says which. Portions do not depend on the number of ranks, so any
 * number may go on from the files. FILE.k is named by the first of its portions: files that have no portion in common
 * have different names. A rank takes over whole files and adds to them; its own file is in place before it removes those. So
 * of any two files one has all that the other has, or they have nothing in common, whenever the run ends.
 */
#ifndef CLI_RANKS_PORTIONS_H
#define CLI_RANKS_PORTIONS_H

#include "orff_mpi.h"

/* What a sum does not have: the range of the inputs, and rows left out. */
typedef struct cli_aside {
    size_t d;
    double *low, *high; /* d */
    uint64_t dropped;
} cli_aside;

typedef struct cli_portions {
    const char *path; /* of the checkpoint; NULL: there is none */
    uint64_t every;   /* rows between two files */
    uint64_t question;
    uint64_t count;       /* portions in all */
    unsigned char *state; /* count */
    uint64_t first, last; /* this rank's are among these */
    size_t n_taken;
    uint64_t *taken; /* files that this rank has taken over */
    uint64_t unsaved;
    bool failed; /* a file could not be written */
} cli_portions;

/* Before long work, on rank 0: whether files could be written, and are there only to be resumed. Returns an exit status. */
int cli_portions_check(const char *path, bool resume);

/* Divides the portions among all ranks: those that no file has, where there is a path. The sums of files go into the sums of the
 * ranks that take them over. question: a digest of all that the sums depend on; files of another are refused. Returns an exit
 * status that all have agreed upon. To be cleared in any case. */
int cli_portions_begin(cli_portions *portions, const char *path, uint64_t every, uint64_t question,
                       orff_mpi_sum *sum, cli_aside *aside);
void cli_portions_clear(cli_portions *portions);

/* The next of this rank: false when there are no more. */
bool cli_portions_next(cli_portions *portions, uint64_t *k);

/* Its rows are in the sum; saved now and then. */
void cli_portions_done(cli_portions *portions, uint64_t k, uint64_t rows, const orff_mpi_sum *sum,
                       const cli_aside *aside);

/* All rows are in the sum. */
void cli_portions_save(cli_portions *portions, const orff_mpi_sum *sum, const cli_aside *aside);

/* On rank 0, when the result is safe: the files go. */
void cli_portions_forget(const char *path);

#endif
