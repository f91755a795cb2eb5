/* Moments of a lattice: parts add up to the whole, can be subtracted, survive a file, and give the same
 * models as rows. */
#define _GNU_SOURCE /* mkstemp */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/linalg.h"
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
    assert_int_equal(s->draws, t->draws);
    for (size_t i = 0; i < s->draws * P * orffi_lattice_modes(&s->lattice); i++)
        assert_true(cabs(s->E[i] - t->E[i]) <= tolerance * (double)N);
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
        settings.sampling.tolerance = 1e-6; /* and not what so much noise would allow */
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

/* ---- folds */

/* All rows but those of fold k, or only those: how many. */
static size_t select_rows(const orff_moments_settings *folds, size_t k, bool only, double *x, double *y,
                          double *w) {
    size_t n = 0;
    for (size_t i = 0; i < N; i++) {
        if ((orffi_moments_fold(folds, i, D, X + i * D, P, Y + i * P) == k) != only) continue;
        memcpy(x + n * D, X + i * D, D * sizeof *x);
        memcpy(y + n * P, Y + i * P, P * sizeof *y);
        w[n++] = weights[i];
    }
    return n;
}

static orff_settings plain_settings(const orff_part *part, double lambda) {
    orff_settings settings = orff_settings_default();
    settings.n_parts = 1;
    settings.parts = part;
    settings.lambda = lambda;
    settings.sampling.tolerance = 1e-6;
    settings.center = false;
    return settings;
}

/* Weighted squares of what is wrong at rows, over both outputs. */
static double squares_at(const orff_model *model, size_t n, const double *x, const double *y,
                         const double *w) {
    double *F = support_zeros(n * P), sum = 0.0;
    assert_ok(orff_model_predict(model, n, x, F));
    for (size_t i = 0; i < n * P; i++) sum += w[i / P] * (F[i] - y[i]) * (F[i] - y[i]);
    free(F);
    return sum;
}

/* The error of rows left out is that of fits to the other rows. */
static void folds_are_refits(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    const orff_moments_settings folds = {.folds = FOLDS, .seed = 5};
    const orff_part part = part_of(ORFF_RULE_DIV_FREE, 0.9);
    const orff_settings settings = plain_settings(&part, 1e-3);
    orff_lattice_moments *all = create(0.8, 1.0, FOLDS);
    orff_model *model = NULL;
    double *x = support_zeros(N * D), *y = support_zeros(N * P), *w = support_zeros(N), sum = 0.0;
    add(all, 0, N);
    assert_ok(orff_model_fit_lattice_moments(&model, &settings, all));
    for (size_t k = 0; k < FOLDS; k++) {
        orff_lattice_moments *rest = create(0.8, 1.0, 0);
        orff_model *refit = NULL;
        size_t n = select_rows(&folds, k, false, x, y, w);
        assert_ok(orff_lattice_moments_accumulate(rest, n, x, y, w));
        assert_ok(orff_model_fit_lattice_moments(&refit, &settings, rest));
        n = select_rows(&folds, k, true, x, y, w);
        sum += squares_at(refit, n, x, y, w);
        orff_model_free(refit);
        orff_lattice_moments_free(rest);
    }
    const double mse = sum / (P * orff_lattice_moments_describe(all).weight);
    assert_close(orff_model_describe(model).cv_mse, mse, 1e-5 * mse);
    orff_model_free(model);
    orff_lattice_moments_free(all);
    free(x);
    free(y);
    free(w);
}

/* ---- what is chosen */

/* The log density of y under v (K + shift / c), at the v that makes it largest, by dense matrices over the rows. */
static double dense_profile(const orff_part *part, double shift, size_t n) {
    const size_t side = n * P;
    double *K = support_zeros(side * side), *z = support_zeros(side), mean[P] = {0}, total = 0.0, sum = 0.0,
           log_det = 0.0;
    orff_kernel *kernel = NULL;
    for (size_t i = 0; i < n; i++) total += weights[i];
    for (size_t i = 0; i < side; i++) mean[i % P] += weights[i / P] * Y[i] / total;
    assert_ok(orff_kernel_create(&kernel, D, P, 1, part));
    assert_ok(orff_kernel_gram(kernel, n, X, n, X, K));
    for (size_t i = 0; i < side; i++) {
        K[i * (side + 1)] += shift / weights[i / P];
        z[i] = Y[i] - mean[i % P];
    }
    double *y = support_zeros(side);
    memcpy(y, z, side * sizeof *y);
    assert_ok(orffi_cholesky(side, K));
    assert_ok(orffi_cholesky_solve(side, K, 1, z));
    for (size_t i = 0; i < side; i++) {
        sum += z[i] * y[i];
        log_det += 2.0 * log(K[i * (side + 1)]);
    }
    orff_kernel_free(kernel);
    free(K);
    free(z);
    free(y);
    return -0.5 * ((double)side * log(sum / (double)side) + log_det);
}

/* Nowhere about the length scale and the noise that were found are the outputs more probable. */
static void chooses_the_most_probable(void **state) {
    (void)state;
    support_numbers_only();
    if (!orffi_fft_available()) skip();
    enum { FEW = 300 };
    orff_lattice_moments *moments = create(0.7, 2.0, 0);
    orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_SIGMA_AUTO), found;
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    settings.n_parts = 1;
    settings.parts = &part;
    add(moments, 0, FEW);
    assert_ok(orff_model_fit_lattice_moments(&model, &settings, moments));
    assert_ok(orff_model_part(model, 0, &found));
    const double sigma = found.sigmas[0],
                 shift = orff_model_describe(model).lambda * orff_lattice_moments_describe(moments).weight;
    part.sigma = sigma;
    const double best = dense_profile(&part, shift, FEW);
    assert_true(sigma > 0.75 && sigma < 1.9); /* between the ends, else this says nothing */
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            part.sigma = sigma * pow(1.3, i);
            assert_true(dense_profile(&part, shift * pow(2.0, j), FEW) < best + 0.3);
        }
    orff_model_free(model);
    orff_lattice_moments_free(moments);
}

/* Rows without noise want ever less of it, until the equations are singular to rounding: the search stops before. */
static void rows_without_noise(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    orff_lattice_moments *moments = create(1.5, 2.0, 0);
    const orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_SIGMA_AUTO);
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    double *y = support_zeros(N * P);
    for (size_t i = 0; i < N; i++) y[2 * i] = y[2 * i + 1] = 1e3 * X[2 * i] * X[2 * i + 1];
    settings.n_parts = 1;
    settings.parts = &part;
    assert_ok(orff_lattice_moments_accumulate(moments, N, X, y, NULL));
    assert_ok(orff_model_fit_lattice_moments(&model, &settings, moments));
    assert_true(orff_model_describe(model).train_mse < 1.0);
    orff_model_free(model);
    orff_lattice_moments_free(moments);
    free(y);
}

/* A lambda that is given says how much noise there is: waves that rows cannot tell from it are left out, and hardly
 * missed. */
static void lambda_says_the_noise(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    const orff_part part = part_of(ORFF_RULE_DIV_FREE, 0.5);
    orff_settings settings = plain_settings(&part, 1e-4);
    orff_model *fine = NULL, *coarse = NULL;
    double F[2 * 200], G[2 * 200];
    settings.engine = ORFF_ENGINE_LATTICE;
    assert_ok(orff_model_fit(&fine, &settings, D, P, N, X, Y, weights));
    settings.sampling.tolerance = 0.0;
    assert_ok(orff_model_fit(&coarse, &settings, D, P, N, X, Y, weights));
    const orff_model_info a = orff_model_describe(fine), b = orff_model_describe(coarse);
    assert_true(4 * b.frequencies < 3 * a.frequencies);
    assert_ok(orff_model_predict(fine, 200, X, F));
    assert_ok(orff_model_predict(coarse, 200, X, G));
    assert_all_close(2 * 200, F, G, 0.1 * a.noise[0]);
    orff_model_free(fine);
    orff_model_free(coarse);
}

/* ---- few rows and strange ones */

static void few_and_strange_rows(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    const double sizes[] = {1.0, 1e-300, 1e300};
    const double at[] = {0.25, -0.5, 0.25, -0.5, 0.25, -0.5}, y[] = {1.0, 2.0, 1.0, 2.0, 1.0, 2.0};
    for (size_t k = 0; k < 3; k++)
        for (size_t n = 1; n <= 3; n += 2) { /* one row; all rows at one point */
            orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, sizes[k]);
            const double least[] = {-sizes[k], -sizes[k]}, most[] = {sizes[k], sizes[k]};
            const orff_lattice_need need = {
                .d = D, .p = P, .low = least, .high = most, .n_parts = 1, .parts = &part};
            orff_settings settings = plain_settings(&part, 1e-6);
            orff_lattice_moments *moments = NULL;
            orff_model *model = NULL;
            double x[6], F[2];
            for (size_t i = 0; i < 6; i++) x[i] = at[i] * sizes[k];
            assert_ok(orff_lattice_moments_create(&moments, &need));
            assert_ok(orff_lattice_moments_accumulate(moments, n, x, y, NULL));
            assert_ok(orff_model_fit_lattice_moments(&model, &settings, moments));
            assert_ok(orff_model_predict(model, 1, x, F));
            assert_all_close(2, F, y, 1e-3);
            orff_model_free(model);
            orff_lattice_moments_free(moments);
        }
}

/* ---- error bars of lattices that are too large for a Cholesky factor */

enum { SEEN = 400, ASKED = 60, SIDE = SEEN * P };
static const double fine = 0.075;

static orff_lattice_moments *create_with_draws(size_t folds) {
    const orff_part part = part_of(ORFF_RULE_DIV_FREE, fine);
    const orff_lattice_need need = {.d = D,
                                    .p = P,
                                    .low = low,
                                    .high = high,
                                    .n_parts = 1,
                                    .parts = &part,
                                    .folds = folds,
                                    .posterior = ORFF_SWITCH_YES};
    orff_lattice_moments *moments = NULL;
    assert_ok(orff_lattice_moments_create(&moments, &need));
    return moments;
}

static orff_model *model_of(const orff_lattice_moments *moments, orff_switch posterior) {
    const orff_part part = part_of(ORFF_RULE_DIV_FREE, fine);
    orff_settings settings = plain_settings(&part, 1e-4);
    orff_model *model = NULL;
    settings.posterior = posterior;
    assert_ok(orff_model_fit_lattice_moments(&model, &settings, moments));
    const orff_model_info info = orff_model_describe(model);
    assert_int_equal(info.kept_samples, info.has_posterior ? 32 : 0); /* as many as were asked for */
    return model;
}

/* K(x, x) - K(x, X) (K + shift / c)^-1 K(X, x) of the first rows, at the points `at`: only the diagonal (ASKED x P). */
static void dense_variance(double shift, const double *at, double *out) {
    const orff_part part = part_of(ORFF_RULE_DIV_FREE, fine);
    double *K = support_zeros(SIDE * SIDE), *B = support_zeros(SIDE), *C = support_zeros(P * SIDE),
           prior[P * P];
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, D, P, 1, &part));
    assert_ok(orff_kernel_gram(kernel, SEEN, X, SEEN, X, K));
    for (size_t i = 0; i < SIDE; i++) K[i * (SIDE + 1)] += shift / weights[i / P];
    assert_ok(orffi_cholesky(SIDE, K));
    for (size_t i = 0; i < ASKED; i++) {
        assert_ok(orff_kernel_gram(kernel, 1, at + i * D, 1, at + i * D, prior));
        assert_ok(orff_kernel_gram(kernel, 1, at + i * D, SEEN, X, C)); /* P x SIDE */
        for (size_t a = 0; a < P; a++) {
            memcpy(B, C + a * SIDE, SIDE * sizeof *B);
            assert_ok(orffi_cholesky_solve(SIDE, K, 1, B));
            out[i * P + a] = prior[a * (P + 1)] - orffi_dot(SIDE, C + a * SIDE, B);
        }
    }
    orff_kernel_free(kernel);
    free(K);
    free(B);
    free(C);
}

/* Moments in parts, some rows of which are taken off again, have the error bars of the dense formula. */
static void draws_have_the_variance(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    orff_lattice_moments *moments = create_with_draws(2), *part = NULL, *more = NULL, *loaded = NULL;
    char path[] = "/tmp/orff-lattice-moments-XXXXXX";
    double at[ASKED * D], dense[ASKED * P], covariance[ASKED * P * P], ratio = 0.0;
    close(mkstemp(path));
    assert_ok(orff_lattice_moments_create_like(&part, moments));
    assert_ok(orff_lattice_moments_create_like(&more, moments));
    add(moments, 0, 2 * SEEN);
    add(part, SEEN + 100, 2 * SEEN); /* in two calls, and in another company than they came */
    add(part, SEEN, SEEN + 100);
    assert_ok(orff_lattice_moments_subtract(moments, part));
    add(more, 0, SEEN);
    assert_same(moments, more, 1e-11);
    assert_ok(orff_lattice_moments_save(moments, path));
    assert_ok(orff_lattice_moments_load(&loaded, path));
    orff_model *model = model_of(loaded, ORFF_SWITCH_AUTO);
    const orff_model_info info = orff_model_describe(model);
    const double shift = info.lambda * orff_lattice_moments_describe(loaded).weight;
    assert_true(info.frequencies > 4000 && info.has_posterior);
    for (size_t i = 0; i < ASKED * D; i++) at[i] = -X[2 * SEEN * D + i];
    assert_ok(orff_model_covariance(model, ASKED, at, covariance));
    dense_variance(shift, at, dense);
    for (size_t i = 0; i < ASKED * P; i++)
        ratio += covariance[i / P * P * P + i % P * (P + 1)] * shift / (pow(info.noise[i % P], 2) * dense[i]);
    assert_close(ratio / (ASKED * P), 1.0, 0.1);
    orff_model_free(model);
    model = model_of(loaded, ORFF_SWITCH_NO);
    assert_false(orff_model_describe(model).has_posterior);
    orff_model_free(model);
    orff_lattice_moments_free(moments);
    orff_lattice_moments_free(part);
    orff_lattice_moments_free(more);
    orff_lattice_moments_free(loaded);
    unlink(path);
}

/* Mean of |E|^2 over the sum of the weights: 1 for signs that are independent. */
static double power_of(const orff_lattice_moments *moments) {
    const orffi_lattice_moments *m = moments->sums;
    const size_t count = m->draws * P * orffi_lattice_modes(&m->lattice);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += pow(cabs(m->E[i]), 2);
    return sum / ((double)count * orff_lattice_moments_describe(moments).weight);
}

/* The same rows five times, at once, have signs of their own. One after the other their signs are the same, and there are no
 * error bars rather than wrong ones. */
static void repeated_rows(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    enum { TIMES = 5, FEW = 100 };
    orff_lattice_moments *at_once = create_with_draws(0), *apart = create_with_draws(0);
    double x[TIMES * FEW * D], y[TIMES * FEW * P];
    for (size_t k = 0; k < TIMES; k++) {
        memcpy(x + k * FEW * D, X, FEW * D * sizeof *x);
        memcpy(y + k * FEW * P, Y, FEW * P * sizeof *y);
        assert_ok(orff_lattice_moments_accumulate(apart, FEW, X, Y, NULL));
    }
    assert_ok(orff_lattice_moments_accumulate(at_once, TIMES * FEW, x, y, NULL));
    assert_close(power_of(at_once), 1.0, 0.1);
    assert_close(power_of(apart), (double)TIMES, 0.5);
    orff_model *model = model_of(apart, ORFF_SWITCH_AUTO);
    assert_false(orff_model_describe(model).has_posterior);
    orff_model_free(model);
    orff_lattice_moments_free(at_once);
    orff_lattice_moments_free(apart);
}

/* The quick fit before moments are begun: on a lattice that of rows from all over the data, by features another than the user's. */
static void probe_chooses(void **state) {
    (void)state;
    enum { STEP = 30, FEW = N / STEP };
    static double x[FEW * D], y[FEW * P], w[FEW];
    static const double own[] = {1.0, 0.0};
    orff_settings settings = orff_settings_default();
    const orff_part part = part_of(ORFF_RULE_DIV_FREE, ORFF_SIGMA_AUTO);
    const orff_observations rows = {.d = D, .p = P, .n = N, .X = X, .Y = Y, .weights = weights};
    for (size_t i = 0; i < FEW; i++) {
        memcpy(x + i * D, X + i * STEP * D, D * sizeof *x);
        memcpy(y + i * P, Y + i * STEP * P, P * sizeof *y);
        w[i] = weights[i * STEP];
    }
    settings.n_parts = 1;
    settings.parts = &part;
    settings.subsample = FEW;
    settings.engine = ORFF_ENGINE_LATTICE;
    orff_model *probe = NULL, *few = NULL;
    orff_part found, wanted;
    assert_ok(orff_model_probe(&probe, &settings, &rows));
    assert_ok(orff_model_fit(&few, &settings, D, P, FEW, x, y, w));
    assert_ok(orff_model_part(probe, 0, &found));
    assert_ok(orff_model_part(few, 0, &wanted));
    assert_int_equal(orff_model_describe(probe).rows, FEW);
    assert_int_equal(found.base, wanted.base);
    assert_close(found.sigmas ? found.sigmas[0] : found.sigma,
                 wanted.sigmas ? wanted.sigmas[0] : wanted.sigma, 1e-9);
    orff_model_free(few);
    orff_model_free(probe);

    settings.engine = ORFF_ENGINE_AUTO;
    settings.sampling.omega = own;
    settings.sampling.features = 1;
    assert_ok(orff_model_probe(&probe, &settings, &rows));
    const orff_model_info info = orff_model_describe(probe);
    assert_int_equal(info.engine, ORFF_ENGINE_FEATURES);
    assert_true(info.frequencies > 1);
    assert_false(info.has_posterior);
    orff_model_free(probe);
    const orff_observations none = {.d = D, .p = P, .X = X, .Y = Y};
    assert_status(orff_model_probe(&probe, &settings, &none), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_probe(&probe, NULL, &rows), ORFF_ERROR_INVALID_ARGUMENT);
}

/* Of more rows than memory holds: a lattice, unless something about them is not for one. */
static void sums_have_an_engine(void **state) {
    (void)state;
    static const double waves[] = {0.5, 0.0};
    orff_settings settings = orff_settings_default();
    orff_part part = orff_part_default();
    settings.n_parts = 1;
    settings.parts = &part;
    const orff_engine usual = orffi_fft_require() ? ORFF_ENGINE_FEATURES : ORFF_ENGINE_LATTICE;
    assert_int_equal(orff_settings_engine_of_sums(&settings, 2, 2), usual);
    assert_int_equal(orff_settings_engine_of_sums(&settings, ORFF_LATTICE_INPUTS + 1, 2),
                     ORFF_ENGINE_FEATURES);
    assert_int_equal(orff_settings_engine_of_sums(&settings, 2, ORFF_LATTICE_OUTPUTS + 1),
                     ORFF_ENGINE_FEATURES);
    part.wavelengths = waves;
    assert_int_equal(orff_settings_engine_of_sums(&settings, 2, 2), ORFF_ENGINE_FEATURES);
    part.wavelengths = NULL;
    settings.single = true;
    assert_int_equal(orff_settings_engine_of_sums(&settings, 2, 2), ORFF_ENGINE_FEATURES);
    settings.engine = ORFF_ENGINE_LATTICE; /* asked for: it says itself what it cannot do */
    assert_int_equal(orff_settings_engine_of_sums(&settings, 2, 2), ORFF_ENGINE_LATTICE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(survives_a_file),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(gives_the_model_of_the_rows),
        cmocka_unit_test(chooses_and_refuses),
        cmocka_unit_test(folds_are_refits),
        cmocka_unit_test(chooses_the_most_probable),
        cmocka_unit_test(rows_without_noise),
        cmocka_unit_test(lambda_says_the_noise),
        cmocka_unit_test(few_and_strange_rows),
        cmocka_unit_test(draws_have_the_variance),
        cmocka_unit_test(repeated_rows),
        cmocka_unit_test(probe_chooses),
        cmocka_unit_test(sums_have_an_engine),
    };
    return cmocka_run_group_tests(tests, fill_rows, NULL);
}
