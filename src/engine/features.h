/* The engine of random features, shared by its files.
 *
 *     f(x) = Phi(x)^T theta = phi(x) V,      V = B theta   (2D x p)
 *
 * Rows are summed up in moments, from which everything has a closed form. If there are fewer rows than
 * coefficients, rows are kept and the dual is solved, also in closed form. If the system is too large, or
 * for another loss or an iterative solver, rows are kept and swept repeatedly. */
#ifndef ORFFI_ENGINE_FEATURES_H
#define ORFFI_ENGINE_FEATURES_H

#include "engine/engine.h"
#include "exact/dual.h"
#include "solve/ridge.h"

/* ---- a fit */

/* What error bars need. For one decomposable part (slices = 1, W p x r) Cov f(x) / noise = W diag_b( sum_a
 * Z_a^2 g_ab ) W^T with Z = (row of Phi(x)^T) F. For any other kernel it is Z diag(g_a) Z^T with Z p x k,
 * r = 1. If F has fewer columns than there are coefficients (k < n, when learned from fewer rows than
 * coefficients), F is orthonormal, and what of Phi(x) is outside its span has the prior variance, which
 * adds rest_b (|Phi|^2 - |Z|^2). */
typedef struct orffi_posterior {
    size_t n, r;
    size_t k; /* number of columns of F, at most n */
    bool stein;
    size_t first, used; /* stein: see orffi_system */
    const double *F;    /* n x k: points into `owned`, or into the model's file */
    double *owned;
    double *g;             /* k x r */
    double *rest;          /* r; NULL if k = n */
    double *W;             /* stein: p x r */
    orffi_columns columns; /* unless stein */
} orffi_posterior;

/* The posterior of a system at shift = N lambda > 0. Uses the eigen form if the system has it, or if the
 * m_b of the outputs differ; otherwise Cholesky, or the eigen form if Cholesky breaks down. */
orff_status orffi_posterior_build(orffi_posterior **out, orffi_system *system, double shift);
void orffi_posterior_free(orffi_posterior *posterior);

/* Copies rows of Phi(x)^T from phi(x) (2D) to slice: n numbers (stein), or p x n. */
void orffi_posterior_slices(const orffi_posterior *posterior, size_t D, size_t p, const double *phi,
                            double *slice);

typedef struct orffi_features_fit {
    orff_features *features;
    double *theta;              /* M */
    double *V;                  /* 2D x p, see orffi_features_fit_fold */
    orffi_posterior *posterior; /* or NULL */
    bool borrows;               /* its features belong to another fit */
} orffi_features_fit;

/* Creates a fit with theta = 0. Takes over the features, also on failure. */
orff_status orffi_features_fit_create(orffi_features_fit **fit, orff_features *features);
void orffi_features_fit_free(void *fit);

/* Computes V from theta; call it when theta is final. */
void orffi_features_fit_fold(orffi_features_fit *fit);

/* out (n x k) = phi(x) C, where C is 2D x k; the second in single precision with C = V. */
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

/* A function drawn from the kernel, with D frequencies of its own. */
orff_status orffi_features_draw_prior(orffi_features_fit **fit, const orff_kernel *kernel, size_t D,
                                      uint64_t seed, size_t number);

int orffi_features_pack(const void *fit, json_t *model);
orff_status orffi_features_add(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
orff_status orffi_features_load(void **fit, const orffi_fields *model, const orff_kernel *kernel);

/* ---- rows */

typedef struct orffi_features_rows {
    orffi_task task;
    orff_features *drawn; /* for the kernel that was prepared */
    orff_moments *own;
    const orff_moments *moments; /* its own, or borrowed */

    bool iterates; /* rows are kept and swept ... */
    bool few;      /* ... or kept and solved by the dual ... */
    bool directed; /* ... or summed up in one system of all outputs: see features_directed.c */
    orffi_table gathered;
    const orffi_table *table;            /* `gathered`, or the caller's */
    orffi_checkpoint *checkpoint;        /* or NULL */
    orffi_table some;                    /* the first rows of the table ... */
    struct orffi_features_rows *smaller; /* ... and a closed-form model of them, which chooses lambda */

    orff_features *bound; /* to the kernel last asked for; may equal `drawn` */
    orff_ridge *ridge;    /* for that kernel, from moments */
    orffi_dual dual;      /* for that kernel, if rows are few */
    orffi_system joint;   /* for that kernel, if rows are directed */
    double logs;          /* for directed rows: the sum of log c ... */
    double observed;      /* ... and of c ... */
    size_t counted;       /* ... and the number with c > 0 */
} orffi_features_rows;

/* What orffi_engine needs for rows: see engine.h. */
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

/* Sums up few rows, for results that need sums. */
orff_status orffi_features_sum_few(orffi_features_rows *rows);

/* Draws features of a kernel as a task specifies. */
orff_status orffi_features_draw(orff_features **features, const orffi_task *task, const orff_kernel *kernel,
                                size_t D);

/* Rows that are already summed up: the moments must outlive them. */
orff_status orffi_features_rows_of_moments(void **rows, const orffi_task *task, const orff_kernel *kernel,
                                           const orff_moments *moments);

/* Binds the rows to a kernel: sets `bound`, and a ridge from moments or the dual of few rows. */
orff_status orffi_features_bind(orffi_features_rows *rows, const orff_kernel *kernel);

/* The system of directed rows; the last computes the evidence along a path, which chooses lambda for them. */
orff_status orffi_features_join(orffi_features_rows *rows);
orff_status orffi_features_join_moments(orffi_features_rows *rows); /* from moments in place of rows */
orff_status orffi_features_judge_directed(orffi_features_rows *rows, size_t count, const double *lambdas,
                                          orffi_criterion *criterion);

/* Whether so many rows are better solved by the dual than from sums. */
bool orffi_features_are_few(const orffi_features_rows *rows, size_t n);

/* Hands over `bound` to a fit. */
orff_features *orffi_features_adopt(orffi_features_rows *rows);

/* In closed form from sums, by the dual, as one system of directed rows, and by iteration. `bound` must be
 * that of the kernel; the fit takes it over. */
orff_status orffi_features_solve(orffi_features_fit **fit, orffi_features_rows *rows, double lambda,
                                 orffi_report *report);
orff_status orffi_features_solve_dual(orffi_features_fit **fit, orffi_features_rows *rows, double lambda,
                                      orffi_report *report);
orff_status orffi_features_solve_directed(orffi_features_fit **fit, orffi_features_rows *rows, double lambda,
                                          orffi_report *report);
orff_status orffi_features_iterate(orffi_features_fit **fit, orffi_features_rows *rows, double lambda,
                                   orffi_report *report);

#endif
