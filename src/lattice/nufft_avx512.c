/* AVX-512. */
#define LEVEL_NAME  "avx512"
#define LEVEL       orffi_nufft_avx512
#define VECTOR_MOST 64
#include "lattice/nufft_loops.inc"
