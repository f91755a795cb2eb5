/* b(delta) = |E[cos^2<w,delta> A^2] - K(delta)^2|, exactly and in the paper's bound.
 *
 * cos^2 a = (1 + cos 2a)/2 turns E[cos^2<w,delta> A^2] into values at 0 and at 2 delta.
 *
 *   decomposable           |A|^2 ( (1 + k0(2 delta))/2 - k0(delta)^2 )                    any base
 *   physical, Gaussian     with S(t) = E[cos<w,t> |w|^2 w w^T], known in closed form
 *   physical, importance   draws from |w|^2 mu have blocks E|w|^2 A(u) of constant size, and
 *                          E'[cos^2 (E|w|^2 A(u))^2] = E|w|^2 E[cos^2 A(u)^2 |w|^2]: second moments only, so
 *                          any base that has the kernel
 */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "bounds/bounds.h"

static const orff_variance unknown = {NAN, NAN, NAN, NAN};

/* ---- axial matrices, for one sigma on the space and a spherical base; eigenvalues along and across delta */

/* E[cos<w,t> w w^T] at |t| = r on the space */
static orffi_axial second(const orffi_bound_setting *s, double r) {
    const double s2 = 1.0 / (s->sigma * s->sigma);
    double g1, g2r2;
    s->part->law.base->slopes(s->part->law.shape, r / s->sigma, &g1, &g2r2);
    return (orffi_axial){s2 * (g1 - g2r2), s2 * g1};
}

/* Gaussian: S(t) = k0(t) s^4 { (m+2-Q) I - ((m+4) Q - Q^2) u u^T },  Q = |t|^2 / sigma^2 */
static orffi_axial fourth(const orffi_bound_setting *s, double r) {
    const double Q = r * r / (s->sigma * s->sigma), m = (double)s->space;
    const double front = exp(-Q / 2.0) / pow(s->sigma, 4.0);
    if (front == 0.0) return (orffi_axial){0.0, 0.0};
    return (orffi_axial){front * (m + 2.0 - Q - (m + 4.0) * Q + Q * Q), front * (m + 2.0 - Q)};
}

static orffi_axial combine(double a, orffi_axial x, double b, orffi_axial y) {
    return (orffi_axial){a * x.along + b * y.along, a * x.across + b * y.across};
}

static orffi_axial product(orffi_axial x, orffi_axial y) {
    return (orffi_axial){x.along * y.along, x.across * y.across};
}

static orffi_axial kernel_at(const orffi_bound_setting *s, double r, double covariates) {
    return combine(s->v * covariates, orffi_axial_rule(s, s->curl, s->div, second(s, r)), 0.0,
                   (orffi_axial){0.0, 0.0});
}

/* v^2 times the rule of A^2 */
static orffi_axial squared_rule(const orffi_bound_setting *s, orffi_axial x) {
    const orffi_axial y = orffi_axial_rule(s, s->curl * s->curl, s->div * s->div, x);
    return combine(s->v * s->v, y, 0.0, y);
}

/* k1, k2: the covariates' k0 at delta and at 2 delta. */
static double axial_exact(const orffi_bound_setting *s, double r, double k1, double k2) {
    const orffi_axial K = kernel_at(s, r, k1);
    const orffi_axial half = combine(0.5, fourth(s, 0.0), 0.5 * k2, fourth(s, 2.0 * r));
    return orffi_axial_norm(s, combine(1.0, squared_rule(s, half), -1.0, product(K, K)));
}

static double axial_importance(const orffi_bound_setting *s, double r, double k1, double k2) {
    const orffi_axial K = kernel_at(s, r, k1);
    const orffi_axial half = combine(0.5, second(s, 0.0), 0.5 * k2, second(s, 2.0 * r));
    return orffi_axial_norm(s, combine(s->moment[1], squared_rule(s, half), -1.0, product(K, K)));
}

/* (1/2)|(K(2 delta) + K(0)) E A - 2 K(delta)^2| + |Var A|, E A = K(0); the printed form lacks K(0). */
static double proposition(const orffi_bound_setting *s, double r, double zero, double var) {
    const orffi_axial K = kernel_at(s, r, 1.0), K0 = kernel_at(s, 0.0, 1.0);
    const orffi_axial sum = combine(1.0, kernel_at(s, 2.0 * r, 1.0), zero, K0);
    return 0.5 * orffi_axial_norm(s, combine(1.0, product(sum, K0), -2.0, product(K, K))) + var;
}

static orff_variance axial(const orffi_bound_setting *s, double r, double k1, double k2) {
    orff_variance b = unknown;
    b.importance = axial_importance(s, r, k1, k2);
    if (!s->gaussian) return b;
    b.exact = axial_exact(s, r, k1, k2);
    if (s->covariates) return b;
    b.corrected = proposition(s, r, 1.0, orffi_bound_var_A(s));
    b.printed = proposition(s, r, 0.0, orffi_bound_var_A_printed(s));
    return b;
}

/* ---- decomposable */

/* From k0 at delta and at 2 delta. For the Gaussian, k0(2 delta) = k0^4 gives b = (1 - k0^2)^2/2, without
 * cancellation near 0. */
static orff_variance decomposable(const orffi_bound_setting *s, double k1, double k2) {
    const double norm = s->K0, rest = (1.0 - k1) * (1.0 + k1);
    const double b = s->gaussian ? rest * rest / 2.0 : fmax((1.0 + k2) / 2.0 - k1 * k1, 0.0);
    return (orff_variance){.exact = norm * norm * b,
                           .corrected = norm * norm * b,
                           .printed = 0.5 * (1.0 + k2) * norm + k1 * k1,
                           .importance = NAN};
}

/* ---- Gaussian with several sigmas: w ~ N(0, T), T = diag(1/l^2). With y = T t,
 *
 *     S(t) = exp(-t.y/2) { 2 (T - y y^T)^2 - |y|^2 (T + y y^T) + tr(T) (T - y y^T) }
 *
 * is the fourth moment of a normal law with mean i y. */

/* S += front S(t), t on the space (m entries); work: m. */
static void add_fourth(const orffi_bound_setting *s, double front, const double *t, double *S, double *work) {
    const orffi_spectrum *law = &s->part->law;
    const size_t m = s->space;
    double quadratic = 0.0, yy = 0.0, all = 0.0, *y = work;
    for (size_t i = 0; i < m; i++) {
        const double T = 1.0 / (law->scale[law->space[i]] * law->scale[law->space[i]]);
        y[i] = T * t[i];
        quadratic += t[i] * y[i];
        yy += y[i] * y[i];
        all += T;
    }
    front *= exp(-quadratic / 2.0);
    for (size_t i = 0; i < m; i++) {
        const double Ti = 1.0 / (law->scale[law->space[i]] * law->scale[law->space[i]]);
        for (size_t j = 0; j < m; j++) {
            const double Tj = 1.0 / (law->scale[law->space[j]] * law->scale[law->space[j]]);
            const double yiyj = y[i] * y[j], diagonal = i == j ? Ti : 0.0;
            /* (T - y y^T)^2 = T^2 - T y y^T - y y^T T + |y|^2 y y^T */
            const double square = diagonal * Tj - (Ti + Tj) * yiyj + yy * yiyj;
            S[i * m + j] += front * (2.0 * square - yy * (diagonal + yiyj) + all * (diagonal - yiyj));
        }
    }
}

/* X = curl X + div (tr(X) I - X), times v */
static void apply_rule(const orffi_bound_setting *s, double front, double curl, double div, double *X) {
    const size_t m = s->space;
    double all = 0.0;
    for (size_t i = 0; i < m; i++) all += X[i * m + i];
    for (size_t i = 0; i < m * m; i++) X[i] *= front * (curl - div);
    for (size_t i = 0; i < m; i++) X[i * m + i] += front * div * all;
}

/* S and K are m x m, t and work m. */
static orff_status several_sigmas(const orffi_bound_setting *s, const double *delta, double k2, double *S,
                                  double *K, double *t, double *work, double *b) {
    const size_t m = s->space;
    add_fourth(s, 0.5, t, S, work);
    for (size_t i = 0; i < m; i++) t[i] = 2.0 * delta[s->part->law.space[i]];
    add_fourth(s, 0.5 * k2, t, S, work);
    apply_rule(s, s->v * s->v, s->curl * s->curl, s->div * s->div, S);
    orffi_spectrum_curl(&s->part->law, delta, K);
    apply_rule(s, s->v, s->curl, s->div, K);
    orffi_gemm(false, false, m, m, m, -1.0, K, m, K, m, 1.0, S, m);
    return orff_spectral_norm(m, m, S, b);
}

static orff_status several(const orffi_bound_setting *s, const double *delta, double k2, double *b) {
    double *work;
    const size_t m = s->space;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 2 * m * m + 2 * m));
    const orff_status status =
        several_sigmas(s, delta, k2, work, work + m * m, work + 2 * m * m, work + 2 * m * m + m, b);
    orffi_release(work);
    return status;
}

/* ---- one delta */

/* k0 of the covariates at factor * delta; for decomposable the whole k0. */
static orff_status k0_at(const orffi_bound_setting *s, const double *delta, double factor, double *k) {
    double *t;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t, s->d));
    for (size_t i = 0; i < s->d; i++) t[i] = factor * delta[i];
    for (size_t i = 0; s->physical && i < s->space; i++) t[s->part->law.space[i]] = 0.0;
    *k = orffi_spectrum_k0(&s->part->law, t);
    orffi_release(t);
    return ORFF_OK;
}

static orff_status variance_at(const orffi_bound_setting *s, const double *delta, orff_variance *b) {
    double k1, k2, sum = 0.0;
    *b = unknown;
    if (!s->known) return ORFF_OK;
    ORFFI_TRY(k0_at(s, delta, 1.0, &k1));
    ORFFI_TRY(k0_at(s, delta, 2.0, &k2));
    if (!s->physical) {
        *b = decomposable(s, k1, k2);
    } else if (s->spherical) {
        for (size_t i = 0; i < s->space; i++) {
            const double x = delta[s->part->law.space[i]];
            sum += x * x;
        }
        *b = axial(s, sqrt(sum), k1, k2);
    } else if (s->gaussian) {
        return several(s, delta, k2, &b->exact);
    }
    return ORFF_OK;
}

/* ---- the largest over a ball */

typedef orff_variance at_radius(const orffi_bound_setting *s, double r);

static orff_variance axial_at(const orffi_bound_setting *s, double r) {
    return axial(s, r, 1.0, 1.0);
}

/* r in units of the length scales */
static orff_variance decomposable_at(const orffi_bound_setting *s, double r) {
    const orffi_base_ops *base = s->part->law.base;
    return decomposable(s, base->k0(s->part->law.shape, r), base->k0(s->part->law.shape, 2.0 * r));
}

static double field(const orff_variance *b, int which) {
    return which == 0 ? b->exact : which == 1 ? b->corrected : which == 2 ? b->printed : b->importance;
}

static double value(const orffi_bound_setting *s, at_radius *at, int which, double r) {
    const orff_variance b = at(s, r);
    return field(&b, which);
}

/* Golden section between two radii around the best of the grid. */
static double refine(const orffi_bound_setting *s, at_radius *at, int which, double low, double high) {
    const double ratio = 0.6180339887498949;
    double best = 0.0;
    for (int i = 0; i < 60; i++) {
        const double a = high - ratio * (high - low), c = low + ratio * (high - low);
        const double fa = value(s, at, which, a), fc = value(s, at, which, c);
        best = fmax(best, fmax(fa, fc));
        if (fa > fc)
            high = c;
        else
            low = a;
    }
    return best;
}

#define GRID 2000

/* Radii from 0 to `end`, denser near 0: end x^4. */
static double grid_radius(double end, int i) {
    const double x = (double)i / GRID;
    return end * x * x * x * x;
}

static double largest(const orffi_bound_setting *s, at_radius *at, int which, double end) {
    double best = -INFINITY;
    int place = 0;
    for (int i = 0; i <= GRID; i++) {
        const double f = value(s, at, which, grid_radius(end, i));
        if (isnan(f)) return NAN;
        if (f > best) {
            best = f;
            place = i;
        }
    }
    const double low = grid_radius(end, place > 0 ? place - 1 : 0);
    const double high = grid_radius(end, place < GRID ? place + 1 : GRID);
    return fmax(best, refine(s, at, which, low, high));
}

/* Beyond this many length scales every k0 equals its limit to rounding, or (rational quadratic, Matern of
 * small shape) is so close that b decreases towards it. */
#define FAR 1e4

void orffi_bound_variance_largest(const orffi_bound_setting *s, double radius, orff_variance *b) {
    const bool squares = !s->physical && s->part->law.base->squares;
    *b = unknown;
    if (!s->known) return;
    if (squares) { /* b increases to |A|^2/2; the printed bound decreases from its value at 0 */
        *b = (orff_variance){s->K0 * s->K0 / 2.0, s->K0 * s->K0 / 2.0, s->K0 + 1.0, NAN};
        return;
    }
    if (!s->part->law.base->spherical || (s->physical && (!s->spherical || s->covariates))) return;
    at_radius *at = s->physical ? axial_at : decomposable_at;
    const double unit = s->physical ? s->sigma : 1.0;
    const double end = fmin(s->physical ? radius : radius / s->sigma, FAR * unit);
    b->exact = largest(s, at, 0, end);
    b->corrected = largest(s, at, 1, end);
    b->printed = largest(s, at, 2, end);
    b->importance = largest(s, at, 3, end);
}

/* ---- public */

static orff_status begin(orffi_bound_setting *s, const orff_part *part, size_t d, size_t p,
                         const void *other) {
    if (!part || !other) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_bound_variance: NULL argument");
    return orffi_bound_setting_init(s, part, d, p);
}

orff_status orff_bound_variance(const orff_part *part, size_t d, size_t p, const double *delta,
                                orff_variance *b) {
    orffi_bound_setting s;
    orff_variance result = {0};
    ORFFI_TRY(begin(&s, part, d, p, b));
    orff_status status = orffi_check_finite("delta", 1, d, delta);
    if (!status) status = variance_at(&s, delta, &result);
    if (!status) *b = result;
    orffi_bound_setting_clear(&s);
    return status;
}

orff_status orff_bound_variance_sup(const orff_part *part, size_t d, size_t p, double radius,
                                    orff_variance *b) {
    orffi_bound_setting s;
    if (!(radius >= 0.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the radius is %g; it must be at least 0", radius);
    ORFFI_TRY(begin(&s, part, d, p, b));
    orffi_bound_variance_largest(&s, radius, b);
    orffi_bound_setting_clear(&s);
    return ORFF_OK;
}
