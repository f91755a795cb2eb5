/* The losses: one function each, and one line in the table of loss.c.
 *
 * Losses with kinks are sums of max(0, t). Their gradients can be taken from a loss smoothed over a width w,
 * where the slope of max(0, t) rises from 0 to 1 over 0 <= t <= w; w = 0 gives a subgradient, with slope 0 at
 * the kink. Values are always those of the loss itself. */
#ifndef ORFFI_SOLVE_LOSS_H
#define ORFFI_SOLVE_LOSS_H

#include "base/status.h"

typedef struct orffi_loss_function orffi_loss_function;

struct orffi_loss_function {
    /* L(f, y) and, unless NULL, its gradient in f (p values) */
    double (*evaluate)(const orffi_loss_function *loss, const double *f, const double *y, double *gradient);
    bool smooth;
    size_t p;
    double parameter;
    double width;           /* w, for the gradients */
    double curvature;       /* largest second derivative; for losses with kinks, that of the smoothed loss
                               times w */
    double *codes, *scores; /* classes: T x p simplex codes, T numbers of scratch, so only one thread at a
                               time */
};

/* Checks the parameter and makes the loss function for p outputs. */
orff_status orffi_loss_make(orffi_loss_function *loss, orff_loss id, double parameter, size_t p);
void orffi_loss_clear(orffi_loss_function *loss);

#endif
