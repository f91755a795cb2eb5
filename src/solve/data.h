/* The rows of a data set as an operator: A = diag(sqrt(c_i)) P_X, so that
 * A^* A = sum_i c_i Phi(x_i) Phi(x_i)^T. */
#ifndef ORFFI_SOLVE_DATA_H
#define ORFFI_SOLVE_DATA_H

#include "solve/operator.h"
#include "solve/panel.h"

/* Where an iterative method stands, besides theta. */
typedef struct orffi_reached {
    size_t iterations;
    double width, caution; /* sgd: of the smoothed loss, of the steps; 0: as at the beginning */
} orffi_reached;

/* Who is shown theta after every iteration that made it better, and where to go on from. */
typedef struct orffi_keeper {
    orffi_reached from;
    /* theta + more, M numbers each; more may be NULL */
    void (*keep)(void *self, const orffi_reached *now, const double *theta, const double *more);
    void *self;
} orffi_keeper;

/* Where an iterative method stands, for the reports of progress: one sweep of the data is one step. */
typedef struct orffi_monitor {
    size_t done, limit;
    const orffi_keeper *keeper; /* NULL: none */
} orffi_monitor;

static inline void orffi_monitor_keep(const orffi_monitor *monitor, const double *theta, const double *more) {
    const orffi_reached now = {.iterations = monitor->done};
    if (monitor->keeper) monitor->keeper->keep(monitor->keeper->self, &now, theta, more);
}

typedef struct orffi_data {
    size_t n;
    const double *X;              /* n x d, known to be finite */
    const double *root;           /* sqrt(c_i), n values; NULL: ones */
    const orffi_monitor *monitor; /* progress and cancellation at every block; NULL: silent */
    orffi_panel panel;
    const orff_sharing *sharing; /* the other rows are with other processes; NULL: these are all */
    double *part, *low;          /* shared: A^* u of a block, and what is beyond the digits of the sum   (M) */
    size_t kept;                 /* rows whose phi is there already */
    double *F, *Y;               /* a block's rows of A x, and these times sqrt(c_i)   (block x p) */
} orffi_data;

/* phi is kept over sweeps where that takes less than 256 MB, else computed at each. End it with
 * orffi_data_clear, also when this fails. */
orff_status orffi_data_fill(orffi_data *data, const orff_features *f, size_t n, const double *X,
                            const double *root, bool single, const orffi_monitor *monitor);
void orffi_data_clear(orffi_data *data);

/* These are the rows of one process; NULL: all. */
orff_status orffi_data_share(orffi_data *data, const orff_sharing *sharing);

orffi_operator orffi_data_operator(orffi_data *data);

/* K = A A^*   ((n p) x (n p), ordered by row, then output). Not for single. */
orff_status orffi_data_gram(orffi_data *data, double *K);

#endif
