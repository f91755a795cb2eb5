/* Exact operator-valued kernel ridge: (K + N lambda I) alpha = y.  If K = k (x) A, with k the N x N Gram
 * matrix of a scalar kernel and A = W diag(m) W^T, the outputs are turned by W and each becomes a scalar
 * problem (m_b k + N lambda I) z_b = (Y W)_b. Otherwise the whole N p x N p system is factored. */
#ifndef ORFFI_EXACT_EXACT_H
#define ORFFI_EXACT_EXACT_H

#include "exact/directed.h"

/* How a kernel on n points is solved. */
typedef struct orffi_exact_plan {
    size_t n, d, p;
    const orffi_spectrum *law; /* of k when K = k (x) A, else NULL: dense */
    size_t values;             /* length of m: p, or 1 when A is a multiple of the identity */
    double *m;                 /* eigenvalues of A, ascending */
    double *W;                 /* p x p, eigenvectors in its columns; NULL for the identity */
    size_t groups;             /* sets of equal eigenvalues that are not zero */
    bool eigen;                /* diagonalise k, because there are too many groups to factor k for each */
    bool directed;             /* rows have one number each, for any kernel; law is NULL */
} orffi_exact_plan;

/* What covariances need: k(x) (K + shift/c)^-1 k(x)^T = Z diag(g) Z^T with Z = k(x) F. If K = k (x) A this
 * holds in each turned output separately, times m_b^2. See exact/system.h. */
typedef struct orffi_exact_kept {
    size_t n, modes; /* N or N p; columns of g */
    const double *F; /* n x n, rows multiplied by sqrt(c): points to `owned` or into a file */
    double *owned;
    double *g; /* n x modes */
} orffi_exact_kept;

struct orff_exact {
    orff_kernel *kernel;
    orffi_exact_plan plan;
    double *X;       /* n x d */
    double *alpha;   /* n x p */
    double *folded;  /* n x p: rows A alpha_i where K = k (x) A, else NULL */
    double *weights; /* of the rows (n, or the number of directed rows), or NULL */
    double *along; /* of the points of directed rows: n x p, and alpha_i is then a multiple of e_i; or NULL */
    size_t rows;   /* number of directed rows */
    size_t *points; /* first point of each row, if rows may be sums over points, else NULL; n is then the
                        number of points */
    double *mean;   /* p: subtracted from y, added to predictions */
    double norm2;
    double shift;           /* N lambda */
    orffi_exact_kept *kept; /* or NULL */
};

orff_status orffi_exact_plan_make(orffi_exact_plan *plan, const orff_kernel *kernel, size_t n);
orffi_exact_plan orffi_exact_plan_directed(const orff_kernel *kernel, size_t n);
void orffi_exact_plan_clear(orffi_exact_plan *plan);
size_t orffi_exact_plan_bytes(const orffi_exact_plan *plan);

/* Fails if `need` is more than max_bytes (0: half of the machine's memory). */
orff_status orffi_exact_check_memory(const orffi_exact_plan *plan, size_t need, size_t max_bytes);

/* The index after the last eigenvalue of A that equals, to rounding, the one at `first`. */
size_t orffi_exact_plan_group(const orffi_exact_plan *plan, size_t first);
bool orffi_exact_plan_is_zero(const orffi_exact_plan *plan, size_t b);

/* alpha holds y and receives the solution, shift = N lambda. *jitter > 0: this much was added to the diagonal
 * because the matrix is singular to rounding, and the caller must check the solution. */
orff_status orffi_exact_solve_kronecker(orff_exact *exact, double shift, double *jitter);
orff_status orffi_exact_solve_dense(orff_exact *exact, double shift, double *jitter);

/* Replaces A by the Cholesky factor of A + shift I (n x n, both triangles filled), with the least jitter that
 * makes it succeed. */
orff_status orffi_exact_factor(size_t n, double *A, double shift, double *jitter);

/* G = k(x_i, z_j), n x m. */
orff_status orffi_exact_scalar_gram(const orffi_spectrum *law, size_t n, const double *X, size_t m,
                                    const double *Z, double *G);

/* F = sum_i K(x, x_i) alpha_i, without the mean   (n x p). */
orff_status orffi_exact_evaluate(const orff_exact *exact, size_t n, const double *X, double *F);

/* An exact model with room for n points, all zeros; it retains the kernel. */
orff_status orffi_exact_create(orff_exact **exact, const orff_kernel *kernel, size_t n);

/* Computes folded from alpha, if K = k (x) A. */
orff_status orffi_exact_fold(orff_exact *exact);

/* The directed rows of a model. */
static inline orffi_directed orffi_exact_directed(const orff_exact *exact) {
    return (orffi_directed){exact->rows, exact->points, exact->X, exact->along};
}

void orffi_exact_kept_free(orffi_exact_kept *kept);

#endif
