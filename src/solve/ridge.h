/* A ridge problem and what has been factored of it. */
#ifndef ORFFI_SOLVE_RIDGE_H
#define ORFFI_SOLVE_RIDGE_H

#include "solve/system.h"

struct orff_ridge {
    const orff_features *features;
    const orff_moments *moments;
    bool center;
    orffi_system system;
};

/* The cross-validated mean square error of every lambda (count), the mean over the outputs; and, unless outputs is
 * NULL, that of every lambda and output (count x p). */
orff_status orffi_ridge_cross(const orff_ridge *ridge, size_t count, const double *lambdas, double *errors,
                              double *outputs);

/* Whether the errors of each output cost more, for so many lambdas, than all folds once more for one lambda. */
bool orffi_ridge_outputs_are_dear(const orff_ridge *ridge, size_t count);

#endif
