/* Laws centred on a wave vector mu and its mirror image: w = z / l + mu or z / l - mu, with equal
 * probability. The kernel of such a law is k0(delta) cos<mu, delta>: it oscillates, and the length scales say
 * how far it stays in phase. */
#include <math.h>

#include "base/memory.h"
#include "spectrum/line.h"

#define TWO_PI 6.28318530717958647693

orff_status orffi_spectrum_set_wavelengths(orffi_spectrum *s, const double *wavelengths) {
    bool any = false;
    for (size_t i = 0; i < s->dim; i++) {
        if (!isfinite(wavelengths[i]) || (wavelengths[i] != 0.0 && !isfinite(TWO_PI / wavelengths[i])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the wavelength along input %zu is %g; it must be finite, 0 for no waves",
                              i + 1, wavelengths[i]);
        any = any || wavelengths[i] != 0.0;
    }
    if (any && s->period)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "a part with a wavelength cannot have periodic inputs: give the one or the other");
    orffi_release(s->centre);
    s->centre = s->wavelength = NULL;
    if (!any) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->centre, 2 * s->dim));
    s->wavelength = s->centre + s->dim;
    for (size_t i = 0; i < s->dim; i++) {
        s->wavelength[i] = wavelengths[i];
        s->centre[i] = wavelengths[i] != 0.0 ? TWO_PI / wavelengths[i] : 0.0;
    }
    return ORFF_OK;
}

static double phase(const orffi_spectrum *s, const double *delta) {
    double sum = 0.0;
    for (size_t i = 0; i < s->dim; i++) sum += s->centre[i] * delta[i];
    return sum;
}

double orffi_centre_wave(const orffi_spectrum *s, const double *delta) {
    return s->centre ? cos(phase(s, delta)) : 1.0;
}

void orffi_centre_gradient(const orffi_spectrum *s, const double *delta, double *gradient) {
    if (!s->centre) return;
    const double angle = phase(s, delta), c = cos(angle), ks = orffi_line_envelope(s, delta) * sin(angle);
    for (size_t i = 0; i < s->dim; i++) gradient[i] = c * gradient[i] - ks * s->centre[i];
}

void orffi_spectrum_k0_centre(const orffi_spectrum *s, const double *delta, double *slopes) {
    const double ks = s->centre ? orffi_line_envelope(s, delta) * sin(phase(s, delta)) : 0.0;
    for (size_t i = 0; i < s->dim; i++) slopes[i] = -ks * delta[i];
}

/* With w = u + mu, u from the law without its centre, and c = |mu|^2:
 *     E|w|^2 = a1 + c                                              a_k = E|u|^2k
 *     E|w|^4 = a2 + 2 c a1 + c^2 + 4 b                             b = E<u,mu>^2
 *     E|w|^6 = a3 + 3 c a2 + 3 c^2 a1 + c^3 + 12 c b + 12 e        e = E<u,mu>^2 |u|^2
 * Terms of odd order in u vanish. */
double orffi_centre_moment(int k, const double a[4], double c, double b, double e) {
    if (k == 1) return a[1] + c;
    if (k == 2) return a[2] + 2.0 * c * a[1] + c * c + 4.0 * b;
    return a[3] + 3.0 * c * a[2] + 3.0 * c * c * a[1] + c * c * c + 12.0 * c * b + 12.0 * e;
}
