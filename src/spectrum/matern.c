/* Matern base, shape nu: k0 = M_nu(x), x = sqrt(2 nu) r, M_nu(x) = 2^(1-nu) x^nu K_nu(x) / Gamma(nu). z is
 * multivariate t with 2 nu degrees of freedom: tau = nu/G, G ~ Gamma(nu). Half-integers have closed forms. */
#define _DEFAULT_SOURCE /* lgamma_r */
#include <math.h>
#include <string.h>

#include "base/special.h"
#include "base/vector.h"
#include "spectrum/bases.h"

static bool is_half(double nu) {
    return nu == 0.5 || nu == 1.5 || nu == 2.5 || nu == 3.5;
}

/* The polynomial that multiplies e^-x at half-integers. */
static double polynomial(double nu, double x) {
    if (nu == 0.5) return 1.0;
    if (nu == 1.5) return 1.0 + x;
    if (nu == 2.5) return 1.0 + x + x * x / 3.0;
    return 1.0 + x + 0.4 * x * x + x * x * x / 15.0;
}

static double k0(double nu, double r) {
    const double x = sqrt(2.0 * nu) * r, e = exp(-x);
    if (is_half(nu)) return polynomial(nu, x) * e;
    return orffi_matern_scaled(nu, x) * e;
}

/* k0 at x, in place of x, with e = e^-x. One loop per polynomial, so that the loops have no branches. */
static void half_k0(double nu, size_t n, const double *e, double *x) {
    if (nu == 0.5)
        memcpy(x, e, n * sizeof *x);
    else if (nu == 1.5)
        for (size_t i = 0; i < n; i++) x[i] = polynomial(1.5, x[i]) * e[i];
    else if (nu == 2.5)
        for (size_t i = 0; i < n; i++) x[i] = polynomial(2.5, x[i]) * e[i];
    else
        for (size_t i = 0; i < n; i++) x[i] = polynomial(3.5, x[i]) * e[i];
}

/* -k0'(r)/r = 2 nu / (2 nu - 2) times k0 of order nu - 1, both at x; for nu = 1/2, e^-x / x. */
static void half_slopes(double nu, size_t n, const double *e, const double *x, double *g1) {
    if (nu == 0.5)
        for (size_t i = 0; i < n; i++) g1[i] = x[i] > 1e-150 ? e[i] / x[i] : 0.0;
    else
        for (size_t i = 0; i < n; i++)
            g1[i] = 2.0 * nu / (2.0 * nu - 2.0) * polynomial(nu - 1.0, x[i]) * e[i];
}

static bool many(double nu, size_t n, double *squares, double *g1) {
    enum { BLOCK = 64 };
    const orffi_vector_level *level = orffi_vector_level_here();
    double e[BLOCK];
    if (!is_half(nu)) return false;
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t count = n - first < BLOCK ? n - first : BLOCK;
        double *x = squares + first;
        level->root_many(count, 2.0 * nu, x);
        for (size_t i = 0; i < count; i++) e[i] = -x[i];
        level->exp_many(count, e);
        if (g1) half_slopes(nu, count, e, x, g1 + first);
        half_k0(nu, count, e, x);
    }
    return true;
}

/* g1 = a^2/(2(nu-1)) M_(nu-1)(x), g2 r^2 = a^2/(2(nu-1)) 2^(2-nu)/Gamma(nu-1) x^nu K_|nu-2|(x), a = sqrt(2
 * nu). */
static void slopes_any(double nu, double x, double *g1, double *g2r2) {
    int sign;
    const double front = nu / (nu - 1.0), e = exp(-x);
    *g1 = front * orffi_matern_scaled(nu - 1.0, x) * e;
    *g2r2 = 0.0;
    if (x > 0.0) {
        const double scale = (2.0 - nu) * log(2.0) - lgamma_r(nu - 1.0, &sign) + nu * log(x);
        *g2r2 = front * exp(scale - x) * orffi_bessel_k_scaled(nu - 2.0, x);
    }
}

static void slopes(double nu, double r, double *g1, double *g2r2) {
    const double a2 = 2.0 * nu, x = sqrt(a2) * r, e = exp(-x);
    if (nu == 1.5) {
        *g1 = a2 * e;
        *g2r2 = a2 * x * e;
    } else if (nu == 2.5) {
        *g1 = a2 / 3.0 * (1.0 + x) * e;
        *g2r2 = a2 / 3.0 * x * x * e;
    } else if (nu == 3.5) {
        *g1 = a2 / 5.0 * (1.0 + x + x * x / 3.0) * e;
        *g2r2 = a2 / 15.0 * (1.0 + x) * x * x * e;
    } else {
        slopes_any(nu, x, g1, g2r2);
    }
}

/* sqrt(2 x/pi) e^x K_order(x) at half-integers up to 5/2. */
static double half_bessel(double order, double x) {
    const double above = fabs(order);
    return above == 0.5 ? 1.0 : above == 1.5 ? 1.0 + 1.0 / x : 1.0 + (3.0 + 3.0 / x) / x;
}

/* 2^(1-nu)/Gamma(nu) x^nu e^x times sqrt(pi/(2 x)) for the four half-integers with closed forms; 0 for
 * others. */
static double half_front(double nu, double x) {
    if (nu == 0.5) return 1.0;
    if (nu == 1.5) return x;
    if (nu == 2.5) return x * x / 3.0;
    return nu == 3.5 ? x * x * x / 15.0 : 0.0;
}

/* (1/x d/dx) x^nu K_nu(x) = -x^(nu-1) K_(nu-1)(x): t_m = (-a)^m 2^(1-nu)/Gamma(nu) x^nu K_(nu-m)(x). They are
 * negligible where x is so small that K may overflow. */
static void derivatives(double nu, double r, double t[3]) {
    const double a = sqrt(2.0 * nu), x = a * r, half = half_front(nu, x);
    const double e = half > 0.0 ? half * exp(-x) : 0.0;
    int sign;
    double front = 1.0;
    for (int m = 1; m <= 3; m++) {
        const double order = nu - m;
        front *= -a;
        t[m - 1] = 0.0;
        if (x < 1e-100) continue;
        if (half > 0.0) {
            t[m - 1] = front * e * half_bessel(order, x);
            continue;
        }
        if (fabs(order) * -log10(x) > 250.0) continue;
        const double scale = (1.0 - nu) * log(2.0) - lgamma_r(nu, &sign) + nu * log(x);
        t[m - 1] = front * exp(scale - x) * orffi_bessel_k_scaled(order, x);
    }
}

static double smoothness(double nu) {
    return 2.0 * nu;
}

/* Size-biased by tau = nu/G, the law of G becomes Gamma(nu-1). Needs nu > 1, as E tau does. */
static double mixing(double nu, bool biased, double u) {
    return nu / orffi_gamma_quantile(biased ? nu - 1.0 : nu, u);
}

/* E tau^k = nu^k / ((nu-1) .. (nu-k)) */
static double mixing_moment(double nu, int k) {
    double moment = 1.0;
    for (int i = 1; i <= k; i++) {
        if (nu <= i) return INFINITY;
        moment *= nu / (nu - i);
    }
    return moment;
}

static double log_density(double nu, size_t dim, double r) {
    const double half = 0.5 * (double)dim;
    int sign;
    return lgamma_r(nu + half, &sign) - lgamma_r(nu, &sign) - half * log(2.0 * ORFFI_PI * nu) -
           (nu + half) * log1p(r * r / (2.0 * nu));
}

/* Below 1/2 a process is rougher than Brownian motion. Beyond 8, rows cannot distinguish it from the gaussian
 * base. */
static const double orders[] = {0.5, 1.0, 1.5, 2.0, 2.5, 3.5, 5.0, 8.0, 0.0};

const orffi_base_ops orffi_base_matern = {
    .id = ORFF_BASE_MATERN,
    .smooth_when = "nu > 1",
    .spherical = true,
    .has_shape = true,
    .shapes = orders,
    .middle_shape = 2,
    .k0 = k0,
    .many = many,
    .slopes = slopes,
    .derivatives = derivatives,
    .smoothness = smoothness,
    .mixing = mixing,
    .mixing_moment = mixing_moment,
    .log_density = log_density,
};
