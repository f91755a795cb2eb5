/* A file of moments: those of features, or those of a lattice. */
#ifndef CLI_MOMENTS_FILE_H
#define CLI_MOMENTS_FILE_H

#include <jansson.h>

#include "orff.h"

typedef struct cli_moments {
    orff_moments *features;
    orff_lattice_moments *lattice; /* one of the two is NULL, or both are */
} cli_moments;

/* What both kinds have in common. */
typedef struct cli_moments_info {
    uint64_t rows;
    double weight;
    size_t inputs, outputs, folds;
    size_t waves; /* frequencies of features, waves of a lattice */
    orff_engine engine;
} cli_moments_info;

/* Each returns an exit status, after a message. Clear the moments in any case. */
int cli_moments_load(cli_moments *moments, const char *path);
int cli_moments_save(const cli_moments *moments, const char *path);

/* into += other, or -=; messages begin with the path of the other file. */
int cli_moments_join(cli_moments *into, const cli_moments *other, bool subtract, const char *path);

void cli_moments_clear(cli_moments *moments);

cli_moments_info cli_moments_describe(const cli_moments *moments);
const char *cli_moments_notes(const cli_moments *moments);

/* n, weight, d, p, folds, engine and features; for a lattice waves, extent and sigma_range instead of
 * features. */
json_t *cli_moments_json(const cli_moments *moments);

#endif
