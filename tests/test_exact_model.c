/* Models without features: golden numbers, and everything that they report against plain elimination on the
 * whole Gram matrix. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "exact/exact.h"
#include "support.h"

/* ---- data */

static void release(size_t count, double **all) {
    for (size_t i = 0; i < count; i++) free(all[i]);
}
#define RELEASE(...) release(sizeof((double *[]){__VA_ARGS__}) / sizeof(double *), (double *[]){__VA_ARGS__})

static orff_settings exact_settings(size_t n_parts, const orff_part *parts) {
    orff_settings s = orff_settings_default();
    s.engine = ORFF_ENGINE_EXACT;
    s.n_parts = n_parts;
    s.parts = parts;
    s.scale_inputs = ORFF_SWITCH_NO;
    s.scale_outputs = ORFF_SWITCH_NO; /* one lambda for all outputs */
    return s;
}

/* ---- the reference: elimination on the Gram matrix of the exact kernel */

static void eliminate(size_t n, double *M, size_t m, double *B) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(M[i * n + k]) > fabs(M[pivot * n + k])) pivot = i;
        for (size_t j = 0; j < n; j++) {
            const double t = M[k * n + j];
            M[k * n + j] = M[pivot * n + j];
            M[pivot * n + j] = t;
        }
        for (size_t j = 0; j < m; j++) {
            const double t = B[k * m + j];
            B[k * m + j] = B[pivot * m + j];
            B[pivot * m + j] = t;
        }
        for (size_t i = 0; i < n; i++) {
            if (i == k) continue;
            const double factor = M[i * n + k] / M[k * n + k];
            for (size_t j = k; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
            for (size_t j = 0; j < m; j++) B[i * m + j] -= factor * B[k * m + j];
        }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < m; j++) B[k * m + j] /= M[k * n + k];
}

typedef struct problem {
    size_t d, p, n;
    const orff_kernel *kernel;
    const double *X, *Y, *c; /* c may be NULL */
    double shift;
    bool center;
} problem;

static double weight(const problem *q, size_t i) {
    return q->c ? q->c[i] : 1.0;
}

/* The mean of the rows but `without`, or zeros. */
static void mean_without(const problem *q, size_t without, double *mean) {
    double total = 0.0;
    memset(mean, 0, q->p * sizeof *mean);
    for (size_t i = 0; q->center && i < q->n; i++) {
        if (i == without) continue;
        total += weight(q, i);
        for (size_t k = 0; k < q->p; k++) mean[k] += weight(q, i) * q->Y[i * q->p + k];
    }
    for (size_t k = 0; q->center && k < q->p; k++) mean[k] /= total;
}

/* f(x) of m points by the rows but `without` (n: all), of weight > 0: (K + shift/c) alpha = y - mean. */
static void refit(const problem *q, size_t without, size_t m, const double *Z, double *F) {
    const size_t p = q->p, d = q->d;
    double *X = support_zeros(q->n * d), *b = support_zeros(q->n * p), *c = support_zeros(q->n),
           *mean = support_zeros(p);
    size_t n = 0;
    mean_without(q, without, mean);
    for (size_t i = 0; i < q->n; i++) {
        if (i == without || weight(q, i) == 0.0) continue;
        memcpy(X + n * d, q->X + i * d, d * sizeof *X);
        for (size_t k = 0; k < p; k++) b[n * p + k] = q->Y[i * p + k] - mean[k];
        c[n++] = weight(q, i);
    }
    double *G = support_zeros(n * p * n * p), *k = support_zeros(m * p * n * p);
    assert_ok(orff_kernel_gram(q->kernel, n, X, n, X, G));
    assert_ok(orff_kernel_gram(q->kernel, m, Z, n, X, k));
    for (size_t i = 0; i < n * p; i++) G[i * n * p + i] += q->shift / c[i / p];
    eliminate(n * p, G, 1, b);
    for (size_t i = 0; i < m * p; i++) {
        F[i] = mean[i % p];
        for (size_t j = 0; j < n * p; j++) F[i] += k[i * n * p + j] * b[j];
    }
    RELEASE(X, b, c, mean, G, k);
}

/* ---- golden numbers */

static void check_golden(const json_t *entry) {
    size_t n, d, p, m, rows, cols;
    double *X = support_matrix(support_member(entry, "X"), &n, &d);
    double *Y = support_matrix(support_member(entry, "Y"), &n, &p);
    double *Z = support_matrix(support_member(entry, "X_test"), &m, &d);
    double *F = support_matrix(support_member(entry, "pred_test"), &rows, &cols);
    double *A = json_object_get(entry, "A") ? support_matrix(support_member(entry, "A"), &rows, &cols) : NULL;
    const char *kind = support_string(entry, "kind");
    orff_part part = orff_part_default();
    part.rule = !strcmp(kind, "dec")    ? ORFF_RULE_DECOMPOSABLE
                : !strcmp(kind, "curl") ? ORFF_RULE_CURL_FREE
                : !strcmp(kind, "div")  ? ORFF_RULE_DIV_FREE
                                        : ORFF_RULE_HELMHOLTZ;
    part.sigma = support_number(entry, "sigma");
    part.A = A;
    if (part.rule == ORFF_RULE_HELMHOLTZ) part.mix = support_number(entry, "c");
    orff_settings s = exact_settings(1, &part);
    orff_model *model = NULL;
    double *got = support_zeros(m * p);
    s.lambda = support_number(entry, "lambda");
    s.center = false;
    assert_ok(orff_model_fit(&model, &s, d, p, n, X, Y, NULL));
    assert_ok(orff_model_predict(model, m, Z, got));
    assert_all_close(m * p, got, F, 1e-11);
    const orff_model_info info = orff_model_describe(model);
    assert_true(info.engine == ORFF_ENGINE_EXACT);
    assert_int_equal(info.frequencies, 0);
    assert_int_equal(info.parameters, n * p);
    assert_int_equal(info.rows, n);
    assert_true(info.solve.residual < 1e-12);
    orff_model_free(model);
    RELEASE(X, Y, Z, F, A, got);
}

static void test_golden(void **state) {
    (void)state;
    support_each("golden/ridge_exact.json", check_golden);
}

/* ---- kernels of every structure that is solved in its own way */

static const double full[4] = {2.0, 0.6, 0.6, 0.7}, same[4] = {1.7, 0.0, 0.0, 1.7}, thin[2] = {1.0, -0.5};

static size_t fill_case(size_t i, orff_part parts[2], const char **name) {
    static const char *const names[] = {"identity", "A",         "A of rank 1",     "A = 1.7 I", "curl-free",
                                        "div-free", "helmholtz", "curl-free + dec", NULL};
    parts[0] = parts[1] = orff_part_default();
    parts[0].sigma = 0.9;
    parts[1].sigma = 0.6;
    if (i == 1) parts[0].A = full;
    if (i == 2) parts[0].B = thin, parts[0].columns = 1;
    if (i == 3) parts[0].A = same;
    if (i == 4 || i == 7) parts[0].rule = ORFF_RULE_CURL_FREE;
    if (i == 5) parts[0].rule = ORFF_RULE_DIV_FREE;
    if (i == 6) parts[0].rule = ORFF_RULE_HELMHOLTZ, parts[0].mix = 0.3;
    parts[1].weight = 0.4;
    *name = names[i];
    return i == 7 ? 2 : 1;
}
enum { CASES = 8 };

/* ---- leave one out, against as many refits as there are rows */

static double brute_force(const problem *q, double *outputs) {
    double *F = support_zeros(q->p), total = 0.0, N = 0.0;
    memset(outputs, 0, q->p * sizeof *outputs);
    for (size_t i = 0; i < q->n; i++) {
        N += weight(q, i);
        refit(q, i, 1, q->X + i * q->d, F);
        for (size_t k = 0; k < q->p; k++) {
            const double error = F[k] - q->Y[i * q->p + k];
            outputs[k] += weight(q, i) * error * error;
        }
    }
    for (size_t k = 0; k < q->p; k++) {
        outputs[k] /= N;
        total += outputs[k] / (double)q->p;
    }
    free(F);
    return total;
}

static void check_left_out(size_t i, bool center, bool weighted) {
    enum { D = 2, P = 2, N = 11 };
    orff_part parts[2];
    const char *name;
    const size_t n_parts = fill_case(i, parts, &name);
    support_case("%s, center %d, weights %d", name, center, weighted);
    double *X = support_normal(N * D, 7, 5), *Y = support_normal(N * P, 8, 5), *c = support_zeros(N),
           *F = support_zeros(N * P), *G = support_zeros(N * P);
    double outputs[P], total = 0.0;
    for (size_t k = 0; k < N; k++) total += c[k] = weighted ? (double)(k % 4) * 0.7 : 1.0;
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, D, P, n_parts, parts));
    orff_settings s = exact_settings(n_parts, parts);
    orff_model *model = NULL;
    s.lambda = 0.02;
    s.center = center;
    const problem q = {D, P, N, kernel, X, Y, weighted ? c : NULL, total * s.lambda, center};
    const double want = brute_force(&q, outputs);
    assert_ok(orff_model_fit(&model, &s, D, P, N, X, Y, weighted ? c : NULL));
    const orff_model_info info = orff_model_describe(model);
    assert_close(info.cv_mse, want, 1e-9);
    assert_all_close(P, info.output_cv_mse, outputs, 1e-9);
    refit(&q, N, N, X, F);
    assert_ok(orff_model_predict(model, N, X, G));
    assert_all_close(N * P, G, F, 1e-10);
    /* by the path of an automatic lambda, in its eigen form, too */
    orff_model_free(model);
    s.lambda = 0.0;
    s.lambda_count = 3;
    s.lambda_low = 1e-4;
    s.lambda_high = 1.0;
    assert_ok(orff_model_fit(&model, &s, D, P, N, X, Y, weighted ? c : NULL));
    problem chosen = q;
    chosen.shift = total * orff_model_describe(model).lambda;
    assert_close(orff_model_describe(model).cv_mse, brute_force(&chosen, outputs), 1e-9);
    orff_model_free(model);
    orff_kernel_free(kernel);
    RELEASE(X, Y, c, F, G);
    support_case(NULL);
}

static void test_leave_one_out(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++)
        for (int k = 0; k < 4; k++) check_left_out(i, k & 1, k >> 1);
}

/* ---- what else is told: dense formulas */

/* dof = trace K (K + s)^-1, log det (K + s) by pivots. */
static void check_path(size_t i) {
    enum { D = 2, P = 2, N = 12, M = N * P };
    static const double lambdas[2] = {1e-3, 0.3};
    orff_part parts[2];
    const char *name;
    const size_t n_parts = fill_case(i, parts, &name);
    support_case("%s", name);
    double *X = support_normal(N * D, 21, 5), *Y = support_normal(N * P, 22, 5), *K = support_zeros(M * M),
           *C = support_zeros(M * M), *inverse = support_zeros(M * M), outputs[P];
    orff_kernel *kernel = NULL;
    orff_path_point points[2];
    assert_ok(orff_kernel_create(&kernel, D, P, n_parts, parts));
    assert_ok(orff_exact_path(kernel, N, X, Y, false, 0, 2, lambdas, points));
    assert_ok(orff_kernel_gram(kernel, N, X, N, X, K));
    for (size_t l = 0; l < 2; l++) {
        const double shift = N * lambdas[l];
        double dof = 0.0, rss = 0.0, quadratic = 0.0, log_det = 0.0;
        memcpy(C, K, M * M * sizeof *C);
        memset(inverse, 0, M * M * sizeof *C);
        for (size_t a = 0; a < M; a++) {
            C[a * M + a] += shift;
            inverse[a * M + a] = 1.0;
        }
        eliminate(M, C, M, inverse);
        for (size_t a = 0; a < M; a++) log_det += log(fabs(C[a * M + a])); /* the pivots */
        for (size_t a = 0; a < M; a++) {
            double alpha = 0.0;
            for (size_t b = 0; b < M; b++) {
                dof += K[a * M + b] * inverse[b * M + a];
                alpha += inverse[a * M + b] * Y[b];
            }
            quadratic += alpha * Y[a];
            rss += shift * alpha * (shift * alpha);
        }
        const problem q = {D, P, N, kernel, X, Y, NULL, shift, false};
        assert_close(points[l].dof, dof, 1e-9);
        assert_close(points[l].train_mse, rss / M, 1e-9);
        assert_close(points[l].noise, rss / (M - dof), 1e-8);
        assert_close(points[l].gcv, M * rss / ((M - dof) * (M - dof)), 1e-8);
        assert_close(points[l].log_evidence, -0.5 * (quadratic + log_det + M * log(2.0 * acos(-1.0))), 1e-9);
        assert_close(points[l].cv_mse, brute_force(&q, outputs), 1e-9);
        /* the model at this lambda, by Cholesky where that is the way, tells the same */
        orff_settings s = exact_settings(n_parts, parts);
        orff_model *model = NULL;
        s.center = false;
        s.lambda = lambdas[l];
        assert_ok(orff_model_fit(&model, &s, D, P, N, X, Y, NULL));
        const orff_model_info info = orff_model_describe(model);
        assert_close(info.dof, dof, 1e-9);
        assert_close(info.train_mse, rss / M, 1e-9);
        assert_close(info.log_evidence, points[l].log_evidence, 1e-9);
        assert_close(support_noise(&info), rss / fmax(M - dof, 1.0), 1e-8);
        orff_model_free(model);
    }
    orff_kernel_free(kernel);
    RELEASE(X, Y, K, C, inverse);
    support_case(NULL);
}

static void test_path(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) check_path(i);
}

/* ---- the evidence of a model whose lambda it chose */

/* log N(y; 0, S (K + N lambda I) S), S = diag of noise_k / sqrt(N lambda): each output's own amplitude and noise. */
static double dense_evidence(size_t n, size_t p, const orff_kernel *kernel, const double *X, const double *Y,
                             const orff_model_info *info) {
    const size_t M = n * p;
    const double shift = (double)n * info->lambda;
    double *C = support_zeros(M * M), *alpha = support_zeros(M), sum = 0.0;
    assert_ok(orff_kernel_gram(kernel, n, X, n, X, C));
    for (size_t i = 0; i < M; i++) {
        C[i * (M + 1)] += shift;
        for (size_t j = 0; j < M; j++) C[i * M + j] *= info->noise[i % p] * info->noise[j % p] / shift;
        alpha[i] = Y[i];
    }
    eliminate(M, C, 1, alpha);
    for (size_t i = 0; i < M; i++)
        sum += alpha[i] * Y[i] + log(fabs(C[i * (M + 1)])) + log(2.0 * acos(-1.0)); /* the pivots */
    RELEASE(C, alpha);
    return -0.5 * sum;
}

/* Outputs of unlike noises, in units of any size. */
static void check_evidence(orff_rule rule, orff_engine engine, double size) {
    enum { N = 60, P = 2 };
    orff_part part = orff_part_default();
    part.rule = rule;
    part.base = ORFF_BASE_GAUSSIAN;
    part.sigma = 0.8;
    double *X = support_normal(N * 2, 31, 5), *Y = support_normal(N * P, 32, 5);
    for (size_t i = 0; i < N; i++) {
        Y[i * P] = size * (sin(2.0 * X[2 * i]) + 0.1 * Y[i * P]);
        Y[i * P + 1] = size * (cos(X[2 * i + 1]) + 0.6 * Y[i * P + 1]);
    }
    orff_settings s = exact_settings(1, &part);
    orff_kernel *kernel = NULL;
    orff_model *model = NULL;
    s.engine = engine;
    s.center = false;
    s.sampling.tolerance = 1e-9;
    assert_ok(orff_kernel_create(&kernel, 2, P, 1, &part));
    const orff_status status = orff_model_fit(&model, &s, 2, P, N, X, Y, NULL);
    if (engine == ORFF_ENGINE_LATTICE && status == ORFF_ERROR_UNSUPPORTED) {
        orff_kernel_free(kernel); /* built without lattices */
        RELEASE(X, Y);
        return;
    }
    assert_ok(status);
    const orff_model_info info = orff_model_describe(model);
    assert_close(info.log_evidence, dense_evidence(N, P, kernel, X, Y, &info), 1e-5);
    orff_model_free(model);
    orff_kernel_free(kernel);
    RELEASE(X, Y);
}

static void test_evidence(void **state) {
    (void)state;
    static const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_DIV_FREE};
    for (size_t i = 0; i < 2; i++) {
        support_case("%s", orff_rule_name(rules[i]));
        check_evidence(rules[i], ORFF_ENGINE_EXACT, 1.0);
        check_evidence(rules[i], ORFF_ENGINE_EXACT, 1e-4);
        check_evidence(rules[i], ORFF_ENGINE_LATTICE, 1.0);
        support_case(NULL);
    }
}

/* ---- covariances */

/* K(z,z) - k (K + shift/c)^-1 k^T of one point. */
static void dense_covariance(const problem *q, const double *z, double *out) {
    const size_t p = q->p;
    size_t n = 0;
    double *X = support_zeros(q->n * q->d), *c = support_zeros(q->n);
    for (size_t i = 0; i < q->n; i++) {
        if (weight(q, i) == 0.0) continue;
        memcpy(X + n * q->d, q->X + i * q->d, q->d * sizeof *X);
        c[n++] = weight(q, i);
    }
    const size_t M = n * p;
    double *G = support_zeros(M * M), *k = support_zeros(M * p), *S = support_zeros(M * p);
    assert_ok(orff_kernel_gram(q->kernel, n, X, n, X, G));
    assert_ok(orff_kernel_gram(q->kernel, n, X, 1, z, k));
    for (size_t i = 0; i < M; i++) G[i * M + i] += q->shift / c[i / p];
    memcpy(S, k, M * p * sizeof *S);
    eliminate(M, G, p, S);
    assert_ok(orff_kernel_eval(q->kernel, z, z, out));
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++)
            for (size_t j = 0; j < M; j++) out[a * p + b] -= k[j * p + a] * S[j * p + b];
    RELEASE(X, c, G, k, S);
}

static void check_covariance(size_t i, bool weighted, bool path) {
    enum { D = 2, P = 2, N = 12, M = 5 };
    orff_part parts[2];
    const char *name;
    const size_t n_parts = fill_case(i, parts, &name);
    support_case("%s, weights %d, path %d", name, weighted, path);
    double *X = support_normal(N * D, 31, 5), *Y = support_normal(N * P, 32, 5),
           *Z = support_normal(M * D, 33, 5), *c = support_zeros(N), *got = support_zeros(M * P * P),
           want[P * P], total = 0.0;
    for (size_t k = 0; k < N; k++) total += c[k] = weighted ? (double)((k + 1) % 3) : 1.0;
    orff_kernel *kernel = NULL;
    orff_settings s = exact_settings(n_parts, parts);
    orff_model *model = NULL;
    s.lambda = path ? 0.0 : 0.01;
    s.lambda_low = 1e-3;
    s.lambda_high = 1e-1;
    s.lambda_count = 4;
    assert_ok(orff_kernel_create(&kernel, D, P, n_parts, parts));
    assert_ok(orff_model_fit(&model, &s, D, P, N, X, Y, weighted ? c : NULL));
    assert_ok(orff_model_covariance(model, M, Z, got));
    const orff_model_info info = orff_model_describe(model);
    assert_true(info.has_posterior);
    const problem q = {D, P, N, kernel, X, Y, weighted ? c : NULL, total * info.lambda, true};
    for (size_t k = 0; k < M; k++) {
        dense_covariance(&q, Z + k * D, want);
        for (size_t a = 0; a < P * P; a++) want[a] *= info.noise[a / P] * info.noise[a % P] / q.shift;
        assert_all_close(P * P, got + k * P * P, want, 1e-8);
    }
    orff_model_free(model);
    orff_kernel_free(kernel);
    RELEASE(X, Y, Z, c, got);
    support_case(NULL);
}

static void test_covariance(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++)
        for (int k = 0; k < 4; k++) check_covariance(i, k & 1, k >> 1);
}

/* Where the data say everything, rounding leaves nothing negative; and the low-level calls say the same. */
static void test_covariance_never_negative(void **state) {
    (void)state;
    enum { D = 2, P = 2, N = 40 };
    double *X = support_normal(N * D, 41, 5), *Y = support_normal(N * P, 42, 5),
           *got = support_zeros(N * P * P), want[P * P];
    for (size_t i = 0; i < CASES; i++) {
        orff_part parts[2];
        const char *name;
        const size_t n_parts = fill_case(i, parts, &name);
        orff_kernel *kernel = NULL;
        orff_exact *exact = NULL;
        support_case("%s", name);
        parts[0].sigma = parts[1].sigma = 4.0;
        assert_ok(orff_kernel_create(&kernel, D, P, n_parts, parts));
        assert_ok(orff_exact_fit(&exact, kernel, N, X, Y, 1e-9, true, 0));
        assert_status(orff_exact_covariance(exact, N, X, got), ORFF_ERROR_UNSUPPORTED);
        assert_says("orff_exact_keep");
        assert_status(orff_exact_keep(exact, 1000), ORFF_ERROR_NO_MEMORY);
        assert_ok(orff_exact_keep(exact, 0));
        assert_ok(orff_exact_covariance(exact, N, X, got));
        for (size_t k = 0; k < N; k++) {
            const double *V = got + k * P * P;
            assert_true(V[0] >= 0.0 && V[3] >= 0.0);
            assert_true(V[0] * V[3] - V[1] * V[2] >= -1e-14 * (V[0] + V[3]) * (V[0] + V[3]));
        }
        orff_exact_free(exact);
        exact = NULL;
        assert_ok(orff_exact_fit(&exact, kernel, N, X, Y, 1e-3, true, 0));
        assert_ok(orff_exact_keep(exact, 0));
        assert_ok(orff_exact_covariance(exact, 1, X + 6, got));
        const problem q = {D, P, N, kernel, X, Y, NULL, N * 1e-3, true};
        dense_covariance(&q, X + 6, want);
        assert_all_close(P * P, got, want, 1e-9);
        orff_exact_free(exact);
        orff_kernel_free(kernel);
    }
    support_case(NULL);
    RELEASE(X, Y, got);
}

/* ---- what features approximate */

/* On a grid fine enough, a model of features is the exact one: values, errors, error bars. */
static void test_features_converge(void **state) {
    (void)state;
    enum { D = 2, P = 2, N = 25, M = 6 };
    double *X = support_normal(N * D, 51, 5), *Y = support_normal(N * P, 52, 5),
           *Z = support_normal(M * D, 53, 5), *c = support_zeros(N), *a = support_zeros(M * P * P),
           *b = support_zeros(M * P * P);
    const double extent[D] = {6.0, 6.0};
    for (size_t k = 0; k < N; k++) {
        c[k] = 0.5 + (double)(k % 3);
        Y[2 * k + 1] *= 5.0;
    }
    for (size_t i = 1; i < CASES; i += 3) { /* A, curl-free, a sum */
        orff_part parts[2];
        const char *name;
        const size_t n_parts = fill_case(i, parts, &name);
        orff_settings s = exact_settings(n_parts, parts);
        orff_model *exact = NULL, *features = NULL;
        support_case("%s", name);
        s.lambda = 0.01;
        s.scale_outputs = ORFF_SWITCH_YES;
        s.posterior = ORFF_SWITCH_YES;
        assert_ok(orff_model_fit(&exact, &s, D, P, N, X, Y, c));
        s.solver = ORFF_SOLVER_DIRECT;
        s.sampling.scheme = ORFF_SCHEME_GRID;
        s.sampling.features = 0;
        s.sampling.tolerance = 1e-8;
        s.sampling.extent = extent;
        assert_ok(orff_model_fit(&features, &s, D, P, N, X, Y, c));
        const orff_model_info x = orff_model_describe(exact), f = orff_model_describe(features);
        assert_close(x.train_mse, f.train_mse, 2e-5);
        assert_all_close(P, x.output_train_mse, f.output_train_mse, 2e-5);
        assert_close(x.dof, f.dof, 2e-5);
        assert_all_close(P, x.noise, f.noise, 2e-5);
        if (isfinite(f.log_evidence)) assert_close(x.log_evidence, f.log_evidence, 2e-5);
        assert_string_equal(x.kernel, f.kernel);
        assert_ok(orff_model_predict(exact, M, Z, a));
        assert_ok(orff_model_predict(features, M, Z, b));
        assert_all_close(M * P, a, b, 2e-5);
        assert_ok(orff_model_covariance(exact, M, Z, a));
        assert_ok(orff_model_covariance(features, M, Z, b));
        assert_all_close(M * P * P, a, b, 2e-5);
        orff_model_free(exact);
        orff_model_free(features);
    }
    support_case(NULL);
    RELEASE(X, Y, Z, c, a, b);
}

/* ---- files */

static char path[96];

static void same_model(const orff_model *a, const orff_model *b, size_t m, const double *Z) {
    const orff_model_info x = orff_model_describe(a), y = orff_model_describe(b);
    const size_t p = x.classes ? x.classes - 1 : x.outputs;
    double *F = support_zeros(m * p * p), *G = support_zeros(m * p * p);
    assert_string_equal(x.kernel, y.kernel);
    assert_string_equal(x.solve.method, y.solve.method);
    assert_true(y.engine == ORFF_ENGINE_EXACT && x.rows == y.rows && x.parameters == y.parameters &&
                x.classes == y.classes);
    assert_true(x.lambda == y.lambda && x.cv_mse == y.cv_mse && (x.classes || x.noise[0] == y.noise[0]) &&
                x.dof == y.dof);
    assert_true(x.has_posterior == y.has_posterior && x.log_evidence == y.log_evidence);
    assert_ok(orff_model_predict(a, m, Z, F));
    assert_ok(orff_model_predict(b, m, Z, G));
    assert_memory_equal(F, G, m * p * sizeof *F);
    if (x.has_posterior) {
        assert_ok(orff_model_covariance(a, m, Z, F));
        assert_ok(orff_model_covariance(b, m, Z, G));
        assert_memory_equal(F, G, m * p * p * sizeof *F);
    } else {
        assert_status(orff_model_covariance(b, m, Z, G), ORFF_ERROR_UNSUPPORTED);
    }
    RELEASE(F, G);
}

static void test_files(void **state) {
    (void)state;
    enum { D = 2, P = 2, N = 20, M = 7 };
    double *X = support_normal(N * D, 61, 5), *Y = support_normal(N * P, 62, 5),
           *Z = support_normal(M * D, 63, 5), *c = support_zeros(N);
    for (size_t k = 0; k < N; k++) c[k] = (double)(k % 3);
    for (size_t i = 0; i < CASES; i++) {
        for (int kept = 0; kept < 2; kept++) {
            orff_part parts[2];
            const char *name;
            orff_settings s = exact_settings(fill_case(i, parts, &name), parts);
            orff_model *model = NULL, *back = NULL;
            support_case("%s, posterior %d", name, kept);
            s.posterior = kept ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
            s.scale_inputs = ORFF_SWITCH_YES;
            s.scale_outputs = ORFF_SWITCH_YES;
            s.lambda = i % 2 ? 0.01 : 0.0;
            assert_ok(orff_model_fit(&model, &s, D, P, N, X, Y, c));
            assert_ok(orff_model_set_notes(model, "of mine"));
            assert_ok(orff_model_save(model, path, i % 3 == 0));
            assert_ok(orff_model_load(&back, path));
            assert_string_equal(orff_model_notes(back), "of mine");
            same_model(model, back, M, Z);
            orff_model_free(model);
            orff_model_free(back);
        }
    }
    support_case(NULL);
    remove(path);
    RELEASE(X, Y, Z, c);
}

/* A file of the first version: a sum on six points. */
static void test_golden_file(void **state) {
    (void)state;
    const double X[4] = {0.3, -0.2, 1.5, 0.5};
    const double want[4] = {0.03988285528840728, -0.2341966341687632, 0.2312766917546113,
                            -0.039412691979767725};
    const double std[4] = {0.18998037780815322, 0.14106820894348918, 0.3184726109218407, 0.3262407523596497};
    double F[4], V[8];
    orff_model *model = NULL;
    assert_ok(orff_model_load(&model, ORFF_TEST_DIR "/golden/exact_v1.orff"));
    assert_ok(orff_model_predict(model, 2, X, F));
    assert_all_close(4, F, want, 1e-13);
    assert_ok(orff_model_covariance(model, 2, X, V));
    for (size_t i = 0; i < 4; i++) assert_close(sqrt(V[i / 2 * 4 + i % 2 * 3]), std[i], 1e-12);
    orff_model_free(model);
}

/* ---- classes */

static void test_classes(void **state) {
    (void)state;
    enum { N = 90 };
    double *X = support_normal(2 * N, 71, 5), *labels = support_zeros(N), *F = support_zeros(2 * N);
    float single[2 * N], G[2 * N];
    size_t found[N], right = 0;
    orff_settings s = orff_settings_default();
    orff_model *model = NULL, *back = NULL;
    for (size_t i = 0; i < N; i++) {
        labels[i] = (double)(i % 3);
        X[2 * i] = 0.4 * X[2 * i] + cos(2.1 * labels[i]) * 2.0;
        X[2 * i + 1] = 0.4 * X[2 * i + 1] + sin(2.1 * labels[i]) * 2.0;
        single[2 * i] = (float)X[2 * i];
        single[2 * i + 1] = (float)X[2 * i + 1];
    }
    s.engine = ORFF_ENGINE_EXACT;
    s.classes = 3;
    assert_ok(orff_model_fit(&model, &s, 2, 1, N, X, labels, NULL));
    assert_ok(orff_model_classify(model, N, X, found));
    for (size_t i = 0; i < N; i++) right += (double)found[i] == labels[i];
    assert_true(right > 85);
    assert_null(orff_model_describe(model).output_cv_mse);
    assert_true(orff_model_describe(model).cv_mse < 0.2);
    assert_ok(orff_model_save(model, path, false));
    assert_ok(orff_model_load(&back, path));
    same_model(model, back, N, X);
    assert_ok(orff_model_predict(model, N, X, F));
    assert_ok(orff_model_predict_single(model, N, single, G));
    for (size_t i = 0; i < 2 * N; i++) assert_close((double)G[i], F[i], 1e-5);
    remove(path);
    orff_model_free(model);
    orff_model_free(back);
    RELEASE(X, labels, F);
}

/* ---- automatic choices */

/* A divergence-free field with a little noise. */
static void field(size_t n, double *X, double *Y, double noise, uint64_t seed) {
    double *e = support_normal(n * 4, seed, 5);
    for (size_t i = 0; i < n; i++) {
        X[2 * i] = e[4 * i];
        X[2 * i + 1] = e[4 * i + 1];
        Y[2 * i] = -cos(X[2 * i + 1]) * sin(X[2 * i]) + noise * e[4 * i + 2];
        Y[2 * i + 1] = cos(X[2 * i]) * sin(X[2 * i + 1]) + noise * e[4 * i + 3];
    }
    free(e);
}

static double test_error(const orff_model *model) {
    enum { M = 200 };
    double X[2 * M], Y[2 * M], F[2 * M], error = 0.0;
    field(M, X, Y, 0.0, 99);
    assert_ok(orff_model_predict(model, M, X, F));
    for (size_t i = 0; i < 2 * M; i++) error += (F[i] - Y[i]) * (F[i] - Y[i]) / (2.0 * M);
    return error;
}

static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    double **from = self;
    (void)weights;
    *rows = from[0] ? 20 : 0;
    if (room < 20) *rows = 0;
    if (*rows) {
        memcpy(X, from[0], 40 * sizeof *X);
        memcpy(Y, from[1], 40 * sizeof *Y);
        from[0] += 40;
        from[1] += 40;
        if (from[0] == from[2]) from[0] = NULL;
    }
    return 0;
}

static void test_automatic(void **state) {
    (void)state;
    enum { N = 100 };
    double *X = support_zeros(2 * N), *Y = support_zeros(2 * N), *c = support_zeros(N);
    orff_part parts[2] = {orff_part_default(), orff_part_default()};
    orff_settings s = orff_settings_default();
    orff_model *model = NULL;
    field(N, X, Y, 0.02, 98);
    for (size_t i = 0; i < N; i++) c[i] = 1.0 + (double)(i % 2);
    s.engine = ORFF_ENGINE_EXACT;
    /* sigma and lambda */
    assert_ok(orff_model_fit(&model, &s, 2, 2, N, X, Y, NULL));
    assert_true(test_error(model) < 0.02);
    orff_model_free(model);
    /* sigma, lambda and mix, with weights: the field has no divergence */
    parts[0].rule = ORFF_RULE_HELMHOLTZ;
    parts[0].sigma = 0.0;
    s.parts = parts;
    s.n_parts = 1;
    s.auto_mix = true;
    assert_ok(orff_model_fit(&model, &s, 2, 2, N, X, Y, c));
    orff_part found;
    assert_ok(orff_model_part(model, 0, &found));
    assert_true(found.mix <= 0.25);
    assert_true(test_error(model) < 0.01);
    orff_model_free(model);
    /* weights of a mixture; few rows, and by features with weights of rows */
    s.auto_mix = false;
    s.mixture = true;
    s.n_parts = 2;
    parts[0].rule = ORFF_RULE_DIV_FREE;
    parts[0].sigma = 1.0;
    parts[0].normalise = parts[1].normalise = true;
    for (int k = 0; k < 2; k++) {
        assert_ok(orff_model_fit(&model, &s, 2, 2, N, X, Y, k ? c : NULL));
        assert_non_null(orff_model_describe(model).shares);
        assert_true(orff_model_describe(model).shares[0] > 0.5);
        assert_true(test_error(model) < 0.01);
        orff_model_free(model);
    }
    /* everything, from a stream */
    s = orff_settings_default();
    s.engine = ORFF_ENGINE_EXACT;
    s.auto_kernel = true;
    double *state3[3] = {X, Y, X + 2 * N};
    const orff_reader reader = {.read = read_rows, .self = state3};
    assert_ok(orff_model_fit_stream(&model, &s, 2, 2, &reader));
    assert_int_equal(orff_model_describe(model).rows, N);
    assert_true(test_error(model) < 0.01);
    orff_model_free(model);
    RELEASE(X, Y, c);
}

/* lambda auto is that of the smallest leave-one-out error, and tuning compares by it too. */
static void test_lambda_and_tune(void **state) {
    (void)state;
    enum { N = 60, L = 9 };
    double *X = support_zeros(2 * N), *Y = support_zeros(2 * N), lambdas[L], scores[3];
    orff_part narrow = orff_part_default(), right = orff_part_default();
    orff_kernel *kernel = NULL;
    orff_model *model = NULL;
    orff_path_point points[L];
    size_t best = 0, winner;
    field(N, X, Y, 0.1, 97);
    narrow.sigma = 0.05;
    orff_settings candidates[3] = {exact_settings(1, &narrow), exact_settings(1, &right),
                                   exact_settings(1, &narrow)};
    for (size_t l = 0; l < L; l++) lambdas[l] = 1e-6 * pow(1e7, (double)l / (L - 1));
    for (size_t i = 0; i < 3; i++) {
        candidates[i].lambda_low = 1e-6;
        candidates[i].lambda_high = 10.0;
        candidates[i].lambda_count = L;
        candidates[i].sampling.features = 50;
    }
    candidates[2].solver = ORFF_SOLVER_DIRECT;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &right));
    assert_ok(orff_exact_path(kernel, N, X, Y, true, 0, L, lambdas, points));
    for (size_t l = 1; l < L; l++)
        if (points[l].cv_mse <= points[best].cv_mse) best = l;
    assert_true(best > 0 && best < L - 1);
    assert_ok(orff_model_fit(&model, &candidates[1], 2, 2, N, X, Y, NULL));
    assert_close(orff_model_describe(model).lambda, lambdas[best], 1e-12);
    assert_close(orff_model_describe(model).cv_mse, points[best].cv_mse, 1e-12);
    orff_model_free(model);
    assert_ok(orff_model_tune(&model, 3, candidates, 2, 2, N, X, Y, NULL, scores, &winner));
    assert_int_equal(winner, 1);
    assert_close(scores[1], points[best].cv_mse, 1e-12);
    assert_true(scores[0] > scores[1] && scores[2] > scores[1]);
    assert_true(orff_model_describe(model).engine == ORFF_ENGINE_EXACT);
    assert_close(orff_model_describe(model).cv_mse, points[best].cv_mse, 1e-9);
    orff_model_free(model);
    orff_kernel_free(kernel);
    RELEASE(X, Y);
}

/* ---- what is refused */

static int bell_at(void *self, const double *w, double *A) {
    (void)self, (void)w;
    A[0] = A[3] = 1.0;
    A[1] = A[2] = 0.0;
    return 0;
}
SUPPORT_MANY(bell, 2, 4)

static void test_refused(void **state) {
    (void)state;
    enum { N = 30 };
    double *X = support_zeros(2 * N), *Y = support_zeros(2 * N), *c = support_zeros(N), J[4];
    orff_part part = orff_part_default();
    orff_model *model = NULL;
    field(N, X, Y, 0.0, 96);
#define REFUSE(change, status, word)                                            \
    do {                                                                        \
        orff_settings s = exact_settings(1, &part);                             \
        change;                                                                 \
        assert_status(orff_model_fit(&model, &s, 2, 2, N, X, Y, NULL), status); \
        assert_says(word);                                                      \
        assert_null(model);                                                     \
    } while (0)
    REFUSE(s.max_bytes = 4096, ORFF_ERROR_NO_MEMORY, "4096 bytes");
    REFUSE(s.max_bytes = 4096, ORFF_ERROR_NO_MEMORY, "fit with features");
    REFUSE(s.max_bytes = 4096; s.lambda = 0.1, ORFF_ERROR_NO_MEMORY, "7200 of 4096");
    REFUSE(s.single = true, ORFF_ERROR_UNSUPPORTED, "double");
    REFUSE(s.loss = ORFF_LOSS_HUBER, ORFF_ERROR_UNSUPPORTED, "squared loss");
    REFUSE(s.lambda = -1.0, ORFF_ERROR_INVALID_ARGUMENT, "lambda");
    part.rule = ORFF_RULE_CUSTOM_A;
    part.matrix = bell;
    REFUSE(s.lambda = 0.1, ORFF_ERROR_UNSUPPORTED, "exact");
    part = orff_part_default();
    orff_settings s = exact_settings(1, &part);
    s.lambda = 0.1;
    assert_status(orff_model_fit(&model, &s, 2, 2, N, X, Y, c), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("weights");
    s.lambda = 0.0;
    assert_status(orff_model_fit(&model, &s, 2, 2, 1, X, Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("more rows");
    s.lambda = 0.1;
    assert_ok(orff_model_fit(&model, &s, 2, 2, 1, X, Y, NULL));
    assert_true(isnan(orff_model_describe(model).cv_mse));
    orff_model_free(model);
    /* a lambda below rounding is lifted to it, and said so */
    s.lambda = 1e-30;
    part.sigma = 50.0;
    assert_ok(orff_model_fit(&model, &s, 2, 2, N, X, Y, NULL));
    assert_true(orff_model_describe(model).solve.jitter > 0.0 && orff_model_describe(model).solve.fell_back);
    assert_ok(orff_model_jacobian(model, 1, X, J));
    orff_model_free(model);
    RELEASE(X, Y, c);
#undef REFUSE
}

/* The same alpha and norm as those of the exact solution itself; with scaled outputs f is still sum_i K alpha_i. */
static void test_alpha_and_norm(void **state) {
    (void)state;
    enum { N = 30 };
    double *X = support_normal(2 * N, 1, 5), *Y = support_normal(2 * N, 2, 5), *want = support_zeros(2 * N),
           *alpha = support_zeros(2 * N);
    double norm2 = 0.0;
    orff_part part = orff_part_default();
    orff_settings s = exact_settings(1, &part);
    orff_model *model = NULL;
    orff_exact *exact = NULL;
    orff_kernel *kernel = NULL;
    s.lambda = 0.01;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_exact_fit(&exact, kernel, N, X, Y, s.lambda, true, 0));
    assert_ok(orff_exact_alpha(exact, want));
    for (int scaled = 0; scaled < 2; scaled++) {
        s.scale_outputs = scaled ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
        assert_ok(orff_model_fit(&model, &s, 2, 2, N, X, Y, NULL));
        assert_ok(orff_model_alpha(model, alpha));
        for (size_t i = 0; i < 2 * N; i++) assert_close(alpha[i], want[i], 1e-9);
        assert_ok(orff_model_norm2(model, &norm2));
        if (!scaled) assert_close(norm2, orff_exact_norm2(exact), 1e-9);
        orff_model_free(model);
    }
    s.engine = ORFF_ENGINE_FEATURES;
    assert_ok(orff_model_fit(&model, &s, 2, 2, N, X, Y, NULL));
    assert_status(orff_model_alpha(model, alpha), ORFF_ERROR_UNSUPPORTED);
    assert_status(orff_model_norm2(model, &norm2), ORFF_ERROR_UNSUPPORTED);
    assert_says("features");
    orff_model_free(model);
    orff_exact_free(exact);
    orff_kernel_free(kernel);
    RELEASE(X, Y, want, alpha);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_leave_one_out),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_covariance),
        cmocka_unit_test(test_covariance_never_negative),
        cmocka_unit_test(test_features_converge),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_golden_file),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_automatic),
        cmocka_unit_test(test_lambda_and_tune),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_alpha_and_norm),
    };
    snprintf(path, sizeof path, "/tmp/orff_exact_model_%ld", (long)getpid());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
