#include "exact/evidence_part.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- the part at x */

static double trace_of(size_t p, const double *K) {
    double sum = 0.0;
    for (size_t i = 0; i < p; i++) sum += K[i * p + i];
    return sum;
}

static orff_status set_size(orffi_evidence_part *e) {
    const size_t p = e->part.p, d = e->part.d;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, d + p * p));
    const orff_status status = orffi_part_exact(&e->part, 1, work, work + d);
    e->size = status ? 1.0 : trace_of(p, work + d) / (double)p;
    orffi_release(work);
    return status;
}

/* At delta = 0. These derivatives are 0 for kernels without images. */
static orff_status set_size_by_scale(orffi_evidence_part *e) {
    const orffi_spectrum *law = &e->part.law;
    const size_t p = law->space_count, d = law->dim;
    double *work, k0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, d + 2 * p * p));
    double *zero = work, *K = work + d, *along = K + p * p;
    if (e->part.rule->physical) {
        orffi_spectrum_curl_scales(law, zero, K, along, e->size_by_scale);
        e->size_by_scale[law->space[0]] = trace_of(p, along) / trace_of(p, K);
    } else {
        orffi_spectrum_k0_scales(law, zero, &k0, e->size_by_scale);
        for (size_t i = 0; i < d; i++) e->size_by_scale[i] /= k0;
    }
    orffi_release(work);
    return ORFF_OK;
}

/* trace K(0) = trace K_curl(0) (along + (p-1) across). */
static void set_mix(orffi_evidence_part *e, const double *mix) {
    const double rest = (double)e->part.p - 1.0;
    e->size_by_mix = 0.0;
    if (!e->part.rule->physical) return;
    if (mix && e->part.rule->mixes) e->part.mix = 1.0 / (1.0 + exp(-*mix));
    e->part.rule->frame(&e->part, &e->along, &e->across);
    if (mix && e->part.rule->mixes)
        e->size_by_mix = e->along * e->across * (1.0 - rest) / (e->along + rest * e->across);
}

orff_status orffi_evidence_part_set(orffi_evidence_part *e, const size_t *dials, const double *x,
                                    const double *mix) {
    for (size_t i = 0; i < e->part.d; i++)
        e->part.law.scale[i] = e->scale[i] * (dials[i] == ORFFI_NO_DIAL ? 1.0 : exp(x[dials[i]]));
    set_mix(e, mix);
    if (e->part.law.period) ORFFI_TRY(set_size_by_scale(e));
    return set_size(e);
}

/* ---- blocks */

static double matrix_entry(const orffi_kernel_part *part, size_t a, size_t b) {
    return part->A ? part->A[a * part->p + b] : (double)(a == b);
}

void orffi_evidence_part_block(const orffi_evidence_part *e, size_t q, const double *delta, double *K,
                               double *work) {
    const orffi_kernel_part *part = &e->part;
    if (part->rule->separable) {
        const double k0 = orffi_spectrum_k0(&part->law, delta) / e->size;
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++) K[a * q + b] = k0 * matrix_entry(part, a, b);
        return;
    }
    orffi_spectrum_curl(&part->law, delta, work);
    const double trace = trace_of(q, work);
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++)
            K[a * q + b] =
                ((e->along - e->across) * work[a * q + b] + (a == b ? e->across * trace : 0.0)) / e->size;
}

/* ---- contributions to the gradient */

static void contract_separable(const orffi_evidence_part *e, size_t q, const size_t *dials,
                               const double *delta, const double *W, size_t step, double factor,
                               const orffi_evidence_sink *sink, double *slopes) {
    double k0, sum = 0.0;
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++) sum += W[a * step + b] * matrix_entry(&e->part, a, b);
    sum *= factor / e->size;
    orffi_spectrum_k0_scales(&e->part.law, delta, &k0, slopes);
    *sink->whole += k0 * sum;
    for (size_t i = 0; i < e->part.d; i++)
        if (dials[i] != ORFFI_NO_DIAL)
            sink->by_scale[dials[i]] += (slopes[i] - k0 * e->size_by_scale[i]) * sum;
}

/* <W, M> and trace(W) trace(M), M q x q. */
static void products(size_t q, const double *W, size_t step, const double *M, double *inner, double *traces) {
    double trace = 0.0;
    *inner = 0.0;
    for (size_t a = 0; a < q; a++) {
        trace += W[a * step + a];
        for (size_t b = 0; b < q; b++) *inner += W[a * step + b] * M[a * q + b];
    }
    *traces = trace * trace_of(q, M);
}

/* K = (along - across) K_curl + across trace(K_curl) I, divided by its size. In the derivative by
 * log(c/(1-c)) the coefficients are 2 and -1, times along across. */
static void contract_physical(const orffi_evidence_part *e, size_t q, const size_t *dials, bool mix,
                              const double *delta, const double *W, size_t step, double factor,
                              const orffi_evidence_sink *sink, double *work) {
    const orffi_spectrum *law = &e->part.law;
    const double front = factor / e->size, turned = e->along - e->across;
    double *K = work, *along = K + q * q, *slopes = along + q * q, inner, traces;
    orffi_spectrum_curl_scales(law, delta, K, along, slopes);
    products(q, W, step, K, &inner, &traces);
    const double whole = front * (turned * inner + e->across * traces);
    *sink->whole += whole;
    if (mix && e->part.rule->mixes)
        *sink->by_mix += front * e->along * e->across * (2.0 * inner - traces) - whole * e->size_by_mix;
    for (size_t i = 0; i < e->part.d - law->space_count; i++) {
        const size_t input = law->covariates[i];
        if (dials[input] != ORFFI_NO_DIAL)
            sink->by_scale[dials[input]] += (slopes[input] - e->size_by_scale[input]) * whole;
    }
    if (dials[law->space[0]] == ORFFI_NO_DIAL) return;
    products(q, W, step, along, &inner, &traces);
    sink->by_scale[dials[law->space[0]]] +=
        front * (turned * inner + e->across * traces) - e->size_by_scale[law->space[0]] * whole;
}

void orffi_evidence_part_contract(const orffi_evidence_part *e, size_t q, const size_t *dials, bool mix,
                                  const double *delta, const double *W, size_t step, double factor,
                                  const orffi_evidence_sink *sink, double *work) {
    if (e->part.rule->separable)
        contract_separable(e, q, dials, delta, W, step, factor, sink, work);
    else
        contract_physical(e, q, dials, mix, delta, W, step, factor, sink, work);
}
