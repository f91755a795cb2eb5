/* The rows of a data set as an operator: A = diag(sqrt(c_i)) P_X, so that
 * A^* A = sum_i c_i Phi(x_i) Phi(x_i)^T. */
#ifndef ORFFI_SOLVE_DATA_H
#define ORFFI_SOLVE_DATA_H

#include "solve/operator.h"
#include "solve/panel.h"

/* The state of an iterative method, in addition to theta. */
typedef struct orffi_reached {
    size_t iterations;
    double width, caution; /* sgd: width of the smoothed loss, caution of the steps; 0: initial values */
} orffi_reached;

/* Gets theta after every iteration that improved it, and says where to start. */
typedef struct orffi_keeper {
    orffi_reached from;
    /* the result is theta + more, M numbers each; more may be NULL */
    void (*keep)(void *self, const orffi_reached *now, const double *theta, const double *more);
    void *self;
} orffi_keeper;

/* The state of an iterative method for progress reports: one sweep of the data is one step. */
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
    const double *X;              /* n x d, already checked to be finite */
    const double *root;           /* sqrt(c_i), n values; NULL: ones */
    const orffi_monitor *monitor; /* progress and cancellation at every block; NULL: none */
    orffi_panel panel;
    const orff_sharing *sharing; /* the other rows are in other processes; NULL: these are all rows */
    double *part, *low;          /* shared rows: A^* u of a block, and the low-order part of the sum   (M) */
    size_t kept;                 /* rows whose phi is already computed */
    double *F, *Y;               /* the rows of a block in A x, and the same times sqrt(c_i)   (block x p) */
} orffi_data;

/* Keeps phi between sweeps if it takes less than 256 MB, else computes it in every sweep. Call
 * orffi_data_clear even if this fails. */
orff_status orffi_data_fill(orffi_data *data, const orff_features *f, size_t n, const double *X,
                            const double *root, bool single, const orffi_monitor *monitor);
void orffi_data_clear(orffi_data *data);

/* Says that these are the rows of one process; NULL: all rows. */
orff_status orffi_data_share(orffi_data *data, const orff_sharing *sharing);

orffi_operator orffi_data_operator(orffi_data *data);

/* K = A A^*   ((n p) x (n p), ordered by row, then output). Not available in single precision. */
orff_status orffi_data_gram(orffi_data *data, double *K);

#endif
