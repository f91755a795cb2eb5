/* Helmholtz: c curl-free + (1-c) divergence-free on the same frequencies, by one symmetric block
 *
 *     B = sqrt(1-c) |w| I + (sqrt(c) - sqrt(1-c)) w w^T / |w|        p' = p
 */
#include <math.h>

#include "kernel/kernel.h"

static orff_status prepare(orffi_kernel_part *part, const orff_part *given) {
    if (!(given->mix >= 0.0 && given->mix <= 1.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the Helmholtz mix is %g; it must be between 0 and 1",
                          given->mix);
    if (part->p < 2)
        return orffi_fail(ORFF_ERROR_DOES_NOT_EXIST,
                          "%s needs p >= 2; in one dimension every field is a gradient: use %s",
                          orff_rule_name(ORFF_RULE_HELMHOLTZ), orff_rule_name(ORFF_RULE_CURL_FREE));
    part->mix = given->mix;
    return ORFF_OK;
}

static void frame(const orffi_kernel_part *part, double *along, double *across) {
    *along = part->mix;
    *across = 1.0 - part->mix;
}

/* out += root B in, B symmetric. */
static void add_product(const orffi_kernel_part *part, const double *w, const double *in, double *out) {
    double n2 = 0.0, dot = 0.0;
    for (size_t i = 0; i < part->p; i++) {
        n2 += w[i] * w[i];
        dot += w[i] * in[i];
    }
    if (n2 == 0.0) return;
    const double n = sqrt(n2), across = part->root * sqrt(1.0 - part->mix);
    const double along = part->root * sqrt(part->mix);
    for (size_t i = 0; i < part->p; i++) out[i] += across * n * in[i] + (along - across) * (dot / n) * w[i];
}

static void adjoint(const orffi_kernel_part *part, const double *w, const double *y, double *t) {
    for (size_t i = 0; i < part->p; i++) t[i] = 0.0;
    add_product(part, w, y, t);
}

/* c K_curl + (1-c) (trace(K_curl) I - K_curl) */
static orff_status exact(const orffi_kernel_part *part, const double *delta, double *K) {
    const size_t p = part->p;
    const double c = part->mix;
    double trace = 0.0;
    orffi_spectrum_curl(&part->law, delta, K);
    for (size_t i = 0; i < p; i++) trace += K[i * p + i];
    for (size_t i = 0; i < p * p; i++) K[i] *= 2.0 * c - 1.0;
    for (size_t i = 0; i < p; i++) K[i * p + i] += (1.0 - c) * trace;
    return ORFF_OK;
}

const orffi_rule_ops orffi_rule_helmholtz = {
    .id = ORFF_RULE_HELMHOLTZ,
    .words = "Helmholtz",
    .physical = true,
    .mixes = true,
    .frame = frame,
    .prepare = prepare,
    .apply = add_product,
    .adjoint = adjoint,
    .exact = exact,
};
