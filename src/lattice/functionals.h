/* Rows that are sums over several points, in addition to the rows in the moments. With s the points of row i
 * and c_i its weight,
 *
 *     y_i = z_i^H v + noise,      z_ia(k) = sum_s e_sa exp(-i <w_k, x_s>)      (p x H)
 *
 * where v are the modes of f. Pairs of points have no density, so c_i z_i z_i^H is added to T explicitly, by
 * transforms between the modes and all points, which are few.
 */
#ifndef ORFFI_LATTICE_FUNCTIONALS_H
#define ORFFI_LATTICE_FUNCTIONALS_H

#include "lattice/moments.h"
#include "lattice/nufft.h"

/* Fields on a grid at a time. */
#define ORFFI_LATTICE_FIELDS 16

typedef struct orffi_lattice_functionals {
    const orffi_lattice *lattice;
    size_t n, p;
    size_t *points;      /* n + 1: the first point of each row */
    double *X, *along;   /* points x d, points x p */
    double *Y, *weights; /* n */
    double *angles;      /* points x d */
    orffi_nufft *waves;
    double *F;         /* points x p: a field at the points; scratch, like these: */
    orffi_mode *modes; /* H */
    double *sums;      /* ORFFI_LATTICE_FIELDS x n: one number per row */
} orffi_lattice_functionals;

/* Copies n rows. The points start at points[0]; X and along are those of all rows. The lattice must outlive
 * the result. */
orff_status orffi_lattice_functionals_create(orffi_lattice_functionals **out, const orffi_lattice *lattice,
                                             size_t p, size_t n, const size_t *points, const double *X,
                                             const double *along, const double *Y, const double *weights);
void orffi_lattice_functionals_free(orffi_lattice_functionals *functionals);

/* sums = c z^H v for `count` fields (p x H each); then out += sum_i sums_i z_i. out may be the same memory as
 * v. */
orff_status orffi_lattice_functionals_weigh(orffi_lattice_functionals *functionals, size_t count,
                                            const orffi_mode *v);
orff_status orffi_lattice_functionals_spread(orffi_lattice_functionals *functionals, size_t count,
                                             orffi_mode *out);

/* R += sum_i c_i (y_i - <e, mean>) z_i: the right side for centred rows (p x H). */
orff_status orffi_lattice_functionals_right(orffi_lattice_functionals *functionals, const double *mean,
                                            orffi_mode *R);

/* Adds what these rows contribute: to T, the logarithms of weights and the number of rows of a set; and to
 * `draws` right sides E. */
void orffi_lattice_functionals_count(const orffi_lattice_functionals *functionals, orffi_lattice_set *set);
orff_status orffi_lattice_functionals_draw(orffi_lattice_functionals *functionals, uint64_t seed,
                                           size_t draws, orffi_mode *E);

#endif
