/* How the outputs of a decomposable part belong together: standard deviations and correlations of its field. */
#ifndef CLI_COUPLING_H
#define CLI_COUPLING_H

#include <jansson.h>

#include "orff.h"

enum { CLI_COUPLING_MOST = 16, CLI_COUPLING_LINE = 400 };

/* Whether part i joins outputs, and there are few enough of them to be printed. */
bool cli_coupling_joins(const orff_model *model, size_t i);

/* "0.93   1.00  0.81 -0.20" of output k: its standard deviation, and its correlations with all. Takes no memory of its own. */
void cli_coupling_line(const orff_model *model, size_t i, size_t k, char line[CLI_COUPLING_LINE]);

/* p lists of p numbers, or NULL where the part is not decomposable or nothing is known of it. */
json_t *cli_coupling_json(const orff_model *model, size_t i);

#endif
