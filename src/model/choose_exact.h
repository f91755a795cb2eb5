/* Automatic choices of exact models, by the exact leave-one-out error. */
#ifndef ORFFI_MODEL_CHOOSE_EXACT_H
#define ORFFI_MODEL_CHOOSE_EXACT_H

#include "exact/learn.h"
#include "model/path.h"
#include "model/plan.h"

/* The lambdas that are looked at: the one that is given, or the plan's path. */
typedef struct orffi_exact_path_of {
    size_t count;
    double *lambdas;
} orffi_exact_path_of;

orff_status orffi_exact_path_init(orffi_exact_path_of *path, const orffi_plan *plan,
                                  const orff_kernel *kernel);

orffi_exact_rows orffi_exact_rows_of(const orffi_plan *plan, const orffi_table *table);

/* Whether candidates of an exact model are compared by the exact kernel on so many rows: where they are not
 * too many. Else features do it, as for other models. */
bool orffi_chooses_exactly(const orffi_plan *plan, size_t rows);

/* The smallest leave-one-out error of the plan as it stands along its path of lambdas. */
orff_status orffi_choose_try_exact(const orffi_plan *plan, const orffi_table *table, double *error);

/* The leave-one-out path of the plan on all rows, for tuning; to be cleared by orffi_cross_path_clear, also
 * on failure. */
orff_status orffi_exact_cross_path(orffi_cross_path *path, const orffi_plan *plan, orffi_rows *rows);

#endif
