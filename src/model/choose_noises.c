/* A noise for each output. Where the outputs are draws of one scalar process (candidate.h), each has its
 * own variance v_k, and one ratio s of noise to field would serve them all. An output gets its own ratio
 * s_k if that raises its evidence by more than the price of an unknown. Outputs are then divided by their
 * noise, and the kernel carries the signal:
 *
 *     y_k = spread_k (g_k + noise),      K = k (x) diag(1/s_k) / mean(1/s),      spread_k^2 ~ v_k s_k
 *
 * so that engines see one noise for all outputs. Ratios are powers of 2 apart: the maximum is flat (a
 * ratio wrong by a factor 1.4 raises the squared error by a few per cent), and outputs of equal ratio
 * share one factorisation. */
#include <math.h>

#include "base/memory.h"
#include "model/choice.h"

#define STEP 0.69314718055994530942 /* log 2 */

/* The best ratio of an output so far. */
typedef struct own {
    double value, log_ratio, variance;
    double common, common_variance; /* at the common ratio */
} own;

/* ---- looking */

/* Evidences of all outputs at another ratio. *better: it is the best so far for some output. values,
 * variances: p. */
static orff_status try_ratio(orffi_choice *c, double log_ratio, own *each, double *values, double *variances,
                             bool *better) {
    *better = false;
    if (log_ratio < ORFFI_LEAST_LOG_NOISE || log_ratio > ORFFI_MOST_LOG_NOISE) return ORFF_OK;
    const orff_status status =
        orffi_candidate_outputs(&c->best, &c->judge, &c->many, log_ratio, values, variances);
    if (status == ORFF_ERROR_NOT_POSITIVE) return ORFF_OK;
    ORFFI_TRY(status);
    for (size_t k = 0; k < c->plan->p; k++) {
        if (!(values[k] > each[k].value)) continue;
        each[k] = (own){values[k], log_ratio, variances[k], each[k].common, each[k].common_variance};
        *better = true;
    }
    return ORFF_OK;
}

/* From the common ratio up, then down, as long as some output gains. */
static orff_status try_ratios(orffi_choice *c, own *each, double *values, double *variances) {
    const double common = c->best.log_noise;
    bool better = true;
    ORFFI_TRY(orffi_candidate_outputs(&c->best, &c->judge, &c->many, common, values, variances));
    for (size_t k = 0; k < c->plan->p; k++)
        each[k] = (own){values[k], common, variances[k], values[k], variances[k]};
    for (int i = 1; better; i++) ORFFI_TRY(try_ratio(c, common + i * STEP, each, values, variances, &better));
    better = true;
    for (int i = 1; better; i++) ORFFI_TRY(try_ratio(c, common - i * STEP, each, values, variances, &better));
    return ORFF_OK;
}

/* Whether some output keeps a ratio of its own: it must gain half the logarithm of the number of rows
 * (Schwarz). */
static bool keep_worthy(const orffi_choice *c, own *each, double *noise) {
    size_t rows = 0;
    bool any = false;
    for (size_t g = 0; g < c->many.count; g++) rows += c->many.tables[g].n;
    const double price = 0.5 * log(fmax((double)rows, 1.0));
    for (size_t k = 0; k < c->plan->p; k++) {
        if (each[k].value > each[k].common + price) {
            any = true;
            noise[k] = sqrt(each[k].variance * exp(each[k].log_ratio)) * c->plan->units.spread[k];
        } else {
            each[k].log_ratio = c->best.log_noise;
            each[k].variance = each[k].common_variance;
        }
    }
    return any;
}

/* ---- settling */

/* Constant outputs have no noise and stay as they are. */
static void set_spreads(orffi_plan *plan, const own *each) {
    double sum = 0.0;
    size_t count = 0;
    for (size_t k = 0; k < plan->p; k++) {
        sum += each[k].variance * exp(each[k].log_ratio);
        count += each[k].variance > 0.0;
    }
    for (size_t k = 0; k < plan->p; k++)
        if (each[k].variance > 0.0)
            plan->units.spread[k] *= sqrt(each[k].variance * exp(each[k].log_ratio) * (double)count / sum);
}

static orff_status set_matrix(orffi_plan *plan, const own *each) {
    const size_t p = plan->p;
    orffi_planned_part *one = &plan->parts.list[0];
    double mean = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(one->A, p * p));
    for (size_t k = 0; k < p; k++) mean += exp(-each[k].log_ratio) / (double)p;
    for (size_t k = 0; k < p; k++) one->A[k * p + k] = exp(-each[k].log_ratio) / mean;
    one->part.A = one->A;
    plan->shift = 1.0 / mean;
    return ORFF_OK;
}

/* Sums of scalar kernels keep one ratio: a sum of k_m A is not one scalar system. */
static bool applies(const orffi_plan *plan, size_t rows) {
    const orffi_planned_part *one = &plan->parts.list[0];
    const size_t most = plan->engine->parts_noises;
    return plan->p > 1 && !one->part.learn && (!most || rows <= most) && plan->parts.count == 1 &&
           plan->settings.lambda == 0.0 && plan->units.spread &&
           plan->settings.scale_outputs == ORFF_SWITCH_AUTO &&
           orffi_evidence_order(1, &one->part, plan->p, 1) == 1;
}

orff_status orffi_choice_part_noises(orffi_choice *c, double *noise) {
    const size_t p = c->plan->p;
    own *each = NULL;
    double *values = NULL;
    if (c->left_out > 0.0 || !applies(c->plan, c->table.n)) return ORFF_OK; /* the evidence was overruled */
    orff_status status = ORFFI_NEW_ARRAY(each, p);
    if (!status) status = ORFFI_NEW_ARRAY(values, 2 * p);
    if (!status) status = try_ratios(c, each, values, values + p);
    if (!status && keep_worthy(c, each, noise)) {
        set_spreads(c->plan, each);
        status = set_matrix(c->plan, each);
    }
    orffi_release(each);
    orffi_release(values);
    return status;
}
