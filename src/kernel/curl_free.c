/* Curl-free: B(w) = w, one column. K = -grad grad^T k0. */
#include "kernel/kernel.h"

static orff_status prepare(orffi_kernel_part *part, const orff_part *given) {
    (void)part;
    (void)given;
    return ORFF_OK;
}

static size_t columns(size_t p) {
    (void)p;
    return 1;
}

static void frame(const orffi_kernel_part *part, double *along, double *across) {
    (void)part;
    *along = 1.0;
    *across = 0.0;
}

static void apply(const orffi_kernel_part *part, const double *w, const double *t, double *y) {
    for (size_t i = 0; i < part->p; i++) y[i] += w[i] * (part->root * t[0]);
}

static void adjoint(const orffi_kernel_part *part, const double *w, const double *y, double *t) {
    double sum = 0.0;
    for (size_t i = 0; i < part->p; i++) sum += w[i] * y[i];
    t[0] = part->root * sum;
}

static orff_status exact(const orffi_kernel_part *part, const double *delta, double *K) {
    orffi_spectrum_curl(&part->law, delta, K);
    return ORFF_OK;
}

const orffi_rule_ops orffi_rule_curl_free = {
    .id = ORFF_RULE_CURL_FREE,
    .words = "curl-free",
    .physical = true,
    .elementary = true,
    .columns = columns,
    .frame = frame,
    .prepare = prepare,
    .apply = apply,
    .adjoint = adjoint,
    .exact = exact,
};
