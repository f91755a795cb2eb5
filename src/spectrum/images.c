/* Periodic inputs: sums over the images of a difference,
 *
 *     k(delta) = sum_j k(delta + j T),       j whole,
 *
 * over as many images as matter. By Poisson summation, the spectrum is that of the line at the harmonics 2 pi
 * j / T. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"
#include "spectrum/line.h"

#define NEGLIGIBLE  1e-10 /* of k0(0) */
#define FARTHEST    1e3   /* length scales up to which k0 is evaluated */
#define MOST_IMAGES 40    /* on each side: kernels with heavy tails are cut off there */
#define MOST_INPUTS 3     /* of a law with periods: the limit of lattices, and of arrays on the stack */

/* ---- periods */

/* k0 along one input, at the whitened distance r. */
static double along_one(const orffi_spectrum *s, double r) {
    double f, f1, f2;
    if (s->base->spherical) return s->base->k0(s->shape, r);
    s->base->factor(r, &f, &f1, &f2);
    return fabs(f);
}

static double find_reach(const orffi_spectrum *s) {
    double r = 1.0;
    while (r < FARTHEST && along_one(s, r) > NEGLIGIBLE) r *= 1.1;
    return r;
}

static orff_status check(size_t dim, const double *periods) {
    for (size_t i = 0; i < dim; i++)
        if (!(periods[i] >= 0.0 && isfinite(periods[i])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the period of input %zu is %g; it must be positive, or 0 for none", i + 1,
                              periods[i]);
    if (dim <= MOST_INPUTS) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "periodic inputs are for up to %d inputs, but there are %zu",
                      MOST_INPUTS, dim);
}

orff_status orffi_spectrum_set_periods(orffi_spectrum *s, const double *periods) {
    bool any = false;
    for (size_t i = 0; i < s->dim; i++) any = any || periods[i] != 0.0;
    if (any) ORFFI_TRY(check(s->dim, periods));
    orffi_release(s->period);
    s->period = NULL;
    s->reach = find_reach(s);
    return any ? orffi_duplicate(&s->period, periods, s->dim, sizeof *periods) : ORFF_OK;
}

/* ---- images */

/* The images: the inputs that are periodic, how many images each has on either side, and the current
 * image. */
typedef struct images {
    size_t count;
    size_t input[MOST_INPUTS];
    double nearest[MOST_INPUTS], step[MOST_INPUTS];
    long most[MOST_INPUTS], at[MOST_INPUTS];
    double delta[MOST_INPUTS]; /* dim: of the current image */
} images;

static void add_input(images *m, const orffi_spectrum *s, size_t i, double delta) {
    const size_t k = m->count++;
    const double most = ceil(s->reach * s->scale[i] / s->period[i] + 0.5);
    m->input[k] = i;
    m->step[k] = s->period[i];
    m->nearest[k] = orffi_shortest(s->period, i, delta);
    m->most[k] = most < MOST_IMAGES ? (long)most : MOST_IMAGES;
    m->at[k] = -m->most[k];
}

static void place(images *m) {
    for (size_t k = 0; k < m->count; k++)
        m->delta[m->input[k]] = m->nearest[k] + (double)m->at[k] * m->step[k];
}

/* The first image of delta; inputs that are not in the list stay at 0. */
static images first_image(const orffi_spectrum *s, size_t count, const size_t *inputs, const double *delta) {
    images m = {0};
    for (size_t k = 0; k < count; k++) m.delta[inputs[k]] = delta[inputs[k]];
    for (size_t k = 0; k < count; k++)
        if (orffi_is_periodic(s->period, inputs[k])) add_input(&m, s, inputs[k], delta[inputs[k]]);
    place(&m);
    return m;
}

static bool next_image(images *m) {
    for (size_t k = 0; k < m->count; k++) {
        if (++m->at[k] <= m->most[k]) {
            place(m);
            return true;
        }
        m->at[k] = -m->most[k];
    }
    return false;
}

static const size_t all_inputs[MOST_INPUTS] = {0, 1, 2};

static images images_of(const orffi_spectrum *s, const double *delta) {
    return first_image(s, s->dim, all_inputs, delta);
}

static void add(size_t n, const double *from, double *to) {
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

/* ---- sums */

double orffi_spectrum_k0(const orffi_spectrum *s, const double *delta) {
    double sum = 0.0;
    if (!s->period) return orffi_line_k0(s, delta);
    images m = images_of(s, delta);
    do sum += orffi_line_k0(s, m.delta);
    while (next_image(&m));
    return sum;
}

void orffi_spectrum_curl(const orffi_spectrum *s, const double *delta, double *K) {
    const size_t size = s->space_count * s->space_count;
    double one[MOST_INPUTS * MOST_INPUTS];
    if (!s->period) {
        orffi_line_curl(s, delta, K);
        return;
    }
    images m = images_of(s, delta);
    memset(K, 0, size * sizeof *K);
    do {
        orffi_line_curl(s, m.delta, one);
        add(size, one, K);
    } while (next_image(&m));
}

void orffi_spectrum_gradient(const orffi_spectrum *s, const double *delta, double *gradient) {
    double one[MOST_INPUTS];
    if (!s->period) {
        orffi_line_gradient(s, delta, gradient);
        return;
    }
    images m = images_of(s, delta);
    memset(gradient, 0, s->dim * sizeof *gradient);
    do {
        orffi_line_gradient(s, m.delta, one);
        add(s->dim, one, gradient);
    } while (next_image(&m));
}

void orffi_spectrum_curl_gradient(const orffi_spectrum *s, const double *delta, double *T, double *work) {
    const size_t size = s->dim * s->space_count * s->space_count;
    double one[MOST_INPUTS * MOST_INPUTS * MOST_INPUTS];
    if (!s->period) {
        orffi_line_curl_gradient(s, delta, T, work);
        return;
    }
    images m = images_of(s, delta);
    memset(T, 0, size * sizeof *T);
    do {
        orffi_line_curl_gradient(s, m.delta, one, work);
        add(size, one, T);
    } while (next_image(&m));
}

void orffi_spectrum_k0_scales(const orffi_spectrum *s, const double *delta, double *k0, double *slopes) {
    double value, one[MOST_INPUTS];
    if (!s->period) {
        orffi_line_k0_scales(s, delta, k0, slopes);
        return;
    }
    images m = images_of(s, delta);
    *k0 = 0.0;
    memset(slopes, 0, s->dim * sizeof *slopes);
    do {
        orffi_line_k0_scales(s, m.delta, &value, one);
        *k0 += value;
        add(s->dim, one, slopes);
    } while (next_image(&m));
}

/* k0 over the covariates alone, whose images are independent of those of the space, and its slopes divided by
 * its value. */
static double covariates_k0(const orffi_spectrum *s, const double *delta, double *slopes) {
    images m = first_image(s, s->dim - s->space_count, s->covariates, delta);
    double value, sum = 0.0, one[MOST_INPUTS];
    for (size_t i = 0; i < s->dim; i++) slopes[i] = 0.0;
    do {
        orffi_line_k0_scales(s, m.delta, &value, one);
        sum += value;
        add(s->dim, one, slopes);
    } while (next_image(&m));
    for (size_t i = 0; i < s->dim; i++) slopes[i] = sum > 0.0 ? slopes[i] / sum : 0.0;
    return sum;
}

void orffi_spectrum_curl_scales(const orffi_spectrum *s, const double *delta, double *K, double *along,
                                double *slopes) {
    const size_t size = s->space_count * s->space_count;
    double one[2][MOST_INPUTS * MOST_INPUTS], unused[MOST_INPUTS];
    if (!s->period) {
        orffi_line_curl_scales(s, delta, K, along, slopes);
        return;
    }
    const double front = covariates_k0(s, delta, slopes);
    images m = first_image(s, s->space_count, s->space, delta);
    memset(K, 0, size * sizeof *K);
    memset(along, 0, size * sizeof *along);
    do {
        orffi_line_curl_scales(s, m.delta, one[0], one[1], unused);
        add(size, one[0], K);
        add(size, one[1], along);
    } while (next_image(&m));
    for (size_t i = 0; i < size; i++) {
        K[i] *= front;
        along[i] *= front;
    }
}
