/* A fit as a sum of waves, of centres, or of nearest rows: an orff_term that owns its arrays, in the
 * engine's units. The model converts them to the user's units. */
#ifndef ORFFI_ENGINE_SUM_H
#define ORFFI_ENGINE_SUM_H

#include "base/status.h"

typedef struct orffi_term {
    size_t waves;
    double *omega, *a, *b; /* waves x d, waves x p twice */
    double *origin;        /* d */
    double *steps;         /* d, or NULL, as are the next two */
    size_t *most;
    double *inside;
    size_t centres, parts;
    double *z, *c;          /* centres x d, parts x centres x p */
    double *along, *across; /* parts */
    size_t nearest, axes;
    double *y, *turn, *noise, *weights, *amplitude; /* see orff_term */
} orffi_term;

/* Allocate a term of waves, or one of centres. */
orff_status orffi_term_waves(orffi_term *term, size_t count, size_t d, size_t p, bool lattice);
orff_status orffi_term_centres(orffi_term *term, size_t count, size_t parts, size_t d, size_t p);
/* Allocates a term of nearest rows; with weights if `weighted`. */
orff_status orffi_term_nearest(orffi_term *term, size_t count, size_t parts, size_t axes, size_t d, size_t p,
                               bool weighted);
void orffi_term_clear(orffi_term *term);

#endif
