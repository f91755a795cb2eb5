/* The trend of a model: coefficients with their standard errors, as lines and as JSON. */
#ifndef CLI_TREND_H
#define CLI_TREND_H

#include <jansson.h>

#include "orff.h"

enum { CLI_TREND_LINE = 1000 };

/* "linear, from x 5.2, y 48.1": the kind, and the centre of the inputs. "" without a trend. */
void cli_trend_words(const orff_model *model, const orff_notes *notes, char words[CLI_TREND_LINE]);

/* For output k: "1.2 +- 0.1, x 0.3 +- 0.02". Allocates nothing. */
void cli_trend_line(const orff_model *model, const orff_notes *notes, size_t k, char line[CLI_TREND_LINE]);

/* {"kind", "centre": d numbers, "terms": [{"inputs": names, "coefficients", "errors": p numbers}, ..]} */
json_t *cli_trend_json(const orff_model *model, const orff_notes *notes);

#endif
