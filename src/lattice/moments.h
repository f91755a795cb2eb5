/* The sums over rows that a lattice keeps, with c_n the weight of row n:
 *
 *     rho(k)  = sum_n c_n      exp(-i <w_k, x_n>),   |k_i| <= 2 m_i
 *     R_a(k)  = sum_n c_n y_na exp(-i <w_k, x_n>),   |k_i| <= m_i
 *
 * and the sums of c, c y and c y y^T. For directed rows, which measure f along e_n (see engine/table.h),
 *
 *     rho_ab(k) = sum_n c_n e_na e_nb exp(-i <w_k, x_n>),   a <= b
 *     R_a(k)    = sum_n c_n e_na y_n  exp(-i <w_k, x_n>)
 *
 * and the sum of c (e, y) (e, y)^T. For error bars there may be random right-hand sides in addition to R,
 * over all folds:
 *
 *     E_a(k) = sum_n c_n^1/2 s_na exp(-i <w_k, x_n>),   s_na = +-1;   for directed rows c_n^1/2 s_n e_na
 *
 * None of this depends on the kernel: one pass serves every rule, base, length scale, weight and lambda that
 * the lattice can carry. The sums can be added and subtracted, fold by fold.
 */
#ifndef ORFFI_LATTICE_MOMENTS_H
#define ORFFI_LATTICE_MOMENTS_H

#include "lattice/lattice.h"
#include "moments/moments.h"

/* Up to this many unknowns are all solved densely, in about a second; error bars then need no draws. */
#define ORFFI_LATTICE_DENSE 4000
/* Draws for error bars: 16 give a standard deviation to 18 %, enough beside the noise of many rows; if the
 * caller asked for error bars, to 12 %. */
#define ORFFI_LATTICE_DRAWS       16
#define ORFFI_LATTICE_DRAWS_ASKED 32

typedef struct orffi_lattice_set {
    orffi_mode *rho; /* the half space of |k_i| <= 2 m_i; for directed rows p (p + 1) / 2 of them */
    orffi_mode *R;   /* p x H */
    double *T;       /* (p+1) x (p+1): sum c (y, 1) (y, 1)^T; for directed rows sum c (e, y) (e, y)^T */
    double weight;   /* directed rows: sum of c */
    double logs;     /* sum of log c over the rows with c > 0 */
    uint64_t rows;   /* number of rows with c > 0 */
} orffi_lattice_set;

typedef struct orffi_lattice_moments {
    orffi_lattice lattice;
    size_t p, n_sets, draws;
    bool directed;
    double *low, *high; /* d: the range of the rows so far */
    orffi_lattice_set *sets;
    orffi_mode *E; /* draws x p x H; NULL without draws */
    struct orffi_lattice_functionals
        *functionals; /* rows that are sums over points, with directed rows only (functionals.h), counted in
                        the only set; or NULL */
} orffi_lattice_moments;

/* Settings of a pass over rows. */
typedef struct orffi_lattice_pass {
    size_t p;
    bool directed;
    size_t draws;    /* random right-hand sides, for samples */
    bool by_content; /* the signs of a row follow from its content, so that it can be added in any order and
                        subtracted again; else from its index among all rows */
    double tolerance;
    orff_moments_settings folds;
} orffi_lattice_pass;

size_t orffi_lattice_density_modes(const orffi_lattice *lattice); /* numbers in one rho */
/* The number of rho in a set, and the index of the one for outputs a and b. */
size_t orffi_lattice_pairs(const orffi_lattice_moments *moments);
static inline size_t orffi_lattice_pair(size_t p, size_t a, size_t b) {
    return a <= b ? a * p - a * (a + 1) / 2 + b : b * p - b * (b + 1) / 2 + a;
}

orff_status orffi_lattice_moments_create(orffi_lattice_moments **out, const orffi_lattice *lattice,
                                         const orffi_lattice_pass *pass);
void orffi_lattice_moments_free(orffi_lattice_moments *moments);

/* Rows being added to moments: sums on fine grids, over any number of calls. */
typedef struct orffi_lattice_sums orffi_lattice_sums;
orff_status orffi_lattice_sums_create(orffi_lattice_sums **out, orffi_lattice_moments *moments,
                                      const orffi_lattice_pass *pass);
void orffi_lattice_sums_free(orffi_lattice_sums *sums);
orff_status orffi_lattice_sums_add(orffi_lattice_sums *sums, size_t n, const double *X, const double *Y,
                                   const double *weights);
/* Directed rows: Y is n, along n x p; weights must not be NULL. */
orff_status orffi_lattice_sums_add_directed(orffi_lattice_sums *sums, size_t n, const double *X,
                                            const double *Y, const double *weights, const double *along);
/* Writes the moments of all added rows to `moments`. */
orff_status orffi_lattice_sums_finish(orffi_lattice_sums *sums);

/* into += sign * other, for all folds and draws. */
void orffi_lattice_moments_add(orffi_lattice_moments *into, double sign, const orffi_lattice_moments *other);

/* out += sign * set, sign 1 or -1. */
void orffi_lattice_set_add(const orffi_lattice_moments *moments, orffi_lattice_set *out, double sign,
                           const orffi_lattice_set *set);
orff_status orffi_lattice_set_init(const orffi_lattice_moments *moments, orffi_lattice_set *set);
void orffi_lattice_set_clear(orffi_lattice_set *set);

/* The same sums on a lattice with fewer modes and the same period. If folds are not wanted, one set has all
 * of them, and there are no draws. */
orff_status orffi_lattice_moments_narrow(orffi_lattice_moments **out, const orffi_lattice_moments *from,
                                         const orffi_lattice *lattice, bool folds);

/* Multiplies all weights by a factor. */
void orffi_lattice_moments_scale(orffi_lattice_moments *moments, double factor);

/* Sums all folds except `without` (n_sets: all folds) into an initialised set. */
void orffi_lattice_moments_sum(const orffi_lattice_moments *moments, size_t without, orffi_lattice_set *out);

#endif
