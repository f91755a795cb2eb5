/* Points in turns: each rank has a part of them, then the next; what they predict comes together in order on rank 0. So the
 * work is divided, and no rank holds more than its part of a turn. */
#ifndef CLI_RANKS_TURNS_H
#define CLI_RANKS_TURNS_H

#include "cli/data.h"

void cli_turns_begin(void);
void cli_turns_end(void);

/* Numbers of this rank in this turn. */
void cli_turns_add(size_t count, const double *numbers);

/* See cli_predict_sharing. */
bool cli_turns_next(cli_data *data, uint64_t rows, uint64_t *first, uint64_t *last);
int cli_turns_gather(int status, int (*put)(void *self, size_t rows, const double *cells), void *self,
                     size_t columns);

#endif
