/* The rows of a data set as an operator: A = diag(sqrt(c_i)) P_X, so that
 * A^* A = sum_i c_i Phi(x_i) Phi(x_i)^T. */
#ifndef ORFF_SOLVE_DATA_H
#define ORFF_SOLVE_DATA_H

#include "solve/operator.h"
#include "solve/panel.h"

/* Where an iterative method stands, for the reports of progress: one sweep of the data is one step. */
typedef struct orff_monitor {
    size_t done, limit;
} orff_monitor;

typedef struct orff_data {
    size_t n;
    const double *X;             /* n x d, known to be finite */
    const double *root;          /* sqrt(c_i), n values; NULL: ones */
    const orff_monitor *monitor; /* progress and cancellation at every block; NULL: silent */
    orff_panel panel;
    size_t kept;   /* rows whose phi is there already */
    double *F, *Y; /* a block's rows of A x, and these times sqrt(c_i)   (block x p) */
} orff_data;

/* phi is kept over sweeps where that takes less than 256 MB, else computed at each. End it with
 * orff_data_clear, also when this fails. */
orff_status orff_data_fill(orff_data *data, const orff_features *f, size_t n, const double *X,
                           const double *root, bool single, const orff_monitor *monitor);
void orff_data_clear(orff_data *data);

orff_operator orff_data_operator(orff_data *data);

/* K = A A^*   ((n p) x (n p), ordered by row, then output). Not for single. */
orff_status orff_data_gram(orff_data *data, double *K);

/* trace of K~(x,x) = sum_j q_j |B_j|_F^2, the same at every x. */
orff_status orff_features_trace(const orff_features *f, double *trace);

#endif
