/* The evidence of rows whose outputs show the same processes, each output with its own delay: a sum of parts,
 * which may have waves,
 *
 *     C_(i,a),(j,b) = sum_m A^m_ab k_m(delta) cos<mu_m, delta> + s [i = j, a = b],
 *     delta = x_i - x_j - tau^m_a + tau^m_b,     A^m = a a^T + diag(c)
 *     log p(y) = -1/2 [ y^T C^-1 y + log det C + P log 2 pi ]                    (P = n p)
 *
 * a a^T is what the outputs share, c what each has of its own. The first output is the reference: its delays
 * are 0. Rows come in independent groups, as in evidence.h. */
#ifndef ORFFI_EXACT_DELAYS_H
#define ORFFI_EXACT_DELAYS_H

#include "exact/evidence.h"

/* Unknowns x: for each part log l (d), the waves over the extent of each input (d; mu_k = 2 pi u_k /
 * extent_k), a (p), log c (p), tau of all outputs but the first ((p-1) d); finally log s. */
typedef struct orffi_delays {
    size_t d, p, n_parts, n_groups;
    const orffi_evidence_rows *rows; /* X, Y and weights */
    const double *extent;            /* d */
    orffi_spectrum *laws;            /* n_parts: every evaluation sets their length scales and centres */
    double *C;                       /* of the largest group, P x P */
    double *y, *M;                   /* 2 P; n_parts x p x p */
    double *work;                    /* room for differences and sines */
} orffi_delays;

/* base and shape of each part are those of `parts`; they must have a derivative. periods: d, or NULL; with
 * periods there are no waves. Rows and extent stay the caller's. Clear it even if this fails. */
orff_status orffi_delays_init(orffi_delays *e, size_t d, size_t p, size_t n_parts, const orff_part *parts,
                              size_t n_groups, const orffi_evidence_rows *rows, const double *extent,
                              const double *periods);
void orffi_delays_clear(orffi_delays *e);

/* Where log l, u, a, log c and tau of a part start in x, and the number of unknowns. */
static inline size_t orffi_delays_at_l(const orffi_delays *e, size_t m) {
    return m * (e->d + 2 * e->p + e->p * e->d);
}
static inline size_t orffi_delays_at_u(const orffi_delays *e, size_t m) {
    return orffi_delays_at_l(e, m) + e->d;
}
static inline size_t orffi_delays_at_a(const orffi_delays *e, size_t m) {
    return orffi_delays_at_u(e, m) + e->d;
}
static inline size_t orffi_delays_at_c(const orffi_delays *e, size_t m) {
    return orffi_delays_at_a(e, m) + e->p;
}
static inline size_t orffi_delays_at_tau(const orffi_delays *e, size_t m) {
    return orffi_delays_at_c(e, m) + e->p;
}
static inline size_t orffi_delays_unknowns(const orffi_delays *e) {
    return orffi_delays_at_l(e, e->n_parts) + 1;
}

/* log p(y) at x and, unless NULL, its gradient. ORFF_ERROR_NOT_POSITIVE if C is singular to rounding. */
orff_status orffi_delays_evaluate(orffi_delays *e, const double *x, double *value, double *gradient);

/* The gain of one more sine with free amplitude and phase in each output, for each of `count` waves (count x
 * d): like orffi_waves_scan, with a cosine and a sine for each output. */
orff_status orffi_delays_scan(orffi_delays *e, const double *x, size_t count, const double *waves,
                              double *gain);

/* That sine: its amplitude in each output, and its phase relative to the first output (p each). */
orff_status orffi_delays_sine(orffi_delays *e, const double *x, const double *wave, double *amplitude,
                              double *phase);

#endif
