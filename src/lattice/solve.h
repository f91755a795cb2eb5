/* (G + shift) theta = b, and what follows from it: the evidence and its slopes. */
#ifndef ORFFI_LATTICE_SOLVE_H
#define ORFFI_LATTICE_SOLVE_H

#include "lattice/block.h"

#define ORFFI_LATTICE_TASK "solving" /* whose progress iterations tell */

typedef struct orffi_lattice_iterations {
    double residual; /* target, relative to b */
    size_t limit;
    size_t done;    /* iterations of the slowest right-hand side */
    double reached; /* the largest relative residual at the end */
} orffi_lattice_iterations;

/* The tridiagonal matrix of a Lanczos process, from the coefficients of conjugate gradients: `steps` values
 * each. */
typedef struct orffi_lanczos {
    size_t steps, room;
    double *diagonal, *beside;
} orffi_lanczos;

/* theta (count x r x H) is the initial guess and receives the solution. The block must be factored at the
 * shift. If it has all modes, the solution is direct. lanczos: count of them, or NULL. */
orff_status orffi_lattice_solve(const orffi_lattice_block *block, size_t count, const orffi_mode *b,
                                orffi_mode *theta, orffi_lattice_iterations *how, orffi_lanczos *lanczos);

/* Independent standard normal coordinates (r x H), determined by seed and number. */
void orffi_lattice_draw(const orffi_lattice_system *s, uint64_t seed, size_t which, orffi_mode *v);

/* log det(G + shift) and, for each column and mode, the diagonal of shift (G + shift)^-1 (r x H): the share
 * of the prior variance that is left. Exact if the block has all modes, else from `probes` random vectors,
 * with the standard error of the logarithm. */
typedef struct orffi_lattice_determinant {
    double log, error;
    double left; /* the sum of the diagonal over all real unknowns: M - dof */
    double *diagonal;
} orffi_lattice_determinant;
orff_status orffi_lattice_determine(const orffi_lattice_block *block, size_t probes, uint64_t seed,
                                    const orffi_lattice_iterations *how, orffi_lattice_determinant *out);

#endif
