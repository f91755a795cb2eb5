/* Figure: test error on MNIST against the number of frequencies D, with the exact kernel as a line.
 *
 * As in the paper: Gaussian kernel of sigma = 20, pixels in [-1,1], simplex codes, lambda by 2-fold cross-validation, 10000
 * test images. The paper's caption says N = 1000, its text speaks of 12000 training images: both are here. Not in the
 * paper: what is cross-validated (here the squared error of the codes), which lambdas (here powers of ten). */
#include <math.h>
#include <stdlib.h>

#include "checks.h"
#include "halves.h"

#define SEED   9
#define START  1e-3  /* lambda to begin with */
#define LOWEST 1e-11 /* none below */
#define LONG   5e11  /* n^2 D above which a draw takes a minute or more */

typedef struct plan {
    size_t n_sizes, sizes[2], n_D, D[8];
    size_t draws, long_draws; /* of the frequencies; of those that take long */
    paper_mnist mnist;
} plan;

typedef struct result {
    double lambda, cv_mse, error;
} result;

static bool prepare(paper_run *run, plan *p) {
    *p = (plan){.n_sizes = 2,
                .sizes = {1000, 12000},
                .n_D = 8,
                .D = {25, 61, 147, 359, 878, 2149, 5259, 12874},
                .draws = 10};
    if (paper_quick(run)) *p = (plan){.n_sizes = 1, .sizes = {300}, .n_D = 2, .D = {25, 147}, .draws = 5};
    p->long_draws = paper_long_runs(run, p->draws);
    const size_t most = p->sizes[p->n_sizes - 1], test = paper_quick(run) ? 500 : 10000;
    if (!paper_mnist_load(run, most, test, &p->mnist)) return false;
    paper_setting(run, "sigma", "%g", PAPER_MNIST_SIGMA);
    paper_setting(run, "lambda",
                  "2-fold cross-validation of the squared error, powers of ten, for each draw");
    paper_setting(run, "test images", "%zu", p->mnist.test.n);
    paper_setting(run, "sampling", "iid, seeds from %d, as many draws as errors.csv says", SEED);
    return true;
}

/* Powers of ten from `start`, downhill: the score has one valley. */
static result choose(const mnist_halves *h, double start) {
    result best = {start, mnist_halves_validate(h, start), 0.0};
    for (int side = 0; side < 2 && best.lambda >= start; side++) {
        const double factor = side ? 10.0 : 0.1;
        for (double lambda = start * factor; lambda > LOWEST; lambda *= factor) {
            const double mse = mnist_halves_validate(h, lambda);
            if (!(mse < best.cv_mse)) break;
            best = (result){lambda, mse, 0.0};
        }
    }
    return best;
}

/* ---- rows; D = 0: the exact kernel */

static const char *method_of(size_t D) {
    return D ? "orff" : "exact";
}

static size_t draws_of(const plan *p, size_t n, size_t D) {
    if (D == 0) return 1;
    return (double)n * (double)n * (double)D > LONG ? p->long_draws : p->draws;
}

/* Starts from the lambda of the row before. */
static void draw(paper_table *draws, const plan *p, size_t n, size_t D, size_t i, double start) {
    if (paper_has(draws, "%zu/%s/%zu/%zu", n, method_of(D), D, i)) return;
    const double began = paper_seconds(), cpu = paper_cpu_seconds();
    mnist_halves h = mnist_halves_create(&p->mnist, n, D, SEED + i);
    result r = choose(&h, start);
    r.error = mnist_halves_test(&h, r.lambda);
    mnist_halves_free(&h);
    paper_row(draws, "%zu,%s,%zu,%zu,%.1g,%.6g,%.2f,%.1f,%.1f", n, method_of(D), D, i, r.lambda, r.cv_mse,
              r.error, paper_seconds() - began, paper_cpu_seconds() - cpu);
}

/* Means over the draws. */
static void summarise(paper_table *table, const paper_table *draws, const plan *p, size_t n, size_t D) {
    const size_t count = draws_of(p, n, D);
    double *errors = paper_alloc(count, sizeof *errors), *scores = paper_alloc(count, sizeof *scores),
           *lambdas = paper_alloc(count, sizeof *lambdas);
    for (size_t i = 0; i < count; i++) {
        const char *m = method_of(D);
        errors[i] = paper_value(draws, "error", "%zu/%s/%zu/%zu", n, m, D, i);
        scores[i] = paper_value(draws, "cv_mse", "%zu/%s/%zu/%zu", n, m, D, i);
        lambdas[i] = paper_value(draws, "lambda", "%zu/%s/%zu/%zu", n, m, D, i);
    }
    paper_row(table, "%zu,%s,%zu,%zu,%.2g,%.4g,%.3f,%.2f", n, method_of(D), D, count,
              paper_quantile(count, lambdas, 0.5), paper_mean(count, scores), paper_mean(count, errors),
              paper_deviation(count, errors));
    free(errors);
    free(scores);
    free(lambdas);
}

/* The exact kernel is the last one. */
static size_t D_of(const plan *p, size_t i) {
    return i < p->n_D ? p->D[i] : 0;
}

static void draw_all(paper_run *run, paper_table *draws, const plan *p) {
    for (size_t s = 0; s < p->n_sizes; s++) {
        const size_t n = p->sizes[s];
        double start = START;
        for (size_t i = 0; i <= p->n_D; i++) {
            const size_t D = D_of(p, i), count = draws_of(p, n, D);
            for (size_t k = 0; k < count; k++) {
                paper_progress(run, (double)(s * (p->n_D + 1) + i), (double)(p->n_sizes * (p->n_D + 1)),
                               "N = %zu, D = %zu, draw %zu of %zu", n, D, k + 1, count);
                draw(draws, p, n, D, k, start);
            }
            start = paper_value(draws, "lambda", "%zu/%s/%zu/0", n, method_of(D), D);
        }
    }
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
        paper_agreement(run, D ? " %.2f ± %.2f |" : " %.2f |",
                        paper_value(t, "error", "%zu/%s/%zu", p->sizes[s], method_of(D), D),
                        paper_value(t, "error_sd", "%zu/%s/%zu", p->sizes[s], method_of(D), D));
    paper_agreement(run, " %.1f |\n", theirs(D));
}

static void agree(paper_run *run, const plan *p, const paper_table *t) {
    paper_agreement(
        run,
        "The paper (section 4.2) draws the test error of features against D, which comes down to that of "
        "the exact kernel. The last column is the figure as it is drawn in the thesis of R. Brault "
        "(github.com/RomainBrault/Thesis, gfx/learning_accuracy_MNIST.tikz).\n\n"
        "We get, error in percent of %zu test images, mean and deviation over draws of the frequencies (%zu, "
        "and %zu of those that take long):\n\n"
        "| D |",
        p->mnist.test.n, p->draws, p->long_draws);
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
        "authors' 4.4 %% must come from many more than 1000 images.\n",
        paper_value(t, "error", "%zu/orff/147", n), few, 2 * few,
        paper_value(t, "error", "%zu/orff/%zu", n, few), paper_value(t, "error", "1000/exact/0"), n,
        paper_value(t, "error", "%zu/exact/0", n));
}

int paper_mnist_error(paper_run *run) {
    plan p = {0};
    if (!prepare(run, &p)) return paper_skip(run, "%s", PAPER_NO_DATA);
    paper_table *draws =
        paper_table_open(run, "draws.csv", 4, "N,method,D,draw,lambda,cv_mse,error,seconds,cpu_seconds");
    paper_table *table =
        paper_table_derived(run, "errors.csv", 3, "N,method,D,draws,lambda,cv_mse,error,error_sd");
    paper_table *figure = paper_table_open(run, "authors.csv", 1, "D,error");
    for (size_t a = 0; a < AUTHORS; a++)
        if (!paper_has(figure, "%g", authors[a][0])) paper_row(figure, "%g,%g", authors[a][0], authors[a][1]);
    paper_table *checks = mnist_error_check(run, &p.mnist, p.sizes[0]);
    draw_all(run, draws, &p);
    for (size_t s = 0; s < p.n_sizes; s++)
        for (size_t i = 0; i <= p.n_D; i++) summarise(table, draws, &p, p.sizes[s], D_of(&p, i));
    agree(run, &p, table);
    if (paper_quick(run))
        paper_agreement(run, PAPER_TOO_SMALL);
    else
        explain(run, &p, table);
    mnist_error_agree(run, checks);
    paper_plot(run, "mnist-error", PAPER_NARROW, 105);
    paper_mnist_free(&p.mnist);
    return PAPER_DONE;
}
