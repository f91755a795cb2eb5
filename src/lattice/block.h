/* Solves for the most important modes densely: Cholesky of G + shift restricted to them, and the diagonal for
 * all others. With all modes in the block this is a direct solution; otherwise it preconditions the
 * iterations.
 *
 * Real coordinates, orthonormal for orffi_lattice_dot: sqrt 2 (Re, Im) theta_k for the first of k and -k, and
 * theta_0.
 */
#ifndef ORFFI_LATTICE_BLOCK_H
#define ORFFI_LATTICE_BLOCK_H

#include "lattice/system.h"

typedef struct orffi_lattice_block {
    orffi_lattice_system *system;
    size_t modes;          /* in the block */
    size_t n;              /* real unknowns in the block */
    size_t M;              /* real unknowns in all: n if the block has all modes */
    size_t *mode, *mirror; /* modes: their h, and the h of -k if that is stored too, else the same h */
    double *G;             /* n x n */
    double *L;             /* n x n: Cholesky factor of G + shift */
    double *diagonal;      /* r x H: of G outside the block; negative inside */
    double shift;
} orffi_lattice_block;

/* The modes of largest |W_k|^2, with no more than `most` unknowns; rho is that of the set. */
orff_status orffi_lattice_block_init(orffi_lattice_block *block, orffi_lattice_system *system,
                                     const orffi_mode *rho, size_t most);
/* Only chooses the modes and their order. If the block has all modes, the order is that of the lattice. */
orff_status orffi_lattice_block_place(orffi_lattice_block *block, orffi_lattice_system *system, size_t most);
void orffi_lattice_block_clear(orffi_lattice_block *block);

/* Computes L for a shift > 0, unless it is already for that shift. */
orff_status orffi_lattice_block_factor(orffi_lattice_block *block, double shift);

static inline bool orffi_lattice_block_is_all(const orffi_lattice_block *block) {
    return block->n == block->M;
}

/* Converts vectors of r x H to real coordinates of the block (n, with stride: one column of n x stride) and
 * back. */
void orffi_lattice_block_pack(const orffi_lattice_block *block, const orffi_mode *theta, size_t stride,
                              double *x);
void orffi_lattice_block_unpack(const orffi_lattice_block *block, size_t stride, const double *x,
                                orffi_mode *theta);

/* out = M^-1 in for `count` vectors, M the matrix described above. */
orff_status orffi_lattice_block_solve(const orffi_lattice_block *block, size_t count, const orffi_mode *in,
                                      orffi_mode *out);

/* out = M^1/2 in for one vector: has covariance M if `in` has the identity. */
orff_status orffi_lattice_block_root(const orffi_lattice_block *block, const orffi_mode *in, orffi_mode *out);

/* f(x) = rows theta in the block's coordinates: rows is p x n. */
void orffi_lattice_block_waves(const orffi_lattice_block *block, const double *x, double *rows);

/* The same for a field whose modes are i C_k theta_k: C is modes x r x rows, out is rows x n. */
void orffi_lattice_block_slopes(const orffi_lattice_block *block, const double *x, size_t rows,
                                const double *C, double *out);

/* log det M over all real unknowns. */
double orffi_lattice_block_logdet(const orffi_lattice_block *block);

#endif
