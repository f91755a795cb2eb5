/* How the outputs of a decomposable part are coupled: standard deviations and correlations of its field. */
#ifndef CLI_COUPLING_H
#define CLI_COUPLING_H

#include <jansson.h>

#include "orff.h"

enum { CLI_COUPLING_MOST = 16, CLI_COUPLING_LINE = 400 };

/* Whether part i couples outputs, and these are few enough to be printed. */
bool cli_coupling_joins(const orff_model *model, size_t i);

/* "0.93   1.00  0.81 -0.20" for output k: its standard deviation, and its correlations with all. Allocates
 * nothing. */
void cli_coupling_line(const orff_model *model, size_t i, size_t k, char line[CLI_COUPLING_LINE]);

/* p lists of p numbers, or NULL if the part is not decomposable or its matrix is unknown. */
json_t *cli_coupling_json(const orff_model *model, size_t i);

#endif
