/* Exact ridge as models want it: weights of rows, lambda chosen by the leave-one-out error, and all that is
 * told of the result. */
#ifndef ORFF_EXACT_LEARN_H
#define ORFF_EXACT_LEARN_H

#include "exact/system.h"

typedef struct orff_exact_task {
    const orff_kernel *kernel;
    orff_exact_rows rows;
    size_t count; /* 1: this lambda; more: the one with the smallest leave-one-out error */
    const double *lambdas;
    bool keep; /* what covariances need */
    size_t max_bytes;
} orff_exact_task;

typedef struct orff_exact_told {
    orff_path_point point; /* cv_mse: leave-one-out */
    orff_solve_info solve;
    double *train_mse, *cv_mse; /* p each, the caller's: of every output */
} orff_exact_told;

orff_status orff_exact_learn(orff_exact **exact, const orff_exact_task *task, orff_exact_told *told);

/* Only the path; outputs (count x p, may be NULL): leave-one-out errors of each output. */
orff_status orff_exact_search(const orff_exact_task *task, orff_path_point *points, double *outputs);

/* trace K(0) / p: what lambdas are relative to. ORFF_UNSUPPORTED where the kernel has no exact form. */
orff_status orff_exact_size(const orff_kernel *kernel, double *size);

#endif
