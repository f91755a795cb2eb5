/* The C library's sine and cosine: available everywhere, and several times slower than vectors. */
#include <math.h>

#include "features/sincos.h"

static void rotate(size_t n, double *cosine, double *sine, const double *amplitude) {
    for (size_t j = 0; j < n; j++) {
        const double t = cosine[j];
        cosine[j] = amplitude[j] * cos(t);
        sine[j] = amplitude[j] * sin(t);
    }
}

static void rotate_single(size_t n, float *cosine, float *sine, const float *amplitude) {
    for (size_t j = 0; j < n; j++) {
        const float t = cosine[j];
        cosine[j] = amplitude[j] * cosf(t);
        sine[j] = amplitude[j] * sinf(t);
    }
}

const orffi_sincos_level orffi_sincos_plain = {"libm", rotate, rotate_single};
