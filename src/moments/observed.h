/* Measurements that are not whole rows (orff_observations) as directed rows, y = <e, f(x)>: a measurement
 * along a direction becomes one directed row, a row without directions one for each output it has. */
#ifndef ORFFI_MOMENTS_OBSERVED_H
#define ORFFI_MOMENTS_OBSERVED_H

#include "base/status.h"

typedef struct orffi_observed {
    size_t n;                        /* directed rows */
    double *X, *Y, *weights, *along; /* n x d, n, n, n x p */
    size_t *at;                      /* n: the index in the observations' Y, or the first of several */
    size_t measured;                 /* rows with some information ... */
    double N;                        /* ... and the sum of their weights, which lambda is relative to */
} orffi_observed;

/* Numbers of Y per row. */
static inline size_t orffi_observed_width(const orff_observations *o) {
    return o->directions ? 1 : o->p;
}

/* Whether all rows have all outputs, one error for them, and neither directions nor anything else. */
bool orffi_observed_is_whole(const orff_observations *o);

/* The numbers of all rows, or only of those that are not whole, with room for `more` rows after them. Each
 * has the weight of its row. The caller clears it, even on failure. */
orff_status orffi_observed_fill(orffi_observed *rows, const orff_observations *o, bool parted, size_t more);
/* The whole rows: Y is n x p, along is NULL. */
orff_status orffi_observed_fill_whole(orffi_observed *rows, const orff_observations *o);
void orffi_observed_clear(orffi_observed *rows);

/* ---- for sums over rows, in which the noise is unknown except for given errors
 *
 * c = weight / error^2. lambda absorbs the scale of the errors; rows without errors have no scale. */

/* Refuses invalid rows, and rows that sums cannot represent; `first` is the index of the first row. */
orff_status orffi_observed_check(const orff_observations *o, uint64_t first);

/* Replaces the weights of rows, or of their numbers, by c; returns their sum before. */
double orffi_observed_weigh(const orff_observations *o, orffi_observed *rows);

/* A reader's rows, block by block. */
typedef struct orffi_observed_blocks {
    const orff_observation_reader *reader;
    size_t room;
    double *X, *Y, *directions, *errors, *weights; /* room rows */
    orff_observations o;                           /* the current block; no rows: the end */
    uint64_t first;                                /* index of its first row */
} orffi_observed_blocks;

/* The caller closes it, even on failure. Every block returned has passed orffi_observed_check. */
orff_status orffi_observed_open(orffi_observed_blocks *blocks, const orff_observation_reader *reader,
                                size_t d, size_t p, size_t room);
orff_status orffi_observed_next(orffi_observed_blocks *blocks);
void orffi_observed_close(orffi_observed_blocks *blocks);

#endif
