/* Exact ridge as models want it: weights of rows, leave-one-out errors, and all that is told of the result. */
#ifndef ORFFI_EXACT_LEARN_H
#define ORFFI_EXACT_LEARN_H

#include "exact/system.h"

typedef struct orffi_exact_task {
    const orff_kernel *kernel;
    orffi_exact_rows rows;
    size_t count; /* of a path; what is learned has one lambda */
    const double *lambdas;
    bool eigen; /* room is wanted for the eigen form */
    bool keep;  /* what covariances need */
    size_t max_bytes;
} orffi_exact_task;

typedef struct orffi_exact_result {
    orff_path_point point; /* cv_mse: leave-one-out */
    orff_solve_info solve;
    double P;                   /* observations, each as often as its weight says */
    double *train_mse, *cv_mse; /* p each, the caller's: of every output */
} orffi_exact_result;

orff_status orffi_exact_learn(orff_exact **exact, const orffi_exact_task *task, orffi_exact_result *result);

/* The same in two steps: the system of the rows, after a check of what it takes (for several lambdas, that of the
 * eigen form), and what is learned from it. With `keep` the system's factor is taken out of it. */
orff_status orffi_exact_begin(orffi_exact_system *system, orffi_exact_plan *plan,
                              const orffi_exact_task *task);
orff_status orffi_exact_learn_from(orff_exact **exact, orffi_exact_system *system,
                                   const orffi_exact_task *task, orffi_exact_result *result);

/* What is learned from other outputs of the same rows, those of the task; `factored`: the system is, by a call before.
 * There is no report, and nothing is kept for covariances. */
orff_status orffi_exact_learn_again(orff_exact **exact, orffi_exact_system *system,
                                    const orffi_exact_task *task, bool factored);

/* The path of a system in its eigen form; outputs (count x p, may be NULL): leave-one-out errors of each output. */
orff_status orffi_exact_system_path(const orffi_exact_system *system, size_t count, const double *lambdas,
                                    orff_path_point *points, double *outputs);

/* trace K(0) / p: what lambdas are relative to. ORFF_ERROR_UNSUPPORTED where the kernel has no exact form. */
orff_status orffi_exact_size(const orff_kernel *kernel, double *size);

#endif
