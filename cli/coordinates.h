/* Gridded variables that nobody has named: the outputs where one pair of them is a vector, and the inputs, which are the coordinates
 * of the first output's dimensions. */
#ifndef CLI_COORDINATES_H
#define CLI_COORDINATES_H

#include "formats/table.h"

/* Their names, x before y before the others, as --inputs takes them; to be freed, and said to the user. NULL where a dimension
 * has no coordinate. outputs and select: as given to --outputs and --select, which may be NULL. */
char *cli_coordinates_of(const fmt_table *table, const char *outputs, const char *select);

/* The one pair of gridded variables that are eastward and northward components by their standard names or, where none has such
 * names, are called alike but for a first letter u and v: "u10,v10", as --outputs takes them; to be freed, and said to the user.
 * NULL: there is no pair, or several. */
char *cli_vector_of(const fmt_table *table);

#endif
