/* Parts whose blocks come from the caller's functions: the arguments of these functions, and fits with
 * them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fields.h"
#include "forged.h"

/* B(w) = (-w2, w1): every function of the kernel is without divergence. */
static int turned_at(void *self, const double *w, double *B) {
    (void)self;
    B[0] = -w[1];
    B[1] = w[0];
    return 0;
}
SUPPORT_MANY(turned, 2, 2)

/* A rotation on a long and narrow box. */
static fields_rows narrow(size_t n) {
    fields_rows rows = fields_draw(fields_rotation, n, 2, 2, 0.05, 3);
    for (size_t i = 0; i < n; i++) rows.X[2 * i + 1] *= 0.2;
    return rows;
}

/* The largest divergence at the rows, relative to the largest entry of the Jacobian. */
static double divergence_of(const orff_model *model, const fields_rows *rows) {
    double *J = support_zeros(4 * rows->n), *div = support_zeros(rows->n), most = 0.0, size = 0.0;
    assert_ok(orff_model_jacobian(model, rows->n, rows->X, J));
    assert_ok(orff_model_divergence(model, rows->n, rows->X, div));
    for (size_t i = 0; i < 4 * rows->n; i++) size = fmax(size, fabs(J[i]));
    for (size_t i = 0; i < rows->n; i++) most = fmax(most, fabs(div[i]));
    free(J);
    free(div);
    return most / size;
}

static orff_part turned_part(double sigma) {
    orff_part part = fields_part(ORFF_RULE_CUSTOM_B, sigma);
    part.columns = 1;
    part.matrix = turned;
    return part;
}

static void test_no_divergence(void **state) {
    (void)state;
    fields_rows rows = narrow(300);
    for (int scaled = 0; scaled < 2; scaled++) {
        const orff_part part = turned_part(0.0);
        orff_settings settings = fields_given(&part, 100, 1e-4);
        if (scaled) settings.scale_inputs = ORFF_SWITCH_YES;
        settings.scale_outputs = scaled ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
        orff_model *model = fields_fit(&settings, &rows);
        assert_true(divergence_of(model, &rows) < 1e-9);
        orff_model_free(model);
    }
    fields_free(&rows);
}

/* Length scales by the spread of each input, and still no divergence: the function sees the user's units. */
static void test_stretchable(void **state) {
    (void)state;
    fields_rows rows = narrow(300);
    orff_part part = turned_part(0.0), fitted;
    for (int may = 0; may < 2; may++) {
        part.stretchable = may;
        const orff_settings settings = fields_given(&part, 100, 1e-4);
        orff_model *model = fields_fit(&settings, &rows);
        assert_ok(orff_model_part(model, 0, &fitted));
        assert_true(fitted.stretchable == (may != 0));
        if (may)
            assert_true(fitted.sigmas[1] < 0.3 * fitted.sigmas[0]);
        else
            assert_true(fitted.sigmas[1] == fitted.sigmas[0]);
        assert_true(divergence_of(model, &rows) < 1e-9);
        orff_model_free(model);
    }
    fields_free(&rows);
}

/* exp(-2 |delta|^2) (1, .5; .5, 1): the same in all units only where delta is always in the user's. */
static int coupled_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = K[3] = exp(-2.0 * (delta[0] * delta[0] + delta[1] * delta[1]));
    K[1] = K[2] = 0.5 * K[0];
    return 0;
}
SUPPORT_MANY(coupled, 2, 4)

/* (1, .5; .5, 1) */
static int constant_at(void *self, const double *w, double *A) {
    (void)self, (void)w;
    A[0] = A[3] = 1.0;
    A[1] = A[2] = 0.5;
    return 0;
}
SUPPORT_MANY(constant, 2, 4)

/* The same kernel with inputs scaled and not: given sigmas are in units of the spread, functions know no spread. */
static void assert_same_scaled(orff_part part, orff_engine engine, const fields_rows *rows) {
    orff_settings settings = fields_given(&part, 200, 1e-3);
    orff_part fitted;
    settings.engine = engine;
    settings.sampling.tolerance = 1e-2;
    settings.scale_inputs = ORFF_SWITCH_YES;
    orff_model *scaled = fields_fit(&settings, rows);
    assert_ok(orff_model_part(scaled, 0, &fitted));
    part.sigma = fitted.sigma;
    settings.scale_inputs = ORFF_SWITCH_NO;
    orff_model *plain = fields_fit(&settings, rows);
    fields_assert_same(scaled, plain, rows, 2, 1e-6);
    orff_model_free(scaled);
    orff_model_free(plain);
}

static void test_functions_see_user_units(void **state) {
    (void)state;
    fields_rows rows = narrow(60);
    orff_part custom = fields_part(ORFF_RULE_CUSTOM_A, 1.0),
              signature = fields_part(ORFF_RULE_SIGNATURE, 1.0);
    assert_same_scaled(turned_part(0.7), ORFF_ENGINE_FEATURES, &rows);
    custom.matrix = constant;
    custom.exact = coupled;
    assert_same_scaled(custom, ORFF_ENGINE_FEATURES, &rows);
    assert_same_scaled(custom, ORFF_ENGINE_EXACT, &rows);
    signature.matrix = coupled;
    assert_same_scaled(signature, ORFF_ENGINE_FEATURES, &rows);
    assert_same_scaled(signature, ORFF_ENGINE_EXACT, &rows);
    fields_free(&rows);
}

/* ---- what a real kernel cannot be */

/* Positive everywhere, but larger on one side of w_1 = 0. */
static int uneven_a_at(void *self, const double *w, double *A) {
    (void)self;
    A[0] = 2.0 + tanh(w[0]);
    A[3] = 1.0;
    A[1] = A[2] = 0.0;
    return 0;
}
SUPPORT_MANY(uneven_a, 2, 4)

/* B B^T has w_1 in its corners. */
static int uneven_b_at(void *self, const double *w, double *B) {
    (void)self;
    B[0] = 1.0;
    B[1] = w[0];
    return 0;
}
SUPPORT_MANY(uneven_b, 2, 2)

/* B is uneven itself, B B^T is not. */
static int odd_b_at(void *self, const double *w, double *B) {
    (void)self;
    B[0] = w[0];
    B[1] = w[1];
    return 0;
}
SUPPORT_MANY(odd_b, 2, 2)

static orff_status draw(orff_rule rule, orff_matrix_fn matrix) {
    orff_part part = fields_part(rule, 1.0);
    const orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    part.matrix = matrix;
    part.columns = 1;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    const orff_status status = orff_features_create(&features, kernel, &sampling);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return status;
}

/* Features of an uneven A would be those of its even half, without a word. */
static void test_uneven_refused(void **state) {
    (void)state;
    assert_status(draw(ORFF_RULE_CUSTOM_A, uneven_a), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("A(w) must be even");
    assert_status(draw(ORFF_RULE_CUSTOM_B, uneven_b), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("B(w) B(w)^T must be even");
    assert_ok(draw(ORFF_RULE_CUSTOM_B, odd_b));
}

/* ---- how often the functions are called */

typedef struct counter {
    size_t calls, points, largest;
} counter;

/* exp(-|at|^2/2) I, which serves as A(w) and as K0(delta). */
static int counted(void *self, size_t count, const double *at, double *K) {
    counter *c = self;
    c->calls++;
    c->points += count;
    if (count > c->largest) c->largest = count;
    for (size_t i = 0; i < count; i++, at += 2, K += 4) {
        K[0] = K[3] = exp(-0.5 * (at[0] * at[0] + at[1] * at[1]));
        K[1] = K[2] = 0.0;
    }
    return 0;
}

/* Every frequency once, and a few of their mirror images, in calls that are neither single points nor all of a million. */
static void test_many_at_once(void **state) {
    (void)state;
    enum { D = 5000, N = 70 };
    static double G[4 * N * N];
    counter c = {0};
    orff_part part = fields_part(ORFF_RULE_CUSTOM_A, 1.0);
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    fields_rows rows = narrow(N);
    part.matrix = part.exact = counted;
    part.self = &c;
    sampling.features = D;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_true(c.points >= D && c.points <= D + D / 50 && c.calls <= 4);
    assert_true(c.largest >= 1000 && c.largest <= 4096);
    c = (counter){0};
    assert_ok(orff_kernel_gram(kernel, N, rows.X, N, rows.X, G));
    assert_int_equal(c.points, N * N);
    assert_true(c.calls <= N);
    orff_features_free(features);
    orff_kernel_free(kernel);
    fields_free(&rows);
}

static void test_many_at_once_signature(void **state) {
    (void)state;
    const double extent[2] = {3.0, 3.0};
    counter c = {0};
    orff_part part = fields_part(ORFF_RULE_SIGNATURE, 1.0);
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    part.matrix = counted;
    part.self = &c;
    sampling.extent = extent;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_true(c.largest >= 1000 && c.largest <= 4096);
    assert_true(c.calls < 100);
    orff_features_free(features);
    orff_kernel_free(kernel);
}

/* ---- files */

static char path[64];

static int set_up(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/orff_custom_XXXXXX");
    const int descriptor = mkstemp(path);
    return descriptor < 0 || close(descriptor);
}

static int tear_down(void **state) {
    (void)state;
    return remove(path);
}

/* Functions of every kind, one of them on the frequencies of a divergence-free part. */
enum { PARTS = 5, D = 40 };
static void fill_parts(orff_part parts[PARTS]) {
    parts[0] = fields_part(ORFF_RULE_SIGNATURE, 1.0);
    parts[0].matrix = coupled;
    parts[1] = fields_part(ORFF_RULE_DIV_FREE, 0.7);
    parts[2] = turned_part(0.7);
    parts[3] = fields_part(ORFF_RULE_CUSTOM_A, 1.3);
    parts[3].matrix = models_custom_a;
    parts[3].weight = 0.4;
    parts[4] = fields_part(ORFF_RULE_SIGNATURE, 1.0);
    parts[4].matrix = models_signature;
}

static orff_model *fit_all(const fields_rows *rows) {
    orff_part parts[PARTS];
    orff_settings settings = fields_settings(D);
    fill_parts(parts);
    settings.n_parts = PARTS;
    settings.parts = parts;
    settings.lambda = 1e-3;
    settings.sampling.tolerance = 0.9;
    settings.posterior = ORFF_SWITCH_YES;
    settings.scale_inputs = ORFF_SWITCH_YES;
    return fields_fit(&settings, rows);
}

typedef orff_status value_fn(const orff_model *, size_t, const double *, double *);

/* To the bit. */
static void assert_same_values(const orff_model *a, const orff_model *b, const fields_rows *rows) {
    static value_fn *const values[] = {orff_model_predict, orff_model_covariance, orff_model_jacobian,
                                       orff_model_divergence, orff_model_stream_function};
    double *x = support_zeros(4 * rows->n), *y = support_zeros(4 * rows->n);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_ok(values[i](a, rows->n, rows->X, x));
        assert_ok(values[i](b, rows->n, rows->X, y));
        assert_memory_equal(x, y, 4 * rows->n * sizeof *x);
    }
    free(x);
    free(y);
}

static void test_file_holds_blocks(void **state) {
    (void)state;
    fields_rows rows = narrow(50);
    orff_model *model = fit_all(&rows), *loaded = NULL, *again = NULL;
    orff_part parts[PARTS], part;
    fill_parts(parts);
    for (int compact = 0; compact < 2; compact++) {
        assert_ok(orff_model_save(model, path, compact));
        assert_ok(orff_model_load(&loaded, path));
        assert_same_values(model, loaded, &rows);
        assert_string_equal(orff_model_describe(loaded).kernel, orff_model_describe(model).kernel);
        for (size_t m = 0; m < PARTS; m++) {
            assert_ok(orff_model_part(loaded, m, &part));
            assert_true(part.rule == parts[m].rule && !part.matrix && !part.exact && !part.self);
        }
        assert_ok(orff_model_save(loaded, path, compact));
        assert_ok(orff_model_load(&again, path));
        assert_same_values(model, again, &rows);
        orff_model_free(loaded);
        orff_model_free(again);
    }
    orff_model_free(model);
    fields_free(&rows);
}

/* What needs the function says so. */
static void test_loaded_has_no_function(void **state) {
    (void)state;
    fields_rows rows = narrow(50);
    orff_model *model = fit_all(&rows), *refit = NULL;
    orff_kernel *kernel = NULL;
    orff_part part;
    assert_ok(orff_model_save(model, path, false));
    orff_model_free(model);
    assert_ok(orff_model_load(&model, path));
    double K[4];
    assert_status(orff_kernel_eval(orffi_model_kernel(model), rows.X, rows.X, K), ORFF_ERROR_UNSUPPORTED);
    assert_says("from a file");
    for (size_t m = 2; m < PARTS; m++) {
        assert_ok(orff_model_part(model, m, &part));
        const orff_settings settings = fields_given(&part, 20, 1e-3);
        assert_status(orff_kernel_create(&kernel, 2, 2, 1, &part), ORFF_ERROR_INVALID_ARGUMENT);
        assert_status(orff_model_fit(&refit, &settings, 2, 2, rows.n, rows.X, rows.Y, NULL),
                      ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("loaded");
    }
    orff_model_free(model);
    fields_free(&rows);
}

/* An exact model asks the function at every point. */
static void test_exact_is_not_saved(void **state) {
    (void)state;
    fields_rows rows = narrow(20);
    orff_part part = fields_part(ORFF_RULE_SIGNATURE, 1.0);
    part.matrix = coupled;
    orff_settings settings = fields_given(&part, 20, 1e-3);
    settings.engine = ORFF_ENGINE_EXACT;
    orff_model *model = fields_fit(&settings, &rows);
    assert_status(orff_model_save(model, path, false), ORFF_ERROR_UNSUPPORTED);
    assert_says("part 1 of the kernel (signature)");
    orff_model_free(model);
    fields_free(&rows);
}

/* Moments depend on the frequencies alone: a model from loaded ones and the functions is that of the rows. */
static void test_moments(void **state) {
    (void)state;
    fields_rows rows = narrow(60);
    const orff_part part = turned_part(0.7);
    const orff_settings settings = fields_given(&part, 30, 1e-3);
    const orff_moments_settings how = {0};
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL, *loaded = NULL;
    orff_model *direct = NULL, *model = NULL;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &settings.sampling));
    assert_ok(orff_moments_create(&moments, features, &how));
    assert_ok(orff_moments_accumulate(moments, rows.n, rows.X, rows.Y, NULL));
    assert_ok(orff_moments_save(moments, path));
    assert_ok(orff_moments_load(&loaded, path));
    assert_ok(orff_model_fit_moments(&direct, &settings, moments));
    assert_ok(orff_model_fit_moments(&model, &settings, loaded));
    fields_assert_same(direct, model, &rows, 2, 1e-12);
    assert_true(divergence_of(model, &rows) < 1e-9);
    orff_model_free(direct);
    orff_model_free(model);
    orff_moments_free(moments);
    orff_moments_free(loaded);
    orff_features_free(features);
    orff_kernel_free(kernel);
    fields_free(&rows);
}

/* ---- files that somebody changed */

static void refuse(const forged *file, const char *word) {
    size_t size;
    orff_model *model = NULL;
    unsigned char *bytes = forged_put_together(file, &size);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    free(bytes);
    assert_status(orff_model_load(&model, path), ORFF_ERROR_FORMAT);
    assert_says(path);
    assert_says(word);
}

static forged written(void) {
    size_t size;
    forged file;
    fields_rows rows = narrow(30);
    orff_model *model = fit_all(&rows);
    assert_ok(orff_model_save(model, path, false));
    unsigned char *bytes = forged_read(path, &size);
    assert_true(forged_take_apart(bytes, size, &file));
    free(bytes);
    orff_model_free(model);
    fields_free(&rows);
    return file;
}

static void set_shape(const forged *file, const char *name, size_t a, size_t b, size_t c) {
    json_object_set_new(json_object_get(file->header, name), "shape",
                        json_pack("[III]", (json_int_t)a, (json_int_t)b, (json_int_t)c));
}

static void test_changed_blocks_refused(void **state) {
    (void)state;
    forged file = written();
    forged_set_number(&file, "part.2.blocks", 1, NAN);
    refuse(&file, "part.2.blocks");
    forged_clear(&file);
    file = written();
    const json_t *shape = json_object_get(json_object_get(file.header, "part.2.blocks"), "shape");
    const size_t count = (size_t)json_integer_value(json_array_get(shape, 0));
    set_shape(&file, "part.2.blocks", count, 1, 2);
    refuse(&file, "part.2.blocks");
    set_shape(&file, "part.2.blocks", 1, 2 * count, 1);
    refuse(&file, "part.2.blocks");
    forged_clear(&file);
    file = written();
    json_object_set_new(file.header, "part.7.blocks",
                        json_copy(json_object_get(file.header, "part.2.blocks")));
    json_object_del(file.header, "part.2.blocks");
    refuse(&file, "part.2.blocks");
    forged_clear(&file);
}

static void change_part(size_t m, const char *key, json_t *value, const char *word) {
    forged file = written();
    json_t *parts = json_object_get(json_object_get(file.document, "kernel"), "parts");
    json_object_set_new(json_array_get(parts, m), key, value);
    refuse(&file, word);
    forged_clear(&file);
}

static void test_changed_parts_refused(void **state) {
    (void)state;
    change_part(2, "columns", json_integer(0), "columns");
    change_part(2, "columns", json_integer(1 << 30), "blocks");
    change_part(3, "columns", json_integer(1), "columns");
    change_part(0, "base", json_string("gaussian"), "base");
    change_part(1, "rule", json_string("custom-b"), "part.1.blocks");
    change_part(2, "rule", json_string("curl-free"), "part.2.blocks");
    change_part(0, "rule", json_string("custom-b"), "base");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_divergence),
                                       cmocka_unit_test(test_stretchable),
                                       cmocka_unit_test(test_functions_see_user_units),
                                       cmocka_unit_test(test_uneven_refused),
                                       cmocka_unit_test(test_many_at_once),
                                       cmocka_unit_test(test_many_at_once_signature),
                                       cmocka_unit_test(test_file_holds_blocks),
                                       cmocka_unit_test(test_loaded_has_no_function),
                                       cmocka_unit_test(test_exact_is_not_saved),
                                       cmocka_unit_test(test_moments),
                                       cmocka_unit_test(test_changed_blocks_refused),
                                       cmocka_unit_test(test_changed_parts_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
