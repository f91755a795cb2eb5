/* The cross-validated path of lambdas of a plan, each output by itself and in the user's units. */
#ifndef ORFFI_MODEL_PATH_H
#define ORFFI_MODEL_PATH_H

#include "model/plan.h"

typedef struct orffi_cross_path {
    size_t count; /* lambda_count of the plan, or 1 where its lambda is given */
    size_t best;  /* the smallest error in the units of the plan; of equal ones the largest lambda */
    bool crossed; /* false: too few rows for folds; the errors are those of generalised cross-validation */
    double *lambdas;
    orff_path_point *points; /* cv_mse in the user's units, everything else in the plan's */
    double *outputs;         /* count x p: cross-validated mean square errors in the user's units */
} orffi_cross_path;

/* ridge is that of the plan's kernel, on moments with folds, under the features. */
orff_status orffi_cross_path_fill(orffi_cross_path *path, const orffi_plan *plan,
                                  const orff_features *features, orff_ridge *ridge);
void orffi_cross_path_clear(orffi_cross_path *path); /* accepts a zeroed or half-filled one */

#endif
