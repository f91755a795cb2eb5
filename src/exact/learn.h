/* Exact ridge as models want it: weights of rows, lambda chosen by the leave-one-out error, and all that is
 * told of the result. */
#ifndef ORFFI_EXACT_LEARN_H
#define ORFFI_EXACT_LEARN_H

#include "exact/system.h"

typedef struct orffi_exact_task {
    const orff_kernel *kernel;
    orffi_exact_rows rows;
    size_t count; /* 1: this lambda; more: the one with the smallest leave-one-out error */
    const double *lambdas;
    bool keep; /* what covariances need */
    size_t max_bytes;
} orffi_exact_task;

typedef struct orffi_exact_told {
    orff_path_point point; /* cv_mse: leave-one-out */
    orff_solve_info solve;
    double *train_mse, *cv_mse; /* p each, the caller's: of every output */
} orffi_exact_told;

orff_status orffi_exact_learn(orff_exact **exact, const orffi_exact_task *task, orffi_exact_told *told);

/* Only the path; outputs (count x p, may be NULL): leave-one-out errors of each output. */
orff_status orffi_exact_search(const orffi_exact_task *task, orff_path_point *points, double *outputs);

/* trace K(0) / p: what lambdas are relative to. ORFF_ERROR_UNSUPPORTED where the kernel has no exact form. */
orff_status orffi_exact_size(const orff_kernel *kernel, double *size);

#endif
