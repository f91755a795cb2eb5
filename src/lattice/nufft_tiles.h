/* The fine grid of a nonuniform transform, cut into tiles. Arrays of 3 have leading dimensions of one node
 * where d < 3, so that loops need not know d. */
#ifndef ORFFI_LATTICE_NUFFT_TILES_H
#define ORFFI_LATTICE_NUFFT_TILES_H

#include "lattice/nufft_level.h"

typedef struct orffi_nufft_tiles {
    size_t d, width;
    size_t nodes[3], total; /* of the grid, and their product */
    size_t cells[3];        /* of a tile that is not the last */
    size_t tiles[3], count; /* and their product */
    size_t halo[3];         /* nodes that a buffer has beyond its cells: width - 1 */
    size_t first[3];        /* a buffer begins so many nodes after its tile */
    orffi_nufft_axis axes[3];
    orffi_nufft_strides strides; /* of buffers; `side` numbers for each right-hand side */
} orffi_nufft_tiles;

/* Grids for modes |k_i| <= K[i]. */
orff_status orffi_nufft_tile(orffi_nufft_tiles *tiles, size_t d, const size_t *K, int width);

/* A tile's place in the grid: its first node, and nodes of its buffer, in each dimension. */
typedef struct orffi_nufft_box {
    size_t origin[3], extent[3];
} orffi_nufft_box;

orffi_nufft_box orffi_nufft_box_of(const orffi_nufft_tiles *tiles, size_t tile);

#endif
