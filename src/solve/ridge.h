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

/* The cross-validated mean square error of every lambda and output: count x p. */
orff_status orffi_ridge_cross(const orff_ridge *ridge, size_t count, const double *lambdas, double *outputs);

/* orff_ridge_path, and the cross-validated error of each output (count x p); NULL: not cross-validated. */
orff_status orffi_ridge_path_outputs(orff_ridge *ridge, size_t count, const double *lambdas,
                                     orff_path_point *points, double *outputs);

#endif
