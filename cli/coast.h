/* --coast: the land of a file, where nothing is predicted or drawn. */
#ifndef CLI_COAST_H
#define CLI_COAST_H

#include "apply.h"
#include "formats/coast.h"
#include "options.h"

typedef struct cli_coast {
    bool given;
    bool degrees;
    size_t axis[2]; /* the inputs of the model for x and y */
    fmt_coast file;
} cli_coast;

/* Reads the file given to --coast, if any. Returns an exit status, after a message; clear it in any case. */
int cli_coast_open(cli_coast *coast, const cli_arguments *arguments, const cli_applied *applied);

/* Loads the coasts of the Earth, to be drawn over a map in degrees. `given` stays false, as they hide
 * nothing. */
int cli_coast_outline(cli_coast *coast, const cli_applied *applied);
void cli_coast_clear(cli_coast *coast);

/* Which of n points X (n x d) are on land. */
int cli_coast_land(const cli_coast *coast, size_t d, size_t n, const double *X, bool *land);

#endif
