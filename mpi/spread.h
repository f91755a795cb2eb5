/* A symmetric matrix distributed in blocks over a grid of ranks: the system of a ridge problem,
 *
 *     G = [ S_ab B_a^T B_b ]_ab + N lambda 1,    S = sum c phi phi^T  (2D x 2D),    rhs_a = B_a^T sum c phi_a (y - mean)
 *
 * B_a (p x u) is the block of feature a. If all of them are b times the identity, the outputs are separate: G
 * = b^2 S + N lambda 1 with p right-hand sides (u = 1). Block (i, j), of `block` features each way, is on the
 * rank in row i mod R and column j mod C of the grid. Only the lower triangle of G is stored.
 */
#ifndef ORFF_MPI_SPREAD_H
#define ORFF_MPI_SPREAD_H

#include "orff_mpi.h"

/* The features of one side of this rank's part: those of its rows or of its columns. */
typedef struct orffi_side {
    size_t count;
    size_t *index;           /* count, ascending: features 0 .. 2D - 1 */
    size_t frequencies;      /* number of frequencies that they belong to */
    size_t *column;          /* count: the position of each in phi of these frequencies */
    orff_features *features; /* with these frequencies alone */
    double *phi, *wide;      /* round x count; round x 2 frequencies */
} orffi_side;

typedef struct orffi_spread {
    MPI_Comm comm;
    size_t D, L, d, p;
    bool apart;    /* the outputs are separate: all blocks are b times the identity */
    size_t u, rhs; /* coefficients of a feature in a right-hand side, and the number of right-hand sides */
    size_t block;  /* features in a block */
    size_t round;  /* rows processed at once, over all ranks */
    int rank, size;
    int grid[2], place[2]; /* R, C, and the position of this rank */
    orffi_side rows, columns;
    double *S;    /* rows.count x columns.count, column by column; replaced by G */
    double *R;    /* rows.count x (p + 1): sums of c phi (y, 1) */
    double *T;    /* (p + 1) x (p + 1): sums of c (y, 1) (y, 1)^T */
    double *B;    /* D x p x p', the blocks */
    uint64_t n;   /* rows */
    double bytes; /* sent to this rank */
} orffi_spread;

/* All ranks make these calls. Each returns this rank's own status, which must then be agreed upon. Clear it
 * even on failure. */
orff_status orffi_spread_create(orffi_spread *s, MPI_Comm comm, const orff_kernel *kernel,
                                const orff_features *features);
void orffi_spread_clear(orffi_spread *s);

/* Sums over the rows of all ranks; the same status on all. */
orff_status orffi_spread_fill(orffi_spread *s, const orff_reader *reader);

/* Solves: theta (M) and mean (p), on all ranks. */
orff_status orffi_spread_solve(orffi_spread *s, bool center, double lambda, double *theta, double *mean,
                               double *mse);

#endif
