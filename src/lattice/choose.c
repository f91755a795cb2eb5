/* Chooses the lattice for a kernel on rows of a known extent.
 *
 * By Poisson summation the lattice kernel is the true one plus its images a period away, minus the spectrum
 * beyond the cut. So the period is the extent of the rows plus the distance that the kernel reaches, and the
 * cut lies where the tail of the spectrum becomes negligible. Spectra with slow tails (Matern, Laplace) are
 * cut no later than where rows can no longer distinguish frequencies: what lies beyond looks like noise to
 * them.
 */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/periods.h"
#include "lattice/fft.h"
#include "lattice/lattice.h"

#define PI 3.14159265358979323846

/* Rows on a regular grid resolve half a wave per spacing. Scattered rows have some neighbours closer than
 * that, and what the cut leaves out must be small compared with what they resolve. */
#define BEYOND_NYQUIST 1.5
#define CHEAP          65536.0 /* modes that add little to the time of a fit: the band limit leaves this many */
#define USELESS        1024.0 /* modes of a lattice that can carry hardly anything of the kernel */
#define WORST          0.05   /* of the kernel's size: a coarser lattice does not represent the kernel */
#define COARSER        3.0    /* factor between successive tolerances up to there */
/* Rows cannot determine a wave whose variance, times the number of rows, is below the fraction UNTOLD of the
 * noise. Above the fraction TOLD they determine it well, and it stays whatever the tolerance allows, unless
 * all waves beyond it have less than NOTHING of the kernel's variance. */
#define UNTOLD  0.1
#define TOLD    1.0
#define NOTHING 1e-6
/* Half-way to the next image, where f returns to the mean, the kernel must have fallen below a share of its
 * size: the square root of the tolerance, which kernels with exponential tails reach there anyway, but at
 * most this. */
#define VISIBLE    0.03
#define FARTHEST   1e5  /* length scales up to which a kernel is evaluated */
#define LOOKS      1.05 /* ratio of successive distances */
#define TAIL_STEPS 600  /* steps of the integral over a tail, */
#define TAIL_END   1e12 /* and its end relative to where it begins */
#define BISECTIONS 60

/* ---- the cut */

/* log density of one coordinate at z: the law of the same base in one dimension. */
static double log_coordinate(const orffi_spectrum *law, double z) {
    return law->base->spherical ? law->base->log_density(law->shape, 1, z)
                                : law->base->coordinate_log_density(z);
}

/* 2 int_from^inf z^power p(z) dz, z = e^t, by the trapezoid rule. */
static double tail_mass(const orffi_spectrum *law, double power, double from) {
    const double step = log(TAIL_END) / TAIL_STEPS;
    double sum = 0.0;
    for (size_t i = 0; i <= TAIL_STEPS; i++) {
        const double t = log(from) + step * (double)i, z = exp(t);
        sum +=
            (i == 0 || i == TAIL_STEPS ? 1.0 : 2.0) * step * exp(log_coordinate(law, z) + (power + 1.0) * t);
    }
    return sum;
}

/* The z beyond which a coordinate has less than `share` of the part's variance, the integral of z^power p. */
static double find_cut(const orffi_kernel_part *part, double share) {
    const double power = part->rule->physical ? 2.0 : 0.0;
    const double whole = tail_mass(&part->law, power, 1e-6);
    double low = log(1e-2), high = log(1e10);
    for (size_t i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (low + high);
        if (tail_mass(&part->law, power, exp(middle)) > share * whole)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}

/* ---- the margin */

/* Largest |K_ab| of the part at `distance` along input i. */
static orff_status reach_at(const orffi_kernel_part *part, size_t i, double distance, double *delta,
                            double *K, double *size) {
    for (size_t k = 0; k < part->d; k++) delta[k] = k == i ? distance : 0.0;
    if (part->rule->exact || part->exact) {
        ORFFI_TRY(orffi_part_exact(part, 1, delta, K));
    } else {
        K[0] = orffi_spectrum_k0(&part->law, delta); /* all that is known of a part without an exact form */
        for (size_t k = 1; k < part->p * part->p; k++) K[k] = 0.0;
    }
    *size = 0.0;
    for (size_t k = 0; k < part->p * part->p; k++) *size = fmax(*size, fabs(K[k]));
    return ORFF_OK;
}

/* The last distance along input i at which the part is larger than `share` of its size. */
static orff_status find_reach(const orffi_kernel_part *part, size_t i, double share, double *delta, double *K,
                              double *reach) {
    const double scale = part->law.scale[i];
    double size, whole;
    ORFFI_TRY(reach_at(part, i, 0.0, delta, K, &whole));
    *reach = 0.0;
    for (double t = 0.1; t < FARTHEST; t *= LOOKS) {
        ORFFI_TRY(reach_at(part, i, t * scale, delta, K, &size));
        if (size > share * whole) *reach = t * LOOKS * scale;
    }
    return ORFF_OK;
}

/* ---- a lattice for a given tolerance */

/* For each input the wanted cut and how far the kernel reaches, each the largest over the parts. */
typedef struct shape {
    double cut[ORFF_LATTICE_INPUTS];
    double margin[ORFF_LATTICE_INPUTS], visible[ORFF_LATTICE_INPUTS];
} shape;

static double margin_of(const shape *s, size_t i) {
    return fmax(s->margin[i], 2.0 * s->visible[i]);
}

static double period_of(const orffi_lattice_need *need, const shape *s, size_t i) {
    return orffi_is_periodic(need->periods, i) ? need->periods[i] : need->extent[i] + margin_of(s, i);
}

static orff_status find_margins(const orff_kernel *kernel, const double *periods, double tolerance,
                                shape *s) {
    const size_t d = kernel->d, p = kernel->p;
    double *work, margin = 0.0, visible = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, d + p * p));
    orff_status status = ORFF_OK;
    for (size_t m = 0; !status && m < kernel->n_parts; m++)
        for (size_t i = 0; !status && i < d; i++) {
            const orffi_kernel_part *part = &kernel->parts[m];
            if (orffi_is_periodic(periods, i)) continue; /* no margin: its images are part of the kernel */
            status = find_reach(part, i, tolerance, work, work + d, &margin);
            if (!status)
                status = find_reach(part, i, fmin(sqrt(tolerance), VISIBLE), work, work + d, &visible);
            s->margin[i] = fmax(s->margin[i], margin);
            s->visible[i] = fmax(s->visible[i], visible);
        }
    orffi_release(work);
    return status;
}

/* log variance of one wave of frequency z along input i, relative to the part's size. */
static double log_wave(const orffi_kernel_part *part, const orffi_lattice_need *need, const shape *s,
                       size_t i, double whole, double z) {
    double at[ORFF_LATTICE_INPUTS] = {0}, cell = 0.0;
    at[i] = z;
    for (size_t k = 0; k < part->d; k++) cell += log(2.0 * PI * part->law.scale[k] / period_of(need, s, k));
    const double growth = part->rule->physical ? 2.0 * log(z) - log(whole) : 0.0;
    return cell + growth + orffi_spectrum_log_density(&part->law, at);
}

/* The z along input i beyond which the variance of a wave, times the number of rows, is below `share` of the
 * noise. The variance decreases with z for z > 1. */
static double find_noise_cut(const orffi_kernel_part *part, const orffi_lattice_need *need, const shape *s,
                             size_t i, double share) {
    const double level = log(share * need->noise / need->rows), whole = tail_mass(&part->law, 2.0, 1e-6);
    double low = 0.0, high = log(1e10);
    for (size_t k = 0; k < BISECTIONS; k++) {
        const double middle = 0.5 * (low + high);
        if (log_wave(part, need, s, i, whole, exp(middle)) > level)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}

static orff_status find_shape(const orff_kernel *kernel, const orffi_lattice_need *need, double tolerance,
                              shape *s) {
    *s = (shape){0};
    ORFFI_TRY(find_margins(kernel, need->periods, tolerance, s));
    for (size_t m = 0; m < kernel->n_parts; m++) {
        const orffi_kernel_part *part = &kernel->parts[m];
        const double cut = find_cut(part, tolerance / (double)kernel->d);
        const bool told = need->noise > 0.0 && need->rows > 0.0, coarser = tolerance > need->tolerance;
        const double all = told && !coarser ? find_cut(part, NOTHING / (double)kernel->d) : cut;
        for (size_t i = 0; i < kernel->d; i++) {
            const double most = told ? fmax(find_noise_cut(part, need, s, i, UNTOLD), 2.0 * PI) : cut;
            const double least = told && !coarser ? fmin(find_noise_cut(part, need, s, i, TOLD), all) : cut;
            s->cut[i] = fmax(s->cut[i], fmin(fmax(cut, least), most) / part->law.scale[i]);
        }
    }
    return ORFF_OK;
}

/* Returns the number of modes, INFINITY if it cannot be counted. */
static double lay_out(orffi_lattice *l, const orff_kernel *kernel, const orffi_lattice_need *need,
                      const shape *s) {
    double count = 1.0;
    *l = (orffi_lattice){.d = kernel->d};
    for (size_t i = 0; i < l->d; i++) {
        const bool circle = orffi_is_periodic(need->periods, i);
        l->center[i] = need->center[i];
        l->period[i] = period_of(need, s, i);
        l->inside[i] = circle ? INFINITY : 0.5 * l->period[i];
        const double m = ceil(s->cut[i] * l->period[i] / (2.0 * PI));
        count *= 2.0 * m + 1.0;
        if (!(count < 1e15)) return INFINITY;
        l->m[i] = m < 1.0 ? 1 : (size_t)m;
    }
    return count;
}

/* Cuts at the frequencies that rows resolve: one row per cell, cells with the same number of length scales
 * along all inputs. Does not cut below the size of a cheap lattice. */
static void limit_band(const orff_kernel *kernel, const orffi_lattice_need *need, shape *s, bool *limited) {
    const double *scale = kernel->parts[0].law.scale;
    const shape wanted = *s;
    orffi_lattice l;
    double volume = 1.0;
    if (!(need->rows > 0.0)) return;
    for (size_t i = 0; i < kernel->d; i++) volume *= fmax(need->extent[i] / scale[i], 1.0);
    const double spacing = pow(volume / need->rows, 1.0 / (double)kernel->d);
    const double most =
        fmax(BEYOND_NYQUIST * PI / spacing, 2.0 * PI); /* always keeps waves of one length scale */
    for (size_t i = 0; i < kernel->d; i++) s->cut[i] = fmin(s->cut[i], most / scale[i]);
    const double room = pow(CHEAP / lay_out(&l, kernel, need, s), 1.0 / (double)kernel->d);
    for (size_t i = 0; i < kernel->d; i++) {
        s->cut[i] = fmin(s->cut[i] * fmax(room, 1.0), wanted.cut[i]);
        *limited = *limited || s->cut[i] < wanted.cut[i];
    }
}

/* Grid sizes with fast transforms, and as many modes as they can carry. */
static void round_up(orffi_lattice *l) {
    for (size_t i = 0; i < l->d; i++) {
        l->grid[i] = orffi_fft_size(4 * l->m[i] + 1);
        l->m[i] = (l->grid[i] - 1) / 4;
    }
}

/* 512 x 512 modes; in three dimensions a quarter of that, 40 x 40 x 40, because the grids have eight times as
 * many points as modes. */
size_t orffi_lattice_most(size_t d) {
    return (size_t)1 << (d < 3 ? 18 : 16);
}

static size_t most_of(const orffi_lattice_need *need, size_t d) {
    return need->most ? need->most : orffi_lattice_most(d);
}

static orff_status refuse(double count, const orffi_lattice_need *need, size_t d) {
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "a lattice for these length scales and this extent would have %.3g modes, but the limit is %zu; give "
        "larger length scales, fewer inputs, or the engine that draws frequencies",
        count, most_of(need, d));
}

/* The share of the variance that the cut leaves out, the largest over parts and inputs. */
static double cut_share(const orff_kernel *kernel, const orffi_lattice *l) {
    double worst = 0.0;
    for (size_t m = 0; m < kernel->n_parts; m++) {
        const orffi_kernel_part *part = &kernel->parts[m];
        const double power = part->rule->physical ? 2.0 : 0.0, whole = tail_mass(&part->law, power, 1e-6);
        for (size_t i = 0; i < l->d; i++) {
            const double w = 2.0 * PI * (double)l->m[i] / l->period[i];
            worst = fmax(worst, tail_mass(&part->law, power, w * part->law.scale[i]) / whole);
        }
    }
    return worst;
}

/* Reduces the number of modes to `share` of it. Returns whether waves of one length scale are lost. */
static bool shrink(const orff_kernel *kernel, double share, shape *s) {
    bool much = false;
    for (size_t i = 0; i < kernel->d; i++) {
        s->cut[i] *= pow(share, 1.0 / (double)kernel->d);
        for (size_t m = 0; m < kernel->n_parts; m++) much |= s->cut[i] * kernel->parts[m].law.scale[i] < PI;
    }
    return much;
}

static bool has_own_law(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (kernel->parts[m].rule->own_law) return true;
    return false;
}

/* Raises the tolerance first. If that is not enough, reduces the cut alone and reports it. */
orff_status orffi_lattice_choose(orffi_lattice *l, const orff_kernel *kernel, const orffi_lattice_need *need,
                                 orffi_lattice_quality *quality) {
    const double most = (double)most_of(need, kernel->d);
    double tolerance = need->tolerance, count;
    shape s;
    if (has_own_law(kernel))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a part without a base spectrum has no lattice");
    if (kernel->hermitian)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a part with complex blocks has no lattice");
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (kernel->parts[m].law.centre)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a part with a wavelength has no lattice");
    *quality = (orffi_lattice_quality){0};
    ORFFI_TRY(find_shape(kernel, need, tolerance, &s));
    limit_band(kernel, need, &s, &quality->band_limited);
    count = lay_out(l, kernel, need, &s);
    while (count > most && tolerance < WORST) {
        tolerance = fmin(COARSER * tolerance, WORST);
        ORFFI_TRY(find_shape(kernel, need, tolerance, &s));
        limit_band(kernel, need, &s, &quality->band_limited);
        count = lay_out(l, kernel, need, &s);
    }
    if (!isfinite(count)) return refuse(count, need, kernel->d);
    if (count > most) {
        const bool much = shrink(kernel, most / count, &s);
        if (much && !need->anyhow) return refuse(count, need, kernel->d);
        if (much) shrink(kernel, USELESS / most, &s);
        quality->band_limited = true;
        lay_out(l, kernel, need, &s);
    }
    round_up(l);
    quality->cut = cut_share(kernel, l);
    quality->images = tolerance > need->tolerance ? tolerance : 0.0;
    if (quality->cut <= need->tolerance) quality->cut = 0.0;
    return ORFF_OK;
}

orff_status orffi_lattice_narrow(orffi_lattice *l, const orff_kernel *kernel,
                                 const orffi_lattice_need *need) {
    orffi_lattice_need fixed = *need;
    orffi_lattice less = *l;
    shape s;
    if (has_own_law(kernel)) return ORFF_OK;
    fixed.periods = l->period; /* the period is fixed, so there are no margins to choose */
    ORFFI_TRY(find_shape(kernel, &fixed, need->tolerance, &s));
    for (size_t i = 0; i < l->d; i++) {
        const double m = fmax(ceil(s.cut[i] * l->period[i] / (2.0 * PI)), 1.0);
        if (m < (double)l->m[i]) less.m[i] = (size_t)m;
    }
    round_up(&less);
    for (size_t i = 0; i < l->d; i++)
        if (less.m[i] < l->m[i]) {
            l->m[i] = less.m[i];
            l->grid[i] = less.grid[i];
        }
    return ORFF_OK;
}

void orffi_lattice_judge(const orffi_lattice *l, const orff_kernel *kernel, double tolerance,
                         orffi_lattice_quality *quality) {
    const double cut = cut_share(kernel, l);
    *quality = (orffi_lattice_quality){.cut = cut > tolerance ? cut : 0.0, .band_limited = cut > tolerance};
}
