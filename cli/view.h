/* Shared by the parts of orff view. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include <jansson.h>

#include "apply.h"
#include "options.h"

typedef struct cli_view {
    const cli_arguments *arguments;
    cli_applied applied;
    size_t d, p;
    size_t axis[2];     /* inputs of the map */
    bool vector;        /* outputs are a vector over these inputs */
    bool degrees;       /* these inputs are longitude and latitude, as the model was learned */
    double box[4];      /* of a projected system: the range of its map, degrees */
    double *low, *high; /* d */
    size_t samples;
    uint64_t seed;
    json_t *object;
    const char *kind; /* the source of the values */
} cli_view;

/* Each adds a part of the page to the object, and returns an exit status. */

/* ---- view_values.c */

/* The model as a sum, if the page can evaluate it; otherwise as a grid. */
int cli_view_values(cli_view *f);
int cli_view_errors(cli_view *f);

/* If the model keeps fewer samples, says so, and the page has none. */
int cli_view_samples(cli_view *f);

/* Places at which the page compares its values with the program's. */
int cli_view_probes(cli_view *f);

/* ---- view_points.c */

int cli_view_points(cli_view *f);

/* ---- view_names.c */

/* May change the region in degrees: see cli_page_plane. */
int cli_view_plane(cli_view *f);
void cli_view_names(cli_view *f);

/* For maps in degrees, with a margin: see view/src/backdrop.js. */
int cli_view_coast(cli_view *f);

#endif
