/* Exact ridge with rows of weights c_i, in one form for every kernel:
 *
 *     (m_b G + shift I) t_b = y_b,   b = 1 .. r,      shift = N lambda,  N = sum c
 *
 * K = k (x) A: outputs are turned by W, G_ij = sqrt(c_i c_j) k(x_i, x_j) (n = rows), y = sqrt(c) (Y - mean)
 * W, r = p.  Any other kernel: G_ij = sqrt(c_i c_j) K(x_i, x_j) (n = rows p), r = 1, m = 1.  In both, alpha_i
 * = sqrt(c_i) t_i, turned back, and the residual of row i is sqrt(c_i) (y_i - f(x_i)) = shift t_i.
 *
 * Directed rows: G_ij = sqrt(c_i c_j) <e_i, K(x_i, x_j) e_j> (n = rows), r = 1, alpha_i = sqrt(c_i) t_i e_i.
 *
 *     (m_b G + shift I)^-1 = F diag(g_b) F^T
 *
 * either by G = U diag(e) U^T (F = U, g_ab = 1/(e_a m_b + shift), for every shift) or, if all m_b are equal,
 * by the Cholesky factor L for one shift (F = L^-T, g = 1). */
#ifndef ORFFI_EXACT_SYSTEM_H
#define ORFFI_EXACT_SYSTEM_H

#include "exact/exact.h"

typedef struct orffi_exact_rows {
    size_t n;
    const double *X, *Y, *weights; /* n x d, n x p, n or NULL */
    const double *along;  /* of directed rows (see exact/directed.h): Y is n, X and `along` are of their
                            points; or NULL */
    const size_t *points; /* of rows that may be sums over points */
    double N;             /* of directed rows: what lambda goes with ... */
    double P;             /* ... and what their noise is told by */
    bool center;        /* the mean of the rows is taken off y ... */
    const double *mean; /* ... or this (p), where rows are not directed; or NULL */
    const double *gram; /* G without the weights, or NULL: that of the kernel; X is then needed */
} orffi_exact_rows;

typedef struct orffi_exact_system {
    const orff_kernel *kernel;
    const orffi_exact_plan *plan;
    size_t rows, p, n, r;
    size_t modes;            /* columns of g: 1 if all m_b are equal, else r */
    orffi_directed directed; /* along: NULL if rows are not directed */
    double N;                /* the factor of lambda in the shift */
    double P;                /* observations, each counted as often as its weight says */
    double *root;            /* rows: sqrt(c), or NULL for ones */
    double *mean;            /* p: subtracted from y */
    double *y;               /* n x r */
    double *F;               /* n x n: G until it is factored */
    double *e;               /* n: eigenvalues, ascending, not negative; NULL by Cholesky */
    double *c;               /* n x r: F^T y, with e */
    double *s;    /* n x width: F^T (sqrt(c) (x) I), the effect of a change of the mean, with center */
    size_t width; /* 1, or p for any other kernel */
    double log_det, condition; /* by Cholesky ... */
    double residual;           /* ... |y - (G + shift) t| / |y| */
} orffi_exact_system;

/* The system with its Gram matrix, not yet factored. kernel, plan and rows must outlive it. */
orff_status orffi_exact_system_build(orffi_exact_system *system, const orff_kernel *kernel,
                                     const orffi_exact_plan *plan, const orffi_exact_rows *rows);
void orffi_exact_system_clear(orffi_exact_system *system);

/* Other outputs of the same rows: t for the shift of the existing factor (n x r). work: n x r. */
orff_status orffi_exact_system_again(orffi_exact_system *system, const orffi_exact_rows *rows, double shift,
                                     double *t, double *work);

/* Computes the Gram matrix again, in place of F. */
orff_status orffi_exact_system_refill(orffi_exact_system *system, const orffi_exact_rows *rows);

orff_status orffi_exact_system_eigen(orffi_exact_system *system);

/* Whether one Cholesky factor serves all outputs. */
bool orffi_exact_system_is_plain(const orffi_exact_system *system);

/* t (n x r) for this shift, and F. ORFF_ERROR_NOT_POSITIVE if there is no factor, or none accurate enough: F
 * must then be filled again. */
orff_status orffi_exact_system_cholesky(orffi_exact_system *system, double shift, double *t);

/* N lambda, or the larger shift that rounding needs in the eigen form. */
double orffi_exact_system_shift(const orffi_exact_system *system, double lambda);

/* The jitter (with a warning if there is any) and the condition of the solution in eigen form at this
 * lambda. */
void orffi_exact_system_describe(const orffi_exact_system *system, double lambda, orff_solve_info *info);

/* m of mode v. */
double orffi_exact_system_value(const orffi_exact_system *system, size_t v);

/* g (n x modes) at a shift; and, in eigen form, t (n x r). work: n x r. */
void orffi_exact_system_inverse(const orffi_exact_system *system, double shift, double *g);
void orffi_exact_system_solve(const orffi_exact_system *system, double shift, double *t, double *work);

/* The point from t and g, except cv_mse. */
void orffi_exact_system_fill_point(const orffi_exact_system *system, double lambda, double shift,
                                   const double *t, orff_path_point *point);

/* The same in eigen form, without t. */
void orffi_exact_system_point(const orffi_exact_system *system, double lambda, orff_path_point *point);

/* sqrt(c_i) (y_i - f_(-i)(x_i)) of the model without row i, shift held fixed, turned   (n x r). */
orff_status orffi_exact_system_leave_one_out(const orffi_exact_system *system, const double *t,
                                             const double *g, double *left);

/* The mean square of turned rows A (n x r), times factor^2, for each output as the user sees it: p values. */
orff_status orffi_exact_system_errors(const orffi_exact_system *system, const double *A, double factor,
                                      double *mse);

/* Numbers in memory at the peak. */
double orffi_exact_system_numbers(const orffi_exact_plan *plan, bool eigen);

#endif
