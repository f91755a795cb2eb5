/* Two claims about the paper's choices for MNIST: sigma = 20 is near the median distance between images, and the
 * simplex codes add no structure. The codes C (T x (T-1)) have C^T C = T/(T-1) I, so a kernel made of them is a multiple
 * of k0 I; and F_codes = F_classes C for ridge with the same lambda, so the nearest code is that of the class that
 * separate problems, one for each class, score highest. */
#include <math.h>
#include <stdlib.h>

#include "checks.h"

#define CLASSES 10
#define LAMBDA  1e-5 /* of both ridge problems; any other serves as well */

static double median_distance(const paper_images *images, size_t n) {
    double *distances = paper_alloc(n * (n - 1) / 2, sizeof *distances);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const double *x = images->X + i * PAPER_PIXELS, *z = images->X + j * PAPER_PIXELS;
            distances[count++] = sqrt(PAPER_PIXELS * paper_mse(PAPER_PIXELS, x, z));
        }
    const double median = paper_quantile(count, distances, 0.5);
    free(distances);
    return median;
}

/* Largest entry of |C^T C (T-1)/T - I|. */
static double codes_beside_identity(void) {
    double codes[CLASSES * PAPER_CODES], largest = 0.0;
    paper_must(orff_simplex_codes(CLASSES, codes), "codes");
    for (size_t a = 0; a < PAPER_CODES; a++)
        for (size_t b = 0; b < PAPER_CODES; b++) {
            double sum = 0.0;
            for (size_t k = 0; k < CLASSES; k++)
                sum += codes[k * PAPER_CODES + a] * codes[k * PAPER_CODES + b];
            largest = fmax(largest, fabs(sum * (CLASSES - 1) / CLASSES - (a == b)));
        }
    return largest;
}

/* Predictions at the test images (test.n x p) of exact ridge on the first n images with targets Y (n x p). */
static double *predict(const paper_mnist *mnist, size_t n, size_t p, const double *Y) {
    orff_part part = orff_part_default();
    part.sigma = PAPER_MNIST_SIGMA;
    orff_kernel *kernel;
    paper_must(orff_kernel_create(&kernel, PAPER_PIXELS, p, 1, &part), "kernel");
    paper_fit fit = {.kernel = kernel, .n = n, .X = mnist->train.X, .Y = Y, .lambda = LAMBDA};
    double *F = paper_alloc(mnist->test.n * p, sizeof *F);
    paper_fit_solve(&fit);
    paper_fit_predict(&fit, mnist->test.n, mnist->test.X, F);
    paper_fit_free(&fit);
    orff_kernel_free(kernel);
    return F;
}

static size_t highest(const double *scores) {
    size_t best = 0;
    for (size_t k = 1; k < CLASSES; k++)
        if (scores[k] > scores[best]) best = k;
    return best;
}

/* Percent of the test images that ridge on the codes and a ridge problem for each class put in different classes. */
static double classes_that_differ(const paper_mnist *mnist, size_t n) {
    double *one_hot = paper_alloc(n * CLASSES, sizeof *one_hot);
    for (size_t i = 0; i < n; i++) one_hot[i * CLASSES + (size_t)mnist->train.labels[i]] = 1.0;
    double *by_codes = predict(mnist, n, PAPER_CODES, mnist->Y), *apart = predict(mnist, n, CLASSES, one_hot);
    paper_images chosen = {mnist->test.n, NULL, paper_alloc(mnist->test.n, sizeof *chosen.labels)};
    for (size_t i = 0; i < chosen.n; i++) chosen.labels[i] = (double)highest(apart + i * CLASSES);
    const double differ = paper_mnist_wrong(&chosen, by_codes);
    free(one_hot);
    free(by_codes);
    free(apart);
    free(chosen.labels);
    return differ;
}

paper_table *mnist_error_check(paper_run *run, const paper_mnist *mnist, size_t n) {
    paper_table *checks = paper_table_open(run, "checks.csv", 1, "check,value");
    paper_setting(run, "checks", "on the first %zu training images, exact kernel, lambda %g", n, LAMBDA);
    if (!paper_has(checks, "median distance"))
        paper_row(checks, "median distance,%.4f", median_distance(&mnist->train, n));
    if (!paper_has(checks, "codes beside identity"))
        paper_row(checks, "codes beside identity,%.2e", codes_beside_identity());
    if (!paper_has(checks, "percent of classes that differ"))
        paper_row(checks, "percent of classes that differ,%.2f", classes_that_differ(mnist, n));
    return checks;
}

void mnist_error_agree(paper_run *run, const paper_table *checks) {
    paper_agreement(
        run,
        "\nThe median distance between training images is %.1f, so sigma = %g is near it when the kernel is "
        "exp(-|delta|^2/(2 sigma^2)). The simplex codes add no structure: C^T C is T/(T-1) I to %.0e, and "
        "ridge on the codes and separate ridge problems for the classes differ on %g %% of the test "
        "images.\n",
        paper_value(checks, "value", "median distance"), PAPER_MNIST_SIGMA,
        paper_value(checks, "value", "codes beside identity"),
        paper_value(checks, "value", "percent of classes that differ"));
}
