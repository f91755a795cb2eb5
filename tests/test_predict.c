/* Predictions: against a naive sum, over block boundaries, in single precision, refusals, classes,
 * descriptions. */
#include "models.h"

/* f(x) = mean + spread * Phi(x')^T theta, from the explicit map. */
static void naive(const orff_model *model, const double *x, double *f) {
    const orff_features *features = models_fit(model)->features;
    double *Phi = support_zeros(features->M * model->p), *inner = support_zeros(model->d);
    for (size_t k = 0; k < model->d; k++) inner[k] = (x[k] - model->shift[k]) / model->unit[k];
    assert_ok(orff_features_map(features, inner, Phi));
    for (size_t i = 0; i < model->p; i++) {
        double sum = 0.0;
        for (size_t a = 0; a < features->M; a++) sum += Phi[a * model->p + i] * models_fit(model)->theta[a];
        f[i] = model->mean[i] + model->spread[i] * sum;
    }
    free(Phi);
    free(inner);
}

static void matches_naive(void **state) {
    (void)state;
    enum { ROWS = 9 };
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        orff_model *model = models_make(&models_cases[c], 32);
        double *X = models_normal(ROWS * model->d, c), *F = support_zeros(ROWS * model->p);
        double *want = support_zeros(ROWS * model->p);
        assert_ok(orff_model_predict(model, ROWS, X, F));
        for (size_t i = 0; i < ROWS; i++) naive(model, X + i * model->d, want + i * model->p);
        assert_all_close(ROWS * model->p, F, want, 1e-12);
        free(X);
        free(F);
        free(want);
        orff_model_free(model);
    }
}

/* Rows more than a block: each is what it is alone. */
static void blocks_do_not_show(void **state) {
    (void)state;
    orff_model *model = models_make(&models_cases[0], 40);
    const size_t block = orffi_bank_block_rows(models_fit(model)->features->bank),
                 sizes[] = {block - 1, block, block + 1, 2 * block + 3};
    const size_t most = 2 * block + 3;
    double *X = models_normal(most * model->d, 3), *F = support_zeros(most * model->p);
    double alone[2];
    for (size_t s = 0; s < 4; s++) {
        const size_t n = sizes[s],
                     rows[] = {0, n / 2, n - 1, n > block ? block : 0, n > block ? block - 1 : 0};
        assert_ok(orff_model_predict(model, n, X, F));
        for (size_t i = 0; i < 5; i++) {
            assert_ok(orff_model_predict(model, 1, X + rows[i] * model->d, alone));
            assert_all_close(2, F + rows[i] * 2, alone, 1e-12);
        }
    }
    free(X);
    free(F);
    orff_model_free(model);
}

/* Rows in pieces of odd size, and predictions collected. */
typedef struct pipe_ends {
    const double *X;
    double *F;
    size_t d, p, n, given, taken, piece;
    int fail_at; /* piece that fails, -1: none */
} pipe_ends;

static int give_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    pipe_ends *ends = self;
    assert_true(!Y && !weights);
    *rows = ends->n - ends->given;
    if (*rows > ends->piece) *rows = ends->piece;
    if (*rows > room) *rows = room;
    memcpy(X, ends->X + ends->given * ends->d, *rows * ends->d * sizeof *X);
    ends->given += *rows;
    return 0;
}

static int receive_rows(void *self, size_t rows, const double *X, const double *F) {
    pipe_ends *ends = self;
    assert_memory_equal(X, ends->X + ends->taken * ends->d, rows * ends->d * sizeof *X);
    memcpy(ends->F + ends->taken * ends->p, F, rows * ends->p * sizeof *F);
    ends->taken += rows;
    return ends->fail_at-- == 0 ? 7 : 0;
}

static void streams_as_arrays(void **state) {
    (void)state;
    enum { N = 9001 };
    orff_model *model = models_make(&models_cases[0], 20);
    double *X = models_normal(N * model->d, 5), *F = support_zeros(N * model->p),
           *want = support_zeros(N * model->p);
    assert_ok(orff_model_predict(model, N, X, want));
    for (size_t piece = 997; piece < 10000; piece += 8000) {
        pipe_ends ends = {
            .X = X, .F = F, .d = model->d, .p = model->p, .n = N, .piece = piece, .fail_at = -1};
        const orff_reader reader = {.read = give_rows, .self = &ends};
        assert_ok(orff_model_predict_stream(model, &reader, receive_rows, &ends));
        assert_int_equal(ends.taken, N);
        assert_all_close(N * model->p, F, want, 1e-12);
    }
    pipe_ends broken = {.X = X, .F = F, .d = model->d, .p = model->p, .n = N, .piece = 500, .fail_at = 2};
    const orff_reader reader = {.read = give_rows, .self = &broken};
    assert_status(orff_model_predict_stream(model, &reader, receive_rows, &broken), ORFF_ERROR_CALLBACK);
    assert_says("returned 7");
    assert_int_equal(broken.taken, 1500);
    free(X);
    free(F);
    free(want);
    orff_model_free(model);
}

static void no_rows(void **state) {
    (void)state;
    orff_model *model = models_make(&models_cases[3], 16);
    double x[2] = {0}, f[2] = {7, 7}, J[4] = {7};
    assert_ok(orff_model_predict(model, 0, x, f));
    assert_ok(orff_model_jacobian(model, 0, x, J));
    assert_true(f[0] == 7 && J[0] == 7);
    orff_model_free(model);
}

/* Float inputs, float answers: relative to the size of f, a few float roundings times the angles. */
static void single_is_close(void **state) {
    (void)state;
    enum { ROWS = 50 };
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        orff_model *model = models_make(&models_cases[c], 32);
        double *X = models_normal(ROWS * model->d, c), *F = support_zeros(ROWS * model->p), size = 0.0;
        float *x = calloc(ROWS * model->d, sizeof *x), *f = calloc(ROWS * model->p, sizeof *f);
        for (size_t i = 0; i < ROWS * model->d; i++) X[i] = x[i] = (float)X[i];
        assert_ok(orff_model_predict(model, ROWS, X, F));
        assert_ok(orff_model_predict_single(model, ROWS, x, f));
        for (size_t i = 0; i < ROWS * model->p; i++) size = fmax(size, fabs(F[i]));
        for (size_t i = 0; i < ROWS * model->p; i++) assert_close((double)f[i] / size, F[i] / size, 2e-5);
        free(X);
        free(F);
        free(x);
        free(f);
        orff_model_free(model);
    }
}

/* Inputs far from 0 lose their digits to float only after the shift. */
static void single_shifts_in_double(void **state) {
    (void)state;
    orff_model *model = models_make(&models_cases[0], 32);
    float x[2] = {1e6f, -1e6f}, f[2];
    double F[2], X[2] = {1e6, -1e6};
    model->shift[0] = 1e6 + 0.3;
    model->shift[1] = -1e6 + 0.1;
    assert_ok(orff_model_predict(model, 1, X, F));
    assert_ok(orff_model_predict_single(model, 1, x, f));
    for (size_t i = 0; i < 2; i++) assert_close((double)f[i], F[i], 1e-5);
    orff_model_free(model);
}

static void refuses_what_is_not_finite(void **state) {
    (void)state;
    orff_model *model = models_make(&models_cases[0], 16);
    double X[8] = {0}, F[8];
    float x[8] = {0}, f[8];
    X[5] = NAN;
    x[6] = INFINITY;
    F[0] = 3.0;
    assert_status(orff_model_predict(model, 4, X, F), ORFF_ERROR_NOT_FINITE);
    assert_says("row 3, column 2");
    assert_true(F[0] == 3.0);
    assert_status(orff_model_predict_single(model, 4, x, f), ORFF_ERROR_NOT_FINITE);
    assert_says("row 4, column 1");
    assert_status(orff_model_divergence(model, 4, X, F), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_model_predict(NULL, 4, X, F), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_predict(model, 4, NULL, F), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_predict(model, 4, X, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    orff_model_free(model);
    orff_model_free(NULL);
}

static bool stop_late(void *self, const char *task, double done, double total) {
    assert_string_equal(task, "predict");
    assert_true(done <= total);
    return (*(int *)self)-- > 0;
}

/* Progress comes at every block; a call that is stopped leaves the caller's array alone. */
static void stops_when_told(void **state) {
    (void)state;
    orff_model *model = models_make(&models_cases[0], 40);
    const size_t n = ORFFI_MODEL_BLOCK + 1;
    double *X = models_normal(n * 2, 3), *F = support_zeros(n * 2);
    for (int calls = 0; calls < 3; calls++) {
        int left = calls;
        orff_set_hooks(&(orff_hooks){.progress = stop_late, .self = &left});
        assert_status(orff_model_predict(model, n, X, F), ORFF_ERROR_CANCELLED);
        for (size_t i = 0; i < n * 2; i++) assert_true(F[i] == 0.0);
    }
    orff_set_hooks(NULL);
    free(X);
    free(F);
    orff_model_free(model);
}

/* ---- classes */

static orff_model *make_classifier(size_t classes) {
    const models_case c = {.name = "classes",
                           .d = 3,
                           .p = classes - 1,
                           .n_parts = 1,
                           .parts = {{.rule = ORFF_RULE_DECOMPOSABLE}},
                           .scheme = ORFF_SCHEME_QMC};
    orff_model *model = NULL;
    orff_features *features = models_features(&c, 20);
    double *theta = models_normal(features->M, 9);
    assert_ok(models_create(&model, features, classes));
    memcpy(models_fit(model)->theta, theta, features->M * sizeof *theta);
    models_finish(model);
    free(theta);
    return model;
}

/* The label is the code at the least distance from the prediction. */
static void classifies_by_the_nearest_code(void **state) {
    (void)state;
    enum { ROWS = 200 };
    for (size_t classes = 2; classes <= 6; classes++) {
        orff_model *model = make_classifier(classes);
        const size_t p = classes - 1;
        double *X = models_normal(ROWS * 3, 4), *F = support_zeros(ROWS * p);
        size_t labels[ROWS], seen = 0;
        assert_ok(orff_model_classify(model, ROWS, X, labels));
        assert_ok(orff_model_predict(model, ROWS, X, F));
        for (size_t i = 0; i < ROWS; i++) {
            double least = INFINITY;
            size_t best = classes;
            for (size_t k = 0; k < classes; k++) {
                double distance = 0.0;
                for (size_t a = 0; a < p; a++) distance += pow(F[i * p + a] - model->codes[k * p + a], 2);
                if (distance >= least) continue;
                least = distance;
                best = k;
            }
            assert_int_equal(labels[i], best);
            seen |= (size_t)1 << best;
        }
        assert_int_equal(seen, ((size_t)1 << classes) - 1);
        assert_int_equal(orff_model_describe(model).outputs, 1);
        assert_int_equal(orff_model_describe(model).classes, classes);
        free(X);
        free(F);
        orff_model_free(model);
    }
}

static void classes_are_checked(void **state) {
    (void)state;
    double x[2] = {0};
    size_t label;
    orff_model *model = models_make(&models_cases[0], 16), *none = NULL;
    assert_status(orff_model_classify(model, 1, x, &label), ORFF_ERROR_UNSUPPORTED);
    assert_ok(models_create(&none, models_features(&models_cases[0], 16), 5));
    assert_status(orffi_model_finish(none), ORFF_ERROR_MISMATCH); /* without codes of their own */
    orff_model_free(none);
    orff_model_free(model);
}

/* ---- descriptions */

static const models_case *find_case(const char *name) {
    size_t c = 0;
    while (strcmp(models_cases[c].name, name) != 0) c++;
    return &models_cases[c];
}

static void says_its_kernel(void **state) {
    (void)state;
    const struct {
        const char *name, *words;
    } expected[] = {
        {"curl-free 2", "curl-free (matern 2.5, sigma 1.25, weight 1.5625)"},
        {"decomposable", "decomposable (gaussian, sigma 1 2.635)"},
        {"sum", "div-free (gaussian, sigma 1.125, weight 1.09375) + decomposable (matern 2.5, sigma 2.5)"},
        {"helmholtz t", "helmholtz (gaussian, sigma 1.25 1.55 1.85, mix 0.5, inputs 3 1, weight 3.4225)"},
        {"signature", "signature"},
        {"custom-b", "custom-b (gaussian, sigma 1.25 1.55)"},
        {"hadamard", "decomposable (gaussian, sigma 3.75 4.65 5.55 6.45 ...)"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        orff_model *model = models_make(find_case(expected[i].name), 16);
        assert_string_equal(orff_model_describe(model).kernel, expected[i].words);
        orff_model_free(model);
    }
}

static void describes_itself(void **state) {
    (void)state;
    orff_model *model = models_make(find_case("sum"), 24);
    model->noise[0] = 0.5;
    model->rows = 12;
    const orff_model_info info = orff_model_describe(model);
    assert_true(info.inputs == 2 && info.outputs == 2 && info.classes == 0 && info.parts == 2);
    assert_int_equal(info.frequencies, 24);
    assert_int_equal(info.parameters, models_fit(model)->features->M);
    assert_int_equal(info.scheme, ORFF_SCHEME_QMC);
    assert_true(info.rows == 12 && info.noise[0] == 0.5 && isnan(info.cv_mse) && !info.has_posterior &&
                !info.shares);
    assert_string_equal(info.warning, "");
    orff_model_free(model);
}

/* A kernel made of the parts it tells has, at inputs in the user's units, the values of the model's own. */
static void tells_parts_in_the_users_units(void **state) {
    (void)state;
    const char *names[] = {"decomposable", "curl-free 3", "div-free 2", "helmholtz 2", "curl-free t", "sum"};
    for (size_t c = 0; c < sizeof names / sizeof *names; c++) {
        orff_model *model = models_make(find_case(names[c]), 16);
        const size_t parts = models_fit(model)->features->kernel->n_parts, d = model->d;
        orff_part told[2];
        orff_kernel *kernel = NULL;
        double *x = models_normal(d, 2), inner[4], zero[4] = {0}, K[9], want[9];
        for (size_t i = 0; i < parts; i++) assert_ok(orff_model_part(model, i, &told[i]));
        assert_status(orff_model_part(model, parts, &told[0]), ORFF_ERROR_INVALID_ARGUMENT);
        assert_true(told[0].sigma == told[0].sigmas[0] && !told[0].A && !told[0].B);
        assert_ok(orff_kernel_create(&kernel, d, model->p, parts, told));
        for (size_t k = 0; k < d; k++) inner[k] = x[k] / model->unit[k];
        assert_ok(orff_kernel_eval(kernel, x, zero, K));
        assert_ok(orff_kernel_eval(models_fit(model)->features->kernel, inner, zero, want));
        assert_all_close(model->p * model->p, K, want, 1e-13);
        free(x);
        orff_kernel_free(kernel);
        orff_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_naive),
        cmocka_unit_test(blocks_do_not_show),
        cmocka_unit_test(streams_as_arrays),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(single_is_close),
        cmocka_unit_test(single_shifts_in_double),
        cmocka_unit_test(refuses_what_is_not_finite),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(classifies_by_the_nearest_code),
        cmocka_unit_test(classes_are_checked),
        cmocka_unit_test(says_its_kernel),
        cmocka_unit_test(describes_itself),
        cmocka_unit_test(tells_parts_in_the_users_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
