/* Which rows lie nearest to a point, in up to three inputs: a tree of halves (Bentley 1975) of all rows that may come, in
 * which those that came are counted. Rows in heaps, on lines and in one place cost no more than others. */
#ifndef ORFFI_EXACT_NEAR_H
#define ORFFI_EXACT_NEAR_H

#include "base/status.h"

enum { ORFFI_NEAR_MOST = 3 }; /* inputs */

typedef struct orffi_near {
    size_t d, n;                    /* rows that may come */
    const double *X;                /* n x d, the caller's, or `folded` */
    double scale[ORFFI_NEAR_MOST];  /* distances are those of x / scale */
    double period[ORFFI_NEAR_MOST]; /* of inputs that go round, 0 for the others */
    double *folded;                 /* n x d: what X points to where some input goes round */
    size_t levels;                  /* of halving: 2^levels leaves */
    size_t *rows;         /* n: leaf after leaf; node i has a half of those of its parent (i - 1) / 2 */
    double *points;       /* n x d, by place: close in memory */
    size_t *place;        /* n: where each row stands in `rows` */
    size_t *came;         /* nodes: how many of its rows came */
    unsigned char *split; /* nodes: along which input it is halved, */
    double *at;           /* nodes: and where */
    bool *here;           /* n, by place: whether the row came */
    size_t count;         /* rows that came */
} orffi_near;

/* None came. periods: d, 0 for inputs that do not go round; NULL: none does. */
orff_status orffi_near_init(orffi_near *near, size_t n, size_t d, const double *X, const double *scale,
                            const double *periods);
void orffi_near_clear(orffi_near *near);

/* One more row, which has not come before. */
void orffi_near_add(orffi_near *near, size_t row);

/* The k rows nearest to x, nearest first, of those that came; fewer where fewer came. distances: k numbers of room, for
 * squares. Const: shared by threads. */
size_t orffi_near_find(const orffi_near *near, const double *x, size_t k, size_t *found, double *distances);

/* The same rows, but that some farthest ones give way where they lie to one side of x: in a gap between dense rows all that are
 * nearest lie on its nearer edge, and say nothing of the other. Each of the 2^d orthants around x has at least half of an equal share
 * of k then, or all of its rows (the octants of kriging programs). Those that came in are at the end. */
size_t orffi_near_around(const orffi_near *near, const double *x, size_t k, size_t *found, double *distances);

#endif
