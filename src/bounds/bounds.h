/* The error bounds: what a part's law and block rule give (setting.c), b(delta) (variance.c), the constants
 * of the theorem (terms.c), the bounds themselves (bounds.c), and the error as it is measured (measure.c). */
#ifndef ORFFI_BOUNDS_BOUNDS_H
#define ORFFI_BOUNDS_BOUNDS_H

#include "kernel/kernel.h"

/* One part, looked at. For a physical rule
 *
 *     A(w) = v |w|^2 ( curl u u^T + div (I - u u^T) ),    |A(w)| = v |w|^2 norm,    u = w/|w|
 *
 * curl and div are (1,0), (0,1), (c, 1-c); w is on the field's space of `space` inputs. */
typedef struct orffi_bound_setting {
    orff_kernel *kernel;
    const orffi_kernel_part *part; /* of the kernel; part->law is the law of w */
    size_t d, p, space;
    double v; /* weight, normalisation included */
    bool known, physical, gaussian;
    bool covariates;  /* some inputs are outside the field's space */
    bool one_sigma;   /* on the field's space */
    bool spherical;   /* one_sigma and a spherical base: eigenvectors are delta and what is across */
    double sigma;     /* the one sigma, else the smallest */
    double curl, div; /* physical rules */
    double norm;      /* the larger of them */
    double K0;        /* |K(0)| */
    double moment[4]; /* E|w|^(2k) over the field's space; all inputs for decomposable */
    double others;    /* E|w|^2 over the covariates, 0 without */
    double largest;   /* |D (block of a frequency) - K| is at most this; INFINITY: unbounded */
    size_t parts;     /* of the sum that it stands for; 1 otherwise */
    bool measured;    /* constants are measured */
    double whitened;  /* E|z|^2 / (smallest sigma)^2 over the space: largest |w|^2 q D of importance */
} orffi_bound_setting;

orff_status orffi_bound_setting_init(orffi_bound_setting *s, const orff_part *part, size_t d, size_t p);
void orffi_bound_setting_clear(orffi_bound_setting *s); /* accepts a zeroed one */

orff_status orffi_bound_norm_at_zero(const orff_kernel *kernel, double *K0); /* |K(0)| */

/* Eigenvalues of a matrix with axis delta. */
typedef struct orffi_axial {
    double along, across;
} orffi_axial;

/* From X = E[.. w w^T] to E of the rule: curl X + div (tr(X) I - X). */
orffi_axial orffi_axial_rule(const orffi_bound_setting *s, double curl, double div, orffi_axial x);

/* Largest |eigenvalue|; in one dimension nothing is across. */
double orffi_axial_norm(const orffi_bound_setting *s, orffi_axial x);

/* E A and E A^2 are diagonal: their entries for input i of the space (0-based), weight v included. */
double orffi_bound_mean_entry(const orffi_bound_setting *s, size_t i);
double orffi_bound_square_entry(const orffi_bound_setting *s, size_t i);

void orffi_bound_variance_largest(const orffi_bound_setting *s, double radius, orff_variance *b);

/* |Var A| of the paper: printed where there is a print of it, else NAN. */
double orffi_bound_var_A(const orffi_bound_setting *s);
double orffi_bound_var_A_printed(const orffi_bound_setting *s);

/* Constants that follow from the others: u and C. */
void orffi_bound_terms_follow(size_t d, size_t p, orff_bound_terms *terms);
void orffi_bound_terms_unknown(orff_bound_terms *terms);

/* A custom part by `draws` frequencies of its law: K0, E_A2, psi1, sigma_p2, b, m. */
orff_status orffi_bound_measure_terms(orffi_bound_setting *s, size_t draws, orff_bound_terms *terms);

/* Of a sum; s is to be filled with what the bounds ask for beside the terms. */
orff_status orffi_bound_sum_terms(size_t n_parts, const orff_part *parts, size_t d, size_t p,
                                  const orff_bound_question *question, orffi_bound_setting *s,
                                  orff_bound_terms *terms);

void orffi_bound_terms_fill(const orffi_bound_setting *s, const orff_bound_question *question,
                            orff_bound_terms *terms);

#endif
