/* AVX2 with FMA. */
#define LEVEL_NAME  "avx2"
#define LEVEL       orffi_nufft_avx2
#define VECTOR_MOST 32
#include "lattice/nufft_loops.inc"
