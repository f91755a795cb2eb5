/* Settings by name and text: the table, its defaults, and parsing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

static orff_options *options_of(const char *text) {
    orff_options *options = NULL;
    assert_ok(orff_options_create(&options));
    assert_ok(orff_options_read(options, text));
    return options;
}

/* The message of a text that must be refused, and the setting it is about. */
static void refused(const char *text, const orff_data_shape *shape, const char *culprit, const char *says) {
    orff_options *options = NULL;
    orff_settings settings;
    assert_ok(orff_options_create(&options));
    orff_status status = orff_options_read(options, text);
    if (!status) status = orff_options_resolve(options, shape, &settings);
    support_case("%s", text);
    assert_status(status, ORFF_ERROR_INVALID_ARGUMENT);
    assert_string_equal(orff_options_culprit(options), culprit);
    if (!strstr(orff_error_message(), says))
        fail_msg("\"%s\" does not say \"%s\"", orff_error_message(), says);
    orff_options_free(options);
}

static const orff_data_shape plane = {.d = 2, .p = 2};

static void the_table_is_whole(void **state) {
    (void)state;
    size_t count = 0;
    for (; orff_setting_at(count); count++) {
        const orff_setting *s = orff_setting_at(count);
        support_case("%s", s->name);
        assert_ptr_equal(orff_setting_find(s->name), s);
        for (size_t k = 0; k < count; k++) assert_string_not_equal(orff_setting_at(k)->name, s->name);
        assert_true(s->help && strlen(s->help) > 10 && s->group && s->unit && s->uses);
        assert_true(s->kind != ORFF_SETTING_NAME || s->names);
        assert_true(s->kind == ORFF_SETTING_NAME || s->form);
        if (!s->fallback) continue;
        orff_options *options = NULL;
        assert_ok(orff_options_create(&options));
        assert_ok(orff_options_set(options, s->name, s->fallback));
        orff_options_free(options);
    }
    assert_true(count > 20);
    assert_null(orff_setting_find("no-such-setting"));
}

static void defaults_come_from_the_table(void **state) {
    (void)state;
    orff_options *options = options_of("");
    orff_settings resolved;
    const orff_settings plain = orff_settings_default();
    assert_ok(orff_options_resolve(options, &plane, &resolved));
    assert_int_equal(plain.folds, 5);
    assert_int_equal(plain.lambda_count, 45);
    assert_true(plain.center && plain.scale_outputs == ORFF_SWITCH_AUTO && !plain.single);
    assert_int_equal(plain.solver, ORFF_SOLVER_AUTO);
    assert_int_equal(resolved.folds, plain.folds);
    assert_int_equal(resolved.max_iterations, plain.max_iterations);
    assert_int_equal(resolved.n_parts, 1);
    assert_int_equal(resolved.parts[0].rule, ORFF_RULE_DECOMPOSABLE);
    assert_true(resolved.parts[0].sigma == 0.0 && !resolved.parts[0].sigmas); /* auto */
    orff_options_free(options);
}

static void every_kind_of_value_arrives(void **state) {
    (void)state;
    orff_options *options =
        options_of("seed=18446744073709551615\nsampling=grid\ntolerance=0.01\nprecision=single\n"
                   "lambda=1e-3\nlambda-grid=1e-4:2:7\nloss=huber\nsolver=idr\nshadow=9\nresidual=1e-5\n"
                   "center=no\nscale-inputs=yes\nimportance=no\ncriterion=cross-validation\nbatch=32\n");
    orff_settings s;
    assert_ok(orff_options_resolve(options, &plane, &s));
    assert_true(s.sampling.seed == UINT64_MAX);
    assert_int_equal(s.sampling.scheme, ORFF_SCHEME_GRID);
    assert_close(s.sampling.tolerance, 0.01, 0);
    assert_true(s.single && !s.center);
    assert_close(s.lambda, 1e-3, 0);
    assert_close(s.lambda_low, 1e-4, 0);
    assert_close(s.lambda_high, 2.0, 0);
    assert_int_equal(s.lambda_count, 7);
    assert_int_equal(s.loss, ORFF_LOSS_HUBER);
    assert_int_equal(s.solver, ORFF_SOLVER_IDR);
    assert_int_equal(s.shadow, 9);
    assert_int_equal(s.batch, 32);
    assert_close(s.tolerance, 1e-5, 0);
    assert_int_equal(s.scale_inputs, ORFF_SWITCH_YES);
    assert_int_equal(s.sampling.importance, ORFF_SWITCH_NO);
    assert_int_equal(s.criterion, ORFF_CRITERION_CROSS_VALIDATION);
    orff_options_free(options);
}

static void kernels_are_read(void **state) {
    (void)state;
    orff_options *options =
        options_of("kernel=div-free:matern32@120*2+decomposable@1e+2,7+curl-free\nbase=cauchy\nsigma=3\n");
    orff_settings s;
    assert_ok(orff_options_resolve(options, &plane, &s));
    assert_int_equal(s.n_parts, 3);
    assert_int_equal(s.parts[0].rule, ORFF_RULE_DIV_FREE);
    assert_int_equal(s.parts[0].base, ORFF_BASE_MATERN);
    assert_close(s.parts[0].shape, 1.5, 0);
    assert_close(s.parts[0].sigmas[1], 120.0, 0);
    assert_close(s.parts[0].weight, 2.0, 0);
    assert_close(s.parts[1].sigmas[0], 100.0, 0);
    assert_close(s.parts[1].sigmas[1], 7.0, 0);
    assert_int_equal(s.parts[1].base, ORFF_BASE_RATIONAL_QUADRATIC);
    assert_int_equal(s.parts[2].rule, ORFF_RULE_CURL_FREE);
    assert_close(s.parts[2].sigma, 3.0, 0);
    assert_true(s.parts[2].normalise && !s.mixture && !s.auto_kernel);
    orff_options_free(options);
}

/* One for each of many inputs, in the setting and in a part. */
static void length_scales_of_many_inputs_are_read(void **state) {
    (void)state;
    enum { INPUTS = 300 };
    const char *const forms[] = {"sigma=", "kernel=decomposable@"};
    const orff_data_shape shape = {.d = INPUTS, .p = 1};
    for (size_t k = 0; k < 2; k++) {
        char text[INPUTS * 24 + 64];
        size_t used = (size_t)snprintf(text, sizeof text, "%s", forms[k]);
        for (size_t i = 0; i < INPUTS; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g", i ? "," : "",
                                     1.0 + (double)i / 7.0);
        orff_options *options = options_of(text);
        orff_settings s;
        support_case("%s", forms[k]);
        assert_ok(orff_options_resolve(options, &shape, &s));
        for (size_t i = 0; i < INPUTS; i++) assert_true(s.parts[0].sigmas[i] == 1.0 + (double)i / 7.0);
        orff_options_free(options);
    }
}

static void the_number_of_frequencies_can_be_asked(void **state) {
    (void)state;
    orff_options *options = options_of("kernel=helmholtz\nsigma=1\n");
    orff_settings s;
    assert_ok(orff_options_resolve(options, &plane, &s));
    assert_int_equal(orff_settings_features(&s, 2, 2, 0), 600); /* 2400 rows to be solved */
    assert_int_equal(orff_settings_features(&s, 2, 2, 400), 200);
    s.sampling.features = 7;
    assert_int_equal(orff_settings_features(&s, 2, 2, 400), 7);
    assert_int_equal(orff_settings_features(NULL, 2, 2, 400), 0);
    orff_options_free(options);
}

static void shapes_are_given_or_asked_for(void **state) {
    (void)state;
    orff_options *options = options_of(
        "kernel=decomposable+decomposable\nbase=matern+rational-quadratic\nshape=1.7+3\nsigma=1\n");
    orff_settings s;
    assert_ok(orff_options_resolve(options, &plane, &s));
    assert_close(s.parts[0].shape, 1.7, 0);
    assert_close(s.parts[1].shape, 3.0, 0);
    orff_options_free(options);
    options = options_of("base=matern/2.25\nsigma=1\n");
    assert_ok(orff_options_resolve(options, &plane, &s));
    assert_close(s.parts[0].shape, 2.25, 0);
    orff_options_free(options);
    refused("base=matern\n", &plane, "shape", "needs a shape");
    refused("base=rational-quadratic\n", &plane, "shape", "needs a shape");
    refused("base=matern32/2\n", &plane, "base", "no shape");
    refused("base=matern\nshape=-1\n", &plane, "shape", "positive");
}

static void output_matrices_are_read(void **state) {
    (void)state;
    const double Y[] = {1, 2, 3, 5, 0, 1}, *A;
    orff_data_shape rows = {.d = 2, .p = 2, .n = 3, .X = Y, .Y = Y};
    orff_options *options =
        options_of("kernel=decomposable+div-free+decomposable\nsigma=1\noutput-matrix=2,1;1,3+covariance\n");
    orff_settings s;
    double C[4];
    assert_ok(orff_options_resolve(options, &rows, &s));
    A = s.parts[0].A;
    assert_true(A[0] == 2 && A[1] == 1 && A[2] == 1 && A[3] == 3);
    assert_null(s.parts[1].A);
    assert_ok(orff_output_covariance(3, 2, Y, C));
    assert_close(s.parts[2].A[1], C[1], 1e-15);
    orff_options_free(options);
    refused("output-matrix=1,2,3;4,5,6\n", &plane, "output-matrix", "2 x 3");
    refused("output-matrix=nonsense\n", &plane, "output-matrix", "laplacian");
    refused("output-matrix=covariance\n", &plane, "output-matrix", "rows");
    refused("kernel=div-free\noutput-matrix=1,0;0,1\n", &plane, "output-matrix", "decomposable");
}

static void covariates_and_frequencies_are_read(void **state) {
    (void)state;
    const char *const names[] = {"lon", "time", "lat"};
    const orff_data_shape shape = {.d = 3, .p = 2, .inputs = names};
    orff_options *options =
        options_of("kernel=div-free\nsigma=1\ncovariates=time\nfrequencies=1,2,3,0.25;4,5,6,0.75\n");
    orff_settings s;
    assert_ok(orff_options_resolve(options, &shape, &s));
    assert_int_equal(s.parts[0].space[0], 0);
    assert_int_equal(s.parts[0].space[1], 2);
    assert_int_equal(s.sampling.features, 2);
    assert_close(s.sampling.omega[4], 5.0, 0);
    assert_close(s.sampling.weights[1], 0.75, 0);
    orff_options_free(options);
    refused("kernel=div-free\ncovariates=tiem\n", &shape, "covariates", "did you mean \"time\"");
    refused("kernel=div-free\n", &shape, "kernel", "covariates");
    refused("frequencies=1,2;3,4\n", &shape, "frequencies", "3 columns");
}

static void covariates_can_be_asked_for(void **state) {
    (void)state;
    static const char *const names[] = {"x", "depth", "y"};
    const orff_data_shape shape = {.d = 3, .inputs = names};
    bool covariate[3] = {true, false, true};
    orff_options *options = options_of("covariates=depth\n");
    assert_ok(orff_options_covariates(options, &shape, covariate));
    assert_true(!covariate[0] && covariate[1] && !covariate[2]);
    assert_ok(orff_options_set(options, "covariates", "3,1"));
    assert_ok(orff_options_covariates(options, &shape, covariate));
    assert_true(covariate[0] && !covariate[1] && covariate[2]);
    assert_ok(orff_options_set(options, "covariates", "dept"));
    assert_int_equal(orff_options_covariates(options, &shape, covariate), ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "\"depth\""));
    assert_string_equal(orff_options_culprit(options), "covariates");
    orff_options_free(options);
}

/* Files that were written when engines were still among the solvers. */
static void an_engine_that_was_a_solver_is_read(void **state) {
    (void)state;
    orff_options *options = options_of("solver=exact\nfolds=3\n");
    orff_settings s;
    assert_ok(orff_options_resolve(options, &plane, &s));
    assert_int_equal(s.engine, ORFF_ENGINE_EXACT);
    assert_int_equal(s.solver, ORFF_SOLVER_AUTO);
    assert_int_equal(s.folds, 3);
    orff_options_free(options);
}

static void the_median_is_that_of_the_rows(void **state) {
    (void)state;
    double X[200];
    for (size_t i = 0; i < 100; i++) X[2 * i] = (double)(i % 2), X[2 * i + 1] = 0.0;
    const orff_data_shape shape = {.d = 2, .p = 2, .n = 100, .X = X, .Y = X};
    orff_options *options = options_of("sigma=median\n");
    orff_settings s;
    assert_ok(orff_options_resolve(options, &shape, &s));
    assert_close(s.parts[0].sigma, 1.0, 1e-12); /* 0s and 1s: those that differ differ by 1 */
    orff_options_free(options);
    refused("sigma=median\n", &plane, "sigma", "rows");
}

static void wrong_texts_are_refused(void **state) {
    (void)state;
    refused("folds=1\n", &plane, "folds", "2 to 1000");
    refused("folds=2.5\n", &plane, "folds", "whole");
    refused("seed=18446744073709551616\n", &plane, "seed", "range");
    refused("lambda=-1\n", &plane, "lambda", "range");
    refused("lambda=1x\n", &plane, "lambda", "auto");
    refused("loss=hubber\n", &plane, "loss", "\"huber\"");
    refused("sigma=1,2,3\n", &plane, "sigma", "2 inputs");
    refused("sigma=0\n", &plane, "sigma", "positive");
    refused("kernel=div-free+div-free\nsigma=1+2+3\n", &plane, "sigma", "2 parts");
    refused("kernel=custom-b\n", &plane, "kernel", "function");
    refused("kernel=auto\nsigma=1\n", &plane, "sigma", "itself");
    refused("kernel=auto+div-free\n", &plane, "kernel", "cannot be part of a sum");
    refused("mix=0.3\n", &plane, "mix", "helmholtz");
    refused("kernel=helmholtz\nmix=2\n", &plane, "mix", "0 to 1");
    refused("lambda-grid=1:2\n", &plane, "lambda-grid", "LO:HI:COUNT");
    orff_options *options = NULL;
    assert_ok(orff_options_create(&options));
    assert_status(orff_options_set(options, "sigmaa", "1"), ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "did you mean \"sigma\""));
    assert_status(orff_options_set(options, "checkpoint", "a\nseed=3"), ORFF_ERROR_INVALID_ARGUMENT);
    orff_options_free(options);
}

static void what_was_given_can_be_read_again(void **state) {
    (void)state;
    orff_options *options = options_of("kernel=div-free\nsigma=0.1+2\nlambda=0.5\n"), *again;
    char *text = NULL, *second = NULL;
    assert_ok(orff_options_write(options, &text));
    again = options_of(text);
    assert_string_equal(orff_options_get(again, "sigma"), "0.1+2");
    assert_false(orff_options_given(again, "folds"));
    assert_string_equal(orff_options_get(again, "folds"), "5");
    assert_ok(orff_options_write(again, &second));
    assert_string_equal(text, second);
    orff_text_free(text);
    orff_text_free(second);
    orff_options_free(options);
    orff_options_free(again);
}

/* The simple call is the long one. */
static void the_simple_call_learns(void **state) {
    (void)state;
    enum { N = 60 };
    double X[2 * N], Y[2 * N], F[2], G[2];
    const char *const texts[] = {"kernel=div-free", "sigma=0.7", "lambda=1e-4", "features=50", NULL};
    for (size_t i = 0; i < N; i++) {
        X[2 * i] = (double)(i % 8) / 8.0;
        X[2 * i + 1] = (double)(i / 8) / 8.0;
        Y[2 * i] = -X[2 * i + 1];
        Y[2 * i + 1] = X[2 * i];
    }
    orff_model *simple = NULL, *longer = NULL;
    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_DIV_FREE;
    part.sigma = 0.7;
    orff_settings settings = orff_settings_default();
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda = 1e-4;
    settings.sampling.features = 50;
    assert_ok(orff_learn(&simple, texts, 2, 2, N, X, Y));
    assert_ok(orff_model_fit(&longer, &settings, 2, 2, N, X, Y, NULL));
    assert_ok(orff_model_predict(simple, 1, X + 20, F));
    assert_ok(orff_model_predict(longer, 1, X + 20, G));
    assert_true(F[0] == G[0] && F[1] == G[1]);
    orff_model_free(simple);
    orff_model_free(longer);
    assert_ok(orff_learn(&simple, NULL, 2, 2, N, X, Y)); /* everything automatic */
    orff_model_free(simple);
    const char *const wrong[] = {"kernel", NULL}, *const unknown[] = {"sigm=1", NULL};
    assert_status(orff_learn(&simple, wrong, 2, 2, N, X, Y), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_learn(&simple, unknown, 2, 2, N, X, Y), ORFF_ERROR_INVALID_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_whole),
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(every_kind_of_value_arrives),
        cmocka_unit_test(kernels_are_read),
        cmocka_unit_test(length_scales_of_many_inputs_are_read),
        cmocka_unit_test(the_number_of_frequencies_can_be_asked),
        cmocka_unit_test(shapes_are_given_or_asked_for),
        cmocka_unit_test(output_matrices_are_read),
        cmocka_unit_test(covariates_and_frequencies_are_read),
        cmocka_unit_test(covariates_can_be_asked_for),
        cmocka_unit_test(an_engine_that_was_a_solver_is_read),
        cmocka_unit_test(the_median_is_that_of_the_rows),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(what_was_given_can_be_read_again),
        cmocka_unit_test(the_simple_call_learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
