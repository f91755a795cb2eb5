/* Stacks: gradients and Jacobians against differences, their initial state, learning, and stacks as
 * models. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

enum { ROWS = 300 };

/* ---- stacks of random numbers */

static orff_kernel *make_kernel(size_t d, size_t p, orff_rule rule, orff_base base, double sigma) {
    orff_part part = orff_part_default();
    orff_kernel *kernel = NULL;
    part.rule = rule;
    part.base = base;
    part.shape = 2.5;
    part.sigma = sigma;
    assert_ok(orff_kernel_create(&kernel, d, p, 1, &part));
    return kernel;
}

/* widths: layers + 1 of them; the last kernel may be of another rule than the hidden ones. */
static orff_stack *make_stack(size_t layers, const size_t *widths, orff_rule last, orff_base base) {
    orff_kernel *kernels[4] = {NULL};
    orff_sampling samplings[4] = {{0}};
    orff_stack *stack = NULL;
    for (size_t l = 0; l < layers; l++) {
        const orff_rule rule = l + 1 < layers ? ORFF_RULE_DECOMPOSABLE : last;
        kernels[l] = make_kernel(widths[l], widths[l + 1], rule, base, 0.8 + 0.3 * (double)l);
        samplings[l] = orff_sampling_default();
        samplings[l].features = 12 + l;
        samplings[l].seed = l;
    }
    assert_ok(orff_stack_create(&stack, layers, (const orff_kernel *const *)kernels, samplings));
    for (size_t l = 0; l < layers; l++) orff_kernel_free(kernels[l]);
    return stack;
}

static void fill_normal(orff_stack *stack, double size) {
    const orff_stack_info info = orff_stack_describe(stack);
    double *numbers = support_normal(info.parameters, 3, 1), *own = support_zeros(info.parameters);
    double *intercept = support_normal(info.outputs, 4, 1);
    assert_ok(orff_stack_get(stack, own, NULL));
    for (size_t i = 0; i < info.parameters; i++) own[i] += size * numbers[i];
    assert_ok(orff_stack_set(stack, own, intercept));
    free(numbers);
    free(own);
    free(intercept);
}

static double loss_of(orff_stack *stack, const double *parameters, size_t n, const double *X, const double *Y,
                      const double *weights) {
    double loss;
    assert_ok(orff_stack_set(stack, parameters, NULL));
    assert_ok(orff_stack_loss(stack, n, X, Y, weights, &loss, NULL));
    return loss;
}

/* Wider, narrower, three layers, other rules and bases. */
typedef struct shape {
    size_t layers, widths[4];
    orff_rule last;
    orff_base base;
} shape;

static const shape shapes[] = {
    {2, {2, 3, 2}, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN},
    {2, {4, 2, 3}, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN},
    {3, {2, 4, 3, 2}, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN},
    {2, {3, 2, 2}, ORFF_RULE_DIV_FREE, ORFF_BASE_GAUSSIAN},
    {1, {2, 2}, ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- derivatives */

static void check_gradient(const shape *s) {
    enum { N = 150 }; /* several blocks */
    const size_t d = s->widths[0], p = s->widths[s->layers];
    orff_stack *stack = make_stack(s->layers, s->widths, s->last, s->base);
    fill_normal(stack, 0.3);
    const size_t count = orff_stack_describe(stack).parameters;
    double *X = support_normal(N * d, 1, 1), *Y = support_normal(N * p, 2, 1), *weights = support_zeros(N);
    double *at = support_zeros(count), *gradient = support_zeros(count), loss;
    for (size_t i = 0; i < N; i++) weights[i] = (double)(i % 3);
    assert_ok(orff_stack_get(stack, at, NULL));
    assert_ok(orff_stack_loss(stack, N, X, Y, weights, &loss, gradient));
    for (size_t i = 0; i < count; i++) {
        const double step = 1e-5, kept = at[i];
        at[i] = kept + step;
        const double above = loss_of(stack, at, N, X, Y, weights);
        at[i] = kept - step;
        const double below = loss_of(stack, at, N, X, Y, weights);
        at[i] = kept;
        support_case("%zu layers, parameter %zu of %zu", s->layers, i, count);
        assert_close(gradient[i], (above - below) / (2.0 * step), 1e-7);
    }
    support_case(NULL);
    orff_stack_free(stack);
    free(X);
    free(Y);
    free(weights);
    free(at);
    free(gradient);
}

static void test_gradient(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) check_gradient(&shapes[i]);
}

static void check_jacobian(const shape *s) {
    enum { N = 70 };
    const size_t d = s->widths[0], p = s->widths[s->layers];
    orff_stack *stack = make_stack(s->layers, s->widths, s->last, s->base);
    fill_normal(stack, 0.5);
    double *X = support_normal(N * d, 1, 1), *J = support_zeros(N * p * d);
    double *above = support_zeros(N * p), *below = support_zeros(N * p);
    assert_ok(orff_stack_jacobian(stack, N, X, J));
    for (size_t i = 0; i < d; i++) {
        const double step = 1e-5;
        for (size_t k = 0; k < N; k++) X[k * d + i] += step;
        assert_ok(orff_stack_predict(stack, N, X, above));
        for (size_t k = 0; k < N; k++) X[k * d + i] -= 2.0 * step;
        assert_ok(orff_stack_predict(stack, N, X, below));
        for (size_t k = 0; k < N; k++) X[k * d + i] += step;
        for (size_t k = 0; k < N * p; k++)
            assert_close(J[k * d + i], (above[k] - below[k]) / (2.0 * step), 1e-7);
    }
    orff_stack_free(stack);
    free(X);
    free(J);
    free(above);
    free(below);
}

static void test_jacobian(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) check_jacobian(&shapes[i]);
}

/* ---- the start */

/* A wider layer passes its inputs on, and zeros; a narrower one projects them without stretching. */
static void test_start(void **state) {
    (void)state;
    static const size_t wider[] = {2, 3, 1}, narrower[] = {5, 2, 1};
    orff_stack *stack = make_stack(2, wider, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN);
    double x[] = {0.3, -0.7}, h[3], *own, dot = 0.0, square = 0.0;
    assert_ok(orff_stack_hidden(stack, 1, 1, x, h));
    assert_all_close(2, h, x, 1e-15);
    assert_close(h[2], 0.0, 1e-15);
    orff_stack_free(stack);
    stack = make_stack(2, narrower, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN);
    own = support_zeros(orff_stack_describe(stack).parameters);
    assert_ok(orff_stack_get(stack, own, NULL));
    for (size_t i = 0; i < 5; i++) {
        dot += own[i] * own[5 + i];
        square += own[i] * own[i];
    }
    assert_close(dot, 0.0, 1e-14);
    assert_close(square, 1.0, 1e-14);
    free(own);
    orff_stack_free(stack);
}

/* ---- learning */

/* A front along a bent line, in two components. */
static void fill_front(size_t n, uint64_t seed, double *X, double *Y) {
    double *x = support_normal(2 * n, seed, 5), *noise = support_normal(2 * n, seed, 6);
    for (size_t i = 0; i < n; i++) {
        const double a = X[2 * i] = tanh(x[2 * i]), b = X[2 * i + 1] = tanh(x[2 * i + 1]);
        const double s = a + 0.4 * sin(2.5 * b);
        Y[2 * i] = tanh(10.0 * s) + 0.02 * noise[2 * i];
        Y[2 * i + 1] = 0.5 * tanh(10.0 * s) * b + 0.02 * noise[2 * i + 1];
    }
    free(x);
    free(noise);
}

static void test_train(void **state) {
    (void)state;
    static const size_t widths[] = {2, 2, 2};
    orff_stack *stack = make_stack(2, widths, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN);
    double *X = support_zeros(2 * ROWS), *Y = support_zeros(2 * ROWS), loss;
    orff_stack_training how = orff_stack_training_default();
    orff_stack_report report;
    how.epochs = 60;
    how.batch = 32;
    fill_front(ROWS, 1, X, Y);
    assert_ok(orff_stack_train(stack, ROWS, X, Y, NULL, &how, &report));
    assert_true(report.error < 0.5 * report.start && report.best > 0 && report.epochs <= 60 &&
                report.lambda > 0.0);
    assert_ok(orff_stack_loss(stack, ROWS, X, Y, NULL, &loss, NULL));
    assert_true(loss / 2.0 < report.start);
    orff_stack_free(stack);
    free(X);
    free(Y);
}

/* The order of the rows is the seed's: another run is the same to the last bit, with any number of threads. */
static void test_threads(void **state) {
    (void)state;
    static const size_t widths[] = {2, 3, 2};
    double *X = support_zeros(2 * ROWS), *Y = support_zeros(2 * ROWS), *all[3] = {NULL};
    orff_stack_training how = orff_stack_training_default();
    size_t count = 0;
    how.epochs = 20;
    how.batch = 100;
    fill_front(ROWS, 1, X, Y);
    for (size_t run = 0; run < 3; run++) {
        orff_stack *stack = make_stack(2, widths, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN);
        assert_ok(orff_set_threads(run + 1));
        assert_ok(orff_stack_train(stack, ROWS, X, Y, NULL, &how, NULL));
        count = orff_stack_describe(stack).parameters;
        all[run] = support_zeros(count);
        assert_ok(orff_stack_get(stack, all[run], NULL));
        orff_stack_free(stack);
    }
    assert_ok(orff_set_threads(0));
    for (size_t run = 1; run < 3; run++) assert_all_close(count, all[run], all[0], 1e-10);
    for (size_t run = 0; run < 3; run++) free(all[run]);
    free(X);
    free(Y);
}

static void test_refusals(void **state) {
    (void)state;
    static const size_t widths[] = {2, 3, 2};
    const double x[4] = {0.1, 0.2, 0.1, 0.2}, bad[2] = {(double)NAN, 0.0};
    double out[12];
    orff_stack *stack = make_stack(2, widths, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN), *none = NULL;
    orff_kernel *kernels[2] = {make_kernel(2, 3, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1.0),
                               make_kernel(2, 2, ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1.0)};
    const orff_sampling samplings[2] = {orff_sampling_default(), orff_sampling_default()};
    orff_stack_training how = orff_stack_training_default();
    assert_status(orff_stack_create(&none, 2, (const orff_kernel *const *)kernels, samplings),
                  ORFF_ERROR_MISMATCH);
    assert_says("layer 2 takes 2 numbers, but the one before gives 3");
    assert_status(orff_stack_create(&none, 0, (const orff_kernel *const *)kernels, samplings),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_stack_predict(stack, 1, bad, out), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_stack_hidden(stack, 3, 1, x, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_stack_train(stack, 2, x, x, NULL, &how, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("too few");
    how.rate = -1.0;
    assert_status(orff_stack_train(stack, 2, x, x, NULL, &how, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("the rate is -1");
    for (size_t i = 0; i < 2; i++) orff_kernel_free(kernels[i]);
    orff_stack_free(stack);
}

/* ---- models */

static orff_settings settings_of(size_t n_hidden, const size_t *hidden) {
    orff_settings settings = orff_settings_default();
    settings.n_hidden = n_hidden;
    settings.hidden = hidden;
    settings.hidden_features = 30;
    settings.sampling.features = 40;
    settings.epochs = 60;
    settings.batch = 32;
    return settings;
}

static orff_model *fit_front(const orff_settings *settings, size_t n) {
    orff_model *model = NULL;
    double *X = support_zeros(2 * n), *Y = support_zeros(2 * n);
    fill_front(n, 1, X, Y);
    assert_ok(orff_model_fit(&model, settings, 2, 2, n, X, Y, NULL));
    free(X);
    free(Y);
    return model;
}

static double error_of(const orff_model *model) {
    enum { N = 1000 };
    double *X = support_zeros(2 * N), *Y = support_zeros(2 * N), *F = support_zeros(2 * N), sum = 0.0;
    fill_front(N, 2, X, Y);
    assert_ok(orff_model_predict(model, N, X, F));
    for (size_t i = 0; i < 2 * N; i++) sum += (F[i] - Y[i]) * (F[i] - Y[i]) / (2.0 * N);
    free(X);
    free(Y);
    free(F);
    return sum;
}

/* Two layers beat one of as many parameters. */
static void test_model(void **state) {
    (void)state;
    static const size_t hidden[] = {2};
    orff_settings settings = settings_of(1, hidden), plain = orff_settings_default();
    settings.epochs = 200;
    orff_model *stack = fit_front(&settings, 600), *one;
    const orff_model_info info = orff_model_describe(stack);
    assert_int_equal(info.engine, ORFF_ENGINE_STACK);
    assert_int_equal(info.hidden_layers, 1);
    assert_int_equal(info.hidden_widths[0], 2);
    assert_int_equal(info.parameters, 2 * 40 * 2 + 2 * 30 * 2 + 4);
    assert_true(isfinite(info.cv_mse) && info.cv_mse > 0.0);
    plain.engine = ORFF_ENGINE_FEATURES;
    plain.sampling.features = info.parameters / 4;
    one = fit_front(&plain, 600);
    print_message("mean square error %g with two layers, %g with one\n", error_of(stack), error_of(one));
    assert_true(error_of(stack) < 0.7 * error_of(one));
    orff_model_free(stack);
    orff_model_free(one);
}

/* Whatever is asked of a model is the same after its file has been read. */
static void check_file(const orff_model *model, bool compact) {
    enum { N = 100 };
    char path[64];
    orff_model *again = NULL;
    double *X = support_normal(2 * N, 9, 1), *a = support_zeros(4 * N), *b = support_zeros(4 * N);
    snprintf(path, sizeof path, "/tmp/orff_stack_%ld", (long)getpid());
    assert_ok(orff_model_save(model, path, compact));
    assert_ok(orff_model_load(&again, path));
    assert_ok(orff_model_predict(model, N, X, a));
    assert_ok(orff_model_predict(again, N, X, b));
    assert_all_close(2 * N, b, a, 1e-14);
    assert_ok(orff_model_jacobian(model, N, X, a));
    assert_ok(orff_model_jacobian(again, N, X, b));
    assert_all_close(4 * N, b, a, 1e-12);
    assert_ok(orff_model_covariance(model, N, X, a));
    assert_ok(orff_model_covariance(again, N, X, b));
    assert_all_close(4 * N, b, a, 1e-12);
    assert_int_equal(orff_model_describe(again).hidden_layers, orff_model_describe(model).hidden_layers);
    orff_model_free(again);
    remove(path);
    free(X);
    free(a);
    free(b);
}

static void test_files(void **state) {
    (void)state;
    static const size_t hidden[] = {3, 2};
    orff_settings settings = settings_of(2, hidden);
    settings.epochs = 5;
    orff_model *model = fit_front(&settings, 200);
    check_file(model, false);
    check_file(model, true);
    orff_model_free(model);
}

/* Files of this version stay readable. */
static void test_golden(void **state) {
    (void)state;
    const double x[] = {0.9, 0.4, -0.9, -0.4};
    double F[4];
    orff_model *model = NULL;
    assert_ok(orff_model_load(&model, ORFF_TEST_DIR "/golden/stack_v1.orff"));
    assert_int_equal(orff_model_describe(model).hidden_widths[0], 3);
    assert_ok(orff_model_predict(model, 2, x, F)); /* of a sign and a product */
    assert_true(F[0] > 0.5 && F[2] < -0.5 && fabs(F[1] - 0.36) < 0.2 && fabs(F[3] - 0.36) < 0.2);
    orff_model_free(model);
}

/* In the user's units, which are others than the layers'. */
static void test_model_jacobian(void **state) {
    (void)state;
    enum { N = 40 };
    static const size_t hidden[] = {3};
    const double step = 1e-5;
    orff_settings settings = settings_of(1, hidden);
    settings.epochs = 10;
    orff_model *model = fit_front(&settings, 200);
    double *X = support_normal(2 * N, 9, 1), *J = support_zeros(4 * N), *up = support_zeros(2 * N),
           *down = support_zeros(2 * N), *divergence = support_zeros(N), *curl = support_zeros(N);
    assert_ok(orff_model_jacobian(model, N, X, J));
    assert_ok(orff_model_divergence(model, N, X, divergence));
    assert_ok(orff_model_curl(model, N, X, curl));
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < N; k++) X[2 * k + i] += step;
        assert_ok(orff_model_predict(model, N, X, up));
        for (size_t k = 0; k < N; k++) X[2 * k + i] -= 2.0 * step;
        assert_ok(orff_model_predict(model, N, X, down));
        for (size_t k = 0; k < N; k++) X[2 * k + i] += step;
        for (size_t k = 0; k < 2 * N; k++) assert_close(J[2 * k + i], (up[k] - down[k]) / (2.0 * step), 1e-5);
    }
    for (size_t k = 0; k < N; k++) {
        assert_close(divergence[k], J[4 * k] + J[4 * k + 3], 1e-10);
        assert_close(curl[k], J[4 * k + 2] - J[4 * k + 1], 1e-10);
    }
    assert_status(orff_model_potential(model, N, X, curl), ORFF_ERROR_UNSUPPORTED);
    assert_says("not a sum of waves");
    orff_model_free(model);
    free(X);
    free(J);
    free(up);
    free(down);
    free(divergence);
    free(curl);
}

/* The spread of samples is that of the error bars. */
static void test_samples(void **state) {
    (void)state;
    enum { N = 20, SAMPLES = 400 };
    static const size_t hidden[] = {2};
    orff_settings settings = settings_of(1, hidden);
    settings.epochs = 5;
    orff_model *model = fit_front(&settings, 200);
    orff_samples *samples = NULL;
    double *X = support_normal(2 * N, 9, 1), *S = support_zeros(2 * N), *drawn = support_zeros(2 * N),
           *J = support_zeros(4 * N), ratio = 0.0;
    assert_ok(orff_model_std(model, N, X, false, S));
    assert_ok(orff_samples_draw(&samples, model, SAMPLES, 1));
    assert_ok(orff_samples_std(samples, ORFF_FIELD_VALUES, N, X, drawn));
    for (size_t i = 0; i < 2 * N; i++) ratio += drawn[i] / S[i] / (2.0 * N);
    assert_close(ratio, 1.0, 0.05);
    assert_ok(orff_samples_std(samples, ORFF_FIELD_JACOBIAN, N, X, J));
    for (size_t i = 0; i < 4 * N; i++) assert_true(J[i] > 0.0);
    orff_samples_free(samples);
    orff_model_free(model);
    free(X);
    free(S);
    free(drawn);
    free(J);
}

/* Threads divide sums of BLAS, but what is learned stays. */
static void test_model_threads(void **state) {
    (void)state;
    enum { N = 50 };
    static const size_t hidden[] = {2};
    orff_settings settings = settings_of(1, hidden);
    settings.epochs = 20;
    double *X = support_normal(2 * N, 9, 1), *F[2] = {support_zeros(2 * N), support_zeros(2 * N)};
    for (size_t run = 0; run < 2; run++) {
        assert_ok(orff_set_threads(1 + 2 * run));
        orff_model *model = fit_front(&settings, 300);
        assert_ok(orff_model_predict(model, N, X, F[run]));
        orff_model_free(model);
    }
    assert_ok(orff_set_threads(0));
    assert_all_close(2 * N, F[1], F[0], 1e-10);
    for (size_t run = 0; run < 2; run++) free(F[run]);
    free(X);
}

/* Codes of classes, sums of parts with a matrix, groups, a stream. */
static void test_kinds(void **state) {
    (void)state;
    enum { N = 200 };
    static const size_t hidden[] = {3};
    static const double A[] = {1.0, 0.4, 0.4, 1.0};
    orff_settings settings = settings_of(1, hidden);
    orff_part parts[2] = {orff_part_default(), orff_part_default()};
    double *X = support_zeros(2 * N), *Y = support_zeros(2 * N), *labels = support_zeros(N);
    uint64_t groups[N];
    size_t right = 0, found[N];
    orff_model *model = NULL;
    fill_front(N, 1, X, Y);
    for (size_t i = 0; i < N; i++) {
        labels[i] = Y[2 * i] > 0.0 ? 1.0 + (Y[2 * i + 1] > 0.0) : 0.0;
        groups[i] = i / 10;
    }
    settings.epochs = 10;
    settings.groups = groups;
    parts[0].sigma = 0.5;
    parts[1].sigma = 1.0;
    parts[1].A = A;
    settings.n_parts = 2;
    settings.parts = parts;
    assert_ok(orff_model_fit(&model, &settings, 2, 2, N, X, Y, NULL));
    orff_model_free(model);
    settings = settings_of(1, hidden);
    settings.classes = 3;
    assert_ok(orff_model_fit(&model, &settings, 2, 1, N, X, labels, NULL));
    assert_ok(orff_model_classify(model, N, X, found));
    for (size_t i = 0; i < N; i++) right += (double)found[i] == labels[i];
    assert_true(right > N * 8 / 10);
    orff_model_free(model);
    free(X);
    free(Y);
    free(labels);
}

static void refuse(const orff_settings *settings, const char *words) {
    orff_model *model = NULL;
    double *X = support_zeros(2 * ROWS), *Y = support_zeros(2 * ROWS);
    fill_front(ROWS, 1, X, Y);
    assert_int_not_equal(orff_model_fit(&model, settings, 2, 2, ROWS, X, Y, NULL), ORFF_OK);
    assert_says(words);
    free(X);
    free(Y);
}

static void test_refused_settings(void **state) {
    (void)state;
    static const size_t hidden[] = {3}, zero[] = {0};
    const orff_settings usual = settings_of(1, hidden);
    orff_part part = orff_part_default();
    orff_settings settings = usual;
    settings.engine = ORFF_ENGINE_EXACT;
    refuse(&settings, "hidden layers are for the engine stack, not for exact");
    settings = usual;
    settings.n_hidden = 0;
    settings.engine = ORFF_ENGINE_STACK;
    refuse(&settings, "at least one hidden layer");
    settings = usual;
    settings.hidden = zero;
    refuse(&settings, "the width of hidden layer 1 is 0");
    settings = usual;
    settings.trend = ORFF_TREND_LINEAR;
    refuse(&settings, "no trend");
    settings = usual;
    settings.loss = ORFF_LOSS_HUBER;
    refuse(&settings, "no loss but the squared one");
    settings = usual;
    part.rule = ORFF_RULE_DIV_FREE;
    settings.n_parts = 1;
    settings.parts = &part;
    refuse(&settings, "decomposable parts, not div-free");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient), cmocka_unit_test(test_jacobian),
        cmocka_unit_test(test_start),    cmocka_unit_test(test_train),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_model),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_golden),   cmocka_unit_test(test_model_jacobian),
        cmocka_unit_test(test_samples),  cmocka_unit_test(test_model_threads),
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_refused_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
