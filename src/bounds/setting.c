/* What the bounds need to know about one part: the size of its blocks and the moments of its law. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "bounds/bounds.h"

orff_status orffi_bound_norm_at_zero(const orff_kernel *kernel, double *K0) {
    double *work;
    const size_t p = kernel->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, kernel->d + p * p));
    double *zero = work, *K = work + kernel->d;
    orff_status status = orffi_kernel_exact(kernel, zero, K);
    if (!status) status = orff_spectral_norm(p, p, K, K0);
    orffi_release(work);
    return status;
}

static void find_scales(orffi_bound_setting *s) {
    const orffi_spectrum *law = &s->part->law;
    s->one_sigma = true;
    s->sigma = law->scale[law->space[0]];
    for (size_t i = 1; i < s->space; i++) {
        const double scale = law->scale[law->space[i]];
        if (scale != s->sigma) s->one_sigma = false;
        if (scale < s->sigma) s->sigma = scale;
    }
    s->spherical = s->one_sigma && law->base->spherical;
}

/* E|w|^2 over the covariates: uses the same law with space and covariates exchanged. */
static orff_status measure_covariates(orffi_bound_setting *s) {
    const orffi_spectrum *law = &s->part->law;
    orffi_spectrum rest;
    s->covariates = law->space_count < law->dim;
    if (!s->covariates) return ORFF_OK;
    ORFFI_TRY(orffi_spectrum_init(&rest, law->base->id, law->shape, law->dim, 0.0, law->scale,
                                  law->dim - law->space_count, law->covariates));
    s->others = orffi_spectrum_moment(&rest, 1);
    orffi_spectrum_clear(&rest);
    return ORFF_OK;
}

static orff_status fill(orffi_bound_setting *s) {
    const orffi_spectrum *law = &s->part->law;
    s->known = (s->part->rule->separable || s->part->rule->frame) && !law->centre;
    if (!s->known) return ORFF_OK;
    s->physical = s->part->rule->physical;
    s->gaussian = law->base->spherical && !law->base->mixing;
    s->space = law->space_count;
    if (s->part->rule->frame) s->part->rule->frame(s->part, &s->curl, &s->div);
    s->norm = fmax(s->curl, s->div);
    find_scales(s);
    s->moment[0] = 1.0;
    for (int k = 1; k <= 3; k++) s->moment[k] = orffi_spectrum_moment(law, k);
    s->whitened = orffi_spectrum_whitened_moment(law) / (s->sigma * s->sigma);
    ORFFI_TRY(measure_covariates(s));
    ORFFI_TRY(orffi_bound_norm_at_zero(s->kernel, &s->K0));
    s->largest = s->physical ? INFINITY : 2.0 * s->K0;
    if (s->K0 > 0.0) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "the kernel is zero (weight %g): there is no error to bound", s->v);
}

orff_status orffi_bound_setting_init(orffi_bound_setting *s, const orff_part *part, size_t d, size_t p) {
    memset(s, 0, sizeof *s);
    ORFFI_TRY(orff_kernel_create(&s->kernel, d, p, 1, part));
    s->part = &s->kernel->parts[0];
    s->d = d;
    s->p = p;
    s->v = s->part->root * s->part->root;
    s->parts = 1;
    const orff_status status = fill(s);
    if (status) orffi_bound_setting_clear(s);
    return status;
}

void orffi_bound_setting_clear(orffi_bound_setting *s) {
    orff_kernel_free(s->kernel);
    memset(s, 0, sizeof *s);
}

orffi_axial orffi_axial_rule(const orffi_bound_setting *s, double curl, double div, orffi_axial x) {
    const double others = (double)s->space - 1.0;
    return (orffi_axial){curl * x.along + div * others * x.across,
                         curl * x.across + div * (x.along + (others - 1.0) * x.across)};
}

double orffi_axial_norm(const orffi_bound_setting *s, orffi_axial x) {
    return s->space == 1 ? fabs(x.along) : fmax(fabs(x.along), fabs(x.across));
}

/* ---- E A and E A^2 of physical rules */

static double inverse_square(const orffi_bound_setting *s, size_t i) {
    const double scale = s->part->law.scale[s->part->law.space[i]];
    return 1.0 / (scale * scale);
}

static double trace(const orffi_bound_setting *s) {
    double sum = 0.0;
    for (size_t i = 0; i < s->space; i++) sum += inverse_square(s, i);
    return sum;
}

/* E w_i^2 = c1 / l_i^2 */
static double second(const orffi_bound_setting *s) {
    const orffi_base_ops *base = s->part->law.base;
    return base->spherical ? base->mixing_moment(s->part->law.shape, 1) : base->coordinate_moment(1);
}

double orffi_bound_mean_entry(const orffi_bound_setting *s, size_t i) {
    const double c1 = second(s), mine = c1 * inverse_square(s, i), all = c1 * trace(s);
    return s->v * (s->curl * mine + s->div * (all - mine));
}

/* E |w|^2 w_i^2 = (E z^4 - (E z^2)^2) t_i^2 + (E z^2)^2 t_i tr(t), t = 1/l^2, for independent coordinates;
 * E tau^2 times that of the normal law for spherical bases. */
static double fourth(const orffi_bound_setting *s, double t, double all) {
    const orffi_base_ops *base = s->part->law.base;
    if (base->spherical) return base->mixing_moment(s->part->law.shape, 2) * (2.0 * t * t + t * all);
    const double m2 = base->coordinate_moment(1), m4 = base->coordinate_moment(2);
    return (m4 - m2 * m2) * t * t + m2 * m2 * t * all;
}

/* A^2 = v^2 |w|^2 (curl^2 w w^T + div^2 (|w|^2 I - w w^T)) */
double orffi_bound_square_entry(const orffi_bound_setting *s, size_t i) {
    const double all = trace(s), mine = fourth(s, inverse_square(s, i), all);
    if (isinf(mine)) return INFINITY;
    return s->v * s->v * (s->curl * s->curl * mine + s->div * s->div * (s->moment[2] - mine));
}
