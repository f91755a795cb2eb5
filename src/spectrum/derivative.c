/* First and third derivatives of k0, and derivatives by the length scales. k0 is a product of two factors,
 * the field's space and the covariates. Each factor is spherical in its whitened inputs v = delta / l, or a
 * product over them. */
#include <math.h>

#include "spectrum/line.h"

bool orffi_spectrum_is_smooth(const orffi_spectrum *s, double order) {
    return !s->base->smoothness || s->base->smoothness(s->shape) > order;
}

/* One factor of the law, on some of the inputs. */
typedef struct factor {
    const orffi_spectrum *s;
    size_t count;
    const size_t *inputs;
    const double *delta;
} factor;

static factor space_of(const orffi_spectrum *s, const double *delta) {
    return (factor){s, s->space_count, s->space, delta};
}

static factor covariates_of(const orffi_spectrum *s, const double *delta) {
    return (factor){s, s->dim - s->space_count, s->covariates, delta};
}

static double whitened(const factor *f, size_t a) {
    return f->delta[f->inputs[a]] / f->s->scale[f->inputs[a]];
}

static double norm(const factor *f) {
    double sum = 0.0;
    for (size_t a = 0; a < f->count; a++) sum += whitened(f, a) * whitened(f, a);
    return sqrt(sum);
}

/* The product over the inputs of derivatives of f; the order for an input is how often it occurs among a, b,
 * c. f->count stands for no input. */
static double product(const factor *f, size_t a, size_t b, size_t c) {
    double out = 1.0;
    for (size_t i = 0; i < f->count; i++) {
        const double v = whitened(f, i);
        const int order = (i == a) + (i == b) + (i == c);
        double d[3];
        f->s->base->factor(v, &d[0], &d[1], &d[2]);
        out *= order == 3 ? f->s->base->third(v) : d[order];
    }
    return out;
}

static double value(const factor *f) {
    if (f->count == 0) return 1.0;
    if (f->s->base->spherical) return f->s->base->k0(f->s->shape, norm(f));
    return product(f, f->count, f->count, f->count);
}

/* The gradient of one factor, times `front`. */
static void fill_gradient(const factor *f, double front, double *gradient) {
    const bool spherical = f->s->base->spherical;
    const double r = spherical ? norm(f) : 0.0;
    double t[3] = {0};
    if (r > 0.0) f->s->base->derivatives(f->s->shape, r, t);
    for (size_t a = 0; a < f->count; a++) {
        const double radial = r > 0.0 ? t[0] * whitened(f, a) / r : 0.0;
        const double slope = spherical ? radial : product(f, a, f->count, f->count);
        gradient[f->inputs[a]] = front * slope / f->s->scale[f->inputs[a]];
    }
}

void orffi_line_gradient(const orffi_spectrum *s, const double *delta, double *gradient) {
    const factor space = space_of(s, delta), rest = covariates_of(s, delta);
    fill_gradient(&space, value(&rest), gradient);
    fill_gradient(&rest, value(&space), gradient);
    orffi_centre_gradient(s, delta, gradient);
}

/* d_a d_b d_c of a factor, whitened. t: of the base at r, for spherical bases. */
static double third(const factor *f, const double t[3], double r, size_t a, size_t b, size_t c) {
    if (!f->s->base->spherical) return product(f, a, b, c);
    if (!(r > 1e-150)) return 0.0; /* an odd derivative of a smooth function */
    const double ua = whitened(f, a) / r, ub = whitened(f, b) / r, uc = whitened(f, c) / r;
    return t[1] / r * ((a == b ? uc : 0.0) + (a == c ? ub : 0.0) + (b == c ? ua : 0.0)) + t[2] * ua * ub * uc;
}

/* The derivative along an input of the field's space. */
static void fill_along(const factor *f, size_t c, double front, const double t[3], double r, double *T) {
    const size_t m = f->count;
    const double *scale = f->s->scale;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            T[a * m + b] = -front * third(f, t, r, a, b, c) /
                           (scale[f->inputs[a]] * scale[f->inputs[b]] * scale[f->inputs[c]]);
}

void orffi_line_curl_gradient(const orffi_spectrum *s, const double *delta, double *T, double *work) {
    const factor space = space_of(s, delta), rest = covariates_of(s, delta);
    const size_t m = s->space_count;
    const double r = s->base->spherical ? norm(&space) : 0.0, front = value(&rest);
    double t[3] = {0}, *K = work, *slopes = work + m * m;
    if (r > 0.0) s->base->derivatives(s->shape, r, t);
    for (size_t c = 0; c < m; c++) fill_along(&space, c, front, t, r, T + s->space[c] * m * m);
    if (rest.count == 0) return;
    orffi_line_curl(s, delta, K); /* includes the covariates' k0, which is divided out below */
    fill_gradient(&rest, 1.0, slopes);
    for (size_t i = 0; i < rest.count; i++)
        for (size_t e = 0; e < m * m; e++)
            T[rest.inputs[i] * m * m + e] = front > 0.0 ? K[e] / front * slopes[rest.inputs[i]] : 0.0;
}

/* ---- derivatives by log length scales: v_i = delta_i / l_i, so d / d log l_i = -v_i d / d v_i */

/* The slopes of one factor; returns its value. */
static double fill_slopes(const factor *f, double *slopes) {
    const bool spherical = f->s->base->spherical;
    const double r = spherical ? norm(f) : 0.0;
    double t[3] = {0};
    if (f->count == 0) return 1.0;
    if (r > 1e-150) f->s->base->derivatives(f->s->shape, r, t);
    const double front = r > 1e-150 ? -t[0] / r : 0.0;
    for (size_t a = 0; a < f->count; a++) {
        const double v = whitened(f, a);
        slopes[f->inputs[a]] = spherical  ? front * v * v
                               : v != 0.0 ? -v * product(f, a, f->count, f->count)
                                          : 0.0;
    }
    return spherical ? f->s->base->k0(f->s->shape, r) : value(f);
}

static void multiply(const factor *f, double front, double *slopes) {
    for (size_t a = 0; a < f->count; a++) slopes[f->inputs[a]] *= front;
}

void orffi_line_k0_scales(const orffi_spectrum *s, const double *delta, double *k0, double *slopes) {
    const factor space = space_of(s, delta), rest = covariates_of(s, delta);
    const double first = fill_slopes(&space, slopes), second = fill_slopes(&rest, slopes),
                 wave = orffi_centre_wave(s, delta);
    *k0 = first * second * wave;
    if (!rest.count && !s->centre) return;
    multiply(&space, second * wave, slopes);
    multiply(&rest, first * wave, slopes);
}

/* sum_c v_c d_a d_b d_c of a factor, whitened. */
static double along_ray(const factor *f, const double t[3], double r, size_t a, size_t b) {
    double sum = 0.0;
    if (f->s->base->spherical) {
        if (!(r > 1e-150)) return 0.0;
        return (a == b ? t[1] : 0.0) + (2.0 * t[1] + r * t[2]) * (whitened(f, a) / r) * (whitened(f, b) / r);
    }
    for (size_t c = 0; c < f->count; c++) sum += whitened(f, c) * product(f, a, b, c);
    return sum;
}

void orffi_line_curl_scales(const orffi_spectrum *s, const double *delta, double *K, double *along,
                            double *slopes) {
    const factor space = space_of(s, delta), rest = covariates_of(s, delta);
    const size_t m = s->space_count;
    const double r = s->base->spherical ? norm(&space) : 0.0, front = fill_slopes(&rest, slopes);
    double t[3] = {0};
    if (r > 1e-150) s->base->derivatives(s->shape, r, t);
    orffi_line_curl(s, delta, K);
    multiply(&rest, front > 0.0 ? 1.0 / front : 0.0, slopes);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            along[a * m + b] =
                front * along_ray(&space, t, r, a, b) / (s->scale[s->space[a]] * s->scale[s->space[b]]);
}
