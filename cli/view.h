/* What the parts of orff view share. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include <jansson.h>

#include "apply.h"
#include "options.h"

typedef struct cli_view {
    const cli_arguments *arguments;
    cli_applied applied;
    size_t d, p;
    size_t axis[2];     /* inputs that are the map */
    bool vector;        /* outputs are a vector over these */
    bool degrees;       /* these are longitude and latitude, as the model was learned */
    double box[4];      /* of a projected system: as far as its map is known, degrees */
    double *low, *high; /* d */
    size_t samples;
    uint64_t seed;
    json_t *object;
    const char *kind; /* what values come from */
} cli_view;

/* Each adds its part of the page to the object, and returns an exit status. */

/* ---- view_values.c */

/* The sum that the model is, where it is one that the page can add up; else a grid. */
int cli_view_values(cli_view *f);
int cli_view_errors(cli_view *f);

/* A model that keeps fewer says so; the page then has none. */
int cli_view_samples(cli_view *f);

/* Places at which the page compares itself with the program. */
int cli_view_probes(cli_view *f);

/* ---- view_points.c */

int cli_view_points(cli_view *f);

/* ---- view_names.c */

/* The region in degrees may become another: see cli_page_plane. */
int cli_view_plane(cli_view *f);
void cli_view_names(cli_view *f);

/* Of maps in degrees, with room to look about: see view/src/backdrop.js. */
int cli_view_coast(cli_view *f);

#endif
