/* A path of lambdas and an engine's errors along it. Only this module chooses lambda from a path. */
#ifndef ORFFI_MODEL_PATH_H
#define ORFFI_MODEL_PATH_H

#include "model/plan.h"

typedef struct orffi_path {
    size_t count; /* lambda_count of the plan, or 1 if its lambda is given */
    size_t best;  /* smallest error in the units of the plan; of equal ones the largest lambda */
    double *dofs; /* p: degrees of freedom of each output, if parted; otherwise NULL */
    bool parted;  /* outputs have lambdas of their own; the errors at `best` are those at these lambdas */
    bool told;    /* outputs have errors at every lambda, not only at the best */
    bool crossed; /* errors are those of held-out rows; false: a substitute for them, which is not reported */
    double *lambdas, *errors; /* errors: the criterion, in the units of the plan */
    orff_path_point *points;  /* cv_mse in the user's units, everything else in the plan's; or NULL */
    /* Count x p: errors of each output in the user's units. Where they are costly, NaN for all lambdas but
     * the best, and nothing in a trial. */
    double *outputs;
} orffi_path;

typedef enum orffi_path_kind {
    ORFFI_PATH_REPORT, /* with points; a single lambda if the plan gives it */
    ORFFI_PATH_TABLE,  /* with points, always the whole path */
    ORFFI_PATH_TRIAL   /* without points, always the whole path */
} orffi_path_kind;

/* Fills the path of a kernel on prepared rows; lambdas are relative to trace K(0)/p. */
orff_status orffi_path_fill(orffi_path *path, orffi_path_kind kind, const orffi_plan *plan,
                            const orffi_engine *engine, void *rows, const orff_kernel *kernel);
void orffi_path_clear(orffi_path *path); /* accepts a zeroed or half-filled path */

/* Whether earlier choices have already found lambda by the engine's own criterion; and that lambda. */
bool orffi_path_is_known(const orffi_plan *plan);
orff_status orffi_path_known(const orffi_plan *plan, void *rows, const orff_kernel *kernel, double *lambda);

/* ORFF_ERROR_NUMERICAL if lambda is so large that trace K(0)/p is lost in rounding beside it. */
orff_status orffi_check_lambda(double lambda, const orffi_engine *engine, void *rows,
                               const orff_kernel *kernel);

/* Whether outputs may have lambdas of their own: the kernel is k I, and the outputs' scales are open. */
bool orffi_path_parts_outputs(const orffi_plan *plan, const orff_kernel *kernel);

/* Give each output its best lambda of the path. If they differ, this sets a matrix in the plan's part. */
orff_status orffi_path_part_outputs(orffi_path *path, orffi_plan *plan);

#endif
