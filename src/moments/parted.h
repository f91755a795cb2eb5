/* Sums over rows that are not whole (see moments/observed.h), separate from those over whole rows. For
 * directed rows, y = <e, f(x)>:
 *
 *     S_ab = sum c e_a e_b phi phi^T     (L x L)       r_ab = sum c e_a e_b phi       R_a = sum c e_a y phi     (L)
 *     T    = sum c (e, y) (e, y)^T       ((p+1) x (p+1))
 *
 * If every e is along an axis (outputs are missing, or have errors of their own), only a = b is stored, p
 * matrices; otherwise all a <= b, p (p+1)/2 of them. */
#ifndef ORFFI_MOMENTS_PARTED_H
#define ORFFI_MOMENTS_PARTED_H

#include "base/status.h"

typedef struct orffi_parted {
    size_t pairs;        /* 0: there are no such rows, and nothing is allocated */
    double *S;           /* pairs x L x L: upper triangles */
    double *R;           /* (pairs + p) x L: r_ab, then R_a */
    double *T;           /* (p+1) x (p+1) */
    double weight, logs; /* sums of c, and of log c where c > 0 */
    uint64_t rows;       /* directed rows with c > 0 */
} orffi_parted;

/* The index of the matrix of a and b; pairs if there is none. */
static inline size_t orffi_parted_pair(size_t p, size_t pairs, size_t a, size_t b) {
    if (pairs == p) return a == b ? a : pairs;
    return a <= b ? a * p - a * (a + 1) / 2 + b : b * p - b * (b + 1) / 2 + a;
}

/* Makes room for at least this many pairs and keeps the existing sums. */
orff_status orffi_parted_widen(orffi_parted *parted, size_t p, size_t L, size_t pairs);
void orffi_parted_clear(orffi_parted *parted);

/* into += sign * from, which must have the same number of pairs, or none. */
void orffi_parted_add(orffi_parted *into, const orffi_parted *from, double sign, size_t p, size_t L);

/* Adds directed rows with their phi (n x L); work: n x L. */
void orffi_parted_sum(orffi_parted *into, size_t p, size_t L, size_t n, const double *phi, const double *Y,
                      const double *weights, const double *along, double *work);

#endif
