#define LEVEL orffi_vector_avx2
#define NAME  "avx2"
#include "base/vector.inc"
