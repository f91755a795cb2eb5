/* The lattice engine, as its files share it.
 *
 *     f(x) = sum_k V_k exp(i <w_k, x>),      V = W theta   (p x H)
 *
 * over a lattice of frequencies that is the exact kernel to a tolerance, for up to three inputs. Rows are summed up in
 * moments that know nothing of the kernel.
 */
#ifndef ORFFI_ENGINE_LATTICE_H
#define ORFFI_ENGINE_LATTICE_H

#include "engine/engine.h"
#include "exact/neighbours.h"
#include "lattice/nufft.h"
#include "lattice/record.h"
#include "lattice/solve.h"

/* ---- a fit */

/* What error bars need where all modes were solved densely: L^-T of G + shift / a for each size a of an axis. */
typedef struct orffi_lattice_posterior {
    size_t n;         /* real unknowns */
    size_t count;     /* of factors */
    size_t *factor;   /* axes: whose factor is that of the axis */
    const double **F; /* count: n x n, upper; into `owned` or the model's file */
    double **owned;   /* count */
} orffi_lattice_posterior;

typedef struct orffi_lattice_fit {
    orff_kernel *kernel;
    orffi_lattice lattice;
    size_t p, H;
    bool directed;      /* rows were: error bars are those of one system of all outputs */
    orffi_mode *V;      /* p x H */
    orffi_nufft *waves; /* with V loaded */
    size_t draws;
    orffi_mode *
        samples; /* draws x p x H: posterior samples, less their mean V, for a noise variance of 1; or NULL */
    orffi_nufft *sample_waves;
    double shift;                       /* N lambda */
    double origin[ORFF_LATTICE_INPUTS]; /* zeros */
    orffi_lattice_posterior *posterior; /* or NULL */
    orffi_lattice_system system;        /* of the posterior: the kernel's part */
    orffi_lattice_block block;          /* of the posterior: which modes stand where */
    unsigned warnings;
    char warning[256];
    double kernel_error; /* relative to K(0); NAN where there is no exact form */
    double tolerance;    /* of the transforms */
    /* rows, where error bars come from those that lie nearest; with Y (n x p) where values do so too, and V has only what
     * the lattice carries of them */
    orffi_table rows;
    orffi_near near;
    size_t room; /* of work for one point */
    bool
        deviates; /* it is what a sample has more than the mean, which is nothing to take for granted far from the rows */
} orffi_lattice_fit;

/* Error bars from the nearest of these rows, which are copied. */
orff_status orffi_lattice_fit_keep_rows(orffi_lattice_fit *fit, const orffi_table *rows);
/* Values from them too: by their outputs less the mean. */
orff_status orffi_lattice_fit_keep_outputs(orffi_lattice_fit *fit, const orffi_table *rows,
                                           const double *mean);

/* With room for V; the kernel is retained. */
orff_status orffi_lattice_fit_create(orffi_lattice_fit **fit, const orff_kernel *kernel,
                                     const orffi_lattice *lattice, double tolerance);
/* When V is final. */
orff_status orffi_lattice_fit_finish(orffi_lattice_fit *fit);
/* Samples for error bars, which are taken over. */
orff_status orffi_lattice_fit_keep(orffi_lattice_fit *fit, size_t draws, orffi_mode *samples);
/* Room for a posterior without its factors. */
orff_status orffi_lattice_posterior_create(orffi_lattice_fit *fit);
void orffi_lattice_fit_free(void *fit);

/* Fields of modes (count x H) at points: out is n x count. */
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

/* What a derived field has of the wave v exp(i <w, x>) but for i and its sign, in the user's units but for v (p):
 * what->k numbers. */
void orffi_lattice_wave_field(const orffi_lattice *lattice, size_t p, const orffi_derived *what,
                              const long *place, const double *v, double *out);

int orffi_lattice_pack(const void *fit, json_t *model);
orff_status orffi_lattice_add(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
/* Rows that a value or a variance is given by: the variance is at most a few per cent above that given all. */
#define ORFFI_LATTICE_NEAREST 60

orff_status orffi_lattice_load(void **fit, const orffi_fields *model, const orff_kernel *kernel);

/* ---- the system of rows that are kept
 *
 *     (K + noise / c) x = y,      K by transforms through the lattice; x, y are n x q, q = 1 for a scalar system, else p
 */

typedef struct orffi_kept {
    const orffi_lattice_system *system;
    size_t n;
    const double *weights; /* or NULL */
    orffi_neighbours near;
    orffi_nufft *waves;
    double *angles; /* n x d */
    double *beyond; /* p: the variance of waves beyond the cut, which rows see as noise of their own */
} orffi_kept;

#define ORFFI_KEPT_TRANSFORM 1e-9

/* How many neighbours predict a row of q numbers. */
size_t orffi_kept_neighbours(size_t d, size_t q);

/* The system and the rows outlive it. */
orff_status orffi_kept_init(orffi_kept *kept, const orffi_lattice_system *system, const orffi_table *rows,
                            uint64_t seed);
void orffi_kept_clear(orffi_kept *kept);

/* The variance that stands on the diagonal beside K, of number a of a row. */
double orffi_kept_noise(const orffi_kept *kept, size_t row, size_t a, double noise);

/* V (q x H), the modes of K(., rows) alpha; F is scratch of as much. Values of modes V at the rows (n x q). */
orff_status orffi_kept_modes(orffi_kept *kept, const double *alpha, orffi_mode *F, orffi_mode *V);
orff_status orffi_kept_values(orffi_kept *kept, const orffi_mode *V, double *out);

/* From where x is. `near` is factored at this noise. */
orff_status orffi_kept_solve(orffi_kept *kept, double noise, const double *y, double *x,
                             orffi_lattice_iterations *how);

/* ---- rows */

/* Of iterations: a lattice is no closer to its kernel, and f no closer to the rows than their noise. */
#define FINEST_RESIDUAL 1e-6

#define ORFFI_SMALL_NOISE     3e-3 /* of the kernel's size: below, iterations on modes go into hundreds */
#define ORFFI_CHANCE_RESIDUAL 1e-2 /* of random vectors: far below what chance leaves of them */
#define ORFFI_PROBES          2    /* of a determinant: the block leaves little to chance, ... */
#define ORFFI_PROBES_DIRECTED 8    /* ... but of directed rows, which may be fewer than the modes */

typedef struct orffi_lattice_rows {
    orffi_task task;
    orff_kernel *kernel; /* that was prepared */
    orffi_lattice lattice;
    orffi_lattice_moments *own;
    const orffi_lattice_moments *moments; /* its own, or borrowed */
    double extent[ORFF_LATTICE_INPUTS],
        middle[ORFF_LATTICE_INPUTS]; /* range of the rows, with room for later ones */
    orffi_lattice_quality quality;
    double transform; /* tolerance of the transforms */

    orff_kernel *bound; /* to the kernel last asked for: */
    orffi_lattice_set total;
    double *mean;    /* p */
    double N;        /* sum of the weights: what lambda goes with */
    double *squares; /* p x p: centred sums of y y^T; of directed rows one number */
    double directed; /* N of directed rows, 0 where they are whole */
    size_t walls;    /* among them: see engine/table.h */
    double finest;   /* the largest weight of a functional, where it is above 1 */
    bool quiet;      /* rows have little noise, and iterations would be many */
    orffi_lattice_system system;
    orffi_lattice_block block;
    orffi_mode *b, *theta; /* axes x r x H; theta: the last solution */

    /* rows that are kept, where there are fewer of them than modes that matter: see lattice_kept.c */
    bool keeps;
    bool local; /* the lattice does not carry the kernel, and values are predicted from the nearest rows */
    orffi_table gathered;
    const orffi_table *table;
    orffi_kept kept;
    double *Y;       /* axes x n for a scalar system, n x p else: centred, turned */
    double *alpha;   /* the same: the last solution */
    double *inverse; /* right-hand sides x n x q x q: blocks on the diagonal of C^-1, of the last solution */
    double *quadratic; /* of each right-hand side: y^T C^-1 y, of the last solution; */
    double all;        /* of all of them, with what no kernel reaches */
} orffi_lattice_rows;

/* Rows that were summed up before, on as much of their lattice as the kernel needs; with their folds, or all in one. Refused
 * where the lattice does not carry the kernel. */
orff_status orffi_lattice_rows_of_moments(void **rows, const orffi_task *task, const orff_kernel *kernel,
                                          const orff_lattice_moments *moments, bool folds);

/* What orffi_engine asks of rows: see engine.h. */
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
#define ORFFI_LATTICE_OF_NOISE \
    0.01 /* what lattices may leave out, in variances of the noise: rows cannot tell */

/* Blocks of neighbours have room for so many outputs; directed rows are summed up, however few. */
bool orffi_lattice_can_keep(const orffi_lattice_rows *rows, const orff_kernel *kernel, size_t known,
                            size_t most);

/* Whether values are predicted from the nearest of so many rows: where the lattice does not carry the kernel. */
orff_status orffi_lattice_find_local(orffi_lattice_rows *rows, const orff_kernel *kernel,
                                     const orffi_table *table, size_t known);

/* orffi_lattice_bind, for rows that are kept too. */
orff_status orffi_lattice_bind_rows(orffi_lattice_rows *rows, const orff_kernel *kernel);

/* What errors are means over: the sum of the weights, or what the noise of directed rows is told by. */
double orffi_lattice_observed(const orffi_lattice_rows *rows);

orff_status orffi_lattice_bind(orffi_lattice_rows *rows, const orff_kernel *kernel);
void orffi_lattice_unbind(orffi_lattice_rows *rows);

/* What is known at one lambda. */
typedef struct orffi_lattice_solution {
    double log_evidence; /* noise variance N lambda */
    double profile;      /* the evidence at the noise variance that makes it largest */
    double error;        /* its standard error */
    double dof;
    orffi_lattice_iterations iterations;
} orffi_lattice_solution;

/* theta of the bound kernel; the evidence where `evidence`. */
orff_status orffi_lattice_solve_at(orffi_lattice_rows *rows, double lambda, bool evidence,
                                   orffi_lattice_solution *solution);

/* The lattice for a kernel on so many rows (0: not known). */
orff_status orffi_lattice_choose_for(const orffi_lattice_rows *rows, const orff_kernel *kernel, size_t known,
                                     orffi_lattice *lattice, orffi_lattice_quality *quality);

/* The mean variance of a row given the rows nearest to it, relative to the kernel's size (K(0) = 1), at a noise relative to it. */
orff_status orffi_lattice_crowding(const orff_kernel *kernel, const orffi_table *table, double noise,
                                   double *variance);

/* trace K(0)/p of the whole kernel; 0 where it has no exact form. */
orff_status orffi_lattice_kernel_size(const orff_kernel *kernel, double *size);

/* The noise of a row over the size of the kernel: as it was found, or as lambda has it; 0 where neither is known. */
orff_status orffi_lattice_noise_ratio(const orffi_lattice_rows *rows, const orff_kernel *kernel,
                                      double weight, double *noise);

/* Unknowns that are solved for directly: all where they fit, else those of a preconditioner. */
size_t orffi_lattice_block_size(const orffi_lattice_system *system, bool quiet);

/* About how many iterations so many directed rows take (0: they are solved directly), of weight N, and how many multiplications the
 * fit takes at the rate of dense matrices. */
typedef struct orffi_lattice_effort {
    double iterations, work;
} orffi_lattice_effort;

orff_status orffi_lattice_expect(const orffi_task *task, const orff_kernel *kernel, double N, size_t rows,
                                 orffi_lattice_effort *effort);

/* Samples for error bars that so many rows get if they are summed up (0: not known how many). */
size_t orffi_lattice_draws(const orffi_lattice_rows *rows, size_t known);

/* About how many multiplications so many rows with all outputs take if they are kept, and if they are summed up, on a lattice that
 * is not solved densely; likewise at the rate of dense matrices. */
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

/* What error bars need, at the lambda last solved at: factors where all modes are in the block, else samples. */
orff_status orffi_lattice_keep_posterior(orffi_lattice_rows *rows, orffi_lattice_fit *fit, double lambda);

/* The same of rows that are kept, and what follows from the alpha last solved for: errors of training and of leaving out
 * each row (p each), the modes of f, and what error bars need. */
orff_status orffi_kept_bind(orffi_lattice_rows *rows, const orff_kernel *kernel);
void orffi_kept_unbind(orffi_lattice_rows *rows);
orff_status orffi_kept_solve_at(orffi_lattice_rows *rows, double lambda, bool iterate,
                                orffi_lattice_solution *solution);
orff_status orffi_kept_errors(orffi_lattice_rows *rows, double lambda, double *train, double *left_out);
/* The noise variance of each output (p): y ~ N(0, s2 C), C the kernel and N lambda beside it, and s2 N lambda at the s2 of most
 * evidence, y^T C^-1 y / N. Residuals give the same if the kernel is right. If it is not, they are about the closest pairs of rows
 * alone, and all error bars would go with them. Outputs of the kernel k I each have their own, others share it. */
void orffi_lattice_noises(const orffi_lattice_rows *rows, double *variances);
void orffi_kept_noises(const orffi_lattice_rows *rows, double lambda, double *variances);
/* See `left` of a report: of the last solution. */
orff_status orffi_kept_left(const orffi_lattice_rows *rows, double lambda, double *left);
orff_status orffi_kept_field(orffi_lattice_rows *rows, orffi_mode *V);

/* Mean squared errors of each output (p) on the rows of each fold in turn by the others, at the bound kernel. */
orff_status orffi_lattice_cross(orffi_lattice_rows *rows, double lambda, double *errors);

/* Sums of squared errors of f = mean + V on the rows of a set, for each output; of directed rows that of all, for each. */
orff_status orffi_lattice_errors(orffi_lattice_system *scratch, const orffi_lattice_set *set, size_t p,
                                 const double *mean, const orffi_mode *V, double *errors);

#endif
