/* The command that made a file, for files that record it. */
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "options.h"

/* "2024-05-01T06:30:00Z: orff predict wind.orff --grid ..", without the output, which may be moved; from
 * malloc. The time is taken from $SOURCE_DATE_EPOCH if that is set. */
char *cli_history(const cli_arguments *arguments);

#endif
