/* Sums over the images of a kernel, shell by shell: shell s holds the images with max |m_i| = s. */
#include <math.h>

#include "base/periods.h"
#include "sampling/grid.h"

/* The contribution of one image, or of a sum of images. */
typedef struct term {
    double plain;                      /* k0 */
    double gradient;                   /* |grad grad^T k0| divided by its value at 0 */
    double second[ORFFI_GRID_MAX_DIM]; /* -d^2 k0 / d v_i^2 on the space, signed */
} term;

void orffi_grid_set_reach(orffi_grid *grid, double reach) {
    const orffi_spectrum *law = grid->law;
    for (size_t i = 0; i < law->dim; i++)
        grid->period[i] =
            orffi_is_periodic(law->period, i) ? law->period[i] / law->scale[i] : grid->extent[i] + reach;
}

static double norm_over(size_t count, const size_t *inputs, const double *a) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += a[inputs[i]] * a[inputs[i]];
    return sqrt(sum);
}

/* |g1 I - g2r2 u u^T| */
static double hessian_norm(const orffi_spectrum *law, double r) {
    double g1, g2r2;
    law->base->slopes(law->shape, r, &g1, &g2r2);
    return law->space_count > 1 ? fmax(fabs(g1), fabs(g1 - g2r2)) : fabs(g1 - g2r2);
}

/* Second derivatives may rise again before they decay; beyond this distance they only decay. */
#define SETTLED    6.0
#define LOOK_AHEAD 0.05

/* The largest hessian_norm at distance r or more. */
static double hessian_envelope(const orffi_spectrum *law, double r) {
    double largest = hessian_norm(law, r);
    for (double at = r + LOOK_AHEAD; at < SETTLED; at += LOOK_AHEAD)
        largest = fmax(largest, hessian_norm(law, at));
    return largest;
}

static term spherical_term(const orffi_grid *grid, const double *a, bool envelope) {
    const orffi_spectrum *law = grid->law;
    const size_t m = law->space_count, rest = law->dim - m;
    const double r = norm_over(m, law->space, a);
    const double beside = rest ? law->base->k0(law->shape, norm_over(rest, law->covariates, a)) : 1.0;
    term t = {.plain = law->base->k0(law->shape, r) * beside};
    if (!grid->gradient) return t;
    t.gradient = (envelope ? hessian_envelope(law, r) : hessian_norm(law, r)) * beside / grid->unit;
    double g1, g2r2;
    law->base->slopes(law->shape, r, &g1, &g2r2);
    for (size_t i = 0; i < m; i++) {
        const double u = r > 0.0 ? a[law->space[i]] / r : 0.0;
        t.second[i] = (g1 - g2r2 * u * u) * beside;
    }
    return t;
}

/* f, |f'| and f'' of one coordinate; envelope: the largest |f'| and |f''| at distance v or more. */
static void factor_terms(const orffi_base_ops *base, double v, bool envelope, double f[3]) {
    base->factor(v, &f[0], &f[1], &f[2]);
    f[1] = fabs(f[1]);
    if (!envelope) return;
    f[2] = fabs(f[2]);
    for (double at = v + LOOK_AHEAD; at < SETTLED; at += LOOK_AHEAD) {
        double g[3];
        base->factor(at, &g[0], &g[1], &g[2]);
        f[1] = fmax(f[1], fabs(g[1]));
        f[2] = fmax(f[2], fabs(g[2]));
    }
}

/* The product of f_k over all inputs but i and j. */
static double product_without(size_t dim, double f[][3], size_t i, size_t j) {
    double product = 1.0;
    for (size_t k = 0; k < dim; k++)
        if (k != i && k != j) product *= f[k][0];
    return product;
}

/* The spectral norm is at most the largest row sum of absolute values. */
static term product_term(const orffi_grid *grid, const double *a, bool envelope) {
    const orffi_spectrum *law = grid->law;
    const size_t d = law->dim, m = law->space_count;
    double f[ORFFI_GRID_MAX_DIM][3];
    for (size_t i = 0; i < d; i++) factor_terms(law->base, a[i], envelope && grid->gradient, f[i]);
    term t = {.plain = product_without(d, f, d, d)};
    for (size_t x = 0; grid->gradient && x < m; x++) {
        const size_t i = law->space[x];
        t.second[x] = -f[i][2] * product_without(d, f, i, i);
        double row = fabs(t.second[x]);
        for (size_t y = 0; y < m; y++)
            if (y != x) row += f[i][1] * f[law->space[y]][1] * product_without(d, f, i, law->space[y]);
        t.gradient = fmax(t.gradient, row / grid->unit);
    }
    return t;
}

/* image: the m_i, all >= 0. With the envelope, each image is evaluated at its nearest to any |v_i| <= E_i,
 * else at v = 0. All 2^(nonzero m_i) mirror images contribute equally. */
static term image_term(const orffi_grid *grid, const size_t *image, bool envelope) {
    double a[ORFFI_GRID_MAX_DIM], mirrors = 1.0;
    for (size_t i = 0; i < grid->law->dim; i++) {
        a[i] = image[i] ? (double)image[i] * grid->period[i] - (envelope ? grid->extent[i] : 0.0) : 0.0;
        if (image[i]) mirrors *= 2.0;
    }
    term t = grid->law->base->spherical ? spherical_term(grid, a, envelope) : product_term(grid, a, envelope);
    t.plain *= mirrors;
    t.gradient *= mirrors;
    for (size_t i = 0; i < ORFFI_GRID_MAX_DIM; i++) t.second[i] *= mirrors;
    return t;
}

static void add_term(term *sum, const term *t) {
    sum->plain += t->plain;
    sum->gradient += t->gradient;
    for (size_t i = 0; i < ORFFI_GRID_MAX_DIM; i++) sum->second[i] += t->second[i];
}

/* Whether an image belongs to the kernel itself: it differs in periodic inputs alone. */
static bool is_own(const orffi_grid *grid, const size_t *image) {
    for (size_t i = 0; i < grid->law->dim; i++)
        if (image[i] && !orffi_is_periodic(grid->law->period, i)) return false;
    return true;
}

static term shell_sum(const orffi_grid *grid, size_t s, bool envelope) {
    const size_t d = grid->law->dim, top[3] = {s, d > 1 ? s : 0, d > 2 ? s : 0};
    term sum = {0};
    size_t m[3];
    for (m[0] = 0; m[0] <= top[0]; m[0]++)
        for (m[1] = 0; m[1] <= top[1]; m[1]++)
            for (m[2] = 0; m[2] <= top[2]; m[2]++) {
                if ((m[0] != s && m[1] != s && m[2] != s) || (envelope && is_own(grid, m))) continue;
                const term t = image_term(grid, m, envelope);
                add_term(&sum, &t);
            }
    return sum;
}

/* The sum of all shells after `last`, which is shell s: fits a power law to it and to shell s/2, and adds a
 * quarter for safety. */
static double tail(double s, double half, double last) {
    if (last <= 0.0) return 0.0;
    const double power = log2(half / last);
    return power > 1.05 ? 1.25 * last * s / (power - 1.0) : (double)INFINITY;
}

/* Shells summed one by one, enough for the rest to follow a power law. */
static const size_t shell_limit[ORFFI_GRID_MAX_DIM + 1] = {0, 256, 48, 16};

/* The sum over all images except the kernel itself. The tail of the second derivatives is bounded by that of
 * their norm. */
static term image_sum(const orffi_grid *grid, bool envelope) {
    const size_t limit = shell_limit[grid->law->dim];
    term sum = {0}, half = {0};
    for (size_t s = 1; s <= limit; s++) {
        const term shell = shell_sum(grid, s, envelope);
        add_term(&sum, &shell);
        if (s == limit / 2) half = shell;
        if (shell.plain + shell.gradient < 1e-18) break;
        if (s < limit) continue;
        const double plain = tail((double)s, half.plain, shell.plain);
        const double gradient = tail((double)s, half.gradient, shell.gradient);
        sum.plain += plain;
        sum.gradient += gradient;
        for (size_t i = 0; grid->gradient && i < grid->law->space_count; i++)
            sum.second[i] += gradient * grid->unit;
    }
    return sum;
}

double orffi_grid_aliasing(const orffi_grid *grid) {
    const term sum = image_sum(grid, true);
    return fmax(sum.plain, sum.gradient);
}

orffi_grid_total orffi_grid_totals(const orffi_grid *grid) {
    const term sum = image_sum(grid, false);
    orffi_grid_total total = {.mass = 1.0 + sum.plain};
    for (size_t i = 0; grid->gradient && i < grid->law->space_count; i++)
        total.second[i] = grid->unit + sum.second[i];
    return total;
}
