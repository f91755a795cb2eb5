/* Codes of classes given by the caller: learning them, the nearest code, files, including forged ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forged.h"
#include "support.h"

enum { N = 300 };

/* Three bands of x, which a line of codes orders. */
static const double line[] = {0.0, 1.0, 3.0};

static void fill(double *X, double *labels) {
    double *x = support_normal(2 * N, 1, 1);
    for (size_t i = 0; i < 2 * N; i++) X[i] = tanh(x[i]);
    for (size_t i = 0; i < N; i++) labels[i] = X[2 * i] < -0.3 ? 0.0 : X[2 * i] < 0.3 ? 1.0 : 2.0;
    free(x);
}

static orff_settings settings_of(size_t length, const double *codes) {
    orff_settings settings = orff_settings_default();
    static orff_part part;
    part = orff_part_default();
    part.sigma = 0.8;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.engine = ORFF_ENGINE_FEATURES;
    settings.sampling.features = 40;
    settings.lambda = 1e-5;
    settings.classes = 3;
    settings.codes = codes;
    settings.code_length = length;
    return settings;
}

static orff_model *fit(size_t length, const double *codes, double *X, double *labels) {
    const orff_settings settings = settings_of(length, codes);
    orff_model *model = NULL;
    fill(X, labels);
    assert_ok(orff_model_fit(&model, &settings, 2, 1, N, X, labels, NULL));
    return model;
}

/* The class whose code is nearest, by hand: lengths of codes differ. */
static void test_nearest(void **state) {
    (void)state;
    double X[2 * N], labels[N], F[N];
    size_t found[N], right = 0;
    orff_model *model = fit(1, line, X, labels);
    const orff_model_info info = orff_model_describe(model);
    assert_int_equal(info.classes, 3);
    assert_int_equal(info.code_length, 1);
    assert_all_close(3, info.codes, line, 0.0);
    assert_ok(orff_model_predict(model, N, X, F));
    assert_ok(orff_model_classify(model, N, X, found));
    for (size_t i = 0; i < N; i++) {
        size_t best = 0;
        for (size_t k = 1; k < 3; k++)
            if (fabs(F[i] - line[k]) < fabs(F[i] - line[best])) best = k;
        assert_int_equal(found[i], best);
        right += (double)found[i] == labels[i];
    }
    assert_true(right > N * 9 / 10);
    orff_model_free(model);
}

/* Those of the simplex, given, are those of the simplex. */
static void test_simplex(void **state) {
    (void)state;
    double X[2 * N], labels[N], codes[6], a[2 * N], b[2 * N];
    assert_ok(orff_simplex_codes(3, codes));
    orff_model *given = fit(2, codes, X, labels), *plain = fit(0, NULL, X, labels);
    assert_ok(orff_model_predict(given, N, X, a));
    assert_ok(orff_model_predict(plain, N, X, b));
    assert_all_close(2 * N, a, b, 1e-12);
    orff_model_free(given);
    orff_model_free(plain);
}

static void test_files(void **state) {
    (void)state;
    double X[2 * N], labels[N];
    size_t a[N], b[N], size;
    char path[64];
    orff_model *model = fit(1, line, X, labels), *again = NULL;
    forged file;
    snprintf(path, sizeof path, "/tmp/orff_codes_%ld", (long)getpid());
    assert_ok(orff_model_save(model, path, false));
    assert_ok(orff_model_load(&again, path));
    assert_ok(orff_model_classify(model, N, X, a));
    assert_ok(orff_model_classify(again, N, X, b));
    assert_memory_equal(a, b, sizeof a);
    orff_model_free(again);
    again = NULL;
    unsigned char *bytes = forged_read(path, &size);
    assert_true(forged_take_apart(bytes, size, &file));
    free(bytes);
    for (size_t trial = 0; trial < 2; trial++) { /* a code that is no number; more classes than codes */
        if (trial == 0) forged_set_number(&file, "codes", 1, (double)NAN);
        if (trial == 1) forged_set_number(&file, "codes", 1, 1.0);
        if (trial == 1) json_object_set_new(forged_about(&file), "classes", json_integer(4));
        bytes = forged_put_together(&file, &size);
        support_write_bytes(path, bytes, size);
        free(bytes);
        assert_status(orff_model_load(&again, path), ORFF_ERROR_FORMAT);
    }
    forged_clear(&file);
    remove(path);
    orff_model_free(model);
}

static void test_refusals(void **state) {
    (void)state;
    static const double same[] = {0.0, 1.0, 1.0};
    double X[2 * N], labels[N];
    orff_model *model = NULL;
    orff_settings settings = settings_of(1, same);
    fill(X, labels);
    assert_status(orff_model_fit(&model, &settings, 2, 1, N, X, labels, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("those of classes 2 and 3 are the same");
    settings = settings_of(1, line);
    settings.loss = ORFF_LOSS_LOGISTIC;
    assert_status(orff_model_fit(&model, &settings, 2, 1, N, X, labels, NULL), ORFF_ERROR_UNSUPPORTED);
    settings = settings_of(1, line);
    settings.classes = 0;
    assert_status(orff_model_fit(&model, &settings, 2, 1, N, X, labels, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("they are for classes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_simplex),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
