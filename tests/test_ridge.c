/* Ridge from moments: golden numbers, and for every rule the dense dual solution with K~. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "moments/moments.h"
#include "solve/ridge.h"
#include "support.h"

enum { MOST_OUTPUTS = 3, TESTS = 5 };

static orff_kernel *kernel_of(size_t d, size_t p, size_t n_parts, const orff_part *parts) {
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, d, p, n_parts, parts));
    return kernel;
}

static orff_features *features_of(size_t d, size_t p, size_t n_parts, const orff_part *parts, size_t D) {
    orff_kernel *kernel = kernel_of(d, p, n_parts, parts);
    orff_sampling sampling = orff_sampling_default();
    orff_features *features = NULL;
    sampling.features = D;
    assert_ok(orff_features_create(&features, kernel, &sampling));
    orff_kernel_free(kernel);
    return features;
}

static orff_moments *moments_of(const orff_features *features, size_t folds, size_t n, const double *X,
                                const double *Y, const double *weights) {
    const orff_moments_settings settings = {.folds = folds, .seed = 1};
    orff_moments *moments = NULL;
    assert_ok(orff_moments_create(&moments, features, &settings));
    assert_ok(orff_moments_accumulate(moments, n, X, Y, weights));
    return moments;
}

static orff_ridge *ridge_of(const orff_features *features, const orff_moments *moments, bool center) {
    orff_ridge *ridge = NULL;
    assert_ok(orff_ridge_create(&ridge, features, moments, center));
    return ridge;
}

/* ---- golden numbers */

/* Golden files count coefficients (frequency, half, column); ours are (half, frequency, column). */
static double *golden_theta(const json_t *entry, const char *key, size_t D, size_t M) {
    const size_t columns = M / (2 * D);
    size_t length;
    double *golden = support_array(support_member(entry, key), &length), *ours = support_zeros(M);
    assert_int_equal(length, M);
    for (size_t j = 0; j < D; j++)
        for (size_t half = 0; half < 2; half++)
            memcpy(ours + (half * D + j) * columns, golden + (2 * j + half) * columns,
                   columns * sizeof *ours);
    free(golden);
    return ours;
}

typedef struct golden_case {
    size_t n, d, p, D, M, n_test;
    double *X, *Y, *X_test;
    bool theta_is_ours; /* div_sym has another factor of the same A: its theta does not compare */
    orff_features *features;
    orff_moments *moments;
    orff_ridge *ridge;
} golden_case;

static orff_part golden_part(const json_t *entry, const char *kind, double **B) {
    orff_part part = orff_part_default();
    size_t rows;
    if (!strncmp(kind, "dec", 3)) {
        part.B = *B = support_matrix(support_member(entry, json_object_get(entry, "B") ? "B" : "A"), &rows,
                                     &part.columns);
    } else if (!strcmp(kind, "curl")) {
        part.rule = ORFF_RULE_CURL_FREE;
    } else if (!strncmp(kind, "div", 3)) {
        part.rule = ORFF_RULE_DIV_FREE;
    } else {
        assert_string_equal(kind, "helmholtz_single_B");
        part.rule = ORFF_RULE_HELMHOLTZ;
        part.mix = support_number(entry, "c");
    }
    return part;
}

static golden_case golden_load(const json_t *entry, const char *kind) {
    golden_case c = {.theta_is_ours = strcmp(kind, "div_sym") != 0};
    double *B = NULL, *omegas;
    orff_part part = golden_part(entry, kind, &B);
    c.X = support_matrix(support_member(entry, "X"), &c.n, &c.d);
    c.Y = support_matrix(support_member(entry, "Y"), &c.n, &c.p);
    c.X_test = support_matrix(support_member(entry, "X_test"), &c.n_test, &c.d);
    omegas = support_matrix(support_member(entry, "omegas"), &c.D, &c.d);
    if (!strcmp(kind, "dec_path")) { /* the path gives A, not a factor */
        part.A = part.B;
        part.B = NULL;
    }
    orff_kernel *kernel = kernel_of(c.d, c.p, 1, &part);
    assert_ok(orff_features_create_at(&c.features, kernel, c.D, omegas, NULL));
    c.M = orff_features_describe(c.features).parameters;
    c.moments = moments_of(c.features, 0, c.n, c.X, c.Y, NULL);
    c.ridge = ridge_of(c.features, c.moments, false);
    orff_kernel_free(kernel);
    free(omegas);
    free(B);
    return c;
}

static void golden_end(golden_case *c) {
    orff_ridge_free(c->ridge);
    orff_moments_free(c->moments);
    orff_features_free(c->features);
    free(c->X);
    free(c->Y);
    free(c->X_test);
}

static void check_matrix(const json_t *entry, const char *key, size_t count, const double *got) {
    size_t rows, cols;
    double *want = support_matrix(support_member(entry, key), &rows, &cols);
    assert_int_equal(rows * cols, count);
    assert_all_close(count, got, want, 1e-11);
    free(want);
}

static void check_golden_fit(const golden_case *c, const json_t *entry, double lambda, const char *theta_key,
                             const char *test_key, const char *train_key) {
    double *theta = support_zeros(c->M), *F = support_zeros((c->n + c->n_test) * c->p);
    assert_ok(orff_ridge_solve(c->ridge, lambda, theta, NULL, NULL));
    if (c->theta_is_ours && theta_key) {
        double *want = golden_theta(entry, theta_key, c->D, c->M);
        assert_all_close(c->M, theta, want, 1e-11);
        free(want);
    }
    assert_ok(orff_features_apply(c->features, c->n_test, c->X_test, theta, F));
    check_matrix(entry, test_key, c->n_test * c->p, F);
    assert_ok(orff_features_apply(c->features, c->n, c->X, theta, F));
    if (train_key) check_matrix(entry, train_key, c->n * c->p, F);
    free(theta);
    free(F);
}

static void check_golden_path(const golden_case *c, const json_t *entry, double lambda) {
    orff_path_point point;
    double loo;
    assert_ok(orff_ridge_path(c->ridge, 1, &lambda, false, &point));
    assert_ok(orff_ridge_leave_one_out(c->ridge, c->n, c->X, c->Y, 1, &lambda, &loo));
    assert_close(point.lambda, lambda, 0);
    assert_close(point.dof, support_number(entry, "trace_hat"), 1e-11);
    assert_close(point.gcv, support_number(entry, "gcv"), 1e-11);
    assert_close(loo, support_number(entry, "loo_mse"), 1e-11);
}

static void ridge_is_golden(void **state) {
    (void)state;
    json_t *all = support_load("golden/ridge_orff.json");
    assert_int_equal(json_array_size(all), 6);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *entry = json_array_get(all, i);
        const double lambda = support_number(entry, "lambda");
        golden_case c = golden_load(entry, support_string(entry, "kind"));
        for (int eigen = 0; eigen < 2;
             eigen++) { /* the path leaves the eigen form behind, solving then uses it */
            support_case("%s, eigen %d", support_string(entry, "kind"), eigen);
            check_golden_fit(&c, entry, lambda, "theta_mean_convention", "pred_test_mean_convention",
                             "fit_train_mean_convention");
            check_golden_fit(&c, entry, lambda / (double)c.n, "theta_sum_convention",
                             "pred_test_sum_convention", NULL);
            check_golden_path(&c, entry, lambda);
        }
        golden_end(&c);
    }
    json_decref(all);
}

static void lambda_path_is_golden(void **state) {
    (void)state;
    json_t *entry = support_load("golden/lambda_path.json");
    const json_t *path = support_member(entry, "path");
    golden_case c = golden_load(entry, "dec_path");
    assert_int_equal(json_array_size(path), 4);
    for (int eigen = 0; eigen < 2; eigen++)
        for (size_t l = 0; l < json_array_size(path); l++) {
            const json_t *at = json_array_get(path, l);
            const double lambda = support_number(at, "lambda");
            support_case("lambda %g, eigen %d", lambda, eigen);
            check_golden_fit(&c, at, lambda, NULL, "pred_test", NULL);
            if (eigen) check_golden_path(&c, at, lambda);
        }
    golden_end(&c);
    json_decref(entry);
}

/* ---- kernels of every rule */

static const double A2[] = {2.0, 0.7, 0.7, 0.5}, A3[] = {1.0, 0.3, 0.1, 0.3, 1.5, -0.2, 0.1, -0.2, 0.8};
static const double B32[] = {1.0, 0.2, -0.4, 0.9, 0.3, 0.3},
                    B24[] = {1.0, 0.2, -0.3, 0.1, 0.4, 0.9, 0.5, -0.6};
static const double scales[] = {0.9, 1.6, 1.2};
static const size_t space[] = {2, 0};

static int block_of_w_at(void *self, const double *w, double *B) {
    (void)self;
    B[0] = 1.0;
    B[1] = tanh(w[0] * w[1]);
    B[2] = 0.5 * tanh(w[1] * w[1]);
    B[3] = -1.0;
    return 0;
}
SUPPORT_MANY(block_of_w, 2, 4)

static int matrix_of_w_at(void *self, const double *w, double *A) {
    (void)self;
    A[0] = 1.0 + w[0] * w[0] * w[1] * w[1];
    A[1] = A[2] = w[0] * w[1];
    A[3] = 1.0;
    return 0;
}
SUPPORT_MANY(matrix_of_w, 2, 4)

typedef struct rule_case {
    const char *name;
    size_t d, p, D, n_parts;
    orff_part parts[3];
} rule_case;

/* weight 0 stands for 1 in this table. */
static const rule_case rule_cases[] = {
    {"identity", 2, 2, 12, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.0}}},
    {"A, more coefficients than outputs",
     2,
     2,
     30,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.8, .A = A2, .weight = 3.0}}},
    {"A of three outputs", 2, 3, 10, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.1, .A = A3}}},
    {"low rank", 2, 3, 11, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.0, .B = B32, .columns = 2}}},
    {"wide factor", 2, 2, 9, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.0, .B = B24, .columns = 4}}},
    {"curl-free", 2, 2, 14, 1, {{.rule = ORFF_RULE_CURL_FREE, .sigma = 1.0}}},
    {"divergence-free in space", 3, 3, 11, 1, {{.rule = ORFF_RULE_DIV_FREE, .sigma = 1.2}}},
    {"helmholtz", 2, 2, 13, 1, {{.rule = ORFF_RULE_HELMHOLTZ, .sigma = 1.0, .mix = 0.3, .weight = 0.5}}},
    {"custom B",
     2,
     2,
     9,
     1,
     {{.rule = ORFF_RULE_CUSTOM_B, .sigma = 1.0, .columns = 2, .matrix = block_of_w}}},
    {"custom A", 2, 2, 9, 1, {{.rule = ORFF_RULE_CUSTOM_A, .sigma = 1.0, .matrix = matrix_of_w}}},
    {"parts that share frequencies",
     2,
     2,
     10,
     2,
     {{.rule = ORFF_RULE_CURL_FREE, .sigma = 1.0, .weight = 0.7},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.0, .A = A2}}},
    {"blocks wider than the outputs",
     3,
     3,
     8,
     3,
     {{.rule = ORFF_RULE_CURL_FREE, .sigma = 1.0, .weight = 0.7},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.0, .A = A3},
      {.rule = ORFF_RULE_DIV_FREE, .sigma = 1.0, .weight = 1e-3}}},
    {"wider blocks of low rank",
     2,
     3,
     9,
     2,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.0, .B = B32, .columns = 2},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.0, .B = B32, .columns = 2, .weight = 0.3}}},
    {"three groups",
     2,
     2,
     20,
     3,
     {{.rule = ORFF_RULE_DIV_FREE, .sigma = 2.0, .weight = 2.0},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.5, .weight = 0.3},
      {.rule = ORFF_RULE_CURL_FREE, .base = ORFF_BASE_MATERN, .shape = 3.5, .sigma = 1.0}}},
    {"covariate", 3, 2, 16, 1, {{.rule = ORFF_RULE_CURL_FREE, .sigmas = scales, .space = space}}},
    {"covariate in a sum",
     3,
     2,
     16,
     2,
     {{.rule = ORFF_RULE_DIV_FREE, .sigma = 1.5, .space = space},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigmas = scales, .A = A2}}},
};
enum { RULE_CASES = sizeof rule_cases / sizeof *rule_cases };

static orff_features *case_features(const rule_case *c) {
    orff_part parts[3];
    for (size_t m = 0; m < c->n_parts; m++) {
        parts[m] = c->parts[m];
        if (parts[m].weight == 0.0) parts[m].weight = 1.0;
    }
    return features_of(c->d, c->p, c->n_parts, parts, c->D);
}

/* ---- data */

typedef struct problem {
    size_t n, d, p;
    double *X, *Y, *X_test;
    double *weights; /* NULL: ones */
} problem;

/* A smooth function with an offset, and noise. */
static problem problem_make(size_t n, size_t d, size_t p) {
    const orffi_rng rng = {21, 4};
    problem q = {.n = n,
                 .d = d,
                 .p = p,
                 .X = support_zeros(n * d),
                 .Y = support_zeros(n * p),
                 .X_test = support_zeros(TESTS * d)};
    for (size_t i = 0; i < n * d; i++) q.X[i] = orffi_rng_normal(rng, i, 0);
    for (size_t i = 0; i < TESTS * d; i++) q.X_test[i] = orffi_rng_normal(rng, i, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p; k++)
            q.Y[i * p + k] = 0.8 - 0.5 * (double)k + sin(q.X[i * d] + (double)k) * cos(q.X[i * d + 1]) +
                             0.2 * orffi_rng_normal(rng, i * p + k, 2);
    return q;
}

static void problem_end(problem *q) {
    free(q->X);
    free(q->Y);
    free(q->X_test);
    free(q->weights);
}

static double total_weight(const problem *q) {
    double sum = 0;
    for (size_t i = 0; i < q->n; i++) sum += q->weights ? q->weights[i] : 1.0;
    return sum;
}

/* The weighted mean of y over the rows with use[i], or zeros. */
static void mean_of(const problem *q, const bool *use, bool center, double *mean) {
    double sum = 0;
    memset(mean, 0, q->p * sizeof *mean);
    for (size_t i = 0; center && i < q->n; i++) {
        const double c = use && !use[i] ? 0.0 : q->weights ? q->weights[i] : 1.0;
        for (size_t k = 0; k < q->p; k++) mean[k] += c * q->Y[i * q->p + k];
        sum += c;
    }
    for (size_t k = 0; center && k < q->p; k++) mean[k] /= sum;
}

/* ---- the dense dual reference: alpha = (Phi Phi^T + shift)^-1 (y - mean), rows times sqrt(c) */

typedef struct dense {
    size_t P, M, p;
    double *Phi, *y, *K, *theta; /* P x M, P, P x P (turned into its factor), M */
    double rss, dof, log_evidence;
} dense;

/* A = L L^T in place of the lower triangle. */
static void factor(size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
            if (i == j) assert_true(sum > 0);
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
}

static void forward(size_t n, const double *L, double *x) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
}

static void backward(size_t n, const double *L, double *x) {
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

/* P is the number of rows used, times p. */
static void dense_rows(dense *s, const orff_features *f, const problem *q, const bool *use,
                       const double *mean) {
    double *map = support_zeros(s->M * q->p);
    for (size_t i = 0; i < q->n; i++) {
        const double root = sqrt(q->weights ? q->weights[i] : 1.0);
        if (use && !use[i]) continue;
        assert_ok(orff_features_map(f, q->X + i * q->d, map));
        for (size_t k = 0; k < q->p; k++, s->P++) {
            for (size_t a = 0; a < s->M; a++) s->Phi[s->P * s->M + a] = root * map[a * q->p + k];
            s->y[s->P] = root * (q->Y[i * q->p + k] - mean[k]);
        }
    }
    free(map);
}

static void dense_kernel(dense *s, double shift) {
    for (size_t i = 0; i < s->P; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? shift : 0.0;
            for (size_t a = 0; a < s->M; a++) sum += s->Phi[i * s->M + a] * s->Phi[j * s->M + a];
            s->K[i * s->P + j] = sum;
        }
    factor(s->P, s->K);
}

/* tr K~ (K~ + shift)^-1 = P - shift |L^-1|^2 */
static double dense_trace(const dense *s, double shift) {
    double *unit = support_zeros(s->P), sum = 0;
    for (size_t i = 0; i < s->P; i++) {
        memset(unit, 0, s->P * sizeof *unit);
        unit[i] = 1.0;
        forward(s->P, s->K, unit);
        for (size_t k = 0; k < s->P; k++) sum += unit[k] * unit[k];
    }
    free(unit);
    return (double)s->P - shift * sum;
}

/* theta = Phi^T alpha, y - f = shift alpha; log N(y; 0, K~ + shift). */
static void dense_solve(dense *s, double shift) {
    double *alpha = support_zeros(s->P);
    memcpy(alpha, s->y, s->P * sizeof *alpha);
    forward(s->P, s->K, alpha);
    s->log_evidence = -0.5 * (double)s->P * log(2.0 * acos(-1.0));
    for (size_t i = 0; i < s->P; i++) s->log_evidence -= 0.5 * alpha[i] * alpha[i] + log(s->K[i * s->P + i]);
    backward(s->P, s->K, alpha);
    for (size_t i = 0; i < s->P; i++) {
        s->rss += shift * alpha[i] * shift * alpha[i];
        for (size_t a = 0; a < s->M; a++) s->theta[a] += s->Phi[i * s->M + a] * alpha[i];
    }
    free(alpha);
}

static dense dense_fit(const orff_features *f, const problem *q, const bool *use, const double *mean,
                       double shift) {
    const size_t most = q->n * q->p;
    dense s = {.M = orff_features_describe(f).parameters, .p = q->p};
    s.Phi = support_zeros(most * s.M);
    s.y = support_zeros(most);
    s.K = support_zeros(most * most);
    s.theta = support_zeros(s.M);
    dense_rows(&s, f, q, use, mean);
    dense_kernel(&s, shift);
    dense_solve(&s, shift);
    return s;
}

static void dense_end(dense *s) {
    free(s->Phi);
    free(s->y);
    free(s->K);
    free(s->theta);
}

/* c |y - mean - Phi(x)^T theta|^2 of row i of the problem. */
static double dense_error(const dense *s, const orff_features *f, const problem *q, size_t i,
                          const double *mean) {
    double F[MOST_OUTPUTS], sum = 0;
    assert_ok(orff_features_apply(f, 1, q->X + i * q->d, s->theta, F));
    for (size_t k = 0; k < q->p; k++) sum += pow(q->Y[i * q->p + k] - mean[k] - F[k], 2);
    return sum * (q->weights ? q->weights[i] : 1.0);
}

/* ---- one lambda against the dual */

static void assert_test_predictions(const orff_features *f, const problem *q, const double *theta,
                                    const double *want, double tol) {
    double *got = support_zeros(TESTS * q->p), *reference = support_zeros(TESTS * q->p);
    assert_ok(orff_features_apply(f, TESTS, q->X_test, theta, got));
    assert_ok(orff_features_apply(f, TESTS, q->X_test, want, reference));
    assert_all_close(TESTS * q->p, got, reference, tol);
    free(got);
    free(reference);
}

static void check_solution(orff_ridge *ridge, const orff_features *f, const problem *q, double lambda,
                           const double *mean, const dense *want) {
    orff_solve_info info;
    double *theta = support_zeros(want->M), intercept[MOST_OUTPUTS];
    assert_ok(orff_ridge_solve(ridge, lambda, theta, intercept, &info));
    assert_all_close(want->M, theta, want->theta, 1e-8);
    assert_all_close(q->p, intercept, mean, 1e-13);
    assert_test_predictions(f, q, theta, want->theta, 1e-9);
    assert_true(info.converged && !info.fell_back);
    assert_true(info.residual < 1e-12 && info.jitter == 0.0);
    assert_true(info.condition >= 1.0 && info.condition < 1e12);
    free(theta);
}

/* P, the number of observations, is that of the rows as repeated by their weights. */
static void check_point(const orff_path_point *point, const problem *q, const dense *want) {
    const double P = total_weight(q) * (double)q->p;
    assert_close(point->train_mse, want->rss / P, 1e-10);
    assert_close(point->dof, want->dof, 1e-9);
    assert_close(point->gcv, P * want->rss / pow(P - want->dof, 2), 1e-9);
    assert_close(point->noise, want->rss / (P - want->dof), 1e-9);
    assert_true(isnan(point->cv_mse));
    if (!q->weights) assert_close(point->log_evidence, want->log_evidence, 1e-8);
}

/* Before the path solving is by Cholesky, after it in eigen form. */
static void check_against_dense(const orff_features *f, const problem *q, const orff_moments *moments,
                                bool center) {
    static const double lambdas[] = {1e-5, 1e-3, 0.3};
    orff_ridge *ridge = ridge_of(f, moments, center);
    orff_path_point points[3];
    double mean[MOST_OUTPUTS];
    dense want[3];
    mean_of(q, NULL, center, mean);
    for (size_t l = 0; l < 3; l++) {
        const double shift = total_weight(q) * lambdas[l];
        want[l] = dense_fit(f, q, NULL, mean, shift);
        want[l].dof = dense_trace(&want[l], shift);
        check_solution(ridge, f, q, lambdas[l], mean, &want[l]);
    }
    assert_ok(orff_ridge_path(ridge, 3, lambdas, false, points));
    for (size_t l = 0; l < 3; l++) {
        assert_close(points[l].lambda, lambdas[l], 0);
        check_point(&points[l], q, &want[l]);
        check_solution(ridge, f, q, lambdas[l], mean, &want[l]);
        dense_end(&want[l]);
    }
    orff_ridge_free(ridge);
}

/* Some weights are zero, some above one; they sum to about n. */
static double *make_weights(size_t n) {
    const orffi_rng rng = {22, 5};
    double *weights = support_zeros(n);
    for (size_t i = 0; i < n; i++) weights[i] = i % 9 == 4 ? 0.0 : 2.2 * orffi_rng_uniform(rng, i, 0);
    return weights;
}

static void ridge_is_the_dual_solution(void **state) {
    (void)state;
    for (size_t i = 0; i < RULE_CASES; i++)
        for (unsigned variant = 0; variant < 4; variant++) {
            const bool center = variant & 1, weighted = variant & 2;
            orff_features *f = case_features(&rule_cases[i]);
            problem q = problem_make(30, rule_cases[i].d, rule_cases[i].p);
            if (weighted) q.weights = make_weights(q.n);
            orff_moments *moments = moments_of(f, 0, q.n, q.X, q.Y, q.weights);
            support_case("%s, center %d, weighted %d", rule_cases[i].name, center, weighted);
            check_against_dense(f, &q, moments, center);
            orff_moments_free(moments);
            orff_features_free(f);
            problem_end(&q);
        }
}

/* Frequencies of a scale that the kernel does not use are in the moments all the same. */
static void unused_frequencies_do_not_matter(void **state) {
    (void)state;
    orff_part both[2] = {orff_part_default(), orff_part_default()};
    both[0].sigma = 0.7;
    both[1].sigma = 1.9;
    orff_features *dictionary = features_of(2, 2, 2, both, 17);
    problem q = problem_make(30, 2, 2);
    orff_moments *moments = moments_of(dictionary, 0, q.n, q.X, q.Y, NULL);
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE};
    for (size_t used = 0; used < 2; used++)
        for (size_t r = 0; r < 2; r++)
            for (int center = 0; center < 2; center++) {
                orff_part part = both[used];
                orff_features *f = NULL;
                part.rule = rules[r];
                orff_kernel *kernel = kernel_of(2, 2, 1, &part);
                assert_ok(orff_moments_features(moments, kernel, &f));
                support_case("scale %g, %s, center %d", part.sigma, orff_rule_name(part.rule), center);
                check_against_dense(f, &q, moments, center);
                orff_features_free(f);
                orff_kernel_free(kernel);
            }
    orff_moments_free(moments);
    orff_features_free(dictionary);
    problem_end(&q);
}

/* ---- the closed form of one decomposable part is the general one */

static void all_numbers(const orff_features *f, const problem *q, bool center, double *out) {
    static const double lambdas[] = {1e-5, 1e-2};
    orff_moments *moments = moments_of(f, 3, q->n, q->X, q->Y, NULL);
    orff_ridge *ridge = ridge_of(f, moments, center);
    orff_path_point points[2];
    double *theta = support_zeros(orff_features_describe(f).parameters);
    for (size_t l = 0; l < 2; l++, out += TESTS * q->p) {
        assert_ok(orff_ridge_solve(ridge, lambdas[l], theta, NULL, NULL));
        assert_ok(orff_features_apply(f, TESTS, q->X_test, theta, out));
    }
    assert_ok(orff_ridge_path(ridge, 2, lambdas, true, points));
    for (size_t l = 0; l < 2; l++) {
        const orff_path_point *at = &points[l];
        const double of_point[] = {at->train_mse, at->gcv, at->dof, at->log_evidence, at->cv_mse, at->noise};
        memcpy(out, of_point, sizeof of_point);
        out += sizeof of_point / sizeof *of_point;
    }
    assert_ok(orff_ridge_leave_one_out(ridge, q->n, q->X, q->Y, 2, lambdas, out));
    free(theta);
    orff_ridge_free(ridge);
    orff_moments_free(moments);
}

/* The same A as one part, and as two halves, which is assembled like any sum. */
static void stein_form_is_the_dense_form(void **state) {
    (void)state;
    enum { COUNT = 2 * (TESTS * 3 + 6 + 1) };
    problem q = problem_make(40, 2, 3);
    for (int low_rank = 0; low_rank < 2; low_rank++)
        for (int center = 0; center < 2; center++) {
            orff_part whole = orff_part_default(), halves[2];
            double stein[COUNT], sum[COUNT];
            whole.A = low_rank ? NULL : A3;
            whole.B = low_rank ? B32 : NULL;
            whole.columns = 2;
            halves[0] = halves[1] = whole;
            halves[0].weight = halves[1].weight = 0.5;
            orff_features *one = features_of(2, 3, 1, &whole, 15), *two = features_of(2, 3, 2, halves, 15);
            support_case("low rank %d, center %d", low_rank, center);
            assert_int_equal(orff_features_describe(two).parameters,
                             2 * orff_features_describe(one).parameters);
            all_numbers(one, &q, center, stein);
            all_numbers(two, &q, center, sum);
            assert_all_close(COUNT, stein, sum, 1e-9);
            orff_features_free(one);
            orff_features_free(two);
        }
    problem_end(&q);
}

/* Many different eigenvalues of A: the eigen form is cheaper than a factorisation for each, and the answer is
 * that of the outputs one by one. */
static void many_outputs_take_the_eigen_form(void **state) {
    (void)state;
    enum { P = 14, N = 30, D = 8 };
    const orffi_rng rng = {3, 3};
    double A[P * P] = {0}, X[N * 2], Y[N * P], one[N], theta[2 * D * P], single[2 * D];
    orff_part part = orff_part_default();
    orff_solve_info info;
    for (size_t k = 0; k < P; k++) A[k * P + k] = 0.2 * (double)(k + 1);
    for (size_t i = 0; i < N * 2; i++) X[i] = orffi_rng_normal(rng, i, 0);
    for (size_t i = 0; i < N * P; i++) Y[i] = orffi_rng_normal(rng, i, 1);
    part.A = A;
    orff_features *f = features_of(2, P, 1, &part, D);
    orff_moments *moments = moments_of(f, 0, N, X, Y, NULL);
    orff_ridge *ridge = ridge_of(f, moments, false);
    assert_ok(orff_ridge_solve(ridge, 1e-3, theta, NULL, &info));
    assert_string_equal(info.method, "stein-eigen");
    assert_false(info.fell_back);
    double *F = support_zeros(N * P), *F1 = support_zeros(N);
    assert_ok(orff_features_apply(f, N, X, theta, F));
    for (size_t k = 0; k < P; k++) {
        orff_part scalar = orff_part_default();
        scalar.weight = A[k * P + k];
        for (size_t i = 0; i < N; i++) one[i] = Y[i * P + k];
        orff_features *f1 = features_of(2, 1, 1, &scalar, D);
        orff_moments *moments1 = moments_of(f1, 0, N, X, one, NULL);
        orff_ridge *ridge1 = ridge_of(f1, moments1, false);
        assert_ok(orff_ridge_solve(ridge1, 1e-3, single, NULL, &info));
        assert_string_equal(info.method, "stein-cholesky");
        assert_ok(orff_features_apply(f1, N, X, single, F1));
        for (size_t i = 0; i < N; i++) assert_close(F[i * P + k], F1[i], 1e-10);
        orff_ridge_free(ridge1);
        orff_moments_free(moments1);
        orff_features_free(f1);
    }
    free(F);
    free(F1);
    orff_ridge_free(ridge);
    orff_moments_free(moments);
    orff_features_free(f);
}

static void methods_are_named(void **state) {
    (void)state;
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE};
    const char *const names[] = {"stein-cholesky", "stein-eigen", "cholesky", "eigen"};
    const double lambda = 1e-3;
    problem q = problem_make(30, 2, 2);
    for (size_t r = 0; r < 2; r++) {
        orff_part part = orff_part_default();
        orff_solve_info info;
        orff_path_point point;
        part.rule = rules[r];
        orff_features *f = features_of(2, 2, 1, &part, 6);
        orff_moments *moments = moments_of(f, 0, q.n, q.X, q.Y, NULL);
        orff_ridge *ridge = ridge_of(f, moments, true);
        double *theta = support_zeros(orff_features_describe(f).parameters);
        assert_ok(orff_ridge_solve(ridge, lambda, theta, NULL, &info));
        assert_string_equal(info.method, names[2 * r]);
        assert_ok(orff_ridge_path(ridge, 1, &lambda, false, &point));
        assert_ok(orff_ridge_solve(ridge, lambda, theta, NULL, &info));
        assert_string_equal(info.method, names[2 * r + 1]);
        assert_ok(orff_ridge_solve(ridge, lambda, theta, NULL, NULL));
        free(theta);
        orff_ridge_free(ridge);
        orff_moments_free(moments);
        orff_features_free(f);
    }
    problem_end(&q);
}

/* ---- weights */

static void integer_weights_are_repeated_rows(void **state) {
    (void)state;
    const double lambdas[] = {1e-4, 1e-2};
    for (size_t c = 0; c < RULE_CASES; c += 5) {
        problem q = problem_make(24, rule_cases[c].d, rule_cases[c].p);
        orff_features *f = case_features(&rule_cases[c]);
        orff_moments *repeated = moments_of(f, 0, 0, q.X, q.Y, NULL);
        q.weights = support_zeros(q.n);
        for (size_t i = 0; i < q.n; i++) {
            q.weights[i] = (double)(i % 4);
            for (size_t times = 0; times < i % 4; times++)
                assert_ok(orff_moments_accumulate(repeated, 1, q.X + i * q.d, q.Y + i * q.p, NULL));
        }
        orff_moments *weighted = moments_of(f, 0, q.n, q.X, q.Y, q.weights);
        orff_ridge *a = ridge_of(f, weighted, true), *b = ridge_of(f, repeated, true);
        orff_path_point at[2], bt[2];
        support_case("%s", rule_cases[c].name);
        assert_ok(orff_ridge_path(a, 2, lambdas, false, at));
        assert_ok(orff_ridge_path(b, 2, lambdas, false, bt));
        for (size_t l = 0; l < 2; l++) {
            assert_close(at[l].train_mse, bt[l].train_mse, 1e-10);
            assert_close(at[l].dof, bt[l].dof, 1e-9);
            assert_close(at[l].gcv, bt[l].gcv, 1e-9);
            assert_close(at[l].log_evidence, bt[l].log_evidence, 1e-8);
        }
        orff_ridge_free(a);
        orff_ridge_free(b);
        orff_moments_free(weighted);
        orff_moments_free(repeated);
        orff_features_free(f);
        problem_end(&q);
    }
}

/* ---- cross-validation */

/* The fold of each row, found by feeding rows one at a time. */
static void find_folds(const orff_features *f, size_t folds, const problem *q, size_t *fold) {
    orff_moments *moments = moments_of(f, folds, 0, q->X, q->Y, NULL);
    uint64_t before[8] = {0};
    for (size_t i = 0; i < q->n; i++) {
        assert_ok(orff_moments_accumulate(moments, 1, q->X + i * q->d, q->Y + i * q->p, NULL));
        for (size_t k = 0; k < folds; k++) {
            if (moments->sets[k].rows != before[k]) fold[i] = k;
            before[k] = moments->sets[k].rows;
        }
    }
    orff_moments_free(moments);
}

/* Refit on the rows of the other folds, with their own mean and N. */
static double refit_error(const orff_features *f, size_t folds, const size_t *fold, const problem *q,
                          bool center, double lambda) {
    bool use[64];
    double mean[MOST_OUTPUTS], error = 0;
    for (size_t k = 0; k < folds; k++) {
        double weight = 0;
        for (size_t i = 0; i < q->n; i++) {
            use[i] = fold[i] != k;
            weight += !use[i] ? 0.0 : q->weights ? q->weights[i] : 1.0;
        }
        mean_of(q, use, center, mean);
        dense fit = dense_fit(f, q, use, mean, weight * lambda);
        for (size_t i = 0; i < q->n; i++)
            if (!use[i]) error += dense_error(&fit, f, q, i, mean);
        dense_end(&fit);
    }
    return error / (total_weight(q) * (double)q->p);
}

static void cross_validation_is_refitting(void **state) {
    (void)state;
    enum {
        FOLDS = 4,
        MANY = 256
    }; /* for many columns the sums of the folds are turned, for few they are not */
    double lambdas[MANY];
    for (size_t l = 0; l < MANY; l++) lambdas[l] = l % 2 ? 1e-2 : 1e-4;
    for (size_t c = 0; c < RULE_CASES; c++)
        for (unsigned variant = (unsigned)c % 2; variant < 4; variant += 2) {
            const bool center = variant & 1, weighted = variant & 2;
            problem q = problem_make(26, rule_cases[c].d, rule_cases[c].p);
            if (weighted) q.weights = make_weights(q.n);
            orff_features *f = case_features(&rule_cases[c]);
            orff_moments *moments = moments_of(f, FOLDS, q.n, q.X, q.Y, q.weights);
            orff_ridge *ridge = ridge_of(f, moments, center);
            orff_path_point points[2], many[MANY];
            size_t fold[64];
            support_case("%s, center %d, weighted %d", rule_cases[c].name, center, weighted);
            find_folds(f, FOLDS, &q, fold);
            assert_ok(orff_ridge_path(ridge, 2, lambdas, true, points));
            for (size_t l = 0; l < 2; l++)
                assert_close(points[l].cv_mse, refit_error(f, FOLDS, fold, &q, center, lambdas[l]), 1e-9);
            const bool turns = ridge->system.stein && !weighted;
            const size_t count = turns ? 2 * ridge->system.n / ridge->system.r + 1 : 0;
            assert_in_range(count, 0, MANY);
            if (turns) assert_ok(orff_ridge_path(ridge, count, lambdas, true, many));
            for (size_t l = 0; l < count; l++) assert_close(many[l].cv_mse, points[l % 2].cv_mse, 1e-9);
            orff_ridge_free(ridge);
            orff_moments_free(moments);
            orff_features_free(f);
            problem_end(&q);
        }
}

static void cross_validation_needs_folds_with_rows(void **state) {
    (void)state;
    const double lambda = 1e-3;
    const orff_part part = orff_part_default();
    orff_path_point point = {.lambda = 7};
    problem q = problem_make(3, 2, 1);
    orff_features *f = features_of(2, 1, 1, &part, 4);
    const size_t folds[] = {0, 1, 6};
    for (size_t i = 0; i < 3; i++) {
        orff_moments *moments = moments_of(f, folds[i], i < 2 ? q.n : 1, q.X, q.Y, NULL);
        orff_ridge *ridge = ridge_of(f, moments, false);
        assert_status(orff_ridge_path(ridge, 1, &lambda, true, &point), ORFF_ERROR_INVALID_ARGUMENT);
        assert_says(i < 2 ? "at least 2 folds" : "rows in at least 2 folds; 1 of 6");
        assert_close(point.lambda, 7, 0);
        assert_ok(orff_ridge_path(ridge, 1, &lambda, false, &point));
        point.lambda = 7;
        orff_ridge_free(ridge);
        orff_moments_free(moments);
    }
    orff_features_free(f);
    problem_end(&q);
}

/* Many folds of few rows: the empty ones have no say. A fold for almost every row is leave-one-out,
 * refitted. */
static void empty_folds_have_no_say(void **state) {
    (void)state;
    const double lambda = 1e-2;
    const orff_part part = orff_part_default();
    orff_path_point point;
    problem q = problem_make(6, 2, 1);
    orff_features *f = features_of(2, 1, 1, &part, 4);
    orff_moments *moments = moments_of(f, 500, q.n, q.X, q.Y, NULL);
    orff_ridge *ridge = ridge_of(f, moments, false);
    assert_ok(orff_ridge_path(ridge, 1, &lambda, true, &point));
    double want = 0;
    for (size_t i = 0; i < q.n; i++) { /* rows but i: those before it and those after */
        double X[12], Y[6], theta[8], left;
        memcpy(X, q.X, i * 2 * sizeof *X);
        memcpy(X + i * 2, q.X + (i + 1) * 2, (q.n - 1 - i) * 2 * sizeof *X);
        memcpy(Y, q.Y, i * sizeof *Y);
        memcpy(Y + i, q.Y + i + 1, (q.n - 1 - i) * sizeof *Y);
        orff_moments *rest = moments_of(f, 0, q.n - 1, X, Y, NULL);
        orff_ridge *refit = ridge_of(f, rest, false);
        assert_ok(orff_ridge_solve(refit, lambda, theta, NULL, NULL));
        assert_ok(orff_features_apply(f, 1, q.X + i * 2, theta, &left));
        want += (left - q.Y[i]) * (left - q.Y[i]) / (double)q.n;
        orff_ridge_free(refit);
        orff_moments_free(rest);
    }
    assert_close(point.cv_mse, want, 1e-9);
    orff_ridge_free(ridge);
    orff_moments_free(moments);
    orff_features_free(f);
    problem_end(&q);
}

/* All the weight in one fold: without it there is nothing to learn from. */
static void cross_validation_needs_weight_outside_each_fold(void **state) {
    (void)state;
    const double lambda = 1e-3;
    const orff_part part = orff_part_default();
    orff_path_point point;
    size_t fold[64];
    problem q = problem_make(20, 2, 1);
    orff_features *f = features_of(2, 1, 1, &part, 4);
    find_folds(f, 2, &q, fold);
    q.weights = support_zeros(q.n);
    for (size_t i = 0; i < q.n; i++) q.weights[i] = fold[i] == 1 ? 1.0 : 0.0;
    orff_moments *moments = moments_of(f, 2, q.n, q.X, q.Y, q.weights);
    orff_ridge *ridge = ridge_of(f, moments, true);
    assert_status(orff_ridge_path(ridge, 1, &lambda, true, &point), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("weight");
    orff_ridge_free(ridge);
    orff_moments_free(moments);
    orff_features_free(f);
    problem_end(&q);
}

static bool stop_at_once(void *self, const char *task, double done, double total) {
    (void)done;
    (void)total;
    return strcmp(task, self) != 0;
}

static void long_calls_can_be_stopped(void **state) {
    (void)state;
    const double lambda = 1e-3;
    const orff_part part = orff_part_default();
    char folds[] = "cross-validation", one_out[] = "leave one out";
    orff_hooks hooks = {.progress = stop_at_once, .self = folds};
    orff_path_point point = {.lambda = 7};
    double loo = 7;
    problem q = problem_make(20, 2, 1);
    orff_features *f = features_of(2, 1, 1, &part, 4);
    orff_moments *moments = moments_of(f, 2, q.n, q.X, q.Y, NULL);
    orff_ridge *ridge = ridge_of(f, moments, true);
    orff_set_hooks(&hooks);
    assert_status(orff_ridge_path(ridge, 1, &lambda, true, &point), ORFF_ERROR_CANCELLED);
    hooks.self = one_out;
    orff_set_hooks(&hooks);
    assert_status(orff_ridge_leave_one_out(ridge, q.n, q.X, q.Y, 1, &lambda, &loo), ORFF_ERROR_CANCELLED);
    orff_set_hooks(NULL);
    assert_close(point.lambda, 7, 0);
    assert_close(loo, 7, 0);
    orff_ridge_free(ridge);
    orff_moments_free(moments);
    orff_features_free(f);
    problem_end(&q);
}

/* ---- leave one out */

/* N lambda and the intercept are those of all rows. */
static double leave_out_error(const orff_features *f, const problem *q, const double *mean, double lambda) {
    bool use[64];
    double error = 0;
    for (size_t i = 0; i < q->n; i++) {
        for (size_t k = 0; k < q->n; k++) use[k] = k != i;
        dense fit = dense_fit(f, q, use, mean, (double)q->n * lambda);
        error += dense_error(&fit, f, q, i, mean);
        dense_end(&fit);
    }
    return error / (double)(q->n * q->p);
}

static void leave_one_out_is_refitting(void **state) {
    (void)state;
    const double lambdas[] = {1e-4, 3e-2};
    for (size_t c = 0; c < RULE_CASES; c++)
        for (int center = 0; center < 2; center++) {
            problem q = problem_make(14, rule_cases[c].d, rule_cases[c].p);
            orff_features *f = case_features(&rule_cases[c]);
            orff_moments *moments = moments_of(f, 0, q.n, q.X, q.Y, NULL);
            orff_ridge *ridge = ridge_of(f, moments, center);
            double mean[MOST_OUTPUTS], got[2];
            support_case("%s, center %d", rule_cases[c].name, center);
            mean_of(&q, NULL, center, mean);
            assert_ok(orff_ridge_leave_one_out(ridge, q.n, q.X, q.Y, 2, lambdas, got));
            for (size_t l = 0; l < 2; l++)
                assert_close(got[l], leave_out_error(f, &q, mean, lambdas[l]), 1e-8);
            orff_ridge_free(ridge);
            orff_moments_free(moments);
            orff_features_free(f);
            problem_end(&q);
        }
}

/* More rows than one block holds: the closed form on 150 rows against refits by subtracting each row. */
static void leave_one_out_goes_in_blocks(void **state) {
    (void)state;
    const double lambda = 1e-3;
    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_CURL_FREE;
    problem q = problem_make(150, 2, 2);
    orff_features *f = features_of(2, 2, 1, &part, 8);
    orff_moments *all = moments_of(f, 0, q.n, q.X, q.Y, NULL);
    orff_ridge *ridge = ridge_of(f, all, false);
    double *theta = support_zeros(orff_features_describe(f).parameters), got, want = 0;
    for (size_t i = 0; i < q.n; i++) {
        orff_moments *one = moments_of(f, 0, 1, q.X + i * q.d, q.Y + i * q.p, NULL);
        assert_ok(orff_moments_subtract(all, one));
        orff_ridge *rest = ridge_of(f, all, false);
        assert_ok(orff_ridge_solve(rest, lambda * (double)q.n / (double)(q.n - 1), theta, NULL, NULL));
        double F[2];
        assert_ok(orff_features_apply(f, 1, q.X + i * q.d, theta, F));
        for (size_t k = 0; k < 2; k++) want += pow(q.Y[i * 2 + k] - F[k], 2) / (double)(q.n * q.p);
        assert_ok(orff_moments_add(all, one));
        orff_ridge_free(rest);
        orff_moments_free(one);
    }
    assert_ok(orff_ridge_leave_one_out(ridge, q.n, q.X, q.Y, 1, &lambda, &got));
    assert_close(got, want, 1e-9);
    free(theta);
    orff_ridge_free(ridge);
    orff_moments_free(all);
    orff_features_free(f);
    problem_end(&q);
}

static void leave_one_out_refuses_other_rows(void **state) {
    (void)state;
    const double lambda = 1e-3, zero = 0.0;
    const orff_part part = orff_part_default();
    problem q = problem_make(12, 2, 1);
    orff_features *f = features_of(2, 1, 1, &part, 4);
    orff_moments *moments = moments_of(f, 0, q.n, q.X, q.Y, NULL);
    orff_ridge *ridge = ridge_of(f, moments, false);
    double loo = 7;
    assert_status(orff_ridge_leave_one_out(ridge, q.n - 1, q.X, q.Y, 1, &lambda, &loo), ORFF_ERROR_MISMATCH);
    assert_says("12 rows");
    assert_status(orff_ridge_leave_one_out(ridge, q.n, q.X, q.Y, 1, &zero, &loo),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_ridge_leave_one_out(ridge, q.n, NULL, q.Y, 1, &lambda, &loo),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_ridge_leave_one_out(ridge, 0, q.X, q.Y, 1, &lambda, &loo),
                  ORFF_ERROR_INVALID_ARGUMENT);
    q.X[3] = NAN;
    assert_status(orff_ridge_leave_one_out(ridge, q.n, q.X, q.Y, 1, &lambda, &loo), ORFF_ERROR_NOT_FINITE);
    q.X[3] = 0;
    orff_ridge_free(ridge);
    orff_moments_free(moments);
    q.weights = make_weights(q.n);
    moments = moments_of(f, 0, q.n, q.X, q.Y, q.weights);
    ridge = ridge_of(f, moments, false);
    assert_status(orff_ridge_leave_one_out(ridge, q.n, q.X, q.Y, 1, &lambda, &loo), ORFF_ERROR_MISMATCH);
    assert_says("weight");
    assert_close(loo, 7, 0);
    orff_ridge_free(ridge);
    orff_moments_free(moments);
    orff_features_free(f);
    problem_end(&q);
}

/* ---- towards the exact kernel */

/* f at the test points of exact ridge with K: K_test (K + N lambda)^-1 y. */
static double *exact_predictions(const orff_kernel *kernel, const problem *q, double lambda) {
    const size_t P = q->n * q->p, T = TESTS * q->p;
    double *K = support_zeros(P * P), *K_test = support_zeros(T * P), *alpha = support_zeros(P),
           *F = support_zeros(T);
    assert_ok(orff_kernel_gram(kernel, q->n, q->X, q->n, q->X, K));
    assert_ok(orff_kernel_gram(kernel, TESTS, q->X_test, q->n, q->X, K_test));
    for (size_t i = 0; i < P; i++) K[i * P + i] += (double)q->n * lambda;
    memcpy(alpha, q->Y, P * sizeof *alpha);
    factor(P, K);
    forward(P, K, alpha);
    backward(P, K, alpha);
    for (size_t i = 0; i < T; i++)
        for (size_t k = 0; k < P; k++) F[i] += K_test[i * P + k] * alpha[k];
    free(K);
    free(K_test);
    free(alpha);
    return F;
}

/* Largest difference between ridge on D frequencies and exact ridge, at the test points. */
static double distance_to_exact(const orff_kernel *kernel, const problem *q, double lambda, size_t D,
                                const double *want) {
    orff_sampling sampling = orff_sampling_default();
    orff_features *f = NULL;
    sampling.scheme = ORFF_SCHEME_QMC;
    sampling.features = D;
    assert_ok(orff_features_create(&f, kernel, &sampling));
    orff_moments *moments = moments_of(f, 0, q->n, q->X, q->Y, NULL);
    orff_ridge *ridge = ridge_of(f, moments, false);
    double *theta = support_zeros(orff_features_describe(f).parameters), F[TESTS * MOST_OUTPUTS], worst = 0;
    assert_ok(orff_ridge_solve(ridge, lambda, theta, NULL, NULL));
    assert_ok(orff_features_apply(f, TESTS, q->X_test, theta, F));
    for (size_t i = 0; i < TESTS * q->p; i++) worst = fmax(worst, fabs(F[i] - want[i]));
    free(theta);
    orff_ridge_free(ridge);
    orff_moments_free(moments);
    orff_features_free(f);
    return worst;
}

static void more_frequencies_lead_to_the_exact_kernel(void **state) {
    (void)state;
    const double lambda = 1e-2;
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE};
    const size_t D[] = {32, 256, 2048};
    const double most[] = {5e-3, 2e-2};
    problem q = problem_make(40, 2, 2);
    for (size_t r = 0; r < 2; r++) {
        orff_part part = orff_part_default();
        double error[3];
        part.rule = rules[r];
        orff_kernel *kernel = kernel_of(2, 2, 1, &part);
        double *want = exact_predictions(kernel, &q, lambda);
        for (size_t i = 0; i < 3; i++) error[i] = distance_to_exact(kernel, &q, lambda, D[i], want);
        if (!(error[1] < 0.6 * error[0] && error[2] < 0.2 * error[1] && error[2] < most[r]))
            fail_msg("%s: distances %g, %g, %g at D = 32, 256, 2048", orff_rule_name(part.rule), error[0],
                     error[1], error[2]);
        free(want);
        orff_kernel_free(kernel);
    }
    problem_end(&q);
}

/* ---- where rounding rules */

static void count_warnings(void *self, orff_log_level level, const char *message) {
    size_t *warnings = self;
    *warnings += level == ORFF_LOG_WARNING && strstr(message, "rounding");
}

static double norm(size_t n, const double *a) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

/* More coefficients than observations, rows that repeat: without lambda the system is singular. Its solution
 * tends to a limit as lambda falls, so what is asked for below rounding must be near it, and be told. */
static void check_tiny_lambda(const orff_features *f, const problem *q, const orff_moments *moments,
                              double lambda) {
    const double small = 1e-10, P = (double)(q->n * q->p);
    const size_t M = orff_features_describe(f).parameters;
    double *want = support_zeros(M), *theta = support_zeros(M), loo[2];
    orff_ridge *ridge = ridge_of(f, moments, false);
    orff_solve_info info;
    orff_path_point at[2];
    assert_ok(orff_ridge_solve(ridge, small, want, NULL, &info));
    assert_true(info.jitter == 0.0);
    for (int eigen = 0; eigen < 2; eigen++) {
        assert_ok(orff_ridge_solve(ridge, lambda, theta, NULL, &info));
        assert_int_equal(info.fell_back, !eigen);
        assert_true(info.jitter > 0.0 && info.condition > 1e10 && isfinite(info.condition));
        assert_true(info.residual < 1e-11);
        for (size_t i = 0; i < M; i++) theta[i] -= want[i];
        assert_true(norm(M, theta) < 0.03 * norm(M, want));
        assert_ok(orff_ridge_path(ridge, 2, (double[]){small, lambda}, true, at));
    }
    assert_ok(orff_ridge_leave_one_out(ridge, q->n, q->X, q->Y, 2, (double[]){small, lambda}, loo));
    assert_close(loo[1], loo[0], 0.03);
    assert_close(at[1].cv_mse, at[0].cv_mse, 0.03);
    assert_close(at[1].train_mse, at[0].train_mse, 1e-8);
    assert_true(at[1].dof <= P + 1 && fabs(at[1].dof - at[0].dof) < 1);
    assert_true(at[1].gcv >= 0.0 && isfinite(at[1].log_evidence));
    free(want);
    free(theta);
    orff_ridge_free(ridge);
}

static void a_lambda_below_rounding_is_told(void **state) {
    (void)state;
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE};
    const double lambdas[] = {5e-324, 1e-300, 1e-25, 1e-18};
    size_t warnings = 0;
    const orff_hooks hooks = {.log = count_warnings, .self = &warnings};
    for (size_t r = 0; r < 2; r++)
        for (int repeated = 0; repeated < 2; repeated++)
            for (size_t l = 0; l < 4; l++) {
                orff_part part = orff_part_default();
                part.rule = rules[r];
                part.sigma = 0.5;
                problem q = problem_make(12, 2, 2);
                if (repeated) memcpy(q.X, q.X + 12, 12 * sizeof *q.X);
                orff_features *f = features_of(2, 2, 1, &part, 60);
                orff_moments *moments = moments_of(f, 2, q.n, q.X, q.Y, NULL);
                support_case("%s, repeated %d, lambda %g", orff_rule_name(rules[r]), repeated, lambdas[l]);
                orff_set_hooks(&hooks);
                warnings = 0;
                check_tiny_lambda(f, &q, moments, lambdas[l]);
                orff_set_hooks(NULL);
                assert_true(warnings >= 4);
                orff_moments_free(moments);
                orff_features_free(f);
                problem_end(&q);
            }
}

/* Sums in float carry float's rounding: a lambda that double could resolve would amplify it to nonsense. */
static void single_precision_has_its_own_rounding(void **state) {
    (void)state;
    const double lambdas[] = {1e-14, 1e-10, 1e-3};
    const orff_moments_settings settings = {.folds = 2, .single = true};
    orff_part part = orff_part_default();
    problem q = problem_make(1000, 2, 2);
    for (int curl = 0; curl < 2; curl++) {
        part.rule = curl ? ORFF_RULE_CURL_FREE : ORFF_RULE_DECOMPOSABLE;
        orff_features *f = features_of(2, 2, 1, &part, 60);
        orff_moments *moments = NULL;
        orff_path_point points[3];
        orff_solve_info info;
        double *theta = support_zeros(orff_features_describe(f).parameters), *F = support_zeros(q.n * q.p);
        assert_ok(orff_moments_create(&moments, f, &settings));
        assert_ok(orff_moments_accumulate(moments, q.n, q.X, q.Y, NULL));
        orff_ridge *ridge = ridge_of(f, moments, false);
        assert_ok(orff_ridge_path(ridge, 3, lambdas, true, points));
        for (size_t l = 0; l < 3; l++) {
            double mse = 0;
            assert_ok(orff_ridge_solve(ridge, lambdas[l], theta, NULL, &info));
            assert_int_equal(info.jitter > 0.0, l < 2);
            assert_ok(orff_features_apply(f, q.n, q.X, theta, F));
            for (size_t i = 0; i < q.n * q.p; i++) mse += pow(F[i] - q.Y[i], 2) / (double)(q.n * q.p);
            support_case("%s, lambda %g", orff_rule_name(part.rule), lambdas[l]);
            assert_close(points[l].train_mse, mse, 1e-4);
            assert_true(points[l].cv_mse > mse && points[l].cv_mse < 1.0);
            assert_true(points[l].log_evidence <= points[2].log_evidence);
        }
        free(theta);
        free(F);
        orff_ridge_free(ridge);
        orff_moments_free(moments);
        orff_features_free(f);
    }
    problem_end(&q);
}

/* Doubts about a factor need no decomposition: rows of little variety, whose sums in float have eigenvalues below its
 * rounding, some of them negative. The eigen form says the same. */
static void a_doubtful_factor_is_mended_by_the_largest_eigenvalue(void **state) {
    (void)state;
    const double lambdas[] = {1e-9, 2e-7, 1e-3};
    const orff_moments_settings settings = {.folds = 1, .single = true};
    orff_part part = orff_part_default();
    part.sigma = 4.0;
    problem q = problem_make(1000, 2, 2);
    for (size_t l = 0; l < 3; l++) {
        orff_features *f = features_of(2, 2, 1, &part, 150);
        orff_moments *moments = NULL;
        const size_t M = orff_features_describe(f).parameters;
        double *theta[2], *F[2];
        orff_solve_info info[2];
        assert_ok(orff_moments_create(&moments, f, &settings));
        assert_ok(orff_moments_accumulate(moments, q.n, q.X, q.Y, NULL));
        for (size_t eigen = 0; eigen < 2; eigen++) {
            orff_ridge *ridge = ridge_of(f, moments, true);
            theta[eigen] = support_zeros(M);
            F[eigen] = support_zeros(q.n * q.p);
            orff_path_point point;
            if (eigen) assert_ok(orff_ridge_path(ridge, 1, &lambdas[l], false, &point));
            assert_ok(orff_ridge_solve(ridge, lambdas[l], theta[eigen], NULL, &info[eigen]));
            assert_ok(orff_features_apply(f, q.n, q.X, theta[eigen], F[eigen]));
            orff_ridge_free(ridge);
        }
        support_case("lambda %g", lambdas[l]);
        assert_string_equal(info[0].method, "stein-cholesky");
        assert_string_equal(info[1].method, "stein-eigen");
        assert_close(info[0].jitter, info[1].jitter, 1e-9);
        assert_int_equal(info[0].jitter > 0.0, l == 0);
        for (size_t i = 0; i < q.n * q.p; i++) F[1][i] -= F[0][i];
        assert_true(norm(q.n * q.p, F[1]) < (l == 2 ? 1e-9 : 1e-3) * norm(q.n * q.p, F[0]));
        for (size_t eigen = 0; eigen < 2; eigen++) {
            free(theta[eigen]);
            free(F[eigen]);
        }
        orff_moments_free(moments);
        orff_features_free(f);
    }
    problem_end(&q);
}

/* ---- refusals and edges */

static void bad_lambdas_are_refused(void **state) {
    (void)state;
    const double bad[] = {0.0, -1.0, NAN, INFINITY, 1e308};
    const orff_part part = orff_part_default();
    problem q = problem_make(12, 2, 1);
    orff_features *f = features_of(2, 1, 1, &part, 4);
    orff_moments *moments = moments_of(f, 0, q.n, q.X, q.Y, NULL);
    orff_ridge *ridge = ridge_of(f, moments, false);
    for (size_t i = 0; i < 5; i++) {
        const double lambdas[] = {1.0, bad[i]};
        double theta[8] = {7}, intercept = 7, loo[2] = {7, 7};
        orff_solve_info info = {.residual = 7};
        orff_path_point points[2] = {{.lambda = 7}, {.lambda = 7}};
        assert_status(orff_ridge_solve(ridge, bad[i], theta, &intercept, &info), ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("lambda");
        assert_status(orff_ridge_path(ridge, 2, lambdas, false, points), ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("lambda");
        assert_status(orff_ridge_leave_one_out(ridge, q.n, q.X, q.Y, 2, lambdas, loo),
                      ORFF_ERROR_INVALID_ARGUMENT);
        assert_true(theta[0] == 7 && intercept == 7 && info.residual == 7 && points[0].lambda == 7 &&
                    loo[0] == 7);
    }
    assert_status(orff_ridge_solve(NULL, 1, &(double){0}, NULL, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_ridge_solve(ridge, 1, NULL, NULL, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_ridge_path(ridge, 1, NULL, false, &(orff_path_point){0}), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orff_ridge_path(ridge, 0, bad, false, &(orff_path_point){0}));
    orff_ridge_free(ridge);
    orff_ridge_free(NULL);
    orff_moments_free(moments);
    orff_features_free(f);
    problem_end(&q);
}

static void nothing_to_learn_from_is_refused(void **state) {
    (void)state;
    const orff_part part = orff_part_default();
    problem q = problem_make(12, 2, 1);
    orff_features *f = features_of(2, 1, 1, &part, 4), *other = features_of(2, 1, 1, &part, 5),
                  *wide = features_of(2, 2, 1, &part, 4);
    orff_moments *empty = moments_of(f, 0, 0, q.X, q.Y, NULL);
    orff_ridge *ridge = NULL;
    q.weights = support_zeros(q.n);
    assert_status(orff_ridge_create(&ridge, f, empty, true), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("no rows");
    assert_ok(orff_moments_accumulate(empty, q.n, q.X, q.Y, q.weights));
    assert_status(orff_ridge_create(&ridge, f, empty, true), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orff_moments_accumulate(empty, q.n, q.X, q.Y, NULL));
    assert_status(orff_ridge_create(&ridge, other, empty, false), ORFF_ERROR_MISMATCH);
    assert_says("frequencies");
    assert_status(orff_ridge_create(&ridge, wide, empty, false), ORFF_ERROR_MISMATCH);
    assert_says("outputs");
    assert_status(orff_ridge_create(&ridge, NULL, empty, false), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_ridge_create(&ridge, f, NULL, false), ORFF_ERROR_INVALID_ARGUMENT);
    assert_null(ridge);
    orff_moments_free(empty);
    orff_features_free(f);
    orff_features_free(other);
    orff_features_free(wide);
    problem_end(&q);
}

/* A part of weight 0 explains nothing: f is the intercept, for each way to solve. */
static void a_kernel_of_weight_zero_predicts_the_mean(void **state) {
    (void)state;
    const double lambda = 1e-3;
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE};
    problem q = problem_make(20, 2, 2);
    for (size_t r = 0; r < 2; r++) {
        orff_part part = orff_part_default();
        part.rule = rules[r];
        part.weight = 0.0;
        orff_features *f = features_of(2, 2, 1, &part, 4);
        orff_moments *moments = moments_of(f, 0, q.n, q.X, q.Y, NULL);
        orff_ridge *ridge = ridge_of(f, moments, true);
        double theta[16], mean[2], intercept[2], loo, variance = 0;
        orff_path_point point;
        mean_of(&q, NULL, true, mean);
        for (size_t i = 0; i < q.n * 2; i++) variance += pow(q.Y[i] - mean[i % 2], 2) / (double)(q.n * 2);
        support_case("%s", orff_rule_name(rules[r]));
        for (int eigen = 0; eigen < 2; eigen++) {
            assert_ok(orff_ridge_solve(ridge, lambda, theta, intercept, NULL));
            assert_close(norm(orff_features_describe(f).parameters, theta), 0, 0);
            assert_all_close(2, intercept, mean, 1e-14);
            assert_ok(orff_ridge_path(ridge, 1, &lambda, false, &point));
            assert_close(point.train_mse, variance, 1e-13);
            assert_close(point.dof, 0, 0);
        }
        assert_ok(orff_ridge_leave_one_out(ridge, q.n, q.X, q.Y, 1, &lambda, &loo));
        assert_close(loo, variance, 1e-13);
        orff_ridge_free(ridge);
        orff_moments_free(moments);
        orff_features_free(f);
    }
    problem_end(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ridge_is_golden),
        cmocka_unit_test(lambda_path_is_golden),
        cmocka_unit_test(ridge_is_the_dual_solution),
        cmocka_unit_test(unused_frequencies_do_not_matter),
        cmocka_unit_test(stein_form_is_the_dense_form),
        cmocka_unit_test(many_outputs_take_the_eigen_form),
        cmocka_unit_test(methods_are_named),
        cmocka_unit_test(integer_weights_are_repeated_rows),
        cmocka_unit_test(cross_validation_is_refitting),
        cmocka_unit_test(cross_validation_needs_folds_with_rows),
        cmocka_unit_test(empty_folds_have_no_say),
        cmocka_unit_test(cross_validation_needs_weight_outside_each_fold),
        cmocka_unit_test(long_calls_can_be_stopped),
        cmocka_unit_test(leave_one_out_is_refitting),
        cmocka_unit_test(leave_one_out_goes_in_blocks),
        cmocka_unit_test(leave_one_out_refuses_other_rows),
        cmocka_unit_test(more_frequencies_lead_to_the_exact_kernel),
        cmocka_unit_test(a_lambda_below_rounding_is_told),
        cmocka_unit_test(single_precision_has_its_own_rounding),
        cmocka_unit_test(a_doubtful_factor_is_mended_by_the_largest_eigenvalue),
        cmocka_unit_test(bad_lambdas_are_refused),
        cmocka_unit_test(nothing_to_learn_from_is_refused),
        cmocka_unit_test(a_kernel_of_weight_zero_predicts_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
