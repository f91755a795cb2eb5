/* What orff view puts into a page: arrays of numbers, sums and grids as JSON, and the page itself. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <jansson.h>

#include "apply.h"
#include "lattice.h"

/* The page built from view/: the parts before and after the model. */
extern const unsigned char cli_page_before[], cli_page_behind[];
extern const size_t cli_page_before_size, cli_page_behind_size;

/* The bases that the page can evaluate, by their short names (view/src/kernels.js); ends with NULL. */
extern const char *const cli_page_bases[];

/* Numbers as base64 of little-endian doubles, or of floats if `single`. */
json_t *cli_page_numbers(size_t count, const double *numbers, bool single);

/* A text from outside, made safe to show: control characters and marks that change the direction of
 * writing become \xNN; null for NULL. */
json_t *cli_page_text(const char *text);

/* The terms of a sum with d inputs and p outputs. Negligible waves of a lattice are left out: together
 * they are below `tolerance` of all. `parts` of centres: see cli_page_parts. */
json_t *cli_page_sum(const orff_sum *sum, size_t d, size_t p, size_t parts, bool single, double tolerance);

/* The kernel's parts, for centres; NULL if the page cannot evaluate one of the bases. */
json_t *cli_page_parts(const cli_applied *applied);

/* Values of p numbers (rows x p) on a grid. */
json_t *cli_page_grid(const cli_lattice *grid, size_t p, const double *values);

/* The trend as one more term of the sum: products of inputs and their coefficients. */
json_t *cli_page_trend(const cli_applied *applied);

/* The plane of a model. A projected system is sampled over `box` (low and high longitude, low and high
 * latitude): the region low[2] to high[2] in degrees, with as much around it as can be projected. If the
 * map is cut inside the region, the region becomes the whole turn between the cuts. Returns an exit
 * status, after a message. */
int cli_page_plane(const orff_plane *plane, double low[2], double high[2], double box[4], json_t **object);

/* Writes the page with this object, which is freed: a file that appears complete or not at all. *bytes:
 * its size. */
int cli_page_write(const char *path, json_t *object, size_t *bytes);

/* Lines of a coast (NULL: Natural Earth) inside a box in degrees (low and high longitude, low and high
 * latitude): a list of lists lon, lat, lon, lat, .. Returns an exit status, after a message. */
int cli_page_coast(const char *path, const double box[4], json_t **list);

#endif
