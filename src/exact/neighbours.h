/* The inverse of a covariance matrix by nearest neighbours (Vecchia 1988). Rows come in a random order, and
 * each is predicted from its k nearest among those before it:
 *
 *     (K + S)^-1  ~  (I - B)^T D^-1 (I - B),      S = diag(noise / c)
 *
 * with B the weights of these predictions and D their error variances. It is sparse, positive for any rows,
 * and close to the exact inverse. It approximates the determinant and the diagonal of the inverse, and
 * preconditions conjugate gradients on the whole matrix, which then need few steps. If every part is k A, the
 * matrix is that of the scalar kernel and serves all outputs.
 */
#ifndef ORFFI_EXACT_NEIGHBOURS_H
#define ORFFI_EXACT_NEIGHBOURS_H

#include "exact/near.h"
#include "kernel/kernel.h"

enum { ORFFI_NEIGHBOURS_MOST = 16 }; /* largest q x count: numbers in one row */

typedef struct orffi_neighbours {
    const orff_kernel *kernel;
    bool scalar;
    size_t n, d;
    size_t q;                  /* numbers per row: 1 for a scalar kernel, else p */
    size_t k;                  /* neighbours, at most */
    const double *X, *weights; /* the caller's; weights or NULL */
    size_t *order;             /* n: the row at each place */
    size_t *near;              /* n x k: rows, nearest first ... */
    size_t *count;             /* ... and how many */
    double *B;                 /* n x q x (k q) */
    double *D;                 /* n x q x q: the inverse of the error variance */
    double log_det;            /* of K + S */
    double noise;
} orffi_neighbours;

/* Who is near whom, with progress of its own. scale: d; kernel: scalar where `scalar`. */
orff_status orffi_neighbours_init(orffi_neighbours *nb, const orff_kernel *kernel, bool scalar, size_t n,
                                  size_t d, const double *X, const double *weights, size_t k, uint64_t seed);
void orffi_neighbours_clear(orffi_neighbours *nb);

#define ORFFI_NEIGHBOURS_TASK "neighbours of the rows" /* whose progress factoring tells */

/* B and D of the kernel at a noise variance > 0. */
orff_status orffi_neighbours_factor(orffi_neighbours *nb, double noise);

/* out = (K + S)^-1 in, approximately, for `count` vectors side by side: (n q) x count; q count <=
 * ORFFI_NEIGHBOURS_MOST. */
void orffi_neighbours_apply(const orffi_neighbours *nb, size_t count, const double *in, double *out);

/* The diagonal block of the inverse for each row (n x q x q); and the error of predicting a row from all
 * others (q), given its alpha = (K + S)^-1 y. */
void orffi_neighbours_blocks(const orffi_neighbours *nb, double *blocks);
void orffi_neighbours_leave_out(const orffi_neighbours *nb, const double *block, const double *alpha,
                                double *error);

/* The covariance (q x q) of f(x) given the k nearest rows all around x (orffi_near_around), and their numbers: a little above that given all. `near` has
 * all rows; rows: k of room; work: orffi_neighbours_room. B: unless NULL the weights of these rows in the prediction of
 * f(x), q x (count q) in room for k q^2, and *count how many they are. */
size_t orffi_neighbours_room(size_t k, size_t q);
orff_status orffi_neighbours_covariance(const orff_kernel *kernel, bool scalar, const orffi_near *near,
                                        const double *weights, double noise, size_t k, const double *x,
                                        size_t *rows, double *work, double *covariance, double *B,
                                        size_t *count);

#endif
