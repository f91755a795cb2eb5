/* Figure: test error on MNIST against the number of frequencies D, with the exact kernel as a line.
 *
 * As in the paper: Gaussian kernel of sigma = 20, pixels in [-1,1], simplex codes, lambda by 2-fold cross-validation, 10000
 * test images. The paper's caption says N = 1000, its text speaks of 12000 training images: both are here. Not in the
 * paper: what is cross-validated (here the squared error of the codes), which lambdas (here powers of ten). */
#include <math.h>
#include <stdlib.h>

#include "checks.h"

#define SEED   9
#define START  1e-3  /* lambda to begin with */
#define LOWEST 1e-11 /* none below */

/* Larger problems take the lambda of the largest D that was cross-validated: features and the exact kernel share its
 * meaning. */
#define MOST_D 2149
#define MOST_N 5000 /* of the exact kernel */

typedef struct plan {
    size_t n_sizes, sizes[2], n_D, D[7];
    paper_mnist mnist;
} plan;

typedef struct result {
    double lambda, cv_mse, error;
} result;

static bool prepare(paper_run *run, plan *p) {
    *p = (plan){.n_sizes = 2, .sizes = {1000, 12000}, .n_D = 7, .D = {25, 61, 147, 359, 878, 2149, 5259}};
    if (paper_quick(run)) *p = (plan){.n_sizes = 1, .sizes = {300}, .n_D = 2, .D = {25, 147}};
    const size_t most = p->sizes[p->n_sizes - 1], test = paper_quick(run) ? 500 : 10000;
    if (!paper_mnist_load(run, most, test, &p->mnist)) return false;
    paper_setting(run, "sigma", "%g", PAPER_MNIST_SIGMA);
    paper_setting(run, "lambda",
                  "2-fold cross-validation of the squared error, powers of ten; beyond D = %d, and for "
                  "the exact kernel beyond N = %d, that of the D before",
                  MOST_D, MOST_N);
    paper_setting(run, "test images", "%zu", p->mnist.test.n);
    paper_setting(run, "sampling", "iid, seed %d; mean of 5 draws up to D = 359, of 2 for 878, else one",
                  SEED);
    return true;
}

/* ---- one model: D frequencies, or the exact kernel where D = 0 */

/* The two halves of the rows are the folds. */
static double cross_validate(const plan *p, size_t n, size_t D, uint64_t seed, double lambda) {
    const size_t half = n / 2;
    double *F = paper_alloc(half * PAPER_CODES, sizeof *F), mse = 0.0;
    for (size_t fold = 0; fold < 2; fold++) {
        const size_t train = fold ? half : 0, held = fold ? 0 : half;
        paper_fit fit = {.kernel = p->mnist.kernel,
                         .D = D,
                         .seed = seed,
                         .n = half,
                         .X = p->mnist.train.X + train * PAPER_PIXELS,
                         .Y = p->mnist.Y + train * PAPER_CODES,
                         .lambda = lambda};
        paper_fit_solve(&fit);
        paper_fit_predict(&fit, half, p->mnist.train.X + held * PAPER_PIXELS, F);
        mse += paper_mse(half * PAPER_CODES, F, p->mnist.Y + held * PAPER_CODES) / 2.0;
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
    double *F = paper_alloc(p->mnist.test.n * PAPER_CODES, sizeof *F);
    paper_fit fit = {.kernel = p->mnist.kernel,
                     .D = D,
                     .seed = seed,
                     .n = n,
                     .X = p->mnist.train.X,
                     .Y = p->mnist.Y,
                     .lambda = r.lambda};
    paper_fit_solve(&fit);
    paper_fit_predict(&fit, p->mnist.test.n, p->mnist.test.X, F);
    r.error = paper_mnist_wrong(&p->mnist.test, F);
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

/* The curve in the figure as it is drawn in R. Brault's thesis; 0: exact. The source of the paper has the figure's
 * caption only. */
static const double authors[][2] = {{10, 68.2},  {24.5, 51.9}, {60, 35.3},  {147, 23.5},  {359, 15.6},
                                    {878, 11.6}, {2149, 8.7},  {5259, 6.6}, {12870, 5.8}, {0, 4.4}};
#define AUTHORS (sizeof authors / sizeof *authors)

/* ---- words */

/* The authors' error at this D, a few percent of D aside; 0: exact. */
static double theirs(size_t D) {
    for (size_t a = 0; a < AUTHORS; a++)
        if (fabs(authors[a][0] - (double)D) <= 0.03 * (double)D) return authors[a][1];
    return NAN;
}

static void line(paper_run *run, const plan *p, const paper_table *t, size_t D) {
    for (size_t s = 0; s < p->n_sizes; s++)
        paper_agreement(run, " %.2f |",
                        paper_value(t, "error", "%zu/%s/%zu", p->sizes[s], D ? "orff" : "exact", D));
    paper_agreement(run, " %.1f |\n", theirs(D));
}

static void agree(paper_run *run, const plan *p, const paper_table *t) {
    paper_agreement(
        run,
        "The paper (section 4.2) draws the test error of features against D, which comes down to that of "
        "the exact kernel. The last column is the figure as it is drawn in the thesis of R. Brault "
        "(github.com/RomainBrault/Thesis, gfx/learning_accuracy_MNIST.tikz).\n\n"
        "We get, error in percent of %zu test images:\n\n"
        "| D |",
        p->mnist.test.n);
    for (size_t s = 0; s < p->n_sizes; s++) paper_agreement(run, " N = %zu |", p->sizes[s]);
    paper_agreement(run, " authors |\n|--:|");
    for (size_t s = 0; s <= p->n_sizes; s++) paper_agreement(run, "--:|");
    paper_agreement(run, "\n");
    for (size_t i = 0; i < p->n_D; i++) {
        paper_agreement(run, "| %zu |", p->D[i]);
        line(run, p, t, p->D[i]);
    }
    paper_agreement(run, "| exact |");
    line(run, p, t, 0);
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
        "1000, where our exact kernel is wrong on %.2f %%; with N = %zu it is wrong on %.2f %%, so the "
        "authors' 4.4 %% must come from nearly as many images. Their last D, 12870, was not run: its matrix "
        "of 25740 x 25740 features has 5 GB, and with more features than points the exact kernel is the "
        "cheaper one. For the largest D, and for the exact kernel with %zu images, lambda is the one chosen "
        "at D = %d.\n",
        paper_value(t, "error", "%zu/orff/147", n), few, 2 * few,
        paper_value(t, "error", "%zu/orff/%zu", n, few), paper_value(t, "error", "1000/exact/0"), n,
        paper_value(t, "error", "%zu/exact/0", n), n, MOST_D);
}

int paper_mnist_error(paper_run *run) {
    plan p = {0};
    if (!prepare(run, &p)) return paper_skip(run, "%s", PAPER_NO_DATA);
    paper_table *table =
        paper_table_open(run, "errors.csv", 3, "N,method,D,draws,lambda,cv_mse,error,error_sd,seconds");
    paper_table *figure = paper_table_open(run, "authors.csv", 1, "D,error");
    for (size_t a = 0; a < AUTHORS; a++)
        if (!paper_has(figure, "%g", authors[a][0])) paper_row(figure, "%g,%g", authors[a][0], authors[a][1]);
    paper_table *checks = mnist_error_check(run, &p.mnist, p.sizes[0]);
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
    mnist_error_agree(run, checks);
    paper_plot(run, "mnist-error", 900, 600);
    paper_mnist_free(&p.mnist);
    return PAPER_DONE;
}
