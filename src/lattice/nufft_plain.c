/* Vectors of 16 bytes, which every processor of this architecture has. */
#define LEVEL_NAME  "plain"
#define LEVEL       orffi_nufft_plain
#define VECTOR_MOST 16
#include "lattice/nufft_loops.inc"
