/* Automatic choices of exact models, by the exact leave-one-out error. */
#ifndef ORFF_MODEL_CHOOSE_EXACT_H
#define ORFF_MODEL_CHOOSE_EXACT_H

#include "exact/learn.h"
#include "model/path.h"
#include "model/plan.h"

/* The lambdas that are looked at: the one that is given, or the plan's path. */
typedef struct orff_exact_path_of {
    size_t count;
    double *lambdas;
} orff_exact_path_of;

orff_status orff_exact_path_init(orff_exact_path_of *path, const orff_plan *plan, const orff_kernel *kernel);

orff_exact_rows orff_exact_rows_of(const orff_plan *plan, const orff_table *table);

/* Whether candidates of an exact model are compared by the exact kernel on so many rows: where they are not
 * too many. Else features do it, as for other models. */
bool orff_chooses_exactly(const orff_plan *plan, size_t rows);

/* The smallest leave-one-out error of the plan as it stands along its path of lambdas. */
orff_status orff_choose_try_exact(const orff_plan *plan, const orff_table *table, double *error);

/* The leave-one-out path of the plan on all rows, for tuning; to be cleared by orff_cross_path_clear, also
 * on failure. */
orff_status orff_exact_cross_path(orff_cross_path *path, const orff_plan *plan, orff_rows *rows);

#endif
