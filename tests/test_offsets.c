/* Offsets of groups, against a dense Gaussian process with these offsets and a free constant in its
 * covariance. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "base/linalg.h"
#include "fields.h"
#include "lattice/fft.h"
#include "reload.h"

enum { N = 80, NEW = 6, D = 2, P = 2, GROUPS = 7, MOST = N * P };

/* ---- data: a rotation, and a constant in each of some groups that lie anywhere */

typedef struct data {
    double X[N * D], Y[N * P], truth[GROUPS * P];
    uint64_t groups[N];
} data;

static void make(data *m) {
    double *noise = models_normal(N * P, 3), *offsets = models_normal(GROUPS * P, 5);
    for (size_t i = 0; i < GROUPS * P; i++) m->truth[i] = 0.5 * offsets[i];
    for (size_t i = 0; i < N; i++) {
        const size_t g = (5 * i + i / 9) % GROUPS;
        m->groups[i] = 100 + 11 * g;
        for (size_t k = 0; k < D; k++)
            m->X[i * D + k] = 1.5 * fmod((double)(i + 1) * (k ? 0.754877666 : 0.569840291), 1.0);
        fields_rotation(m->X + i * D, m->Y + i * P);
        for (size_t k = 0; k < P; k++) m->Y[i * P + k] += m->truth[g * P + k] + 0.1 * noise[i * P + k];
    }
    free(noise);
    free(offsets);
}

/* ---- the dense process */

typedef struct kernels {
    const orff_kernel *kernel;
    const orff_features *features;
} kernels;

static void between(const kernels *s, const double *x, const double *z, double *K) {
    assert_ok(s->features ? orff_features_kernel(s->features, x, z, K)
                          : orff_kernel_eval(s->kernel, x, z, K));
}

static const double FREE = 1e5; /* the variance of the constant */

/* C of all rows, with offsets of a variance of ratio times the noise's, shift. */
static double *covariance_of(const data *m, const kernels *s, double shift, double ratio) {
    double *C = support_zeros((size_t)MOST * MOST), K[P * P];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            between(s, m->X + i * D, m->X + j * D, K);
            for (size_t a = 0; a < P * P; a++)
                C[(i * P + a / P) * MOST + j * P + a % P] =
                    K[a] + (a / P == a % P ? FREE + (m->groups[i] == m->groups[j] ? ratio * shift : 0.0) +
                                                 (i == j ? shift : 0.0)
                                           : 0.0);
        }
    return C;
}

/* log p(y) at the noise that makes it largest, but for constants. */
static double evidence_of(const data *m, const kernels *s, double shift, double ratio) {
    double *C = covariance_of(m, s, shift, ratio), t[MOST], logs = 0.0;
    memcpy(t, m->Y, sizeof t);
    assert_ok(orffi_cholesky(MOST, C));
    assert_ok(orffi_cholesky_solve(MOST, C, 1, t));
    for (size_t i = 0; i < MOST; i++) logs += 2.0 * log(C[i * (MOST + 1)]);
    free(C);
    return -0.5 * ((double)(MOST - P) * log(orffi_dot(MOST, t, m->Y)) + logs);
}

/* Means and variances of constant + field at Z (NEW x P), and of the offset of group g (P), for a noise variance of shift. */
static void predict(const data *m, const kernels *s, double shift, double ratio, const double *Z, size_t g,
                    double *F, double *V) {
    double *C = covariance_of(m, s, shift, ratio), t[MOST], k[2 * MOST], K[P * P];
    memcpy(t, m->Y, sizeof t);
    assert_ok(orffi_cholesky(MOST, C));
    assert_ok(orffi_cholesky_solve(MOST, C, 1, t));
    for (size_t j = 0; j < (NEW + 1) * P; j++) {
        const bool offset = j >= NEW * P;
        for (size_t i = 0; i < N; i++) {
            if (!offset) between(s, Z + j / P * D, m->X + i * D, K);
            for (size_t a = 0; a < P; a++)
                k[i * P + a] = offset ? (a == j % P && m->groups[i] == 100 + 11 * g ? ratio * shift : 0.0)
                                      : K[j % P * P + a] + (a == j % P ? FREE : 0.0);
        }
        memcpy(k + MOST, k, MOST * sizeof *k);
        assert_ok(orffi_cholesky_solve(MOST, C, 1, k + MOST));
        if (!offset) between(s, Z, Z, K);
        F[j] = orffi_dot(MOST, k, t);
        V[j] = (offset ? ratio * shift : K[(j % P) * (P + 1)] + FREE) - orffi_dot(MOST, k, k + MOST);
    }
    free(C);
}

/* ---- models */

static void compare(orff_rule rule, orff_engine engine, bool directed, double tolerance) {
    static data m;
    const double Z[NEW * D] = {0.2, 0.8, 1.0, 0.3, 0.3, 0.7, 1.4, 1.4, 0.8, 1.1, 0.1, 0.2}, lambda = 1e-3;
    double F[(NEW + 1) * P], V[(NEW + 1) * P], ours[NEW * P], bars[NEW * P * P];
    const orff_part part = {.rule = rule, .sigma = 0.8, .weight = 1.0, .normalise = true};
    orff_settings s = orff_settings_default();
    orff_kernel *kernel;
    orff_features *features = NULL;
    orff_model *model;
    make(&m);
    s.n_parts = 1;
    s.parts = &part;
    s.engine = engine;
    s.lambda = lambda;
    s.posterior = ORFF_SWITCH_YES;
    s.scale_outputs = ORFF_SWITCH_NO;
    s.offset_groups = m.groups;
    if (engine == ORFF_ENGINE_LATTICE) s.sampling.tolerance = 1e-5;
    s.sampling.features = engine == ORFF_ENGINE_FEATURES ? 200 : 0;
    assert_ok(orff_kernel_create(&kernel, D, P, 1, &part));
    if (engine == ORFF_ENGINE_FEATURES) assert_ok(orff_features_create(&features, kernel, &s.sampling));
    const orff_functionals nothing = {0, NULL, NULL, NULL, NULL}; /* rows become directed ones */
    const orff_observations o = {
        .d = D, .p = P, .n = N, .X = m.X, .Y = m.Y, .functionals = directed ? &nothing : NULL};
    assert_ok(orff_model_fit_observations(&model, &s, &o));
    const kernels source = {kernel, features};
    const orff_model_info info = orff_model_describe(model);
    const double shift = N * lambda, ratio = info.offset_ratio * info.offset_ratio;
    assert_int_equal(info.offsets, GROUPS);
    assert_int_equal(info.trend_terms, 1);
    const double here = evidence_of(&m, &source, shift, ratio);
    if (rule != ORFF_RULE_DECOMPOSABLE) { /* there each output has a noise of its own */
        assert_true(here > evidence_of(&m, &source, shift, 1.2 * ratio) - 1e-3);
        assert_true(here > evidence_of(&m, &source, shift, ratio / 1.2) - 1e-3);
    }
    predict(&m, &source, shift, ratio, Z, 2, F, V);
    for (size_t saved = 0; saved < 2; saved++) {
        orff_offset offset;
        assert_ok(orff_model_predict(model, NEW, Z, ours));
        assert_ok(orff_model_covariance(model, NEW, Z, bars));
        assert_ok(orff_model_offset(model, 2, &offset));
        assert_int_equal(offset.group, 122);
        for (size_t k = 0; k < P; k++) {
            const double noise = orff_model_describe(model).noise[k];
            for (size_t i = 0; i < NEW; i++) {
                if (fabs(ours[i * P + k] - F[i * P + k]) > tolerance)
                    fail_msg("%s, rule %d: %g for %g", orff_engine_name(engine), (int)rule, ours[i * P + k],
                             F[i * P + k]);
                const double variance = bars[(i * P + k) * P + k] * shift / (noise * noise);
                if (fabs(variance - V[i * P + k]) > fmax(tolerance, 1e-5))
                    fail_msg("%s, rule %d: variance %g for %g", orff_engine_name(engine), (int)rule, variance,
                             V[i * P + k]);
            }
            assert_true(fabs(offset.values[k] - F[NEW * P + k]) < tolerance);
            assert_true(fabs(offset.errors[k] / noise - sqrt(V[NEW * P + k] / shift)) < 1e-3);
        }
        model = support_reload(model);
    }
    orff_model_free(model);
    orff_features_free(features);
    orff_kernel_free(kernel);
}

static void test_dense(void **state) {
    (void)state;
    compare(ORFF_RULE_DIV_FREE, ORFF_ENGINE_EXACT, false, 1e-5);
    compare(ORFF_RULE_DIV_FREE, ORFF_ENGINE_EXACT, true, 1e-5);
    compare(ORFF_RULE_DECOMPOSABLE, ORFF_ENGINE_EXACT, false, 1e-5);
    compare(ORFF_RULE_DIV_FREE, ORFF_ENGINE_FEATURES, false, 1e-5);
    compare(ORFF_RULE_DECOMPOSABLE, ORFF_ENGINE_FEATURES, false, 1e-5);
    if (orffi_fft_available()) compare(ORFF_RULE_DECOMPOSABLE, ORFF_ENGINE_LATTICE, false, 5e-3);
}

/* ---- all automatic: stations with an offset each, many rows at the same place */

static void test_stations(void **state) {
    enum { STATIONS = 30, EACH = 12, ROWS = STATIONS * EACH };
    static double X[ROWS * D], Y[ROWS], F[ROWS];
    static uint64_t groups[ROWS];
    double *noise = models_normal(ROWS, 8), *offsets = models_normal(STATIONS, 9), error[2], found = 0.0;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const size_t g = i / EACH;
        X[i * D] = fmod((double)(g + 1) * 0.569840291, 1.0);
        X[i * D + 1] = (double)(i % EACH) / EACH; /* hours */
        groups[i] = g;
        Y[i] = sin(5.0 * X[i * D] + 4.0 * X[i * D + 1]) + 0.5 * offsets[g] + 0.1 * noise[i];
    }
    for (size_t with = 0; with < 2; with++) {
        const orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, ORFF_SIGMA_AUTO);
        orff_settings s = orff_settings_default();
        orff_model *model;
        s.n_parts = 1;
        s.parts = &part;
        s.offset_groups = with ? groups : NULL;
        assert_ok(orff_model_fit(&model, &s, D, 1, ROWS, X, Y, NULL));
        assert_ok(orff_model_predict(model, ROWS, X, F));
        error[with] = 0.0;
        for (size_t i = 0; i < ROWS; i++)
            error[with] += pow(F[i] - sin(5.0 * X[i * D] + 4.0 * X[i * D + 1]), 2.0) / ROWS;
        if (with) assert_true(fabs(orff_model_describe(model).noise[0] - 0.1) < 0.015);
        for (size_t g = 0; with && g < STATIONS; g++) {
            orff_offset offset;
            assert_ok(orff_model_offset(model, g, &offset));
            found += pow(offset.values[0] - 0.5 * offsets[g], 2.0) / STATIONS;
        }
        orff_model_free(model);
    }
    if (!(error[1] < 0.6 * error[0])) fail_msg("mse %g with offsets, %g without", error[1], error[0]);
    if (!(found < 0.25 * 0.25)) fail_msg("offsets are off by %g", sqrt(found));
    free(noise);
    free(offsets);
}

/* Offsets of groups are no errors of f: neither of groups that a fold shares with the others nor of those that are left out whole. */
static void test_tuned(void **state) {
    enum { STATIONS = 12, EACH = 12, ROWS = STATIONS * EACH };
    static double X[ROWS * D], Y[ROWS];
    static uint64_t groups[ROWS];
    double *noise = models_normal(ROWS, 8), score;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        X[i * D] = fmod((double)(i / EACH + 1) * 0.569840291, 1.0);
        X[i * D + 1] = (double)(i % EACH) / EACH;
        groups[i] = i / EACH;
        Y[i] = sin(3.0 * X[i * D] + 4.0 * X[i * D + 1]) + (groups[i] % 3 ? 1.0 : -1.0) + 0.1 * noise[i];
    }
    for (size_t whole = 0; whole < 2; whole++) {
        const orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 0.7);
        orff_settings s = orff_settings_default();
        const orff_observations rows = {.d = D, .p = 1, .n = ROWS, .X = X, .Y = Y};
        orff_model *model = NULL;
        size_t best;
        s.n_parts = 1;
        s.parts = &part;
        s.lambda = 1e-4;
        s.folds = 3;
        s.folds_by = whole ? ORFF_FOLDS_GROUPS : ORFF_FOLDS_RANDOM;
        s.groups = whole ? groups : NULL;
        s.offset_groups = groups;
        support_case(whole ? "whole stations" : "rows");
        assert_ok(orff_model_tune_observations(&model, 1, &s, &rows, &score, &best, NULL));
        if (!(score > 0.005 && score < 0.03)) fail_msg("%g; the noise is 0.01, the offsets 1", score);
        orff_model_free(model);
    }
    support_case(NULL);
    free(noise);
}

static void test_refused(void **state) {
    static data m;
    const orff_part part = {.rule = ORFF_RULE_DIV_FREE, .sigma = 0.8, .weight = 1.0};
    orff_settings s = orff_settings_default();
    orff_model *model = NULL;
    (void)state;
    make(&m);
    s.n_parts = 1;
    s.parts = &part;
    for (size_t i = 0; i < N; i++) m.groups[i] = 4;
    s.offset_groups = m.groups;
    assert_int_equal(orff_model_fit(&model, &s, D, P, N, m.X, m.Y, NULL), ORFF_ERROR_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense), cmocka_unit_test(test_stations),
                                       cmocka_unit_test(test_tuned), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
