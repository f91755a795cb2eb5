/* Finds the rows nearest to a point, in up to three inputs. A tree of halves (Bentley 1975) holds all rows
 * and counts, per node, those added so far. Clustered, collinear and coincident rows cost no more than
 * others. */
#ifndef ORFFI_EXACT_NEAR_H
#define ORFFI_EXACT_NEAR_H

#include "base/status.h"

enum { ORFFI_NEAR_MOST = 3 }; /* inputs */

typedef struct orffi_near {
    size_t d, n;                    /* number of rows in the tree, added or not */
    const double *X;                /* n x d, the caller's, or `folded` */
    double scale[ORFFI_NEAR_MOST];  /* distances are those of x / scale */
    double period[ORFFI_NEAR_MOST]; /* of periodic inputs, 0 for the others */
    double *folded;                 /* n x d: what X points to if some input is periodic */
    size_t levels;                  /* of halving: 2^levels leaves */
    size_t *rows;         /* n: leaf after leaf; node i has half of the rows of its parent (i - 1) / 2 */
    double *points;       /* n x d, by place, so that the rows of a leaf are close in memory */
    size_t *place;        /* n: the position of each row in `rows` */
    size_t *came;         /* nodes: how many of its rows were added */
    unsigned char *split; /* nodes: the input along which it is halved, */
    double *at;           /* nodes: and the value where */
    bool *here;           /* n, by place: whether the row was added */
    size_t count;         /* rows added */
} orffi_near;

/* No row is added yet. periods: d, 0 for inputs that are not periodic; NULL: none is. */
orff_status orffi_near_init(orffi_near *near, size_t n, size_t d, const double *X, const double *scale,
                            const double *periods);
void orffi_near_clear(orffi_near *near);

/* Adds a row, which must not have been added before. */
void orffi_near_add(orffi_near *near, size_t row);

/* The k added rows nearest to x, nearest first, or all of them if there are fewer. distances: room for k
 * squared distances. Threads may share `near`. */
size_t orffi_near_find(const orffi_near *near, const double *x, size_t k, size_t *found, double *distances);

/* The same rows, but that some farthest ones give way where they lie to one side of x: in a gap between dense rows all that are
 * nearest lie on its nearer edge, and say nothing of the other. Each of the 2^d orthants around x has at least half of an equal share
 * of k then, or all of its rows (the octants of kriging programs). Those that came in are at the end. */
size_t orffi_near_around(const orffi_near *near, const double *x, size_t k, size_t *found, double *distances);

#endif
