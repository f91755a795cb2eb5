/* The evidence of rows under a sum of parts that oscillate, a spectral mixture:
 *
 *     C_ij = sum_m v_m k_m(x_i - x_j) cos<mu_m, x_i - x_j> + s [i = j]
 *     log p(Y) = -1/2 [ tr Y^T C^-1 Y + p log det C + n p log 2 pi ]                (outputs are draws of one process)
 *
 * Rows come in independent groups, as in evidence.h. */
#ifndef ORFFI_EXACT_WAVES_H
#define ORFFI_EXACT_WAVES_H

#include "exact/evidence.h"

/* Unknowns x: for each part log l (d), the waves over the extent of each input (d; mu_k = 2 pi u_k /
 * extent_k), and log v; finally log s. */
typedef struct orffi_waves {
    size_t d, p, n_parts, n_groups;
    const orffi_evidence_rows *rows; /* X, Y and weights */
    const double *extent;            /* d */
    orffi_spectrum *laws;            /* n_parts: every evaluation sets their length scales and centres */
    double *C, *T, *work;            /* of the largest group: n x n, n x p; room for differences and waves */
} orffi_waves;

/* base and shape of each part are those of `parts`. Rows and extent stay the caller's. Clear it even if this
 * fails. */
orff_status orffi_waves_init(orffi_waves *e, size_t d, size_t p, size_t n_parts, const orff_part *parts,
                             size_t n_groups, const orffi_evidence_rows *rows, const double *extent);
void orffi_waves_clear(orffi_waves *e);

/* Where log l, u and log v of a part start in x, and the number of unknowns. */
static inline size_t orffi_waves_at_l(const orffi_waves *e, size_t m) {
    return m * (2 * e->d + 1);
}
static inline size_t orffi_waves_at_u(const orffi_waves *e, size_t m) {
    return orffi_waves_at_l(e, m) + e->d;
}
static inline size_t orffi_waves_at_v(const orffi_waves *e, size_t m) {
    return orffi_waves_at_l(e, m) + 2 * e->d;
}
static inline size_t orffi_waves_unknowns(const orffi_waves *e) {
    return e->n_parts * (2 * e->d + 1) + 1;
}

/* log p(Y) at x and, unless NULL, its gradient. ORFF_ERROR_NOT_POSITIVE if C is singular to rounding. */
orff_status orffi_waves_evaluate(orffi_waves *e, const double *x, double *value, double *gradient);

/* The gain of one more sine with free amplitude and phase, for each of `count` waves. A row of `waves` (count
 * x d) says how many periods fit the extent of each input. With F (n x 2) the cosine and sine, G = F^T C^-1 F
 * and b = F^T C^-1 Y, the amplitudes are G^-1 b and log p(Y) gains
 *     1/2 tr b^T G^-1 b
 * (the periodogram of Lomb and Scargle if C = s I). amplitude: half their mean square. gain and amplitude:
 * count. */
orff_status orffi_waves_scan(orffi_waves *e, const double *x, size_t count, const double *waves, double *gain,
                             double *amplitude);

#endif
