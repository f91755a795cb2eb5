/* The error bounds: what a part's law and block rule provide (setting.c), b(delta) (variance.c), the
 * constants of the theorem (terms.c), the bounds themselves (bounds.c), and the measured error
 * (measure.c). */
#ifndef ORFFI_BOUNDS_BOUNDS_H
#define ORFFI_BOUNDS_BOUNDS_H

#include "kernel/kernel.h"

/* The properties of one part. For a physical rule
 *
 *     A(w) = v |w|^2 ( curl u u^T + div (I - u u^T) ),    |A(w)| = v |w|^2 norm,    u = w/|w|
 *
 * curl and div are (1,0), (0,1) or (c, 1-c); w is on the field's space, of `space` inputs. */
typedef struct orffi_bound_setting {
    orff_kernel *kernel;
    const orffi_kernel_part *part; /* of the kernel; the law of w is part->law */
    size_t d, p, space;
    double v; /* weight, including the normalisation */
    bool known, physical, gaussian;
    bool covariates;  /* some inputs are outside the field's space */
    bool one_sigma;   /* the field's space has a single length scale */
    bool spherical;   /* one_sigma and a spherical base: eigenvectors are along and across delta */
    double sigma;     /* the common length scale, else the smallest */
    double curl, div; /* physical rules */
    double norm;      /* the larger of curl and div */
    double K0;        /* |K(0)| */
    double moment[4]; /* E|w|^(2k) over the field's space; over all inputs for decomposable */
    double others;    /* E|w|^2 over the covariates, 0 if there are none */
    double largest;   /* upper bound of |D (block of a frequency) - K|; INFINITY: unbounded */
    size_t parts;     /* number of parts of the sum that it represents; 1 otherwise */
    bool measured;    /* constants are measured */
    double whitened;  /* E|z|^2 / (smallest sigma)^2 over the space: largest |w|^2 q D of importance */
} orffi_bound_setting;

orff_status orffi_bound_setting_init(orffi_bound_setting *s, const orff_part *part, size_t d, size_t p);
void orffi_bound_setting_clear(orffi_bound_setting *s); /* accepts a zeroed setting */

orff_status orffi_bound_norm_at_zero(const orff_kernel *kernel, double *K0); /* |K(0)| */

/* Eigenvalues of a matrix with the axis delta. */
typedef struct orffi_axial {
    double along, across;
} orffi_axial;

/* Turns X = E[.. w w^T] into E of the rule: curl X + div (tr(X) I - X). */
orffi_axial orffi_axial_rule(const orffi_bound_setting *s, double curl, double div, orffi_axial x);

/* Largest |eigenvalue|; in one dimension there is no across. */
double orffi_axial_norm(const orffi_bound_setting *s, orffi_axial x);

/* E A and E A^2 are diagonal: their entries for input i of the space (0-based), including the weight v. */
double orffi_bound_mean_entry(const orffi_bound_setting *s, size_t i);
double orffi_bound_square_entry(const orffi_bound_setting *s, size_t i);

void orffi_bound_variance_largest(const orffi_bound_setting *s, double radius, orff_variance *b);

/* |Var A| as printed in the paper, NAN if it prints none. */
double orffi_bound_var_A(const orffi_bound_setting *s);
double orffi_bound_var_A_printed(const orffi_bound_setting *s);

/* Constants derived from the others: u and C. */
void orffi_bound_terms_follow(size_t d, size_t p, orff_bound_terms *terms);
void orffi_bound_terms_unknown(orff_bound_terms *terms);

/* Constants of a custom part, measured with `draws` frequencies of its law: K0, E_A2, psi1, sigma_p2, b,
 * m. */
orff_status orffi_bound_measure_terms(orffi_bound_setting *s, size_t draws, orff_bound_terms *terms);

/* Constants of a sum; sets in s what the bounds need in addition to them. */
orff_status orffi_bound_sum_terms(size_t n_parts, const orff_part *parts, size_t d, size_t p,
                                  const orff_bound_question *question, orffi_bound_setting *s,
                                  orff_bound_terms *terms);

void orffi_bound_terms_fill(const orffi_bound_setting *s, const orff_bound_question *question,
                            orff_bound_terms *terms);

#endif
