/* SLEEF on the vectors that every aarch64 has. */
#include "features/sincos.h"

#include <arm_neon.h>
#include <sleef.h>

#define NAME   rotate
#define REAL   double
#define WIDTH  2
#define LOAD   vld1q_f64
#define STORE  vst1q_f64
#define TIMES  vmulq_f64
#define PAIR   Sleef_float64x2_t_2
#define SINCOS Sleef_sincosd2_u35advsimd
#include "features/sincos_vector.inc"

#define NAME   rotate_single
#define REAL   float
#define WIDTH  4
#define LOAD   vld1q_f32
#define STORE  vst1q_f32
#define TIMES  vmulq_f32
#define PAIR   Sleef_float32x4_t_2
#define SINCOS Sleef_sincosf4_u35advsimd
#include "features/sincos_vector.inc"

const orffi_sincos_level orffi_sincos_advsimd = {"SLEEF advsimd", rotate, rotate_single};
