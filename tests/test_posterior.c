/* Error bars: the dense formula of the Gaussian process with the approximate kernel, for every rule, in both
 * forms. */
#include "base/linalg.h"
#include "models.h"

enum { DATA = 12, POINTS = 5, D = 20 };
static const double noise = 0.3, shift = 0.7;

typedef enum form { CHOLESKY, EIGEN, SOLVED } form; /* SOLVED: from the factor of a solution */

static void solve(orffi_system *system, double by) {
    double *t = support_zeros(system->n * system->r);
    orff_solve_info info = {0};
    assert_ok(orffi_system_solve(system, by / system->N, t, &info));
    assert_int_equal(system->factor != NULL, system->r && orffi_system_is_one(system));
    free(t);
}

/* A model that keeps the posterior of DATA rows X, whose x' are `inner`. */
static orff_model *make_model(const models_case *c, form how, const double *X, double by) {
    orff_model *model = models_make(c, D);
    orff_moments *moments = NULL;
    orffi_system system = {0};
    const orff_moments_settings settings = {0};
    double *inner = support_zeros(DATA * model->d), *Y = models_normal(DATA * model->p, 8);
    orffi_model_transform(model, DATA, X, inner);
    assert_ok(orff_moments_create(&moments, models_fit(model)->features, &settings));
    assert_ok(orff_moments_accumulate(moments, DATA, inner, Y, NULL));
    assert_ok(
        orffi_system_build(&system, models_fit(model)->features, moments, moments->n_sets, false, NULL));
    if (how == EIGEN) assert_ok(orffi_system_eigen(&system));
    if (how == SOLVED) solve(&system, by);
    assert_ok(orffi_posterior_build(&models_fit(model)->posterior, &system, by));
    for (size_t i = 0; i < model->p; i++) model->noise[i] = sqrt(noise) * model->spread[i];
    orffi_system_clear(&system);
    orff_moments_free(moments);
    free(inner);
    free(Y);
    return model;
}

/* scale K~ between two sets of inner points: (n p) x (m p). */
static double *prior(const orff_model *model, double scale, size_t n, const double *X, size_t m,
                     const double *Z) {
    const size_t p = model->p, d = model->d;
    double *K = support_zeros(n * p * m * p), block[9];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            assert_ok(orff_features_kernel(models_fit(model)->features, X + i * d, Z + j * d, block));
            for (size_t a = 0; a < p; a++)
                for (size_t b = 0; b < p; b++) K[(i * p + a) * m * p + j * p + b] = scale * block[a * p + b];
        }
    return K;
}

/* K(x,x) - K(x,X) (K(X,X) + noise I)^-1 K(X,x) with K = (noise/shift) K~, then in the outputs' units. */
static void dense_formula(const orff_model *model, const double *X, const double *x, double *want) {
    const size_t p = model->p, n = DATA * p;
    double *inner = support_zeros(DATA * model->d), *at = support_zeros(model->d);
    orffi_model_transform(model, DATA, X, inner);
    orffi_model_transform(model, 1, x, at);
    double *K = prior(model, noise / shift, DATA, inner, DATA, inner);
    double *cross = prior(model, noise / shift, DATA, inner, 1, at), *solved = support_zeros(n * p);
    double *own = prior(model, noise / shift, 1, at, 1, at);
    for (size_t i = 0; i < n; i++) K[i * n + i] += noise;
    memcpy(solved, cross, n * p * sizeof *solved);
    assert_ok(orffi_cholesky(n, K));
    assert_ok(orffi_cholesky_solve(n, K, p, solved));
    orffi_gemm(true, false, p, p, n, -1.0, cross, p, solved, p, 1.0, own, p);
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < p; k++) want[i * p + k] = model->spread[i] * model->spread[k] * own[i * p + k];
    free(inner);
    free(at);
    free(K);
    free(cross);
    free(solved);
    free(own);
}

static void check_form(const models_case *c, form how) {
    double *X = models_normal(DATA * c->d, 1), *x = models_normal(POINTS * c->d, 2), want[9];
    double *covariance = support_zeros(POINTS * c->p * c->p);
    orff_model *model = make_model(c, how, X, shift);
    const size_t pp = c->p * c->p;
    assert_true(orff_model_describe(model).has_posterior);
    assert_ok(orff_model_covariance(model, POINTS, x, covariance));
    for (size_t i = 0; i < POINTS; i++) {
        dense_formula(model, X, x + i * c->d, want);
        assert_all_close(pp, covariance + i * pp, want, 1e-11);
    }
    free(X);
    free(x);
    free(covariance);
    orff_model_free(model);
}

static void is_the_gaussian_process(void **state) {
    (void)state;
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        check_form(&models_cases[c], CHOLESKY);
        check_form(&models_cases[c], EIGEN);
        check_form(&models_cases[c], SOLVED);
    }
}

/* Only the m_b of one decomposable part with unequal eigenvalues make the eigen form a must. */
static void takes_the_form_it_should(void **state) {
    (void)state;
    double *X = models_normal(DATA * 16, 1);
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        orff_model *model = make_model(&models_cases[c], CHOLESKY, X, shift);
        const orffi_posterior *posterior = models_fit(model)->posterior;
        const bool triangle = posterior->F[posterior->n] == 0.0;
        assert_int_equal(triangle, models_cases[c].parts[0].A == NULL);
        orff_model_free(model);
    }
    free(X);
}

/* Frequencies that no part uses stand in phi but not in the posterior. */
static void serves_a_part_of_the_bank(void **state) {
    (void)state;
    const models_case both = {
        .name = "both",
        .d = 2,
        .p = 2,
        .n_parts = 2,
        .scheme = ORFF_SCHEME_QMC,
        .parts = {{.rule = ORFF_RULE_DECOMPOSABLE}, {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 2.0}}};
    const orff_part second = models_part(both.parts[1]);
    orff_features *all = models_features(&both, D), *features = NULL;
    orff_kernel *kernel = NULL;
    orff_model *model = NULL;
    orff_moments *moments = NULL;
    orffi_system system = {0};
    const orff_moments_settings settings = {0};
    double *X = models_normal(DATA * 2, 1), *Y = models_normal(DATA * 2, 2), x[] = {0.1, 0.4}, covariance[4],
           want[4];
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &second));
    assert_ok(orff_features_rebind(&features, all, kernel));
    assert_ok(models_create(&model, features, 0));
    models_finish(model);
    assert_ok(orff_moments_create(&moments, all, &settings));
    assert_ok(orff_moments_accumulate(moments, DATA, X, Y, NULL));
    assert_ok(orffi_system_build(&system, features, moments, moments->n_sets, false, NULL));
    assert_ok(orffi_posterior_build(&models_fit(model)->posterior, &system, shift));
    for (size_t i = 0; i < model->p; i++) model->noise[i] = sqrt(noise);
    assert_ok(orff_model_covariance(model, 1, x, covariance));
    dense_formula(model, X, x, want);
    assert_all_close(4, covariance, want, 1e-12);
    orffi_system_clear(&system);
    orff_moments_free(moments);
    orff_kernel_free(kernel);
    orff_features_free(all);
    orff_model_free(model);
    free(X);
    free(Y);
}

/* More points than a block: each is what it is alone, symmetric, and its variances are not negative. */
static void blocks_do_not_show(void **state) {
    (void)state;
    const models_case *c = &models_cases[8];
    double *X = models_normal(DATA * c->d, 1);
    orff_model *model = make_model(c, CHOLESKY, X, shift);
    const size_t n = orffi_bank_block_rows(models_fit(model)->features->bank) + 7, p = c->p,
                 rows[] = {0, n - 8, n - 7, n - 1};
    double *x = models_normal(n * c->d, 2), *covariance = support_zeros(n * p * p), alone[9];
    assert_ok(orff_model_covariance(model, n, x, covariance));
    for (size_t i = 0; i < 4; i++) {
        assert_ok(orff_model_covariance(model, 1, x + rows[i] * c->d, alone));
        assert_all_close(p * p, covariance + rows[i] * p * p, alone, 1e-12);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < p; a++) {
            assert_true(covariance[i * p * p + a * p + a] >= 0.0);
            for (size_t b = 0; b < p; b++)
                assert_true(covariance[i * p * p + a * p + b] == covariance[i * p * p + b * p + a]);
        }
    free(X);
    free(x);
    free(covariance);
    orff_model_free(model);
}

/* Where the shift is lost to rounding Cholesky fails; variances stay finite and at least 0. */
static void survives_a_singular_system(void **state) {
    (void)state;
    const size_t some[] = {0, 3, 6};
    for (size_t k = 0; k < 3; k++) {
        const models_case *c = &models_cases[some[k]];
        double *X = models_normal(DATA * c->d, 1), *covariance = support_zeros(DATA * c->p * c->p);
        orff_model *model = make_model(c, CHOLESKY, X, 1e-20);
        assert_true(models_fit(model)->posterior->F[models_fit(model)->posterior->n] != 0.0);
        assert_ok(orff_model_covariance(model, DATA, X, covariance));
        for (size_t i = 0; i < DATA * c->p * c->p; i++) assert_true(isfinite(covariance[i]));
        for (size_t i = 0; i < DATA * c->p; i++)
            assert_true(covariance[(i / c->p) * c->p * c->p + (i % c->p) * (c->p + 1)] >= 0.0);
        free(X);
        free(covariance);
        orff_model_free(model);
    }
}

static void refuses_what_cannot_be(void **state) {
    (void)state;
    double *X = models_normal(DATA * 2, 1), x[2] = {0, NAN}, covariance[4] = {7, 7, 7, 7};
    orff_model *model = models_make(&models_cases[0], D);
    orffi_posterior *posterior = NULL;
    orffi_system system = {0};
    assert_status(orff_model_covariance(model, 1, X, covariance), ORFF_ERROR_UNSUPPORTED);
    assert_says("without a posterior");
    orff_model_free(model);
    model = make_model(&models_cases[0], CHOLESKY, X, shift);
    assert_status(orff_model_covariance(model, 1, x, covariance), ORFF_ERROR_NOT_FINITE);
    assert_says("row 1, column 2");
    assert_status(orff_model_covariance(NULL, 1, X, covariance), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_covariance(model, 1, X, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_posterior_build(&posterior, &system, 0.0), ORFF_ERROR_INVALID_ARGUMENT);
    assert_true(covariance[0] == 7 && !posterior);
    free(X);
    orff_model_free(model);
    orffi_posterior_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_gaussian_process),    cmocka_unit_test(takes_the_form_it_should),
        cmocka_unit_test(serves_a_part_of_the_bank),  cmocka_unit_test(blocks_do_not_show),
        cmocka_unit_test(survives_a_singular_system), cmocka_unit_test(refuses_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
