/* Compiled once per instruction set; the compiler's flags say which one this is. n is rounded down to whole
 * vectors. */
#include "sleef_reference.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif
#include <sleef.h>

#if defined(__AVX512F__)
#define LEVEL                  sleef_avx512
#define DOUBLES(load_or_store) _mm512_##load_or_store##u_pd
#define FLOATS(load_or_store)  _mm512_##load_or_store##u_ps
#define SINCOS                 Sleef_sincosd8_u35avx512f
#define SINCOS_SINGLE          Sleef_sincosf16_u35avx512f
#define PAIR                   Sleef___m512d_2
#define PAIR_SINGLE            Sleef___m512_2
#define WIDTH                  8
#elif defined(__AVX2__)
#define LEVEL                  sleef_avx2
#define DOUBLES(load_or_store) _mm256_##load_or_store##u_pd
#define FLOATS(load_or_store)  _mm256_##load_or_store##u_ps
#define SINCOS                 Sleef_sincosd4_u35avx2
#define SINCOS_SINGLE          Sleef_sincosf8_u35avx2
#define PAIR                   Sleef___m256d_2
#define PAIR_SINGLE            Sleef___m256_2
#define WIDTH                  4
#elif defined(__x86_64__)
#define LEVEL                  sleef_sse2
#define DOUBLES(load_or_store) _mm_##load_or_store##u_pd
#define FLOATS(load_or_store)  _mm_##load_or_store##u_ps
#define SINCOS                 Sleef_sincosd2_u35sse2
#define SINCOS_SINGLE          Sleef_sincosf4_u35sse2
#define PAIR                   Sleef___m128d_2
#define PAIR_SINGLE            Sleef___m128_2
#define WIDTH                  2
#else
#define LEVEL                  sleef_advsimd
#define NEON_load              vld1q
#define NEON_store             vst1q
#define JOIN(name, type)       name##type
#define NEON(name, type)       JOIN(name, type)
#define DOUBLES(load_or_store) NEON(NEON_##load_or_store, _f64)
#define FLOATS(load_or_store)  NEON(NEON_##load_or_store, _f32)
#define SINCOS                 Sleef_sincosd2_u35advsimd
#define SINCOS_SINGLE          Sleef_sincosf4_u35advsimd
#define PAIR                   Sleef_float64x2_t_2
#define PAIR_SINGLE            Sleef_float32x4_t_2
#define WIDTH                  2
#endif

static void run(size_t n, const double *angle, double *cosine, double *sine) {
    for (size_t j = 0; j + WIDTH <= n; j += WIDTH) {
        const PAIR pair = SINCOS(DOUBLES(load)(angle + j));
        DOUBLES(store)(cosine + j, pair.y);
        DOUBLES(store)(sine + j, pair.x);
    }
}

static void run_single(size_t n, const float *angle, float *cosine, float *sine) {
    for (size_t j = 0; j + 2 * WIDTH <= n; j += 2 * WIDTH) {
        const PAIR_SINGLE pair = SINCOS_SINGLE(FLOATS(load)(angle + j));
        FLOATS(store)(cosine + j, pair.y);
        FLOATS(store)(sine + j, pair.x);
    }
}

const sleef_reference LEVEL = {run, run_single};
