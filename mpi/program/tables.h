/* DATA that all ranks share: a file, a pair of arrays, or many of either by a pattern or a list, divided by bytes. */
#ifndef CLI_TABLES_H
#define CLI_TABLES_H

#include "cli/data.h"

/* From now on the operand DATA is read so. */
void cli_tables_begin(void);
void cli_tables_end(void);

/* How many files there are. */
size_t cli_tables_count(void);

#endif
