/* The fine grid of a nonuniform transform, divided into tiles. If d < 3, arrays of 3 have leading dimensions
 * of one node, so that loops do not depend on d. */
#ifndef ORFFI_LATTICE_NUFFT_TILES_H
#define ORFFI_LATTICE_NUFFT_TILES_H

#include "lattice/nufft_level.h"

typedef struct orffi_nufft_tiles {
    size_t d, width;
    size_t nodes[3], total; /* of the grid, and the product */
    size_t cells[3];        /* of every tile but the last */
    size_t tiles[3], count; /* and the product */
    size_t halo[3];         /* nodes of a buffer beyond its cells: width - 1 */
    size_t first[3];        /* offset from the start of a tile to the start of its buffer, in nodes */
    orffi_nufft_axis axes[3];
    orffi_nufft_strides strides; /* of buffers; `side` numbers for each right-hand side */
} orffi_nufft_tiles;

/* Grids for modes |k_i| <= K[i]. */
orff_status orffi_nufft_tile(orffi_nufft_tiles *tiles, size_t d, const size_t *K, int width);

/* The position of a tile's buffer in the grid: its first node and its number of nodes, in each dimension. */
typedef struct orffi_nufft_box {
    size_t origin[3], extent[3];
} orffi_nufft_box;

orffi_nufft_box orffi_nufft_box_of(const orffi_nufft_tiles *tiles, size_t tile);

#endif
