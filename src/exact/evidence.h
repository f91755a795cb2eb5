/* The evidence of rows under a kernel: how probable their outputs are, with its gradient with respect to the
 * open parameters of the kernel.
 *
 *     log p(y) = -1/2 [ y^T C^-1 y / v + log det C + P log(2 pi v) ],   C = K + s R     (P x P, P = n p)
 *
 * K is the kernel divided by its size (trace K(0)/p); v is the variance of the field, set to its maximiser v
 * = y^T C^-1 y / P; s is the variance of the noise relative to v; R = diag(1/weight of the row). The rows
 * come in groups, each a Gaussian process of its own, and the evidence is the sum over the groups, with one v
 * for all. All rows in one group give the true evidence. If there are too many rows for that, groups of
 * neighbours determine the small scales and groups spread over all rows the large ones.
 *
 * Rows may differ in quality: then R = diag( r_g (1 - e + e t) / weight ), with t the known error variance of
 * a row over the mean of all, e the share of known errors in the noise, and r_g the noise of the row's
 * instrument relative to the first one.
 *
 * Rows may belong to sets that each have an offset, a vector of its own for every set. C then has t added
 * between the same outputs of two rows of one set, t the variance of the offsets relative to v.
 *
 * If every part is k_m I, the outputs are independent draws of one scalar process: P = n, and each output has
 * its own v, which matches ridge with one lambda for all outputs. */
#ifndef ORFFI_EXACT_EVIDENCE_H
#define ORFFI_EXACT_EVIDENCE_H

#include "kernel/kernel.h"

#define ORFFI_NO_DIAL SIZE_MAX
#define ORFFI_NO_SET  UINT32_MAX

/* Rows of one group, with outputs already centred. */
typedef struct orffi_evidence_rows {
    size_t n;
    const double *X, *Y;        /* n x d, n x p */
    const double *weights;      /* n, or NULL; rows of weight 0 are left out */
    const double *known;        /* t of each row, NULL in all groups or in none */
    const uint32_t *instrument; /* instrument of each row, NULL in all groups or in none; NULL: all rows are
                                   alike */
    const double *along; /* of directed rows (see engine/table.h), in every group: n x p, and Y is n; or
                            NULL */
    const uint32_t *set; /* the set whose offset a row has, NULL in all groups or in none; ORFFI_NO_SET:
                            none */
} orffi_evidence_rows;

/* A kernel with unknowns x, in this order: `scales` logarithms of factors of length scales; with `weights`
 * the logarithm of a factor of the weight of every part but the first; with `mix` log(c/(1-c)), shared by all
 * parts that mix; with `errors` log(e/(1-e)); log r of each instrument but the first; with `offsets` log t;
 * log s. */
typedef struct orffi_evidence_form {
    size_t d, p, n_parts;
    const orff_part *parts; /* the parts at x = 0, except for the mix; physical ones name their space */
    size_t scales;
    const size_t *dials; /* n_parts x d: the index in x of each length scale, or ORFFI_NO_DIAL; a physical
                            part has one for its space */
    bool weights, mix;
    bool errors;           /* rows have known errors; their share in the noise is open */
    size_t instruments;    /* number of instruments; 0 or 1: all rows are alike */
    bool offsets;          /* sets of rows have offsets */
    bool amplitudes;       /* groups may have their own variances (amplitudes.h) if that gains more than its
                        price */
    const double *periods; /* d: of inputs on a circle, or NULL */
} orffi_evidence_form;

typedef struct orffi_evidence orffi_evidence;

/* Whether parts have an evidence of this kind. Custom parts, defined by callbacks, do not. */
bool orffi_evidence_serves(size_t n_parts, const orff_part *parts);

/* P for n rows: n if the outputs are draws of one scalar process. */
size_t orffi_evidence_order(size_t n_parts, const orff_part *parts, size_t p, size_t n);

/* Copies the rows. ORFF_ERROR_INVALID_ARGUMENT if all outputs are 0. */
orff_status orffi_evidence_create(orffi_evidence **evidence, const orffi_evidence_form *form, size_t groups,
                                  const orffi_evidence_rows *rows);
void orffi_evidence_free(orffi_evidence *evidence);

/* The number of unknowns. */
size_t orffi_evidence_unknowns(const orffi_evidence *evidence);

/* log p(y) at x and, unless NULL, its gradient. ORFF_ERROR_NOT_POSITIVE if C is singular to rounding. */
orff_status orffi_evidence_evaluate(orffi_evidence *evidence, const double *x, double *value,
                                    double *gradient);

/* From the last evaluation: v of each output (p; 0 for a constant one), and the shares of the parts in K
 * (n_parts, sum 1). */
void orffi_evidence_variances(const orffi_evidence *evidence, double *v);
void orffi_evidence_shares(const orffi_evidence *evidence, double *shares);

/* log p(y) of each output, if they are draws of one scalar process (p; 0 for a constant one). */
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
