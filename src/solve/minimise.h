/* The minimum of a smooth function of a few unknowns between bounds, by a quasi-Newton method (BFGS,
 * projected):
 *
 *     min f(x),   low <= x <= high                          (n up to some dozens: the matrix of BFGS is dense)
 *
 * It finds a local minimum, that of the valley it starts in. */
#ifndef ORFFI_SOLVE_MINIMISE_H
#define ORFFI_SOLVE_MINIMISE_H

#include "base/status.h"

/* f and its gradient (n) at x. A value that is not finite, or ORFF_ERROR_NOT_POSITIVE, says that the step was
 * too long: the search shortens it. Every other failure ends the search. */
typedef orff_status orffi_minimise_fn(void *self, const double *x, double *value, double *gradient);

typedef struct orffi_minimum {
    /* set by the caller */
    size_t n;
    const double *low, *high; /* n */
    double step;              /* the largest change of an unknown in one step */
    double tolerance;         /* stop if f is expected to decrease by less than this */
    size_t most;              /* limit on the evaluations */

    /* results */
    double value; /* if f is not finite anywhere: INFINITY, or -INFINITY for a maximum */
    size_t evaluations;
    bool converged;
} orffi_minimum;

/* x (n) is the starting point, which is moved between the bounds, and receives the best point found. */
orff_status orffi_minimise(orffi_minimum *m, orffi_minimise_fn *f, void *self, double *x);

/* The same for a maximum. */
orff_status orffi_maximise(orffi_minimum *m, orffi_minimise_fn *f, void *self, double *x);

#endif
