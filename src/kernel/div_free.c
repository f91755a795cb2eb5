/* Divergence-free: B B^T = |w|^2 I - w w^T, by the p-1 columns of a Householder reflection that are orthogonal
 * to w, each of length n = |w|. With sgn = sign of w_1 (+1 at 0) and t, y split in first and rest:
 *
 *     B[1,k] = -sgn w_k,   B[i,k] = n [i=k] - w_i w_k / (n + |w_1|),   i, k = 2..p
 *
 * B is never stored: applying it costs O(p). In the plane B = sgn (-w_2, w_1).
 */
#include <math.h>

#include "kernel/kernel.h"

static orff_status prepare(orffi_kernel_part *part, const orff_part *given) {
    (void)given;
    if (part->p < 2)
        return orffi_fail(ORFF_ERROR_DOES_NOT_EXIST,
                          "a divergence-free field in one dimension is constant: it needs p >= 2");
    return ORFF_OK;
}

static size_t columns(size_t p) {
    return p > 1 ? p - 1 : 1;
}

static void frame(const orffi_kernel_part *part, double *along, double *across) {
    (void)part;
    *along = 0.0;
    *across = 1.0;
}

static double norm(const double *w, size_t p) {
    double sum = 0.0;
    for (size_t i = 0; i < p; i++) sum += w[i] * w[i];
    return sqrt(sum);
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void apply(const orffi_kernel_part *part, const double *w, const double *t, double *y) {
    const size_t rest = part->p - 1;
    const double n = norm(w, part->p);
    if (n == 0.0) return;
    const double h = dot(w + 1, t, rest), pull = h / (n + fabs(w[0]));
    y[0] -= part->root * (w[0] >= 0.0 ? h : -h);
    for (size_t i = 0; i < rest; i++) y[i + 1] += part->root * (n * t[i] - w[i + 1] * pull);
}

static void adjoint(const orffi_kernel_part *part, const double *w, const double *y, double *t) {
    const size_t rest = part->p - 1;
    const double n = norm(w, part->p);
    const double h = n > 0.0 ? dot(w + 1, y + 1, rest) / (n + fabs(w[0])) : 0.0;
    const double pull = (w[0] >= 0.0 ? y[0] : -y[0]) + h;
    for (size_t i = 0; i < rest; i++) t[i] = part->root * (n * y[i + 1] - w[i + 1] * pull);
}

/* K_div = trace(K_curl) I - K_curl */
static orff_status exact(const orffi_kernel_part *part, const double *delta, double *K) {
    const size_t p = part->p;
    double trace = 0.0;
    orffi_spectrum_curl(&part->law, delta, K);
    for (size_t i = 0; i < p; i++) trace += K[i * p + i];
    for (size_t i = 0; i < p * p; i++) K[i] = -K[i];
    for (size_t i = 0; i < p; i++) K[i * p + i] += trace;
    return ORFF_OK;
}

const orffi_rule_ops orffi_rule_div_free = {
    .id = ORFF_RULE_DIV_FREE,
    .words = "divergence-free",
    .physical = true,
    .elementary = true,
    .columns = columns,
    .frame = frame,
    .prepare = prepare,
    .apply = apply,
    .adjoint = adjoint,
    .exact = exact,
};
