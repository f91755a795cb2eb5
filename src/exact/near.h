/* Which rows lie nearest to a point, in up to three inputs: cells of a grid, searched ring by ring. */
#ifndef ORFFI_EXACT_NEAR_H
#define ORFFI_EXACT_NEAR_H

#include "base/status.h"

enum { ORFFI_NEAR_MOST = 3 }; /* inputs */

typedef struct orffi_near {
    size_t d, n;                   /* rows that may come */
    const double *X;               /* n x d, the caller's */
    double scale[ORFFI_NEAR_MOST]; /* distances are those of x / scale */
    double low[ORFFI_NEAR_MOST], high[ORFFI_NEAR_MOST];
    double period[ORFFI_NEAR_MOST]; /* of inputs on a circle, in scales; else 0 */
    double width;                   /* of a cell, in scales ... */
    double step[ORFFI_NEAR_MOST];   /* ... and along each input, no less: whole cells fit around a circle */
    size_t sides[ORFFI_NEAR_MOST];  /* cells along each input */
    size_t *first, *next;           /* chains: of each cell, of each row; n is the end */
    size_t cells;                   /* room of `first` */
    size_t *rows;                   /* those that came, in order: n of room */
    size_t count;
} orffi_near;

/* Empty. periods: of inputs on a circle, see base/periods.h. */
orff_status orffi_near_init(orffi_near *near, size_t n, size_t d, const double *X, const double *scale,
                            const double *periods);
void orffi_near_clear(orffi_near *near);

/* One more row. Cells shrink as rows come. */
orff_status orffi_near_add(orffi_near *near, size_t row);

/* The k rows nearest to x, nearest first, of those that came; fewer where fewer came. Where thousands of rows share a
 * cell, the nearest of some of them. distances: k numbers of room. Const: shared by threads. */
size_t orffi_near_find(const orffi_near *near, const double *x, size_t k, size_t *found, double *distances);

#endif
