/* A fitted model, as the files of this module share it.
 *
 *     f(x) = mean + spread * phi(x') V,      x' = (x - shift) / unit        V = B theta, 2D x p
 *
 * or, for an exact model, which has no features, f(x) = mean + spread * sum_i K(x', x'_i) alpha_i.
 */
#ifndef ORFFI_MODEL_MODEL_H
#define ORFFI_MODEL_MODEL_H

#include "base/archive.h"
#include "exact/exact.h"
#include "features/features.h"
#include "solve/system.h"

/* What error bars need: Cov f(x) = noise W diag_b( sum_a Z_a^2 g_ab ) W^T with Z = (row of Phi(x)^T) F for
 * one decomposable part (slices = 1, W p x r), or noise Z Z^T with Z p x k, r = 1, g_a, for any other
 * kernel. With fewer columns than coefficients (k < n: fewer rows than these were learned from) F is orthonormal, and
 * what of Phi(x) lies outside its span has the prior variance: it adds rest_b (|Phi|^2 - |Z|^2). */
typedef struct orffi_posterior {
    size_t n, r;
    size_t k; /* columns of F, at most n */
    bool stein;
    size_t first, used; /* stein: see orffi_system */
    const double *F;    /* n x k: into `owned`, or into the model's file */
    double *owned;
    double *g;             /* k x r */
    double *rest;          /* r; NULL where k = n */
    double *W;             /* stein: p x r */
    orffi_columns columns; /* not stein */
} orffi_posterior;

struct orff_model {
    orff_features *features; /* one of these two ... */
    orff_exact *exact;       /* ... is there; its own mean is not used */
    size_t d, p;             /* of the kernel: p = T-1 for T classes */
    size_t classes;
    double *theta;              /* M, or NULL */
    double *V;                  /* 2D x p, or NULL */
    double *shift, *unit;       /* d: inputs */
    double *mean, *spread;      /* p: outputs */
    double *codes;              /* T x (T-1), or NULL */
    orffi_posterior *posterior; /* or NULL */
    orffi_archive *file;        /* what F of the posterior may point into, or NULL */
    bool on_plane;              /* points are given in degrees: see plane_apply.h */
    orff_plane plane;

    /* what is told of it */
    double lambda, train_mse, cv_mse, dof, log_evidence, noise;
    double unreached; /* the share of the variance of y that the kernel cannot reach: see reach.h */
    unsigned warnings;
    char warning[512];
    uint64_t rows;
    bool single;
    double *output_train_mse; /* p */
    double *output_cv_mse;    /* p, or NULL when not cross-validated */
    double *shares;           /* parts + 1, or NULL */
    orff_solve_info solve;
    char *notes; /* the caller's, or NULL */
    char *kernel_words;
    double *user_sigmas; /* parts x d: length scales in the user's units */
};

/* Zeroed, with room for the arrays whose sizes follow from the features (taken over, also on failure).
 * shift = 0, unit = 1, mean = 0, spread = 1. */
orff_status orffi_model_create(orff_model **out, orff_features *features, size_t classes);
orff_status orffi_model_create_exact(orff_model **out, orff_exact *exact, size_t classes);

const orff_kernel *orffi_model_kernel(const orff_model *model);

/* V, codes, words and user_sigmas from what is there: called when theta and units are final. */
orff_status orffi_model_finish(orff_model *model);

/* x' of n rows into out (n x d). */
void orffi_model_transform(const orff_model *model, size_t n, const double *X, double *out);

void orffi_posterior_free(orffi_posterior *posterior);

#endif
