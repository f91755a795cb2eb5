/* What a default fit returns to far from all rows: the mean by generalised least squares, to which rows that lie together count
 * about once. */
#include <math.h>
#include <stdlib.h>

#include "base/linalg.h"
#include "base/random.h"
#include "support.h"

enum { SPREAD = 90, TOGETHER = 210, N = SPREAD + TOGETHER, DRAWS = 8 };

static const double scale = 0.3, far[] = {-1e4};

static double kernel(double r) {
    const double s = sqrt(3.0) * fabs(r) / scale;
    return (1.0 + s) * exp(-s);
}

/* A draw of mean 0: rows over [0, 12], most of which lie within a length scale, where it is 2 on the mean. */
static void fill_rows(uint64_t seed, double *X, double *y) {
    const orffi_rng rng = {seed, 3};
    double *L = support_zeros(N * N), *z = support_zeros(N);
    for (size_t i = 0; i < N; i++)
        X[i] = i < SPREAD ? 12.0 * orffi_rng_uniform(rng, i, 0) : 6.0 + scale * orffi_rng_uniform(rng, i, 0);
    for (size_t i = 0; i < N; i++) z[i] = orffi_rng_normal(rng, i, 1);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) L[i * N + j] = kernel(X[i] - X[j]) + (i == j ? 1e-4 : 0.0);
    assert_ok(orffi_cholesky(N, L));
    for (size_t i = 0; i < N; i++) {
        y[i] = 2.0 * kernel(X[i] - 6.0 - 0.5 * scale);
        for (size_t j = 0; j <= i; j++) y[i] += L[i * N + j] * z[j];
    }
    free(L);
    free(z);
}

static double far_away(const double *X, const double *y, const char *engine, const char *center) {
    const char *const settings[] = {engine, center, NULL};
    orff_model *model = NULL;
    double value;
    assert_ok(orff_learn(&model, settings, 1, 1, N, X, y));
    assert_ok(orff_model_predict(model, 1, far, &value));
    orff_model_free(model);
    return value;
}

static void heaps_count_about_once(void **state) {
    (void)state;
    double *X = support_zeros(N), *y = support_zeros(N), squares = 0.0, plain = 0.0;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        fill_rows(seed, X, y);
        const double value = far_away(X, y, "engine=exact", "center=yes");
        double mean = 0.0;
        for (size_t i = 0; i < N; i++) mean += y[i] / N;
        squares += value * value / DRAWS;
        plain += mean * mean / DRAWS;
        support_case("seed %d: %g, and %g by rows", (int)seed, value, mean);
        assert_close(far_away(X, y, "engine=lattice", "center=yes"), value, 0.02);
        assert_close(far_away(X, y, "engine=exact", "center=no"), 0.0, 1e-6);
    }
    support_case("mean squares %g, and %g by rows", squares, plain);
    assert_true(squares < 0.25 * plain);
    support_case(NULL);
    free(X);
    free(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(heaps_count_about_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
