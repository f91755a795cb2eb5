/* Inputs of gridded variables that nobody has named: the coordinates of the first output's dimensions. */
#ifndef CLI_COORDINATES_H
#define CLI_COORDINATES_H

#include "formats/table.h"

/* Their names, x before y before the others, as --inputs takes them; to be freed, and said to the user. NULL where a dimension
 * has no coordinate. outputs and select: as given to --outputs and --select, which may be NULL. */
char *cli_coordinates_of(const fmt_table *table, const char *outputs, const char *select);

#endif
