/* A ridge problem and the parts of it already factored. */
#ifndef ORFFI_SOLVE_RIDGE_H
#define ORFFI_SOLVE_RIDGE_H

#include "solve/system.h"

struct orff_ridge {
    const orff_features *features;
    const orff_moments *moments;
    bool center;
    orffi_system system;
};

/* The cross-validated mean square error at every lambda (count), averaged over the outputs; and, unless
 * outputs is NULL, for every lambda and output (count x p). */
orff_status orffi_ridge_cross(const orff_ridge *ridge, size_t count, const double *lambdas, double *errors,
                              double *outputs);

/* Whether the errors of each output, for `count` lambdas, cost more than repeating all folds for one
 * lambda. */
bool orffi_ridge_outputs_are_dear(const orff_ridge *ridge, size_t count);

#endif
