/* Posterior samples: their mean and joint covariance against the dense Gaussian process, for every engine and
 * every form of stored posterior; fields derived from them; errors of derived fields. Tolerances are six
 * standard errors of the estimates, with fixed seeds. */
#include "base/linalg.h"
#include "engine/lattice.h"
#include "exact/exact.h"
#include "models.h"

#include <stdio.h>

enum { ROWS = 60, POINTS = 3 };

typedef struct setting {
    const char *name;
    const char *settings[10];
    size_t d, p, samples;
    bool band; /* short waves: rows are kept */
    bool weighted;
} setting;

static const setting settings[] = {
    {"exact, decomposable, coupled",
     {"engine=exact", "kernel=decomposable", "sigma=0.4,0.6", "lambda=1e-2", "posterior=yes",
      "output-matrix=covariance"},
     2,
     2,
     300,
     false,
     false},
    {"exact, Helmholtz",
     {"engine=exact", "kernel=helmholtz", "sigma=0.4,0.6", "lambda=1e-2", "posterior=yes", "base=matern72"},
     2,
     2,
     100,
     false,
     false},
    {"exact, div-free, weights",
     {"engine=exact", "kernel=div-free", "sigma=0.5", "lambda=1e-2", "posterior=yes"},
     2,
     2,
     300,
     false,
     true},
    {"features, div-free",
     {"engine=features", "kernel=div-free", "sigma=0.5", "lambda=1e-2", "features=40", "posterior=yes"},
     2,
     2,
     600,
     false,
     false},
    {"features, decomposable, few rows",
     {"engine=features", "kernel=decomposable", "sigma=0.5", "lambda=1e-2", "features=300", "posterior=yes"},
     2,
     2,
     600,
     false,
     false},
    {"lattice, curl-free, direct",
     {"engine=lattice", "kernel=curl-free", "sigma=1.2", "lambda=1e-2", "posterior=yes"},
     2,
     2,
     600,
     false,
     false},
    {"lattice, decomposable, direct, weights",
     {"engine=lattice", "kernel=decomposable", "sigma=1.2", "lambda=1e-2", "posterior=yes"},
     2,
     2,
     600,
     false,
     true},
    {"lattice, div-free, rows",
     {"engine=lattice", "kernel=div-free", "sigma=0.07", "lambda=1e-2", "posterior=yes", "tolerance=1e-6"},
     2,
     2,
     80,
     true,
     false},
    {"lattice, decomposable, rows, weights",
     {"engine=lattice", "kernel=decomposable", "sigma=0.0005", "lambda=1e-2", "posterior=yes",
      "tolerance=1e-6"},
     1,
     2,
     600,
     true,
     true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static bool is_lattice(const setting *s) {
    return !strcmp(s->settings[0], "engine=lattice");
}

/* Rows of a smooth field in the unit square. */
static void fill_rows(const setting *s, double *X, double *Y, double *weights) {
    const orffi_rng rng = {5, 9};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < s->d; k++) X[i * s->d + k] = 2.0 * orffi_rng_uniform(rng, i, (uint32_t)k);
        const double x = X[i * s->d], y = s->d > 1 ? X[i * s->d + 1] : 0.3;
        Y[i * 2] = sin(3.0 * y) + 0.2 * orffi_rng_normal(rng, i, 10);
        Y[i * 2 + 1] = cos(2.0 * x) + 0.2 * orffi_rng_normal(rng, i, 11);
        weights[i] = s->weighted ? 0.5 + (double)(i % 4) : 1.0;
    }
}

typedef struct fitted {
    const setting *how;
    orff_model *model;
    double X[ROWS * 2], Y[ROWS * 2], weights[ROWS];
} fitted;

static void set(orff_options *options, const char *text) {
    char name[32];
    const char *equals = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    assert_ok(orff_options_set(options, name, equals + 1));
}

static void fit(fitted *f, const setting *s) {
    orff_options *options = NULL;
    orff_settings resolved;
    *f = (fitted){.how = s};
    fill_rows(s, f->X, f->Y, f->weights);
    const orff_data_shape shape = {.d = s->d, .p = s->p, .n = ROWS, .X = f->X, .Y = f->Y};
    assert_ok(orff_options_create(&options));
    for (size_t i = 0; s->settings[i]; i++) set(options, s->settings[i]);
    assert_ok(orff_options_resolve(options, &shape, &resolved));
    assert_ok(
        orff_model_fit(&f->model, &resolved, s->d, s->p, ROWS, f->X, f->Y, s->weighted ? f->weights : NULL));
    orff_options_free(options);
    assert_true(orff_model_describe(f->model).has_posterior);
    if (is_lattice(s)) {
        const orffi_lattice_fit *made = f->model->fit;
        assert_int_equal(made->rows.n, s->band ? ROWS : 0); /* the way that is meant */
    }
}

/* The model of a setting, fitted when it is first asked for. */
static fitted all_fitted[SETTINGS];

static const fitted *fitted_to(size_t i) {
    support_case("%s", settings[i].name);
    if (!all_fitted[i].model) fit(&all_fitted[i], &settings[i]);
    return &all_fitted[i];
}

static int free_all(void **state) {
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) orff_model_free(all_fitted[i].model);
    return 0;
}

/* Points between the rows. */
static void fill_points(const setting *s, const fitted *f, size_t n, double *x) {
    for (size_t i = 0; i < n * s->d; i++)
        x[i] = s->d == 1 ? f->X[i] + 0.0002 * (double)(i + 1) : 0.6 + 0.08 * (double)i;
}

/* ---- the dense Gaussian process */

static double weight_of(const fitted *f, size_t i) {
    return f->how->weighted ? f->weights[i] : 1.0;
}

/* K of the model as its engine has it, at two inner points (p x p). */
static void kernel_at(const fitted *f, const double *a, const double *b, double *K) {
    if (!strncmp(f->how->settings[0], "engine=features", 15))
        assert_ok(orff_features_kernel(models_fit(f->model)->features, a, b, K));
    else
        assert_ok(orff_kernel_eval(orffi_model_kernel(f->model), a, b, K));
}

/* (n p) x (m p) */
static double *gram(const fitted *f, double scale, size_t n, const double *a, size_t m, const double *b) {
    const size_t p = f->how->p, d = f->how->d;
    double *K = support_zeros(n * p * m * p), block[4];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            kernel_at(f, a + i * d, b + j * d, block);
            for (size_t k = 0; k < p * p; k++) K[(i * p + k / p) * m * p + j * p + k % p] = scale * block[k];
        }
    return K;
}

/* The joint posterior covariance of f at n points, (n p) x (n p), in the outputs' units. */
static double *dense(const fitted *f, size_t n, const double *x) {
    const size_t p = f->how->p, all = ROWS * p, own = n * p;
    const orff_model *model = f->model;
    double sum = 0.0, inner[ROWS * 2], at[32];
    for (size_t i = 0; i < ROWS; i++) sum += weight_of(f, i);
    const double scale = 1.0 / (sum * model->lambda); /* for a noise of 1 */
    orffi_model_transform(model, ROWS, f->X, inner);
    orffi_model_transform(model, n, x, at);
    double *K = gram(f, scale, ROWS, inner, ROWS, inner), *cross = gram(f, scale, ROWS, inner, n, at);
    double *solved = gram(f, scale, ROWS, inner, n, at), *C = gram(f, scale, n, at, n, at);
    for (size_t i = 0; i < all; i++) K[i * all + i] += 1.0 / weight_of(f, i / p);
    assert_ok(orffi_cholesky(all, K));
    assert_ok(orffi_cholesky_solve(all, K, own, solved));
    orffi_gemm(true, false, own, own, all, -1.0, cross, own, solved, own, 1.0, C, own);
    for (size_t i = 0; i < own * own; i++) C[i] *= model->noise[i / own % p] * model->noise[i % own % p];
    free(K);
    free(cross);
    free(solved);
    return C;
}

/* ---- mean and covariance */

/* The kernel of the lattice leaves out waves, and samples with it: so much of the prior variance may be missing. */
static void check_moments(const fitted *f) {
    const setting *s = f->how;
    const size_t own = POINTS * s->p, count = s->samples;
    double x[POINTS * 2], mean[POINTS * 2], *F = support_zeros(count * own);
    fill_points(s, f, POINTS, x);
    assert_ok(orff_model_sample(f->model, count, 11, POINTS, x, F));
    assert_ok(orff_model_predict(f->model, POINTS, x, mean));
    double *C = dense(f, POINTS, x);
    for (size_t i = 0; i < own; i++)
        for (size_t j = 0; j <= i; j++) {
            double first = 0.0, second = 0.0;
            for (size_t k = 0; k < count; k++) {
                first += (F[k * own + i] - mean[i]) / (double)count;
                second += (F[k * own + i] - mean[i]) * (F[k * own + j] - mean[j]) / (double)count;
            }
            const double ii = C[i * own + i], jj = C[j * own + j], ij = C[i * own + j];
            const double error = sqrt((ii * jj + ij * ij) / (double)count);
            if (fabs(first) > 6.0 * sqrt(ii / (double)count) || fabs(second - ij) > 6.0 * error)
                fail_msg("%s: %zu, %zu: mean %g (of %g), covariance %g, should be %g (chance: %g)", s->name,
                         i, j, first, sqrt(ii), second, ij, error);
        }
    free(F);
    free(C);
}

static void test_moments(void **state) {
    (void)state;
    for (size_t i = 0; i < SETTINGS; i += support_step(2)) check_moments(fitted_to(i));
    support_case(NULL);
}

/* ---- the same samples whatever is asked at once */

static void test_blocks(void **state) {
    enum { COUNT = 4, MANY = 7 };
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        orff_samples *samples = NULL, *fewer = NULL;
        double x[MANY * 2], all[COUNT * MANY * 2], part[COUNT * 2], other[COUNT * MANY * 2];
        const fitted *f = fitted_to(i);
        const size_t p = settings[i].p, d = settings[i].d;
        fill_points(&settings[i], f, MANY, x);
        assert_ok(orff_samples_draw(&samples, f->model, COUNT, 3));
        assert_ok(orff_samples_draw(&fewer, f->model, COUNT - 1, 3));
        assert_int_equal(orff_samples_count(samples), COUNT);
        assert_ok(orff_samples_field(samples, ORFF_FIELD_VALUES, MANY, x, all));
        for (size_t k = 0; k < MANY; k++) {
            assert_ok(orff_samples_field(samples, ORFF_FIELD_VALUES, 1, x + k * d, part));
            for (size_t c = 0; c < COUNT; c++)
                assert_all_close(p, part + c * p, all + (c * MANY + k) * p, 1e-7);
        }
        assert_ok(orff_samples_field(fewer, ORFF_FIELD_VALUES, MANY, x, other));
        assert_all_close((COUNT - 1) * MANY * p, other, all, 1e-9);
        assert_ok(orff_model_sample(f->model, COUNT, 4, MANY, x, other));
        assert_true(fabs(other[0] - all[0]) > 1e-9); /* another seed */
        orff_samples_free(samples);
        orff_samples_free(fewer);
    }
    support_case(NULL);
}

/* ---- derived fields */

/* Differences of the samples themselves. */
static void check_slopes(const fitted *f, const orff_samples *samples) {
    enum { COUNT = 3 };
    const double h = 1e-4;
    double x[2] = {0.9, 1.1}, values[COUNT * 4 * 2], J[COUNT * 4], divergence[COUNT], curl[COUNT];
    const double around[8] = {x[0] + h, x[1], x[0] - h, x[1], x[0], x[1] + h, x[0], x[1] - h};
    assert_ok(orff_samples_field(samples, ORFF_FIELD_VALUES, 4, around, values));
    assert_ok(orff_samples_field(samples, ORFF_FIELD_JACOBIAN, 1, x, J));
    assert_ok(orff_samples_field(samples, ORFF_FIELD_DIVERGENCE, 1, x, divergence));
    assert_ok(orff_samples_field(samples, ORFF_FIELD_CURL, 1, x, curl));
    for (size_t s = 0; s < COUNT; s++) {
        const double *v = values + s * 8, *j = J + s * 4;
        for (size_t i = 0; i < 2; i++)
            for (size_t k = 0; k < 2; k++)
                assert_close(j[i * 2 + k], (v[2 * (2 * k) + i] - v[2 * (2 * k + 1) + i]) / (2.0 * h), 2e-3);
        assert_close(divergence[s], j[0] + j[3], 1e-6);
        assert_close(curl[s], j[2] - j[1], 1e-6);
        if (!strcmp(f->how->settings[1], "kernel=div-free")) assert_close(divergence[s], 0.0, 1e-6);
        if (!strcmp(f->how->settings[1], "kernel=curl-free")) assert_close(curl[s], 0.0, 1e-6);
    }
}

static void test_derived(void **state) {
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        orff_samples *samples = NULL;
        if (settings[i].d != 2) continue;
        const fitted *f = fitted_to(i);
        assert_ok(orff_samples_draw(&samples, f->model, 3, 3));
        check_slopes(f, samples);
        orff_samples_free(samples);
    }
    support_case(NULL);
}

/* The closed form beside the root mean square of samples, and beside differences of the joint covariance of values. */
static void check_errors(const fitted *f, const orff_samples *samples) {
    static const orff_field fields[] = {ORFF_FIELD_VALUES, ORFF_FIELD_JACOBIAN,  ORFF_FIELD_DIVERGENCE,
                                        ORFF_FIELD_CURL,   ORFF_FIELD_POTENTIAL, ORFF_FIELD_STREAM};
    const double x[2] = {0.9, 1.1}, bound = 6.0 / sqrt(2.0 * (double)orff_samples_count(samples));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        double want[4], got[4];
        if (!orff_model_has_field_std(f->model, fields[i])) {
            if (fields[i] == ORFF_FIELD_VALUES) continue;
            assert_status(orff_model_field_std(f->model, fields[i], 1, x, want), ORFF_ERROR_UNSUPPORTED);
            assert_says("samples");
            continue;
        }
        const size_t k = orff_model_field_size(f->model, fields[i]);
        assert_ok(orff_model_field_std(f->model, fields[i], 1, x, want));
        assert_ok(orff_samples_std(samples, fields[i], 1, x, got));
        for (size_t c = 0; c < k; c++)
            if (fabs(got[c] - want[c]) > bound * want[c] + 1e-6)
                fail_msg("%s: field %d, number %zu: %g by samples, %g in closed form", f->how->name,
                         (int)fields[i], c, got[c], want[c]);
    }
}

/* Variance of the curl by second differences of the dense joint covariance: l^T C l. */
static void check_curl(const fitted *f, const orff_samples *samples) {
    const double h = 2e-3, x[2] = {0.9, 1.1};
    const double around[8] = {x[0] + h, x[1], x[0] - h, x[1], x[0], x[1] + h, x[0], x[1] - h};
    const double l[8] = {0, 1, 0, -1, -1, 0, 1, 0};
    double *C = dense(f, 4, around), sum = 0.0, got;
    const bool closed = orff_model_has_field_std(f->model, ORFF_FIELD_CURL);
    const double bound = closed ? 1e-2 : 6.0 / sqrt(2.0 * (double)orff_samples_count(samples));
    for (size_t i = 0; i < 64; i++) sum += l[i / 8] * C[i] * l[i % 8] / (4.0 * h * h);
    assert_ok(closed ? orff_model_field_std(f->model, ORFF_FIELD_CURL, 1, x, &got)
                     : orff_samples_std(samples, ORFF_FIELD_CURL, 1, x, &got));
    const double want = sqrt(fmax(sum, 0.0));
    if (fabs(got - want) > bound * want + 1e-3)
        fail_msg("%s: curl: %g, should be %g", f->how->name, got, want);
    free(C);
}

static void test_errors(void **state) {
    (void)state;
    support_numbers_only();
    for (size_t i = 0; i < SETTINGS; i++) {
        orff_samples *samples = NULL;
        if (settings[i].d != 2) continue;
        const fitted *f = fitted_to(i);
        assert_ok(orff_samples_draw(&samples, f->model, settings[i].band ? 60 : 200, 3));
        check_errors(f, samples);
        check_curl(f, samples);
        orff_samples_free(samples);
    }
    support_case(NULL);
}

/* ---- refusals, files */

static void test_refusals(void **state) {
    const char *const none[] = {"engine=features", "kernel=div-free", "sigma=0.5", "lambda=1e-2",
                                "features=40",     "posterior=no",    NULL};
    const fitted *f = fitted_to(5);
    orff_model *bare = NULL;
    orff_samples *samples = NULL;
    double far[2] = {100.0, 0.0}, out[8];
    (void)state;
    assert_ok(orff_learn(&bare, none, 2, 2, ROWS, f->X, f->Y));
    assert_status(orff_samples_draw(&samples, bare, 2, 0), ORFF_ERROR_UNSUPPORTED);
    assert_says("posterior");
    assert_ok(orff_samples_draw(&samples, f->model, 2, 0));
    assert_status(orff_samples_field(samples, ORFF_FIELD_VALUES, 1, far, out), ORFF_ERROR_UNSUPPORTED);
    assert_says("does not reach");
    assert_status(orff_samples_field(samples, ORFF_FIELD_COUNT, 1, far, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orff_model_field_std(f->model, ORFF_FIELD_CURL, 1, far, out));
    orff_samples_free(samples);
    orff_model_free(bare);
    support_case(NULL);
}

/* ---- samples that a stream leaves */

typedef struct stream {
    const fitted *f;
    size_t at;
} stream;

static int read_rows(void *self, size_t most, double *X, double *Y, double *weights, size_t *n) {
    stream *s = self;
    (void)weights;
    *n = ROWS - s->at < most ? ROWS - s->at : most;
    memcpy(X, s->f->X + s->at * 2, *n * 2 * sizeof *X);
    memcpy(Y, s->f->Y + s->at * 2, *n * 2 * sizeof *Y);
    s->at += *n;
    return 0;
}

/* Rows of a stream whose length is not known are summed up: 32 samples are kept, in an order that the seed says, and no
 * more can be had. */
static void test_stored(void **state) {
    const orffi_engine *engine = &orffi_engine_lattice;
    const orff_part part = {
        .rule = ORFF_RULE_DIV_FREE, .base = ORFF_BASE_GAUSSIAN, .sigma = 0.07, .weight = 1.0};
    const double extent[2] = {2.0, 2.0}, middle[2] = {1.0, 1.0}, x[2] = {0.9, 1.1};
    fitted f = {.how = &settings[7]};
    stream s = {.f = &f};
    orff_settings options = orff_settings_default();
    orff_kernel *kernel = NULL;
    void *rows = NULL, *made = NULL;
    double sums[6], variance[4], first[32], square = 0.0, work[2], value[2];
    orffi_report report = {.mean = sums, .train_mse = sums + 2, .cv_mse = sums + 4};
    orffi_deviation samples[33] = {{0}};
    (void)state;
    support_numbers_only();
    options.posterior = ORFF_SWITCH_YES;
    fill_rows(f.how, f.X, f.Y, f.weights);
    const orffi_task task = {.settings = &options, .extent = extent, .middle = middle, .folds = 1};
    const orffi_source source = {.reader = {.read = read_rows, .self = &s}, .expected = ROWS};
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(engine->prepare(&rows, &task, kernel));
    assert_ok(engine->read(rows, &source));
    assert_ok(engine->learn(&made, rows, kernel, 1e-2, &report));
    assert_int_equal(((orffi_lattice_fit *)made)->draws, 32);
    assert_status(engine->draw(made, 0, 33, samples), ORFF_ERROR_UNSUPPORTED);
    assert_says("32");
    assert_ok(engine->draw(made, 0, 32, samples));
    for (size_t i = 0; i < 32; i++) {
        assert_ok(orffi_deviation_values(&samples[i], 2, 1, x, work, value));
        square += value[0] * value[0] / 32.0;
        first[i] = value[0];
        orffi_deviation_clear(&samples[i]);
    }
    assert_ok(engine->covariance(made, 1, x, variance));
    assert_close(square / variance[0], 1.0, 1e-6); /* error bars are those of the same samples */
    assert_ok(engine->draw(made, 1, 32, samples));
    size_t moved = 0;
    for (size_t i = 0; i < 32; i++) {
        assert_ok(orffi_deviation_values(&samples[i], 2, 1, x, work, value));
        moved += fabs(value[0] - first[i]) > 1e-12;
        orffi_deviation_clear(&samples[i]);
    }
    assert_true(moved > 16); /* another seed, another order */
    engine->free(made);
    engine->release(rows);
    orff_kernel_free(kernel);
}

/* A model from a file has the same samples. */
static void test_files(void **state) {
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        orff_model *again = NULL;
        double x[POINTS * 2], one[2 * POINTS * 2], two[2 * POINTS * 2];
        const fitted *f = fitted_to(i);
        fill_points(&settings[i], f, POINTS, x);
        assert_ok(orff_model_save(f->model, "test_samples.orff", false));
        assert_ok(orff_model_load(&again, "test_samples.orff"));
        assert_ok(orff_model_sample(f->model, 2, 1, POINTS, x, one));
        assert_ok(orff_model_sample(again, 2, 1, POINTS, x, two));
        assert_all_close(2 * POINTS * settings[i].p, two, one, 1e-6);
        orff_model_free(again);
    }
    support_case(NULL);
    remove("test_samples.orff");
}

/* At rows that are far from each other and as noisy as the field is large, half of the variance is due to their noise: K s
 * / (K + s) with it, K s^2 / (K + s)^2 without. 60 rows and 60 samples know it to 2.4 %. */
static void test_noise_of_kept_rows(void **state) {
    (void)state;
    double X[ROWS], Y[ROWS], F[ROWS], V[ROWS], got = 0.0, want = 0.0, *S = support_zeros(ROWS * ROWS);
    orff_settings how = orff_settings_default();
    orff_part part = orff_part_default();
    orff_model *model = NULL;
    part.sigma = 0.0003;
    part.base = ORFF_BASE_GAUSSIAN;
    how.parts = &part;
    how.n_parts = 1;
    how.engine = ORFF_ENGINE_LATTICE;
    how.lambda = 1.0 / ROWS;
    how.sampling.tolerance = 1e-6;
    how.center = false;
    for (size_t i = 0; i < ROWS; i++) {
        X[i] = (double)i / (ROWS - 1);
        Y[i] = sin(12.9898 * (double)i);
    }
    assert_ok(orff_model_fit(&model, &how, 1, 1, ROWS, X, Y, NULL));
    assert_string_equal(orff_model_describe(model).solve.method, "lattice-neighbours-pcg");
    assert_ok(orff_model_predict(model, ROWS, X, F));
    assert_ok(orff_model_covariance(model, ROWS, X, V));
    assert_ok(orff_model_sample(model, ROWS, 3, ROWS, X, S));
    for (size_t i = 0; i < ROWS * ROWS; i++) {
        got += (S[i] - F[i % ROWS]) * (S[i] - F[i % ROWS]);
        want += V[i % ROWS];
    }
    assert_true(fabs(got / want - 1.0) < 6.0 * sqrt(2.0 / (ROWS * ROWS)));
    free(S);
    orff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),  cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_derived),  cmocka_unit_test(test_errors),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_files),
        cmocka_unit_test(test_stored),   cmocka_unit_test(test_noise_of_kept_rows),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
