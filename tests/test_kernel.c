/* Exact kernels: golden numbers, finite differences of k0, sums, refusals; output matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "support.h"

static orff_kernel *make(size_t d, size_t p, size_t n_parts, const orff_part *parts) {
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, d, p, n_parts, parts));
    return kernel;
}

/* ---- golden numbers */

static orff_part golden_part(const json_t *entry) {
    const char *kind = support_string(entry, "kind"), *base = support_string(entry, "base");
    const json_t *params = support_member(entry, "params");
    orff_part part = orff_part_default();
    if (!strcmp(kind, "curl")) part.rule = ORFF_RULE_CURL_FREE;
    if (!strcmp(kind, "div")) part.rule = ORFF_RULE_DIV_FREE;
    if (!strcmp(kind, "helmholtz")) {
        part.rule = ORFF_RULE_HELMHOLTZ;
        part.mix = support_number(entry, "c");
    }
    if (!strcmp(base, "gaussian")) {
        part.sigma = support_number(params, "sigma");
    } else {
        const bool matern = !strcmp(base, "matern");
        part.base = matern ? ORFF_BASE_MATERN : ORFF_BASE_RATIONAL_QUADRATIC;
        part.shape = support_number(params, matern ? "nu" : "alpha");
        part.sigma = support_number(params, "ell");
    }
    return part;
}

static void operator_kernels_are_golden(void **state) {
    (void)state;
    json_t *all = support_load("golden/operator_kernels.json");
    assert_int_equal(json_array_size(all), 147);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *entry = json_array_get(all, i);
        orff_part part = golden_part(entry);
        size_t d, p, cols;
        double *delta = support_array(support_member(entry, "delta"), &d), *zero = calloc(d, sizeof *zero);
        double *want = support_matrix(support_member(entry, "K"), &p, &cols), *A = NULL, got[25];
        if (part.rule == ORFF_RULE_DECOMPOSABLE) A = support_matrix(support_member(entry, "A"), &p, &cols);
        part.A = A;
        support_case("%s, entry %zu", support_string(entry, "kind"), i);
        orff_kernel *kernel = make(d, p, 1, &part);
        assert_ok(orff_kernel_eval(kernel, delta, zero, got));
        assert_all_close(p * p, got, want, 1e-12);
        orff_kernel_free(kernel);
        free(delta);
        free(zero);
        free(want);
        free(A);
    }
    json_decref(all);
}

/* ---- finite differences */

/* k0 of the field's space and k0 of the covariates, each from its own scalar kernel. */
typedef struct factors {
    size_t m;           /* inputs of the space */
    orff_kernel *space; /* on R^m, in the order of the outputs */
    orff_kernel *rest;  /* on R^1, or NULL */
    double time;        /* the covariate */
} factors;

static double k0_at(const factors *k, const double *v) {
    const double zero[4] = {0};
    double space, rest = 1.0;
    assert_ok(orff_kernel_eval(k->space, v, zero, &space));
    if (k->rest) assert_ok(orff_kernel_eval(k->rest, &k->time, zero, &rest));
    return space * rest;
}

/* d_a d_b k0 by differences of order 4: the first difference in a of the first difference in b. */
static double second_difference(const factors *k, const double *v, size_t a, size_t b) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double h = 4e-3;
    double sum = 0.0;
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            double moved[4];
            memcpy(moved, v, k->m * sizeof *v);
            moved[a] += h * at[i];
            moved[b] += h * at[j];
            sum += weight[i] * weight[j] * k0_at(k, moved);
        }
    }
    return sum / (h * h);
}

/* From C = -grad grad^T k0 the kernel of each rule: C, tr(C) I - C, c C + (1-c)(tr(C) I - C). */
static void rule_from_curl(orff_rule rule, double c, size_t p, const double *C, double *K) {
    const double share = rule == ORFF_RULE_CURL_FREE ? 1.0 : rule == ORFF_RULE_DIV_FREE ? 0.0 : c;
    double trace = 0.0;
    for (size_t i = 0; i < p; i++) trace += C[i * p + i];
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            K[i * p + j] = share * C[i * p + j] + (1.0 - share) * ((i == j ? trace : 0.0) - C[i * p + j]);
}

/* One base in d inputs, of which `space` (p of them) carry the field. */
static void check_derivatives(orff_base base, double shape, size_t d, size_t p, const size_t *space,
                              const double *scales) {
    const double delta[4] = {0.31, -0.47, 0.83, 0.22}, zero[4] = {0};
    const orff_rule rules[] = {ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE, ORFF_RULE_HELMHOLTZ};
    double v[4], space_scales[4], C[16], want[16], got[16];
    factors k = {.m = p};
    for (size_t i = 0; i < p; i++) {
        v[i] = delta[space ? space[i] : i];
        space_scales[i] = scales[space ? space[i] : i];
    }
    orff_part scalar = support_part(ORFF_RULE_DECOMPOSABLE, base, shape, 1.0);
    scalar.sigmas = space_scales;
    k.space = make(p, 1, 1, &scalar);
    if (space) { /* d = p + 1: the input that is left */
        size_t rest = d * (d - 1) / 2;
        for (size_t i = 0; i < p; i++) rest -= space[i];
        scalar.sigmas = &scales[rest];
        k.rest = make(1, 1, 1, &scalar);
        k.time = delta[rest];
    }
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++) C[a * p + b] = -second_difference(&k, v, a, b);
    for (size_t r = 0; r < 3; r++) {
        orff_part part = support_part(rules[r], base, shape, 1.0);
        part.mix = 0.3;
        part.sigmas = scales;
        part.space = space;
        support_case("%s %s %g, d=%zu p=%zu", orff_rule_name(rules[r]), orff_base_name(base), shape, d, p);
        orff_kernel *kernel = make(d, p, 1, &part);
        assert_ok(orff_kernel_eval(kernel, delta, zero, got));
        rule_from_curl(rules[r], part.mix, p, C, want);
        assert_all_close(p * p, got, want, 2e-7);
        orff_kernel_free(kernel);
    }
    orff_kernel_free(k.space);
    orff_kernel_free(k.rest);
}

static const struct {
    orff_base base;
    double shape;
} smooth[] = {
    {ORFF_BASE_GAUSSIAN, 0},
    {ORFF_BASE_MATERN, 1.5},
    {ORFF_BASE_MATERN, 2.5},
    {ORFF_BASE_MATERN, 3.5},
    {ORFF_BASE_MATERN, 1.7},
    {ORFF_BASE_MATERN, 2.2},
    {ORFF_BASE_MATERN, 4.3},
    {ORFF_BASE_MATERN, 2.0},
    {ORFF_BASE_RATIONAL_QUADRATIC, 0.4},
    {ORFF_BASE_RATIONAL_QUADRATIC, 1.0},
    {ORFF_BASE_RATIONAL_QUADRATIC, 3.0},
    {ORFF_BASE_CAUCHY_PRODUCT, 0},
};
enum { SMOOTH = sizeof smooth / sizeof *smooth };

static void kernels_are_derivatives_of_k0(void **state) {
    (void)state;
    const double equal[4] = {0.9, 0.9, 0.9, 0.9}, unequal[4] = {0.7, 1.3, 0.8, 2.1};
    const size_t last_first[2] = {2, 0}, three[3] = {3, 0, 2};
    for (size_t i = 0; i < SMOOTH; i++) {
        check_derivatives(smooth[i].base, smooth[i].shape, 2, 2, NULL, equal);
        check_derivatives(smooth[i].base, smooth[i].shape, 3, 3, NULL, unequal);
        check_derivatives(smooth[i].base, smooth[i].shape, 4, 4, NULL, unequal);
        check_derivatives(smooth[i].base, smooth[i].shape, 3, 2, last_first, unequal);
        check_derivatives(smooth[i].base, smooth[i].shape, 4, 3, three, unequal);
    }
}

/* At 0 and near it: K_curl(0) = diag(E w_i^2), and the kernel is continuous there. */
static void kernels_at_zero(void **state) {
    (void)state;
    const double scales[2] = {0.7, 1.3}, zero[2] = {0}, near[2] = {1e-9, -1e-9};
    for (size_t i = 0; i < SMOOTH; i++) {
        orff_part part = support_part(ORFF_RULE_CURL_FREE, smooth[i].base, smooth[i].shape, 1.0);
        double unit[3], K[4], close[4];
        assert_ok(orff_part_moments(&part, 2, 2, unit));
        part.sigmas = scales;
        support_case("%s %g", orff_base_name(smooth[i].base), smooth[i].shape);
        orff_kernel *kernel = make(2, 2, 1, &part);
        assert_ok(orff_kernel_eval(kernel, zero, zero, K));
        const double want[4] = {0.5 * unit[0] / 0.49, 0, 0, 0.5 * unit[0] / 1.69};
        assert_all_close(4, K, want, 1e-13);
        assert_ok(orff_kernel_eval(kernel, near, zero, close));
        assert_all_close(4, close, want, 1e-6);
        orff_kernel_free(kernel);
    }
}

/* A field in one dimension: curl-free is -k0''. */
static void curl_free_on_the_line(void **state) {
    (void)state;
    const double x = 0.8, z = 0.1, v = 0.7 / 0.6;
    const orff_part part = support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 0, 0.6);
    orff_kernel *kernel = make(1, 1, 1, &part);
    double K;
    assert_ok(orff_kernel_eval(kernel, &x, &z, &K));
    assert_close(K, exp(-0.5 * v * v) * (1 - v * v) / 0.36, 1e-14);
    orff_kernel_free(kernel);
}

/* ---- properties of exact Gram matrices */

/* n points of R^d, n p values. */
enum { POINTS = 9 };

static void check_gram(const orff_kernel *kernel) {
    const size_t d = orff_kernel_inputs(kernel), p = orff_kernel_outputs(kernel), side = POINTS * p;
    const orffi_rng rng = {7, 1};
    double X[POINTS * 4], moved[POINTS * 4], K[16], *G = calloc(side * side, sizeof *G),
                                                    *H = calloc(side * side, sizeof *H),
                                                    *values = calloc(side, sizeof *values);
    for (size_t i = 0; i < POINTS * d; i++) {
        X[i] = orffi_rng_normal(rng, i, 0);
        moved[i] = X[i] + 0.25 * (double)(i % d + 1);
    }
    assert_ok(orff_kernel_gram(kernel, POINTS, X, POINTS, X, G));
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < i; j++) assert_close(G[i * side + j], G[j * side + i], 1e-13);
    assert_ok(orff_kernel_gram(kernel, POINTS, moved, POINTS, moved, H));
    assert_all_close(side * side, H, G, 1e-12);
    assert_ok(orff_kernel_eval(kernel, X + 2 * d, X + 5 * d, K));
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++) assert_close(G[(2 * p + a) * side + 5 * p + b], K[a * p + b], 1e-15);
    assert_ok(orffi_eigen(side, G, values));
    assert_true(values[0] >= -1e-10 * values[side - 1]);
    free(G);
    free(H);
    free(values);
}

static void grams_are_symmetric_positive_and_shift_invariant(void **state) {
    (void)state;
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE,
                               ORFF_RULE_HELMHOLTZ};
    const double A[9] = {2, 0.5, -0.3, 0.5, 1, 0.2, -0.3, 0.2, 0.7}, scales[4] = {0.7, 1.3, 0.8, 2.1};
    const size_t space[3] = {3, 0, 2};
    for (size_t i = 0; i < SMOOTH; i++) {
        for (size_t r = 0; r < 4; r++) {
            orff_part part = support_part(rules[r], smooth[i].base, smooth[i].shape, 1.0);
            part.sigmas = scales;
            if (rules[r] == ORFF_RULE_DECOMPOSABLE)
                part.A = A;
            else
                part.space = space;
            support_case("%s %s %g", orff_rule_name(rules[r]), orff_base_name(smooth[i].base),
                         smooth[i].shape);
            orff_kernel *kernel = make(4, 3, 1, &part);
            check_gram(kernel);
            orff_kernel_free(kernel);
        }
    }
    const orff_part rough[] = {support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_LAPLACE, 0, 0.8),
                               support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 0.5, 0.8)};
    for (size_t i = 0; i < 2; i++) {
        orff_kernel *kernel = make(4, 2, 1, &rough[i]);
        check_gram(kernel);
        orff_kernel_free(kernel);
    }
}

static void gram_may_be_rectangular_and_empty(void **state) {
    (void)state;
    const double X[4] = {0, 1, 2, 3}, Z[6] = {0.5, 0.5, 1.5, -1, 2, 2};
    const orff_part part = support_part(ORFF_RULE_DIV_FREE, ORFF_BASE_GAUSSIAN, 0, 1.2);
    orff_kernel *kernel = make(2, 2, 1, &part);
    double G[4 * 6], K[4];
    assert_ok(orff_kernel_gram(kernel, 2, X, 3, Z, G));
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 3; j++) {
            assert_ok(orff_kernel_eval(kernel, X + 2 * i, Z + 2 * j, K));
            for (size_t a = 0; a < 2; a++)
                assert_memory_equal(&G[(2 * i + a) * 6 + 2 * j], K + 2 * a, 2 * sizeof *K);
        }
    }
    assert_ok(orff_kernel_gram(kernel, 0, X, 3, Z, G));
    assert_ok(orff_kernel_gram(kernel, 2, X, 0, Z, G));
    orff_kernel_free(kernel);
}

/* ---- sums */

/* (1, 2; 3, 4) times the number that self points at. */
static int numbers_at(void *self, const double *at, double *matrix) {
    (void)at;
    const double scale = *(const double *)self;
    for (size_t i = 0; i < 4; i++) matrix[i] = scale * (double)(i + 1);
    return 0;
}
SUPPORT_MANY(numbers, 2, 4)

/* K of a sum is the sum of the weighted K. */
static void sums_add(void **state) {
    (void)state;
    const double A[4] = {2, 1, 1, 3}, B[4] = {1, 0, -0.5, 2}, x[2] = {0.3, -0.2}, z[2] = {-0.6, 0.5};
    double three = 3.0;
    orff_part parts[6] = {support_part(ORFF_RULE_DIV_FREE, ORFF_BASE_GAUSSIAN, 0, 2.0),
                          support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_LAPLACE, 0, 0.5),
                          support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_MATERN, 2.2, 0.9),
                          support_part(ORFF_RULE_HELMHOLTZ, ORFF_BASE_GAUSSIAN, 0, 2.0),
                          support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, 1.0),
                          support_part(ORFF_RULE_CUSTOM_B, ORFF_BASE_GAUSSIAN, 0, 1.0)};
    parts[1].A = A;
    parts[4].B = B;
    parts[4].columns = 2;
    parts[5].columns = 2;
    parts[5].matrix = parts[5].exact = numbers;
    parts[5].self = &three;
    double want[4] = {0}, got[4], K[4];
    for (size_t m = 0; m < 6; m++) {
        orff_kernel *alone = make(2, 2, 1, &parts[m]);
        assert_ok(orff_kernel_eval(alone, x, z, K));
        parts[m].weight = 0.25 * (double)m; /* the first is switched off */
        for (size_t i = 0; i < 4; i++) want[i] += parts[m].weight * K[i];
        orff_kernel_free(alone);
    }
    orff_kernel *sum = make(2, 2, 6, parts);
    assert_ok(orff_kernel_eval(sum, x, z, got));
    assert_all_close(4, got, want, 1e-14);
    assert_int_equal(orff_kernel_groups(sum), 4); /* gaussian 2 and gaussian 1 serve two parts each */
    orff_kernel_free(sum);
}

static size_t groups_of(size_t d, size_t p, const orff_part *a, const orff_part *b) {
    const orff_part parts[2] = {*a, *b};
    orff_kernel *kernel = make(d, p, 2, parts);
    const size_t groups = orff_kernel_groups(kernel);
    orff_kernel_free(kernel);
    return groups;
}

static void groups_share_one_law(void **state) {
    (void)state;
    const double same[3] = {2, 2, 2}, other[3] = {2, 2, 3};
    const size_t space[2] = {2, 0};
    orff_part a = support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, 2.0),
              b = support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 5, 2.0);
    assert_int_equal(groups_of(3, 3, &a, &b), 1);
    a.sigmas = same;
    assert_int_equal(groups_of(3, 3, &a, &b), 1);
    a.sigmas = other;
    assert_int_equal(groups_of(3, 3, &a, &b), 2);
    a.sigmas = NULL;
    b.base = ORFF_BASE_MATERN;
    assert_int_equal(groups_of(3, 3, &a, &b), 2);
    a.base = ORFF_BASE_MATERN;
    a.shape = 5;
    assert_int_equal(groups_of(3, 3, &a, &b), 1);
    b.space = space; /* a Matern law with a split is another law */
    assert_int_equal(groups_of(3, 2, &a, &b), 2);
    a.base = b.base = ORFF_BASE_GAUSSIAN; /* a Gaussian law is not */
    assert_int_equal(groups_of(3, 2, &a, &b), 1);
}

static double trace_at_zero(size_t d, size_t p, const orff_part *part) {
    const double zero[4] = {0};
    double K[16], trace = 0;
    orff_kernel *kernel = make(d, p, 1, part);
    assert_ok(orff_kernel_eval(kernel, zero, zero, K));
    for (size_t i = 0; i < p; i++) trace += K[i * p + i];
    orff_kernel_free(kernel);
    return trace;
}

static void normalised_parts_have_trace_p(void **state) {
    (void)state;
    const double A[9] = {2, 0.5, 0, 0.5, 5, 0, 0, 0, 0}, scales[3] = {0.3, 2, 5};
    double three = 3.0;
    for (orff_rule rule = ORFF_RULE_DECOMPOSABLE; rule <= ORFF_RULE_HELMHOLTZ; rule++) {
        orff_part part = support_part(rule, ORFF_BASE_MATERN, 1.7, 0.2);
        part.normalise = true;
        if (rule == ORFF_RULE_DECOMPOSABLE) part.A = A;
        assert_close(trace_at_zero(3, 3, &part), 3, 1e-14);
        part.sigmas = scales;
        part.weight = 0.7;
        assert_close(trace_at_zero(3, 3, &part), 2.1, 1e-14);
    }
    orff_part custom = support_part(ORFF_RULE_CUSTOM_B, ORFF_BASE_GAUSSIAN, 0, 1);
    custom.columns = 2;
    custom.matrix = custom.exact = numbers;
    custom.self = &three;
    custom.normalise = true;
    assert_close(trace_at_zero(2, 2, &custom), 2, 1e-14);
    orff_part isotropic = support_part(ORFF_RULE_DIV_FREE, ORFF_BASE_GAUSSIAN, 0, 0.2);
    isotropic.normalise = true;
    orff_kernel *kernel = make(3, 3, 1, &isotropic);
    const double zero[3] = {0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double K[9];
    assert_ok(orff_kernel_eval(kernel, zero, zero, K));
    assert_all_close(9, K, identity, 1e-14);
    orff_kernel_free(kernel);
}

/* What the caller gave may be overwritten afterwards. */
static void parts_are_copied(void **state) {
    (void)state;
    double A[4] = {2, 1, 1, 3}, scales[3] = {1, 2, 3}, before[4], after[4];
    const double x[3] = {0.1, 0.2, 0.3}, z[3] = {1, -1, 0.4};
    size_t space[2] = {2, 0};
    orff_part parts[2] = {support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 0, 1),
                          support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 0, 1)};
    parts[0].A = A;
    parts[1].sigmas = scales;
    parts[1].space = space;
    orff_kernel *kernel = make(3, 2, 2, parts);
    assert_ok(orff_kernel_eval(kernel, x, z, before));
    memset(A, 0, sizeof A);
    memset(scales, 0, sizeof scales);
    memset(space, 0, sizeof space);
    memset(parts, 0, sizeof parts);
    assert_ok(orff_kernel_eval(kernel, x, z, after));
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(orff_kernel_inputs(kernel), 3);
    assert_int_equal(orff_kernel_outputs(kernel), 2);
    orff_kernel_free(kernel);
}

/* ---- refusals */

static int always_7_at(void *self, const double *at, double *matrix) {
    (void)self, (void)at, (void)matrix;
    return 7;
}
SUPPORT_MANY(always_7, 2, 4)

static int not_a_number_at(void *self, const double *at, double *matrix) {
    (void)self, (void)at;
    for (size_t i = 0; i < 4; i++) matrix[i] = (double)NAN;
    return 0;
}
SUPPORT_MANY(not_a_number, 2, 4)

static void refuse(size_t d, size_t p, const orff_part *part, orff_status status, const char *word) {
    orff_kernel *const untouched = (orff_kernel *)(uintptr_t)64;
    orff_kernel *kernel = untouched;
    support_case("%s", word);
    assert_status(orff_kernel_create(&kernel, d, p, 1, part), status);
    assert_says(word);
    assert_ptr_equal(kernel, untouched);
    support_case(NULL);
}

static void kernels_that_do_not_exist_are_refused(void **state) {
    (void)state;
    orff_part part = support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_LAPLACE, 0, 1);
    refuse(2, 2, &part, ORFF_ERROR_DOES_NOT_EXIST, "laplace");
    refuse(2, 2, &part, ORFF_ERROR_DOES_NOT_EXIST, "differentiable");
    assert_ok(orff_base_parse("matern12", &part.base, &part.shape));
    refuse(2, 2, &part, ORFF_ERROR_DOES_NOT_EXIST, "nu > 1");
    part.shape = 1.0;
    part.rule = ORFF_RULE_DIV_FREE;
    refuse(2, 2, &part, ORFF_ERROR_DOES_NOT_EXIST, "div-free");
    part.rule = ORFF_RULE_HELMHOLTZ;
    refuse(2, 2, &part, ORFF_ERROR_DOES_NOT_EXIST, "helmholtz");
    part = support_part(ORFF_RULE_DIV_FREE, ORFF_BASE_GAUSSIAN, 0, 1);
    refuse(1, 1, &part, ORFF_ERROR_DOES_NOT_EXIST, "p >= 2");
    part.rule = ORFF_RULE_HELMHOLTZ;
    refuse(1, 1, &part, ORFF_ERROR_DOES_NOT_EXIST, "p >= 2");
}

static void wrong_settings_are_refused(void **state) {
    (void)state;
    const double scales[3] = {1, 0, 1};
    const size_t space[3] = {0, 1, 1};
    orff_part part = support_part(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 0, 1);
    refuse(3, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "3 inputs and 2 outputs");
    refuse(2, 3, &part, ORFF_ERROR_INVALID_ARGUMENT, "2 inputs and 3 outputs");
    part.space = space;
    refuse(2, 3, &part, ORFF_ERROR_INVALID_ARGUMENT, "space");
    refuse(3, 3, &part, ORFF_ERROR_INVALID_ARGUMENT, "twice");
    part.rule = ORFF_RULE_DECOMPOSABLE;
    refuse(3, 3, &part, ORFF_ERROR_INVALID_ARGUMENT, "decomposable");
    part.space = NULL;
    part.sigma = 0;
    refuse(3, 3, &part, ORFF_ERROR_INVALID_ARGUMENT, "length scale 1 is 0");
    part.sigma = (double)NAN;
    refuse(3, 3, &part, ORFF_ERROR_INVALID_ARGUMENT, "nan");
    part.sigmas = scales;
    refuse(3, 3, &part, ORFF_ERROR_INVALID_ARGUMENT, "length scale 2");
    part = orff_part_default();
    part.weight = -0.5;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "-0.5");
    part.weight = (double)NAN;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "weight");
    part.weight = (double)INFINITY;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "weight");
    part = support_part(ORFF_RULE_HELMHOLTZ, ORFF_BASE_GAUSSIAN, 0, 1);
    part.mix = 1.5;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "1.5");
    part.rule = ORFF_RULE_COUNT;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "rule");
    part = orff_part_default();
    refuse(0, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "d=0");
    refuse(2, 0, &part, ORFF_ERROR_INVALID_ARGUMENT, "p=0");
    orff_kernel *kernel = NULL;
    assert_status(orff_kernel_create(&kernel, 2, 2, 0, &part), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_kernel_create(&kernel, 2, 2, 1, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_kernel_create(NULL, 2, 2, 1, &part), ORFF_ERROR_INVALID_ARGUMENT);
    orff_kernel_free(NULL);
}

static void wrong_output_matrices_are_refused(void **state) {
    (void)state;
    const double crooked[4] = {1, 0.5, 0.4, 1}, negative[4] = {1, 2, 2, 1}, zero[4] = {0};
    const double broken[4] = {1, 0, 0, (double)NAN}, good[4] = {1, 0, 0, 1};
    orff_part part = orff_part_default();
    part.A = crooked;
    refuse(2, 2, &part, ORFF_ERROR_NOT_POSITIVE, "symmetric");
    part.A = negative;
    refuse(2, 2, &part, ORFF_ERROR_NOT_POSITIVE, "eigenvalue");
    part.A = zero;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "zero");
    part.A = broken;
    refuse(2, 2, &part, ORFF_ERROR_NOT_FINITE, "row 2, column 2");
    part.A = part.B = good;
    part.columns = 2;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "not both");
    part.A = NULL;
    part.columns = 0;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "columns");
    part.columns = 2;
    part.B = zero;
    part.normalise = true;
    refuse(2, 2, &part, ORFF_ERROR_NOT_POSITIVE, "trace");
}

static void wrong_callbacks_are_refused(void **state) {
    (void)state;
    const double x[2] = {0.25, -4}, z[2] = {0, 0};
    double K[4] = {5, 6, 7, 8};
    const double untouched[4] = {5, 6, 7, 8};
    orff_part part = support_part(ORFF_RULE_CUSTOM_A, ORFF_BASE_GAUSSIAN, 0, 1);
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "A(w)");
    part.rule = ORFF_RULE_CUSTOM_B;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "columns");
    part.columns = 1;
    refuse(2, 2, &part, ORFF_ERROR_INVALID_ARGUMENT, "B(w)");
    part.matrix = always_7;
    part.normalise = true;
    refuse(2, 2, &part, ORFF_ERROR_UNSUPPORTED, "exact");
    part.normalise = false;
    orff_kernel *kernel = make(2, 2, 1, &part);
    assert_status(orff_kernel_eval(kernel, x, z, K), ORFF_ERROR_UNSUPPORTED);
    assert_says("exact");
    orff_kernel_free(kernel);
    part.exact = always_7;
    kernel = make(2, 2, 1, &part);
    assert_status(orff_kernel_eval(kernel, x, z, K), ORFF_ERROR_CALLBACK);
    assert_says("returned 7 at (0.25, -4)");
    double G[4];
    assert_status(orff_kernel_gram(kernel, 1, x, 1, z, G), ORFF_ERROR_CALLBACK);
    orff_kernel_free(kernel);
    part.exact = not_a_number;
    kernel = make(2, 2, 1, &part);
    assert_status(orff_kernel_eval(kernel, x, z, K), ORFF_ERROR_NOT_FINITE);
    orff_kernel_free(kernel);
    assert_memory_equal(K, untouched, sizeof K);
}

static void wrong_points_are_refused(void **state) {
    (void)state;
    const double X[4] = {0, 1, 2, (double)NAN}, Z[4] = {0, 1, (double)INFINITY, 0}, good[4] = {0};
    double G[16], K[4] = {5, 6, 7, 8}, m[3];
    const double untouched[4] = {5, 6, 7, 8};
    orff_part part = orff_part_default();
    orff_kernel *kernel = make(2, 2, 1, &part);
    assert_status(orff_kernel_gram(kernel, 2, X, 2, good, G), ORFF_ERROR_NOT_FINITE);
    assert_says("X is nan in row 2, column 2");
    assert_status(orff_kernel_gram(kernel, 2, good, 2, Z, G), ORFF_ERROR_NOT_FINITE);
    assert_says("Z is inf in row 2, column 1");
    assert_status(orff_kernel_eval(kernel, X + 2, good, K), ORFF_ERROR_NOT_FINITE);
    assert_status(orff_kernel_eval(kernel, NULL, good, K), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_kernel_eval(NULL, good, good, K), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_kernel_gram(kernel, 1, good, 1, good, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(K, untouched, sizeof K);
    part.rule = ORFF_RULE_SIGNATURE;
    assert_status(orff_part_moments(&part, 2, 2, m), ORFF_ERROR_UNSUPPORTED);
    assert_status(orff_part_moments(NULL, 2, 2, m), ORFF_ERROR_INVALID_ARGUMENT);
    orff_kernel_free(kernel);
}

/* ---- output matrices */

static void simplex_codes_are_golden(void **state) {
    (void)state;
    json_t *all = support_load("golden/simplex.json");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *entry = json_array_get(all, i);
        size_t T, width;
        double *want = support_matrix(support_member(entry, "rows"), &T, &width),
               *got = calloc(T * width, sizeof *got);
        support_case("%zu classes", T);
        assert_int_equal(T, support_size(entry, "T"));
        assert_ok(orff_simplex_codes(T, got));
        assert_all_close(T * width, got, want, 1e-12);
        free(want);
        free(got);
    }
    json_decref(all);
}

static void simplex_codes_have_equal_angles(void **state) {
    (void)state;
    double C[25 * 24];
    for (size_t T = 2; T <= 25; T++) {
        assert_ok(orff_simplex_codes(T, C));
        for (size_t k = 0; k < T; k++) {
            for (size_t l = 0; l < T; l++) {
                double dot = 0;
                for (size_t i = 0; i < T - 1; i++) dot += C[k * (T - 1) + i] * C[l * (T - 1) + i];
                assert_close(dot, k == l ? 1.0 : -1.0 / (double)(T - 1), 1e-14);
            }
        }
    }
    assert_status(orff_simplex_codes(1, C), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("2 classes");
}

static void covariance_is_that_of_the_outputs(void **state) {
    (void)state;
    const double Y[8] = {1, 2, 3, 2, 5, 8, 7, 4}, want[4] = {5, 3, 3, 6}, bad[2] = {0, (double)NAN};
    double A[4];
    assert_ok(orff_output_covariance(4, 2, Y, A)); /* means 4 and 4 */
    assert_all_close(4, A, want, 1e-15);
    assert_status(orff_output_covariance(0, 2, Y, A), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_output_covariance(1, 2, bad, A), ORFF_ERROR_NOT_FINITE);
    assert_says("row 1, column 2");
    assert_all_close(4, A, want, 1e-15);
}

/* A is the pseudo-inverse: L A L = L, A L A = A; with a ridge it is the inverse of L + ridge I. */
static void laplacian_is_pseudo_inverted(void **state) {
    (void)state;
    const double W[16] = {9, 1, 0, 0, 1, 0, 2, 0,
                          0, 2, 0, 0, 0, 0, 0, 3}; /* a path of three, and a node alone */
    const double L[16] = {1, -1, 0, 0, -1, 3, -2, 0, 0, -2, 2, 0, 0, 0, 0, 0};
    double A[16], LA[16], LAL[16], ridged[16], product[16];
    assert_ok(orff_output_laplacian(4, W, 0, A));
    orffi_gemm(false, false, 4, 4, 4, 1, L, 4, A, 4, 0, LA, 4);
    orffi_gemm(false, false, 4, 4, 4, 1, LA, 4, L, 4, 0, LAL, 4);
    assert_all_close(16, LAL, L, 1e-13);
    for (size_t i = 0; i < 4; i++) {
        assert_close(A[i * 4] + A[i * 4 + 1] + A[i * 4 + 2], 0,
                     1e-14); /* constants of a component are in the kernel */
        assert_close(A[i * 4 + 3], 0, 1e-14);
    }
    memcpy(ridged, L, sizeof L);
    for (size_t i = 0; i < 4; i++) ridged[i * 5] += 0.5;
    assert_ok(orff_output_laplacian(4, W, 0.5, A));
    orffi_gemm(false, false, 4, 4, 4, 1, ridged, 4, A, 4, 0, product, 4);
    for (size_t i = 0; i < 16; i++) assert_close(product[i], i % 5 == 0 ? 1.0 : 0.0, 1e-14);
}

/* The automatic ridge is the smallest eigenvalue that is not zero; without edges A is the identity. */
static void automatic_ridge(void **state) {
    (void)state;
    const double path[9] = {0, 1, 0, 1, 0, 1, 0, 1, 0}, none[4] = {0}; /* eigenvalues 0, 1, 3 */
    double A[9], want[9];
    assert_ok(orff_output_laplacian(3, path, ORFF_RIDGE_AUTO, A));
    assert_ok(orff_output_laplacian(3, path, 1.0, want));
    assert_all_close(9, A, want, 1e-12);
    assert_ok(orff_output_laplacian(2, none, ORFF_RIDGE_AUTO, A));
    for (size_t i = 0; i < 4; i++) assert_close(A[i], i % 3 == 0 ? 1.0 : 0.0, 1e-14);
}

static void wrong_graphs_are_refused(void **state) {
    (void)state;
    const double crooked[4] = {0, 1, 2, 0}, negative[4] = {0, -1, -1, 0}, good[4] = {0, 1, 1, 0};
    double A[4] = {5, 6, 7, 8};
    const double untouched[4] = {5, 6, 7, 8};
    assert_status(orff_output_laplacian(2, crooked, 0, A), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("symmetric");
    assert_status(orff_output_laplacian(2, negative, 0, A), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("W[1][2] = -1");
    assert_status(orff_output_laplacian(2, good, -0.5, A), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("ridge is -0.5");
    assert_status(orff_output_laplacian(0, good, 0, A), ORFF_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(A, untouched, sizeof A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operator_kernels_are_golden),
        cmocka_unit_test(kernels_are_derivatives_of_k0),
        cmocka_unit_test(kernels_at_zero),
        cmocka_unit_test(curl_free_on_the_line),
        cmocka_unit_test(grams_are_symmetric_positive_and_shift_invariant),
        cmocka_unit_test(gram_may_be_rectangular_and_empty),
        cmocka_unit_test(sums_add),
        cmocka_unit_test(groups_share_one_law),
        cmocka_unit_test(normalised_parts_have_trace_p),
        cmocka_unit_test(parts_are_copied),
        cmocka_unit_test(kernels_that_do_not_exist_are_refused),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(wrong_output_matrices_are_refused),
        cmocka_unit_test(wrong_callbacks_are_refused),
        cmocka_unit_test(wrong_points_are_refused),
        cmocka_unit_test(simplex_codes_are_golden),
        cmocka_unit_test(simplex_codes_have_equal_angles),
        cmocka_unit_test(covariance_is_that_of_the_outputs),
        cmocka_unit_test(laplacian_is_pseudo_inverted),
        cmocka_unit_test(automatic_ridge),
        cmocka_unit_test(wrong_graphs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
