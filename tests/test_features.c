/* Feature maps: golden numbers, accuracy of phi, fields without curl or divergence, refusals. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support.h"

static orff_kernel *make(size_t d, size_t p, const orff_part *part) {
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, d, p, 1, part));
    return kernel;
}

/* Features of one part on given frequencies. */
static orff_features *make_at(size_t d, size_t p, const orff_part *part, size_t D, const double *omega,
                              const double *weights) {
    orff_kernel *kernel = make(d, p, part);
    orff_features *features = NULL;
    assert_ok(orff_features_create_at(&features, kernel, D, omega, weights));
    orff_kernel_free(kernel);
    return features;
}

static void fill_normal(size_t n, double *a, uint32_t stream) {
    const orffi_rng rng = {11, stream};
    for (size_t i = 0; i < n; i++) a[i] = orffi_rng_normal(rng, i, 0);
}

/* ---- golden blocks */

/* B of one frequency against the golden matrix, and B B^T against A if it is there. */
static void check_block(const orff_part *part, size_t d, const double *omega, const json_t *golden_B,
                        const json_t *golden_A) {
    const double one = 1.0;
    size_t rows, cols, columns = 0;
    double *want = support_matrix(golden_B, &rows, &cols), B[49] = {0}, A[49];
    orff_features *features = make_at(d, d, part, 1, omega, &one);
    assert_ok(orff_features_block(features, 0, &columns, NULL));
    assert_int_equal(columns, cols);
    assert_ok(orff_features_block(features, 0, &columns, B));
    assert_all_close(rows * cols, B, want, 1e-12);
    free(want);
    if (golden_A) {
        want = support_matrix(golden_A, &rows, &cols);
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++) {
                A[i * d + j] = 0;
                for (size_t k = 0; k < columns; k++) A[i * d + j] += B[i * columns + k] * B[j * columns + k];
            }
        assert_all_close(d * d, A, want, 1e-12);
        free(want);
    }
    orff_features_free(features);
}

static void blocks_are_golden(void **state) {
    (void)state;
    json_t *all = support_load("golden/spectral.json");
    assert_int_equal(json_array_size(all), 18);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *entry = json_array_get(all, i), *helmholtz = support_member(entry, "B_helmholtz");
        size_t d;
        double *omega = support_array(support_member(entry, "omega"), &d);
        orff_part part = support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 0, 1);
        support_case("entry %zu, d=%zu", i, d);
        check_block(&part, d, omega, support_member(entry, "B_curl"), support_member(entry, "A_curl"));
        part.rule = ORFF_RULE_DIV_FREE;
        check_block(&part, d, omega, support_member(entry, "B_div_householder"),
                    support_member(entry, "A_div"));
        part.rule = ORFF_RULE_HELMHOLTZ;
        part.mix = support_number(helmholtz, "c");
        check_block(&part, d, omega, support_member(helmholtz, "B"), NULL);
        free(omega);
    }
    json_decref(all);
}

/* ---- golden features */

/* The golden files count features (frequency, cos or sin, column); ours are (cos or sin, frequency, column).
 * Rows have `width` numbers. */
static void permute(size_t D, size_t columns, size_t width, const double *golden, double *ours) {
    for (size_t j = 0; j < D; j++)
        for (size_t half = 0; half < 2; half++)
            memcpy(ours + (half * D + j) * columns * width, golden + (2 * j + half) * columns * width,
                   columns * width * sizeof *ours);
}

typedef struct golden_case {
    size_t d, p, D, columns;
    double *omegas, *x, *z, *y, *theta; /* theta in our order */
    orff_features *features;
} golden_case;

static double *permuted_member(const golden_case *c, const json_t *entry, const char *key) {
    size_t length;
    double *golden = support_array(support_member(entry, key), &length), *ours = calloc(length, sizeof *ours);
    assert_int_equal(length, 2 * c->D * c->columns);
    permute(c->D, c->columns, 1, golden, ours);
    free(golden);
    return ours;
}

static golden_case load_case(const json_t *entry) {
    const char *kind = support_string(entry, "kind");
    orff_part part = orff_part_default();
    golden_case c = {0};
    size_t rows;
    double *B = NULL;
    c.omegas = support_matrix(support_member(entry, "omegas"), &c.D, &c.d);
    c.x = support_array(support_member(entry, "x"), &c.d);
    c.z = support_array(support_member(entry, "z"), &c.d);
    c.y = support_array(support_member(entry, "y"), &c.p);
    if (!strncmp(kind, "dec", 3))
        part.B = B = support_matrix(support_member(entry, "B"), &rows, &part.columns);
    if (!strcmp(kind, "curl")) part.rule = ORFF_RULE_CURL_FREE;
    if (!strncmp(kind, "div", 3)) part.rule = ORFF_RULE_DIV_FREE;
    if (!strcmp(kind, "helmholtz_single_B")) {
        part.rule = ORFF_RULE_HELMHOLTZ;
        part.mix = support_number(entry, "c");
    }
    c.features = make_at(c.d, c.p, &part, c.D, c.omegas, NULL);
    assert_ok(orff_features_block(c.features, 0, &c.columns, NULL));
    free(B);
    return c;
}

static void free_case(golden_case *c) {
    orff_features_free(c->features);
    free(c->omegas);
    free(c->x);
    free(c->z);
    free(c->y);
    free(c->theta);
}

static void check_golden_kernel(const golden_case *c, const json_t *entry) {
    size_t rows, cols;
    double *xz = support_matrix(support_member(entry, "K_approx_xz"), &rows, &cols), K[9];
    double *xx = support_matrix(support_member(entry, "K_approx_xx"), &rows, &cols);
    assert_ok(orff_features_kernel(c->features, c->x, c->z, K));
    assert_all_close(c->p * c->p, K, xz, 1e-12);
    assert_ok(orff_features_kernel(c->features, c->x, c->x, K));
    assert_all_close(c->p * c->p, K, xx, 1e-12);
    free(xz);
    free(xx);
}

static void check_golden_map(const golden_case *c, const json_t *entry) {
    size_t rows, cols;
    double *golden = support_matrix(support_member(entry, "Phi_x"), &rows, &cols);
    double *want = calloc(rows * cols, sizeof *want), *got = calloc(rows * cols, sizeof *got);
    assert_int_equal(rows, 2 * c->D * c->columns);
    assert_int_equal(orff_features_describe(c->features).parameters, rows);
    permute(c->D, c->columns, cols, golden, want);
    assert_ok(orff_features_map(c->features, c->x, got));
    assert_all_close(rows * cols, got, want, 1e-12);
    free(golden);
    free(want);
    free(got);
}

static void check_golden_operators(const golden_case *c, const json_t *entry) {
    const size_t M = 2 * c->D * c->columns;
    size_t p;
    double *Px = support_array(support_member(entry, "P_x_theta"), &p),
           *theta = permuted_member(c, entry, "theta");
    double *Py = permuted_member(c, entry, "P_xT_y"), *PP = permuted_member(c, entry, "P_xT_P_x_theta");
    double F[3], *out = calloc(M, sizeof *out);
    assert_ok(orff_features_apply(c->features, 1, c->x, theta, F));
    assert_all_close(p, F, Px, 1e-12);
    assert_ok(orff_features_adjoint(c->features, 1, c->x, c->y, out));
    assert_all_close(M, out, Py, 1e-12);
    assert_ok(orff_features_normal(c->features, 1, c->x, theta, out));
    assert_all_close(M, out, PP, 1e-12);
    free(Px);
    free(theta);
    free(Py);
    free(PP);
    free(out);
}

static void features_are_golden(void **state) {
    (void)state;
    json_t *all = support_load("golden/features.json");
    assert_int_equal(json_array_size(all), 12);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *entry = json_array_get(all, i);
        const char *kind = support_string(entry, "kind");
        golden_case c = load_case(entry);
        support_case("%s, entry %zu", kind, i);
        check_golden_kernel(&c, entry);
        if (strcmp(kind, "div_sym")) { /* its B is another factor of the same A */
            check_golden_map(&c, entry);
            check_golden_operators(&c, entry);
        }
        free_case(&c);
    }
    json_decref(all);
}

/* ---- accuracy of phi */

enum { ANGLES = 4099 };

/* Angles from 1e-8 to 1e6 of both signs, each a float, so that the product with x = 1 is exact in both
 * precisions; and the floats next to multiples of pi/2, where cosine or sine nearly vanishes. */
static void fill_angles(double *angle) {
    const orffi_rng rng = {3, 0};
    for (size_t i = 0; i < ANGLES; i++) {
        const double size = pow(10.0, 14.0 * orffi_rng_uniform(rng, i, 0) - 8.0);
        const double quarter = 1.57079632679489662 * (double)orffi_rng_below(rng, i, 2, 600000);
        const double value = i % 3 == 2 ? quarter : size;
        angle[i] = (double)(float)(orffi_rng_uniform(rng, i, 1) < 0.5 ? -value : value);
    }
    angle[0] = 0;
}

/* Error in units of the last place of the right value. */
static double ulps(double got, long double want, double epsilon, double smallest) {
    const double size = fmax(fabs((double)want), smallest);
    return (double)fabsl((long double)got - want) / (size * epsilon);
}

static void phi_is_accurate_to_four_ulps(void **state) {
    (void)state;
    const double one = 1.0;
    const float one_single = 1.0f;
    double *angle = calloc(ANGLES, sizeof *angle), *weights = calloc(ANGLES, sizeof *weights),
           *phi = calloc(2 * ANGLES, sizeof *phi), worst = 0, worst_single = 0;
    float *single = calloc(2 * ANGLES, sizeof *single);
    const orff_part part = orff_part_default();
    fill_angles(angle);
    for (size_t i = 0; i < ANGLES; i++) weights[i] = 1.0;
    orff_features *features = make_at(1, 1, &part, ANGLES, angle, weights);
    assert_ok(orff_features_phi(features, 1, &one, phi));
    assert_ok(orff_features_phi_single(features, 1, &one_single, single));
    for (size_t i = 0; i < ANGLES; i++) {
        const long double c = cosl((long double)angle[i]), s = sinl((long double)angle[i]);
        worst = fmax(worst, fmax(ulps(phi[i], c, DBL_EPSILON, 0x1p-1022),
                                 ulps(phi[ANGLES + i], s, DBL_EPSILON, 0x1p-1022)));
        worst_single =
            fmax(worst_single, fmax(ulps((double)single[i], c, (double)FLT_EPSILON, 0x1p-126),
                                    ulps((double)single[ANGLES + i], s, (double)FLT_EPSILON, 0x1p-126)));
    }
    if (!(worst <= 4) || !(worst_single <= 4))
        fail_msg("%.2f ulp in double, %.2f in single", worst, worst_single);
    assert_true(phi[0] == 1 && phi[ANGLES] == 0);
    orff_features_free(features);
    free(angle);
    free(weights);
    free(phi);
    free(single);
}

/* Angles that are not exact: the error is that of the product <w,x>, a few ulps of the terms. */
static void phi_has_no_more_than_the_error_of_its_argument(void **state) {
    (void)state;
    enum { D = 200, N = 5, INPUTS = 3 };
    double omega[D * INPUTS], X[N * INPUTS], phi[N * 2 * D];
    const orff_part part = orff_part_default();
    fill_normal(D * INPUTS, omega, 1);
    fill_normal(N * INPUTS, X, 2);
    for (size_t j = 0; j < D * INPUTS; j++) omega[j] *= 1e3;
    orff_features *features = make_at(INPUTS, 1, &part, D, omega, NULL);
    assert_ok(orff_features_phi(features, N, X, phi));
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++) {
            long double angle = 0, size = 0;
            for (size_t k = 0; k < INPUTS; k++) {
                angle += (long double)omega[j * INPUTS + k] * (long double)X[i * INPUTS + k];
                size += fabsl((long double)omega[j * INPUTS + k] * (long double)X[i * INPUTS + k]);
            }
            const double amplitude = sqrt(1.0 / D), room = amplitude * DBL_EPSILON * (double)(4 + 2 * size);
            assert_true(fabs(phi[i * 2 * D + j] - amplitude * (double)cosl(angle)) <= room);
            assert_true(fabs(phi[i * 2 * D + D + j] - amplitude * (double)sinl(angle)) <= room);
        }
    }
    orff_features_free(features);
}

/* ---- fields without curl, fields without divergence */

typedef struct field_case {
    orff_base base;
    double shape;
    size_t d, p;
    const double *sigmas;
    const size_t *space;
} field_case;

static const double unequal[4] = {0.8, 1.5, 1.1, 2.0};
static const size_t permuted_plane[2] = {2, 0}, permuted_space[3] = {3, 0, 2};
static const field_case fields[] = {
    {ORFF_BASE_GAUSSIAN, 0, 2, 2, NULL, NULL},
    {ORFF_BASE_GAUSSIAN, 0, 3, 3, unequal, NULL},
    {ORFF_BASE_GAUSSIAN, 0, 3, 2, unequal, permuted_plane},
    {ORFF_BASE_GAUSSIAN, 0, 4, 3, unequal, permuted_space},
    {ORFF_BASE_MATERN, 3.5, 2, 2, unequal, NULL},
    {ORFF_BASE_MATERN, 3.5, 3, 2, unequal, permuted_plane},
    {ORFF_BASE_RATIONAL_QUADRATIC, 4, 4, 3, unequal, permuted_space},
    {ORFF_BASE_CAUCHY_PRODUCT, 0, 3, 2, unequal, permuted_plane},
};

static orff_features *draw_field(orff_rule rule, const field_case *c, size_t D) {
    orff_part part = support_part(rule, c->base, c->shape, 1);
    orff_sampling sampling = orff_sampling_default();
    orff_features *features = NULL;
    part.sigmas = c->sigmas;
    part.space = c->space;
    sampling.features = D;
    orff_kernel *kernel = make(c->d, c->p, &part);
    assert_ok(orff_features_create(&features, kernel, &sampling));
    orff_kernel_free(kernel);
    return features;
}

/* Rows of w on the field's space, in the order of the outputs. */
static void space_of(const field_case *c, const double *w, double *on_space) {
    for (size_t i = 0; i < c->p; i++) on_space[i] = w[c->space ? c->space[i] : i];
}

/* i w x B = 0, or i w . B = 0, for every column of every block. */
static void check_blocks_of_field(orff_rule rule, const field_case *c, const orff_features *features,
                                  size_t D) {
    double *omega = calloc(D * c->d, sizeof *omega);
    assert_ok(orff_features_frequencies(features, omega, NULL));
    for (size_t j = 0; j < D; j++) {
        double B[9], w[3], size = 0, divergence[3] = {0};
        size_t columns;
        assert_ok(orff_features_block(features, j, &columns, B));
        space_of(c, omega + j * c->d, w);
        for (size_t i = 0; i < c->p; i++) size += w[i] * w[i];
        for (size_t k = 0; k < columns; k++) {
            for (size_t a = 0; a < c->p; a++) {
                divergence[k] += w[a] * B[a * columns + k];
                for (size_t b = 0; rule == ORFF_RULE_CURL_FREE && b < c->p; b++)
                    assert_true(fabs(w[a] * B[b * columns + k] - w[b] * B[a * columns + k]) <= 1e-14 * size);
            }
            if (rule == ORFF_RULE_DIV_FREE) assert_true(fabs(divergence[k]) <= 1e-14 * size);
        }
    }
    free(omega);
}

/* J_ab = d f_a / d s_b, s the field's space, by differences of order 4. */
static void jacobian(const field_case *c, const orff_features *features, const double *theta, const double *x,
                     double *J) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double h = 1e-3;
    for (size_t b = 0; b < c->p; b++) {
        double X[4 * 4], F[4 * 3];
        for (size_t i = 0; i < 4; i++) {
            memcpy(X + i * c->d, x, c->d * sizeof *x);
            X[i * c->d + (c->space ? c->space[b] : b)] += h * at[i];
        }
        assert_ok(orff_features_apply(features, 4, X, theta, F));
        for (size_t a = 0; a < c->p; a++) {
            J[a * c->p + b] = 0;
            for (size_t i = 0; i < 4; i++) J[a * c->p + b] += weight[i] * F[i * c->p + a] / h;
        }
    }
}

static void check_field(orff_rule rule, const field_case *c) {
    enum { D = 40 };
    orff_features *features = draw_field(rule, c, D);
    const size_t M = orff_features_describe(features).parameters;
    double *theta = calloc(M, sizeof *theta), J[9], X[5 * 4];
    check_blocks_of_field(rule, c, features, D);
    fill_normal(M, theta, 3);
    fill_normal(5 * c->d, X, 4);
    for (size_t n = 0; n < 5; n++) {
        double size = 0, divergence = 0;
        jacobian(c, features, theta, X + n * c->d, J);
        for (size_t i = 0; i < c->p * c->p; i++) size = fmax(size, fabs(J[i]));
        assert_true(size > 1e-2);
        for (size_t a = 0; a < c->p; a++) {
            divergence += J[a * c->p + a];
            for (size_t b = 0; rule == ORFF_RULE_CURL_FREE && b < a; b++)
                assert_true(fabs(J[a * c->p + b] - J[b * c->p + a]) <= 1e-6 * size);
        }
        if (rule == ORFF_RULE_DIV_FREE) assert_true(fabs(divergence) <= 1e-6 * size);
    }
    orff_features_free(features);
    free(theta);
}

static void curl_free_fields_have_no_curl(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) check_field(ORFF_RULE_CURL_FREE, &fields[i]);
}

static void div_free_fields_have_no_divergence(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) check_field(ORFF_RULE_DIV_FREE, &fields[i]);
}

/* ---- what is told */

static void description_is_right(void **state) {
    (void)state;
    orff_part parts[3] = {support_part(ORFF_RULE_DIV_FREE, ORFF_BASE_GAUSSIAN, 0, 2),
                          support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, 0.5),
                          support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 0, 2)};
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel;
    orff_features *features;
    sampling.features = 11;
    assert_ok(orff_kernel_create(&kernel, 3, 3, 3, parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    const orff_features_info info = orff_features_describe(features);
    assert_int_equal(info.inputs, 3);
    assert_int_equal(info.outputs, 3);
    assert_int_equal(info.frequencies, 11);
    assert_int_equal(info.length, 22);
    assert_int_equal(info.parameters,
                     2 * (2 * 3 + 9 * 3)); /* 2 frequencies of div-free + curl-free, 9 of identity */
    assert_int_equal(info.scheme, ORFF_SCHEME_QMC);
    assert_true(info.importance);
    assert_int_equal(info.warnings, 0);
    assert_string_equal(info.warning, "");
    assert_close(info.quadrature_error, 0, 0);
    orff_features_free(features);
    orff_kernel_free(kernel);
    orff_features_free(NULL);
}

static unsigned warnings_of(const orff_part *part, orff_scheme scheme, orff_switch importance, bool *said) {
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = make(2, 2, part);
    orff_features *features = NULL;
    sampling.features = 20;
    sampling.scheme = scheme;
    sampling.importance = importance;
    assert_ok(orff_features_create(&features, kernel, &sampling));
    const orff_features_info info = orff_features_describe(features);
    *said = strlen(info.warning) > 10;
    assert_int_equal(info.importance, importance != ORFF_SWITCH_NO && scheme != ORFF_SCHEME_GRID &&
                                          part->rule != ORFF_RULE_DECOMPOSABLE);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return info.warnings;
}

static void infinite_variance_is_told(void **state) {
    (void)state;
    bool said;
    orff_part part = support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_MATERN, 1.5, 1);
    assert_int_equal(warnings_of(&part, ORFF_SCHEME_IID, ORFF_SWITCH_NO, &said), ORFF_WARN_INFINITE_VARIANCE);
    assert_true(said);
    assert_int_equal(warnings_of(&part, ORFF_SCHEME_IID, ORFF_SWITCH_AUTO, &said), 0);
    assert_false(said);
    assert_int_equal(warnings_of(&part, ORFF_SCHEME_QMC, ORFF_SWITCH_YES, &said), 0);
    part.shape = 2.5;
    assert_int_equal(warnings_of(&part, ORFF_SCHEME_IID, ORFF_SWITCH_NO, &said), 0);
    part = support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_LAPLACE, 0, 1);
    assert_int_equal(warnings_of(&part, ORFF_SCHEME_IID, ORFF_SWITCH_NO, &said), 0);
    part = orff_part_default();
    assert_int_equal(warnings_of(&part, ORFF_SCHEME_GRID, ORFF_SWITCH_AUTO, &said), ORFF_WARN_EXTENT_GUESSED);
    assert_true(said);
}

/* By importance every block counts the same: q_j |w_j|^2 = E|w|^2 / D. */
static void importance_evens_the_blocks(void **state) {
    (void)state;
    enum { COUNT = 30 };
    const struct {
        orff_base base;
        double shape;
        orff_scheme scheme;
    } cases[] = {{ORFF_BASE_GAUSSIAN, 0, ORFF_SCHEME_IID},
                 {ORFF_BASE_GAUSSIAN, 0, ORFF_SCHEME_ORTHOGONAL},
                 {ORFF_BASE_MATERN, 1.5, ORFF_SCHEME_QMC},
                 {ORFF_BASE_RATIONAL_QUADRATIC, 0.7, ORFF_SCHEME_HALTON},
                 {ORFF_BASE_CAUCHY_PRODUCT, 0, ORFF_SCHEME_QMC}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const orff_part part = support_part(ORFF_RULE_CURL_FREE, cases[i].base, cases[i].shape, 0.6);
        orff_sampling sampling = orff_sampling_default();
        orff_kernel *kernel = make(3, 3, &part);
        orff_features *features = NULL;
        double omega[COUNT * 3], q[COUNT], moments[3];
        sampling.scheme = cases[i].scheme;
        sampling.features = COUNT;
        support_case("%s, %s", orff_base_name(cases[i].base), orff_scheme_name(cases[i].scheme));
        assert_ok(orff_features_create(&features, kernel, &sampling));
        assert_ok(orff_features_frequencies(features, omega, q));
        assert_ok(orff_part_moments(&part, 3, 3, moments));
        for (size_t j = 0; j < COUNT; j++) {
            const double *w = omega + 3 * j, n2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
            assert_close(COUNT * q[j] * n2 / moments[0], 1, 1e-12);
        }
        orff_features_free(features);
        orff_kernel_free(kernel);
    }
}

/* A fifth of them evenly, the rest by 1/scale^2; one more for each, which none goes without. */
static void shorter_scales_get_more_frequencies(void **state) {
    (void)state;
    enum { D = 100 };
    const double scales[3] = {1.0, 0.5, 0.25}, tiny[2] = {1e3, 1e-150};
    const size_t expected[3] = {11, 22,
                                67}; /* of 97: 1/15 + 0.8 (1, 4, 16)/21 each, rounded as they add up */
    double q[D];
    orff_part parts[3];
    for (size_t m = 0; m < 3; m++)
        parts[m] = support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, scales[m]);
    orff_sampling sampling = {.scheme = ORFF_SCHEME_IID, .features = D};
    orff_kernel *kernel;
    orff_features *features;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 3, parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_features_frequencies(features, NULL, q));
    for (size_t m = 0, j = 0; m < 3; m++)
        for (size_t i = 0; i < expected[m]; i++) assert_close(q[j++], 1.0 / (double)expected[m], 1e-15);
    orff_features_free(features);
    orff_kernel_free(kernel);
    for (size_t m = 0; m < 2; m++) parts[m].sigma = tiny[m]; /* squares that overflow */
    sampling.features = 12;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 2, parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_features_frequencies(features, NULL, q));
    assert_close(q[0], 0.5, 1e-15);
    assert_close(q[2], 0.1, 1e-15);
    orff_features_free(features);
    orff_kernel_free(kernel);
}

/* w_j is a function of (seed, group, j): more frequencies begin with the same ones. */
static void frequencies_are_a_function_of_seed_and_index(void **state) {
    (void)state;
    const orff_scheme schemes[] = {ORFF_SCHEME_IID, ORFF_SCHEME_ORTHOGONAL, ORFF_SCHEME_QMC,
                                   ORFF_SCHEME_HALTON, ORFF_SCHEME_HADAMARD};
    enum { INPUTS = 17, FEW = 20, MANY = 50 };
    static double few[FEW * INPUTS], many[MANY * INPUTS], other[FEW * INPUTS], weights[FEW];
    const orff_part part = orff_part_default();
    orff_kernel *kernel = make(INPUTS, 2, &part);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        orff_sampling sampling = {.scheme = schemes[i], .features = FEW, .seed = 5};
        double *const into[3] = {few, many, other};
        for (size_t k = 0; k < 3; k++) {
            orff_features *features = NULL;
            sampling.features = k == 1 ? MANY : FEW;
            sampling.seed = k == 2 ? 6 : 5;
            assert_ok(orff_features_create(&features, kernel, &sampling));
            assert_ok(orff_features_frequencies(features, into[k], k == 1 ? NULL : weights));
            orff_features_free(features);
        }
        support_case("%s", orff_scheme_name(schemes[i]));
        assert_memory_equal(few, many, sizeof few);
        assert_memory_not_equal(few, other, sizeof few);
        for (size_t j = 0; j < FEW; j++) assert_close(weights[j], 1.0 / FEW, 1e-15);
    }
    orff_kernel_free(kernel);
}

static void given_frequencies_come_back(void **state) {
    (void)state;
    double omega[6] = {1, 2, 3, 4, 5, 6}, weights[3] = {0.5, 0, 2}, got[6], q[3];
    const double kept[6] = {1, 2, 3, 4, 5, 6}, kept_q[3] = {0.5, 0, 2}, even[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    const orff_part part = orff_part_default();
    orff_features *features = make_at(2, 2, &part, 3, omega, weights);
    memset(omega, 0, sizeof omega);
    memset(weights, 0, sizeof weights);
    assert_ok(orff_features_frequencies(features, got, q));
    assert_memory_equal(got, kept, sizeof got);
    assert_memory_equal(q, kept_q, sizeof q);
    orff_features_free(features);
    features = make_at(2, 2, &part, 3, kept, NULL);
    assert_ok(orff_features_frequencies(features, NULL, q));
    assert_all_close(3, q, even, 1e-16);
    assert_ok(orff_features_frequencies(features, NULL, NULL));
    orff_features_free(features);
}

/* The same frequencies under another kernel; groups it does not use keep their place in phi. */
static void features_can_be_rebound(void **state) {
    (void)state;
    const orff_part parts[2] = {support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, 1),
                                support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, 2)};
    const orff_part curl = support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 0, 2);
    const double x[2] = {0.4, -0.3}, z[2] = {1, 0.2};
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *sum = NULL, *one = make(2, 2, &curl);
    orff_features *features = NULL, *rebound = NULL;
    double omega[20], q[10], phi[20], again[20], want[4] = {0}, K[4];
    sampling.features = 10;
    assert_ok(orff_kernel_create(&sum, 2, 2, 2, parts));
    assert_ok(orff_features_create(&features, sum, &sampling));
    assert_ok(orff_features_rebind(&rebound, features, one));
    assert_ok(orff_features_phi(features, 1, x, phi));
    orff_features_free(features); /* the frequencies live on */
    assert_int_equal(orff_features_describe(rebound).frequencies, 10);
    assert_int_equal(orff_features_describe(rebound).parameters,
                     2 * 3); /* of 10, 7 are for the shorter scale */
    assert_ok(orff_features_phi(rebound, 1, x, again));
    assert_memory_equal(phi, again, sizeof phi);
    assert_ok(orff_features_frequencies(rebound, omega, q));
    for (size_t j = 7; j < 10; j++) { /* the second group has the scale of the curl-free part */
        const double *w = omega + 2 * j, c = q[j] * cos(w[0] * (x[0] - z[0]) + w[1] * (x[1] - z[1]));
        for (size_t i = 0; i < 4; i++) want[i] += c * w[i / 2] * w[i % 2];
    }
    assert_ok(orff_features_kernel(rebound, x, z, K));
    assert_all_close(4, K, want, 1e-14);
    orff_features_free(rebound);
    orff_kernel_free(sum);
    orff_kernel_free(one);
}

static void refuse_rebinding(const orff_features *features, size_t d, size_t p, const orff_part *part,
                             orff_status status, const char *word) {
    orff_kernel *kernel = make(d, p, part);
    orff_features *rebound = NULL;
    assert_status(orff_features_rebind(&rebound, features, kernel), status);
    assert_says(word);
    assert_null(rebound);
    orff_kernel_free(kernel);
}

static void wrong_rebinding_is_refused(void **state) {
    (void)state;
    const size_t space[2] = {2, 0}, other[2] = {1, 2};
    orff_part part = support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 0, 1), fits;
    orff_sampling sampling = orff_sampling_default();
    orff_features *features = NULL, *rebound = NULL;
    sampling.features = 10;
    part.space = space;
    orff_kernel *kernel = make(3, 2, &part);
    assert_ok(orff_features_create(&features, kernel, &sampling));
    fits = part;
    fits.rule = ORFF_RULE_DIV_FREE;
    orff_kernel *div = make(3, 2, &fits);
    assert_ok(orff_features_rebind(&rebound, features, div));
    part.space = other;
    refuse_rebinding(features, 3, 2, &part, ORFF_ERROR_UNSUPPORTED, "other inputs");
    part.space = space;
    part.sigma = 2;
    refuse_rebinding(features, 3, 2, &part, ORFF_ERROR_UNSUPPORTED, "length scale");
    part = orff_part_default();
    refuse_rebinding(features, 3, 2, &part, ORFF_ERROR_UNSUPPORTED, "importance");
    refuse_rebinding(features, 2, 2, &part, ORFF_ERROR_MISMATCH, "3 inputs");
    assert_status(orff_features_rebind(NULL, features, kernel), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_rebind(&rebound, NULL, kernel), ORFF_ERROR_INVALID_ARGUMENT);
    orff_features_free(rebound);
    orff_features_free(features);
    orff_kernel_free(kernel);
    orff_kernel_free(div);
}

/* ---- refusals */

static int fails_far_out_at(void *self, const double *at, double *matrix) {
    (void)self;
    for (size_t i = 0; i < 4; i++) matrix[i] = i % 3 == 0;
    return fabs(at[0]) > 0.5 ? 42 : 0;
}
SUPPORT_MANY(fails_far_out, 2, 4)

static int indefinite_at(void *self, const double *at, double *matrix) {
    const double A[4] = {1, 2, 2, 1};
    (void)self, (void)at;
    memcpy(matrix, A, sizeof A);
    return 0;
}
SUPPORT_MANY(indefinite, 2, 4)

static int infinite_at(void *self, const double *at, double *matrix) {
    (void)self, (void)at;
    for (size_t i = 0; i < 4; i++) matrix[i] = (double)INFINITY;
    return 0;
}
SUPPORT_MANY(infinite, 2, 4)

static void refuse(size_t d, size_t p, const orff_part *part, const orff_sampling *sampling,
                   orff_status status, const char *word) {
    orff_features *const untouched = (orff_features *)(uintptr_t)64;
    orff_features *features = untouched;
    orff_kernel *kernel = make(d, p, part);
    support_case("%s", word);
    assert_status(orff_features_create(&features, kernel, sampling), status);
    assert_says(word);
    assert_ptr_equal(features, untouched);
    support_case(NULL);
    orff_kernel_free(kernel);
}

static orff_sampling sampling_of(orff_scheme scheme, size_t D) {
    orff_sampling sampling = orff_sampling_default();
    sampling.scheme = scheme;
    sampling.features = D;
    return sampling;
}

static void samplings_that_do_not_exist_are_refused(void **state) {
    (void)state;
    const orff_part gaussian = orff_part_default(),
                    laplace = support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_LAPLACE, 0, 1);
    const orff_part sharp = support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_RATIONAL_QUADRATIC, 0.5, 1);
    orff_sampling sampling = sampling_of(ORFF_SCHEME_HADAMARD, 8);
    refuse(15, 1, &gaussian, &sampling, ORFF_ERROR_UNSUPPORTED, "at least 16 inputs");
    refuse(17, 1, &laplace, &sampling, ORFF_ERROR_UNSUPPORTED, "spherical");
    sampling.scheme = ORFF_SCHEME_ORTHOGONAL;
    refuse(3, 1, &laplace, &sampling, ORFF_ERROR_UNSUPPORTED, "laplace");
    sampling.scheme = ORFF_SCHEME_GRID;
    refuse(4, 1, &gaussian, &sampling, ORFF_ERROR_UNSUPPORTED, "at most 3 inputs");
    refuse(3, 1, &sharp, &sampling, ORFF_ERROR_UNSUPPORTED, "infinite at 0");
    sampling.tolerance = 1e-9;
    refuse(3, 1, &gaussian, &sampling, ORFF_ERROR_UNSUPPORTED, "frequencies");
    sampling = sampling_of(ORFF_SCHEME_IID, 8);
    sampling.importance = ORFF_SWITCH_YES;
    refuse(3, 1, &gaussian, &sampling, ORFF_ERROR_UNSUPPORTED, "unbounded");
}

static void wrong_samplings_are_refused(void **state) {
    (void)state;
    const double extent[2] = {1, -1};
    const orff_part part = orff_part_default();
    orff_sampling sampling = sampling_of(ORFF_SCHEME_IID, 0);
    refuse(2, 2, &part, &sampling, ORFF_ERROR_INVALID_ARGUMENT, "0 frequencies");
    sampling = sampling_of(ORFF_SCHEME_COUNT, 8);
    refuse(2, 2, &part, &sampling, ORFF_ERROR_INVALID_ARGUMENT, "scheme");
    sampling = sampling_of(ORFF_SCHEME_GRID, 8);
    sampling.tolerance = -1;
    refuse(2, 2, &part, &sampling, ORFF_ERROR_INVALID_ARGUMENT, "tolerance is -1");
    sampling.tolerance = (double)NAN;
    refuse(2, 2, &part, &sampling, ORFF_ERROR_INVALID_ARGUMENT, "tolerance");
    sampling.tolerance = 0;
    sampling.extent = extent;
    refuse(2, 2, &part, &sampling, ORFF_ERROR_INVALID_ARGUMENT, "extent of input 2");
    orff_kernel *kernel = make(2, 2, &part);
    orff_features *features = NULL;
    assert_status(orff_features_create(&features, kernel, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_create(&features, NULL, &sampling), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_create(NULL, kernel, &sampling), ORFF_ERROR_INVALID_ARGUMENT);
    orff_kernel_free(kernel);
}

static void failing_callbacks_are_reported(void **state) {
    (void)state;
    const orff_sampling sampling = sampling_of(ORFF_SCHEME_IID, 30);
    orff_part part = support_part(ORFF_RULE_CUSTOM_A, ORFF_BASE_GAUSSIAN, 0, 1);
    part.matrix = fails_far_out;
    refuse(2, 2, &part, &sampling, ORFF_ERROR_CALLBACK, "A(w) returned 42 at one of 30 points, the first (");
    part.matrix = indefinite;
    refuse(2, 2, &part, &sampling, ORFF_ERROR_NOT_POSITIVE, "eigenvalue");
    part.matrix = infinite;
    refuse(2, 2, &part, &sampling, ORFF_ERROR_NOT_FINITE, "A(w)");
    part.rule = ORFF_RULE_CUSTOM_B;
    part.columns = 2;
    refuse(2, 2, &part, &sampling, ORFF_ERROR_NOT_FINITE, "B(w)");
    part.matrix = fails_far_out;
    refuse(2, 2, &part, &sampling, ORFF_ERROR_CALLBACK, "B(w) returned 42");
}

static void wrong_given_frequencies_are_refused(void **state) {
    (void)state;
    const double omega[4] = {1, 2, 3, 4}, broken[4] = {1, 2, (double)NAN, 4}, weights[2] = {1, -1};
    const orff_part parts[2] = {support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, 1),
                                support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, 2)};
    orff_kernel *kernel = make(2, 2, parts), *two;
    orff_features *features = NULL;
    assert_status(orff_features_create_at(&features, kernel, 0, omega, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("at least one frequency");
    assert_status(orff_features_create_at(&features, kernel, 2, broken, NULL), ORFF_ERROR_NOT_FINITE);
    assert_says("omega is nan in row 2, column 1");
    assert_status(orff_features_create_at(&features, kernel, 2, omega, weights), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("weight 2 is -1");
    assert_ok(orff_kernel_create(&two, 2, 2, 2, parts));
    assert_status(orff_features_create_at(&features, two, 2, omega, NULL), ORFF_ERROR_UNSUPPORTED);
    assert_says("one law");
    assert_null(features);
    orff_kernel_free(kernel);
    orff_kernel_free(two);
}

/* Data that are not numbers are refused with their place, and nothing is written. */
static void wrong_data_are_refused(void **state) {
    (void)state;
    const double omega[4] = {1, 2, 3, 4}, X[6] = {0, 1, 2, 3, 4, 5}, bad[6] = {0, 1, 2, (double)NAN, 4, 5};
    const float bad_single[6] = {0, 1, 2, 3, (float)-INFINITY, 5}, X_single[6] = {0};
    double theta[8] = {1}, bad_theta[8] = {0, 0, 0, (double)INFINITY}, F[12], kept[12], K[4] = {0};
    float F_single[12];
    const orff_part part = orff_part_default();
    orff_features *f = make_at(2, 2, &part, 2, omega, NULL);
    for (size_t i = 0; i < 12; i++) F[i] = kept[i] = (double)i;
    assert_status(orff_features_apply(f, 3, bad, theta, F), ORFF_ERROR_NOT_FINITE);
    assert_says("X is nan in row 2, column 2");
    assert_status(orff_features_apply(f, 3, X, bad_theta, F), ORFF_ERROR_NOT_FINITE);
    assert_says("theta is inf");
    assert_says("column 4");
    assert_status(orff_features_adjoint(f, 3, X, bad, F), ORFF_ERROR_NOT_FINITE);
    assert_says("Y is nan in row 2, column 2");
    assert_status(orff_features_adjoint(f, 3, bad, X, F), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_features_normal(f, 3, bad, theta, F), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_features_normal(f, 3, X, bad_theta, F), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_features_phi(f, 3, bad, F), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_features_map(f, bad + 2, F), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_features_kernel(f, X, bad + 2, K), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_features_apply_single(f, 3, bad_single, theta, F_single), ORFF_ERROR_NOT_FINITE);
    assert_says("X is -inf in row 3, column 1");
    assert_status(orff_features_adjoint_single(f, 3, X_single, bad_single, F), ORFF_ERROR_NOT_FINITE);
    assert_says("Y is -inf in row 3, column 1");
    assert_status(orff_features_normal_single(f, 3, bad_single, theta, F), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_features_phi_single(f, 3, bad_single, F_single), ORFF_ERROR_NOT_FINITE);
    assert_memory_equal(F, kept, sizeof F);
    orff_features_free(f);
}

static void missing_arguments_are_refused(void **state) {
    (void)state;
    const double omega[2] = {1, 2}, X[2] = {0};
    double out[4];
    size_t columns = 77;
    const orff_part part = orff_part_default();
    orff_features *f = make_at(2, 2, &part, 1, omega, NULL);
    assert_status(orff_features_apply(f, 1, X, NULL, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_apply(NULL, 1, X, X, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_adjoint(f, 1, X, NULL, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_normal(f, 1, X, X, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_phi(NULL, 1, X, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_map(f, NULL, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_kernel(f, X, NULL, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_frequencies(NULL, out, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_features_block(f, 1, &columns, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("no frequency 1 among 1");
    assert_status(orff_features_block(f, 0, NULL, out), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(columns, 77);
    orff_features_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_golden),
        cmocka_unit_test(features_are_golden),
        cmocka_unit_test(phi_is_accurate_to_four_ulps),
        cmocka_unit_test(phi_has_no_more_than_the_error_of_its_argument),
        cmocka_unit_test(curl_free_fields_have_no_curl),
        cmocka_unit_test(div_free_fields_have_no_divergence),
        cmocka_unit_test(description_is_right),
        cmocka_unit_test(infinite_variance_is_told),
        cmocka_unit_test(importance_evens_the_blocks),
        cmocka_unit_test(shorter_scales_get_more_frequencies),
        cmocka_unit_test(frequencies_are_a_function_of_seed_and_index),
        cmocka_unit_test(given_frequencies_come_back),
        cmocka_unit_test(features_can_be_rebound),
        cmocka_unit_test(wrong_rebinding_is_refused),
        cmocka_unit_test(samplings_that_do_not_exist_are_refused),
        cmocka_unit_test(wrong_samplings_are_refused),
        cmocka_unit_test(failing_callbacks_are_reported),
        cmocka_unit_test(wrong_given_frequencies_are_refused),
        cmocka_unit_test(wrong_data_are_refused),
        cmocka_unit_test(missing_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
