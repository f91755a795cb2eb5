/* Files of models and moments: content is restored bit for bit, old files stay readable, and a file that
 * cannot be replaced is unchanged. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fields.h"
#include "base/random.h"
#include "models.h"
#include "support.h"

enum { ROWS = 60, POINTS = 5, LARGEST_D = 130, LARGEST_P = 4 };

static char directory[64];

static int set_up(void **state) {
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/orff_files_XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static const char *in_directory(const char *name) {
    static char paths[4][128];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", directory, name);
    return path;
}

static int tear_down(void **state) {
    static const char *const names[] = {"a", "b", "c"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(in_directory(names[i]));
    return rmdir(directory); /* which fails when a temporary was left */
}

static void assert_same_bits(const char *what, size_t count, const double *a, const double *b) {
    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s: number %zu is %.17g, was %.17g", what, i, b[i], a[i]);
}

static size_t file_size(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (size_t)status.st_size;
}

/* ---- data */

static double X[ROWS * LARGEST_D], Y[ROWS * LARGEST_P];

static void fill_data(size_t d, size_t p, size_t classes) {
    const orffi_rng rng = {.seed = 7, .stream = 3};
    for (size_t i = 0; i < ROWS * d; i++) X[i] = orffi_rng_normal(rng, i, 0);
    for (size_t i = 0; i < ROWS * p; i++)
        Y[i] = classes ? (double)(i % classes)
                       : 3.0 + sin(2.0 * X[i % d + (i / p) * d]) + 0.1 * orffi_rng_normal(rng, i, 1);
}

/* ---- models of every kind that can be saved */

static const double matrix_A[] = {2.0, 0.5, 0.1, 0.5, 1.0, 0.3, 0.1, 0.3, 0.7};
static const double factor_B[] = {1.0, -0.4, 0.8};
static const double lengths[] = {0.7, 1.3, 2.1, 0.9};
static const size_t space[] = {2, 0};

enum { AS_IS = 0, SCALED = 1, MIXTURE = 2, SINGLE = 4 };

typedef struct setup {
    const char *name;
    size_t d, p, classes, n_parts;
    orff_part parts[3];
    orff_scheme scheme;
    size_t features;
    unsigned how;
} setup;

#define PART(length, ...) \
    { .sigma = length, .weight = 0.7, .shape = 2.5, .mix = 0.3, __VA_ARGS__ }
static const setup setups[] = {
    {"identity", 2, 2, 0, 1, {PART(1.0, .rule = ORFF_RULE_DECOMPOSABLE)}, ORFF_SCHEME_QMC, 20, SCALED},
    {"matrix", 3, 3, 0, 1, {PART(1.0, .base = ORFF_BASE_LAPLACE, .A = matrix_A)}, ORFF_SCHEME_IID, 20, AS_IS},
    {"factor",
     4,
     3,
     0,
     1,
     {PART(1.0, .B = factor_B, .columns = 1, .sigmas = lengths)},
     ORFF_SCHEME_ORTHOGONAL,
     20,
     AS_IS},
    {"curl",
     2,
     2,
     0,
     1,
     {PART(1.0, .rule = ORFF_RULE_CURL_FREE, .normalise = true)},
     ORFF_SCHEME_HALTON,
     20,
     AS_IS},
    {"div",
     3,
     3,
     0,
     1,
     {PART(1.0, .rule = ORFF_RULE_DIV_FREE, .base = ORFF_BASE_MATERN)},
     ORFF_SCHEME_QMC,
     12,
     AS_IS},
    {"helmholtz",
     3,
     2,
     0,
     1,
     {PART(1.0, .rule = ORFF_RULE_HELMHOLTZ, .base = ORFF_BASE_RATIONAL_QUADRATIC, .space = space,
           .sigmas = lengths)},
     ORFF_SCHEME_QMC,
     16,
     AS_IS},
    {"product",
     2,
     2,
     0,
     1,
     {PART(1.0, .rule = ORFF_RULE_CURL_FREE, .base = ORFF_BASE_CAUCHY_PRODUCT)},
     ORFF_SCHEME_QMC,
     16,
     AS_IS},
    {"hadamard", 16, 1, 0, 1, {PART(4.0, .rule = ORFF_RULE_DECOMPOSABLE)}, ORFF_SCHEME_HADAMARD, 20, AS_IS},
    {"structured",
     130,
     2,
     0,
     1,
     {PART(11.0, .rule = ORFF_RULE_DECOMPOSABLE)},
     ORFF_SCHEME_HADAMARD,
     40,
     AS_IS},
    {"grid", 2, 2, 0, 1, {PART(1.0, .rule = ORFF_RULE_DIV_FREE)}, ORFF_SCHEME_GRID, 40, AS_IS},
    {"auto", 13, 2, 0, 1, {PART(4.0, .rule = ORFF_RULE_DECOMPOSABLE)}, ORFF_SCHEME_AUTO, 20, AS_IS},
    {"sum",
     2,
     2,
     0,
     3,
     {PART(1.0, .rule = ORFF_RULE_CURL_FREE), PART(1.0, .rule = ORFF_RULE_DIV_FREE, .normalise = true),
      PART(0.4, .rule = ORFF_RULE_DECOMPOSABLE, .base = ORFF_BASE_MATERN)},
     ORFF_SCHEME_QMC,
     21,
     SCALED},
    {"mixture",
     2,
     2,
     0,
     2,
     {PART(1.0, .rule = ORFF_RULE_CURL_FREE), PART(0.5, .rule = ORFF_RULE_DECOMPOSABLE)},
     ORFF_SCHEME_QMC,
     20,
     MIXTURE},
    {"classes", 2, 1, 4, 1, {PART(1.0, .rule = ORFF_RULE_DECOMPOSABLE)}, ORFF_SCHEME_QMC, 20, SINGLE},
};
enum { SETUPS = sizeof setups / sizeof *setups };

static orff_model *fit(const setup *s) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    fill_data(s->d, s->p, s->classes);
    settings.n_parts = s->n_parts;
    settings.parts = s->parts;
    settings.sampling.scheme = s->scheme;
    settings.sampling.features = s->features;
    settings.sampling.seed = 0xfedcba9876543210u;
    settings.lambda = 1e-3;
    settings.classes = s->classes;
    settings.mixture = s->how & MIXTURE;
    settings.single = s->how & SINGLE;
    settings.scale_inputs = s->how & SCALED ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
    settings.scale_outputs = s->how & SCALED ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
    settings.posterior = ORFF_SWITCH_YES;
    assert_ok(orff_model_fit(&model, &settings, s->d, s->p, ROWS, X, Y, NULL));
    assert_non_null(models_fit(model)->posterior);
    return model;
}

static void assert_same_info(const orff_model *a, const orff_model *b) {
    const orff_model_info x = orff_model_describe(a), y = orff_model_describe(b);
    const double told_x[] = {x.lambda,         x.train_mse,       x.dof,         x.noise ? x.noise[0] : 0.0,
                             x.solve.residual, x.solve.condition, x.solve.jitter};
    const double told_y[] = {y.lambda,         y.train_mse,       y.dof,         y.noise ? y.noise[0] : 0.0,
                             y.solve.residual, y.solve.condition, y.solve.jitter};
    assert_same_bits("info", 7, told_x, told_y);
    assert_true(x.cv_mse == y.cv_mse || (isnan(x.cv_mse) && isnan(y.cv_mse)));
    assert_true(x.log_evidence == y.log_evidence || (isnan(x.log_evidence) && isnan(y.log_evidence)));
    assert_true(x.inputs == y.inputs && x.outputs == y.outputs && x.classes == y.classes &&
                x.parts == y.parts);
    assert_true(x.frequencies == y.frequencies && x.parameters == y.parameters && x.rows == y.rows);
    assert_true(x.scheme == y.scheme && x.seed == y.seed && x.single == y.single && x.warnings == y.warnings);
    assert_true(x.has_posterior == y.has_posterior && x.solve.iterations == y.solve.iterations);
    assert_true(x.solve.converged == y.solve.converged && x.solve.fell_back == y.solve.fell_back);
    assert_string_equal(x.kernel, y.kernel);
    assert_string_equal(x.solve.method, y.solve.method);
    assert_same_bits("output_train_mse", a->p, x.output_train_mse, y.output_train_mse);
    assert_true(!x.output_cv_mse == !y.output_cv_mse);
    if (x.output_cv_mse) assert_same_bits("output_cv_mse", a->p, x.output_cv_mse, y.output_cv_mse);
    assert_true(!x.shares == !y.shares);
    if (x.shares) assert_same_bits("shares", x.parts + 1, x.shares, y.shares);
}

static void assert_same_model(const orff_model *a, const orff_model *b) {
    double F[2][POINTS * LARGEST_P], C[2][POINTS * LARGEST_P * LARGEST_P], K[2][LARGEST_P * LARGEST_P];
    const size_t p = a->p;
    assert_same_info(a, b);
    assert_ok(orff_model_predict(a, POINTS, X, F[0]));
    assert_ok(orff_model_predict(b, POINTS, X, F[1]));
    assert_same_bits("prediction", POINTS * p, F[0], F[1]);
    if (models_fit(a)->posterior) {
        assert_ok(orff_model_covariance(a, POINTS, X, C[0]));
        assert_ok(orff_model_covariance(b, POINTS, X, C[1]));
        assert_same_bits("covariance", POINTS * p * p, C[0], C[1]);
    }
    assert_ok(orff_kernel_eval(models_fit(a)->features->kernel, X, X + a->d, K[0]));
    assert_ok(orff_kernel_eval(models_fit(b)->features->kernel, X, X + a->d, K[1]));
    assert_same_bits("K", p * p, K[0], K[1]);
}

/* Saved, loaded, compared, saved again: the same bytes. */
static void check_round_trip(const orff_model *model, bool compact) {
    orff_model *loaded = NULL;
    assert_ok(orff_model_save(model, in_directory("a"), compact));
    assert_ok(orff_model_load(&loaded, in_directory("a")));
    assert_same_model(model, loaded);
    assert_ok(orff_model_save(loaded, in_directory("b"), compact));
    assert_same_files(in_directory("a"), in_directory("b"));
    orff_model_free(loaded);
}

static void test_models(void **state) {
    (void)state;
    for (size_t i = 0; i < SETUPS; i++) {
        support_case("%s", setups[i].name);
        orff_model *model = fit(&setups[i]);
        check_round_trip(model, false);
        const size_t whole = file_size(in_directory("a"));
        check_round_trip(model, true);
        const size_t less = whole - file_size(in_directory("a"));
        const bool given_back = setups[i].scheme != ORFF_SCHEME_GRID;
        if (given_back ? less < 8 * setups[i].features : less != 0)
            fail_msg("%s: compact saves %zu bytes", setups[i].name, less);
        orff_model_free(model);
    }
}

static void test_without_posterior(void **state) {
    (void)state;
    orff_model *model = fit(&setups[0]);
    orffi_posterior_free(models_fit(model)->posterior);
    models_fit(model)->posterior = NULL;
    model->solve.method = "a method of tomorrow"; /* texts are kept as they are */
    model->cv_mse = NAN;
    for (size_t k = 0; k < model->p; k++) model->noise[k] = NAN;
    model->solve.condition = INFINITY;
    check_round_trip(model, false);
    orff_model_free(model);
}

static void test_single_prediction(void **state) {
    (void)state;
    orff_model *model = fit(&setups[8]), *loaded = NULL;
    float x[POINTS * LARGEST_D], F[2][POINTS * LARGEST_P];
    for (size_t i = 0; i < POINTS * LARGEST_D; i++) x[i] = (float)X[i];
    assert_ok(orff_model_save(model, in_directory("a"), false));
    assert_ok(orff_model_load(&loaded, in_directory("a")));
    assert_ok(orff_model_predict_single(model, POINTS, x, F[0]));
    assert_ok(orff_model_predict_single(loaded, POINTS, x, F[1]));
    assert_memory_equal(F[0], F[1], POINTS * 2 * sizeof(float));
    orff_model_free(model);
    orff_model_free(loaded);
}

/* The caller's own frequencies, one of them without weight, are never left out. */
static void test_given(void **state) {
    (void)state;
    const double omega[] = {0.5, 1.0, -1.0, 0.25, 2.0, 0.0}, weights[] = {0.5, 0.0, 0.25};
    const orff_part part = PART(1.0, .rule = ORFF_RULE_CURL_FREE);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_model *model = NULL;
    fill_data(2, 2, 0);
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create_at(&features, kernel, 3, omega, weights));
    assert_ok(models_create(&model, features, 0));
    for (size_t i = 0; i < features->M; i++) models_fit(model)->theta[i] = 0.1 * (double)i - 0.2;
    model->solve.method = "sgd";
    models_finish(model);
    check_round_trip(model, true);
    orff_kernel_free(kernel);
    orff_model_free(model);
}

/* Groups that no part uses keep their place in phi. */
static void test_unused_groups(void **state) {
    (void)state;
    const setup *s = &setups[12];
    orff_kernel *kernel = NULL;
    orff_features *features = NULL, *fewer = NULL;
    orff_model *model = NULL;
    orff_sampling sampling = orff_sampling_default();
    sampling.features = 31;
    fill_data(2, 2, 0);
    assert_ok(orff_kernel_create(&kernel, 2, 2, 2, s->parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    orff_kernel_free(kernel);
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, s->parts + 1));
    assert_ok(orff_features_rebind(&fewer, features, kernel));
    assert_ok(models_create(&model, fewer, 0));
    for (size_t i = 0; i < fewer->M; i++) models_fit(model)->theta[i] = cos((double)i);
    model->solve.method = "pcg";
    models_finish(model);
    check_round_trip(model, false);
    check_round_trip(model, true);
    orff_kernel_free(kernel);
    orff_features_free(features);
    orff_model_free(model);
}

/* The posterior of a loaded model lies in its file, which is replaced under it. */
static void test_save_over_itself(void **state) {
    (void)state;
    orff_model *model = fit(&setups[4]), *loaded = NULL;
    assert_ok(orff_model_save(model, in_directory("a"), false));
    assert_ok(orff_model_load(&loaded, in_directory("a")));
    assert_non_null(loaded->file);
    assert_ok(orff_model_save(loaded, in_directory("a"), true));
    assert_same_model(model, loaded);
    orff_model_free(loaded);
    assert_ok(orff_model_load(&loaded, in_directory("a")));
    assert_same_model(model, loaded);
    orff_model_free(loaded);
    orff_model_free(model);
}

/* ---- what cannot be saved or loaded */

static void test_not_finite_refused(void **state) {
    (void)state;
    orff_model *model = fit(&setups[0]);
    models_fit(model)->theta[3] = NAN;
    assert_status(orff_model_save(model, in_directory("a"), false), ORFF_ERROR_NOT_FINITE);
    assert_says("theta");
    orff_model_free(model);
}

/* A refusal in the user's words: what is wrong, what to do, and no name that nobody knows. */
static void assert_unreadable_says(const char *what) {
    assert_says(what);
    assert_says("no file was written");
    assert_says("units");
    assert_null(strstr(orff_error_message(), ".tmp-"));
    assert_null(strstr(orff_error_message(), "damaged"));
}

/* Whatever the loader would refuse never replaces a file that works. */
static void test_unreadable_refused(void **state) {
    (void)state;
    orff_model *model = fit(&setups[0]);
    assert_ok(orff_model_save(model, in_directory("a"), false));
    assert_ok(orff_model_save(model, in_directory("b"), false));
    double *const told[] = {&model->dof,    &model->noise[0], &model->train_mse,          &model->unit[0],
                            &model->lambda, &model->mean[0],  &model->output_train_mse[0]};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const double good = *told[i];
        *told[i] = i == 5 ? (double)NAN : -1.0;
        assert_status(orff_model_save(model, in_directory("a"), false), ORFF_ERROR_NUMERICAL);
        assert_unreadable_says("the model cannot be saved");
        assert_same_files(in_directory("a"), in_directory("b"));
        assert_status(orff_model_save(model, in_directory("c"), false), ORFF_ERROR_NUMERICAL);
        assert_int_not_equal(access(in_directory("c"), F_OK), 0);
        *told[i] = good;
    }
    orff_model_free(model);
}

static void test_arguments(void **state) {
    (void)state;
    orff_model *model = fit(&setups[0]), *none = NULL;
    orff_moments *moments = NULL;
    assert_status(orff_model_save(NULL, in_directory("a"), false), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_save(model, NULL, false), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_load(&none, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_save(NULL, in_directory("a")), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_load(NULL, in_directory("a")), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_load(&none, in_directory("a")), ORFF_ERROR_IO);
    assert_says(directory);
    assert_ok(orff_model_save(model, in_directory("a"), false));
    assert_status(orff_moments_load(&moments, in_directory("a")), ORFF_ERROR_FORMAT);
    assert_says("\"orff-moments\" was expected");
    assert_null(none);
    assert_null(moments);
    orff_model_free(model);
}

/* ---- moments */

typedef struct moments_setup {
    double sigma;
    orff_scheme scheme;
    uint64_t seed;
    size_t folds;
    bool single;
} moments_setup;

static const moments_setup usual = {1.0, ORFF_SCHEME_QMC, UINT64_MAX, 3, false};

static orff_moments *gather(const moments_setup *s, size_t first, size_t rows) {
    const orff_part parts[] = {PART(s->sigma, .rule = ORFF_RULE_DECOMPOSABLE),
                               PART(2.0, .rule = ORFF_RULE_CURL_FREE)};
    const orff_moments_settings settings = {
        .folds = s->folds, .seed = 12345678901234567890u, .single = s->single};
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    fill_data(2, 2, 0);
    sampling.scheme = s->scheme;
    sampling.features = 13;
    sampling.seed = s->seed;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 2, parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_moments_create(&moments, features, &settings));
    assert_ok(orff_moments_accumulate(moments, rows, X + 2 * first, Y + 2 * first, NULL));
    orff_features_free(features);
    orff_kernel_free(kernel);
    return moments;
}

static void assert_same_triangle(size_t L, const double *a, const double *b) {
    for (size_t i = 0; i < L; i++) assert_same_bits("S", L - i, a + i * L + i, b + i * L + i);
}

static void assert_same_moments(const orff_moments *a, const orff_moments *b) {
    const size_t L = 2 * a->bank->D, q = a->p + 1;
    assert_ok(orffi_bank_compare(a->bank, b->bank));
    assert_true(a->n_sets == b->n_sets && a->p == b->p && a->arrived == b->arrived);
    assert_true(a->settings.folds == b->settings.folds && a->settings.seed == b->settings.seed);
    assert_int_equal(a->settings.single, b->settings.single);
    for (size_t k = 0; k < a->n_sets; k++) {
        assert_true(a->sets[k].rows == b->sets[k].rows);
        assert_same_triangle(L, a->sets[k].S, b->sets[k].S);
        assert_same_bits("R", L * q, a->sets[k].R, b->sets[k].R);
        assert_same_bits("T", q * q, a->sets[k].T, b->sets[k].T);
    }
}

static orff_moments *through_file(const orff_moments *moments, const char *name) {
    orff_moments *loaded = NULL;
    assert_ok(orff_moments_save(moments, in_directory(name)));
    assert_ok(orff_moments_load(&loaded, in_directory(name)));
    assert_same_moments(moments, loaded);
    return loaded;
}

static void test_unreadable_moments_refused(void **state) {
    (void)state;
    orff_moments *moments = gather(&usual, 0, ROWS);
    assert_ok(orff_moments_save(moments, in_directory("a")));
    assert_ok(orff_moments_save(moments, in_directory("b")));
    moments->arrived = 1; /* fewer than there are */
    assert_status(orff_moments_save(moments, in_directory("a")), ORFF_ERROR_NUMERICAL);
    assert_unreadable_says("the moments cannot be saved");
    moments->arrived = ROWS;
    for (int i = 0; i < 3; i++) {
        double *const sum = i == 0 ? moments->sets[0].S : i == 1 ? moments->sets[1].R : moments->sets[2].T;
        const double good = *sum;
        *sum = (double)INFINITY;
        assert_status(orff_moments_save(moments, in_directory("a")), ORFF_ERROR_NUMERICAL);
        assert_unreadable_says("overflowed");
        *sum = good;
    }
    assert_same_files(in_directory("a"), in_directory("b"));
    orff_moments_free(moments);
}

static void test_moments(void **state) {
    (void)state;
    const moments_setup all[] = {usual,
                                 {0.3, ORFF_SCHEME_GRID, 5, 0, false},
                                 {1.0, ORFF_SCHEME_IID, 0, 1, true},
                                 {1.0, ORFF_SCHEME_HALTON, 1, 2, false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        orff_moments *moments = gather(&all[i], 0, ROWS), *loaded = through_file(moments, "a");
        assert_ok(orff_moments_save(loaded, in_directory("b")));
        assert_same_files(in_directory("a"), in_directory("b"));
        orff_moments_free(moments);
        orff_moments_free(loaded);
    }
}

/* What goes on from a file goes on as if there had been none: rows fall in the same folds. */
static void test_moments_go_on(void **state) {
    (void)state;
    orff_moments *moments = gather(&usual, 0, 40), *loaded = through_file(moments, "a");
    assert_ok(orff_moments_accumulate(moments, 20, X + 80, Y + 80, NULL));
    assert_ok(orff_moments_accumulate(loaded, 20, X + 80, Y + 80, NULL));
    assert_same_moments(moments, loaded);
    orff_moments_free(moments);
    orff_moments_free(loaded);
}

static void test_moments_add(void **state) {
    (void)state;
    orff_moments *a = gather(&usual, 0, 25), *b = gather(&usual, 25, 35);
    orff_moments *loaded_a = through_file(a, "a"), *loaded_b = through_file(b, "b");
    assert_ok(orff_moments_add(a, b));
    assert_ok(orff_moments_add(loaded_a, loaded_b));
    assert_same_moments(a, loaded_a);
    orff_moments *sum = through_file(loaded_a, "c");
    assert_ok(orff_moments_subtract(a, b));
    assert_ok(orff_moments_subtract(sum, loaded_b));
    assert_same_moments(a, sum);
    orff_moments *all[] = {a, b, loaded_a, loaded_b, sum};
    for (size_t i = 0; i < 5; i++) orff_moments_free(all[i]);
}

static void test_moments_mismatch(void **state) {
    (void)state;
    moments_setup others[] = {usual, usual, usual, usual};
    static const char *const says[] = {"length scale", "sampling is qmc", "seed is 18446744073709551615",
                                       "3 folds"};
    orff_moments *moments = gather(&usual, 0, 20);
    others[0].sigma = 1.5;
    others[1].scheme = ORFF_SCHEME_HALTON;
    others[2].seed = 1;
    others[3].folds = 4;
    for (size_t i = 0; i < 4; i++) {
        orff_moments *other = gather(&others[i], 0, 20), *loaded = through_file(other, "a");
        assert_status(orff_moments_add(moments, loaded), ORFF_ERROR_MISMATCH);
        assert_says(says[i]);
        orff_moments_free(other);
        orff_moments_free(loaded);
    }
    orff_moments_free(moments);
}

static void test_moments_fit(void **state) {
    (void)state;
    const orff_part part = PART(2.0, .rule = ORFF_RULE_DIV_FREE);
    orff_moments *moments = gather(&usual, 0, ROWS), *loaded = through_file(moments, "a");
    orff_settings settings = orff_settings_default();
    orff_model *a = NULL, *b = NULL;
    settings.n_parts = 1;
    settings.parts = &part;
    assert_ok(orff_model_fit_moments(&a, &settings, moments));
    assert_ok(orff_model_fit_moments(&b, &settings, loaded));
    assert_same_model(a, b);
    check_round_trip(a, true);
    orff_moments_free(moments);
    orff_moments_free(loaded);
    orff_model_free(a);
    orff_model_free(b);
}

static void test_notes(void **state) {
    (void)state;
    const char *text = "{\"inputs\":[\"x\",\"caf\xc3\xa9\"]}";
    orff_model *model = fit(&setups[0]), *loaded = NULL;
    assert_string_equal(orff_model_notes(model), "");
    assert_status(orff_model_set_notes(model, "\xff\xfe"), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("UTF-8");
    assert_ok(orff_model_set_notes(model, "first"));
    assert_ok(orff_model_set_notes(model, text));
    assert_ok(orff_model_save(model, in_directory("a"), false));
    assert_ok(orff_model_load(&loaded, in_directory("a")));
    assert_string_equal(orff_model_notes(loaded), text);
    orff_model_free(model);
    orff_model_free(loaded);
    orff_moments *moments = gather(&usual, 0, ROWS);
    assert_ok(orff_moments_set_notes(moments, text));
    orff_moments *again = through_file(moments, "b");
    assert_string_equal(orff_moments_notes(again), text);
    orff_moments_free(moments);
    orff_moments_free(again);
}

static int smooth_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = K[3] = exp(-delta[0] * delta[0]);
    K[1] = K[2] = 0.5 * K[0];
    return 0;
}
SUPPORT_MANY(smooth, 1, 4)

/* Frequencies found from a signature have no law: they are stored as they are. */
static void test_moments_of_signature(void **state) {
    (void)state;
    const double extent[] = {8.0};
    const orff_part part = PART(1.0, .rule = ORFF_RULE_SIGNATURE, .matrix = smooth);
    const orff_moments_settings settings = {0};
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    fill_data(1, 2, 0);
    sampling.extent = extent;
    assert_ok(orff_kernel_create(&kernel, 1, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_moments_create(&moments, features, &settings));
    assert_ok(orff_moments_accumulate(moments, ROWS, X, Y, NULL));
    orff_moments *loaded = through_file(moments, "a");
    assert_null(loaded->bank->groups[0].law.base);
    assert_true(*loaded->bank->extent == 8.0);
    orff_moments_free(moments);
    orff_moments_free(loaded);
    orff_features_free(features);
    orff_kernel_free(kernel);
}

/* ---- the disk is full */

/* Files may not grow beyond `bytes`, and writing more is an error, not a signal. */
static struct rlimit limit_files(rlim_t bytes) {
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    signal(SIGXFSZ, SIG_IGN);
    return old;
}

static void test_disk_full(void **state) {
    (void)state;
    orff_model *model = fit(&setups[0]), *larger = fit(&setups[11]), *loaded = NULL;
    orff_moments *moments = gather(&usual, 0, ROWS), *more = gather(&usual, 0, 30), *back = NULL;
    assert_ok(orff_model_save(model, in_directory("a"), false));
    assert_ok(orff_moments_save(moments, in_directory("b")));
    const struct rlimit old = limit_files(4096);
    const orff_status of_model = orff_model_save(larger, in_directory("a"), false);
    const orff_status of_moments = orff_moments_save(more, in_directory("b"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(of_model, ORFF_ERROR_IO);
    assert_int_equal(of_moments, ORFF_ERROR_IO);
    assert_says(strerror(EFBIG));
    fill_data(2, 2, 0);
    assert_ok(orff_model_load(&loaded, in_directory("a")));
    assert_same_model(model, loaded);
    assert_ok(orff_moments_load(&back, in_directory("b")));
    assert_same_moments(moments, back);
    orff_model_free(model);
    orff_model_free(larger);
    orff_model_free(loaded);
    orff_moments_free(moments);
    orff_moments_free(more);
    orff_moments_free(back);
}

/* ---- files of version 1 */

static const char *golden_path(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/golden/%s", ORFF_TEST_DIR, name);
    return path;
}

static void assert_golden(const json_t *want, const char *key, size_t count, const double *got) {
    size_t length;
    double *numbers = support_array(support_member(want, key), &length);
    support_case("%s", key);
    assert_int_equal(length, count);
    assert_all_close(count, got, numbers, 1e-12);
    free(numbers);
}

/* The numbers were computed from the file's bytes by another program, from the formulas of docs/files.md. */
static void test_golden_model(void **state) {
    (void)state;
    json_t *table = support_load("golden/files_v1.json"), *want = support_member(table, "model");
    orff_model *model = NULL;
    orff_part part;
    size_t entries, count;
    double F[64], C[128], *points = support_array(support_member(want, "X"), &entries);
    assert_ok(orff_model_load(&model, golden_path("model_v1.orff")));
    const orff_model_info info = orff_model_describe(model);
    count = entries / info.inputs;
    assert_ok(orff_model_predict(model, count, points, F));
    assert_golden(want, "F", count * info.outputs, F);
    assert_ok(orff_model_covariance(model, count, points, C));
    assert_golden(want, "covariance", count * info.outputs * info.outputs, C);
    assert_ok(orff_model_part(model, 0, &part));
    assert_true(part.rule == ORFF_RULE_HELMHOLTZ && part.base == ORFF_BASE_MATERN && part.shape == 2.5 &&
                part.mix == 0.3);
    assert_golden(want, "sigmas", info.inputs, part.sigmas);
    assert_close(info.lambda, support_number(want, "lambda"), 1e-15);
    assert_true(info.rows == support_size(want, "rows") && info.seed == UINT64_MAX - 1);
    free(points);
    orff_model_free(model);
    json_decref(table);
}

static void test_golden_moments(void **state) {
    (void)state;
    json_t *table = support_load("golden/files_v1.json"), *want = support_member(table, "moments");
    orff_moments *moments = NULL;
    double S[256], R[64], sum_phi[16], sum_y[4], sum_yy[16];
    assert_ok(orff_moments_load(&moments, golden_path("moments_v1.orff")));
    const orff_moments_info info = orff_moments_describe(moments);
    const size_t L = 2 * info.frequencies, p = info.outputs;
    assert_true(L <= 16 && p <= 4);
    assert_ok(orff_moments_totals(moments, S, R, sum_phi, sum_y, sum_yy));
    assert_golden(want, "S", L * L, S);
    assert_golden(want, "R", L * p, R);
    assert_golden(want, "sum_phi", L, sum_phi);
    assert_golden(want, "sum_y", p, sum_y);
    assert_golden(want, "sum_yy", p * p, sum_yy);
    assert_true(info.rows == support_size(want, "rows") && info.folds == support_size(want, "folds"));
    orff_moments_free(moments);
    json_decref(table);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_models),
        TEST(test_without_posterior),
        TEST(test_single_prediction),
        TEST(test_given),
        TEST(test_unused_groups),
        TEST(test_save_over_itself),
        TEST(test_not_finite_refused),
        TEST(test_unreadable_refused),
        TEST(test_unreadable_moments_refused),
        TEST(test_arguments),
        TEST(test_moments),
        TEST(test_moments_go_on),
        TEST(test_moments_add),
        TEST(test_moments_mismatch),
        TEST(test_moments_fit),
        TEST(test_notes),
        TEST(test_moments_of_signature),
        TEST(test_disk_full),
        TEST(test_golden_model),
        TEST(test_golden_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
