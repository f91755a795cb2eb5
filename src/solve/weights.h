/* The weights of a sum's parts by the evidence: quasi-Newton ascent in x = (log v_1 .. log v_parts, log s2),
 * for any way of computing the evidence. */
#ifndef ORFFI_SOLVE_WEIGHTS_H
#define ORFFI_SOLVE_WEIGHTS_H

#include "base/status.h"

#define ORFFI_MOST_PARTS 64

/* log p(y) at x and its gradient (parts + 1). ORFF_ERROR_NOT_POSITIVE if the matrix is singular to rounding:
 * the search then shortens the step. */
typedef orff_status orffi_evidence_fn(void *self, const double *x, double *value, double *gradient);

typedef struct orffi_weights_search {
    size_t parts, outputs;
    const double *trace; /* parts: trace of K_m(0) at v = 1 */
    double variance;     /* mean square of the centred outputs */
    orffi_evidence_fn *evidence;
    void *self;

    /* variables; those not free stay unchanged (v = 0 is -INFINITY) */
    bool free[ORFFI_MOST_PARTS + 1];
    double x[ORFFI_MOST_PARTS + 1], start[ORFFI_MOST_PARTS + 1], gradient[ORFFI_MOST_PARTS + 1];
    double H[ORFFI_MOST_PARTS + 1][ORFFI_MOST_PARTS + 1]; /* inverse of the negative Hessian, built by BFGS */
    double value;
    size_t evaluations;
    bool converged;
} orffi_weights_search;

/* Checks arguments for functions that learn weights. */
orff_status orffi_weights_check(size_t parts, const double *weights, double drop);

/* Maximises the evidence from the start weights (relative to each other), drops parts whose share is below
 * `drop`, and maximises again. */
orff_status orffi_weights_learn(orffi_weights_search *s, const double *weights, double drop);

/* v_m trace K_m(0) and p s2, as shares of their sum: parts + 1 numbers. */
void orffi_weights_shares(const orffi_weights_search *s, double *shares);

#endif
