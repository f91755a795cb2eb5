/* The table of solvers: what orff.h calls orff_solver. */
#ifndef ORFFI_SOLVE_SOLVER_H
#define ORFFI_SOLVE_SOLVER_H

#include "solve/iterative.h"

/* One solver: one line in the list of orff.h, and a file with its row. */
typedef struct orffi_solver_row {
    bool iterates;                                   /* sweeps the rows: orff_iterate takes it */
    bool any_loss;                                   /* not only the squared one */
    bool learns_weights;                             /* of the parts of a sum */
    bool preconditions;                              /* by a subsample of the rows */
    orff_status (*check)(const orff_iteration *how); /* what is its own in the settings; NULL: nothing */
    orffi_iterative_method *solve;                   /* of linear equations; NULL: it has a way of its own */
} orffi_solver_row;

#define ORFFI_SOLVER_DECLARE(name, file, text) extern const orffi_solver_row orffi_solver_##file;
ORFF_SOLVER_LIST(ORFFI_SOLVER_DECLARE)
#undef ORFFI_SOLVER_DECLARE

/* Whether equations are solved in closed form: what is no solver does not. */
bool orffi_solver_is_closed(orff_solver solver);

/* Never NULL: what is no solver can do nothing. */
const orffi_solver_row *orffi_solver_find(orff_solver solver);

#endif
