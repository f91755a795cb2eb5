/* Figure: time of a fit to MNIST against the number of images N, D = 1000 features and the exact kernel.
 *
 * As in the paper: Gaussian kernel of sigma = 20, pixels in [-1,1], simplex codes of the ten classes. The paper prints
 * the kernel as exp(-|delta|/sigma^2); exp(-|delta|^2/(2 sigma^2)) is meant. Its output matrix, made of the codes, is
 * a multiple of the identity, so A = I here. The exact kernel is k (x) I: an N x N matrix is factored, not one of
 * 9N x 9N. A fit begins with images in memory and ends with the coefficients, for one lambda. */
#include <stdlib.h>

#include "paper.h"

#define LAMBDA 1e-6
#define SEED   5

static const size_t sizes[] = {100, 200, 500, 1000, 2000, 5000, 8000, 12000, 30000, 60000};
static const size_t quick_sizes[] = {200, 500};

/* The last points of the curves in the figure as it is drawn in R. Brault's thesis: N, seconds of features and of the
 * exact kernel. The source of the paper has the figure's caption only. */
static const double authors[3] = {12900, 3.9, 3700};

/* ---- what is timed */

static double lambda(size_t n) {
    (void)n;
    return LAMBDA;
}

static double wrong(const paper_fit *fit, const void *self) {
    const paper_mnist *mnist = self;
    double *F = paper_alloc(mnist->test.n * PAPER_CODES, sizeof *F);
    paper_fit_predict(fit, mnist->test.n, mnist->test.X, F);
    const double percent = paper_mnist_wrong(&mnist->test, F);
    free(F);
    return percent;
}

static paper_timing plan(const paper_run *run) {
    const bool quick = paper_quick(run);
    return (paper_timing){.D = quick ? 100 : 1000,
                          .seed = SEED,
                          .n_sizes =
                              quick ? sizeof quick_sizes / sizeof *quick_sizes : sizeof sizes / sizeof *sizes,
                          .sizes = quick ? quick_sizes : sizes,
                          .exact_most = SIZE_MAX,
                          .lambda = lambda,
                          .score = wrong,
                          .score_column = "error",
                          .score_words = "error in percent of the test images"};
}

/* ---- words */

static void agree(paper_run *run, const paper_timing *t, const paper_table *times, size_t last) {
    const size_t most = t->sizes[t->n_sizes - 1], low = 5000, exact_low = 1000;
    paper_agreement(
        run,
        "The paper (section 4.2) draws the time of features (D = 1000) and of exact ridge on MNIST "
        "against N: features grow more slowly. The curves end, in the figure as it is drawn in "
        "the thesis of R. Brault (github.com/RomainBrault/Thesis, gfx/learning_time_MNIST.tikz), "
        "at N = %.0f with %.1f s for features and %.0f s for the exact kernel.\n\n",
        authors[0], authors[1], authors[2]);
    paper_timing_table(run, t, times, last);
    if (paper_quick(run)) {
        paper_agreement(run, PAPER_TOO_SMALL);
        return;
    }
    paper_agreement(
        run,
        "\n"
        "**Agrees:** features scale better. Time grows as N^%.2f for features (N = %zu to %zu) and as "
        "N^%.2f for the exact kernel (%zu to %zu; the N^2 d of the Gram matrix is the larger part).\n\n",
        paper_timing_exponent(t, times, "orff", low, most), low, most,
        paper_timing_exponent(t, times, "exact", exact_low, last), exact_low, last);
    const double exact = paper_value(times, "cpu_seconds", "exact/%zu", last),
                 features = paper_value(times, "cpu_seconds", "orff/%zu", last);
    paper_agreement(
        run,
        "**Differs:** the gap is smaller. Exact ridge with %zu images takes %.3g s of the processor here "
        "and features %.3g s, a factor of %.0f, not the %.0f of the authors: with A = I the exact system "
        "is one N x N matrix for all nine codes; one of 9N x 9N would be slower by orders of magnitude. "
        "The exact kernel is the more accurate one but for the smallest N, and for N of a few hundred the "
        "faster one.\n\n",
        last, exact, features, exact / features, authors[2] / authors[1]);
    paper_timing_caveat(run);
}

int paper_mnist_time(paper_run *run) {
    paper_timing t = plan(run);
    paper_mnist mnist;
    if (!paper_mnist_load(run, t.sizes[t.n_sizes - 1], paper_quick(run) ? 500 : 2000, &mnist))
        return paper_skip(run, "%s", PAPER_NO_DATA);
    t.kernel = mnist.kernel;
    t.X = mnist.train.X;
    t.Y = mnist.Y;
    t.self = &mnist;
    paper_setting(run, "sigma", "%g", PAPER_MNIST_SIGMA);
    paper_setting(run, "lambda", "%g", LAMBDA);
    paper_setting(run, "test images", "%zu", mnist.test.n);
    paper_table *times;
    const size_t last = paper_timing_run(run, &t, &times);
    agree(run, &t, times, last);
    paper_plot(run, "mnist-time", PAPER_NARROW, 95);
    paper_mnist_free(&mnist);
    return PAPER_DONE;
}
