/* Parts whose blocks come from the caller's functions: what these functions see, and what a fit makes of them. */
#include "fields.h"

/* B(w) = (-w2, w1): every function of the kernel is without divergence. */
static int turned_at(void *self, const double *w, double *B) {
    (void)self;
    B[0] = -w[1];
    B[1] = w[0];
    return 0;
}
SUPPORT_MANY(turned, 2, 2)

/* A rotation on a long and narrow box. */
static fields_rows narrow(size_t n) {
    fields_rows rows = fields_draw(fields_rotation, n, 2, 2, 0.05, 3);
    for (size_t i = 0; i < n; i++) rows.X[2 * i + 1] *= 0.2;
    return rows;
}

/* The largest divergence at the rows, relative to the largest entry of the Jacobian. */
static double divergence_of(const orff_model *model, const fields_rows *rows) {
    double *J = models_numbers(4 * rows->n), *div = models_numbers(rows->n), most = 0.0, size = 0.0;
    assert_ok(orff_model_jacobian(model, rows->n, rows->X, J));
    assert_ok(orff_model_divergence(model, rows->n, rows->X, div));
    for (size_t i = 0; i < 4 * rows->n; i++) size = fmax(size, fabs(J[i]));
    for (size_t i = 0; i < rows->n; i++) most = fmax(most, fabs(div[i]));
    free(J);
    free(div);
    return most / size;
}

static orff_part turned_part(double sigma) {
    orff_part part = fields_part(ORFF_RULE_CUSTOM_B, sigma);
    part.columns = 1;
    part.matrix = turned;
    return part;
}

static void test_no_divergence(void **state) {
    (void)state;
    fields_rows rows = narrow(300);
    for (int scaled = 0; scaled < 2; scaled++) {
        const orff_part part = turned_part(0.0);
        orff_settings settings = fields_given(&part, 100, 1e-4);
        if (scaled) settings.scale_inputs = ORFF_SWITCH_YES;
        settings.scale_outputs = scaled;
        orff_model *model = fields_fit(&settings, &rows);
        assert_true(divergence_of(model, &rows) < 1e-9);
        orff_model_free(model);
    }
    fields_free(&rows);
}

/* Length scales by the spread of each input, and still no divergence: the function sees the user's units. */
static void test_stretchable(void **state) {
    (void)state;
    fields_rows rows = narrow(300);
    orff_part part = turned_part(0.0), fitted;
    for (int may = 0; may < 2; may++) {
        part.stretchable = may;
        const orff_settings settings = fields_given(&part, 100, 1e-4);
        orff_model *model = fields_fit(&settings, &rows);
        assert_ok(orff_model_part(model, 0, &fitted));
        assert_true(fitted.stretchable == (may != 0));
        if (may)
            assert_true(fitted.sigmas[1] < 0.3 * fitted.sigmas[0]);
        else
            assert_true(fitted.sigmas[1] == fitted.sigmas[0]);
        assert_true(divergence_of(model, &rows) < 1e-9);
        orff_model_free(model);
    }
    fields_free(&rows);
}

/* exp(-2 |delta|^2) (1, .5; .5, 1): the same in all units only where delta is always in the user's. */
static int coupled_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = K[3] = exp(-2.0 * (delta[0] * delta[0] + delta[1] * delta[1]));
    K[1] = K[2] = 0.5 * K[0];
    return 0;
}
SUPPORT_MANY(coupled, 2, 4)

/* (1, .5; .5, 1) */
static int constant_at(void *self, const double *w, double *A) {
    (void)self, (void)w;
    A[0] = A[3] = 1.0;
    A[1] = A[2] = 0.5;
    return 0;
}
SUPPORT_MANY(constant, 2, 4)

/* The same kernel with inputs scaled and not: given sigmas are in units of the spread, functions know no spread. */
static void assert_same_scaled(orff_part part, orff_solver solver, const fields_rows *rows) {
    orff_settings settings = fields_given(&part, 200, 1e-3);
    orff_part fitted;
    settings.solver = solver;
    settings.sampling.tolerance = 1e-2;
    settings.scale_inputs = ORFF_SWITCH_YES;
    orff_model *scaled = fields_fit(&settings, rows);
    assert_ok(orff_model_part(scaled, 0, &fitted));
    part.sigma = fitted.sigma;
    settings.scale_inputs = ORFF_SWITCH_NO;
    orff_model *plain = fields_fit(&settings, rows);
    fields_assert_same(scaled, plain, rows, 2, 1e-6);
    orff_model_free(scaled);
    orff_model_free(plain);
}

static void test_functions_see_user_units(void **state) {
    (void)state;
    fields_rows rows = narrow(60);
    orff_part custom = fields_part(ORFF_RULE_CUSTOM_A, 1.0),
              signature = fields_part(ORFF_RULE_SIGNATURE, 1.0);
    assert_same_scaled(turned_part(0.7), ORFF_SOLVER_DIRECT, &rows);
    custom.matrix = constant;
    custom.exact = coupled;
    assert_same_scaled(custom, ORFF_SOLVER_DIRECT, &rows);
    assert_same_scaled(custom, ORFF_SOLVER_EXACT, &rows);
    signature.matrix = coupled;
    assert_same_scaled(signature, ORFF_SOLVER_DIRECT, &rows);
    assert_same_scaled(signature, ORFF_SOLVER_EXACT, &rows);
    fields_free(&rows);
}

/* ---- how often the functions are called */

typedef struct counter {
    size_t calls, points, largest;
} counter;

/* exp(-|at|^2/2) I, which serves as A(w) and as K0(delta). */
static int counted(void *self, size_t count, const double *at, double *K) {
    counter *c = self;
    c->calls++;
    c->points += count;
    if (count > c->largest) c->largest = count;
    for (size_t i = 0; i < count; i++, at += 2, K += 4) {
        K[0] = K[3] = exp(-0.5 * (at[0] * at[0] + at[1] * at[1]));
        K[1] = K[2] = 0.0;
    }
    return 0;
}

/* Every frequency once, in calls that are neither single points nor all of a million. */
static void test_many_at_once(void **state) {
    (void)state;
    enum { D = 5000, N = 70 };
    static double G[4 * N * N];
    counter c = {0};
    orff_part part = fields_part(ORFF_RULE_CUSTOM_A, 1.0);
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    fields_rows rows = narrow(N);
    part.matrix = part.exact = counted;
    part.self = &c;
    sampling.features = D;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_int_equal(c.points, D);
    assert_true(c.largest >= 1000 && c.largest <= 4096);
    c = (counter){0};
    assert_ok(orff_kernel_gram(kernel, N, rows.X, N, rows.X, G));
    assert_int_equal(c.points, N * N);
    assert_true(c.calls <= N);
    orff_features_free(features);
    orff_kernel_free(kernel);
    fields_free(&rows);
}

static void test_many_at_once_signature(void **state) {
    (void)state;
    const double extent[2] = {3.0, 3.0};
    counter c = {0};
    orff_part part = fields_part(ORFF_RULE_SIGNATURE, 1.0);
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    part.matrix = counted;
    part.self = &c;
    sampling.extent = extent;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_true(c.largest >= 1000 && c.largest <= 4096);
    assert_true(c.calls < 100);
    orff_features_free(features);
    orff_kernel_free(kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_divergence), cmocka_unit_test(test_stretchable),
        cmocka_unit_test(test_functions_see_user_units), cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_many_at_once_signature)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
