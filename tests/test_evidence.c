/* The evidence of rows under a kernel: its value computed another way, its gradient by differences, and that
 * its maximum recovers the kernel that the rows were drawn from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "exact/amplitudes.h"
#include "exact/evidence.h"
#include "solve/minimise.h"
#include "support.h"

enum { N = 24, MOST_D = 4, MOST_P = 3, MOST_PARTS = 3, MOST_X = 13 };

static double X[N * MOST_D], Y[N * MOST_P], weights[N], known[N], along[N * MOST_P];
static uint32_t instrument[N], set[N];
static const size_t space[] = {0, 1, 2};

static void fill_rows(size_t d, size_t p) {
    const orffi_rng rng = {5, 2};
    for (size_t i = 0; i < N * d; i++) X[i] = 2.0 * orffi_rng_uniform(rng, i, 0);
    for (size_t i = 0; i < N * p; i++) Y[i] = orffi_rng_normal(rng, i, 1);
    for (size_t i = 0; i < N; i++) weights[i] = i == 3 ? 0.0 : 0.5 + orffi_rng_uniform(rng, i, 2);
    for (size_t i = 0; i < N; i++) known[i] = 2.0 * orffi_rng_uniform(rng, i, 3);
    for (size_t i = 0; i < N; i++) instrument[i] = (uint32_t)(i % 3);
    for (size_t i = 0; i < N; i++) set[i] = i % 5 == 4 ? ORFFI_NO_SET : (uint32_t)(i % 5);
    for (size_t i = 0; i < N * p; i++) along[i] = orffi_rng_normal(rng, i, 4);
}

static orff_part part_of(orff_rule rule, orff_base base, double shape, double sigma) {
    orff_part part = support_part(rule, base, shape, sigma);
    if (orff_rule_describe(rule).physical) part.space = space;
    return part;
}

/* Rows from `first` on; directed: only the first output of each, along a direction. */
static orffi_evidence_rows rows_from(const orffi_evidence_form *form, size_t first, size_t n, bool weighted,
                                     bool directed) {
    return (orffi_evidence_rows){.n = n,
                                 .X = X + first * form->d,
                                 .Y = Y + first * (directed ? 1 : form->p),
                                 .weights = weighted ? weights + first : NULL,
                                 .known = form->errors ? known + first : NULL,
                                 .instrument = form->instruments ? instrument + first : NULL,
                                 .along = directed ? along + first * form->p : NULL,
                                 .set = form->offsets ? set + first : NULL};
}

/* Rows in two groups. */
static orffi_evidence *make_of(const orffi_evidence_form *form, bool weighted, bool directed) {
    const size_t first = N / 3;
    orffi_evidence *evidence = NULL;
    const orffi_evidence_rows groups[] = {rows_from(form, 0, first, weighted, directed),
                                          rows_from(form, first, N - first, weighted, directed)};
    assert_ok(orffi_evidence_create(&evidence, form, 2, groups));
    return evidence;
}

static orffi_evidence *make(const orffi_evidence_form *form, bool weighted) {
    return make_of(form, weighted, false);
}

/* As a support_function and an orffi_minimise_fn. */
static orff_status value_of(void *evidence, const double *x, double *value, double *gradient) {
    return orffi_evidence_evaluate(evidence, x, value, gradient);
}

static void check_gradient_of(const orffi_evidence_form *form, bool weighted, bool directed) {
    orffi_evidence *evidence = make_of(form, weighted, directed);
    const size_t n = orffi_evidence_unknowns(evidence);
    double x[MOST_X];
    for (size_t i = 0; i < n; i++) x[i] = 0.2 * sin(3.0 * (double)i + 1.0);
    x[n - 1] = log(0.1);
    support_assert_gradient(value_of, evidence, n, x, 1e-5);
    orffi_evidence_free(evidence);
}

/* Whole rows and directed ones, alike and of several qualities. */
static void check_gradient(const orffi_evidence_form *form, bool weighted) {
    orffi_evidence_form of_qualities = *form;
    check_gradient_of(form, weighted, false);
    check_gradient_of(form, weighted, true);
    of_qualities.errors = true;
    of_qualities.offsets = weighted;
    of_qualities.instruments = 3;
    check_gradient_of(&of_qualities, weighted, false);
    check_gradient_of(&of_qualities, weighted, true);
}

/* Every rule on every base that has it, in 1 to 3 inputs and one covariate more. */
static void gradient_is_that_of_the_value(void **state) {
    (void)state;
    const struct {
        orff_base base;
        double shape;
    } bases[] = {{ORFF_BASE_GAUSSIAN, 1},      {ORFF_BASE_LAPLACE, 1},
                 {ORFF_BASE_MATERN, 0.5},      {ORFF_BASE_MATERN, 1.5},
                 {ORFF_BASE_MATERN, 2.5},      {ORFF_BASE_MATERN, 3.5},
                 {ORFF_BASE_MATERN, 2.1},      {ORFF_BASE_RATIONAL_QUADRATIC, 2},
                 {ORFF_BASE_CAUCHY_PRODUCT, 1}};
    for (orff_rule rule = 0; rule < ORFF_RULE_CUSTOM_B; rule++) {
        const orff_rule_info about = orff_rule_describe(rule);
        if (!about.physical && !about.separable)
            continue; /* delays: an evidence of their own, test_hermitian.c */
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
            const bool physical = about.physical;
            const bool rough = bases[b].base == ORFF_BASE_LAPLACE || bases[b].shape == 0.5;
            for (size_t p = physical ? 1 + !orff_rule_columns(rule, 1) : 1; p <= 3; p++) {
                const size_t d = p + 1;
                size_t dials[MOST_D];
                if (physical && (rough || (p == 1 && rule != ORFF_RULE_CURL_FREE))) continue;
                for (size_t i = 0; i < d; i++) dials[i] = physical ? i == p : i;
                orff_part part = part_of(rule, bases[b].base, bases[b].shape, 0.8);
                const orffi_evidence_form form = {.d = d,
                                                  .p = p,
                                                  .n_parts = 1,
                                                  .parts = &part,
                                                  .scales = physical ? 2 : d,
                                                  .dials = dials,
                                                  .mix = about.mixes};
                support_case("%s %s/%g p=%zu", orff_rule_name(rule), orff_base_name(bases[b].base),
                             bases[b].shape, p);
                fill_rows(d, p);
                check_gradient(&form, b % 2);
            }
        }
    }
    support_case(NULL);
}

/* Three parts that are not normalised, weights and mix open, a matrix of outputs. */
static orffi_evidence_form sum_of_parts(orff_part *parts, const size_t *dials, const double *A) {
    parts[0] = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 1.5, 0.5);
    parts[1] = part_of(ORFF_RULE_HELMHOLTZ, ORFF_BASE_GAUSSIAN, 1.0, 0.7);
    parts[2] = part_of(ORFF_RULE_DIV_FREE, ORFF_BASE_MATERN, 2.5, 1.1);
    parts[0].A = A;
    parts[0].weight = 2.0;
    parts[2].normalise = true;
    return (orffi_evidence_form){.d = 3,
                                 .p = 2,
                                 .n_parts = 3,
                                 .parts = parts,
                                 .scales = 3,
                                 .dials = dials,
                                 .weights = true,
                                 .mix = true};
}

static const size_t sum_dials[] = {0, 0, 2, 1, 1, ORFFI_NO_DIAL, 1, 1, 2};
static const double outputs[] = {1.0, 0.4, 0.4, 0.5};

static void gradient_of_a_sum(void **state) {
    (void)state;
    orff_part parts[MOST_PARTS];
    const orffi_evidence_form form = sum_of_parts(parts, sum_dials, outputs);
    fill_rows(3, 2);
    check_gradient(&form, false);
    check_gradient(&form, true);
}

/* ---- the value, by eigenvalues of the whole matrix */

/* One group: rows [first, end) that have a weight. Adds to v and to log det. */
static size_t add_group(const orff_kernel *kernel, double s, size_t first, size_t end, double *quadratic,
                        double *logs) {
    const size_t d = orff_kernel_inputs(kernel), p = orff_kernel_outputs(kernel);
    double *x = support_zeros(N * d), *y = support_zeros(N * p), *noise = support_zeros(N), size = 0.0;
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        if (weights[i] == 0.0) continue;
        memcpy(x + n * d, X + i * d, d * sizeof *x);
        memcpy(y + n * p, Y + i * p, p * sizeof *y);
        noise[n++] = s / weights[i];
    }
    const size_t P = n * p;
    double *C = support_zeros(P * P), *e = support_zeros(P);
    assert_ok(orff_kernel_gram(kernel, n, x, n, x, C));
    for (size_t k = 0; k < p; k++) size += C[k * P + k] / (double)p;
    for (size_t i = 0; i < P * P; i++) C[i] /= size;
    for (size_t i = 0; i < P; i++) C[i * P + i] += noise[i / p];
    assert_ok(orffi_eigen(P, C, e));
    for (size_t a = 0; a < P; a++) {
        double c = 0.0;
        for (size_t i = 0; i < P; i++) c += C[i * P + a] * y[i];
        *quadratic += c * c / e[a];
        *logs += log(e[a]);
    }
    double *all[] = {x, y, noise, C, e};
    for (size_t i = 0; i < 5; i++) free(all[i]);
    return P;
}

static void value_is_that_of_the_matrix(void **state) {
    (void)state;
    orff_part parts[MOST_PARTS];
    const orffi_evidence_form form = sum_of_parts(parts, sum_dials, outputs);
    const double x[] = {0.3, -0.2, 0.1, 0.5, -0.7, 0.4, log(0.2)};
    double value, quadratic = 0.0, logs = 0.0, v[2], shares[3], sigmas[3][3];
    fill_rows(3, 2);
    orffi_evidence *evidence = make(&form, true);
    assert_true(orffi_evidence_unknowns(evidence) == 7);
    assert_ok(orffi_evidence_evaluate(evidence, x, &value, NULL));
    orffi_evidence_variances(evidence, v);
    orffi_evidence_shares(evidence, shares);
    orffi_evidence_free(evidence);
    for (size_t m = 0; m < 3; m++) {
        for (size_t i = 0; i < 3; i++)
            sigmas[m][i] =
                parts[m].sigma * (sum_dials[m * 3 + i] == ORFFI_NO_DIAL ? 1.0 : exp(x[sum_dials[m * 3 + i]]));
        parts[m].sigmas = sigmas[m];
        parts[m].weight *= m ? exp(x[2 + m]) : 1.0;
        parts[m].mix = 1.0 / (1.0 + exp(-x[5]));
    }
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, 3, 2, 3, parts));
    size_t P = add_group(kernel, 0.2, 0, N / 3, &quadratic, &logs);
    P += add_group(kernel, 0.2, N / 3, N, &quadratic, &logs);
    orff_kernel_free(kernel);
    assert_close(v[0], quadratic / (double)P, 1e-9);
    assert_close(value, -0.5 * ((double)P * (1.0 + log(6.283185307179586 * v[0])) + logs), 1e-9);
    assert_close(shares[0] + shares[1] + shares[2], 1.0, 1e-12);
}

/* Outputs of one scalar process: as if each stood alone, and one that is constant does not count. */
static void outputs_of_a_scalar_process(void **state) {
    (void)state;
    const size_t dials[] = {0, 1};
    const double x[] = {0.1, -0.3, log(0.3)};
    orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 2.5, 0.6);
    orffi_evidence_form form = {.d = 2, .p = 3, .n_parts = 1, .parts = &part, .scales = 2, .dials = dials};
    double together, sum = 0.0, v[3], alone[3], single[N];
    fill_rows(2, 3);
    for (size_t i = 0; i < N; i++) Y[i * 3 + 1] = 0.0;
    orffi_evidence *evidence = make(&form, false);
    assert_ok(orffi_evidence_evaluate(evidence, x, &together, NULL));
    orffi_evidence_variances(evidence, v);
    orffi_evidence_free(evidence);
    form.p = 1;
    for (size_t k = 0; k < 3; k += 2) {
        const orffi_evidence_rows rows[] = {{.n = N / 3, .X = X, .Y = single},
                                            {.n = N - N / 3, .X = X + N / 3 * 2, .Y = single + N / 3}};
        double value;
        for (size_t i = 0; i < N; i++) single[i] = Y[i * 3 + k];
        assert_ok(orffi_evidence_create(&evidence, &form, 2, rows));
        assert_ok(orffi_evidence_evaluate(evidence, x, &value, NULL));
        orffi_evidence_variances(evidence, &alone[k]);
        orffi_evidence_free(evidence);
        sum += value;
    }
    assert_close(together, sum, 1e-10);
    assert_close(v[0], alone[0], 1e-10);
    assert_close(v[2], alone[2], 1e-10);
    assert_true(v[1] == 0.0);
    memset(Y, 0, sizeof Y);
    const orffi_evidence_rows none = {.n = N, .X = X, .Y = Y};
    evidence = NULL;
    assert_status(orffi_evidence_create(&evidence, &form, 1, &none), ORFF_ERROR_INVALID_ARGUMENT);
}

/* ---- draws */

/* n rows of the process of this part over a box whose side is `side` length scales, noise of variance s of its own; the
 * top from elsewhere finds both. */
static void find_again(orff_part part, size_t d, size_t p, size_t n, double side, double s, uint64_t seed) {
    const orffi_rng rng = {seed, 7};
    const size_t P = n * p, dials[6] = {0};
    double *x = support_zeros(n * d), *K = support_zeros(P * P), *y = support_zeros(P);
    orff_kernel *kernel = NULL;
    for (size_t i = 0; i < n * d; i++) x[i] = side * orffi_rng_uniform(rng, i, 0);
    part.normalise = true;
    assert_ok(orff_kernel_create(&kernel, d, p, 1, &part));
    assert_ok(orff_kernel_gram(kernel, n, x, n, x, K));
    for (size_t i = 0; i < P; i++) K[i * P + i] += s;
    assert_ok(orffi_cholesky(P, K));
    for (size_t i = 0; i < P; i++)
        for (size_t k = 0; k <= i; k++) y[i] += K[i * P + k] * orffi_rng_normal(rng, k, 1);
    const orffi_evidence_rows rows = {.n = n, .X = x, .Y = y};
    const orffi_evidence_form form = {
        .d = d, .p = p, .n_parts = 1, .parts = &part, .scales = 1, .dials = dials};
    const double low[] = {-5, -20}, high[] = {5, 5};
    double found[] = {0.7, log(s) + 1.5}, v[3];
    orffi_minimum m = {.n = 2, .low = low, .high = high, .step = 1.0, .tolerance = 1e-6, .most = 60};
    orffi_evidence *evidence = NULL;
    assert_ok(orffi_evidence_create(&evidence, &form, 1, &rows));
    assert_ok(orffi_maximise(&m, value_of, evidence, found));
    assert_true(m.converged && m.evaluations < 30);
    orffi_evidence_variances(evidence, v);
    assert_true(fabs(found[0]) < log(1.15));
    assert_true(fabs(log(v[0] * exp(found[1]) / s)) < 0.2); /* of the variance: 10 % of the noise */
    orffi_evidence_free(evidence);
    orff_kernel_free(kernel);
    double *all[] = {x, K, y};
    for (size_t i = 0; i < 3; i++) free(all[i]);
}

static void finds_what_rows_were_drawn_from(void **state) {
    (void)state;
    find_again(part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1, 1), 1, 1, 400, 60, 0.1, 1);
    find_again(part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 1.5, 1), 2, 1, 500, 10, 0.1, 2);
    find_again(part_of(ORFF_RULE_DIV_FREE, ORFF_BASE_MATERN, 2.5, 1), 2, 2, 250, 10, 0.1, 3);
    find_again(part_of(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 1, 1), 3, 3, 150, 5, 0.1, 4);
}

/* Variances that differ by four powers of ten are seen as such, and the gradient is still that of the value. */
static void amplitudes_of_groups(void **state) {
    (void)state;
    const size_t dials[] = {0, 1};
    orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 1.5, 0.8);
    orffi_evidence_form form = {.d = 2, .p = 2, .n_parts = 1, .parts = &part, .scales = 2, .dials = dials};
    const double x[] = {0.1, -0.1, log(0.1)};
    double one, own;
    fill_rows(2, 2);
    for (size_t i = 0; i < N / 3 * 2; i++) Y[i] *= 1e-2;
    orffi_evidence *evidence = make(&form, false);
    assert_ok(orffi_evidence_evaluate(evidence, x, &one, NULL));
    orffi_evidence_free(evidence);
    form.amplitudes = true;
    evidence = make(&form, false);
    assert_ok(orffi_evidence_evaluate(evidence, x, &own, NULL));
    orffi_evidence_free(evidence);
    assert_true(own > one + 10.0);
    check_gradient_of(&form, false, false);
}

/* Student's density of two groups by integrating over their variances; with one variance for all there is none of it. */
static void amplitudes_are_integrated_out(void **state) {
    (void)state;
    orffi_amplitude list[] = {{.P = 30, .Q = 3e4}, {.P = 40, .Q = 4.0}, {.P = 50, .Q = 500.0}};
    orffi_amplitude same[] = {{.P = 30, .Q = 30}, {.P = 40, .Q = 40}, {.P = 50, .Q = 50}};
    const double found = orffi_amplitudes_judge(3, list, 0.0);
    double best = -INFINITY;
    for (double log_nu = 0.0; log_nu < 3.0; log_nu += 0.05)
        for (double log_v = -6.0; log_v < 8.0; log_v += 0.05) {
            const double nu = exp(log_nu), v = exp(log_v), step = 0.01;
            double sum = 0.0;
            for (size_t g = 0; g < 3; g++) {
                double density = 0.0;
                const double scale = 0.5 * list[g].P * log(list[g].Q / list[g].P);
                for (double l = -12.0; l < 8.0; l += step) { /* log u */
                    const double u = exp(l);
                    density +=
                        step * exp(0.5 * nu * (log(0.5 * nu) + l - u) - lgamma(0.5 * nu) + scale -
                                   0.5 * list[g].P * log(2.0 * acos(-1.0) * v / u) - 0.5 * u * list[g].Q / v);
                }
                sum += log(density) - scale;
            }
            best = fmax(best, sum);
        }
    assert_true(fabs(found - best) < 0.01);
    const double all = orffi_amplitudes_judge(3, same, 0.5 * log(120.0));
    assert_close(all, -60.0 * (1.0 + log(2.0 * acos(-1.0))), 1e-12);
    for (size_t g = 0; g < 3; g++) assert_close(same[g].v, 1.0, 1e-12);
}

/* Row 0 of the only group, predicted by the others: as fitting without it does. */
static void rows_left_out(void **state) {
    (void)state;
    const size_t dials[] = {0, 0};
    orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 1.5, 0.8);
    const orffi_evidence_form form = {
        .d = 2, .p = 1, .n_parts = 1, .parts = &part, .scales = 1, .dials = dials};
    const double s = 0.1, x[] = {0.0, log(s)};
    double squares[N], value, C[N * N], a[N], missed;
    orffi_evidence *evidence = NULL;
    fill_rows(2, 1);
    const orffi_evidence_rows rows = rows_from(&form, 0, N, false, false);
    assert_ok(orffi_evidence_create(&evidence, &form, 1, &rows));
    assert_ok(orffi_evidence_evaluate(evidence, x, &value, NULL));
    assert_ok(orffi_evidence_left_out(evidence, squares));
    orffi_evidence_free(evidence);
    double k[N];
    for (size_t i = 1; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            const double r = sqrt(3.0) / 0.8 * hypot(X[2 * i] - X[2 * j], X[2 * i + 1] - X[2 * j + 1]);
            const double K = (1.0 + r) * exp(-r);
            if (j)
                C[(i - 1) * (N - 1) + j - 1] = K + (i == j ? s : 0.0);
            else
                k[i - 1] = K;
        }
    memcpy(a, Y + 1, (N - 1) * sizeof *a);
    assert_ok(orffi_cholesky(N - 1, C));
    assert_ok(orffi_cholesky_solve(N - 1, C, 1, a));
    missed = Y[0] - orffi_dot(N - 1, k, a);
    assert_close(squares[0], missed * missed, 1e-10);
}

/* ---- a constant */

/* C = K + s I of rows in two inputs, matern32 of this length scale. */
static void fill_matrix(double sigma, double s, double *C) {
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            const double r = sqrt(3.0) / sigma * hypot(X[2 * i] - X[2 * j], X[2 * i + 1] - X[2 * j + 1]);
            C[i * N + j] = (1.0 + r) * exp(-r) + (i == j ? s : 0.0);
        }
}

static const size_t one_dial[] = {0, 0};

static orffi_evidence_form scalar_form(const orff_part *part, size_t p) {
    return (orffi_evidence_form){.d = 2, .p = p, .n_parts = 1, .parts = part, .scales = 1, .dials = one_dial};
}

/* One group, evaluated where the length scale is as given and the noise is s. */
static orffi_evidence *evaluate_one(const orffi_evidence_form *form, double s, double *value) {
    const double x[] = {0.0, log(s)};
    orffi_evidence *evidence = NULL;
    const orffi_evidence_rows rows = rows_from(form, 0, N, false, false);
    assert_ok(orffi_evidence_create(&evidence, form, 1, &rows));
    assert_ok(orffi_evidence_evaluate(evidence, x, value, NULL));
    return evidence;
}

/* b = H^T C^-1 y / H^T C^-1 H and the latter. */
static double constant_of(const double *y, double sigma, double s, double *precision) {
    double C[N * N], u[N];
    fill_matrix(sigma, s, C);
    for (size_t i = 0; i < N; i++) u[i] = 1.0;
    assert_ok(orffi_cholesky(N, C));
    assert_ok(orffi_cholesky_solve(N, C, 1, u));
    *precision = 0.0;
    for (size_t i = 0; i < N; i++) *precision += u[i];
    return orffi_dot(N, u, y) / *precision;
}

/* Between the generalised mean and 0, by the precision of the one and the prior of the other. */
static void mean_of_rows_that_lie_together(void **state) {
    (void)state;
    const double s = 0.1, prior[] = {0.7, 0.7};
    double value, v[2], mean[2], precision;
    bool better;
    const orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 1.5, 0.8);
    const orffi_evidence_form form = scalar_form(&part, 2);
    fill_rows(2, 2);
    for (size_t i = 0; i < N; i++) Y[2 * i + 1] = Y[2 * i] + 3.0;
    orffi_evidence *evidence = evaluate_one(&form, s, &value);
    orffi_evidence_variances(evidence, v);
    assert_ok(orffi_evidence_mean(evidence, s, N, prior, mean, &better));
    orffi_evidence_free(evidence);
    assert_true(better);
    for (size_t k = 0; k < 2; k++) {
        double y[N];
        for (size_t i = 0; i < N; i++) y[i] = Y[2 * i + k];
        const double b = constant_of(y, 0.8, s, &precision);
        assert_close(mean[k], b * precision / v[k] / (precision / v[k] + 1.0 / prior[k]), 1e-10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_that_of_the_value),   cmocka_unit_test(gradient_of_a_sum),
        cmocka_unit_test(value_is_that_of_the_matrix),     cmocka_unit_test(outputs_of_a_scalar_process),
        cmocka_unit_test(finds_what_rows_were_drawn_from), cmocka_unit_test(amplitudes_of_groups),
        cmocka_unit_test(amplitudes_are_integrated_out),   cmocka_unit_test(rows_left_out),
        cmocka_unit_test(mean_of_rows_that_lie_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
