/* Undeclared codes for missing values. */
#ifndef CLI_CODES_H
#define CLI_CODES_H

#include "data.h"

/* Warns of a value such as -999 that recurs far outside the rest of its column, in the rows held. */
void cli_data_warn_codes(const cli_data *data);

#endif
