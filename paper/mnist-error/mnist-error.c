/* Figure: test error on MNIST against the number of frequencies D, with the exact kernel as a line.
 *
 * As in the paper: Gaussian kernel of sigma = 20, pixels in [-1,1], simplex codes, lambda by 2-fold cross-validation, 10000
 * test images. The paper's caption says N = 1000, its text speaks of 12000 training images: both are here. Not in the
 * paper: what is cross-validated (here the squared error of the codes), which lambdas (here powers of ten). */
#include <math.h>
#include <stdlib.h>

#include "paper.h"

#define SIGMA  20.0
#define SEED   9
#define START  1e-3  /* lambda to begin with */
#define LOWEST 1e-11 /* none below */

/* Larger problems take the lambda of the largest D that was cross-validated: features and the exact kernel share its
 * meaning. */
#define MOST_D 2149
#define MOST_N 5000 /* of the exact kernel */

typedef struct plan {
    size_t n_sizes, sizes[2], n_D, D[7];
    paper_images train, test;
    double *Y; /* codes of the training images */
    orff_kernel *kernel;
} plan;

typedef struct result {
    double lambda, cv_mse, error;
} result;

static bool prepare(paper_run *run, plan *p) {
    *p = (plan){.n_sizes = 2, .sizes = {1000, 12000}, .n_D = 7, .D = {25, 61, 147, 359, 878, 2149, 5259}};
    if (paper_quick(run)) *p = (plan){.n_sizes = 1, .sizes = {300}, .n_D = 2, .D = {25, 147}};
    const size_t most = p->sizes[p->n_sizes - 1];
    if (!paper_mnist(run, "train", most, &p->train)) return false;
    if (!paper_mnist(run, "t10k", paper_quick(run) ? 500 : 10000, &p->test)) return false;
    p->Y = paper_alloc(most * PAPER_CODES, sizeof *p->Y);
    paper_mnist_codes(&p->train, p->Y);
    orff_part part = orff_part_default();
    part.sigma = SIGMA;
    paper_must(orff_kernel_create(&p->kernel, PAPER_PIXELS, PAPER_CODES, 1, &part), "kernel");
    paper_setting(run, "sigma", "%g", SIGMA);
    paper_setting(run, "lambda",
                  "2-fold cross-validation of the squared error, powers of ten; beyond D = %d, and for "
                  "the exact kernel beyond N = %d, that of the D before",
                  MOST_D, MOST_N);
    paper_setting(run, "test images", "%zu", p->test.n);
    paper_setting(run, "sampling", "iid, seed %d; mean of 5 draws up to D = 359, of 2 for 878, else one",
                  SEED);
    return true;
}

static void plan_free(plan *p) {
    paper_mnist_free(&p->train);
    paper_mnist_free(&p->test);
    free(p->Y);
    orff_kernel_free(p->kernel);
}

/* ---- one model: D frequencies, or the exact kernel where D = 0 */

/* The two halves of the rows are the folds. */
static double cross_validate(const plan *p, size_t n, size_t D, uint64_t seed, double lambda) {
    const size_t half = n / 2;
    double *F = paper_alloc(half * PAPER_CODES, sizeof *F), mse = 0.0;
    for (size_t fold = 0; fold < 2; fold++) {
        const size_t train = fold ? half : 0, held = fold ? 0 : half;
        paper_fit fit = {.kernel = p->kernel,
                         .D = D,
                         .seed = seed,
                         .n = half,
                         .X = p->train.X + train * PAPER_PIXELS,
                         .Y = p->Y + train * PAPER_CODES,
                         .lambda = lambda};
        paper_fit_solve(&fit);
        paper_fit_predict(&fit, half, p->train.X + held * PAPER_PIXELS, F);
        mse += paper_mse(half * PAPER_CODES, F, p->Y + held * PAPER_CODES) / 2.0;
        paper_fit_free(&fit);
    }
    free(F);
    return mse;
}

/* Powers of ten from `start`, downhill: the score has one valley. */
static result choose(const plan *p, size_t n, size_t D, uint64_t seed, double start) {
    result best = {start, cross_validate(p, n, D, seed, start), 0.0};
    for (int side = 0; side < 2 && best.lambda >= start; side++) {
        const double factor = side ? 10.0 : 0.1;
        for (double lambda = start * factor; lambda > LOWEST; lambda *= factor) {
            const double mse = cross_validate(p, n, D, seed, lambda);
            if (!(mse < best.cv_mse)) break;
            best = (result){lambda, mse, 0.0};
        }
    }
    return best;
}

static result learn(const plan *p, size_t n, size_t D, uint64_t seed, double start) {
    const bool small = D ? D <= MOST_D : n <= MOST_N;
    result r = small ? choose(p, n, D, seed, start) : (result){start, NAN, 0.0};
    double *F = paper_alloc(p->test.n * PAPER_CODES, sizeof *F);
    paper_fit fit = {
        .kernel = p->kernel, .D = D, .seed = seed, .n = n, .X = p->train.X, .Y = p->Y, .lambda = r.lambda};
    paper_fit_solve(&fit);
    paper_fit_predict(&fit, p->test.n, p->test.X, F);
    r.error = paper_mnist_wrong(&p->test, F);
    paper_fit_free(&fit);
    free(F);
    return r;
}

/* ---- rows */

/* Starts from the lambda of the row before. */
static void row(paper_table *table, const plan *p, size_t n, size_t D, double *start) {
    const char *method = D ? "orff" : "exact";
    if (!paper_has(table, "%zu/%s/%zu", n, method, D)) {
        const size_t draws = D == 0 ? 1 : D <= 359 ? 5 : D <= 878 ? 2 : 1;
        const double began = paper_seconds();
        double errors[5], lambdas[5], scores[5];
        for (size_t i = 0; i < draws; i++) {
            const result r = learn(p, n, D, SEED + i, *start);
            errors[i] = r.error;
            lambdas[i] = r.lambda;
            scores[i] = r.cv_mse;
        }
        paper_row(table, "%zu,%s,%zu,%zu,%.1g,%.4g,%.3f,%.2f,%.1f", n, method, D, draws, lambdas[0],
                  paper_mean(draws, scores), paper_mean(draws, errors), paper_deviation(draws, errors),
                  paper_seconds() - began);
    }
    *start = paper_value(table, "lambda", "%zu/%s/%zu", n, method, D);
}

/* The curve of the authors, N about 12000; 0: exact. */
static const double authors[][2] = {{147, 23.5}, {359, 15.6},  {878, 11.6}, {2149, 8.7},
                                    {5259, 6.6}, {12874, 5.8}, {0, 4.4}};

/* ---- words */

static void agree(paper_run *run, const plan *p, const paper_table *t) {
    paper_agreement(
        run,
        "The paper draws the test error of features against D, which comes down to that of the exact "
        "kernel. The authors' own curve, for N of about 12000, is in the last column.\n\n"
        "We get, error in percent of %zu test images:\n\n"
        "| D |",
        p->test.n);
    for (size_t s = 0; s < p->n_sizes; s++) paper_agreement(run, " N = %zu |", p->sizes[s]);
    paper_agreement(run, " authors |\n|--:|");
    for (size_t s = 0; s <= p->n_sizes; s++) paper_agreement(run, "--:|");
    for (size_t i = 0; i < p->n_D; i++) {
        paper_agreement(run, "\n| %zu |", p->D[i]);
        for (size_t s = 0; s < p->n_sizes; s++)
            paper_agreement(run, " %.2f |", paper_value(t, "error", "%zu/orff/%zu", p->sizes[s], p->D[i]));
        const char *text = " |";
        for (size_t a = 0; a < 6; a++)
            if ((size_t)authors[a][0] == p->D[i]) {
                paper_agreement(run, " %.1f |", authors[a][1]);
                text = "";
            }
        paper_agreement(run, "%s", text);
    }
    paper_agreement(run, "\n| exact |");
    for (size_t s = 0; s < p->n_sizes; s++)
        paper_agreement(run, " %.2f |", paper_value(t, "error", "%zu/exact/0", p->sizes[s]));
    paper_agreement(run, " 4.4 |\n");
}

static void explain(paper_run *run, const plan *p, const paper_table *t) {
    const size_t n = p->sizes[p->n_sizes - 1], few = p->D[1];
    paper_agreement(
        run,
        "\n"
        "**Agrees:** the error falls with D towards that of the exact kernel.\n\n"
        "**Differs:** at equal D our features are better than the authors' (D = 147: %.1f %% against 23.5 "
        "%%). That their D may count single features, where ours counts pairs of cosine and sine, does "
        "not explain it: with D = %zu, %zu features, ours have %.1f %%. Their solver may have stopped "
        "early, or their lambda was another; the paper does not say enough to tell. The caption has N = "
        "1000, but an error near the authors' 4.4 %% for the exact kernel takes N of about 12000. The "
        "simplex codes add nothing: their Gram matrix is a multiple of the identity, so that separate "
        "ridge problems for the classes choose the same ones. The authors' D = 12874 was not run: its "
        "matrix of 25748 x 25748 features has 5 GB, and with more features than points the exact kernel "
        "is the cheaper one. For the largest D, and for the exact kernel with %zu images, lambda is the "
        "one chosen at D = %d.\n",
        paper_value(t, "error", "%zu/orff/147", n), few, 2 * few,
        paper_value(t, "error", "%zu/orff/%zu", n, few), n, MOST_D);
}

int paper_mnist_error(paper_run *run) {
    plan p = {0};
    if (!prepare(run, &p)) return paper_skip(run, "%s", PAPER_NO_DATA);
    paper_table *table =
        paper_table_open(run, "errors.csv", 3, "N,method,D,draws,lambda,cv_mse,error,error_sd,seconds");
    paper_table *theirs = paper_table_open(run, "authors.csv", 1, "D,error");
    for (size_t a = 0; a < 7; a++)
        if (!paper_has(theirs, "%g", authors[a][0])) paper_row(theirs, "%g,%g", authors[a][0], authors[a][1]);
    for (size_t s = 0; s < p.n_sizes; s++) {
        double start = START;
        for (size_t i = 0; i <= p.n_D; i++) { /* the last one is the exact kernel */
            const size_t D = i < p.n_D ? p.D[i] : 0;
            paper_progress(run, (double)(s * (p.n_D + 1) + i), (double)(p.n_sizes * (p.n_D + 1)),
                           "N = %zu, D = %zu", p.sizes[s], D);
            row(table, &p, p.sizes[s], D, &start);
        }
    }
    agree(run, &p, table);
    if (paper_quick(run))
        paper_agreement(run, PAPER_TOO_SMALL);
    else
        explain(run, &p, table);
    paper_plot(run, "mnist-error", 900, 600);
    plan_free(&p);
    return PAPER_DONE;
}
