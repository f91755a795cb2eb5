/* One part of the kernel of an evidence: its normalised blocks, and what they do to the evidence when an unknown moves. */
#ifndef ORFFI_EXACT_EVIDENCE_PART_H
#define ORFFI_EXACT_EVIDENCE_PART_H

#include "exact/evidence.h"

typedef struct orffi_evidence_part {
    orffi_kernel_part part; /* as it is at x: its own law, otherwise borrowed */
    double *scale;          /* d: length scales where x is 0 */
    double weight;
    bool normalise;
    double along, across; /* physical: K = (along - across) K_curl + across trace(K_curl) I */
    double size;          /* trace K(0)/p at x */
    double size_by_mix;   /* d log size / d log(c/(1-c)) */
    double *
        size_by_scale; /* d: what images add to d log size / d log l_i; for the space of a field at its first input */
    double share; /* of K */
} orffi_evidence_part;

/* What one part adds to the gradient, before shares: sums over pairs of <W, .>, W = dp/dC. */
typedef struct orffi_evidence_sink {
    double *whole;    /* of K / size */
    double *by_mix;   /* of its derivative by log(c/(1-c)) */
    double *by_scale; /* scales: of those by the logarithms of factors of length scales */
} orffi_evidence_sink;

/* The part at x: scales, mix, size. */
orff_status orffi_evidence_part_set(orffi_evidence_part *part, const size_t *dials, const double *x,
                                    const double *mix);

/* K / size at delta, of the first q outputs   (q x q: 1 or p). work: p^2. */
void orffi_evidence_part_block(const orffi_evidence_part *part, size_t q, const double *delta, double *K,
                               double *work);

/* Add what the block does, W (q x q, rows of length step). work: 2 p^2 + d. */
void orffi_evidence_part_contract(const orffi_evidence_part *part, size_t q, const size_t *dials, bool mix,
                                  const double *delta, const double *W, size_t step, double factor,
                                  const orffi_evidence_sink *sink, double *work);

#endif
