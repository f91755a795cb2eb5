/* Measurements that are not whole rows (orff_observations) as directed rows, y = <e, f(x)>: what was seen along a direction is
 * one, a row without directions one for each output that it has. */
#ifndef ORFFI_MOMENTS_OBSERVED_H
#define ORFFI_MOMENTS_OBSERVED_H

#include "base/status.h"

typedef struct orffi_observed {
    size_t n;                        /* directed rows */
    double *X, *Y, *weights, *along; /* n x d, n, n, n x p */
    size_t *at;                      /* n: which number of the observations' Y it is, or the first of them */
    size_t measured;                 /* rows that say something ... */
    double N;                        /* ... and the sum of their weights: what lambda goes with */
} orffi_observed;

/* Numbers of Y in a row. */
static inline size_t orffi_observed_width(const orff_observations *o) {
    return o->directions ? 1 : o->p;
}

/* Whether all rows have all outputs, and one error for them, and there is nothing else. */
bool orffi_observed_is_whole(const orff_observations *o);

/* The numbers of all rows, or only of those that are not whole, with room for `more` rows behind them. Weights are those of
 * their rows. Cleared by the caller, also on failure. */
orff_status orffi_observed_fill(orffi_observed *rows, const orff_observations *o, bool parted, size_t more);
/* The whole rows: Y is n x p, along is NULL. */
orff_status orffi_observed_fill_whole(orffi_observed *rows, const orff_observations *o);
void orffi_observed_clear(orffi_observed *rows);

/* ---- for sums over rows, which know nothing of their noise but errors
 *
 * c = weight / error^2. The scale of errors goes with lambda; rows without errors have none. */

/* Refuses what sums cannot have, and what is wrong: first is the number of the first row. */
orff_status orffi_observed_check(const orff_observations *o, uint64_t first);

/* The weights of rows, or of their numbers, become c; returns what they added up to before. */
double orffi_observed_weigh(const orff_observations *o, orffi_observed *rows);

/* A reader's rows, block by block. */
typedef struct orffi_observed_blocks {
    const orff_observation_reader *reader;
    size_t room;
    double *X, *Y, *directions, *errors, *weights; /* room rows */
    orff_observations o;                           /* the block; no rows: there are no more */
    uint64_t first;                                /* the number of its first row */
} orffi_observed_blocks;

/* Closed by the caller, also on failure. A block that has come is one that sums can have (orffi_observed_check). */
orff_status orffi_observed_open(orffi_observed_blocks *blocks, const orff_observation_reader *reader,
                                size_t d, size_t p, size_t room);
orff_status orffi_observed_next(orffi_observed_blocks *blocks);
void orffi_observed_close(orffi_observed_blocks *blocks);

#endif
