/* SLEEF on SSE2, which every x86-64 has. */
#include "features/sincos.h"

#include <emmintrin.h>
#include <sleef.h>

#define NAME   rotate
#define REAL   double
#define WIDTH  2
#define LOAD   _mm_loadu_pd
#define STORE  _mm_storeu_pd
#define TIMES  _mm_mul_pd
#define PAIR   Sleef___m128d_2
#define SINCOS Sleef_sincosd2_u35sse2
#include "features/sincos_vector.inc"

#define NAME   rotate_single
#define REAL   float
#define WIDTH  4
#define LOAD   _mm_loadu_ps
#define STORE  _mm_storeu_ps
#define TIMES  _mm_mul_ps
#define PAIR   Sleef___m128_2
#define SINCOS Sleef_sincosf4_u35sse2
#include "features/sincos_vector.inc"

const orffi_sincos_level orffi_sincos_sse2 = {"SLEEF sse2", rotate, rotate_single};
