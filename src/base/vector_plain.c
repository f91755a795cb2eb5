#define LEVEL orffi_vector_plain
#define NAME  "plain"
#include "base/vector.inc"

const orffi_vector_level *orffi_vector_level_here(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &orffi_vector_avx2;
#endif
    return &orffi_vector_plain;
}
