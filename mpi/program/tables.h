/* DATA that all ranks share: a file, a pair of arrays, or many of either by a pattern or a list, divided by bytes. */
#ifndef CLI_TABLES_H
#define CLI_TABLES_H

#include "cli/data.h"

/* From now on the operand DATA is read so. */
void cli_tables_begin(void);
void cli_tables_end(void);

/* Into portions of about so many bytes, and no fewer than these; at first they are of 16 MB. */
void cli_tables_divide(uint64_t bytes, uint64_t fewest);

/* How many portions there are. */
uint64_t cli_tables_divided(void);

/* Of the files, by name, size and time of their last change, and of the columns read from them; the same on all ranks. */
uint64_t cli_tables_digest(void);

/* The portions of this rank: first .. last - 1. At first all of them are to be read. */
void cli_tables_portions(uint64_t *first, uint64_t *last);

/* The rows of these portions are to be read now, from their first one. */
void cli_tables_read(cli_data *data, uint64_t first, uint64_t last);

/* From now on the labels of rows are numbers of these classes, which are copied; rows are read from the first one again. */
void cli_tables_number(cli_data *data, size_t count, const char *const *labels);

/* Rows must have all outputs. */
void cli_tables_require_outputs(cli_data *data);

/* How many files there are. */
size_t cli_tables_count(void);

#endif
