/* Delayed: K_ij(delta) = A_ij k0(delta - tau_i + tau_j), one process that output i shows with delay tau_i,
 * f_i(x) = g_i(x - tau_i). A(w)_ij = A_ij e^{i<w, tau_i - tau_j>} is Hermitian, B(w) = diag(e^{i<w,tau_i>})
 * B. */
#include <math.h>

#include "base/memory.h"
#include "kernel/kernel.h"

static orff_status prepare(orffi_kernel_part *part, const orff_part *given) {
    ORFFI_TRY(orffi_rule_decomposable.prepare(part, given));
    if (!given->delays) return ORFFI_NEW_ARRAY(part->delays, part->p * part->d);
    ORFFI_TRY(orffi_check_finite("delays", part->p, part->d, given->delays));
    return orffi_duplicate(&part->delays, given->delays, part->p * part->d, sizeof *part->delays);
}

static orff_status blocks(const orffi_kernel_part *part, size_t count, const double *w, double *B) {
    const size_t p = part->p, d = part->d, columns = part->columns;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < p; i++) {
            double phase = 0.0;
            for (size_t k = 0; k < d; k++) phase += w[j * d + k] * part->delays[i * d + k];
            for (size_t k = 0; k < columns; k++) {
                const double b = part->B ? part->B[i * columns + k] : (double)(i == k);
                double *to = B + 2 * ((j * p + i) * columns + k);
                to[0] = b * cos(phase);
                to[1] = b * sin(phase);
            }
        }
    return ORFF_OK;
}

static orff_status exact(const orffi_kernel_part *part, size_t count, const double *delta, double *K) {
    const size_t p = part->p, d = part->d;
    double *moved;
    ORFFI_TRY(ORFFI_NEW_ARRAY(moved, d));
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++) {
                const double a = part->A ? part->A[i * p + j] : (double)(i == j);
                for (size_t k = 0; k < d; k++)
                    moved[k] = delta[n * d + k] - part->delays[i * d + k] + part->delays[j * d + k];
                K[(n * p + i) * p + j] = a == 0.0 ? 0.0 : a * orffi_spectrum_k0(&part->law, moved);
            }
    orffi_release(moved);
    return ORFF_OK;
}

const orffi_rule_ops orffi_rule_delayed = {
    .id = ORFF_RULE_DELAYED,
    .words = "one process shown late",
    .hermitian = true,
    .coupled = true,
    .delays = true,
    .prepare = prepare,
    .exact_many = exact,
    .blocks = blocks,
};
