/* Exact ridge for models: weights of rows, leave-one-out errors, and a report on the result. */
#ifndef ORFFI_EXACT_LEARN_H
#define ORFFI_EXACT_LEARN_H

#include "exact/system.h"

typedef struct orffi_exact_task {
    const orff_kernel *kernel;
    orffi_exact_rows rows;
    size_t count; /* lambdas of a path; learning uses one */
    const double *lambdas;
    bool eigen; /* check the memory for the eigen form too */
    bool keep;  /* keep what covariances need */
    size_t max_bytes;
} orffi_exact_task;

typedef struct orffi_exact_result {
    orff_path_point point; /* cv_mse: leave-one-out */
    orff_solve_info solve;
    double P;                   /* observations, each counted as often as its weight says */
    double *train_mse, *cv_mse; /* p each, the caller's: one per output */
} orffi_exact_result;

orff_status orffi_exact_learn(orff_exact **exact, const orffi_exact_task *task, orffi_exact_result *result);

/* The same in two steps. The first checks the memory (for several lambdas, that of the eigen form) and builds
 * the system of the rows; the second learns from it. With `keep` the factor is moved out of the system. */
orff_status orffi_exact_begin(orffi_exact_system *system, orffi_exact_plan *plan,
                              const orffi_exact_task *task);
orff_status orffi_exact_learn_from(orff_exact **exact, orffi_exact_system *system,
                                   const orffi_exact_task *task, orffi_exact_result *result);

/* Learns from other outputs of the same rows, given in the task. `factored`: an earlier call has factored the
 * system. Makes no report, and keeps nothing for covariances. */
orff_status orffi_exact_learn_again(orff_exact **exact, orffi_exact_system *system,
                                    const orffi_exact_task *task, bool factored);

/* The path of a system in its eigen form; outputs (count x p, may be NULL): leave-one-out errors of each output. */
orff_status orffi_exact_system_path(const orffi_exact_system *system, size_t count, const double *lambdas,
                                    orff_path_point *points, double *outputs);

/* trace K(0) / p, which lambdas are relative to. ORFF_ERROR_UNSUPPORTED if the kernel has no exact form. */
orff_status orffi_exact_size(const orff_kernel *kernel, double *size);

#endif
