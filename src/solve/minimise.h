/* The least value of a smooth function of a few unknowns between bounds, by a quasi-Newton method (BFGS, projected):
 *
 *     min f(x),   low <= x <= high                          (n, up to some dozens: the matrix of BFGS is dense)
 *
 * It finds the bottom of the valley it starts in. */
#ifndef ORFFI_SOLVE_MINIMISE_H
#define ORFFI_SOLVE_MINIMISE_H

#include "base/status.h"

/* f and its gradient (n) at x. What is not finite, and ORFF_ERROR_NOT_POSITIVE, say that x is too far: the search steps
 * back. Every other failure ends it. */
typedef orff_status orffi_minimise_fn(void *self, const double *x, double *value, double *gradient);

typedef struct orffi_minimum {
    /* filled by the caller */
    size_t n;
    const double *low, *high; /* n */
    double step;              /* no unknown moves by more than this at once */
    double tolerance;         /* it ends when f is expected to fall by less than this */
    size_t most;              /* evaluations */

    /* what it found */
    double value; /* where f is finite nowhere it looked: INFINITY, of a maximum -INFINITY */
    size_t evaluations;
    bool converged;
} orffi_minimum;

/* x (n) holds where to begin, which is moved between the bounds, and receives the best place found. */
orff_status orffi_minimise(orffi_minimum *m, orffi_minimise_fn *f, void *self, double *x);

/* The same upwards, to the top of a hill. */
orff_status orffi_maximise(orffi_minimum *m, orffi_minimise_fn *f, void *self, double *x);

#endif
