/* Functionals as data: their points against calculus, and models against a dense Gaussian process on all
 * points together. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "base/linalg.h"
#include "fields.h"
#include "lattice/fft.h"
#include "reload.h"

enum { N = 50, NEW = 6, D = 2, P = 2, MOST = 400 };

/* ---- points */

/* What a functional has of the field (x^2 y, x y^2 + 3 x). */
static double value_of(size_t count, const double *points) {
    double sum = 0.0;
    for (size_t s = 0; s < count; s++) {
        const double *x = points + s * (D + P), *e = x + D;
        sum += e[0] * x[0] * x[0] * x[1] + e[1] * (x[0] * x[1] * x[1] + 3.0 * x[0]);
    }
    return sum;
}

static void test_points(void **state) {
    const double a[] = {0.3, -0.7}, b[] = {1.1, 0.4}, h = 1e-3;
    double points[64 * (D + P)];
    (void)state;
    assert_int_equal(orff_functional_gradient(D, P, a, 0, 0, h, points), 2);
    assert_true(fabs(value_of(2, points) - 2.0 * a[0] * a[1]) < 1e-9);
    assert_int_equal(orff_functional_gradient(D, P, a, 1, 1, h, points), 2);
    assert_true(fabs(value_of(2, points) - 2.0 * a[0] * a[1]) < 1e-9);
    assert_int_equal(orff_functional_divergence(D, P, a, h, points), 4);
    assert_true(fabs(value_of(4, points) - 4.0 * a[0] * a[1]) < 1e-9);
    assert_int_equal(orff_functional_vorticity(D, P, a, h, points), 4);
    assert_true(fabs(value_of(4, points) - (a[1] * a[1] + 3.0 - a[0] * a[0])) < 1e-9);
    /* On the line from a to b the field is a cubic: two nodes are exact. Simpson's rule is too. */
    double circulation = 0.0, flux = 0.0;
    for (size_t i = 0; i < 3; i++) {
        const double t = 0.5 * (double)i, share = i == 1 ? 4.0 / 6.0 : 1.0 / 6.0;
        const double x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
        const double u = x * x * y, v = x * y * y + 3.0 * x;
        circulation += share * (u * (b[0] - a[0]) + v * (b[1] - a[1]));
        flux += share * (u * (b[1] - a[1]) - v * (b[0] - a[0]));
    }
    for (size_t nodes = 2; nodes <= 64; nodes += 31) {
        assert_int_equal(orff_functional_circulation(D, P, a, b, nodes, points), nodes);
        assert_true(fabs(value_of(nodes, points) - circulation) < 1e-12);
        assert_int_equal(orff_functional_flux(D, P, a, b, nodes, points), nodes);
        assert_true(fabs(value_of(nodes, points) - flux) < 1e-12);
    }
    assert_int_equal(orff_functional_flux(D, P, a, b, 3, NULL), 3);
    assert_int_equal(orff_functional_gradient(D, P, a, 2, 0, h, points), 0);
    assert_int_equal(orff_functional_gradient(D, P, a, 0, 0, 0.0, points), 0);
    assert_int_equal(orff_functional_flux(D, 3, a, b, 3, points), 0);
    assert_int_equal(orff_functional_circulation(D, P, a, b, 65, points), 0);
}

/* ---- data: rows of a rotation on the left half, functionals on the right */

typedef struct data {
    double X[N * D], Y[N * P], points[MOST * (D + P)], values[5], errors[5];
    size_t counts[5];
    orff_functionals functionals;
} data;

static void make(data *m) {
    const double x[] = {1.1, 0.4}, y[] = {1.3, 1.2}, z[] = {0.9, 0.8};
    size_t all = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < D; k++)
            m->X[i * D + k] = (k ? 1.5 : 0.7) * fmod((double)(i + 1) * (k ? 0.754877666 : 0.569840291), 1.0);
        fields_rotation(m->X + i * D, m->Y + i * P);
        m->Y[i * P] += 0.05 * sin(31.0 * (double)i);
        m->Y[i * P + 1] += 0.05 * cos(17.0 * (double)i);
    }
    m->counts[0] = orff_functional_gradient(D, P, x, 0, 1, 0.01, m->points);
    all = m->counts[0];
    m->counts[1] = orff_functional_vorticity(D, P, y, 0.01, m->points + all * (D + P));
    all += m->counts[1];
    m->counts[2] = orff_functional_flux(D, P, x, y, 8, m->points + all * (D + P));
    all += m->counts[2];
    m->counts[3] = orff_functional_circulation(D, P, z, x, 5, m->points + all * (D + P));
    all += m->counts[3];
    m->counts[4] = orff_functional_divergence(D, P, z, 0.02, m->points + all * (D + P));
    for (size_t i = 0; i < 5; i++) {
        m->values[i] = 0.3 * (double)i - 0.5;
        m->errors[i] = 0.02 + 0.03 * (double)i;
    }
    m->functionals = (orff_functionals){5, m->counts, m->points, m->values, m->errors};
}

/* ---- the dense process: y = A f + noise, f at all points together */

typedef struct dense {
    size_t rows, points;
    double X[MOST * D], *A; /* rows x (points P) */
    double y[2 * N + 5], variance[2 * N + 5];
} dense;

static void gather(const data *m, double noise, dense *g) {
    memset(g, 0, sizeof *g);
    g->A = support_zeros((size_t)(2 * N + 5) * MOST * P);
    memcpy(g->X, m->X, sizeof m->X);
    for (size_t i = 0; i < N * P; i++) {
        g->A[i * MOST * P + i] = 1.0;
        g->y[i] = m->Y[i];
        g->variance[i] = noise * noise;
    }
    g->points = N;
    for (size_t i = 0, s = 0; i < 5; i++) {
        for (size_t k = 0; k < m->counts[i]; k++, s++, g->points++) {
            const double *point = m->points + s * (D + P);
            memcpy(g->X + g->points * D, point, D * sizeof *point);
            for (size_t a = 0; a < P; a++) g->A[(N * P + i) * MOST * P + g->points * P + a] = point[D + a];
        }
        g->y[N * P + i] = m->values[i];
        g->variance[N * P + i] = m->errors[i] * m->errors[i];
    }
    g->rows = N * P + 5;
}

typedef struct kernels {
    const orff_kernel *kernel;
    const orff_features *features;
    double v; /* the variance that the kernel is multiplied by */
} kernels;

static void between(const kernels *s, const double *x, const double *z, double *K) {
    assert_ok(s->features ? orff_features_kernel(s->features, x, z, K)
                          : orff_kernel_eval(s->kernel, x, z, K));
    for (size_t i = 0; i < P * P; i++) K[i] *= s->v;
}

/* K between points (n) and z (m): (n P) x (m P) */
static double *gram(const kernels *s, size_t n, const double *X, size_t m, const double *Z) {
    double *G = support_zeros(n * m * P * P), K[P * P];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            between(s, X + i * D, Z + j * D, K);
            for (size_t a = 0; a < P * P; a++) G[(i * P + a / P) * m * P + j * P + a % P] = K[a];
        }
    return G;
}

/* Means F (NEW x P) and variances V. */
static void predict(const dense *g, const kernels *s, const double *Z, double *F, double *V) {
    const size_t n = g->points * P, rows = g->rows, m = NEW * P;
    double *K = gram(s, g->points, g->X, g->points, g->X), *k = gram(s, g->points, g->X, NEW, Z);
    double *B = support_zeros(rows * n), *C = support_zeros(rows * rows), *c = support_zeros(rows * m),
           *t = support_zeros(rows * m), *own = gram(s, NEW, Z, NEW, Z), *y = support_zeros(rows);
    orffi_gemm(false, false, rows, n, n, 1.0, g->A, MOST * P, K, n, 0.0, B, n);
    orffi_gemm(false, true, rows, rows, n, 1.0, B, n, g->A, MOST * P, 0.0, C, rows);
    for (size_t i = 0; i < rows; i++) C[i * rows + i] += g->variance[i];
    orffi_gemm(false, false, rows, m, n, 1.0, g->A, MOST * P, k, m, 0.0, c, m);
    memcpy(t, c, rows * m * sizeof *t);
    memcpy(y, g->y, rows * sizeof *y);
    assert_ok(orffi_cholesky(rows, C));
    assert_ok(orffi_cholesky_solve(rows, C, m, t));
    assert_ok(orffi_cholesky_solve(rows, C, 1, y));
    for (size_t j = 0; j < m; j++) {
        F[j] = 0.0;
        V[j] = own[j * m + j];
        for (size_t i = 0; i < rows; i++) F[j] += c[i * m + j] * y[i];
        for (size_t i = 0; i < rows; i++) V[j] -= c[i * m + j] * t[i * m + j];
    }
    double *all[] = {K, k, B, C, c, t, own, y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* ---- models */

static orff_settings settings_of(const orff_part *part, orff_engine engine) {
    orff_settings s = orff_settings_default();
    s.n_parts = 1;
    s.parts = part;
    s.engine = engine;
    s.lambda = 1e-3;
    s.center = false;
    s.posterior = ORFF_SWITCH_YES;
    s.scale_outputs = ORFF_SWITCH_NO;
    s.sampling.features = engine == ORFF_ENGINE_FEATURES ? 300 : 0;
    s.sampling.tolerance = engine == ORFF_ENGINE_LATTICE ? 1e-8 : 0.0;
    return s;
}

static orff_observations observations_of(const data *m) {
    return (orff_observations){.d = D, .p = P, .n = N, .X = m->X, .Y = m->Y, .functionals = &m->functionals};
}

/* The share of the noise in the kernel's units is N lambda: v = noise^2 / (N lambda). */
static void compare(orff_rule rule, orff_engine engine, double tolerance) {
    static data m;
    static dense g;
    const double Z[NEW * D] = {1.2, 0.8, 1.0, 0.3, 0.3, 0.7, 1.4, 1.4, 0.8, 1.1, 0.1, 0.2};
    double F[NEW * P], V[NEW * P], ours[NEW * P], std[NEW * P];
    const orff_part part = {.rule = rule, .sigma = 0.8, .weight = 1.0, .normalise = true};
    const orff_settings s = settings_of(&part, engine);
    make(&m);
    const orff_observations o = observations_of(&m);
    orff_kernel *kernel;
    orff_features *features = NULL;
    orff_model *model;
    assert_ok(orff_kernel_create(&kernel, D, P, 1, &part));
    if (engine == ORFF_ENGINE_FEATURES) assert_ok(orff_features_create(&features, kernel, &s.sampling));
    assert_ok(orff_model_fit_observations(&model, &s, &o));
    const double noise =
        sqrt((pow(orff_model_describe(model).noise[0], 2.0) + pow(orff_model_describe(model).noise[1], 2.0)) /
             2.0);
    gather(&m, noise, &g);
    predict(&g, &(kernels){kernel, features, noise * noise / ((double)N * s.lambda)}, Z, F, V);
    for (size_t saved = 0; saved < 2; saved++) {
        assert_int_equal(orff_model_describe(model).rows, N);
        assert_ok(orff_model_predict(model, NEW, Z, ours));
        assert_ok(orff_model_std(model, NEW, Z, false, std));
        for (size_t i = 0; i < NEW * P; i++) {
            if (fabs(ours[i] - F[i]) > tolerance)
                fail_msg("%s, rule %d, saved %zu: %.9g for %.9g", orff_engine_name(engine), (int)rule, saved,
                         ours[i], F[i]);
            const double expected = sqrt(V[i]) * orff_model_describe(model).noise[i % P] / noise;
            if (fabs(std[i] - expected) > 10.0 * tolerance)
                fail_msg("%s, rule %d: error %g for %g", orff_engine_name(engine), (int)rule, std[i],
                         expected);
        }
        model = support_reload(model);
    }
    orff_model_free(model);
    orff_features_free(features);
    orff_kernel_free(kernel);
    free(g.A);
}

static void test_dense(void **state) {
    static const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE};
    (void)state;
    for (size_t i = 0; i < 3; i += support_step(2)) {
        compare(rules[i], ORFF_ENGINE_EXACT, 1e-6);
        compare(rules[i], ORFF_ENGINE_FEATURES, 1e-6);
        if (orffi_fft_available()) compare(rules[i], ORFF_ENGINE_LATTICE, 2e-5);
    }
}

/* ---- automatic choices, samples, and what they are for */

/* Rows on the left half alone, and differences of the stream function of a flow everywhere: the right half is known then. */
static void test_stream_function(void **state) {
    enum { LINES = 40 };
    static double X[N * D], Y[N * P], points[LINES * 6 * (D + P)], values[LINES], errors[LINES], F[200];
    static size_t counts[LINES];
    double worst[2];
    (void)state;
    for (size_t i = 0; i < N; i++) {
        X[i * D] = fmod((double)(i + 1) * 0.569840291, 1.0);
        X[i * D + 1] = 2.0 * fmod((double)(i + 1) * 0.754877666, 1.0);
        Y[i * P] = cos(X[i * D]) * cos(2.0 * X[i * D + 1]) * 2.0 + 0.01 * sin(31.0 * (double)i);
        Y[i * P + 1] = sin(X[i * D]) * sin(2.0 * X[i * D + 1]) + 0.01 * sin(17.0 * (double)i);
    }
    for (size_t i = 0; i < LINES; i++) { /* psi = cos x sin 2y */
        const double a[] = {2.0 * fmod((double)(i + 1) * 0.38, 1.0), 2.0 * fmod((double)i * 0.62, 1.0)};
        const double b[] = {2.0 * fmod((double)i * 0.71, 1.0), 2.0 * fmod((double)i * 0.17, 1.0)};
        counts[i] = orff_functional_flux(D, P, a, b, 6, points + i * 6 * (D + P));
        values[i] = cos(b[0]) * sin(2.0 * b[1]) - cos(a[0]) * sin(2.0 * a[1]);
        errors[i] = 0.01;
    }
    const orff_functionals functionals = {LINES, counts, points, values, errors};
    const orff_part part = fields_part(ORFF_RULE_DIV_FREE, ORFF_SIGMA_AUTO);
    orff_settings s = orff_settings_default();
    s.n_parts = 1;
    s.parts = &part;
    for (size_t with = 0; with < 2; with++) {
        orff_observations o = {.d = D, .p = P, .n = N, .X = X, .Y = Y};
        orff_model *model;
        o.functionals = with ? &functionals : NULL;
        assert_ok(orff_model_fit_observations(&model, &s, &o));
        worst[with] = 0.0;
        for (size_t i = 0; i < 100; i++) {
            const double x[] = {1.6 + 0.04 * (double)(i % 10), 0.2 + 0.16 * (double)(i / 10)};
            assert_ok(orff_model_predict(model, 1, x, F));
            worst[with] = fmax(worst[with], fabs(F[0] - 2.0 * cos(x[0]) * cos(2.0 * x[1])));
        }
        orff_model_free(model);
    }
    if (!(worst[1] < 0.3 * worst[0])) fail_msg("off by %g with differences, %g without", worst[1], worst[0]);
}

/* A functional that is known well is the same in every sample. */
static void test_samples(void **state) {
    static data m;
    const orff_part part = {.rule = ORFF_RULE_DIV_FREE, .sigma = 0.8, .weight = 1.0, .normalise = true};
    const orff_settings s = settings_of(&part, ORFF_ENGINE_EXACT);
    double X[8 * D], F[8 * P * 5];
    orff_model *model;
    (void)state;
    make(&m);
    m.functionals.n = 3;
    m.errors[2] = 1e-4; /* the flux */
    const orff_observations o = observations_of(&m);
    const double *points = m.points + (m.counts[0] + m.counts[1]) * (D + P);
    assert_ok(orff_model_fit_observations(&model, &s, &o));
    for (size_t i = 0; i < 8; i++) memcpy(X + i * D, points + i * (D + P), D * sizeof *X);
    assert_ok(orff_model_sample(model, 5, 3, 8, X, F));
    for (size_t k = 0; k < 5; k++) {
        double flux = 0.0;
        for (size_t i = 0; i < 8 * P; i++) flux += F[k * 8 * P + i] * points[i / P * (D + P) + D + i % P];
        if (fabs(flux - m.values[2]) > 0.01) fail_msg("sample %zu has %g for %g", k, flux, m.values[2]);
    }
    orff_model_free(model);
}

/* ---- a lattice of more modes than are solved densely */

enum { MANY = 300, LINES = 12, NODES = 6, PLACES = 100, ASKED = 32 };

typedef struct wide {
    double X[MANY * D], Y[MANY * P], points[LINES * NODES * (D + P)], values[LINES], errors[LINES];
    size_t counts[LINES];
    orff_functionals functionals;
} wide;

/* Rows of a flow where x < 2.2, and differences of its stream function cos 3x sin 2y out to x = 3, where half of them are known
 * ten times as well as rows. */
static void make_wide(wide *m) {
    for (size_t i = 0; i < MANY; i++) {
        double *x = m->X + i * D, *y = m->Y + i * P;
        x[0] = 2.2 * fmod((double)(i + 1) * 0.569840291, 1.0);
        x[1] = 3.0 * fmod((double)(i + 1) * 0.754877666, 1.0);
        y[0] = 2.0 * cos(3.0 * x[0]) * cos(2.0 * x[1]) + 0.1 * sin(31.0 * (double)i);
        y[1] = 3.0 * sin(3.0 * x[0]) * sin(2.0 * x[1]) + 0.1 * sin(17.0 * (double)i);
    }
    for (size_t i = 0; i < LINES; i++) {
        const double a[] = {1.8 + 0.1 * (double)i, 0.2 + 0.2 * (double)i}, b[] = {a[0] + 0.1, a[1] + 0.2};
        m->counts[i] = orff_functional_flux(D, P, a, b, NODES, m->points + i * NODES * (D + P));
        m->values[i] = cos(3.0 * b[0]) * sin(2.0 * b[1]) - cos(3.0 * a[0]) * sin(2.0 * a[1]);
        m->errors[i] = i % 2 ? 0.01 : 0.1;
    }
    m->functionals = (orff_functionals){LINES, m->counts, m->points, m->values, m->errors};
}

static orff_model *fit_wide(const wide *m, orff_engine engine) {
    const orff_part part = {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.12, .weight = 1.0};
    const orff_observations o = {
        .d = D, .p = P, .n = MANY, .X = m->X, .Y = m->Y, .functionals = &m->functionals};
    orff_settings s = settings_of(&part, engine);
    orff_model *model;
    s.lambda = 1e-4;
    s.center = true;
    s.sampling.tolerance = 0.0;
    assert_ok(orff_model_fit_observations(&model, &s, &o));
    return model;
}

/* The mean square of what functionals of the samples differ from those of the mean by, over their errors. */
static double spread_of_lines(const orff_model *model, const wide *m) {
    static double X[LINES * NODES * D], F[ASKED * LINES * NODES * P], mean[LINES * NODES * P];
    double sum = 0.0;
    for (size_t i = 0; i < LINES * NODES; i++) memcpy(X + i * D, m->points + i * (D + P), D * sizeof *X);
    assert_ok(orff_model_predict(model, LINES * NODES, X, mean));
    assert_ok(orff_model_sample(model, ASKED, 3, LINES * NODES, X, F));
    for (size_t i = 0; i < ASKED * LINES; i++) {
        const double *f = F + i * NODES * P, *at = mean + i % LINES * NODES * P;
        double difference = 0.0;
        for (size_t k = 0; k < NODES * P; k++)
            difference += (f[k] - at[k]) * m->points[(i % LINES * NODES + k / P) * (D + P) + D + k % P];
        sum += difference * difference / m->errors[i % LINES] / m->errors[i % LINES];
    }
    return sum / (ASKED * LINES);
}

static void test_wide(void **state) {
    static wide m;
    static double Z[PLACES * D], F[2][PLACES * P], std[2][PLACES * P];
    double worst = 0.0, ratio = 0.0, spread[2];
    (void)state;
    if (!orffi_fft_available()) skip();
    make_wide(&m);
    for (size_t i = 0; i < PLACES; i++) {
        Z[i * D] = 3.0 * fmod((double)(i + 1) * 0.381966, 1.0);
        Z[i * D + 1] = 3.0 * fmod((double)(i + 1) * 0.7320508, 1.0);
    }
    for (size_t e = 0; e < 2; e++) {
        orff_model *model = fit_wide(&m, e ? ORFF_ENGINE_LATTICE : ORFF_ENGINE_EXACT);
        if (e) assert_int_equal(orff_model_describe(model).kept_samples, ASKED);
        assert_ok(orff_model_predict(model, PLACES, Z, F[e]));
        assert_ok(orff_model_std(model, PLACES, Z, false, std[e]));
        spread[e] = spread_of_lines(model, &m);
        orff_model_free(model);
    }
    for (size_t i = 0; i < PLACES * P; i++) {
        worst = fmax(worst, fabs(F[1][i] - F[0][i]));
        ratio += std[1][i] / std[0][i] / (PLACES * P);
    }
    if (worst > 2e-3) fail_msg("values are off by %g", worst);
    if (fabs(ratio - 1.0) > 0.1) fail_msg("error bars are %g times those of the exact kernel", ratio);
    if (fabs(spread[1] / spread[0] - 1.0) > 0.3) fail_msg("lines spread by %g, not %g", spread[1], spread[0]);
}

/* ---- what is refused */

static void test_refused(void **state) {
    static data m;
    const orff_part part = {.rule = ORFF_RULE_DIV_FREE, .sigma = 0.8, .weight = 1.0};
    orff_settings s = settings_of(&part, ORFF_ENGINE_EXACT);
    orff_model *model = NULL;
    (void)state;
    make(&m);
    const orff_observations o = observations_of(&m);
    m.errors[3] = 0.0;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "functional 4"));
    m.errors[3] = 0.1;
    m.counts[1] = 0;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_INVALID_ARGUMENT);
    make(&m);
    m.points[1] = NAN;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_NOT_FINITE);
    make(&m);
    s.trend = ORFF_TREND_LINEAR;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),  cmocka_unit_test(test_dense), cmocka_unit_test(test_stream_function),
        cmocka_unit_test(test_samples), cmocka_unit_test(test_wide),  cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
