/* Moments of a lattice: parts add up to the whole, come off again, survive a file, and give the models that rows give. */
#define _GNU_SOURCE /* mkstemp */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lattice/fft.h"
#include "lattice/record.h"
#include "support.h"

enum { N = 3000, HALF = 1300, D = 2, P = 2, FOLDS = 3 };

static double X[N * D], Y[N * P], weights[N];
static const double low[] = {-1.0, -1.0}, high[] = {1.0, 1.0};

static int fill_rows(void **state) {
    (void)state;
    double *x = support_normal(N * D, 1, 1), *e = support_normal(N * P, 2, 2);
    for (size_t i = 0; i < N; i++) {
        X[2 * i] = tanh(x[2 * i]);
        X[2 * i + 1] = tanh(x[2 * i + 1]);
        Y[2 * i] = sin(3.0 * X[2 * i + 1]) + 0.1 * e[2 * i];
        Y[2 * i + 1] = cos(2.0 * X[2 * i]) + 0.1 * e[2 * i + 1];
        weights[i] = 0.5 + 0.5 * (double)(i % 3);
    }
    free(x);
    free(e);
    return 0;
}

static orff_part part_of(orff_rule rule, double sigma) {
    orff_part part = orff_part_default();
    part.rule = rule;
    part.sigma = sigma;
    return part;
}

/* A lattice for div-free kernels of these length scales. */
static orff_lattice_moments *create(double shortest, double longest, size_t folds) {
    const orff_part parts[] = {part_of(ORFF_RULE_DIV_FREE, shortest), part_of(ORFF_RULE_DIV_FREE, longest)};
    const orff_lattice_need need = {
        .d = D, .p = P, .low = low, .high = high, .n_parts = 2, .parts = parts, .folds = folds, .seed = 5};
    orff_lattice_moments *moments = NULL;
    assert_ok(orff_lattice_moments_create(&moments, &need));
    return moments;
}

static void add(orff_lattice_moments *moments, size_t first, size_t end) {
    assert_ok(
        orff_lattice_moments_accumulate(moments, end - first, X + first * D, Y + first * P, weights + first));
}

/* Relative to the size of the sums. */
static void assert_same(const orff_lattice_moments *a, const orff_lattice_moments *b, double tolerance) {
    const orffi_lattice_moments *s = a->sums, *t = b->sums;
    assert_int_equal(s->n_sets, t->n_sets);
    for (size_t k = 0; k < s->n_sets; k++) {
        const double size = fabs(creal(s->sets[k].rho[0])) + (double)N;
        assert_int_equal(s->sets[k].rows, t->sets[k].rows);
        assert_close(s->sets[k].logs, t->sets[k].logs, 1e-9);
        for (size_t i = 0; i < (P + 1) * (P + 1); i++)
            assert_close(s->sets[k].T[i] / size, t->sets[k].T[i] / size, tolerance);
        for (size_t i = 0; i < orffi_lattice_density_modes(&s->lattice); i++)
            assert_true(cabs(s->sets[k].rho[i] - t->sets[k].rho[i]) <= tolerance * size);
        for (size_t i = 0; i < P * orffi_lattice_modes(&s->lattice); i++)
            assert_true(cabs(s->sets[k].R[i] - t->sets[k].R[i]) <= tolerance * size);
    }
}

static void parts_are_the_whole(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    orff_lattice_moments *whole = create(0.3, 1.0, FOLDS), *one = create(0.3, 1.0, FOLDS), *two = NULL,
                         *first = NULL;
    assert_ok(orff_lattice_moments_create_like(&two, one));
    assert_ok(orff_lattice_moments_create_like(&first, one));
    add(whole, 0, N);
    add(one, 0, HALF);
    add(first, 0, HALF);
    add(two, HALF, N);
    assert_ok(orff_lattice_moments_add(one, two));
    assert_same(one, whole, 1e-12);
    assert_int_equal(orff_lattice_moments_describe(one).rows, N);
    assert_ok(orff_lattice_moments_subtract(one, first));
    assert_same(one, two, 1e-12);
    assert_status(orff_lattice_moments_subtract(one, whole), ORFF_ERROR_MISMATCH);
    orff_lattice_moments_free(whole);
    orff_lattice_moments_free(one);
    orff_lattice_moments_free(two);
    orff_lattice_moments_free(first);
}

static void others_are_refused(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    orff_lattice_moments *one = create(0.3, 1.0, FOLDS), *finer = create(0.1, 1.0, FOLDS),
                         *folded = create(0.3, 1.0, 0);
    const double outside[] = {0.0, 0.0, 0.5, 1.5}, y[4] = {0};
    assert_status(orff_lattice_moments_add(one, finer), ORFF_ERROR_MISMATCH);
    assert_says("lattice");
    assert_status(orff_lattice_moments_add(one, folded), ORFF_ERROR_MISMATCH);
    assert_says("folds");
    assert_status(orff_lattice_moments_accumulate(one, 2, outside, y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("input 2 of row 2 is 1.5");
    assert_int_equal(orff_lattice_moments_describe(one).rows, 0);
    orff_lattice_moments_free(one);
    orff_lattice_moments_free(finer);
    orff_lattice_moments_free(folded);
}

static void survives_a_file(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    char path[] = "/tmp/orff-lattice-moments-XXXXXX";
    close(mkstemp(path));
    orff_lattice_moments *made = create(0.3, 1.0, FOLDS), *loaded = NULL;
    orff_moments *features = NULL;
    add(made, 0, N);
    assert_ok(orff_lattice_moments_set_notes(made, "of a test"));
    assert_ok(orff_lattice_moments_save(made, path));
    assert_ok(orff_lattice_moments_load(&loaded, path));
    assert_same(made, loaded, 0.0);
    assert_string_equal(orff_lattice_moments_notes(loaded), "of a test");
    assert_ok(orff_lattice_moments_add(loaded, made)); /* the same lattice to the bit */
    assert_status(orff_moments_load(&features, path), ORFF_ERROR_FORMAT);
    orff_lattice_moments_free(made);
    orff_lattice_moments_free(loaded);
    unlink(path);
}

/* Any byte that is changed, and any end that is missing, is noticed. */
static void hostile_files_are_refused(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    char path[] = "/tmp/orff-lattice-moments-XXXXXX";
    close(mkstemp(path));
    orff_lattice_moments *made = create(0.8, 1.0, 0), *loaded = NULL;
    size_t size;
    add(made, 0, 50);
    assert_ok(orff_lattice_moments_save(made, path));
    char *bytes = support_read_bytes(path, &size);
    for (size_t i = 0; i < size; i += size / 97 + 1) {
        support_write_bytes(path, bytes, i);
        assert_true(orff_lattice_moments_load(&loaded, path) != ORFF_OK);
        bytes[i] ^= 0x10;
        support_write_bytes(path, bytes, size);
        assert_true(orff_lattice_moments_load(&loaded, path) != ORFF_OK);
        bytes[i] ^= 0x10;
    }
    free(bytes);
    orff_lattice_moments_free(made);
    unlink(path);
}

/* ---- models */

typedef struct source {
    size_t at;
} source;

static int read_rows(void *self, size_t room, double *x, double *y, double *w, size_t *rows) {
    source *s = self;
    *rows = N - s->at < room ? N - s->at : room;
    memcpy(x, X + s->at * D, *rows * D * sizeof *x);
    memcpy(y, Y + s->at * P, *rows * P * sizeof *y);
    memcpy(w, weights + s->at, *rows * sizeof *w);
    s->at += *rows;
    return 0;
}

static void gives_the_model_of_the_rows(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    const orff_rule rules[] = {ORFF_RULE_DIV_FREE, ORFF_RULE_CURL_FREE, ORFF_RULE_DECOMPOSABLE};
    orff_lattice_moments *moments = create(0.4, 0.8, FOLDS);
    const orff_reader rows = {read_rows, &(source){0}, true};
    assert_ok(orff_lattice_moments_read(moments, &rows));
    for (size_t k = 0; k < 3; k++) {
        const orff_part part = part_of(rules[k], 0.5);
        orff_settings settings = orff_settings_default();
        orff_model *from_moments = NULL, *from_rows = NULL;
        double F[2 * 60], G[2 * 60];
        settings.engine = ORFF_ENGINE_LATTICE;
        settings.n_parts = 1;
        settings.parts = &part;
        settings.lambda = 1e-3;
        const orff_reader stream = {read_rows, &(source){0}, true};
        assert_ok(orff_model_fit_lattice_moments(&from_moments, &settings, moments));
        assert_ok(orff_model_fit_stream(&from_rows, &settings, D, P, &stream));
        assert_ok(orff_model_predict(from_moments, 60, X, F));
        assert_ok(orff_model_predict(from_rows, 60, X, G));
        assert_all_close(2 * 60, F, G, 2e-5); /* two lattices, each within its tolerance */
        const orff_model_info a = orff_model_describe(from_moments), b = orff_model_describe(from_rows);
        assert_int_equal(a.rows, N);
        assert_close(a.train_mse, b.train_mse, 1e-6);
        assert_close(a.log_evidence / N, b.log_evidence / N, 1e-4);
        orff_model_free(from_moments);
        orff_model_free(from_rows);
    }
    orff_lattice_moments_free(moments);
}

/* Length scale and lambda by the evidence, and what the lattice does not carry. */
static void chooses_and_refuses(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    orff_lattice_moments *moments = create(1.2, 1.5, 0);
    orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_SIGMA_AUTO);
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    settings.n_parts = 1;
    settings.lambda_low = 1e-6;
    settings.lambda_high = 1e-2;
    settings.lambda_count = 5;
    settings.parts = &part;
    assert_status(orff_model_fit_lattice_moments(&model, &settings, moments), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("no rows");
    add(moments, 0, N);
    assert_ok(orff_model_fit_lattice_moments(&model, &settings, moments));
    orff_part found;
    assert_ok(orff_model_part(model, 0, &found));
    assert_true(isfinite(orff_model_describe(model).log_evidence));
    assert_true(found.sigmas[0] >= 1.199 && found.sigmas[0] <= 1.5);
    assert_true(orff_model_describe(model).train_mse < 0.012 && orff_model_describe(model).train_mse > 0.008);
    orff_model_free(model);
    model = NULL;
    part.sigma = 0.05;
    assert_status(orff_model_fit_lattice_moments(&model, &settings, moments), ORFF_ERROR_MISMATCH);
    assert_says("1.2 to 1.5");
    settings.engine = ORFF_ENGINE_FEATURES;
    assert_status(orff_model_fit_lattice_moments(&model, &settings, moments), ORFF_ERROR_UNSUPPORTED);
    orff_lattice_moments_free(moments);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(survives_a_file),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(gives_the_model_of_the_rows),
        cmocka_unit_test(chooses_and_refuses),
    };
    return cmocka_run_group_tests(tests, fill_rows, NULL);
}
