/* The evidence of rows under a kernel: how probable their outputs are, with its gradient in what the kernel leaves open.
 *
 *     log p(y) = -1/2 [ y^T C^-1 y / v + log det C + P log(2 pi v) ],   C = K + s R     (P x P, P = n p)
 *
 * K is the kernel divided by its size (trace K(0)/p), v the variance of the field, which is profiled out: v = y^T C^-1 y / P
 * at the top, s the variance of the noise relative to v, R = diag(1/weight of the row). The rows come in groups, each a
 * Gaussian process of its own, and the evidence is the sum over them, with one v for all: all rows in one group is the true
 * evidence; for more of them, neighbourhoods tell what is small and rows spread over all of them what is large.
 *
 * Rows may be of several qualities: then R = diag( r_g (1 - e + e t) / weight ), t the known variance of the error of a row
 * over the mean of all, e its share in the noise, r_g that of its instrument relative to the first one.
 *
 * Rows may belong to sets that have an offset each, a vector of its own for every set: then C has t more between the same
 * outputs of two rows of one set, t the variance of the offsets relative to v.
 *
 * Where every part is k_m I the outputs are as many draws of one scalar process: P = n, and each output has its own v, as
 * ridge with one lambda for all outputs has it. */
#ifndef ORFFI_EXACT_EVIDENCE_H
#define ORFFI_EXACT_EVIDENCE_H

#include "kernel/kernel.h"

#define ORFFI_NO_DIAL SIZE_MAX
#define ORFFI_NO_SET  UINT32_MAX

/* Rows of one group. Outputs are centred by the caller. */
typedef struct orffi_evidence_rows {
    size_t n;
    const double *X, *Y;        /* n x d, n x p */
    const double *weights;      /* n, rows of weight 0 count as none; or NULL */
    const double *known;        /* t of each row, in every group; or NULL */
    const uint32_t *instrument; /* of each row, in every group; or NULL: they are alike */
    const double
        *along; /* of directed rows (see engine/table.h), in every group: n x p, and Y is n; or NULL */
    const uint32_t *set; /* whose offset a row has, in every group; ORFFI_NO_SET: none; or NULL */
} orffi_evidence_rows;

/* A kernel with unknowns x, in this order: `scales` logarithms of factors of length scales; with `weights` the logarithm
 * of a factor of the weight of every part but the first; with `mix` log(c/(1-c)) of all parts that mix; with `errors`
 * log(e/(1-e)); log r of each instrument but the first; with `offsets` log t; log s. */
typedef struct orffi_evidence_form {
    size_t d, p, n_parts;
    const orff_part *parts; /* as they are where x is 0, but for the mix; physical ones name their space */
    size_t scales;
    const size_t
        *dials; /* n_parts x d: which x the length scale goes with, or ORFFI_NO_DIAL; one for the space of a
                            physical part */
    bool weights, mix;
    bool errors;        /* rows have known errors, whose share is open */
    size_t instruments; /* of the rows; 0 as 1: they are alike */
    bool offsets;       /* sets of rows have them */
    bool amplitudes; /* groups may have variances of their own (amplitudes.h), if that is worth its price */
    const double *periods; /* d: of inputs on a circle, or NULL */
} orffi_evidence_form;

typedef struct orffi_evidence orffi_evidence;

/* Whether parts have an evidence of this kind: those whose callbacks say what they are have none. */
bool orffi_evidence_serves(size_t n_parts, const orff_part *parts);

/* P of n rows: n where the outputs are draws of one scalar process. */
size_t orffi_evidence_order(size_t n_parts, const orff_part *parts, size_t p, size_t n);

/* Rows are copied. ORFF_ERROR_INVALID_ARGUMENT where all outputs are 0. */
orff_status orffi_evidence_create(orffi_evidence **evidence, const orffi_evidence_form *form, size_t groups,
                                  const orffi_evidence_rows *rows);
void orffi_evidence_free(orffi_evidence *evidence);

/* How many unknowns. */
size_t orffi_evidence_unknowns(const orffi_evidence *evidence);

/* log p(y) at x, and its gradient where that is not NULL. ORFF_ERROR_NOT_POSITIVE where C is singular to rounding. */
orff_status orffi_evidence_evaluate(orffi_evidence *evidence, const double *x, double *value,
                                    double *gradient);

/* Of the last evaluation: v of each output (p; 0 for one that is constant), and the parts' shares in K (n_parts, sum 1). */
void orffi_evidence_variances(const orffi_evidence *evidence, double *v);
void orffi_evidence_shares(const orffi_evidence *evidence, double *shares);

/* And log p(y) of each output, where they are draws of one scalar process (p; 0 for one that is constant). */
void orffi_evidence_outputs(const orffi_evidence *evidence, double *values);

/* What a constant beside the field is by generalised least squares, and how well it is known, of a single group of rows that are not
 * directed: with H a column of ones for each output, A = H^T C^-1 H / v and b = A^-1 H^T C^-1 y / v. It needs a prior, as rows
 * within a length scale of each other tell next to nothing of it: mean 0 and the variances `prior` (p). mean: p; *better: the trace
 * of A^-1 is less than that of the plain means of `total` such rows. After an evaluation without a gradient. */
orff_status orffi_evidence_mean(const orffi_evidence *evidence, double noise, double total,
                                const double *prior, double *mean, bool *better);

/* Squares of errors with one row left out at a time, from the others of its group, all outputs together: for every row that
 * counts, group after group, where the outputs are draws of one scalar process. After an evaluation without a gradient, whose
 * matrices it uses up. */
orff_status orffi_evidence_left_out(orffi_evidence *evidence, double *squares);

#endif
