/* Trends, against a dense Gaussian process with generalised least squares of the same kernel and noise. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "base/linalg.h"
#include "fields.h"
#include "lattice/fft.h"

enum { N = 30, NEW = 4, D = 2, P = 2, MOST = N * P, TERMS = 6 };
#include "measured.h"

static const double full[] = {2.0, 0.6, 0.6, 0.7};

static const struct {
    const char *name;
    orff_part part;
} kernels[] = {
    {"identity", {.rule = ORFF_RULE_DECOMPOSABLE, .weight = 1.0, .sigma = 0.8}},
    {"full A", {.rule = ORFF_RULE_DECOMPOSABLE, .weight = 1.0, .sigma = 0.8, .A = full}},
    {"div-free", {.rule = ORFF_RULE_DIV_FREE, .weight = 1.0, .sigma = 0.9, .normalise = true}},
    {"curl-free", {.rule = ORFF_RULE_CURL_FREE, .weight = 1.0, .sigma = 0.9, .normalise = true}},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- data: a rotation, a trend and noise; new points lie beyond the rows too */

static void make(measured *m) {
    for (size_t i = 0; i < N; i++) {
        const double a = 2.399963 * (double)i, *x = m->X + i * D;
        for (size_t k = 0; k < D; k++)
            m->X[i * D + k] = 5.0 + 1.5 * fmod((double)(i + 1) * (k ? 0.754877666 : 0.569840291), 1.0);
        fields_rotation((double[]){x[0] - 5.0, x[1] - 5.0}, m->whole + i * P);
        m->whole[i * P] += 0.05 * sin(31.0 * a) + 3.0 * (x[0] - 5.0) - x[1];
        m->whole[i * P + 1] += 0.05 * cos(17.0 * a) - 2.0 * (x[0] - 5.0);
        measured_observe(m, i);
    }
    for (size_t i = 0; i < NEW * D; i++) m->Z[i] = 5.0 + 2.5 * fmod((double)(i + 3) * 0.618034, 1.0);
}

/* Which rows are learned from. */
typedef enum kind { WHOLE, MISSING, DIRECTED, KINDS } kind;

/* ---- the dense process */

typedef struct dense {
    size_t n, terms;
    double X[MOST * D], e[MOST * P], y[MOST], c[MOST], N, shift;
    double C[MOST * MOST];                           /* its factor */
    double H[MOST * TERMS * P], B[MOST * TERMS * P]; /* columns, and C^-1 of them */
    double A[TERMS * P * TERMS * P], b[TERMS * P], t[MOST];
    double centre[D];
    const orff_kernel *kernel;
    const orff_features *features;
} dense;

static void add(dense *g, const double *x, const double *e, double y, double c) {
    memcpy(g->X + g->n * D, x, D * sizeof *x);
    memcpy(g->e + g->n * P, e, P * sizeof *e);
    g->y[g->n] = y;
    g->c[g->n++] = c;
}

static void gather(const measured *m, kind rows, bool weighted, dense *g) {
    for (size_t i = 0; i < N; i++) {
        const double c = weighted ? m->weights[i] : 1.0;
        if (rows == DIRECTED) add(g, m->X + i * D, m->along + i * P, m->y[i], c);
        bool any = rows == DIRECTED;
        for (size_t k = 0; rows != DIRECTED && k < P; k++) {
            const double y = rows == WHOLE ? m->whole[i * P + k] : m->Y[i * P + k];
            if (isnan(y)) continue;
            add(g, m->X + i * D, (double[]){k == 0, k == 1}, y, c);
            any = true;
        }
        g->N += any ? c : 0.0;
    }
}

static double form(const dense *g, const double *x, const double *e, const double *z, const double *f) {
    double K[P * P], sum = 0.0;
    assert_ok(g->features ? orff_features_kernel(g->features, x, z, K)
                          : orff_kernel_eval(g->kernel, x, z, K));
    for (size_t a = 0; a < P; a++)
        for (size_t b = 0; b < P; b++) sum += e[a] * K[a * P + b] * f[b];
    return sum;
}

/* <e, h_j(x) e_a> at j P + a */
static void columns(const dense *g, const double *x, const double *e, double *h) {
    const double u = x[0] - g->centre[0], v = x[1] - g->centre[1];
    const double terms[TERMS] = {1.0, u, v, u * u, u * v, v * v};
    for (size_t q = 0; q < g->terms * P; q++) h[q] = terms[q / P] * e[q % P];
}

static void solve(dense *g) {
    const size_t n = g->n, Q = g->terms * P;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            g->C[i * n + j] = form(g, g->X + i * D, g->e + i * P, g->X + j * D, g->e + j * P) +
                              (i == j ? g->shift / g->c[i] : 0.0);
        columns(g, g->X + i * D, g->e + i * P, g->H + i * Q);
    }
    assert_ok(orffi_cholesky(n, g->C));
    memcpy(g->B, g->H, n * Q * sizeof *g->B);
    assert_ok(orffi_cholesky_solve(n, g->C, Q, g->B));
    memset(g->A, 0, sizeof g->A);
    memset(g->b, 0, sizeof g->b);
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < Q; q++) {
            g->b[q] += g->B[i * Q + q] * g->y[i];
            for (size_t r = 0; r < Q; r++) g->A[q * Q + r] += g->H[i * Q + q] * g->B[i * Q + r];
        }
    assert_ok(orffi_cholesky(Q, g->A));
    assert_ok(orffi_cholesky_solve(Q, g->A, 1, g->b));
    memcpy(g->t, g->y, n * sizeof *g->t);
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < Q; q++) g->t[i] -= g->H[i * Q + q] * g->b[q];
    assert_ok(orffi_cholesky_solve(n, g->C, 1, g->t));
}

/* What is asked: sum over `count` of factor <e, f(x)>. */
typedef struct asked {
    size_t count;
    double factor[4], x[4 * D], e[4 * P];
} asked;

static void answer(const dense *g, const asked *q, double *mean, double *variance) {
    const size_t n = g->n, Q = g->terms * P;
    double k[2 * MOST] = {0}, u[2 * TERMS * P] = {0}, h[TERMS * P];
    *mean = *variance = 0.0;
    for (size_t m = 0; m < q->count; m++) {
        const double *x = q->x + m * D, *e = q->e + m * P;
        for (size_t i = 0; i < n; i++) k[i] += q->factor[m] * form(g, x, e, g->X + i * D, g->e + i * P);
        for (size_t l = 0; l < q->count; l++)
            *variance += q->factor[m] * q->factor[l] * form(g, x, e, q->x + l * D, q->e + l * P);
        columns(g, x, e, h);
        for (size_t r = 0; r < Q; r++) u[r] += q->factor[m] * h[r];
    }
    for (size_t r = 0; r < Q; r++) *mean += u[r] * g->b[r];
    for (size_t i = 0; i < n; i++) *mean += k[i] * g->t[i];
    memcpy(k + n, k, n * sizeof *k);
    assert_ok(orffi_cholesky_solve(n, g->C, 1, k + n));
    for (size_t i = 0; i < n; i++) {
        *variance -= k[i] * k[n + i];
        for (size_t r = 0; r < Q; r++) u[r] -= k[i] * g->B[i * Q + r];
    }
    memcpy(u + Q, u, Q * sizeof *u);
    assert_ok(orffi_cholesky_solve(Q, g->A, 1, u + Q));
    for (size_t r = 0; r < Q; r++) *variance += u[r] * u[Q + r];
}

static asked value_of(const double *x, size_t a) {
    return (asked){.count = 1, .factor = {1.0}, .x = {x[0], x[1]}, .e = {a == 0, a == 1}};
}

/* d f_a / d x_i + sign d f_b / d x_j by differences. */
static asked slope_of(const double *x, size_t a, size_t i, double sign, size_t b, size_t j) {
    const double step = 1e-4;
    asked q = {.count = sign == 0.0 ? 2 : 4};
    for (size_t m = 0; m < q.count; m++) {
        q.factor[m] = (m % 2 ? -0.5 : 0.5) / step * (m < 2 ? 1.0 : sign);
        memcpy(q.x + m * D, x, D * sizeof *x);
        q.x[m * D + (m < 2 ? i : j)] += m % 2 ? -step : step;
        q.e[m * P + (m < 2 ? a : b)] = 1.0;
    }
    return q;
}

/* ---- models */

static const double lambda = 1e-3;

static orff_settings settings_of(size_t which, orff_engine engine, orff_trend trend) {
    orff_settings s = orff_settings_default();
    s.parts = &kernels[which].part;
    s.n_parts = 1;
    s.engine = engine;
    s.lambda = lambda;
    s.trend = trend;
    s.posterior = ORFF_SWITCH_YES;
    s.scale_outputs = ORFF_SWITCH_NO;
    if (engine == ORFF_ENGINE_LATTICE) s.sampling.tolerance = 1e-7;
    if (engine == ORFF_ENGINE_FEATURES) s.sampling.features = 80;
    return s;
}

static orff_model *fit_to(const measured *m, const orff_settings *s, kind rows, bool weighted) {
    const orff_observations o = {.d = D,
                                 .p = P,
                                 .n = N,
                                 .X = m->X,
                                 .Y = rows == DIRECTED ? m->y
                                      : rows == WHOLE  ? m->whole
                                                       : m->Y,
                                 .directions = rows == DIRECTED ? m->along : NULL,
                                 .weights = weighted ? m->weights : NULL};
    orff_model *model;
    assert_ok(orff_model_fit_observations(&model, s, &o));
    return model;
}

static orff_model *reload(orff_model *model, bool compact) {
    char path[] = "trend-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    if (orff_model_save(model, path, compact)) fail_msg("%s", orff_error_message());
    orff_model_free(model);
    assert_ok(orff_model_load(&model, path));
    unlink(path);
    return model;
}

static void assert_near(const char *name, const char *what, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance * (1.0 + fabs(want))))
        fail_msg("%s, %s: %.12g instead of %.12g", name, what, got, want);
}

static void build(dense *g, const measured *m, const orff_settings *s, kind rows, bool weighted,
                  const orff_kernel *kernel, const orff_features *features, const orff_model *model) {
    memset(g, 0, sizeof *g);
    g->kernel = kernel;
    g->features = features;
    g->terms = s->trend == ORFF_TREND_CONSTANT ? 1 : s->trend == ORFF_TREND_LINEAR ? 3 : 6;
    memcpy(g->centre, orff_model_describe(model).trend_centre, sizeof g->centre);
    gather(m, rows, weighted, g);
    g->shift = g->N * lambda;
    solve(g);
}

/* ---- what a model says, against the dense process */

static void check_coefficients(const char *name, const dense *g, const orff_model *model, double tolerance) {
    const orff_model_info info = orff_model_describe(model);
    const size_t Q = g->terms * P;
    assert_int_equal(info.trend_terms, g->terms);
    for (size_t j = 0; j < g->terms; j++) {
        orff_trend_term term;
        assert_ok(orff_model_trend(model, j, &term));
        assert_int_equal(term.factors, j == 0 ? 0 : j < 3 ? 1 : 2);
        for (size_t a = 0; a < P; a++) {
            double axis[TERMS * P] = {0};
            axis[j * P + a] = 1.0;
            assert_ok(orffi_cholesky_solve(Q, g->A, 1, axis));
            assert_near(name, "coefficient", term.coefficients[a], g->b[j * P + a], tolerance);
            assert_near(name, "its error", term.errors[a] / info.noise[a], sqrt(axis[j * P + a] / g->shift),
                        tolerance * 10.0);
        }
    }
}

static void check_values(const char *name, const dense *g, const measured *m, const orff_model *model,
                         double tolerance) {
    double F[NEW * P], C[NEW * P * P], mean, variance;
    const double *noise = orff_model_describe(model).noise;
    float x[NEW * D], single[NEW * P];
    assert_ok(orff_model_predict(model, NEW, m->Z, F));
    assert_ok(orff_model_covariance(model, NEW, m->Z, C));
    for (size_t i = 0; i < NEW * D; i++) x[i] = (float)m->Z[i];
    assert_ok(orff_model_predict_single(model, NEW, x, single));
    for (size_t i = 0; i < NEW * P; i++) {
        const size_t a = i % P;
        const asked q = value_of(m->Z + i / P * D, a);
        answer(g, &q, &mean, &variance);
        assert_near(name, "value", F[i], mean, tolerance);
        assert_near(name, "value in single precision", (double)single[i], mean, tolerance + 1e-4);
        assert_near(name, "variance", C[i * P + a] / (noise[a] * noise[a]), variance / g->shift,
                    tolerance * 10.0);
    }
}

/* k derived numbers at each new point. */
static void check_derived(const char *name, const dense *g, const measured *m, const orff_model *model,
                          orff_field field, double tolerance) {
    const size_t k = orff_model_field_size(model, field);
    double F[NEW * P * D], S[NEW * P * D], mean, variance;
    const double *noise = orff_model_describe(model).noise;
    const bool bars = orff_model_has_field_std(model, field);
    assert_ok(orff_model_field(model, field, NEW, m->Z, F));
    if (bars) assert_ok(orff_model_field_std(model, field, NEW, m->Z, S));
    for (size_t i = 0; i < NEW * k; i++) {
        const double *x = m->Z + i / k * D;
        const asked q = field == ORFF_FIELD_JACOBIAN     ? slope_of(x, i % k / D, i % D, 0.0, 0, 0)
                        : field == ORFF_FIELD_DIVERGENCE ? slope_of(x, 0, 0, 1.0, 1, 1)
                                                         : slope_of(x, 1, 0, -1.0, 0, 1);
        answer(g, &q, &mean, &variance);
        assert_near(name, "derived", F[i], mean, tolerance);
        const double unit = noise[0] == noise[1] ? noise[0] : noise[i % k / D];
        if (bars && (noise[0] == noise[1] || field == ORFF_FIELD_JACOBIAN))
            assert_near(name, "its variance", S[i] * S[i] / (unit * unit), variance / g->shift,
                        tolerance * 10.0);
    }
}

static void compare(size_t which, orff_engine engine, orff_trend trend, kind rows, bool weighted,
                    double tolerance) {
    static measured m;
    static dense g;
    char name[80];
    const orff_settings s = settings_of(which, engine, trend);
    orff_kernel *kernel;
    orff_features *features = NULL;
    snprintf(name, sizeof name, "%s, %s, %s, rows %d", kernels[which].name, orff_engine_name(engine),
             orff_trend_name(trend), (int)rows);
    make(&m);
    assert_ok(orff_kernel_create(&kernel, D, P, 1, &kernels[which].part));
    if (engine == ORFF_ENGINE_FEATURES) assert_ok(orff_features_create(&features, kernel, &s.sampling));
    orff_model *model = fit_to(&m, &s, rows, weighted);
    build(&g, &m, &s, rows, weighted, kernel, features, model);
    for (size_t saved = 0; saved < 3; saved++) { /* as it is, from a file, from a compact one */
        check_coefficients(name, &g, model, tolerance);
        check_values(name, &g, &m, model, tolerance);
        const double rough = fmax(tolerance, 1e-5);
        check_derived(name, &g, &m, model, ORFF_FIELD_JACOBIAN, rough);
        check_derived(name, &g, &m, model, ORFF_FIELD_DIVERGENCE, rough);
        check_derived(name, &g, &m, model, ORFF_FIELD_CURL, rough);
        if (saved < 2) model = reload(model, saved == 1);
    }
    orff_model_free(model);
    orff_features_free(features);
    orff_kernel_free(kernel);
}

static void compare_all(orff_engine engine, double tolerance) {
    for (size_t which = 0; which < KERNELS; which++)
        for (kind rows = WHOLE; rows < KINDS; rows++)
            compare(which, engine, ORFF_TREND_LINEAR, rows, (which + rows) % 2, tolerance);
    compare(0, engine, ORFF_TREND_CONSTANT, WHOLE, true, tolerance);
    compare(2, engine, ORFF_TREND_QUADRATIC, WHOLE, false, tolerance);
}

static void test_exact(void **state) {
    (void)state;
    compare_all(ORFF_ENGINE_EXACT, 1e-6);
}

static void test_features(void **state) {
    (void)state;
    compare_all(ORFF_ENGINE_FEATURES, 1e-6);
}

static void test_lattice(void **state) {
    (void)state;
    if (!orffi_fft_available()) {
        print_message("skipped: Fourier transforms are not built in (ORFF_FFT=none)\n");
        return;
    }
    compare(0, ORFF_ENGINE_LATTICE, ORFF_TREND_LINEAR, WHOLE, true, 1e-5);
    compare(2, ORFF_ENGINE_LATTICE, ORFF_TREND_LINEAR, WHOLE, false, 1e-5);
    compare(2, ORFF_ENGINE_LATTICE, ORFF_TREND_LINEAR, DIRECTED, true, 1e-5);
}

/* ---- hardly any noise beneath a rough field of long range: the lattice has it from the nearest rows alone, which lack almost
 * nothing of a column */

enum { DENSE_ROWS = 500 };

static const orff_part rough = {
    .rule = ORFF_RULE_DECOMPOSABLE, .weight = 1.0, .sigma = 20.0, .base = ORFF_BASE_MATERN, .shape = 0.5};
static const double rough_lambda = 1e-11;

/* Errors are compared as those of a field of variance 1, whatever the noise is taken to be. */
static double error_of(const orff_model *model, double total, const orff_trend_term *term, size_t k) {
    return term->errors[k] / orff_model_describe(model).noise[k] * sqrt(total * rough_lambda);
}

static void assert_same_trend(double total, const orff_model *got, const orff_model *want) {
    for (size_t j = 0; j < 3; j++) {
        orff_trend_term a, b;
        assert_ok(orff_model_trend(got, j, &a));
        assert_ok(orff_model_trend(want, j, &b));
        for (size_t k = 0; k < P; k++) {
            const double error = error_of(want, total, &b, k);
            assert_near("without noise", "error of a coefficient", error_of(got, total, &a, k) / error, 1.0,
                        0.05);
            assert_near("without noise", "coefficient, in errors",
                        (a.coefficients[k] - b.coefficients[k]) / error, 0.0, 0.25);
        }
    }
}

/* Some rows have no weight, which a lattice does not keep. */
static void test_without_noise(void **state) {
    double X[DENSE_ROWS * D], Y[DENSE_ROWS * P], weights[DENSE_ROWS], sum = 0.0;
    orff_settings s = orff_settings_default();
    orff_model *lattice, *exact;
    (void)state;
    if (!orffi_fft_available()) {
        print_message("skipped: Fourier transforms are not built in (ORFF_FFT=none)\n");
        return;
    }
    for (size_t i = 0; i < DENSE_ROWS; i++) {
        const double x = X[i * D] = 2.0 * fmod((double)(i + 1) * 0.754877666, 1.0);
        const double y = X[i * D + 1] = 2.0 * fmod((double)(i + 1) * 0.569840291, 1.0);
        Y[i * P] = 3.0 * x - y + 0.3 * sin(4.0 * x + y);
        Y[i * P + 1] = 5.0 + 0.1 * fabs(x - 1.0) + 0.3 * cos(3.0 * y);
        weights[i] = i % 50 == 7 ? 0.0 : 1.0 + (double)(i % 3);
        sum += weights[i];
    }
    s.parts = &rough;
    s.n_parts = 1;
    s.lambda = rough_lambda;
    s.scale_outputs = ORFF_SWITCH_NO;
    s.trend = ORFF_TREND_LINEAR;
    for (size_t weighted = 0; weighted < 2; weighted++) {
        s.engine = ORFF_ENGINE_LATTICE;
        assert_ok(orff_model_fit(&lattice, &s, D, P, DENSE_ROWS, X, Y, weighted ? weights : NULL));
        s.engine = ORFF_ENGINE_EXACT;
        assert_ok(orff_model_fit(&exact, &s, D, P, DENSE_ROWS, X, Y, weighted ? weights : NULL));
        assert_same_trend(weighted ? sum : DENSE_ROWS, lattice, exact);
        orff_model_free(lattice);
        orff_model_free(exact);
    }
}

/* ---- samples: their spread is that of the error bars, of values and of what is derived from them */

static void test_samples(void **state) {
    enum { COUNT = 1000 };
    static measured m;
    static dense g;
    (void)state;
    make(&m);
    for (size_t which = 0; which < 3; which += 2) {
        const orff_settings s = settings_of(which, ORFF_ENGINE_EXACT, ORFF_TREND_LINEAR);
        orff_kernel *kernel;
        orff_samples *samples;
        double S[NEW * P], bars[NEW * P], curl[NEW], mean, variance;
        orff_model *model = fit_to(&m, &s, WHOLE, false);
        const double noise = orff_model_describe(model).noise[0];
        assert_ok(orff_kernel_create(&kernel, D, P, 1, &kernels[which].part));
        build(&g, &m, &s, WHOLE, false, kernel, NULL, model);
        assert_ok(orff_samples_draw(&samples, model, COUNT, 7));
        assert_ok(orff_samples_std(samples, ORFF_FIELD_VALUES, NEW, m.Z, S));
        assert_ok(orff_samples_std(samples, ORFF_FIELD_CURL, NEW, m.Z, curl));
        assert_ok(orff_model_std(model, NEW, m.Z, false, bars));
        for (size_t i = 0; i < NEW * P; i++)
            assert_near(kernels[which].name, "spread of samples", S[i] / bars[i], 1.0, 0.08);
        for (size_t i = 0; which == 2 && i < NEW; i++) {
            const asked q = slope_of(m.Z + i * D, 1, 0, -1.0, 0, 1);
            answer(&g, &q, &mean, &variance);
            assert_near("curl", "spread of samples", curl[i] / (noise * sqrt(variance / g.shift)), 1.0, 0.08);
        }
        orff_samples_free(samples);
        orff_model_free(model);
        orff_kernel_free(kernel);
    }
}

/* ---- what it is good for: rows with a steep trend and a gap, and points beyond them */

enum { ROWS = 70, BEYOND = 3, RUNS = 24 };

/* Smooth, without any trend over its whole length. */
static double wiggle(double x, uint64_t seed) {
    double sum = 0.0;
    const double *z = NULL;
    double *drawn = support_normal(12, seed, 3);
    z = drawn;
    for (size_t k = 0; k < 6; k++)
        sum += 0.4 * (z[2 * k] * sin((1.5 + (double)k) * x) + z[2 * k + 1] * cos((1.5 + (double)k) * x));
    free(drawn);
    return sum;
}

static void test_beyond(void **state) {
    static const double at[BEYOND] = {2.5, 5.6, 6.5};
    double plain_error = 0.0, error = 0.0, slopes = 0.0;
    size_t inside = 0, slopes_inside = 0;
    (void)state;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        double X[ROWS], Y[ROWS], F[BEYOND], S[BEYOND], *noise = support_normal(ROWS, seed, 4);
        orff_settings s = orff_settings_default();
        orff_model *model;
        orff_trend_term slope;
        s.engine = ORFF_ENGINE_EXACT;
        for (size_t i = 0; i < ROWS; i++) {
            X[i] = 5.0 * fmod((double)(i + 1) * 0.6180339887, 1.0);
            if (X[i] > 2.0 && X[i] < 3.0) X[i] -= 1.3;
            Y[i] = 10.0 + 8.0 * X[i] + wiggle(X[i], seed) + 0.1 * noise[i];
        }
        free(noise);
        assert_ok(orff_model_fit(&model, &s, 1, 1, ROWS, X, Y, NULL));
        assert_ok(orff_model_predict(model, BEYOND, at, F));
        for (size_t i = 0; i < BEYOND; i++)
            plain_error += pow(F[i] - 10.0 - 8.0 * at[i] - wiggle(at[i], seed), 2.0);
        orff_model_free(model);
        s.trend = ORFF_TREND_LINEAR;
        assert_ok(orff_model_fit(&model, &s, 1, 1, ROWS, X, Y, NULL));
        assert_ok(orff_model_predict(model, BEYOND, at, F));
        assert_ok(orff_model_std(model, BEYOND, at, false, S));
        for (size_t i = 0; i < BEYOND; i++) {
            const double wrong = F[i] - 10.0 - 8.0 * at[i] - wiggle(at[i], seed);
            error += wrong * wrong;
            inside += fabs(wrong) < 1.96 * S[i];
        }
        assert_ok(orff_model_trend(model, 1, &slope));
        slopes_inside += fabs(slope.coefficients[0] - 8.0) < 1.96 * slope.errors[0];
        slopes += pow(slope.coefficients[0] - 8.0, 2.0) / RUNS;
        orff_model_free(model);
    }
    if (!(error < 0.25 * plain_error)) fail_msg("errors %g with a trend, %g without", error, plain_error);
    if (!(sqrt(slopes) < 0.5)) fail_msg("slopes err by %g", sqrt(slopes));
    if (!((double)inside > 0.85 * RUNS * BEYOND)) fail_msg("%zu of %d inside", inside, RUNS * BEYOND);
    if (!((double)slopes_inside > 0.8 * RUNS)) fail_msg("%zu of %d slopes inside", slopes_inside, RUNS);
}

/* ---- settings, faces and refusals */

static void test_settings(void **state) {
    static measured m;
    static const char *const names[] = {"lon", "lat"};
    const orff_data_shape shape = {.d = D, .p = P, .inputs = names};
    orff_options *options;
    orff_settings s;
    orff_model *model;
    orff_trend_term term;
    (void)state;
    make(&m);
    assert_ok(orff_options_create(&options));
    assert_ok(orff_options_resolve(options, &shape, &s));
    assert_int_equal(s.trend, ORFF_TREND_NONE);
    for (size_t i = 0; i < ORFF_TREND_COUNT; i++) {
        assert_ok(orff_options_set(options, "trend", orff_trend_name((orff_trend)i)));
        assert_ok(orff_options_resolve(options, &shape, &s));
        assert_int_equal(s.trend, i);
        assert_null(s.trend_inputs);
    }
    assert_ok(orff_options_set(options, "trend", "lat"));
    assert_ok(orff_options_set(options, "engine", "exact"));
    assert_ok(orff_options_resolve(options, &shape, &s));
    assert_true(s.trend == ORFF_TREND_LINEAR && !s.trend_inputs[0] && s.trend_inputs[1]);
    model = fit_to(&m, &s, WHOLE, false);
    assert_int_equal(orff_model_describe(model).trend_terms, 2);
    assert_ok(orff_model_trend(model, 1, &term));
    assert_true(term.factors == 1 && term.inputs[0] == 1);
    assert_status(orff_model_trend(model, 2, &term), ORFF_ERROR_INVALID_ARGUMENT);
    orff_model_free(model);
    assert_ok(orff_options_set(options, "trend", "liner"));
    assert_status(orff_options_resolve(options, &shape, &s), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("did you mean \"linear\"");
    assert_string_equal(orff_options_culprit(options), "trend");
    orff_options_free(options);
}

static int no_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    (void)self, (void)room, (void)X, (void)Y, (void)weights;
    *n = 0;
    return 0;
}

static void refuse(const measured *m, const orff_settings *s, orff_status want, const char *words) {
    orff_model *model = NULL;
    assert_status(orff_model_fit(&model, s, D, P, N, m->X, m->whole, NULL), want);
    assert_says(words);
}

static void test_refused(void **state) {
    static measured m;
    static const double periods[D] = {2.0, 0.0};
    static const bool periodic[D] = {true, false};
    const orff_reader reader = {.read = no_rows};
    orff_settings s = settings_of(3, ORFF_ENGINE_EXACT, ORFF_TREND_LINEAR), other = s;
    orff_model *model;
    double out[NEW * P], line[N * D];
    (void)state;
    make(&m);
    assert_status(orff_model_fit_stream(&model, &s, D, P, &reader), ORFF_ERROR_UNSUPPORTED);
    assert_says("rows in memory");
    other.engine = ORFF_ENGINE_FEATURES;
    other.loss = ORFF_LOSS_HUBER;
    refuse(&m, &other, ORFF_ERROR_UNSUPPORTED, "squared loss");
    other = s;
    other.periods = periods;
    other.trend_inputs = periodic;
    other.engine = ORFF_ENGINE_LATTICE;
    refuse(&m, &other, ORFF_ERROR_INVALID_ARGUMENT, "period");
    other = s;
    other.trend = ORFF_TREND_COUNT;
    refuse(&m, &other, ORFF_ERROR_INVALID_ARGUMENT, "no trend number");
    for (size_t i = 0; i < N * D; i++) line[i] = m.X[i / D * D]; /* both inputs are one */
    assert_status(orff_model_fit(&model, &s, D, P, N, line, m.whole, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("determine its 3 terms");
    model = fit_to(&m, &s, WHOLE, false);
    assert_status(orff_model_potential(model, NEW, m.Z, out), ORFF_ERROR_UNSUPPORTED);
    assert_says("trend");
    assert_status(orff_model_field_std(model, ORFF_FIELD_POTENTIAL, NEW, m.Z, out), ORFF_ERROR_UNSUPPORTED);
    orff_model_free(model);
}

/* Without error bars the columns' fits are not kept, and a file has what predictions need; tuning fits as fitting does. */
static void test_bare_and_tuned(void **state) {
    static measured m;
    double want[NEW * P], got[NEW * P];
    orff_settings s = settings_of(2, ORFF_ENGINE_EXACT, ORFF_TREND_LINEAR), two[2];
    orff_trend_term a, b;
    size_t best;
    (void)state;
    make(&m);
    orff_model *model = fit_to(&m, &s, WHOLE, false), *other;
    assert_ok(orff_model_predict(model, NEW, m.Z, want));
    s.posterior = ORFF_SWITCH_NO;
    other = reload(fit_to(&m, &s, WHOLE, false), false);
    assert_ok(orff_model_predict(other, NEW, m.Z, got));
    assert_all_close(NEW * P, got, want, 1e-9);
    assert_status(orff_model_std(other, NEW, m.Z, false, got), ORFF_ERROR_UNSUPPORTED);
    assert_ok(orff_model_trend(model, 2, &a));
    assert_ok(orff_model_trend(other, 2, &b));
    assert_all_close(P, b.errors, a.errors, 1e-9);
    orff_model_free(other);
    two[0] = two[1] = s;
    two[1].lambda = 10.0;
    assert_ok(orff_model_tune(&other, 2, two, D, P, N, m.X, m.whole, NULL, NULL, &best));
    assert_int_equal(best, 0);
    assert_ok(orff_model_predict(other, NEW, m.Z, got));
    assert_all_close(NEW * P, got, want, 1e-9);
    orff_model_free(other);
    two[1].trend = ORFF_TREND_CONSTANT;
    assert_status(orff_model_tune(&other, 2, two, D, P, N, m.X, m.whole, NULL, NULL, NULL),
                  ORFF_ERROR_UNSUPPORTED);
    orff_model_free(model);
}

/* A quadratic function is a trend and nothing else, in any units; on a plane too, and with rows of several qualities. */
static void test_exactly(void **state) {
    double X[N * D], Y[N * P], errors[N * P], F[N * P], Jacobian[N * P * D];
    orff_settings s = orff_settings_default();
    orff_model *model;
    (void)state;
    for (size_t i = 0; i < N; i++) {
        const double x = X[i * D] = 1e3 * fmod((double)i * 0.569840291, 1.0);
        const double y = X[i * D + 1] = 1e-2 * fmod((double)i * 0.754877666, 1.0);
        Y[i * P] = 1e6 * (1.0 + 1e-3 * x + 1e-6 * x * x);
        Y[i * P + 1] = 1e-3 * (2.0 - 1e2 * y + 1e-1 * x * y);
        errors[i * P] = errors[i * P + 1] = 1.0 + (double)(i % 3);
    }
    const orff_observations o = {.d = D, .p = P, .n = N, .X = X, .Y = Y, .errors = errors};
    s.trend = ORFF_TREND_QUADRATIC;
    s.engine = ORFF_ENGINE_EXACT;
    s.parts = &kernels[0].part;
    s.n_parts = 1;
    s.lambda = 1e-3;
    assert_ok(orff_model_fit_observations(&model, &s, &o));
    assert_ok(orff_model_predict(model, N, X, F));
    assert_ok(orff_model_jacobian(model, N, X, Jacobian));
    for (size_t i = 0; i < N; i++) {
        const double x = X[i * D], y = X[i * D + 1];
        assert_close(F[i * P] / Y[i * P], 1.0, 1e-8);
        assert_close(F[i * P + 1] / Y[i * P + 1], 1.0, 1e-8);
        assert_close(Jacobian[i * 4] / (1e6 * (1e-3 + 2e-6 * x)), 1.0, 1e-6);
        assert_close(Jacobian[i * 4 + 3] / (1e-3 * (-1e2 + 1e-1 * x)), 1.0, 1e-6);
        assert_close(Jacobian[i * 4 + 2], 1e-4 * y, 1e-10);
    }
    orff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),   cmocka_unit_test(test_features),
        cmocka_unit_test(test_lattice), cmocka_unit_test(test_samples),
        cmocka_unit_test(test_beyond),  cmocka_unit_test(test_settings),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_bare_and_tuned),
        cmocka_unit_test(test_exactly), cmocka_unit_test(test_without_noise),
    };
    orff_set_threads(1); /* small systems, many of them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
