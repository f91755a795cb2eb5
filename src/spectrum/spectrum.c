/* Laws on R^d, made of a base, length scales and, with covariates, two independent factors. */
#include "spectrum/spectrum.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/vector.h"
#include "spectrum/bases.h"
#include "spectrum/line.h"

/* Beyond this, a Matern or rational quadratic kernel looks Gaussian in a plot. */
#define LARGEST_SHAPE 50.0

const orffi_base_ops orffi_base_auto = {.id = ORFF_BASE_AUTO};

static const orffi_base_ops *const bases[ORFF_BASE_COUNT] = {
#define OPS_OF(name, file, text) &orffi_base_##file,
    ORFF_BASE_LIST(OPS_OF)
#undef OPS_OF
};

/* Names that stand for a base and a shape together. */
#define SHORT_FORMS(X)         \
    X("matern12", MATERN, 0.5) \
    X("matern32", MATERN, 1.5) \
    X("matern52", MATERN, 2.5) \
    X("matern72", MATERN, 3.5) \
    X("cauchy", RATIONAL_QUADRATIC, 1.0)

static const struct {
    orff_base base;
    double shape;
} short_forms[] = {
#define FORM_OF(text, name, shape) {ORFF_BASE_##name, shape},
    SHORT_FORMS(FORM_OF)
#undef FORM_OF
};

#define SHORT_NAME_OF(text, name, shape) text,
static const char *const names[] = {ORFF_BASE_LIST(ORFFI_NAME_OF_FILE) SHORT_FORMS(SHORT_NAME_OF) NULL};

const orffi_base_ops *orffi_base_find(orff_base base) {
    if (base == ORFF_BASE_AUTO) return &orffi_base_gaussian; /* the base if nobody has chosen one */
    return (unsigned)base < ORFF_BASE_COUNT ? bases[base] : NULL;
}

const char *orff_base_name(orff_base base) {
    return (unsigned)base < ORFF_BASE_COUNT ? names[base] : NULL;
}

const char *const *orff_base_names(void) {
    return names;
}

const char *orff_base_short_name(orff_base base, double shape) {
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++)
        if (short_forms[i].base == base && short_forms[i].shape == shape) return names[ORFF_BASE_COUNT + i];
    return orff_base_name(base);
}

bool orff_base_has_shape(orff_base base) {
    const orffi_base_ops *ops = orffi_base_find(base);
    return ops && ops->has_shape;
}

orff_status orff_base_parse(const char *name, orff_base *base, double *shape) {
    size_t place;
    if (!base || !shape) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_base_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("base", name, names, &place));
    if (place < ORFF_BASE_COUNT) {
        *base = (orff_base)place;
        *shape = 0.0;
        return ORFF_OK;
    }
    *base = short_forms[place - ORFF_BASE_COUNT].base;
    *shape = short_forms[place - ORFF_BASE_COUNT].shape;
    return ORFF_OK;
}

/* ---- building */

static orff_status check_scale(size_t i, double scale) {
    if (scale > 0.0 && isfinite(scale)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "length scale %zu is %g; it must be positive and finite",
                      i + 1, scale);
}

static orff_status check_base(const orffi_base_ops *ops, int base, double shape) {
    if (!ops) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no base number %d", base);
    if (ops->has_shape && shape == ORFF_SHAPE_AUTO)
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "the shape of base %s is auto, which a fit to rows chooses with the length scale; give a number",
            orff_base_name(ops->id));
    if (ops->has_shape && !(shape > 0.0 && shape <= LARGEST_SHAPE))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the shape of base %s is %g; it must be above 0 and at most %g (%s)",
                          orff_base_name(ops->id), shape, LARGEST_SHAPE, "beyond that use the gaussian base");
    return ORFF_OK;
}

/* Fills space and covariates (already allocated) from the given positions, which must not repeat. */
static orff_status split(orffi_spectrum *s, const size_t *space) {
    for (size_t i = 0; i < s->space_count; i++) {
        s->space[i] = space ? space[i] : i;
        if (s->space[i] >= s->dim)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "space[%zu] is %zu, but there are %zu inputs (0-based)", i, s->space[i],
                              s->dim);
        for (size_t k = 0; k < i; k++)
            if (s->space[k] == s->space[i])
                return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "input %zu is named twice in space",
                                  s->space[i]);
    }
    size_t rest = 0;
    for (size_t i = 0; i < s->dim; i++) {
        bool in_space = false;
        for (size_t k = 0; k < s->space_count; k++) in_space |= s->space[k] == i;
        if (!in_space) s->covariates[rest++] = i;
    }
    return ORFF_OK;
}

static orff_status fill(orffi_spectrum *s, double scale, const double *scales, const size_t *space) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->scale, s->dim));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->space, s->space_count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->covariates, s->dim - s->space_count));
    for (size_t i = 0; i < s->dim; i++) {
        s->scale[i] = scales ? scales[i] : scale;
        ORFFI_TRY(check_scale(i, s->scale[i]));
    }
    return split(s, space);
}

orff_status orffi_spectrum_init(orffi_spectrum *s, orff_base base, double shape, size_t dim, double scale,
                                const double *scales, size_t space_count, const size_t *space) {
    memset(s, 0, sizeof *s);
    s->base = orffi_base_find(base);
    s->shape = s->base && s->base->has_shape ? shape : 0.0;
    s->dim = dim;
    s->space_count = space_count;
    ORFFI_TRY(check_base(s->base, (int)base, shape));
    if (dim == 0) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there must be at least one input");
    if (space_count == 0 || space_count > dim)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the field's space has %zu inputs of %zu", space_count,
                          dim);
    const orff_status status = fill(s, scale, scales, space);
    if (status) orffi_spectrum_clear(s);
    return status;
}

void orffi_spectrum_clear(orffi_spectrum *s) {
    orffi_release(s->scale);
    orffi_release(s->space);
    orffi_release(s->covariates);
    orffi_release(s->period);
    orffi_release(s->centre);
    memset(s, 0, sizeof *s);
}

orff_status orffi_spectrum_copy(orffi_spectrum *to, const orffi_spectrum *from) {
    ORFFI_TRY(orffi_spectrum_init(to, from->base->id, from->shape, from->dim, 0.0, from->scale,
                                  from->space_count, from->space));
    orff_status status = from->period ? orffi_spectrum_set_periods(to, from->period) : ORFF_OK;
    if (!status && from->centre) status = orffi_spectrum_set_wavelengths(to, from->wavelength);
    if (status) orffi_spectrum_clear(to);
    return status;
}

bool orffi_spectrum_same_space(const orffi_spectrum *a, const orffi_spectrum *b) {
    return a->space_count == b->space_count &&
           memcmp(a->space, b->space, a->space_count * sizeof *a->space) == 0;
}

/* Lists that may be NULL. */
static bool same_list(size_t n, const double *a, const double *b) {
    return !a == !b && (!a || memcmp(a, b, n * sizeof *a) == 0);
}

/* A Gaussian or product law does not depend on how its inputs are split. */
bool orffi_spectrum_equal(const orffi_spectrum *a, const orffi_spectrum *b) {
    if (a->base != b->base || a->shape != b->shape || a->dim != b->dim) return false;
    if (memcmp(a->scale, b->scale, a->dim * sizeof *a->scale) != 0) return false;
    if (!same_list(a->dim, a->period, b->period) || !same_list(a->dim, a->centre, b->centre)) return false;
    return !a->base->mixing || orffi_spectrum_same_space(a, b);
}

/* ---- the scalar kernel and its derivatives */

/* |v| over the given inputs, v = delta / l. */
static double whitened_norm(const orffi_spectrum *s, size_t count, const size_t *inputs,
                            const double *delta) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double v = delta[inputs[i]] / s->scale[inputs[i]];
        sum += v * v;
    }
    return sqrt(sum);
}

/* k0 of one factor; 1 for no inputs. */
static double factor_k0(const orffi_spectrum *s, size_t count, const size_t *inputs, const double *delta) {
    if (s->base->spherical)
        return count ? s->base->k0(s->shape, whitened_norm(s, count, inputs, delta)) : 1.0;
    double product = 1.0;
    for (size_t i = 0; i < count; i++) {
        double f, f1, f2;
        s->base->factor(delta[inputs[i]] / s->scale[inputs[i]], &f, &f1, &f2);
        product *= f;
    }
    return product;
}

static double covariates_k0(const orffi_spectrum *s, const double *delta) {
    return factor_k0(s, s->dim - s->space_count, s->covariates, delta);
}

double orffi_line_envelope(const orffi_spectrum *s, const double *delta) {
    return factor_k0(s, s->space_count, s->space, delta) * covariates_k0(s, delta);
}

double orffi_line_k0(const orffi_spectrum *s, const double *delta) {
    return orffi_line_envelope(s, delta) * orffi_centre_wave(s, delta);
}

bool orffi_spectrum_is_radial(const orffi_spectrum *s) {
    return s->base && s->base->spherical && s->space_count == s->dim && !s->period && !s->centre;
}

void orffi_spectrum_k0_many(const orffi_spectrum *s, size_t n, double *squares, double *g1) {
    const orffi_base_ops *base = s->base;
    if (base->many && base->many(s->shape, n, squares, g1)) return;
    for (size_t i = 0; i < n; i++) {
        const double r = sqrt(squares[i]);
        double t[3] = {0};
        if (g1 && r > 1e-150) base->derivatives(s->shape, r, t);
        if (g1) g1[i] = r > 1e-150 ? -t[0] / r : 0.0;
        squares[i] = base->k0(s->shape, r);
    }
}

void orffi_spectrum_squares(const orffi_spectrum *s, const double *x, size_t n, const double *columns,
                            size_t stride, double *squares) {
    const orffi_vector_level *level = orffi_vector_level_here();
    memset(squares, 0, n * sizeof *squares);
    for (size_t i = 0; i < s->dim; i++)
        level->add_squares(n, x[i], 1.0 / s->scale[i], columns + i * stride, squares);
}

/* K = L (g1 I - g2r2 u u^T) L, L = diag(1/l), u = v/r */
static void curl_spherical(const orffi_spectrum *s, const double *delta, double front, double *K) {
    const size_t m = s->space_count;
    const double r = whitened_norm(s, m, s->space, delta);
    double g1, g2r2;
    s->base->slopes(s->shape, r, &g1, &g2r2);
    for (size_t a = 0; a < m; a++) {
        for (size_t b = 0; b < m; b++) {
            const size_t i = s->space[a], j = s->space[b];
            const double ua = r > 0.0 ? delta[i] / s->scale[i] / r : 0.0;
            const double ub = r > 0.0 ? delta[j] / s->scale[j] / r : 0.0;
            K[a * m + b] = front * ((a == b ? g1 : 0.0) - g2r2 * ua * ub) / (s->scale[i] * s->scale[j]);
        }
    }
}

/* -d_a d_b prod_i f(v_i): the product with f' (f'' on the diagonal) in place of f at a and b. O(m^3), m is
 * small. */
static void curl_product(const orffi_spectrum *s, const double *delta, double front, double *K) {
    const size_t m = s->space_count;
    for (size_t a = 0; a < m; a++) {
        for (size_t b = 0; b < m; b++) {
            double product = -front / (s->scale[s->space[a]] * s->scale[s->space[b]]);
            for (size_t c = 0; c < m; c++) {
                double f, f1, f2;
                s->base->factor(delta[s->space[c]] / s->scale[s->space[c]], &f, &f1, &f2);
                product *= c == a && c == b ? f2 : c == a || c == b ? f1 : f;
            }
            K[a * m + b] = product;
        }
    }
}

void orffi_line_curl(const orffi_spectrum *s, const double *delta, double *K) {
    const double front = covariates_k0(s, delta);
    if (s->base->spherical) {
        curl_spherical(s, delta, front, K);
    } else {
        curl_product(s, delta, front, K);
    }
}

/* ---- moments */

/* E z_i^(2k) of one coordinate with tau = 1. */
static double coordinate_moment(const orffi_base_ops *base, int k) {
    static const double normal[] = {1.0, 1.0, 3.0, 15.0};
    return base->spherical ? normal[k] : base->coordinate_moment(k);
}

/* E (sum_i t_i z_i^2)^k from the power sums P_k = sum t_i^k; the coordinates are independent given tau. */
static double moment_of_sum(const orffi_base_ops *base, double shape, int k, const double P[4]) {
    const double m2 = coordinate_moment(base, 1), m4 = coordinate_moment(base, 2),
                 m6 = coordinate_moment(base, 3);
    const double tau = base->spherical ? base->mixing_moment(shape, k) : 1.0;
    if (isinf(tau) || isinf(m2)) return INFINITY;
    if (k == 1) return tau * m2 * P[1];
    if (k == 2) return tau * (m4 * P[2] + m2 * m2 * (P[1] * P[1] - P[2]));
    return tau * (m6 * P[3] + 3.0 * m4 * m2 * (P[1] * P[2] - P[3]) +
                  m2 * m2 * m2 * (P[1] * P[1] * P[1] - 3.0 * P[1] * P[2] + 2.0 * P[3]));
}

/* See orffi_centre_moment; P as in moment_of_sum, over all inputs. */
static double moment_around(const orffi_spectrum *s, int k, const double P[4]) {
    const orffi_base_ops *base = s->base;
    const double m2 = coordinate_moment(base, 1);
    double a[4] = {1.0, 0.0, 0.0, 0.0}, c = 0.0, first = 0.0, second = 0.0;
    for (int i = 1; i <= k; i++) a[i] = moment_of_sum(base, s->shape, i, P);
    if (isinf(a[k])) return INFINITY;
    for (size_t i = 0; i < s->dim; i++) {
        const double t = 1.0 / (s->scale[i] * s->scale[i]), square = s->centre[i] * s->centre[i];
        c += square;
        first += square * t;
        second += square * t * t;
    }
    const double tau = base->spherical ? base->mixing_moment(s->shape, 1) : 1.0,
                 tau2 = base->spherical && k > 2 ? base->mixing_moment(s->shape, 2) : 1.0,
                 m4 = k > 2 ? coordinate_moment(base, 2) : 0.0;
    return orffi_centre_moment(k, a, c, tau * m2 * first,
                               tau2 * (m4 * second + m2 * m2 * (first * P[1] - second)));
}

double orffi_spectrum_moment(const orffi_spectrum *s, int k) {
    double P[4] = {0};
    for (size_t i = 0; i < s->space_count; i++) {
        const double t = 1.0 / (s->scale[s->space[i]] * s->scale[s->space[i]]);
        P[1] += t;
        P[2] += t * t;
        P[3] += t * t * t;
    }
    return s->centre ? moment_around(s, k, P) : moment_of_sum(s->base, s->shape, k, P);
}

/* E tau^k: 1 if the base has no tau. */
static double tau_moment(const orffi_spectrum *s, int k) {
    return s->base->spherical ? s->base->mixing_moment(s->shape, k) : 1.0;
}

double orffi_spectrum_second(const orffi_spectrum *s, size_t a, size_t b) {
    const double waves = s->centre ? s->centre[a] * s->centre[b] : 0.0;
    const double square = tau_moment(s, 1) * coordinate_moment(s->base, 1);
    return isinf(square) ? INFINITY : waves + (a == b ? square / (s->scale[a] * s->scale[a]) : 0.0);
}

static bool is_in_space(const orffi_spectrum *s, size_t input) {
    bool found = false;
    for (size_t i = 0; i < s->space_count; i++) found = found || s->space[i] == input;
    return found;
}

/* Given tau a spherical law is normal, so both families have one moment for four equal indices and one for
 * two pairs. The covariates are independent of the space, and odd moments vanish. */
double orffi_spectrum_fourth(const orffi_spectrum *s, size_t i, size_t j, size_t a, size_t b) {
    const double m2 = coordinate_moment(s->base, 1), m4 = coordinate_moment(s->base, 2),
                 tau = tau_moment(s, 2);
    if (isinf(m4) || isinf(tau)) return INFINITY;
    if (is_in_space(s, a) != is_in_space(s, b)) return 0.0;
    if (!is_in_space(s, a)) return orffi_spectrum_second(s, i, j) * orffi_spectrum_second(s, a, b);
    const int pairs = (i == j && a == b) + (i == a && j == b) + (i == b && j == a);
    const double front = tau / (s->scale[i] * s->scale[j] * s->scale[a] * s->scale[b]);
    return pairs == 3 ? front * m4 : pairs ? front * m2 * m2 : 0.0;
}

double orffi_spectrum_whitened_moment(const orffi_spectrum *s) {
    const double m = (double)s->space_count;
    return moment_of_sum(s->base, s->shape, 1, (const double[4]){m, m, m, m});
}

/* ---- density */

static double factor_log_density(const orffi_spectrum *s, size_t count, const size_t *inputs,
                                 const double *z) {
    double sum = 0.0;
    if (count == 0) return 0.0;
    for (size_t i = 0; i < count; i++)
        sum +=
            s->base->spherical ? z[inputs[i]] * z[inputs[i]] : s->base->coordinate_log_density(z[inputs[i]]);
    return s->base->spherical ? s->base->log_density(s->shape, count, sqrt(sum)) : sum;
}

double orffi_spectrum_log_density(const orffi_spectrum *s, const double *z) {
    return factor_log_density(s, s->space_count, s->space, z) +
           factor_log_density(s, s->dim - s->space_count, s->covariates, z);
}
