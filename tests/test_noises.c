/* Outputs of different size and noise: each has its own error bars, and is learned as well as on its own. */
#include <math.h>
#include <stdlib.h>

#include "models.h"

enum { D = 2, P = 3 };

static const double sizes[P] = {1.0, 40.0, 0.1}, noises[P] = {0.02, 20.0, 0.02};

typedef struct rows {
    size_t n;
    double *X, *Y, *truth;
} rows;

/* Three smooth functions over a square, not the same, with their noises. */
static rows make_rows(size_t n, uint64_t seed) {
    rows r = {n, support_zeros(n * D), support_zeros(n * P), support_zeros(n * P)};
    double *at = models_normal(n * D, seed), *noise = models_normal(n * P, seed + 1);
    for (size_t i = 0; i < n; i++) {
        const double x = r.X[i * D] = 3.0 * erf(at[i * D] / sqrt(2.0)),
                     y = r.X[i * D + 1] = 3.0 * erf(at[i * D + 1] / sqrt(2.0));
        r.truth[i * P] = sizes[0] * sin(1.7 * x + 0.5) * cos(1.3 * y);
        r.truth[i * P + 1] = sizes[1] * sin(1.2 * x - 1.6 * y);
        r.truth[i * P + 2] = sizes[2] * cos(1.6 * x) * sin(1.5 * y + 1.0);
    }
    for (size_t i = 0; i < n * P; i++) r.Y[i] = r.truth[i] + noises[i % P] * noise[i];
    free(at);
    free(noise);
    return r;
}

static void free_rows(rows *r) {
    free(r->X);
    free(r->Y);
    free(r->truth);
}

static double error_of(const rows *r, size_t p, size_t k, const double *F, size_t at) {
    double sum = 0.0;
    for (size_t i = 0; i < r->n; i++) sum += pow(F[i * p + at] - r->truth[i * P + k], 2.0);
    return sqrt(sum / (double)r->n);
}

/* The share of new measurements within 1.96 standard deviations. */
static double coverage(const rows *r, size_t k, const double *F, const double *S) {
    size_t inside = 0;
    for (size_t i = 0; i < r->n; i++) inside += fabs(r->Y[i * P + k] - F[i * P + k]) < 1.96 * S[i * P + k];
    return (double)inside / (double)r->n;
}

static orff_model *fit_one(const orff_settings *settings, const rows *r, size_t k) {
    orff_model *model = NULL;
    double *y = support_zeros(r->n);
    for (size_t i = 0; i < r->n; i++) y[i] = r->Y[i * P + k];
    assert_ok(orff_model_fit(&model, settings, D, 1, r->n, r->X, y, NULL));
    free(y);
    return model;
}

/* limit: how much larger the error of an output may be than when it is learned by itself, which sanitizers leave out. */
static void check(orff_engine engine, size_t n, double limit) {
    rows train = make_rows(n, 5), test = make_rows(1000, 77);
    orff_settings settings = orff_settings_default();
    orff_model *all = NULL;
    double *F = support_zeros(test.n * P), *S = support_zeros(test.n * P), *f = support_zeros(test.n);
    settings.engine = engine;
    settings.sampling.features =
        250; /* of the engine that has some: enough for functions as smooth as these */
    settings.posterior = ORFF_SWITCH_YES;
    support_case("%s", orff_engine_name(engine));
    assert_ok(orff_model_fit(&all, &settings, D, P, n, train.X, train.Y, NULL));
    assert_ok(orff_model_predict(all, test.n, test.X, F));
    assert_ok(orff_model_std(all, test.n, test.X, true, S));
    const double *found = orff_model_describe(all).noise;
    for (size_t k = 0; k < P; k++) {
        const double mine = error_of(&test, P, k, F, k), share = coverage(&test, k, F, S);
        assert_true(fabs(found[k] / noises[k] - 1.0) < 0.1);
        assert_true(share > 0.92 && share < 0.975); /* 0.95, and 3.8 standard errors of 1000 */
        if (support_step(2) > 1) continue;
        orff_model *one = fit_one(&settings, &train, k);
        assert_ok(orff_model_predict(one, test.n, test.X, f));
        const double alone = error_of(&test, 1, k, f, 0);
        if (getenv("SHOW"))
            print_message("%zu: noise %g of %g, error %g, alone %g, coverage %g\n", k, found[k], noises[k],
                          mine, alone, share);
        assert_true(mine < limit * alone);
        orff_model_free(one);
    }
    orff_model_free(all);
    free_rows(&train);
    free_rows(&test);
    free(F);
    free(S);
    free(f);
}

static void exact_models_have_a_noise_for_each_output(void **state) {
    (void)state;
    check(ORFF_ENGINE_EXACT, 400, 1.15);
}

static void lattices_have_a_noise_for_each_output(void **state) {
    (void)state;
    check(ORFF_ENGINE_LATTICE, 1500, 1.15);
}

static void features_have_a_noise_for_each_output(void **state) {
    (void)state;
    check(ORFF_ENGINE_FEATURES, 1000, 1.15);
}

/* Outputs of one noise and size share one factorisation: no matrix comes in. */
static void alike_outputs_stay_together(void **state) {
    (void)state;
    support_numbers_only();
    rows r = make_rows(600, 9);
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    double *noise = models_normal(r.n * P, 4);
    for (size_t i = 0; i < r.n * P; i++) r.Y[i] = r.truth[i] / sizes[i % P] + 0.2 * noise[i];
    assert_ok(orff_model_fit(&model, &settings, D, P, r.n, r.X, r.Y, NULL));
    assert_true(orffi_kernel_is_identity(orffi_model_kernel(model)));
    for (size_t k = 0; k < P; k++) assert_true(fabs(orff_model_describe(model).noise[k] / 0.2 - 1.0) < 0.1);
    orff_model_free(model);
    free(noise);
    free_rows(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_models_have_a_noise_for_each_output),
                                       cmocka_unit_test(lattices_have_a_noise_for_each_output),
                                       cmocka_unit_test(features_have_a_noise_for_each_output),
                                       cmocka_unit_test(alike_outputs_stay_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
