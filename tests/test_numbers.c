/* Moments as sequences of numbers, and models from given coefficients: the basis of sums and systems on many
 * machines. */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

enum { ROWS = 120, FOLDS = 3 };

static double X[ROWS * 2], Y[ROWS * 2], weights[ROWS];

static int fill_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        X[2 * i] = sin(1.7 * (double)i);
        X[2 * i + 1] = cos(2.9 * (double)i);
        Y[2 * i] = X[2 * i + 1] + 0.1 * sin(31.0 * (double)i);
        Y[2 * i + 1] = -X[2 * i];
        weights[i] = 1.0 + 0.5 * sin((double)i);
    }
    return 0;
}

static orff_features *draw(orff_rule rule, double sigma) {
    orff_part part = orff_part_default();
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    part.rule = rule;
    part.sigma = sigma;
    sampling.features = 9;
    assert_int_equal(orff_kernel_create(&kernel, 2, 2, 1, &part), ORFF_OK);
    assert_int_equal(orff_features_create(&features, kernel, &sampling), ORFF_OK);
    orff_kernel_free(kernel);
    return features;
}

static orff_moments *sum_up(double sigma, uint64_t seed, size_t first, size_t end) {
    const orff_moments_settings how = {.folds = FOLDS, .seed = seed};
    orff_features *features = draw(ORFF_RULE_DECOMPOSABLE, sigma);
    orff_moments *moments = NULL;
    assert_int_equal(orff_moments_create(&moments, features, &how), ORFF_OK);
    if (end > first)
        assert_int_equal(
            orff_moments_accumulate(moments, end - first, X + 2 * first, Y + 2 * first, weights + first),
            ORFF_OK);
    orff_features_free(features);
    return moments;
}

/* Half the rows here, half there, added number by number in pieces of any size: what orff_moments_add makes of them. */
static void numbers_add_up(void **state) {
    (void)state;
    for (size_t piece = 1; piece < 3000; piece = 3 * piece + 4) {
        orff_moments *one = sum_up(0.5, 1, 0, 50), *other = sum_up(0.5, 1, 50, ROWS),
                     *sum = sum_up(0.5, 1, 0, 0);
        const uint64_t size = orff_moments_size(one);
        double *a = malloc(piece * sizeof *a), *b = malloc(piece * sizeof *b);
        assert_int_equal(size, FOLDS * (1 + 9 + 18 * 3 + 18 * 19 / 2));
        for (uint64_t first = 0; first < size; first += piece) {
            const size_t count = size - first < piece ? (size_t)(size - first) : piece;
            assert_int_equal(orff_moments_get(one, first, count, a), ORFF_OK);
            assert_int_equal(orff_moments_get(other, first, count, b), ORFF_OK);
            for (size_t i = 0; i < count; i++) a[i] += b[i];
            assert_int_equal(orff_moments_set(sum, first, count, a), ORFF_OK);
        }
        double S[2][18 * 18], R[2][18 * 2], phi[2][18], y[2][2], yy[2][4];
        assert_int_equal(orff_moments_add(one, other), ORFF_OK);
        assert_int_equal(orff_moments_describe(sum).rows, ROWS);
        assert_int_equal(orff_moments_totals(one, S[0], R[0], phi[0], y[0], yy[0]), ORFF_OK);
        assert_int_equal(orff_moments_totals(sum, S[1], R[1], phi[1], y[1], yy[1]), ORFF_OK);
        assert_memory_equal(S[0], S[1], sizeof S[0]);
        assert_memory_equal(R[0], R[1], sizeof R[0]);
        assert_memory_equal(phi[0], phi[1], sizeof phi[0]);
        assert_memory_equal(yy[0], yy[1], sizeof yy[0]);
        free(a);
        free(b);
        orff_moments_free(one);
        orff_moments_free(other);
        orff_moments_free(sum);
    }
}

static void digests_tell_settings(void **state) {
    orff_moments *one = sum_up(0.5, 1, 0, 50), *same = sum_up(0.5, 1, 0, 0), *sigma = sum_up(0.6, 1, 0, 0),
                 *seed = sum_up(0.5, 2, 0, 0);
    (void)state;
    assert_true(orff_moments_digest(one) == orff_moments_digest(same));
    assert_true(orff_moments_digest(one) != orff_moments_digest(sigma));
    assert_true(orff_moments_digest(one) != orff_moments_digest(seed));
    orff_moments_free(one);
    orff_moments_free(same);
    orff_moments_free(sigma);
    orff_moments_free(seed);
}

static void windows_are_checked(void **state) {
    orff_moments *m = sum_up(0.5, 1, 0, 50);
    const uint64_t size = orff_moments_size(m);
    double number = 7.0;
    (void)state;
    assert_int_equal(orff_moments_get(m, size, 0, &number), ORFF_OK);
    assert_int_equal(orff_moments_get(m, size, 1, &number), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(orff_moments_set(m, UINT64_MAX, 2, &number), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(orff_moments_get(NULL, 0, 1, &number), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(orff_moments_set(m, 0, 1, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_true(number == 7.0);
    orff_moments_free(m);
}

/* ---- lattices */

static orff_lattice_moments *sum_lattice(double high, size_t first, size_t end) {
    const double lows[] = {-1.0, -1.0}, highs[] = {1.0, high};
    orff_part part = orff_part_default();
    part.sigma = 0.8;
    const orff_lattice_need need = {
        .d = 2, .p = 2, .low = lows, .high = highs, .n_parts = 1, .parts = &part, .folds = FOLDS};
    orff_lattice_moments *m = NULL;
    const orff_status status = orff_lattice_moments_create(&m, &need);
    if (status == ORFF_ERROR_UNSUPPORTED) skip(); /* without transforms */
    assert_int_equal(status, ORFF_OK);
    if (end > first)
        assert_int_equal(
            orff_lattice_moments_accumulate(m, end - first, X + 2 * first, Y + 2 * first, weights + first),
            ORFF_OK);
    return m;
}

static void lattices_add_up(void **state) {
    orff_lattice_moments *one = sum_lattice(1.0, 0, 50), *other = sum_lattice(1.0, 50, ROWS),
                         *sum = sum_lattice(1.0, 0, 0), *wide = sum_lattice(2.0, 0, 0);
    const uint64_t size = orff_lattice_moments_size(one);
    double *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b);
    (void)state;
    assert_true(orff_lattice_moments_digest(one) == orff_lattice_moments_digest(sum));
    assert_true(orff_lattice_moments_digest(one) != orff_lattice_moments_digest(wide));
    for (uint64_t first = 0; first < size; first += 77) {
        const size_t count = size - first < 77 ? (size_t)(size - first) : 77;
        assert_int_equal(orff_lattice_moments_get(one, first, count, a), ORFF_OK);
        assert_int_equal(orff_lattice_moments_get(other, first, count, b), ORFF_OK);
        for (size_t i = 0; i < count; i++) a[i] += b[i];
        assert_int_equal(orff_lattice_moments_set(sum, first, count, a), ORFF_OK);
    }
    assert_int_equal(orff_lattice_moments_add(one, other), ORFF_OK);
    assert_int_equal(orff_lattice_moments_describe(sum).rows, ROWS);
    assert_int_equal(orff_lattice_moments_get(one, 0, size, a), ORFF_OK);
    assert_int_equal(orff_lattice_moments_get(sum, 0, size, b), ORFF_OK);
    assert_memory_equal(a, b, size * sizeof *a);
    assert_int_equal(orff_lattice_moments_get(one, 1, size, a), ORFF_ERROR_INVALID_ARGUMENT);
    free(a);
    free(b);
    orff_lattice_moments_free(one);
    orff_lattice_moments_free(other);
    orff_lattice_moments_free(sum);
    orff_lattice_moments_free(wide);
}

/* ---- models */

static void a_model_of_coefficients(void **state) {
    static const double mean[] = {0.25, -3.0};
    char path[] = "/tmp/orff-found-XXXXXX";
    orff_features *features = draw(ORFF_RULE_DIV_FREE, 0.7);
    const size_t M = orff_features_describe(features).parameters;
    double *theta = malloc(M * sizeof *theta), F[ROWS * 2], want[ROWS * 2];
    orff_model *model = NULL, *again = NULL;
    (void)state;
    for (size_t i = 0; i < M; i++) theta[i] = cos((double)i);
    const orff_found found = {
        .theta = theta, .intercept = mean, .lambda = 0.01, .rows = 1000, .weight = 900.0, .train_mse = 0.5};
    assert_int_equal(orff_model_of_features(&model, features, &found), ORFF_OK);
    assert_int_equal(orff_features_apply(features, ROWS, X, theta, want), ORFF_OK);
    orff_features_free(features);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(orff_model_save(model, path, false), ORFF_OK);
    assert_int_equal(orff_model_load(&again, path), ORFF_OK);
    unlink(path);
    orff_model *const both[] = {model, again};
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(orff_model_predict(both[k], ROWS, X, F), ORFF_OK);
        for (size_t i = 0; i < ROWS * 2; i++) assert_true(fabs(F[i] - want[i] - mean[i % 2]) < 1e-12);
        assert_int_equal(orff_model_describe(both[k]).rows, 1000);
        assert_true(orff_model_describe(both[k]).lambda == 0.01);
        assert_false(orff_model_describe(both[k]).has_posterior);
    }
    free(theta);
    orff_model_free(model);
    orff_model_free(again);
}

static void coefficients_are_checked(void **state) {
    static const double mean[] = {0.0, 0.0};
    orff_features *features = draw(ORFF_RULE_DECOMPOSABLE, 0.7);
    const size_t M = orff_features_describe(features).parameters;
    double *theta = calloc(M, sizeof *theta);
    orff_model *model = NULL;
    (void)state;
    theta[M - 1] = (double)NAN;
    assert_int_equal(
        orff_model_of_features(&model, features, &(orff_found){.theta = theta, .intercept = mean}),
        ORFF_ERROR_NOT_FINITE);
    assert_int_equal(orff_model_of_features(&model, features, &(orff_found){.intercept = mean}),
                     ORFF_ERROR_INVALID_ARGUMENT);
    assert_null(model);
    free(theta);
    orff_features_free(features);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_add_up),          cmocka_unit_test(digests_tell_settings),
        cmocka_unit_test(windows_are_checked),     cmocka_unit_test(lattices_add_up),
        cmocka_unit_test(a_model_of_coefficients), cmocka_unit_test(coefficients_are_checked),
    };
    return cmocka_run_group_tests(tests, fill_rows, NULL);
}
