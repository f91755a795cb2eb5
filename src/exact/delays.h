/* The evidence of rows whose outputs show one process late, each by its own delay:
 *
 *     C_(i,a),(j,b) = A_ab k0(x_i - x_j - tau_a + tau_b) + s [i = j, a = b],     A = a a^T + diag(c)
 *     log p(y) = -1/2 [ y^T C^-1 y + log det C + P log 2 pi ]                    (P = n p)
 *
 * a a^T is what the outputs share, c what each has of its own. The first output is the clock: its delay is 0. Rows come in
 * groups that know nothing of each other, as in evidence.h. */
#ifndef ORFFI_EXACT_DELAYS_H
#define ORFFI_EXACT_DELAYS_H

#include "exact/evidence.h"

/* Unknowns x, in this order: log l (d), a (p), log c (p), tau of all outputs but the first ((p-1) d), log s. */
typedef struct orffi_delays {
    size_t p, n_groups;
    const orffi_evidence_rows *rows; /* X, Y and weights */
    orffi_spectrum law;              /* of k0: its length scales are set by every evaluation */
    double *C;                       /* of the largest group, P x P */
    double *y, *M;                   /* 2 P; p x p */
} orffi_delays;

/* base and shape, with a derivative; periods: d, or NULL. The rows stay the caller's. */
orff_status orffi_delays_init(orffi_delays *e, size_t d, size_t p, size_t n_groups,
                              const orffi_evidence_rows *rows, orff_base base, double shape,
                              const double *periods);
void orffi_delays_clear(orffi_delays *e);

size_t orffi_delays_unknowns(const orffi_delays *e);

/* Where a, log c and tau begin in x. */
static inline size_t orffi_delays_at_a(const orffi_delays *e) {
    return e->law.dim;
}
static inline size_t orffi_delays_at_c(const orffi_delays *e) {
    return e->law.dim + e->p;
}
static inline size_t orffi_delays_at_tau(const orffi_delays *e) {
    return e->law.dim + 2 * e->p;
}

/* log p(y) at x, and its gradient where that is not NULL. ORFF_ERROR_NOT_POSITIVE where C is singular to rounding. */
orff_status orffi_delays_evaluate(orffi_delays *e, const double *x, double *value, double *gradient);

#endif
