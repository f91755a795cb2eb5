/* The processes of a run, as the commands see them: rank 0 speaks for all. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <mpi.h>

#include "orff.h"

/* Begins MPI. Of the words only a digest is taken: all ranks must have been given the same. */
void cli_ranks_begin(int *count, char ***words);
int cli_ranks_end(int status); /* returns the exit status of all */

int cli_rank(void);
int cli_ranks(void);
bool cli_is_first(void); /* rank 0 */

/* One exit status for all: that of the first rank which has failed, whose message rank 0 shows. Once it has failed, every call
 * returns that again. To be called by all ranks, between what one of them does by itself and what all do together. */
int cli_agree(int status);

/* The same after long work, in which the others ask cli_other_failed from time to time and stop where it says so: the failure
 * of one ends the work of all. */
int cli_agree_early(int status);
bool cli_other_failed(void);

/* Rank 0 works alone, and has the processors of its machine for itself. */
void cli_use_all_threads(void);

/* The same of a status of the library or of orff_mpi.h, with its message. */
int cli_agree_on(orff_status status);

/* All ranks get what rank 0 has. */
void cli_share_bytes(void *bytes, size_t size);

/* The same for a text, which becomes one from malloc; NULL stays NULL. */
void cli_share_text(char **text);

/* Sums over all ranks, the smallest and the largest numbers; all ranks get them. */
uint64_t cli_sum(uint64_t mine);
void cli_least(size_t count, double *numbers);
void cli_most(size_t count, double *numbers);

#endif
