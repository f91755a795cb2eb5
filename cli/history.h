/* What was done, for the files that say so. */
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "options.h"

/* "2024-05-01T06:30:00Z: orff predict wind.orff --grid ..", without the output, which may be moved; from malloc. The time is that of $SOURCE_DATE_EPOCH, if it is
 * set. */
char *cli_history(const cli_arguments *arguments);

#endif
