/* Derived fields: against finite differences of the predictions for every rule; the properties of curl-free
 * and divergence-free kernels; fields reconstructed from their potentials. */
#include "engine/exact.h"
#include "models.h"

enum { ROWS = 6, D = 24 };
static const double step = 1e-3;

typedef orff_status (*evaluate_fn)(const orff_model *, size_t, const double *, double *);

/* d/dx_k of k_out values at x by five points: error of order step^4. */
static void difference(const orff_model *model, evaluate_fn evaluate, size_t outputs, const double *x,
                       size_t k, double *slope) {
    static const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    double *at = support_zeros(model->d), *value = support_zeros(outputs);
    memset(slope, 0, outputs * sizeof *slope);
    for (int s = 0; s < 4; s++) {
        memcpy(at, x, model->d * sizeof *at);
        at[k] += step * (double)(s < 2 ? s - 2 : s - 1);
        assert_ok(evaluate(model, 1, at, value));
        for (size_t i = 0; i < outputs; i++) slope[i] += weights[s] * value[i] / step;
    }
    free(at);
    free(value);
}

/* J (p x d) by differences. */
static void slow_jacobian(const orff_model *model, const double *x, double *J) {
    double *slope = support_zeros(model->p);
    for (size_t k = 0; k < model->d; k++) {
        difference(model, orff_model_predict, model->p, x, k, slope);
        for (size_t i = 0; i < model->p; i++) J[i * model->d + k] = slope[i];
    }
    free(slope);
}

static double largest(size_t n, const double *a) {
    double most = 0.0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

/* Inputs of the field's space, NULL where the case has none. */
static const size_t *space_of(const models_case *c) {
    static const size_t all[] = {0, 1, 2};
    for (size_t m = 0; m < c->n_parts; m++)
        if (c->parts[m].space) return c->parts[m].space;
    return c->d == c->p ? all : NULL;
}

/* The model is freed. */
static void check_jacobian(orff_model *model, uint64_t seed, double tolerance) {
    const size_t size = model->p * model->d;
    double *X = models_normal(ROWS * model->d, seed), *J = support_zeros(ROWS * size),
           *want = support_zeros(size);
    assert_ok(orff_model_jacobian(model, ROWS, X, J));
    for (size_t i = 0; i < ROWS; i++) {
        slow_jacobian(model, X + i * model->d, want);
        const double most = largest(size, want);
        for (size_t k = 0; k < size; k++) assert_close(J[i * size + k] / most, want[k] / most, tolerance);
    }
    free(X);
    free(J);
    free(want);
    orff_model_free(model);
}

static void jacobian_by_differences(void **state) {
    (void)state;
    for (size_t c = 0; c < MODELS_COUNT; c++) check_jacobian(models_make(&models_cases[c], D), c, 1e-7);
}

/* Divergence and curl are sums of the Jacobian's entries. */
static void divergence_and_curl_from_the_jacobian(void **state) {
    (void)state;
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        const size_t *s = space_of(&models_cases[c]);
        if (!s) continue;
        orff_model *model = models_make(&models_cases[c], D);
        const size_t d = model->d, p = model->p, turns = p == 2 ? 1 : 3;
        double *X = models_normal(ROWS * d, c), *J = support_zeros(ROWS * p * d), divergence[ROWS],
               curl[3 * ROWS];
        assert_ok(orff_model_jacobian(model, ROWS, X, J));
        assert_ok(orff_model_divergence(model, ROWS, X, divergence));
        assert_ok(orff_model_curl(model, ROWS, X, curl));
        const double most = largest(ROWS * p * d, J);
        for (size_t i = 0; i < ROWS; i++) {
            const double *Ji = J + i * p * d;
            double sum = 0.0;
            for (size_t a = 0; a < p; a++) sum += Ji[a * d + s[a]];
            assert_close(divergence[i] / most, sum / most, 1e-12);
            for (size_t a = 0; a < turns; a++) {
                const size_t k = p == 2 ? 0 : (a + 1) % 3, l = p == 2 ? 1 : (a + 2) % 3;
                assert_close(curl[i * turns + a] / most, (Ji[l * d + s[k]] - Ji[k * d + s[l]]) / most, 1e-12);
            }
        }
        free(X);
        free(J);
        orff_model_free(model);
    }
}

/* With one unit for the space and one spread, physical rules keep their promise to rounding, covariates or
 * not. */
static void physical_rules_keep_their_promise(void **state) {
    (void)state;
    size_t kept = 0;
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        const orff_rule rule = models_cases[c].parts[0].rule;
        if (models_cases[c].n_parts > 1 || (rule != ORFF_RULE_CURL_FREE && rule != ORFF_RULE_DIV_FREE))
            continue;
        orff_model *model = models_make(&models_cases[c], D);
        const size_t d = model->d, p = model->p;
        double *X = models_normal(ROWS * d, c), *J = support_zeros(ROWS * p * d), zero[3 * ROWS] = {0};
        assert_ok(orff_model_jacobian(model, ROWS, X, J));
        assert_ok(
            (rule == ORFF_RULE_CURL_FREE ? orff_model_curl : orff_model_divergence)(model, ROWS, X, zero));
        assert_true(largest(3 * ROWS, zero) <= 1e-12 * largest(ROWS * p * d, J));
        assert_ok((rule == ORFF_RULE_CURL_FREE ? orff_model_stream_function
                                               : orff_model_potential)(model, ROWS, X, zero));
        assert_true(largest(3 * ROWS, zero) <= 1e-12 * largest(ROWS * p * d, J));
        kept++;
        free(X);
        free(J);
        orff_model_free(model);
    }
    assert_int_equal(kept, 6);
}

/* (-d2, d1) psi, or the curl of the vector potential, from its slopes: slopes[k][a] = d_k of component a. */
static void rotated(size_t p, double slopes[3][3], double *out) {
    if (p == 2) {
        out[0] = -slopes[1][0];
        out[1] = slopes[0][0];
        return;
    }
    for (size_t a = 0; a < 3; a++)
        out[a] = slopes[(a + 1) % 3][(a + 2) % 3] - slopes[(a + 2) % 3][(a + 1) % 3];
}

/* f less its mean and less the features that do not vary over the field's space, which have no potential. */
static void varying(orff_model *model, const size_t *s, const double *x, double *f) {
    const size_t p = model->p, frequencies = models_fit(model)->features->D;
    double *omega = support_zeros(frequencies * model->d), *phi = support_zeros(2 * frequencies);
    double *inner = support_zeros(model->d);
    orffi_model_transform(model, 1, x, inner);
    assert_ok(orff_features_frequencies(models_fit(model)->features, omega, NULL));
    assert_ok(orff_features_phi(models_fit(model)->features, 1, inner, phi));
    memset(f, 0, p * sizeof *f);
    for (size_t a = 0; a < 2 * frequencies; a++) {
        double size = 0.0;
        for (size_t i = 0; i < p; i++) size += fabs(omega[(a % frequencies) * model->d + s[i]]);
        for (size_t i = 0; size > 0.0 && i < p; i++)
            f[i] += model->spread[i] * phi[a] * models_fit(model)->V[a * p + i];
    }
    free(omega);
    free(phi);
    free(inner);
}

/* grad potential + rotated stream function = f */
static void check_potentials(const orff_model *model, const size_t *s, const double *x, const double *f,
                             double tolerance) {
    const size_t p = model->p, turns = p == 2 ? 1 : 3;
    double gradient[3], slopes[3][3], rest[3];
    for (size_t k = 0; k < p; k++) {
        difference(model, orff_model_potential, 1, x, s[k], &gradient[k]);
        difference(model, orff_model_stream_function, turns, x, s[k], slopes[k]);
    }
    rotated(p, slopes, rest);
    for (size_t k = 0; k < p; k++)
        assert_close((gradient[k] + rest[k]) / largest(p, f), f[k] / largest(p, f), tolerance);
}

/* Of all that varies over the space, for every kernel on a plane or in space. */
static void potentials_give_the_field_back(void **state) {
    (void)state;
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        const size_t *s = space_of(&models_cases[c]);
        if (!s) continue;
        orff_model *model = models_make(&models_cases[c], D);
        double *X = models_normal(ROWS * model->d, c), f[3];
        for (size_t i = 0; i < ROWS; i++) {
            varying(model, s, X + i * model->d, f);
            check_potentials(model, s, X + i * model->d, f, 1e-7);
        }
        free(X);
        orff_model_free(model);
    }
}

/* A frequency of 0 has no potential, and does not spoil that of the others. */
static void constants_are_left_out(void **state) {
    (void)state;
    const orff_part part = orff_part_default();
    const double omega[] = {0.0, 0.0, 1.0, 0.5}, x[] = {0.3, -0.2};
    double potential, stream;
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_model *model = NULL;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create_at(&features, kernel, 2, omega, NULL));
    assert_ok(models_create(&model, features, 0));
    for (size_t a = 0; a < features->M; a++) models_fit(model)->theta[a] = 1.0;
    models_finish(model);
    assert_ok(orff_model_potential(model, 1, x, &potential));
    assert_ok(orff_model_stream_function(model, 1, x, &stream));
    const double angle = x[0] + 0.5 * x[1], turn = sqrt(0.5) * (sin(angle) - cos(angle)) / 1.25;
    assert_close(potential, 1.5 * turn, 1e-14);
    assert_close(stream, 0.5 * turn, 1e-14);
    orff_kernel_free(kernel);
    orff_model_free(model);
}

static void refuses_fields_without_a_space(void **state) {
    (void)state;
    const models_case wide = {.name = "wide",
                              .d = 4,
                              .p = 4,
                              .n_parts = 1,
                              .scheme = ORFF_SCHEME_QMC,
                              .parts = {{.rule = ORFF_RULE_CURL_FREE}}};
    double x[4] = {0}, out[4];
    orff_model *model = models_make(&models_cases[1], D), *four = models_make(&wide, D);
    assert_status(orff_model_divergence(model, 1, x, out), ORFF_ERROR_UNSUPPORTED);
    assert_says("3 inputs and 2 outputs");
    assert_status(orff_model_curl(model, 1, x, out), ORFF_ERROR_UNSUPPORTED);
    assert_status(orff_model_potential(model, 1, x, out), ORFF_ERROR_UNSUPPORTED);
    assert_status(orff_model_stream_function(model, 1, x, out), ORFF_ERROR_UNSUPPORTED);
    assert_ok(orff_model_divergence(four, 1, x, out));
    assert_ok(orff_model_potential(four, 1, x, out));
    assert_status(orff_model_curl(four, 1, x, out), ORFF_ERROR_UNSUPPORTED);
    assert_says("2 and 3 dimensions");
    assert_status(orff_model_jacobian(NULL, 1, x, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_curl(model, 1, NULL, out), ORFF_ERROR_INVALID_ARGUMENT);
    orff_model_free(model);
    orff_model_free(four);
}

/* ---- exact models */

static const orff_base exact_bases[] = {ORFF_BASE_GAUSSIAN, ORFF_BASE_MATERN, ORFF_BASE_RATIONAL_QUADRATIC,
                                        ORFF_BASE_CAUCHY_PRODUCT};
enum { EXACT_BASES = sizeof exact_bases / sizeof *exact_bases };

/* A case of the table as an exact model with random coefficients, on another base. */
static orff_model *exact_model(const models_case *c, orff_base base, double shape) {
    enum { POINTS = 7 };
    orff_part parts[3];
    orff_kernel *kernel = NULL;
    orff_exact *exact = NULL;
    orff_model *model = NULL;
    double *X = models_normal(POINTS * c->d, 11), *alpha = models_normal(POINTS * c->p, 12);
    for (size_t m = 0; m < 3; m++) {
        parts[m] = models_part(c->parts[m]);
        parts[m].base = base;
        parts[m].shape = shape;
    }
    support_case("exact %s, base %d", c->name, (int)base);
    assert_ok(orff_kernel_create(&kernel, c->d, c->p, c->n_parts, parts));
    assert_ok(orffi_exact_create(&exact, kernel, POINTS));
    memcpy(exact->X, X, POINTS * c->d * sizeof *X);
    memcpy(exact->alpha, alpha, POINTS * c->p * sizeof *alpha);
    assert_ok(orffi_exact_fold(exact));
    assert_ok(orffi_model_create(&model, &orffi_engine_exact, exact, 0));
    models_set_units(model, c->units);
    assert_ok(orffi_model_finish(model));
    orff_kernel_free(kernel);
    free(X);
    free(alpha);
    return model;
}

static bool is_named(const models_case *c) {
    return orff_rule_describe(c->parts[0].rule).named && c->d <= 4;
}

static bool is_field(const models_case *c) {
    bool physical = c->units == COMMON;
    for (size_t m = 0; m < c->n_parts; m++)
        physical = physical && orff_rule_describe(c->parts[m].rule).physical;
    return physical;
}

static void exact_jacobian_by_differences(void **state) {
    (void)state;
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        for (size_t b = 0; is_named(&models_cases[c]) && b < EXACT_BASES; b++)
            check_jacobian(exact_model(&models_cases[c], exact_bases[b], b % 2 ? 2.5 : 3.2), c, 1e-6);
    }
}

/* grad potential + rotated stream function = f less its mean; a curl-free part has no stream function. */
static void exact_potentials_give_the_field_back(void **state) {
    (void)state;
    size_t fields = 0;
    for (size_t c = 0; c < MODELS_COUNT; c++) {
        const size_t *s = space_of(&models_cases[c]);
        for (size_t b = 0; s && is_field(&models_cases[c]) && b < EXACT_BASES; b++) {
            orff_model *model = exact_model(&models_cases[c], exact_bases[b], 2.5);
            double *X = models_normal(ROWS * model->d, c), f[3];
            for (size_t i = 0; i < ROWS; i++) {
                assert_ok(orff_model_predict(model, 1, X + i * model->d, f));
                for (size_t k = 0; k < model->p; k++) f[k] -= model->mean[k];
                check_potentials(model, s, X + i * model->d, f, 1e-6);
            }
            fields++;
            free(X);
            orff_model_free(model);
        }
    }
    assert_true(fields >= 5 * EXACT_BASES);
}

/* A curl-free field has no curl, a divergence-free one no divergence; what the kernel cannot give is refused. */
static void exact_promises_and_refusals(void **state) {
    (void)state;
    const models_case curl_free = {.name = "curl-free",
                                   .d = 2,
                                   .p = 2,
                                   .n_parts = 1,
                                   .units = COMMON,
                                   .parts = {{.rule = ORFF_RULE_CURL_FREE}}};
    const models_case plain = {.name = "plain",
                               .d = 2,
                               .p = 2,
                               .n_parts = 1,
                               .units = COMMON,
                               .parts = {{.rule = ORFF_RULE_DECOMPOSABLE}}};
    models_case div_free = curl_free;
    div_free.parts[0].rule = ORFF_RULE_DIV_FREE;
    double X[] = {0.3, 0.4}, J[4], zero;
    orff_model *model = exact_model(&curl_free, ORFF_BASE_MATERN, 1.7);
    assert_ok(orff_model_jacobian(model, 1, X, J));
    assert_ok(orff_model_curl(model, 1, X, &zero));
    assert_true(fabs(zero) <= 1e-12 * largest(4, J));
    orff_model_free(model);
    model = exact_model(&div_free, ORFF_BASE_CAUCHY_PRODUCT, 0.0);
    assert_ok(orff_model_jacobian(model, 1, X, J));
    assert_ok(orff_model_divergence(model, 1, X, &zero));
    assert_true(fabs(zero) <= 1e-12 * largest(4, J));
    orff_model_free(model);
    model = exact_model(&curl_free, ORFF_BASE_MATERN, 1.5);
    assert_status(orff_model_jacobian(model, 1, X, J), ORFF_ERROR_UNSUPPORTED);
    assert_says("smooth");
    assert_ok(orff_model_potential(model, 1, X, &zero));
    orff_model_free(model);
    model = exact_model(&plain, ORFF_BASE_LAPLACE, 0.0);
    assert_status(orff_model_divergence(model, 1, X, &zero), ORFF_ERROR_UNSUPPORTED);
    assert_says("smooth");
    orff_model_free(model);
    model = exact_model(&plain, ORFF_BASE_GAUSSIAN, 0.0);
    assert_status(orff_model_potential(model, 1, X, &zero), ORFF_ERROR_UNSUPPORTED);
    assert_says("features");
    orff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_jacobian_by_differences),
        cmocka_unit_test(exact_potentials_give_the_field_back),
        cmocka_unit_test(exact_promises_and_refusals),
        cmocka_unit_test(jacobian_by_differences),
        cmocka_unit_test(divergence_and_curl_from_the_jacobian),
        cmocka_unit_test(physical_rules_keep_their_promise),
        cmocka_unit_test(potentials_give_the_field_back),
        cmocka_unit_test(constants_are_left_out),
        cmocka_unit_test(refuses_fields_without_a_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
