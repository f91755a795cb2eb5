/* The error bounds: what a part's law and block rule give (setting.c), b(delta) (variance.c), the constants
 * of the theorem (terms.c), the bounds themselves (bounds.c), and the error as it is measured (measure.c). */
#ifndef ORFF_BOUNDS_BOUNDS_H
#define ORFF_BOUNDS_BOUNDS_H

#include "kernel/kernel.h"

/* One part, looked at. For a physical rule
 *
 *     A(w) = v |w|^2 ( curl u u^T + div (I - u u^T) ),    |A(w)| = v |w|^2 norm,    u = w/|w|
 *
 * curl and div are (1,0), (0,1), (c, 1-c); w is on the field's space of `space` inputs. */
typedef struct orff_bound_setting {
    orff_kernel *kernel;
    const orff_kernel_part *part; /* of the kernel; part->law is the law of w */
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
    double whitened;  /* E|z|^2 / (smallest sigma)^2 over the space: largest |w|^2 q D of importance */
} orff_bound_setting;

orff_status orff_bound_setting_init(orff_bound_setting *s, const orff_part *part, size_t d, size_t p);
void orff_bound_setting_clear(orff_bound_setting *s); /* accepts a zeroed one */

/* Eigenvalues of a matrix with axis delta. */
typedef struct orff_axial {
    double along, across;
} orff_axial;

/* From X = E[.. w w^T] to E of the rule: curl X + div (tr(X) I - X). */
orff_axial orff_axial_rule(const orff_bound_setting *s, double curl, double div, orff_axial x);

/* Largest |eigenvalue|; in one dimension nothing is across. */
double orff_axial_norm(const orff_bound_setting *s, orff_axial x);

/* E A and E A^2 are diagonal: their entries for input i of the space (0-based), weight v included. */
double orff_bound_mean_entry(const orff_bound_setting *s, size_t i);
double orff_bound_square_entry(const orff_bound_setting *s, size_t i);

orff_status orff_bound_variance_at(const orff_bound_setting *s, const double *delta, orff_variance *b);
void orff_bound_variance_largest(const orff_bound_setting *s, double radius, orff_variance *b);

/* |Var A| of the paper: printed where there is a print of it, else NAN. */
double orff_bound_var_A(const orff_bound_setting *s);
double orff_bound_var_A_printed(const orff_bound_setting *s);

void orff_bound_terms_fill(const orff_bound_setting *s, const orff_bound_question *question,
                           orff_bound_terms *terms);

#endif
