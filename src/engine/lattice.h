/* The lattice engine, shared by its files.
 *
 *     f(x) = sum_k V_k exp(i <w_k, x>),      V = W theta   (p x H)
 *
 * over a lattice of frequencies that reproduces the kernel to a tolerance, for up to three inputs. Rows
 * are summed up in moments that do not depend on the kernel. */
#ifndef ORFFI_ENGINE_LATTICE_H
#define ORFFI_ENGINE_LATTICE_H

#include "engine/engine.h"
#include "exact/neighbours.h"
#include "lattice/nufft.h"
#include "lattice/record.h"
#include "lattice/solve.h"

/* ---- a fit */

/* What error bars need if all modes were solved densely: L^-T of G + shift / a for each size a of an axis. */
typedef struct orffi_lattice_posterior {
    size_t n;         /* real unknowns */
    size_t count;     /* of factors */
    size_t *factor;   /* axes: number of the factor for each axis */
    const double **F; /* count: n x n, upper; pointing into `owned` or the model's file */
    double **owned;   /* count */
} orffi_lattice_posterior;

typedef struct orffi_lattice_fit {
    orff_kernel *kernel;
    orffi_lattice lattice;
    size_t p, H;
    bool directed;      /* rows were directed: error bars come from one system of all outputs */
    orffi_mode *V;      /* p x H */
    orffi_nufft *waves; /* transform with V loaded */
    size_t draws;
    /* Draws x p x H: posterior samples minus their mean V, for a noise variance of 1; or NULL. */
    orffi_mode *samples;
    orffi_nufft *sample_waves;
    double shift;                       /* N lambda */
    double origin[ORFF_LATTICE_INPUTS]; /* zeros */
    orffi_lattice_posterior *posterior; /* or NULL */
    orffi_lattice_system system;        /* for the posterior: the part that depends on the kernel */
    orffi_lattice_block block;          /* for the posterior: the order of the modes */
    unsigned warnings;
    char warning[256];
    double kernel_error; /* relative to K(0); NAN without an exact kernel */
    double tolerance;    /* tolerance of the transforms */
    /* Rows, if error bars are computed from the nearest ones; with Y (n x p) if values are, too. V then
     * contains only what the lattice carries of them. */
    orffi_table rows;
    orffi_near near;
    size_t room; /* size of work for one point */
    /* This is the difference of a sample from the mean, which must not be taken as zero far from the rows. */
    bool deviates;
} orffi_lattice_fit;

/* Error bars from the nearest of these rows, which are copied. */
orff_status orffi_lattice_fit_keep_rows(orffi_lattice_fit *fit, const orffi_table *rows);
/* Values from them too, using their outputs minus the mean. */
orff_status orffi_lattice_fit_keep_outputs(orffi_lattice_fit *fit, const orffi_table *rows,
                                           const double *mean);

/* Creates a fit with room for V; keeps a reference to the kernel. */
orff_status orffi_lattice_fit_create(orffi_lattice_fit **fit, const orff_kernel *kernel,
                                     const orffi_lattice *lattice, double tolerance);
/* Call this when V is final. */
orff_status orffi_lattice_fit_finish(orffi_lattice_fit *fit);
/* Takes over samples for error bars. */
orff_status orffi_lattice_fit_keep(orffi_lattice_fit *fit, size_t draws, orffi_mode *samples);
/* Creates a posterior without its factors. */
orff_status orffi_lattice_posterior_create(orffi_lattice_fit *fit);
void orffi_lattice_fit_free(void *fit);

/* Evaluates fields of modes (count x H) at points: out is n x count. */
orff_status orffi_lattice_evaluate_modes(const orffi_lattice_fit *fit, size_t count, const orffi_mode *modes,
                                         size_t n, const double *x, double *out);

orff_status orffi_lattice_values(const void *fit, size_t n, const double *x, double *F);
orff_status orffi_lattice_covariance(const void *fit, size_t n, const double *x, double *out);
orff_status orffi_lattice_derive(const void *fit, const orffi_derived *what, size_t n, const double *x,
                                 double *out);

orff_status orffi_lattice_derived_covariance(const void *fit, const orffi_derived *what, size_t n,
                                             const double *x, double *covariance);
bool orffi_lattice_has_derived_covariance(const void *fit, const orffi_derived *what);
orff_status orffi_lattice_draw_samples(const void *fit, uint64_t seed, size_t count,
                                       orffi_deviation *samples);
orff_status orffi_lattice_sum(const void *fit, orffi_term *term);

/* The derived field of the wave v exp(i <w, x>) without i and its sign, in the user's units except for v
 * (p): what->k numbers. */
void orffi_lattice_wave_field(const orffi_lattice *lattice, size_t p, const orffi_derived *what,
                              const long *place, const double *v, double *out);

int orffi_lattice_pack(const void *fit, json_t *model);
orff_status orffi_lattice_add(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
/* Nearest rows that a value or a variance is computed from: the variance is at most a few per cent larger
 * than from all rows. */
#define ORFFI_LATTICE_NEAREST 60

orff_status orffi_lattice_load(void **fit, const orffi_fields *model, const orff_kernel *kernel);

/* ---- the system of kept rows
 *
 *     (K + noise / c) x = y,
 *
 * with K by transforms through the lattice; x, y are n x q, q = 1 for a scalar system, otherwise p. */

typedef struct orffi_kept {
    const orffi_lattice_system *system;
    size_t n;
    const double *weights; /* or NULL */
    orffi_neighbours near;
    orffi_nufft *waves;
    double *angles; /* n x d */
    double *beyond; /* p: the variance of waves beyond the lattice, which counts as noise of each row */
} orffi_kept;

#define ORFFI_KEPT_TRANSFORM 1e-9

/* How many neighbours predict a row of q numbers. */
size_t orffi_kept_neighbours(size_t d, size_t q);

/* The system and the rows must outlive `kept`. */
orff_status orffi_kept_init(orffi_kept *kept, const orffi_lattice_system *system, const orffi_table *rows,
                            uint64_t seed);
void orffi_kept_clear(orffi_kept *kept);

/* The variance added to the diagonal of K for number a of a row. */
double orffi_kept_noise(const orffi_kept *kept, size_t row, size_t a, double noise);

/* The first computes V (q x H), the modes of K(., rows) alpha; F is scratch of the same size. The second
 * evaluates modes V at the rows (n x q). */
orff_status orffi_kept_modes(orffi_kept *kept, const double *alpha, orffi_mode *F, orffi_mode *V);
orff_status orffi_kept_values(orffi_kept *kept, const orffi_mode *V, double *out);

/* Starts from the given x. Factors `near` at this noise. */
orff_status orffi_kept_solve(orffi_kept *kept, double noise, const double *y, double *x,
                             orffi_lattice_iterations *how);

/* ---- rows */

/* Of iterations: the lattice approximates the kernel no better than that, and f the rows no better than
 * their noise. */
#define FINEST_RESIDUAL 1e-6

/* Relative to the kernel's size: with less noise, iterations on modes take hundreds of steps. */
#define ORFFI_SMALL_NOISE     3e-3
#define ORFFI_CHANCE_RESIDUAL 1e-2 /* for random vectors: far below their statistical error */
#define ORFFI_PROBES          2    /* probes for a determinant: the block leaves little to estimate, ... */
#define ORFFI_PROBES_DIRECTED 8    /* ... except for directed rows, which may be fewer than the modes */

typedef struct orffi_lattice_rows {
    orffi_task task;
    orff_kernel *kernel; /* the kernel that was prepared */
    orffi_lattice lattice;
    orffi_lattice_moments *own;
    const orffi_lattice_moments *moments; /* its own, or borrowed */
    double extent[ORFF_LATTICE_INPUTS],
        middle[ORFF_LATTICE_INPUTS]; /* range of the rows and its middle, with room for later rows */
    orffi_lattice_quality quality;
    double transform; /* tolerance of the transforms */

    orff_kernel *bound; /* to the kernel last asked for: */
    orffi_lattice_set total;
    double *mean;    /* p */
    double N;        /* sum of the weights: the N of N lambda */
    double *squares; /* p x p: centred sums of y y^T; for directed rows a single number */
    double directed; /* N of directed rows; 0 for complete rows */
    size_t walls;    /* number of walls among them: see engine/table.h */
    double finest;   /* largest weight of a functional, if above 1 */
    bool quiet;      /* rows have little noise, so that there would be many iterations */
    orffi_lattice_system system;
    orffi_lattice_block block;
    orffi_mode *b, *theta; /* axes x r x H; theta: the last solution */

    /* Kept rows, where they are fewer than the modes that matter: see lattice_kept.c. */
    bool keeps;
    bool local; /* the lattice does not carry the kernel, so values are predicted from the nearest rows */
    orffi_table gathered;
    const orffi_table *table;
    orffi_kept kept;
    double *Y;         /* axes x n for a scalar system, otherwise n x p: centred, turned */
    double *alpha;     /* the last solution, in the same layout */
    double *inverse;   /* right-hand sides x n x q x q: diagonal blocks of C^-1, for the last solution */
    double *quadratic; /* y^T C^-1 y for each right-hand side, for the last solution */
    double all;        /* their sum, including what no kernel reaches */
} orffi_lattice_rows;

/* Rows that are already summed up, on as much of their lattice as the kernel needs; with their folds, or
 * all in one. Fails if the lattice does not carry the kernel. */
orff_status orffi_lattice_rows_of_moments(void **rows, const orffi_task *task, const orff_kernel *kernel,
                                          const orff_lattice_moments *moments, bool folds);

/* What orffi_engine needs for rows: see engine.h. */
orff_status orffi_lattice_prepare(void **rows, const orffi_task *task, const orff_kernel *kernel);
orff_status orffi_lattice_read_rows(void *rows, const orffi_source *source);
bool orffi_lattice_serves(const void *rows, const orff_kernel *kernel);
bool orffi_lattice_shares(const void *rows, const void *other);
void orffi_lattice_borrow(void *other, const void *rows);
double orffi_lattice_weight(const void *rows);
orff_status orffi_lattice_size(void *rows, const orff_kernel *kernel, double *size);
orff_status orffi_lattice_criterion(void *rows, const orff_kernel *kernel, size_t count,
                                    const double *lambdas, orffi_criterion *criterion);
void orffi_lattice_release(void *rows);

#define ORFFI_LATTICE_MOST_KEPT 400000 /* rows x outputs */
/* The variance that lattices may leave out, relative to the noise: rows cannot show it. */
#define ORFFI_LATTICE_OF_NOISE 0.01

/* Whether `known` rows (0: unknown) with at most `most` numbers can be kept: neither directed nor without
 * an exact kernel, and with few enough outputs for blocks of neighbours. */
bool orffi_lattice_can_keep(const orffi_lattice_rows *rows, const orff_kernel *kernel, size_t known,
                            size_t most);

/* Sets rows->local: whether values are predicted from the nearest rows, because the lattice does not carry
 * the kernel. known: number of rows. */
orff_status orffi_lattice_find_local(orffi_lattice_rows *rows, const orff_kernel *kernel,
                                     const orffi_table *table, size_t known);

/* orffi_lattice_bind, for kept rows too. */
orff_status orffi_lattice_bind_rows(orffi_lattice_rows *rows, const orff_kernel *kernel);

/* The divisor of mean errors: the sum of the weights, without the extra weight of walls for directed rows. */
double orffi_lattice_observed(const orffi_lattice_rows *rows);

orff_status orffi_lattice_bind(orffi_lattice_rows *rows, const orff_kernel *kernel);
void orffi_lattice_unbind(orffi_lattice_rows *rows);

/* Results for one lambda. */
typedef struct orffi_lattice_solution {
    double log_evidence; /* noise variance N lambda */
    double profile;      /* the evidence at the noise variance that maximises it */
    double error;        /* its standard error */
    double dof;
    orffi_lattice_iterations iterations;
} orffi_lattice_solution;

/* Computes theta for the bound kernel, and the evidence if `evidence`. */
orff_status orffi_lattice_solve_at(orffi_lattice_rows *rows, double lambda, bool evidence,
                                   orffi_lattice_solution *solution);

/* The lattice for a kernel on so many rows (0: unknown). */
orff_status orffi_lattice_choose_for(const orffi_lattice_rows *rows, const orff_kernel *kernel, size_t known,
                                     orffi_lattice *lattice, orffi_lattice_quality *quality);

/* The mean variance of a row given its nearest rows. The variance and the noise are relative to the
 * kernel's size (K(0) = 1). */
orff_status orffi_lattice_crowding(const orff_kernel *kernel, const orffi_table *table, double noise,
                                   double *variance);

/* trace K(0)/p of the whole kernel; 0 where it has no exact form. */
orff_status orffi_lattice_kernel_size(const orff_kernel *kernel, double *size);

/* The noise of a row over the size of the kernel: as it was found, or as lambda has it; 0 where neither is known. */
orff_status orffi_lattice_noise_ratio(const orffi_lattice_rows *rows, const orff_kernel *kernel,
                                      double weight, double *noise);

/* Number of unknowns solved directly: all if they fit, otherwise those of a preconditioner. */
size_t orffi_lattice_block_size(const orffi_lattice_system *system, bool quiet);

/* The number of iterations, about, for directed rows of weight N (0: solved directly), and the number of
 * multiplications of the fit, at the rate of dense matrices. */
typedef struct orffi_lattice_effort {
    double iterations, work;
} orffi_lattice_effort;

orff_status orffi_lattice_expect(const orffi_task *task, const orff_kernel *kernel, double N, size_t rows,
                                 orffi_lattice_effort *effort);

/* The number of samples for error bars that so many rows (0: unknown) get if they are summed up. */
size_t orffi_lattice_draws(const orffi_lattice_rows *rows, size_t known);

/* The number of multiplications, about, of a dense solution for complete rows. */
orff_status orffi_lattice_dense_work(const orffi_lattice_rows *rows, const orff_kernel *kernel, double *work);

/* The number of multiplications, about, for so many complete rows if they are kept, and if they are summed
 * up on a lattice that is not solved densely; at the rate of dense matrices. */
orff_status orffi_lattice_compare(const orffi_lattice_rows *rows, const orff_kernel *kernel, size_t known,
                                  double noise, double *kept, double *summed);

/* Whether so many rows of this noise over the kernel's size are rather kept than summed up, on the lattice that they have. */
orff_status orffi_lattice_prefers_rows(const orffi_lattice_rows *rows, const orff_kernel *kernel,
                                       size_t known, double noise, bool *prefers);

/* What so many rows will be to a lattice, before there are any: whether they are kept, or are predicted from the nearest, and the
 * bytes of it all at the peak. The task's shift or lambda says their noise. */
typedef struct orffi_lattice_way {
    bool keeps, local;
    double bytes;
} orffi_lattice_way;

orff_status orffi_lattice_foresee(const orffi_task *task, const orff_kernel *kernel, size_t rows,
                                  orffi_lattice_way *way);

/* In place of orffi_lattice_read_rows: this table is kept, as many rows would be. It outlives the rows. */
orff_status orffi_lattice_keep_table(void *rows, const orffi_table *table, bool local);

/* Whether all modes of the kernel on this lattice are solved densely. */
bool orffi_lattice_is_direct(const orff_kernel *kernel, const orffi_lattice *lattice, bool directed);

/* What error bars need, at the last lambda: factors if all modes are in the block, otherwise samples. */
orff_status orffi_lattice_keep_posterior(orffi_lattice_rows *rows, orffi_lattice_fit *fit, double lambda);

/* The same for kept rows, and results for the last alpha: training and leave-one-out errors (p each), the
 * modes of f, and what error bars need. */
orff_status orffi_kept_bind(orffi_lattice_rows *rows, const orff_kernel *kernel);
void orffi_kept_unbind(orffi_lattice_rows *rows);
orff_status orffi_kept_solve_at(orffi_lattice_rows *rows, double lambda, bool iterate,
                                orffi_lattice_solution *solution);
orff_status orffi_kept_errors(orffi_lattice_rows *rows, double lambda, double *train, double *left_out);
/* The noise variance of each output (p). y ~ N(0, s2 C), where C is the kernel plus N lambda; the noise is
 * s2 N lambda at the s2 of highest evidence, y^T C^-1 y / N. If the kernel is right, residuals give the
 * same. If it is not, residuals depend only on the closest pairs of rows, and so would all error bars.
 * With a kernel k I each output has its own noise, otherwise all share one. */
void orffi_lattice_noises(const orffi_lattice_rows *rows, double *variances);
void orffi_kept_noises(const orffi_lattice_rows *rows, double lambda, double *variances);
/* Fills `left` of a report, for the last solution. */
orff_status orffi_kept_left(const orffi_lattice_rows *rows, double lambda, double *left);
orff_status orffi_kept_field(orffi_lattice_rows *rows, orffi_mode *V);

/* Mean squared errors of each output (p) on the rows of each fold, predicted from the other folds with the
 * bound kernel. */
orff_status orffi_lattice_cross(orffi_lattice_rows *rows, double lambda, double *errors);

/* Sums of squared errors of f = mean + V on the rows of a set, for each output; for directed rows each is
 * the total. */
orff_status orffi_lattice_errors(orffi_lattice_system *scratch, const orffi_lattice_set *set, size_t p,
                                 const double *mean, const orffi_mode *V, double *errors);

#endif
