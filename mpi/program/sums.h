/* The sums of a rank. Portions whose rows have room in moments like those of the template go into one sum; those that have grown,
 * because some of their rows miss outputs, into another. So it is the rows of a portion alone that decide, and not who else's
 * rows a rank has read before: the sums do not depend on the number of ranks. */
#ifndef CLI_RANKS_SUMS_H
#define CLI_RANKS_SUMS_H

#include "cli/moments_file.h"
#include "orff_mpi.h"

typedef struct cli_sums {
    const cli_moments *like; /* without rows */
    orff_rows room, grown;   /* of these, and of those that have grown */
    cli_moments portion;
    orff_mpi_sum *sum, *more; /* more: NULL until there is something in it */
} cli_sums;

/* The template gets room for these rows, and outlives the sums. To be cleared in any case. */
orff_status cli_sums_begin(cli_sums *sums, cli_moments *like, orff_rows rows);
void cli_sums_clear(cli_sums *sums);

/* The rows of a portion; observed: those that need not be whole, instead of `whole`, or NULL. */
orff_status cli_sums_add(cli_sums *sums, const orff_reader *whole, const orff_observation_reader *observed);

/* On rank 0 the moments get what all ranks have summed up. All ranks return the same. */
orff_status cli_sums_reduce(cli_sums *sums, cli_moments *moments);

/* Numbers of a sum. */
uint64_t cli_sums_size(const cli_moments *moments);

#endif
