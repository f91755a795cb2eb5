/* The base spectra mu. w = z / l coordinatewise, with z from a unit law; v = delta / l ("whitened").
 *
 * Two families:
 *   spherical  z = sqrt(tau) n, n ~ N(0, I), tau >= 0 a scalar (Gaussian: 1; Matern and rational quadratic:
 *              functions of a gamma variable). k0 is a function of r = |v|.
 *   product    independent coordinates (Laplace kernel: Cauchy; product Cauchy kernel: Laplace).
 *
 * With covariates the inputs split into two independent factors of the same base: the field's space, where
 * curl-free and divergence-free are defined, and the rest.
 */
#ifndef ORFFI_SPECTRUM_SPECTRUM_H
#define ORFFI_SPECTRUM_SPECTRUM_H

#include "base/status.h"

/* One base: one file, and one line in the list of orff.h. Functions that a family lacks are NULL. */
typedef struct orffi_base_ops {
    orff_base id; /* names it in the list of orff.h */
    bool spherical;
    bool has_shape;
    bool squares; /* k0(2 delta) = k0(delta)^2 */
    /* bases with a shape: the shapes among which a fit chooses, from rough to smooth, terminated by 0; and
     * the index of the one it starts with */
    const double *shapes;
    size_t middle_shape;
    /* k0 has continuous derivatives of every order below this; NULL: of every order */
    double (*smoothness)(double shape);
    const char *smooth_when; /* the shapes whose k0 is twice differentiable, in words; NULL: not a matter of
                                the shape */

    /* spherical */
    double (*k0)(double shape, double r);
    /* k0 at n values of r^2, in place; and, unless NULL, g1 = -k0'(r)/r, any finite number at r = 0. NULL, or
     * false for shapes that it does not support: the caller computes them one by one. */
    bool (*many)(double shape, size_t n, double *squares, double *g1);
    /* g1 = -k0'(r)/r and g2r2 = r^2 (k0'(r)/r)'/r, so that -grad grad^T k0 = g1 I - g2r2 u u^T, u = v/r. */
    void (*slopes)(double shape, double r, double *g1, double *g2r2);
    /* t_m = r^m (1/r d/dr)^m k0, m = 1, 2, 3: with u = v/r,
     *   d_a k0 = t1 u_a,   d_a d_b d_c k0 = t2/r (I_ab u_c + I_ac u_b + I_bc u_a) + t3 u_a u_b u_c */
    void (*derivatives)(double shape, double r, double t[3]);
    /* tau from a uniform u; biased: from the law of tau size-biased by tau. NULL: tau = 1. */
    double (*mixing)(double shape, bool biased, double u);
    /* E tau^k, k = 1, 2, 3; INFINITY if it does not exist. */
    double (*mixing_moment)(double shape, int k);
    /* log density of z in dim dimensions at |z| = r. */
    double (*log_density)(double shape, size_t dim, double r);

    /* product: f with k0 = prod f(v_i), f', f'' */
    void (*factor)(double v, double *f, double *f1, double *f2);
    double (*third)(double v);           /* the third derivative */
    double (*quantile)(double u);        /* of one coordinate of z */
    double (*biased_quantile)(double u); /* the same, size-biased by z^2; NULL if E z^2 is infinite */
    double (*coordinate_moment)(int k);  /* E z^(2k), k = 1, 2, 3 */
    double (*coordinate_log_density)(double z);
} orffi_base_ops;

/* The law of w on R^dim. */
typedef struct orffi_spectrum {
    const orffi_base_ops *base;
    double shape;
    size_t dim;
    double *scale;      /* l, dim values */
    size_t space_count; /* inputs in the field's space; dim if there are no covariates */
    size_t *space;      /* their positions, space_count values ... */
    size_t *covariates; /* ... and the others, dim - space_count values */
    double *period;     /* dim: for periodic inputs, see base/periods.h; or NULL */
    double *centre; /* dim: mu of a law around mu and -mu (spectrum/centre.c), radians per unit; NULL: 0 */
    double *wavelength; /* 2 pi / mu as given by the caller, 0 for none; stored after centre, and NULL with
                           it */
    double reach;       /* with periods: the r beyond which k0 is negligible */
} orffi_spectrum;

const orffi_base_ops *orffi_base_find(orff_base base); /* NULL if there is no such base */

/* space NULL: all inputs. scales: dim values, or NULL for `scale` everywhere. Checks all arguments. */
orff_status orffi_spectrum_init(orffi_spectrum *s, orff_base base, double shape, size_t dim, double scale,
                                const double *scales, size_t space_count, const size_t *space);
/* Makes inputs with these periods (dim values) periodic: k0 becomes the sum over its images, and so does
 * everything derived from it below. The density stays as it is: its values at the harmonics are the Fourier
 * coefficients of that sum. */
orff_status orffi_spectrum_set_periods(orffi_spectrum *s, const double *periods);
/* Centres the law on +-mu, mu = 2 pi / wavelength along each input (dim values; 0: mu = 0): k0 becomes
 * k0(delta) cos<mu, delta>, with its derivatives below. Only for laws whose space is all inputs, without
 * periods; the density stays centred on 0. */
orff_status orffi_spectrum_set_wavelengths(orffi_spectrum *s, const double *wavelengths);
void orffi_spectrum_clear(orffi_spectrum *s); /* accepts a zeroed or half-built law */
orff_status orffi_spectrum_copy(orffi_spectrum *to, const orffi_spectrum *from);

/* Whether two laws are equal, so that parts may share frequencies. */
bool orffi_spectrum_equal(const orffi_spectrum *a, const orffi_spectrum *b);

/* Whether both spaces have the same inputs in the same order. */
bool orffi_spectrum_same_space(const orffi_spectrum *a, const orffi_spectrum *b);

/* k0(delta), delta of dim entries. */
double orffi_spectrum_k0(const orffi_spectrum *s, const double *delta);

/* Whether k0 depends on |v| alone. Then: k0 at n values of |v|^2, in place, and, unless NULL, g1 with d k0 /
 * d log l_i = g1 v_i^2. */
bool orffi_spectrum_is_radial(const orffi_spectrum *s);
void orffi_spectrum_k0_many(const orffi_spectrum *s, size_t n, double *squares, double *g1);

/* |v|^2 between x (dim) and n points stored by column (dim columns, `stride` apart). */
void orffi_spectrum_squares(const orffi_spectrum *s, const double *x, size_t n, const double *columns,
                            size_t stride, double *squares);

/* -grad grad^T k0 on the field's space times k0 on the covariates: the exact curl-free kernel (space_count x
 * space_count). Needs a finite second moment. */
void orffi_spectrum_curl(const orffi_spectrum *s, const double *delta, double *K);

/* Whether k0 has continuous derivatives of this order. */
bool orffi_spectrum_is_smooth(const orffi_spectrum *s, double order);

/* grad k0   (dim). Needs derivatives of order 1. */
void orffi_spectrum_gradient(const orffi_spectrum *s, const double *delta, double *gradient);

/* d_k of orffi_spectrum_curl, for every input k: T[k] is space_count x space_count. Needs derivatives of
 * order 3; work: space_count^2 + dim. */
void orffi_spectrum_curl_gradient(const orffi_spectrum *s, const double *delta, double *T, double *work);

/* k0, and d k0 / d log l_i   (dim). */
void orffi_spectrum_k0_scales(const orffi_spectrum *s, const double *delta, double *k0, double *slopes);

/* d k0 / d mu_i   (dim), mu the centre. */
void orffi_spectrum_k0_centre(const orffi_spectrum *s, const double *delta, double *slopes);

/* orffi_spectrum_curl times the square of a factor common to the length scales of the field's space, and its
 * derivatives at the factor 1. along (space_count x space_count): by the logarithm of that factor. slopes
 * (dim), for the covariates: d K / d log l_i divided by K. */
void orffi_spectrum_curl_scales(const orffi_spectrum *s, const double *delta, double *K, double *along,
                                double *slopes);

/* E|w|^(2k) over the field's space, k = 1, 2, 3; INFINITY if it does not exist. */
double orffi_spectrum_moment(const orffi_spectrum *s, int k);

/* E w_a w_b = -d_a d_b k0(0), any inputs; INFINITY if it does not exist. Without periods. */
double orffi_spectrum_second(const orffi_spectrum *s, size_t a, size_t b);

/* E w_i w_j w_a w_b, i and j in the field's space, a and b any inputs; INFINITY if it does not exist. Without
 * periods and centre. */
double orffi_spectrum_fourth(const orffi_spectrum *s, size_t i, size_t j, size_t a, size_t b);

/* E|z|^2 over the field's space, z whitened: the normaliser of importance sampling. */
double orffi_spectrum_whitened_moment(const orffi_spectrum *s);

/* log density of z (whitened, all dim coordinates), without a centre. */
double orffi_spectrum_log_density(const orffi_spectrum *s, const double *z);

#endif
