/* Kernels with Hermitian A(w): K(-delta) = K(delta)^T and no further symmetry. The example is delays between
 * outputs: with B(w)_i = e^{i w tau_i}, output i shows the common process with delay tau_i, K_ij(delta) =
 * k0(delta - tau_i + tau_j). */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact/delays.h"
#include "fields.h"
#include "reload.h"

#define TWO_PI 6.28318530717958647693

static const double late[3] = {0.0, 0.7, -0.4};

/* Two columns: what all show late, and something of the second output alone. */
static int delays_b_at(void *self, const double *w, double *B) {
    (void)self;
    memset(B, 0, 12 * sizeof *B);
    for (size_t i = 0; i < 3; i++) {
        B[4 * i] = cos(w[0] * late[i]);
        B[4 * i + 1] = sin(w[0] * late[i]);
    }
    B[4 * 1 + 2] = 0.5;
    return 0;
}
SUPPORT_MANY(delays_b, 1, 12)

/* The same as A = B B^*. */
static int delays_a_at(void *self, const double *w, double *A) {
    (void)self;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            A[2 * (3 * i + j)] = cos(w[0] * (late[i] - late[j])) + (i == 1 && j == 1 ? 0.25 : 0.0);
            A[2 * (3 * i + j) + 1] = sin(w[0] * (late[i] - late[j]));
        }
    return 0;
}
SUPPORT_MANY(delays_a, 1, 18)

static int delays_exact_at(void *self, const double *delta, double *K) {
    const double l = *(const double *)self;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            const double v = (delta[0] - late[i] + late[j]) / l, u = delta[0] / l;
            K[3 * i + j] = exp(-0.5 * v * v) + (i == 1 && j == 1 ? 0.25 * exp(-0.5 * u * u) : 0.0);
        }
    return 0;
}
SUPPORT_MANY(delays_exact, 1, 9)

/* A phase that does not turn with the sign of w. */
static int stuck_at(void *self, const double *w, double *B) {
    (void)self, (void)w;
    memset(B, 0, 12 * sizeof *B);
    B[0] = 1.0;
    B[4 + 1] = 1.0;
    return 0;
}
SUPPORT_MANY(stuck, 1, 12)

/* Hermitian is not enough: it must be positive. */
static int negative_at(void *self, const double *w, double *A) {
    (void)self, (void)w;
    memset(A, 0, 18 * sizeof *A);
    A[0] = A[8] = A[16] = 1.0;
    A[2 * 1 + 1] = 2.0 * (w[0] > 0.0 ? 1.0 : -1.0);
    A[2 * 3 + 1] = -A[2 * 1 + 1];
    return 0;
}
SUPPORT_MANY(negative, 1, 18)

static double scale = 0.5;

static orff_part delays_part(orff_rule rule) {
    orff_part part = fields_part(rule, scale);
    part.hermitian = true;
    part.columns = 2;
    part.matrix = rule == ORFF_RULE_CUSTOM_B ? delays_b : delays_a;
    part.exact = delays_exact;
    part.self = &scale;
    return part;
}

static orff_features *draw(const orff_part *part, size_t p, const orff_sampling *sampling) {
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    assert_ok(orff_kernel_create(&kernel, 1, p, 1, part));
    assert_ok(orff_features_create(&features, kernel, sampling));
    orff_kernel_free(kernel);
    return features;
}

/* As many digits as one asks for. */
static orff_sampling fine(const double *extent) {
    orff_sampling sampling = orff_sampling_default();
    sampling.scheme = ORFF_SCHEME_GRID;
    sampling.features = 0;
    sampling.tolerance = 1e-8;
    sampling.extent = extent;
    return sampling;
}

static void test_kernel(void **state) {
    (void)state;
    const double extent = 4.0;
    const orff_sampling sampling = fine(&extent);
    for (int k = 0; k < 2; k++) {
        const orff_part part = delays_part(k ? ORFF_RULE_CUSTOM_A : ORFF_RULE_CUSTOM_B);
        orff_features *f = draw(&part, 3, &sampling);
        for (double x = -1.9; x < 2.0; x += 0.3) {
            const double z = 0.1;
            double K[9], mirrored[9], exact[9], delta = x - z;
            assert_ok(orff_features_kernel(f, &x, &z, K));
            assert_ok(orff_features_kernel(f, &z, &x, mirrored));
            delays_exact_at(&scale, &delta, exact);
            assert_all_close(9, K, exact, 1e-6);
            for (size_t i = 0; i < 9; i++) assert_close(mirrored[i % 3 * 3 + i / 3], K[i], 1e-12);
        }
        orff_features_free(f);
    }
}

/* Phi(x)^T Phi(z) and the real part of the complex map's product are the kernel. */
static void test_maps(void **state) {
    (void)state;
    orff_sampling sampling = orff_sampling_default();
    sampling.features = 20;
    const orff_part part = delays_part(ORFF_RULE_CUSTOM_B);
    orff_features *f = draw(&part, 3, &sampling);
    const size_t M = orff_features_describe(f).parameters;
    const double x = 0.3, z = -0.8;
    double *a = support_zeros(M * 3), *b = support_zeros(M * 3), *c = support_zeros(M * 3),
           *d = support_zeros(M * 3), K[9], real[9] = {0}, complex[9] = {0};
    assert_ok(orff_features_kernel(f, &x, &z, K));
    assert_ok(orff_features_map(f, &x, a));
    assert_ok(orff_features_map(f, &z, b));
    assert_ok(orff_features_map_complex(f, &x, c));
    assert_ok(orff_features_map_complex(f, &z, d));
    for (size_t i = 0; i < 9; i++) {
        for (size_t k = 0; k < M; k++) real[i] += a[k * 3 + i / 3] * b[k * 3 + i % 3];
        for (size_t k = 0; k < M / 2; k++) {
            const double *u = c + 2 * (k * 3 + i / 3), *v = d + 2 * (k * 3 + i % 3);
            complex[i] += u[0] * v[0] + u[1] * v[1];
        }
    }
    assert_all_close(9, real, K, 1e-13);
    assert_all_close(9, complex, K, 1e-13);
    /* The complex map itself: sqrt(q) e^{i w x} B^*. */
    double w, q, B[12];
    double *omega = support_zeros(20), *weights = support_zeros(20);
    size_t columns;
    assert_ok(orff_features_frequencies(f, omega, weights));
    w = omega[3];
    q = weights[3];
    assert_ok(orff_features_block_complex(f, 3, &columns, B));
    assert_int_equal(columns, 2);
    for (size_t i = 0; i < 3; i++) {
        const double *b0 = B + 2 * (i * 2), *is = c + 2 * ((3 * 2) * 3 + i);
        assert_close(is[0], sqrt(q) * (cos(w * x) * b0[0] + sin(w * x) * b0[1]), 1e-13);
        assert_close(is[1], sqrt(q) * (sin(w * x) * b0[0] - cos(w * x) * b0[1]), 1e-13);
    }
    assert_int_equal(orff_features_block(f, 0, &columns, B), ORFF_ERROR_UNSUPPORTED);
    free(a), free(b), free(c), free(d), free(omega), free(weights);
    orff_features_free(f);
}

static void test_adjoint(void **state) {
    (void)state;
    orff_sampling sampling = orff_sampling_default();
    sampling.features = 15;
    const orff_part part = delays_part(ORFF_RULE_CUSTOM_A);
    orff_features *f = draw(&part, 3, &sampling);
    const size_t M = orff_features_describe(f).parameters, n = 7;
    double *X = support_normal(n, 1, 0), *Y = support_normal(n * 3, 2, 0), *theta = support_normal(M, 3, 0),
           *F = support_zeros(n * 3), *back = support_zeros(M), *normal = support_zeros(M), left = 0.0,
           right = 0.0;
    assert_ok(orff_features_apply(f, n, X, theta, F));
    assert_ok(orff_features_adjoint(f, n, X, Y, back));
    for (size_t i = 0; i < n * 3; i++) left += F[i] * Y[i];
    for (size_t i = 0; i < M; i++) right += theta[i] * back[i];
    assert_close(left, right, 1e-11);
    assert_ok(orff_features_normal(f, n, X, theta, normal));
    assert_ok(orff_features_adjoint(f, n, X, F, back));
    assert_all_close(M, normal, back, 1e-11);
    free(X), free(Y), free(theta), free(F), free(back), free(normal);
    orff_features_free(f);
}

static void test_refused(void **state) {
    (void)state;
    const orff_sampling sampling = orff_sampling_default();
    const struct {
        orff_rule rule;
        orff_matrix_fn matrix;
        orff_status status;
    } wrong[] = {{ORFF_RULE_CUSTOM_B, stuck, ORFF_ERROR_INVALID_ARGUMENT},
                 {ORFF_RULE_CUSTOM_A, negative, ORFF_ERROR_NOT_POSITIVE}};
    for (size_t i = 0; i < 2; i++) {
        orff_part part = delays_part(wrong[i].rule);
        orff_kernel *kernel = NULL;
        orff_features *f = NULL;
        part.matrix = wrong[i].matrix;
        assert_ok(orff_kernel_create(&kernel, 1, 3, 1, &part));
        assert_int_equal(orff_features_create(&f, kernel, &sampling), wrong[i].status);
        orff_kernel_free(kernel);
    }
    orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 1.0);
    orff_kernel *kernel = NULL;
    part.hermitian = true;
    assert_int_equal(orff_kernel_create(&kernel, 1, 3, 1, &part), ORFF_ERROR_INVALID_ARGUMENT);
}

/* ---- models */

/* Three outputs of one wave, each late. */
static void truth(const double *x, double *y) {
    for (size_t i = 0; i < 3; i++) y[i] = sin(4.0 * (x[0] - late[i])) * exp(-pow(x[0] - late[i], 2));
    y[1] += 0.3 * cos(3.0 * x[0]);
}

/* n rows on [-2, 2]. */
static fields_rows rows_of(size_t n, double noise) {
    fields_rows rows = fields_draw(truth, n, 1, 3, 0.0, 5);
    double *more = models_normal(3 * n, 11);
    for (size_t i = 0; i < n; i++) {
        rows.X[i] *= 2.0;
        truth(rows.X + i, rows.truth + 3 * i);
    }
    for (size_t i = 0; i < 3 * n; i++) rows.Y[i] = rows.truth[i] + noise * more[i];
    free(more);
    return rows;
}

static orff_model *fit_by(const orff_part *part, orff_engine engine, const fields_rows *rows) {
    orff_settings settings = fields_given(part, 0, 1e-4);
    settings.engine = engine;
    settings.posterior = ORFF_SWITCH_YES;
    if (engine == ORFF_ENGINE_FEATURES) settings.sampling.scheme = ORFF_SCHEME_GRID;
    if (engine == ORFF_ENGINE_FEATURES) settings.sampling.tolerance = 1e-9;
    return fields_fit(&settings, rows);
}

/* Errors, errors of the slope where there are any, and samples of two models that are the same. */
static void assert_same_errors(const orff_model *a, const orff_model *b, double tol) {
    const double x[3] = {-1.1, 0.2, 0.9};
    double one[27], other[27];
    assert_ok(orff_model_covariance(a, 3, x, one));
    assert_ok(orff_model_covariance(b, 3, x, other));
    assert_all_close(27, one, other, tol);
}

/* Features with all digits are the exact kernel, by moments and by the rows' own matrix; so are their errors. */
static void test_models(void **state) {
    (void)state;
    for (int few = 0; few < 2; few++) {
        fields_rows rows = rows_of(few ? 15 : 120, 0.05), grid = rows_of(40, 0.0);
        for (int k = 0; k < 2; k++) {
            const orff_part part = delays_part(k ? ORFF_RULE_CUSTOM_A : ORFF_RULE_CUSTOM_B);
            orff_model *exact = fit_by(&part, ORFF_ENGINE_EXACT, &rows),
                       *features = fit_by(&part, ORFF_ENGINE_FEATURES, &rows);
            /* The grid of frequencies repeats beyond the extent of the rows, and does not know of the delays. */
            fields_assert_same(features, exact, &grid, 3, 1e-4);
            assert_same_errors(features, exact, 1e-4);
            orff_model_free(exact);
            orff_model_free(features);
        }
        fields_free(&rows);
        fields_free(&grid);
    }
}

/* The blocks of a file serve without the functions. */
static void test_file(void **state) {
    (void)state;
    fields_rows rows = rows_of(80, 0.05);
    const orff_part part = delays_part(ORFF_RULE_CUSTOM_B);
    orff_model *model = fit_by(&part, ORFF_ENGINE_FEATURES, &rows),
               *loaded = support_reload(fit_by(&part, ORFF_ENGINE_FEATURES, &rows));
    orff_part found;
    fields_assert_same(loaded, model, &rows, 3, 1e-14);
    assert_same_errors(loaded, model, 1e-14);
    assert_ok(orff_model_part(loaded, 0, &found));
    assert_true(found.hermitian);
    orff_model_free(model);
    orff_model_free(loaded);
    fields_free(&rows);
}

/* ---- delayed parts */

static orff_part delayed_part(void) {
    static const double A[9] = {1, 1, 1, 1, 1.25, 1, 1, 1, 1};
    orff_part part = fields_part(ORFF_RULE_DELAYED, scale);
    part.A = A;
    part.delays = late;
    return part;
}

static void test_delayed(void **state) {
    (void)state;
    const double extent = 4.0;
    const orff_sampling sampling = fine(&extent);
    const orff_part part = delayed_part();
    orff_features *f = draw(&part, 3, &sampling);
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, 1, 3, 1, &part));
    for (double x = -1.9; x < 2.0; x += 0.3) {
        const double z = 0.1;
        double K[9], exact[9], delta = x - z, own[9];
        assert_ok(orff_features_kernel(f, &x, &z, K));
        assert_ok(orff_kernel_eval(kernel, &x, &z, exact));
        delays_exact_at(&scale, &delta, own);
        assert_all_close(9, K, exact, 1e-6);
        assert_all_close(9, exact, own, 1e-14);
    }
    orff_kernel_free(kernel);
    orff_features_free(f);
}

static void test_delayed_models(void **state) {
    (void)state;
    fields_rows rows = rows_of(100, 0.05);
    const orff_part part = delayed_part();
    for (int engine = 0; engine < 2; engine++) {
        orff_model *model = fit_by(&part, engine ? ORFF_ENGINE_FEATURES : ORFF_ENGINE_EXACT, &rows),
                   *other = fit_by(&part, engine ? ORFF_ENGINE_EXACT : ORFF_ENGINE_FEATURES, &rows);
        orff_part found;
        fields_assert_same(model, other, &rows, 3, 1e-5);
        model = support_reload(model);
        fields_assert_same(model, other, &rows, 3, 1e-5);
        assert_ok(orff_model_part(model, 0, &found));
        assert_all_close(3, found.delays, late, 1e-12);
        orff_model_free(model);
        orff_model_free(other);
    }
    fields_free(&rows);
}

/* A process of which two stations measure the same, the second 1.3 later and half as large, the third something else. */
static double process(double t) {
    return sin(1.1 * t) + 0.7 * cos(2.3 * t + 1.0) + 0.5 * sin(3.7 * t);
}

static fields_rows series(size_t n, size_t p, double noise) {
    fields_rows rows = {n, 1, p, support_zeros(n), models_normal(n * p, 3), support_zeros(n * p)};
    for (size_t i = 0; i < n; i++) {
        const double t = rows.X[i] = 0.15 * (double)i;
        rows.truth[i * p] = process(t);
        rows.truth[i * p + 1] = 0.5 * process(t - 1.3);
        if (p > 2) rows.truth[i * p + 2] = -process(t + 0.6);
    }
    for (size_t i = 0; i < n * p; i++) rows.Y[i] = rows.truth[i] + noise * rows.Y[i];
    return rows;
}

/* The gradient of the evidence against differences of its values, for rows of two groups, some without weight. */
static void test_gradient(void **state) {
    (void)state;
    enum { N = 9, D = 2, P = 3, M = 2 };
    double *X = support_normal(2 * N * D, 4, 0), *Y = support_normal(2 * N * P, 5, 0), weights[N];
    for (size_t i = 0; i < N; i++) weights[i] = i == 4 ? 0.0 : 1.0 + (double)(i % 3);
    const orffi_evidence_rows rows[2] = {{.n = N, .X = X, .Y = Y, .weights = weights},
                                         {.n = N, .X = X + N * D, .Y = Y + N * P}};
    const double extent[D] = {5.0, 7.0};
    orff_part parts[M] = {orff_part_default(), orff_part_default()};
    parts[0].base = ORFF_BASE_MATERN;
    parts[0].shape = 2.5;
    orffi_delays e;
    assert_ok(orffi_delays_init(&e, D, P, M, parts, 2, rows, extent, NULL));
    const size_t n = orffi_delays_unknowns(&e);
    assert_int_equal(n, M * (2 * D + 2 * P + (P - 1) * D) + 1);
    double *x = support_normal(n, 6, 0), *gradient = support_zeros(n), value, more, less;
    for (size_t i = 0; i < n; i++) x[i] *= 0.4;
    assert_ok(orffi_delays_evaluate(&e, x, &value, gradient));
    for (size_t i = 0; i < n; i++) {
        const double at = x[i], h = 1e-5;
        x[i] = at + h;
        assert_ok(orffi_delays_evaluate(&e, x, &more, NULL));
        x[i] = at - h;
        assert_ok(orffi_delays_evaluate(&e, x, &less, NULL));
        x[i] = at;
        support_case("unknown %zu", i);
        assert_close((more - less) / (2.0 * h), gradient[i], 1e-6);
    }
    support_case(NULL);
    orffi_delays_clear(&e);
    free(X), free(Y), free(x), free(gradient);
}

/* Delays are found within 5 per cent, by the exact kernel and for features. */
static void test_learned(void **state) {
    (void)state;
    for (size_t p = 2; p < 4; p++) {
        fields_rows rows = series((p == 2 ? 150 : 100) / support_step(2), p, 0.1);
        orff_part part = fields_part(ORFF_RULE_DELAYED, ORFF_SIGMA_AUTO), found;
        part.base = p == 2 ? ORFF_BASE_GAUSSIAN : ORFF_BASE_AUTO;
        orff_settings settings = orff_settings_default();
        settings.n_parts = 1;
        settings.parts = &part;
        settings.engine = p == 2 ? ORFF_ENGINE_FEATURES : ORFF_ENGINE_EXACT;
        orff_model *model = fields_fit(&settings, &rows);
        assert_ok(orff_model_part(model, 0, &found));
        support_case("%zu outputs", p);
        assert_close(found.delays[0], 0.0, 1e-12);
        assert_close(found.delays[1] / 1.3, 1.0, 0.05);
        if (p > 2) assert_close(found.delays[2] / -0.6, 1.0, 0.05);
        assert_true(fields_error(model, &rows, rows.truth) < 0.01);
        orff_model_free(model);
        fields_free(&rows);
    }
    support_case(NULL);
}

/* Outputs of any size have the same delays, with length scale and lambda given too, and whether or not A is said to be learned. */
static void test_units(void **state) {
    (void)state;
    for (size_t learn = 0; learn < 2; learn++) {
        fields_rows rows = series(60, 2, 0.05);
        orff_part part = fields_part(ORFF_RULE_DELAYED, 1.0), found;
        part.learn = learn;
        orff_settings settings = fields_given(&part, 0, 1e-4);
        settings.engine = ORFF_ENGINE_EXACT;
        settings.scale_outputs = ORFF_SWITCH_NO;
        for (size_t i = 0; i < 120; i++) rows.Y[i] *= 1000.0;
        orff_model *model = fields_fit(&settings, &rows);
        assert_ok(orff_model_part(model, 0, &found));
        assert_close(found.delays[1] / 1.3, 1.0, 0.05);
        orff_model_free(model);
        fields_free(&rows);
    }
}

/* What stays of a delay less whole halves of a wave, which with the other sign are the same. */
static double beyond_halves(double delay, double wave) {
    return remainder(delay, 0.5 * wave);
}

/* Two waves, each with its own delay and its own amplitude in the second output. */
static void test_learned_waves(void **state) {
    (void)state;
    enum { P = 2 };
    const size_t N = support_step(2) > 1 ? 40 : 70; /* fewer know the waves, but less of the field */
    const double wave[2] = {6.1, 2.3}, delay[2] = {1.1, -0.4}, times[2] = {300.0, -180.0};
    fields_rows rows = {N, 1, P, support_zeros(N), models_normal(N * P, 8), support_zeros(N * P)};
    for (size_t i = 0; i < N; i++) {
        const double t = rows.X[i] = 30.0 * orffi_rng_uniform((orffi_rng){9, 1}, i, 0);
        for (size_t m = 0; m < 2; m++) {
            rows.truth[i * P] += 100.0 * sin(TWO_PI * t / wave[m]);
            rows.truth[i * P + 1] += times[m] * sin(TWO_PI * (t - delay[m]) / wave[m]);
        }
    }
    for (size_t i = 0; i < N * P; i++) rows.Y[i] = rows.truth[i] + 20.0 * rows.Y[i];
    orff_part parts[2], found[2];
    orff_settings settings = orff_settings_default();
    for (size_t m = 0; m < 2; m++) {
        parts[m] = fields_part(ORFF_RULE_DELAYED, ORFF_SIGMA_AUTO);
        parts[m].base = ORFF_BASE_AUTO;
        parts[m].learn_wavelengths = true;
    }
    settings.n_parts = 2;
    settings.parts = parts;
    settings.engine = ORFF_ENGINE_EXACT;
    orff_model *model = fields_fit(&settings, &rows);
    for (size_t m = 0; m < 2; m++) assert_ok(orff_model_part(model, m, &found[m]));
    const size_t longer = found[0].wavelengths[0] < found[1].wavelengths[0];
    for (size_t m = 0; m < 2; m++) {
        const orff_part *one = &found[m ? !longer : longer];
        support_case("wave %g", wave[m]);
        assert_close(one->wavelengths[0], wave[m], 0.02 * wave[m]);
        assert_close(beyond_halves(one->delays[1] - delay[m], wave[m]), 0.0, 0.03 * wave[m]);
        assert_true(fabs(one->delays[1]) < 0.53 * wave[m]); /* of delays that do as well, the least */
    }
    support_case(NULL);
    assert_true(N < 70 || fields_error(model, &rows, rows.truth) < 400.0); /* the noise is 20 */
    orff_model_free(model);
    fields_free(&rows);
}

/* The second output is not measured for a while; the first, earlier, tells what it was. */
static void test_gap(void **state) {
    (void)state;
    fields_rows rows = series(150, 2, 0.05);
    double error[2];
    for (int k = 0; k < 2; k++) {
        static const double A[4] = {1.0, 0.5, 0.5, 0.2501}, delays[2] = {0.0, 1.3};
        orff_part part = fields_part(k ? ORFF_RULE_DELAYED : ORFF_RULE_DECOMPOSABLE, 0.7);
        part.A = A;
        part.delays = k ? delays : NULL;
        orff_settings settings = fields_given(&part, 0, 1e-4);
        settings.engine = ORFF_ENGINE_EXACT;
        orff_model *model = NULL;
        double *Y = support_zeros(300), *F = support_zeros(300);
        memcpy(Y, rows.Y, 300 * sizeof *Y);
        for (size_t i = 60; i < 90; i++) Y[2 * i + 1] = NAN;
        const orff_observations given = {.d = 1, .p = 2, .n = 150, .X = rows.X, .Y = Y};
        assert_ok(orff_model_fit_observations(&model, &settings, &given));
        assert_ok(orff_model_predict(model, 150, rows.X, F));
        error[k] = 0.0;
        for (size_t i = 60; i < 90; i++) error[k] += pow(F[2 * i + 1] - rows.truth[2 * i + 1], 2) / 30.0;
        orff_model_free(model);
        free(Y), free(F);
    }
    assert_true(error[1] < 0.02 * error[0]);
    fields_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernel),   cmocka_unit_test(test_maps),
                                       cmocka_unit_test(test_adjoint),  cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_models),   cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_delayed),  cmocka_unit_test(test_delayed_models),
                                       cmocka_unit_test(test_gradient), cmocka_unit_test(test_learned),
                                       cmocka_unit_test(test_units),    cmocka_unit_test(test_learned_waves),
                                       cmocka_unit_test(test_gap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
