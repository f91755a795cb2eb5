/* SLEEF on AVX2 with FMA. */
#include "features/sincos.h"

#include <immintrin.h>
#include <sleef.h>

#define NAME   rotate
#define REAL   double
#define WIDTH  4
#define LOAD   _mm256_loadu_pd
#define STORE  _mm256_storeu_pd
#define TIMES  _mm256_mul_pd
#define PAIR   Sleef___m256d_2
#define SINCOS Sleef_sincosd4_u35avx2
#include "features/sincos_vector.inc"

#define NAME   rotate_single
#define REAL   float
#define WIDTH  8
#define LOAD   _mm256_loadu_ps
#define STORE  _mm256_storeu_ps
#define TIMES  _mm256_mul_ps
#define PAIR   Sleef___m256_2
#define SINCOS Sleef_sincosf8_u35avx2
#include "features/sincos_vector.inc"

const orffi_sincos_level orffi_sincos_avx2 = {"SLEEF avx2", rotate, rotate_single};
