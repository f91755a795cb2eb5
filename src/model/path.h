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
    double
        *outputs; /* count x p: cross-validated mean square errors in the user's units; where they are dear,
                              * NaN for all lambdas but the best */
} orffi_cross_path;

/* What a path is made of, however it is solved: `points` fills all but cv_mse, `cross` the cross-validated errors
 * (count), and those of each output (count x p) unless outputs is NULL. */
typedef struct orffi_path_source {
    void *self;
    bool crossed; /* there are rows enough for folds */
    bool dear;    /* the errors of each output are better asked for at one lambda only */
    orff_status (*points)(void *self, size_t count, const double *lambdas, orff_path_point *points);
    orff_status (*cross)(void *self, size_t count, const double *lambdas, double *errors, double *outputs);
} orffi_path_source;

/* That of a ridge of the plan's kernel, on moments with folds. */
orffi_path_source orffi_path_of_ridge(orff_ridge *ridge, size_t count);

/* How many lambdas the path of a plan has. */
size_t orffi_path_count(const orffi_plan *plan);

orff_status orffi_cross_path_fill(orffi_cross_path *path, const orffi_plan *plan,
                                  const orff_features *features, const orffi_path_source *source);
void orffi_cross_path_clear(orffi_cross_path *path); /* accepts a zeroed or half-filled one */

#endif
