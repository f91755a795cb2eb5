/* The ridge system of a kernel on some moments, in one form for every kernel:
 *
 *     (m_b A + lambda' I) t_b = rhs_b,   b = 1 .. r,      lambda' = N lambda
 *
 * One decomposable part (a Stein equation): the outputs are turned by the eigenvectors W of root^2 B B^T,
 * with eigenvalues m_b > 0; A = S on the features used (n = 2 D), rhs_b = sqrt(m_b) R W_b, and theta = sum_b
 * t_b (root B^T W_b / sqrt(m_b))^T.
 *
 * Any other kernel: r = 1, m = 1, A = the matrix of blocks S_ab B_a^T B_b, rhs = B_a^T R_a, theta = t. Blocks
 * wider than p are first narrowed to p columns (columns.h), so n <= 2 D p; blocks of a Hermitian kernel are
 * not narrowed.
 *
 * With A = U diag(e) U^T and c = U^T rhs, everything about a path of lambdas is a sum over (e_a m_b, c_ab).
 */
#ifndef ORFFI_SOLVE_SYSTEM_H
#define ORFFI_SOLVE_SYSTEM_H

#include "moments/moments.h"
#include "solve/columns.h"

/* Sums of a moment set with the mean subtracted from y. */
typedef struct orffi_centre {
    double N, yy; /* total weight, sum c |y - mean|^2 */
    double *mean; /* p */
    double *R;    /* L x p: sum c phi (y - mean)^T */
} orffi_centre;

/* mean: NULL uses the mean of these rows if center, else zeros. */
orff_status orffi_centre_fill(orffi_centre *centre, const orffi_moment_set *sum, size_t L, size_t p,
                              bool center, const double *mean);
void orffi_centre_clear(orffi_centre *centre);

typedef struct orffi_system {
    size_t L, p; /* length of phi, outputs */
    size_t n, r;
    bool stein;
    bool turned;           /* stein: false if A and W are the identity */
    double N, yy;          /* total weight, sum c |y - mean|^2 */
    double rounding;       /* error of the eigenvalues of A, relative to the largest */
    double *mean;          /* p: subtracted from y */
    double *A;             /* n x n, both triangles */
    double *rhs;           /* n x r */
    double *m;             /* r */
    double *W;             /* stein: p x r */
    double *turn;          /* stein: r x p', rows root B^T W_b / sqrt(m_b) */
    size_t width;          /* stein: p' */
    size_t first, used;    /* stein: features first .. first + used of each half of phi */
    orffi_columns columns; /* not stein */
    double *U, *e, *c; /* eigen form: n x n (columns), n ascending and at least 0, n x r; NULL until needed */
    double *factor;    /* of the last solution by Cholesky, if all m_b are equal: m A + shift I = L L^T; or
                       NULL */
    double shift;
} orffi_system;

/* The system of all sets except left_out (n_sets: all sets). mean: subtracted from y; NULL uses the mean of
 * these rows if center, else zeros. */
orff_status orffi_system_build(orffi_system *s, const orff_features *f, const orff_moments *moments,
                               size_t left_out, bool center, const double *mean);

/* The same without set left_out, with the mean of the others if center; the turning of the outputs is copied
 * from the system of all sets. */
orff_status orffi_system_build_without(orffi_system *s, const orffi_system *whole, const orff_features *f,
                                       const orff_moments *moments, size_t left_out, bool center);

void orffi_system_clear(orffi_system *s); /* accepts a zeroed or half-built system */

/* Computes U, e, c (once). */
orff_status orffi_system_eigen(orffi_system *s);

/* N lambda, or the rounding error of the eigenvalues if that is larger: a smaller shift would only amplify
 * it. Needs the eigen form. */
double orffi_system_shift(const orffi_system *s, double lambda);

/* t (n x r) = U [c / (e m + shift)]; work is n x r. */
void orffi_system_eigen_solve(const orffi_system *s, double shift, double *t, double *work);

/* Whether all m_b are equal, so that one factorisation serves all outputs. */
bool orffi_system_is_one(const orffi_system *s);

/* t (n x r) at lambda, see direct.c; the caller zeroes info. info->jitter: what was added to N lambda. */
orff_status orffi_system_solve(orffi_system *s, double lambda, double *t, orff_solve_info *info);

/* theta (M) from t (n x r). */
void orffi_system_expand(const orffi_system *s, const double *t, double *theta);

/* Phi(x)^T U for some rows of phi (rows x L), in eigen form: Z and work are rows x slices x n, with slices =
 * 1 (stein) or p. */
size_t orffi_system_slices(const orffi_system *s);
void orffi_system_project(const orffi_system *s, size_t rows, const double *phi, double *Z, double *work);

/* H (p x p) = Phi(x)^T (G + shift)^-1 Phi(x) for one row of Z. */
void orffi_system_hat(const orffi_system *s, double shift, const double *Z, double *H);

#endif
