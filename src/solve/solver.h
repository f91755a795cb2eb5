/* The table of solvers: what orff.h calls orff_solver. */
#ifndef ORFFI_SOLVE_SOLVER_H
#define ORFFI_SOLVE_SOLVER_H

#include "solve/iterative.h"

typedef struct orffi_solver_row {
    bool iterates;                 /* sweeps the rows: orff_iterate takes it */
    bool any_loss;                 /* not only the squared one */
    bool learns_weights;           /* of the parts of a sum */
    bool preconditions;            /* by a subsample of the rows */
    orffi_iterative_method *solve; /* of linear equations; NULL: it has a way of its own */
} orffi_solver_row;

/* Never NULL: what is no solver can do nothing. */
const orffi_solver_row *orffi_solver_find(orff_solver solver);

#endif
