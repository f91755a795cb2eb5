/* A path of lambdas and what an engine finds along it: the one place where lambda is chosen. */
#ifndef ORFFI_MODEL_PATH_H
#define ORFFI_MODEL_PATH_H

#include "model/plan.h"

typedef struct orffi_path {
    size_t count; /* lambda_count of the plan, or 1 where its lambda is given */
    size_t best;  /* the smallest error in the units of the plan; of equal ones the largest lambda */
    double *dofs; /* p: degrees of freedom of each output, where they are parted; else NULL */
    bool parted;  /* outputs have lambdas of their own, and what stands at the best are their errors there */
    bool told;    /* outputs are there at every lambda, not only at the best */
    bool crossed; /* errors are those of rows left out; false: they stand in for them, and are not reported */
    double *lambdas, *errors; /* errors: what decides, in the units of the plan */
    orff_path_point *points;  /* cv_mse in the user's units, everything else in the plan's; or NULL */
    double *outputs;          /* count x p: errors of each output in the user's units; where they are dear,
                               * NaN for all lambdas but the best, and nothing in a trial */
} orffi_path;

typedef enum orffi_path_kind {
    ORFFI_PATH_REPORT, /* with its points; one lambda where the plan's is given */
    ORFFI_PATH_TABLE,  /* with its points, always the whole path */
    ORFFI_PATH_TRIAL   /* without points, always the whole path */
} orffi_path_kind;

/* The path of a kernel on prepared rows, relative to trace K(0)/p. */
orff_status orffi_path_fill(orffi_path *path, orffi_path_kind kind, const orffi_plan *plan,
                            const orffi_engine *engine, void *rows, const orff_kernel *kernel);
void orffi_path_clear(orffi_path *path); /* accepts a zeroed or half-filled one */

/* Whether the choices have found lambda already, for an engine whose criterion is theirs; and that lambda. */
bool orffi_path_is_known(const orffi_plan *plan);
orff_status orffi_path_known(const orffi_plan *plan, void *rows, const orff_kernel *kernel, double *lambda);

/* ORFF_ERROR_NUMERICAL where lambda leaves nothing of K in double precision: beside it, trace K(0)/p is lost in
 * rounding. */
orff_status orffi_check_lambda(double lambda, const orffi_engine *engine, void *rows,
                               const orff_kernel *kernel);

/* Whether outputs may have lambdas of their own: the kernel is k I, and their scales are open. */
bool orffi_path_parts_outputs(const orffi_plan *plan, const orff_kernel *kernel);

/* Give each output its best lambda of the path, by a matrix in the plan's part where some differ. */
orff_status orffi_path_part_outputs(orffi_path *path, orffi_plan *plan);

#endif
