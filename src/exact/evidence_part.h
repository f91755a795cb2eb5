/* One part of the kernel of an evidence: its normalised blocks, and its contributions to the gradient of the
 * evidence. */
#ifndef ORFFI_EXACT_EVIDENCE_PART_H
#define ORFFI_EXACT_EVIDENCE_PART_H

#include "exact/evidence.h"

typedef struct orffi_evidence_part {
    orffi_kernel_part part; /* at x: owns its law, borrows the rest */
    double *scale;          /* d: length scales at x = 0 */
    double weight;
    bool normalise;
    double along, across;  /* physical: K = (along - across) K_curl + across trace(K_curl) I */
    double size;           /* trace K(0)/p at x */
    double size_by_mix;    /* d log size / d log(c/(1-c)) */
    double *size_by_scale; /* d: what images add to d log size / d log l_i; a physical part stores that of its
                          space at its first input */
    double share;          /* in K */
} orffi_evidence_part;

/* What one part adds to the gradient, before its share is applied: sums of <W, .> over pairs of rows. W is
 * twice the derivative of log p by C. */
typedef struct orffi_evidence_sink {
    double *whole;    /* of K / size */
    double *by_mix;   /* of the derivative by log(c/(1-c)) */
    double *by_scale; /* scales: of the derivatives by the log factors of length scales */
} orffi_evidence_sink;

/* Sets the part at x: scales, mix, size. */
orff_status orffi_evidence_part_set(orffi_evidence_part *part, const size_t *dials, const double *x,
                                    const double *mix);

/* K / size at delta, for the first q outputs   (q x q; q is 1 or p). work: p^2. */
void orffi_evidence_part_block(const orffi_evidence_part *part, size_t q, const double *delta, double *K,
                               double *work);

/* Adds the contribution of a block, with W (q x q, rows of length step). work: 2 p^2 + d. */
void orffi_evidence_part_contract(const orffi_evidence_part *part, size_t q, const size_t *dials, bool mix,
                                  const double *delta, const double *W, size_t step, double factor,
                                  const orffi_evidence_sink *sink, double *work);

#endif
