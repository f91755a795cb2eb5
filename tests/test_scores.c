/* Scores of predictions: against explicit sums, numerical integrals, and known laws. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/special.h"
#include "support.h"

enum { N = 400, P = 2 };

static double *draw(size_t count, uint32_t stream) {
    double *x = support_zeros(count);
    const orffi_rng rng = {7, stream};
    for (size_t i = 0; i < count; i++) x[i] = orffi_rng_normal(rng, i, 0);
    return x;
}

/* Integral of (Phi((t - f)/s) - [t >= y])^2 dt, by the midpoint rule. */
static double integrate_crps(double f, double s, double y) {
    const size_t steps = 400000;
    const double low = fmin(f, y) - 12.0 * s, high = fmax(f, y) + 12.0 * s, h = (high - low) / (double)steps;
    double sum = 0.0;
    for (size_t i = 0; i < steps; i++) {
        const double t = low + ((double)i + 0.5) * h, one = orffi_normal_cdf((t - f) / s) - (t >= y);
        sum += one * one * h;
    }
    return sum;
}

static orff_score score_one(double f, const double *s, double y) {
    orff_scores *scores = NULL;
    assert_ok(orff_scores_create(&scores, 1));
    assert_ok(orff_scores_add(scores, 1, &f, s, &y));
    const orff_score found = orff_scores_all(scores);
    orff_scores_free(scores);
    return found;
}

static void test_crps_is_the_integral(void **state) {
    (void)state;
    const double at[] = {-3.0, -0.4, 0.0, 1.1, 6.0}, s[] = {0.3, 1.7};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 2; k++)
            assert_close(score_one(0.2, &s[k], at[i]).crps, integrate_crps(0.2, s[k], at[i]), 1e-4);
    const double none = 0.0;
    assert_close(score_one(1.0, &none, 3.5).crps, 2.5, 1e-15);
}

static void test_log_score_is_minus_log_density(void **state) {
    (void)state;
    const double s = 0.4, y = 1.3, f = 0.9;
    const double density = exp(-0.5 * (y - f) * (y - f) / (s * s)) / (s * sqrt(2.0 * acos(-1.0)));
    assert_close(score_one(f, &s, y).log_score, -log(density), 1e-12);
}

/* y ~ N(f, s^2): as many inside as the level says, but for chance (4 standard errors). */
static void test_coverage_of_the_true_law_is_its_level(void **state) {
    (void)state;
    enum { MANY = 40000 };
    orff_scores *scores = NULL;
    double *f = draw(MANY, 1), *y = draw(MANY, 2), *s = support_zeros(MANY);
    for (size_t i = 0; i < MANY; i++) {
        s[i] = 0.1 + (double)(i % 7);
        y[i] = f[i] + s[i] * y[i];
    }
    assert_ok(orff_scores_create(&scores, 1));
    assert_ok(orff_scores_add(scores, MANY, f, s, y));
    const orff_score found = orff_scores_all(scores);
    for (size_t i = 0; i < ORFF_INTERVALS; i++) {
        const double level = orff_scores_level(i);
        assert_true(fabs(found.coverage[i] - level) < 4.0 * sqrt(level * (1.0 - level) / MANY));
    }
    orff_scores_free(scores);
    free(f);
    free(y);
    free(s);
}

/* In pieces, and against sums written out. One number is not measured. */
static void test_sums_are_those_of_all_rows(void **state) {
    (void)state;
    orff_scores *scores = NULL;
    double *F = draw(N * P, 3), *Y = draw(N * P, 4), y = 0.0, f = 0.0, square = 0.0, bias = 0.0;
    for (size_t i = 0; i < N * P; i++) Y[i] = 1e3 + 0.5 * F[i] + 0.2 * Y[i];
    Y[9 * P] = NAN;
    assert_ok(orff_scores_create(&scores, P));
    assert_ok(orff_scores_add(scores, 100, F, NULL, Y));
    assert_ok(orff_scores_add(scores, N - 100, F + 100 * P, NULL, Y + 100 * P));
    for (size_t i = 0; i < N; i++) {
        if (i == 9) continue;
        y += Y[i * P] / (N - 1);
        f += F[i * P] / (N - 1);
        bias += (F[i * P] - Y[i * P]) / (N - 1);
        square += (F[i * P] - Y[i * P]) * (F[i * P] - Y[i * P]) / (N - 1);
    }
    double yy = 0.0, ff = 0.0, fy = 0.0;
    for (size_t i = 0; i < N; i++) {
        if (i == 9) continue;
        yy += (Y[i * P] - y) * (Y[i * P] - y);
        ff += (F[i * P] - f) * (F[i * P] - f);
        fy += (F[i * P] - f) * (Y[i * P] - y);
    }
    const orff_score found = orff_scores_output(scores, 0);
    assert_int_equal(found.n, N - 1);
    assert_int_equal(orff_scores_all(scores).n, N * P - 1);
    assert_close(found.mse, square, 1e-12);
    assert_close(found.bias, bias, 1e-12);
    assert_close(found.correlation, fy / sqrt(yy * ff), 1e-10);
    assert_close(found.r2, 1.0 - square * (N - 1) / yy, 1e-10);
    assert_true(isnan(found.crps) && isnan(found.coverage[0]) && isnan(found.log_score));
    orff_scores_free(scores);
    free(F);
    free(Y);
}

static void test_a_model_is_scored_with_its_noise(void **state) {
    (void)state;
    static const char *const how[] = {"sigma=0.5", "engine=exact", "base=gaussian", NULL};
    static const char *const bare[] = {"sigma=0.5", "engine=exact", "posterior=no", NULL};
    orff_scores *scores = NULL;
    orff_model *model = NULL;
    double *X = draw(N, 5), *Y = draw(N, 6), *S = support_zeros(N), *F = support_zeros(N);
    for (size_t i = 0; i < N; i++) Y[i] = sin(2.0 * X[i]) + 0.3 * Y[i];
    assert_ok(orff_learn(&model, how, 1, 1, N / 2, X, Y));
    assert_ok(orff_scores_create(&scores, 1));
    assert_ok(orff_scores_add_model(scores, model, N / 2, X + N / 2, Y + N / 2));
    const orff_score found = orff_scores_all(scores);
    assert_true(found.coverage[2] > 0.88 && found.coverage[0] > 0.35 && found.coverage[0] < 0.65);
    orff_scores_free(scores);
    assert_ok(orff_scores_create(&scores, 1));
    assert_ok(orff_model_predict(model, N / 2, X + N / 2, F));
    assert_ok(orff_model_std(model, N / 2, X + N / 2, true, S));
    assert_ok(orff_scores_add(scores, N / 2, F, S, Y + N / 2));
    assert_close(found.crps, orff_scores_all(scores).crps, 1e-12);
    orff_model_free(model);
    assert_ok(orff_learn(&model, bare, 1, 1, N / 2, X, Y));
    assert_ok(orff_scores_add_model(scores, model, N / 2, X + N / 2, Y + N / 2));
    assert_true(isnan(orff_scores_all(scores).crps)); /* half of the rows had none */
    assert_true(isfinite(orff_scores_all(scores).rmse));
    orff_model_free(model);
    orff_scores_free(scores);
    free(X);
    free(Y);
    free(S);
    free(F);
}

static void test_what_cannot_be_scored_is_refused(void **state) {
    (void)state;
    orff_scores *scores = NULL;
    const double f = 0.0, s = -1.0, y = INFINITY, nan = NAN;
    assert_int_equal(orff_scores_create(&scores, 0), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orff_scores_create(&scores, 1));
    assert_int_equal(orff_scores_add(scores, 1, &f, &s, &f), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(orff_scores_add(scores, 1, &f, NULL, &y), ORFF_ERROR_NOT_FINITE);
    assert_int_equal(orff_scores_add(scores, 1, &nan, NULL, &f), ORFF_ERROR_NOT_FINITE);
    assert_int_equal(orff_scores_all(scores).n, 0);
    assert_true(isnan(orff_scores_all(scores).rmse));
    orff_scores_free(scores);
}

/* Speeds and angles against what they were made of; calm rows have no direction, and rows that lack a component none of both. */
static void test_vectors(void **state) {
    enum { ROWS = 5 };
    const double Y[2 * ROWS] = {1.0, 0.0, 0.0, 2.0, -3.0, 0.0, 0.01, 0.0, 1.0, NAN};
    const double turn[ROWS] = {0.3, -0.5, 3.0, 2.0, 0.0}, grow[ROWS] = {1.1, 0.9, 1.0, 1.0, 1.0};
    double F[2 * ROWS] = {0};
    orff_scores *scores = NULL;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        F[2 * i] = grow[i] * (cos(turn[i]) * Y[2 * i] - sin(turn[i]) * Y[2 * i + 1]);
        F[2 * i + 1] = grow[i] * (sin(turn[i]) * Y[2 * i] + cos(turn[i]) * Y[2 * i + 1]);
    }
    assert_ok(orff_scores_create(&scores, 2));
    assert_status(orff_scores_set_calm(scores, -1.0), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orff_scores_set_calm(scores, 0.1));
    assert_ok(orff_scores_add(scores, 2, F, NULL, Y));
    assert_ok(orff_scores_add(scores, 3, F + 4, NULL, Y + 4));
    const orff_vector_score found = orff_scores_vector(scores);
    assert_int_equal(found.n, 4);
    assert_int_equal(found.directions, 3);
    assert_close(found.direction_error, (0.3 + 0.5 + 3.0) / 3.0 * 180.0 / acos(-1.0), 1e-9);
    assert_close(found.speed_bias, (0.1 - 0.2) / 4.0, 1e-12);
    assert_close(found.speed_rmse, sqrt((0.01 + 0.04) / 4.0), 1e-12);
    orff_scores_free(scores);
}

/* A model says by its kernel or by the names of its outputs that these are a vector. */
static void test_what_is_a_vector(void **state) {
    static const struct {
        const char *kernel, *u, *v;
        bool vector;
    } cases[] = {{"kernel=div-free", NULL, NULL, true},
                 {"kernel=decomposable", NULL, NULL, false},
                 {"kernel=decomposable", "u10", "v10", true},
                 {"kernel=decomposable", "u10", "v2", false},
                 {"kernel=decomposable", "vel_x", "vel_y", true},
                 {"kernel=decomposable", "heating", "cooling", false}};
    double *X = draw(40, 3), *Y = draw(40, 4);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const settings[] = {cases[i].kernel, "sigma=1", "lambda=0.1", "engine=exact", NULL};
        orff_model *model = NULL;
        orff_notes *notes = NULL;
        const char *text;
        assert_ok(orff_learn(&model, settings, 2, 2, 20, X, Y));
        assert_ok(orff_notes_create(&notes, 2, 2));
        if (cases[i].u) assert_ok(orff_notes_set_name(notes, ORFF_SIDE_OUTPUT, 0, cases[i].u));
        if (cases[i].v) assert_ok(orff_notes_set_name(notes, ORFF_SIDE_OUTPUT, 1, cases[i].v));
        assert_ok(orff_notes_text(notes, &text));
        assert_ok(orff_model_set_notes(model, text));
        assert_int_equal(orff_model_is_vector(model), cases[i].vector);
        orff_notes_free(notes);
        orff_model_free(model);
    }
    free(X);
    free(Y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_what_is_a_vector),
        cmocka_unit_test(test_crps_is_the_integral),
        cmocka_unit_test(test_log_score_is_minus_log_density),
        cmocka_unit_test(test_coverage_of_the_true_law_is_its_level),
        cmocka_unit_test(test_sums_are_those_of_all_rows),
        cmocka_unit_test(test_a_model_is_scored_with_its_noise),
        cmocka_unit_test(test_what_cannot_be_scored_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
