/* Default columns of gridded variables: as outputs, the pair that is a vector if there is only one; as
 * inputs, the coordinates of the first output's dimensions. */
#ifndef CLI_COORDINATES_H
#define CLI_COORDINATES_H

#include "formats/table.h"

/* Names of the inputs, x before y before the others, as --inputs takes them. Free the text, and tell the
 * user. NULL if a dimension has no coordinate. outputs and select: as given to --outputs and --select, or
 * NULL. */
char *cli_coordinates_of(const fmt_table *table, const char *outputs, const char *select);

/* The pair of gridded variables that are eastward and northward components by their standard names or, if
 * none has such names, whose names differ only in a first letter u and v: "u10,v10", as --outputs takes
 * them. Free the text, and tell the user. NULL: there is no pair, or several. */
char *cli_vector_of(const fmt_table *table);

#endif
