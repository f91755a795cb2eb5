/* The engine of random features, as its files share it.
 *
 *     f(x) = Phi(x)^T theta = phi(x) V,      V = B theta   (2D x p)
 *
 * Rows are summed up in moments, from which everything has a closed form. Fewer rows than coefficients are kept instead
 * and solved by the dual, in closed form too; and where the system is too large, the loss another or the solver asked
 * for, rows are kept and swept again and again.
 */
#ifndef ORFFI_ENGINE_FEATURES_H
#define ORFFI_ENGINE_FEATURES_H

#include "engine/engine.h"
#include "exact/dual.h"
#include "solve/ridge.h"

/* ---- a fit */

/* What error bars need: Cov f(x) / noise = W diag_b( sum_a Z_a^2 g_ab ) W^T with Z = (row of Phi(x)^T) F for
 * one decomposable part (slices = 1, W p x r), or Z Z^T with Z p x k, r = 1, g_a, for any other
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

/* The posterior of a system at shift = N lambda > 0. In the eigen form where the system has it, or where
 * it must be taken because the outputs' m_b differ; else by Cholesky, and by the eigen form again where
 * that breaks down. */
orff_status orffi_posterior_build(orffi_posterior **out, orffi_system *system, double shift);
void orffi_posterior_free(orffi_posterior *posterior);

/* Rows of Phi(x)^T from phi(x) (2D) into slice: n numbers (stein), or p x n. */
void orffi_posterior_slices(const orffi_posterior *posterior, size_t D, size_t p, const double *phi,
                            double *slice);

typedef struct orffi_features_fit {
    orff_features *features;
    double *theta;              /* M */
    double *V;                  /* 2D x p, see orffi_features_fit_fold */
    orffi_posterior *posterior; /* or NULL */
    bool borrows;               /* its features are another fit's */
} orffi_features_fit;

/* With theta = 0; the features are taken over, also on failure. */
orff_status orffi_features_fit_create(orffi_features_fit **fit, orff_features *features);
void orffi_features_fit_free(void *fit);

/* V from theta: called when theta is final. */
void orffi_features_fit_fold(orffi_features_fit *fit);

/* out (n x k) = phi(x) C, with C of 2D x k; in the second, in single precision. */
orff_status orffi_features_apply_matrix(const orffi_features_fit *fit, size_t k, const double *C, size_t n,
                                        const double *x, double *out);
orff_status orffi_features_values_single(const void *fit, size_t n, const float *x, float *F);
orff_status orffi_features_covariance(const void *fit, size_t n, const double *x, double *covariance);
orff_status orffi_features_derive(const void *fit, const orffi_derived *what, size_t n, const double *x,
                                  double *out);

orff_status orffi_features_derived_covariance(const void *fit, const orffi_derived *what, size_t n,
                                              const double *x, double *covariance);
bool orffi_features_has_derived_covariance(const void *fit, const orffi_derived *what);
orff_status orffi_features_draw_samples(const void *fit, uint64_t seed, size_t count,
                                        orffi_deviation *samples);
orff_status orffi_features_sum(const void *fit, orffi_term *term);

/* A function drawn from the kernel, by D frequencies of its own. */
orff_status orffi_features_draw_prior(orffi_features_fit **fit, const orff_kernel *kernel, size_t D,
                                      uint64_t seed, size_t number);

int orffi_features_pack(const void *fit, json_t *model);
orff_status orffi_features_add(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
orff_status orffi_features_load(void **fit, const orffi_fields *model, const orff_kernel *kernel);

/* ---- rows */

typedef struct orffi_features_rows {
    orffi_task task;
    orff_features *drawn; /* of the kernel that was prepared */
    orff_moments *own;
    const orff_moments *moments; /* its own, or borrowed */

    bool iterates; /* rows are kept instead, and swept ... */
    bool few;      /* ... or solved by the dual */
    bool directed; /* ... or summed up in one system of all outputs: see features_directed.c */
    orffi_table gathered;
    const orffi_table *table;     /* `gathered`, or the caller's */
    orffi_checkpoint *checkpoint; /* or NULL */
    orffi_table some;             /* the first rows of the table ... */
    struct orffi_features_rows
        *smaller; /* ... and a model of them in closed form, by which lambda is chosen */

    orff_features *bound; /* to the kernel last asked for; may be `drawn` */
    orff_ridge *ridge;    /* of it, from moments */
    orffi_dual dual;      /* of it, where rows are few */
    orffi_system joint;   /* of it, where rows are directed */
    double logs;          /* of directed rows: the sum of log c ... */
    double observed;      /* ... and of c ... */
    size_t counted;       /* ... and how many have c > 0 */
} orffi_features_rows;

/* What orffi_engine asks of rows: see engine.h. */
orff_status orffi_features_prepare(void **rows, const orffi_task *task, const orff_kernel *kernel);
orff_status orffi_features_read_rows(void *rows, const orffi_source *source);
bool orffi_features_serves(const void *rows, const orff_kernel *kernel);
bool orffi_features_shares(const void *rows, const void *other);
void orffi_features_borrow(void *other, const void *rows);
double orffi_features_weight(const void *rows);
orff_status orffi_features_size(void *rows, const orff_kernel *kernel, double *size);
orff_status orffi_features_criterion(void *rows, const orff_kernel *kernel, size_t count,
                                     const double *lambdas, orffi_criterion *criterion);
orff_status orffi_features_weights(void *rows, const orff_kernel *kernel, double drop, double *values,
                                   double *shares);
void orffi_features_release(void *rows);

/* Few rows become sums, for what only sums give. */
orff_status orffi_features_sum_few(orffi_features_rows *rows);

/* Features of a kernel as a task wants them. */
orff_status orffi_features_draw(orff_features **features, const orffi_task *task, const orff_kernel *kernel,
                                size_t D);

/* Rows that are summed up already: the moments outlive them. */
orff_status orffi_features_rows_of_moments(void **rows, const orffi_task *task, const orff_kernel *kernel,
                                           const orff_moments *moments);

/* `bound` of the rows becomes that of the kernel, with a ridge where there are moments, or its dual where rows are few. */
orff_status orffi_features_bind(orffi_features_rows *rows, const orff_kernel *kernel);

/* The system of directed rows; and the evidence along a path, by which lambda is chosen for them. */
orff_status orffi_features_join(orffi_features_rows *rows);
orff_status orffi_features_join_moments(orffi_features_rows *rows); /* of moments, in place of rows */
orff_status orffi_features_judge_directed(orffi_features_rows *rows, size_t count, const double *lambdas,
                                          orffi_criterion *criterion);

/* Whether so many rows are better solved by the dual than from sums. */
bool orffi_features_are_few(const orffi_features_rows *rows, size_t n);

/* The features that a fit takes over: `bound`. */
orff_features *orffi_features_adopt(orffi_features_rows *rows);

/* In closed form from sums, by the dual, and by iteration. `bound` is that of the kernel; the fit takes it over. */
orff_status orffi_features_solve(orffi_features_fit **fit, orffi_features_rows *rows, double lambda,
                                 orffi_report *report);
orff_status orffi_features_solve_dual(orffi_features_fit **fit, orffi_features_rows *rows, double lambda,
                                      orffi_report *report);
orff_status orffi_features_solve_directed(orffi_features_fit **fit, orffi_features_rows *rows, double lambda,
                                          orffi_report *report);
orff_status orffi_features_iterate(orffi_features_fit **fit, orffi_features_rows *rows, double lambda,
                                   orffi_report *report);

#endif
