/* A trend beside the field,
 *
 *     f(x) = h(x)^T b + g(x),
 *
 * whose coefficients b are not penalised. With C = K + noise over the rows and H their columns h,
 *
 *     b = A^-1 H^T C^-1 y,      A = H^T C^-1 H,      g learned from y - H b,
 *
 * and the error of b adds u(x)^T A^-1 u(x) to the variance of f(x), u(x) = h(x) - k(x)^T C^-1 H. Engines
 * are linear in y: what one learns from a column of H as if it were data is k(x)^T C^-1 H, and at a row of
 * weight c the column minus that is (noise / c) C^-1 H. So engines need not know of trends. Only an engine
 * whose values depend on few rows each must compute that difference itself (`left` in its report);
 * otherwise A would combine numbers that belong to different C.
 *
 * Groups of rows may have offsets (a station, an instrument), which are not part of f: columns that are 1
 * at the rows of a group and 0 wherever f is evaluated. Their variance is `ratio` times that of the noise,
 * which adds 1/ratio to their diagonal elements of A. The ratio maximises the evidence,
 *
 *     1/2 [ y^T C^-1 H A^-1 H^T C^-1 y - log det(I + ratio H^T C^-1 H) ]. */
#ifndef ORFFI_MODEL_TREND_H
#define ORFFI_MODEL_TREND_H

#include "engine/engine.h"

/* Each is a column, with everything that error bars need. */
#define ORFFI_MOST_OFFSETS 256

/* A product of inputs. */
typedef struct orffi_trend_factors {
    size_t count, inputs[2];
} orffi_trend_factors;

typedef struct orffi_trend {
    orff_trend kind;
    size_t d, p, terms;
    size_t offsets;   /* the last so many terms are offsets of groups ... */
    uint64_t *labels; /* ... with these labels */
    double ratio;
    bool *inputs;                 /* d: inputs that enter the trend */
    orffi_trend_factors *factors; /* terms: each is a product of z = (x - centre) / scale */
    double *centre, *scale; /* d, in the user's units (km on a plane); z goes from -1 to 1 over the rows */
    double *at, *by;        /* d: centre and scale in the units of the kernel */
    double *beta;           /* terms x p, in the user's units of y */
    double *coefficients, *errors; /* terms x p: of the inputs themselves, as reported */

    /* Number of columns: terms, if K = k I and one column serves all outputs (shared); otherwise
     * terms x p, each for one output. */
    bool shared;
    size_t columns;
    double *root; /* columns x columns: root root^T = A^-1 for a noise of 1, in the units of the kernel */
    const orffi_engine *engine;
    void **fits; /* fits of the columns, p at a time if shared; NULL without error bars */
    size_t n_fits;
} orffi_trend;

/* Creates the terms; all numbers are 0, all scales 1. inputs: d. */
orff_status orffi_trend_create(orffi_trend **out, orff_trend kind, size_t d, size_t p, const bool *inputs,
                               size_t offsets, const uint64_t *labels);
void orffi_trend_free(orffi_trend *trend);

/* Makes room for the columns and their fits, which are still empty. */
orff_status orffi_trend_make_columns(orffi_trend *trend, const orffi_engine *engine, bool shared);

/* Frees the fits, which only error bars need. */
void orffi_trend_drop_fits(orffi_trend *trend);

/* Sets at and by from the units of the inputs (d). */
void orffi_trend_rescale(orffi_trend *trend, const double *shift, const double *unit);

/* Computes coefficients and errors from beta, root and the noise (p). */
void orffi_trend_report(orffi_trend *trend, const double *noise);

/* The terms (terms) at one x' in the units of the kernel, and their derivatives (terms x d) by x in the
 * user's units. */
void orffi_trend_terms(const orffi_trend *trend, const double *x, double *h);
void orffi_trend_slopes(const orffi_trend *trend, const double *x, double *slopes);

/* F (n x p) += h(x)^T b; out (n x k) += the field derived from it. */
orff_status orffi_trend_add(const orffi_trend *trend, size_t n, const double *x, double *F);
orff_status orffi_trend_add_derived(const orffi_trend *trend, const orffi_derived *what, size_t n,
                                    const double *x, double *out);

/* out (k) += divergence, curl or another field of a Jacobian J (p x d). */
void orffi_field_of_jacobian(const orffi_derived *what, size_t d, size_t p, const double *J, double *out);

/* Numbers of a column at a point: 1 if shared, otherwise p. */
size_t orffi_trend_width(const orffi_trend *trend);

/* u of every column, n x columns x width. */
orff_status orffi_trend_lacks(const orffi_trend *trend, size_t n, const double *x, double *U);

/* ---- error bars and samples, for a noise of 1 in the units of the kernel */

/* Add the covariance due to the error of b to covariances (n x p x p), and to those of a derived field
 * (n x k x k). */
orff_status orffi_trend_add_covariance(const orffi_trend *trend, size_t n, const double *x,
                                       double *covariance);
orff_status orffi_trend_add_derived_covariance(const orffi_trend *trend, const orffi_derived *what, size_t n,
                                               const double *x, double *covariance);

/* u at some points, kept for the next sample at the same points. Zero it first. */
typedef struct orffi_trend_seen {
    size_t n;
    double *x, *U;
} orffi_trend_seen;
void orffi_trend_forget(orffi_trend_seen *seen);

/* One sample of the error of b: columns x p if shared, otherwise columns. Then what it adds to values
 * (n x p), and to a derived field (n x k); `seen` serves one field only. */
size_t orffi_trend_sample_size(const orffi_trend *trend);
void orffi_trend_draw(const orffi_trend *trend, uint64_t seed, size_t sample, double *error);
orff_status orffi_trend_add_sample(const orffi_trend *trend, const double *error, orffi_trend_seen *seen,
                                   size_t n, const double *x, double *out);
orff_status orffi_trend_add_derived_sample(const orffi_trend *trend, const double *error,
                                           orffi_trend_seen *seen, const orffi_derived *what, size_t n,
                                           const double *x, double *out);

/* A trend has no potential: fails for such fields. */
orff_status orffi_trend_check_field(const orffi_trend *trend, const orffi_derived *what);

/* ---- files: member "trend" of the model, tensors trend.*, tensors of the fits as trend.<i>. */
orff_status orffi_trend_write(const orffi_trend *trend, bool compact, orffi_archive_writer *writer,
                              json_t *model);
orff_status orffi_trend_read(orffi_trend **out, const orffi_fields *model, const orffi_engine *engine,
                             const orff_kernel *kernel);

#endif
