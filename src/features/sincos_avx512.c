/* SLEEF on AVX-512. */
#include "features/sincos.h"

#include <immintrin.h>
#include <sleef.h>

#define NAME   rotate
#define REAL   double
#define WIDTH  8
#define LOAD   _mm512_loadu_pd
#define STORE  _mm512_storeu_pd
#define TIMES  _mm512_mul_pd
#define PAIR   Sleef___m512d_2
#define SINCOS Sleef_sincosd8_u35avx512f
#include "features/sincos_vector.inc"

#define NAME   rotate_single
#define REAL   float
#define WIDTH  16
#define LOAD   _mm512_loadu_ps
#define STORE  _mm512_storeu_ps
#define TIMES  _mm512_mul_ps
#define PAIR   Sleef___m512_2
#define SINCOS Sleef_sincosf16_u35avx512f
#include "features/sincos_vector.inc"

const orffi_sincos_level orffi_sincos_avx512 = {"SLEEF avx512", rotate, rotate_single};
