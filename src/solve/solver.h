/* The table of solvers, the orff_solver of orff.h. */
#ifndef ORFFI_SOLVE_SOLVER_H
#define ORFFI_SOLVE_SOLVER_H

#include "solve/iterative.h"

/* One solver: one line in the list of orff.h, and a file with its row. */
typedef struct orffi_solver_row {
    bool iterates;                                   /* sweeps the rows; available to orff_iterate */
    bool any_loss;                                   /* works with any loss, not only the squared one */
    bool learns_weights;                             /* learns the weights of the parts of a sum */
    bool preconditions;                              /* is preconditioned by a subsample of the rows */
    orff_status (*check)(const orff_iteration *how); /* checks its own settings; NULL: it has none */
    orffi_iterative_method *solve;                   /* for linear equations; NULL: it works differently */
} orffi_solver_row;

#define ORFFI_SOLVER_DECLARE(name, file, text) extern const orffi_solver_row orffi_solver_##file;
ORFF_SOLVER_LIST(ORFFI_SOLVER_DECLARE)
#undef ORFFI_SOLVER_DECLARE

/* Whether a solver solves the equations in closed form; false for an unknown one. */
bool orffi_solver_is_closed(orff_solver solver);

/* Never NULL: an unknown solver has a row without abilities. */
const orffi_solver_row *orffi_solver_find(orff_solver solver);

#endif
