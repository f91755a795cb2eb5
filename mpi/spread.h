/* A symmetric matrix in blocks on a grid of ranks, the system of a ridge problem:
 *
 *     G = [ S_ab B_a^T B_b ]_ab + N lambda 1,    S = sum c phi phi^T  (2D x 2D),    rhs_a = B_a^T sum c phi_a (y - mean)
 *
 * B_a (p x u) is the block of feature a. Where all of them are b times the identity the outputs go apart: G = b^2 S + N lambda 1 with
 * p right-hand sides (u = 1). Block (i, j) of `block` features each is on the rank in row i mod R and column j mod C of the grid.
 * Of G only the lower triangle is there.
 */
#ifndef ORFF_MPI_SPREAD_H
#define ORFF_MPI_SPREAD_H

#include "orff_mpi.h"

/* The features of one side of this rank's part: those of its rows, or of its columns. */
typedef struct orffi_side {
    size_t count;
    size_t *index;           /* count, ascending: features 0 .. 2D - 1 */
    size_t frequencies;      /* that they are of */
    size_t *column;          /* count: where each stands in phi of these */
    orff_features *features; /* these alone */
    double *phi, *wide;      /* round x count; round x 2 frequencies */
} orffi_side;

typedef struct orffi_spread {
    MPI_Comm comm;
    size_t D, L, d, p;
    bool apart;    /* the outputs go apart: all blocks are b times the identity */
    size_t u, rhs; /* coefficients of a feature in a right-hand side, and how many of these there are */
    size_t block;  /* features */
    size_t round;  /* rows at a time, of all ranks */
    int rank, size;
    int grid[2], place[2]; /* R, C, and where this rank is */
    orffi_side rows, columns;
    double *S;    /* rows.count x columns.count, column by column: later G */
    double *R;    /* rows.count x (p + 1): sums of c phi (y, 1) */
    double *T;    /* (p + 1) x (p + 1): sums of c (y, 1) (y, 1)^T */
    double *B;    /* D x p x p', the blocks */
    uint64_t n;   /* rows */
    double bytes; /* sent to this rank */
} orffi_spread;

/* Calls that all ranks make; each returns what this rank has met, to be agreed upon. Cleared in any case. */
orff_status orffi_spread_create(orffi_spread *s, MPI_Comm comm, const orff_kernel *kernel,
                                const orff_features *features);
void orffi_spread_clear(orffi_spread *s);

/* Sums over all rows of all ranks: the same status on all. */
orff_status orffi_spread_fill(orffi_spread *s, const orff_reader *reader);

/* Solves: theta (M), mean (p), on all ranks. */
orff_status orffi_spread_solve(orffi_spread *s, bool center, double lambda, double *theta, double *mean,
                               double *mse);

#endif
