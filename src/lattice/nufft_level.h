/* The inner loops of the nonuniform transforms. Each level is one file, compiled for its instructions and
 * called only on processors that have them. Results of different levels differ by rounding.
 *
 * A tile is a box of cells of the fine grid. Its buffer covers all nodes that its points touch: for each
 * right-hand side, rows of nodes padded to whole vectors, so that nothing wraps around. */
#ifndef ORFFI_LATTICE_NUFFT_LEVEL_H
#define ORFFI_LATTICE_NUFFT_LEVEL_H

#include <stddef.h>
#include <stdint.h>

#include "lattice/nufft_kernel.h"

/* How to turn one coordinate into a cell, its tile, and its place in the tile. */
typedef struct orffi_nufft_axis {
    double scale; /* nodes per radian */
    double half;  /* half the width: the nodes of a point start after the cell of its coordinate minus this */
    double nodes; /* on the circle */
    uint32_t shift;       /* a tile has 1 << shift cells */
    uint32_t tiles_apart; /* between neighbouring tiles, in numbers of tiles */
    uint32_t in_buffer;   /* between neighbouring nodes in a buffer */
} orffi_nufft_axis;

/* Strides in a buffer: between right-hand sides, between planes (3-D), between rows (2-D, 3-D). */
typedef struct orffi_nufft_strides {
    size_t side, plane, row;
} orffi_nufft_strides;

enum { ORFFI_NUFFT_WIDTHS = ORFFI_NUFFT_MOST_WIDTH - ORFFI_NUFFT_LEAST_WIDTH + 1 };

#define ORFFI_NUFFT_LOOPS(REAL, NAME)                                                                         \
    /* For the points z (n x d): tau (n x d), their tiles, and the place of their first node in its buffer. \
     */ \
    typedef void NAME##_fold(size_t n, size_t d, const orffi_nufft_axis *axes, const REAL *z, REAL *tau,      \
                             uint32_t *tile, uint32_t *place);                                                \
    /* buffer_r += sum over the points of one tile of c[., r] times the kernel: tau is n x d, c is n x      \
     * count. */ \
    typedef void NAME##_spread(size_t n, const REAL *tau, const uint32_t *place, size_t count,                \
                               const REAL *c, const REAL *coefficients, const orffi_nufft_strides *strides,   \
                               REAL *buffer);                                                                 \
    /* f[., r] = the kernel around the points, times buffer_r: the transpose. */                              \
    typedef void NAME##_gather(size_t n, const REAL *tau, const uint32_t *place, size_t count, REAL *f,       \
                               const REAL *coefficients, const orffi_nufft_strides *strides,                  \
                               const REAL *buffer);                                                           \
    typedef struct NAME {                                                                                     \
        NAME##_fold *fold;                                                                                    \
        NAME##_spread *spread[3][ORFFI_NUFFT_WIDTHS]; /* by d - 1 and width - least; NULL: none */            \
        NAME##_gather *gather[3][ORFFI_NUFFT_WIDTHS];                                                         \
    } NAME;

ORFFI_NUFFT_LOOPS(double, orffi_nufft_loops)
ORFFI_NUFFT_LOOPS(float, orffi_nufft_loops_single)

typedef struct orffi_nufft_level {
    const char *name;
    const orffi_nufft_loops *loops;
    const orffi_nufft_loops_single *loops_single;
} orffi_nufft_level;

/* The best level that this processor supports. */
const orffi_nufft_level *orffi_nufft_level_here(void);

/* The levels of this build that this processor supports, the best last; for tests. */
size_t orffi_nufft_levels(const orffi_nufft_level *levels[4]);

extern const orffi_nufft_level orffi_nufft_plain;
#if defined(__x86_64__)
extern const orffi_nufft_level orffi_nufft_avx2, orffi_nufft_avx512;
#endif

#endif
