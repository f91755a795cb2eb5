/* The power of a learned field against wavenumber, from the waves whose sum the model is.
 *
 * Over the region, under a taper (Hann, of mean square 1), the field has the Fourier coefficients
 *
 *     F(q) = sum over waves of c/2 W(w - q) + conj(c)/2 W(-w - q),   c = (a - i b) exp(i <w, centre - origin>)
 *
 * where W is the transform of the taper. So the waves do not count outside the region, where a lattice has
 * a margin and features are arbitrary. Other inputs are held at the middle of their range. */
#include "model/power.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"

/* Between the ends of a bin, unless the region is too small to tell such wavenumbers apart. */
#define RATIO  1.2
#define PLACES 1024      /* points from which the size of the region on the plane is measured */
#define CELLS  (1 << 22) /* largest number of cells of a transform */
#define REACH  8 /* cells on either side that a wave contributes to: beyond, the taper is below 0.001 */
#define MOST   3 /* most inputs of a wavenumber */
#define TURN   6.283185307179586

typedef struct spectrum {
    const orff_model *model;
    orff_sum *sum;
    size_t d, p, dim;
    const size_t *axes;
    double *centre, *side; /* d: centre and sides of the region, on the plane if there is one */
    size_t most[MOST];     /* wavenumbers are integer multiples, -most to most, of 2 pi / side */
    orff_power *power;
} spectrum;

void orffi_power_add(const orff_power *power, double *bins, double wavenumber, double amount) {
    for (size_t i = 0; i < power->bins; i++)
        if (wavenumber >= power->edges[i] && wavenumber < power->edges[i + 1]) bins[i] += amount;
}

/* ---- the region */

/* Multiples of irrational numbers, modulo 1, fill the region evenly. */
static void put_places(size_t d, const double *low, const double *high, double *X) {
    for (size_t i = 0; i < PLACES * d; i++) {
        const size_t k = i % d;
        const double at = (double)(i / d + 1) * sqrt((double)(2 + 3 * k * k + 2 * k));
        X[i] = low[k] + (at - floor(at)) * (high[k] - low[k]);
    }
}

static void measure_region(spectrum *s, const double *X) {
    for (size_t k = 0; k < s->d; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = k; i < PLACES * s->d; i += s->d) {
            low = fmin(low, X[i]);
            high = fmax(high, X[i]);
        }
        s->centre[k] = 0.5 * (low + high);
        s->side[k] = high - low;
    }
}

static orff_status find_region(spectrum *s, const double *low, const double *high) {
    double *X;
    ORFFI_TRY(ORFFI_NEW_ARRAY(X, PLACES * s->d));
    put_places(s->d, low, high, X);
    const orff_status status =
        s->model->on_plane ? orff_plane_project(&s->model->plane, s->d, PLACES, X, NULL) : ORFF_OK;
    if (!status) measure_region(s, X);
    orffi_release(X);
    for (size_t k = 0; !status && k < s->dim; k++) {
        const double side = s->side[s->axes[k]];
        if (!(side > 0.0 && isfinite(side) && isfinite(TURN / side)))
            return orffi_fail(
                ORFF_ERROR_INVALID_ARGUMENT,
                "orff_model_power: the region has one value of input %zu, which has no wavelengths",
                s->axes[k]);
    }
    return status;
}

/* ---- bins */

/* The largest multiple needed along each input for the model's waves, limited by CELLS. */
static void find_most(spectrum *s) {
    const double room = 0.5 * floor(pow(CELLS, 1.0 / (double)s->dim)) - 1.0;
    for (size_t k = 0; k < s->dim; k++) {
        const double step = TURN / s->side[s->axes[k]];
        double most = 1.0;
        for (size_t t = 0; t < orff_sum_terms(s->sum); t++) {
            const orff_term term = orff_sum_term(s->sum, t);
            for (size_t j = 0; j < term.waves; j++)
                most = fmax(most, ceil(fabs(term.omega[j * s->d + s->axes[k]]) / step));
        }
        s->most[k] = (size_t)fmin(most, room);
    }
}

/* The region cannot tell apart waves closer than 2 pi / side, so no bin is narrower. The last bin ends
 * where the first of the inputs runs out of waves. */
static void make_bins(spectrum *s) {
    orff_power *power = s->power;
    double step = INFINITY, most = INFINITY;
    find_most(s);
    for (size_t k = 0; k < s->dim; k++) {
        const double one = TURN / s->side[s->axes[k]];
        step = fmin(step, one);
        most = fmin(most, (double)s->most[k] * one);
    }
    power->edges[0] = 0.5 * step;
    while (power->bins < ORFF_POWER_BINS && power->edges[power->bins] < most) {
        const double at = power->edges[power->bins++];
        power->edges[power->bins] = fmax(at + step, RATIO * at);
    }
}

/* ---- waves */

static double sinc(double x) {
    return fabs(x) < 1e-8 ? 1.0 : sin(x) / x;
}

/* W along one input at a distance of `cells` = (w - q) side / 2 pi. */
static double taper(double cells) {
    const double x = 0.5 * TURN * cells, turn = 0.5 * TURN;
    return 0.816496580927726 * (sinc(x) + 0.5 * sinc(x - turn) + 0.5 * sinc(x + turn));
}

typedef struct transform {
    size_t count[MOST]; /* cells along each input; 1 for missing inputs */
    double *real, *imaginary;
} transform;

/* The taper's weights for the cells around a wave, zero outside the transform. Returns the first cell. */
static ptrdiff_t weigh_cells(size_t count, double at, double W[2 * REACH + 1]) {
    const ptrdiff_t first = count > 1 ? (ptrdiff_t)floor(at + 0.5) - REACH : 0;
    for (ptrdiff_t i = 0; i <= 2 * REACH; i++) {
        const bool inside = first + i >= 0 && first + i < (ptrdiff_t)count;
        W[i] = !inside ? 0.0 : count > 1 ? taper(at - (double)(first + i)) : 1.0;
    }
    return first;
}

/* Adds a wave, times its coefficient, to the cells around it. at: in cells, from -most. */
static void add_wave(transform *f, const double at[MOST], double re, double im) {
    double W[MOST][2 * REACH + 1];
    ptrdiff_t first[MOST];
    for (size_t k = 0; k < MOST; k++)
        if (f->count[k] > 1 && !(at[k] > -REACH - 1.0 && at[k] < (double)f->count[k] + REACH)) return;
    for (size_t k = 0; k < MOST; k++) first[k] = weigh_cells(f->count[k], at[k], W[k]);
    for (ptrdiff_t i = 0; i <= 2 * REACH; i++)
        for (ptrdiff_t j = 0; W[0][i] != 0.0 && j <= 2 * REACH; j++)
            for (ptrdiff_t k = 0; W[1][j] != 0.0 && k <= 2 * REACH; k++) {
                const double w = W[0][i] * W[1][j] * W[2][k];
                if (w == 0.0) continue;
                const size_t cell =
                    ((size_t)(first[0] + i) * f->count[1] + (size_t)(first[1] + j)) * f->count[2] +
                    (size_t)(first[2] + k);
                f->real[cell] += w * re;
                f->imaginary[cell] += w * im;
            }
}

/* Adds wave j of one output. */
static void add_one(const spectrum *s, transform *f, const orff_term *term, size_t j, size_t output) {
    const double *omega = term->omega + j * s->d, a = term->a[j * s->p + output],
                 b = term->b[j * s->p + output];
    double angle = 0.0, at[MOST] = {0}, against[MOST] = {0};
    for (size_t k = 0; k < s->d; k++) angle += omega[k] * (s->centre[k] - term->origin[k]);
    for (size_t k = 0; k < s->dim; k++) {
        const double cells = omega[s->axes[k]] * s->side[s->axes[k]] / TURN;
        at[k] = (double)s->most[k] + cells;
        against[k] = (double)s->most[k] - cells;
    }
    const double re = 0.5 * (a * cos(angle) + b * sin(angle)), im = 0.5 * (a * sin(angle) - b * cos(angle));
    add_wave(f, at, re, im);
    add_wave(f, against, re, -im);
}

static void count_cells(spectrum *s, const transform *f) {
    const size_t n = f->count[0] * f->count[1] * f->count[2];
    for (size_t i = 0; i < n; i++) {
        const size_t cell[MOST] = {i / f->count[2] / f->count[1], i / f->count[2] % f->count[1],
                                   i % f->count[2]};
        double square = 0.0;
        for (size_t k = 0; k < s->dim; k++) {
            const double q = ((double)cell[k] - (double)s->most[k]) * TURN / s->side[s->axes[k]];
            square += q * q;
        }
        orffi_power_add(s->power, s->power->learned, sqrt(square),
                        f->real[i] * f->real[i] + f->imaginary[i] * f->imaginary[i]);
    }
}

static orff_status add_learned(spectrum *s) {
    transform f = {.count = {1, 1, 1}};
    for (size_t k = 0; k < s->dim; k++) f.count[k] = 2 * s->most[k] + 1;
    const size_t n = f.count[0] * f.count[1] * f.count[2];
    ORFFI_TRY(ORFFI_NEW_ARRAY(f.real, 2 * n));
    f.imaginary = f.real + n;
    for (size_t output = 0; output < s->p; output++) {
        for (size_t i = 0; i < 2 * n; i++) f.real[i] = 0.0;
        for (size_t t = 0; t < orff_sum_terms(s->sum); t++) {
            const orff_term term = orff_sum_term(s->sum, t);
            for (size_t j = 0; j < term.waves; j++) add_one(s, &f, &term, j, output);
        }
        count_cells(s, &f);
    }
    for (size_t i = 0; i < s->power->bins; i++) s->power->mean_square += s->power->learned[i];
    orffi_release(f.real);
    return ORFF_OK;
}

/* ---- */

static orff_status check(const spectrum *s) {
    if (s->dim < 1 || s->dim > MOST)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_model_power: wavenumbers of %zu inputs; a spectrum is of one to %d", s->dim,
                          MOST);
    for (size_t k = 0; k < s->dim; k++)
        if (s->axes[k] >= s->d)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_power: there is no input %zu",
                              s->axes[k]);
    return ORFF_OK;
}

static orff_status find_waves(spectrum *s) {
    const orff_status status = s->model->classes ? ORFF_ERROR_UNSUPPORTED : orff_model_sum(s->model, &s->sum);
    if (status && status != ORFF_ERROR_UNSUPPORTED) return status;
    return !status && orff_sum_term(s->sum, 0).waves
               ? ORFF_OK
               : orffi_fail(
                     ORFF_ERROR_UNSUPPORTED,
                     "orff_model_power: the model is not a sum of waves, so it has no spectrum of its own; "
                     "fit it with the engine lattice (up to three inputs) or features");
}

orff_status orff_model_power(const orff_model *model, const double *low, const double *high, size_t dim,
                             const size_t *axes, orff_power *power) {
    if (!model || !low || !high || !axes || !power)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_power: NULL argument");
    spectrum s = {.model = model, .d = model->d, .p = model->p, .dim = dim, .axes = axes, .power = power};
    *power = (orff_power){0};
    ORFFI_TRY(check(&s));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s.centre, 2 * s.d));
    s.side = s.centre + s.d;
    orff_status status = find_waves(&s);
    if (!status) status = find_region(&s, low, high);
    if (!status) make_bins(&s);
    if (!status) status = add_learned(&s);
    if (!status) status = orffi_power_prior(power, model, dim, axes);
    orff_sum_free(s.sum);
    orffi_release(s.centre);
    return status;
}
