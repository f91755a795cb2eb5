/* The iterative methods against the closed form, computed here from the explicit feature maps; sgd with the
 * other losses against plain descent; outcomes, cancellation, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "solve/data.h"
#include "support.h"

enum { N = 150, D = 24, INPUTS = 2, OUTPUTS = 2, RULES = 5 };

/* A kernel with its data. */
typedef struct problem {
    orff_features *f;
    size_t n, d, p, M;
    double *X, *Y, *weights, *intercept; /* the last two may be NULL */
} problem;

static const char *rule_text[RULES] = {"decomposable", "curl-free", "div-free", "helmholtz", "sum"};

static orff_features *make_features(size_t rule, size_t d, size_t p, size_t frequencies) {
    static const double A[] = {1.0, 0.6, 0.6, 2.0};
    static const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE,
                                      ORFF_RULE_HELMHOLTZ};
    orff_part parts[2] = {orff_part_default(), orff_part_default()};
    const size_t count = rule == 4 ? 2 : 1;
    if (rule < 4) parts[0].rule = rules[rule];
    if (rule == 0 && p == 2) parts[0].A = A;
    if (rule == 4) {
        parts[0].rule = ORFF_RULE_DIV_FREE;
        parts[1].sigma = 0.4;
        parts[1].weight = 0.3;
    }
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *f = NULL;
    sampling.features = frequencies;
    assert_ok(orff_kernel_create(&kernel, d, p, count, parts));
    assert_ok(orff_features_create(&f, kernel, &sampling));
    orff_kernel_free(kernel);
    return f;
}

/* Points in a square; a smooth field with some noise; weights with zeros among them. */
static problem make(size_t rule, size_t n, size_t d, size_t p, size_t frequencies, bool weighted,
                    bool shifted) {
    const orffi_rng rng = {.seed = 11, .stream = 7};
    problem q = {.f = make_features(rule, d, p, frequencies), .n = n, .d = d, .p = p};
    q.M = orff_features_describe(q.f).parameters;
    q.X = support_zeros(n * d);
    q.Y = support_zeros(n * p);
    q.weights = weighted ? support_zeros(n) : NULL;
    q.intercept = shifted ? support_zeros(p) : NULL;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < d; k++) q.X[i * d + k] = 4.0 * orffi_rng_uniform(rng, i, k) - 2.0;
        for (uint32_t k = 0; k < p; k++)
            q.Y[i * p + k] =
                sin(q.X[i * d] + 1.5 * q.X[i * d + d - 1] + k) + 0.1 * orffi_rng_normal(rng, i, 20 + k);
        if (weighted) q.weights[i] = i % 7 == 3 ? 0.0 : 0.2 + 2.0 * orffi_rng_uniform(rng, i, 40);
    }
    for (size_t k = 0; shifted && k < p; k++) q.intercept[k] = 0.3 + (double)k;
    return q;
}

static void drop(problem *q) {
    orff_features_free(q->f);
    free(q->X);
    free(q->Y);
    free(q->weights);
    free(q->intercept);
}

static double weight_of(const problem *q, size_t i) {
    return q->weights ? q->weights[i] : 1.0;
}

static double total_of(const problem *q) {
    double total = 0;
    for (size_t i = 0; i < q->n; i++) total += weight_of(q, i);
    return total;
}

/* ---- the closed form */

/* G = sum c Phi Phi^T + N lambda I   (M x M),   b = sum c Phi (y - intercept)   (M) */
static void normal_equations(const problem *q, double lambda, double *G, double *b) {
    double *Phi = support_zeros(q->M * q->p);
    memset(G, 0, q->M * q->M * sizeof *G);
    memset(b, 0, q->M * sizeof *b);
    for (size_t i = 0; i < q->n; i++) {
        assert_ok(orff_features_map(q->f, q->X + i * q->d, Phi));
        orffi_gemm(false, true, q->M, q->M, q->p, weight_of(q, i), Phi, q->p, Phi, q->p, 1, G, q->M);
        for (size_t a = 0; a < q->M; a++)
            for (size_t k = 0; k < q->p; k++)
                b[a] += weight_of(q, i) * Phi[a * q->p + k] *
                        (q->Y[i * q->p + k] - (q->intercept ? q->intercept[k] : 0));
    }
    for (size_t a = 0; a < q->M; a++) G[a * q->M + a] += total_of(q) * lambda;
    free(Phi);
}

static double norm(size_t n, const double *a) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

static double distance(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

typedef struct closed_form {
    double *G, *b, *theta;
} closed_form;

static closed_form solve_closed(const problem *q, double lambda) {
    closed_form c = {support_zeros(q->M * q->M), support_zeros(q->M), support_zeros(q->M)};
    double *L = support_zeros(q->M * q->M);
    normal_equations(q, lambda, c.G, c.b);
    memcpy(L, c.G, q->M * q->M * sizeof *L);
    memcpy(c.theta, c.b, q->M * sizeof *c.theta);
    assert_ok(orffi_cholesky(q->M, L));
    assert_ok(orffi_cholesky_solve(q->M, L, 1, c.theta));
    free(L);
    return c;
}

static void drop_closed(closed_form *c) {
    free(c->G);
    free(c->b);
    free(c->theta);
}

/* |G theta - b| / |b| */
static double residual(const problem *q, const closed_form *c, const double *theta) {
    double *r = support_zeros(q->M);
    memcpy(r, c->b, q->M * sizeof *r);
    orffi_gemm(false, false, q->M, 1, q->M, 1, c->G, q->M, theta, 1, -1, r, 1);
    const double relative = norm(q->M, r) / norm(q->M, c->b);
    free(r);
    return relative;
}

static orff_iteration settings(orff_solver method, double lambda, double tolerance, size_t limit) {
    orff_iteration how = orff_iteration_default();
    how.solver = method;
    how.lambda = lambda;
    how.tolerance = tolerance;
    how.max_iterations = limit;
    return how;
}

static orff_solve_info iterate(const problem *q, const orff_iteration *how, double *theta) {
    orff_solve_info info;
    assert_ok(orff_iterate(q->f, q->n, q->X, q->Y, q->weights, q->intercept, how, theta, &info));
    return info;
}

/* ---- the squared loss */

/* The method's report is true, its residual is what was asked for, and theta is near the closed form's:
 * errors of theta may be larger than the residual by the condition, which is bounded by the trace over
 * lambda. */
static void check_method(const problem *q, const orff_iteration *how, const closed_form *want) {
    double *theta = support_zeros(q->M);
    const orff_solve_info info = iterate(q, how, theta);
    const double got = residual(q, want, theta);
    assert_true(info.converged);
    assert_true(info.residual <= how->tolerance);
    assert_true(got <= how->tolerance * 1.01 + 1e-13);
    assert_true(fabs(got - info.residual) <= 1e-13 + 0.01 * got);
    assert_true(info.iterations > 0 && info.iterations <= how->max_iterations);
    assert_true(distance(q->M, theta, want->theta) <= 1e-5 * norm(q->M, want->theta));
    free(theta);
}

static void every_method_reaches_the_closed_form(void **state) {
    (void)state;
    static const double lambdas[] = {1e-1, 1e-3, 1e-6};
    for (size_t rule = 0; rule < RULES; rule++) {
        for (int with = 0; with < 2; with++) {
            problem q = make(rule, N, INPUTS, OUTPUTS, D, with, with);
            for (size_t l = 0; l < 3; l++) {
                closed_form want = solve_closed(&q, lambdas[l]);
                for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_PCG; method++) {
                    orff_iteration how = settings((orff_solver)method, lambdas[l], 1e-11, 5000);
                    how.subsample = with ? 0 : 40; /* 40: too few rows, so that pcg must iterate */
                    support_case("%s, %s, lambda %g, weighted %d", rule_text[rule],
                                 orff_solver_name((orff_solver)method), lambdas[l], with);
                    check_method(&q, &how, &want);
                }
                drop_closed(&want);
            }
            drop(&q);
        }
    }
    support_case(NULL);
}

/* (1/N) sum c_i L + lambda |theta|^2 */
static double objective(const problem *q, const orff_iteration *how, const double *theta) {
    double *F = support_zeros(q->n * q->p), sum = how->lambda * norm(q->M, theta) * norm(q->M, theta);
    assert_ok(orff_features_apply(q->f, q->n, q->X, theta, F));
    for (size_t i = 0; i < q->n; i++) {
        double value;
        for (size_t k = 0; q->intercept && k < q->p; k++) F[i * q->p + k] += q->intercept[k];
        assert_ok(orff_loss_evaluate(how->loss, how->loss_parameter, q->p, F + i * q->p, q->Y + i * q->p,
                                     &value, NULL));
        sum += weight_of(q, i) / total_of(q) * value;
    }
    free(F);
    return sum;
}

/* sgd: its objective, to a ten-thousandth at the least lambda and to 1e-7 else. */
static void sgd_reaches_the_closed_form(void **state) {
    (void)state;
    static const double lambdas[] = {1e-1, 1e-3, 1e-5};
    for (size_t rule = 0; rule < RULES; rule++) {
        for (int with = 0; with < 2; with++) {
            problem q = make(rule, N, INPUTS, OUTPUTS, D, with, with);
            double *theta = support_zeros(q.M);
            for (size_t l = 0; l < 3; l++) {
                orff_iteration how = settings(ORFF_SOLVER_SGD, lambdas[l], 1e-9, 400);
                closed_form want = solve_closed(&q, lambdas[l]);
                how.batch = 32;
                memset(theta, 0, q.M * sizeof *theta);
                const orff_solve_info info = iterate(&q, &how, theta);
                support_case("%s, lambda %g, weighted %d", rule_text[rule], lambdas[l], with);
                const double best = objective(&q, &how, want.theta);
                assert_true(objective(&q, &how, theta) <= best * (1 + 1e-4));
                if (lambdas[l] >= 1e-3) {
                    assert_true(info.converged);
                    assert_true(objective(&q, &how, theta) <= best * (1 + 1e-7));
                    assert_true(distance(q.M, theta, want.theta) <= 1e-2 * norm(q.M, want.theta));
                }
                assert_close(info.residual, residual(&q, &want, theta), 1e-9);
                drop_closed(&want);
            }
            free(theta);
            drop(&q);
        }
    }
    support_case(NULL);
}

/* From a start value near the solution there is less to do, and the solution is the same. */
static void start_values_are_used(void **state) {
    (void)state;
    problem q = make(3, N, INPUTS, OUTPUTS, D, true, false);
    closed_form want = solve_closed(&q, 1e-3);
    double *theta = support_zeros(q.M);
    for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_SGD; method++) {
        orff_iteration how =
            settings((orff_solver)method, 1e-3, method == ORFF_SOLVER_SGD ? 1e-10 : 1e-9, 1000);
        how.subsample = 20;
        how.batch = 32;
        support_case("method %d", method);
        memset(theta, 0, q.M * sizeof *theta);
        const size_t cold = iterate(&q, &how, theta).iterations;
        for (size_t i = 0; i < q.M; i++) theta[i] = want.theta[i] * (1 + 1e-6 * (double)(i % 3));
        const orff_solve_info info = iterate(&q, &how, theta);
        assert_true(info.converged);
        assert_true(info.iterations < cold);
        assert_true(distance(q.M, theta, want.theta) <= 1e-4 * norm(q.M, want.theta));
        memcpy(theta, want.theta, q.M * sizeof *theta);
        if (method != ORFF_SOLVER_SGD) assert_int_equal(iterate(&q, &how, theta).iterations, 0);
    }
    support_case(NULL);
    free(theta);
    drop_closed(&want);
    drop(&q);
}

/* What phi in single can give: the solution to about single precision times the root of the condition. */
static void single_precision_is_near(void **state) {
    (void)state;
    problem q = make(0, N, INPUTS, OUTPUTS, D, true, true);
    closed_form want = solve_closed(&q, 1e-3);
    double *theta = support_zeros(q.M);
    for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_SGD; method++) {
        orff_iteration how =
            settings((orff_solver)method, 1e-3, method == ORFF_SOLVER_SGD ? 1e-8 : 1e-5, 500);
        how.single = true;
        how.batch = 32;
        support_case("method %d", method);
        memset(theta, 0, q.M * sizeof *theta);
        assert_true(iterate(&q, &how, theta).converged);
        assert_true(residual(&q, &want, theta) < 2e-4);
    }
    support_case(NULL);
    free(theta);
    drop_closed(&want);
    drop(&q);
}

/* More rows than a block, and more coefficients than rows. */
static void blocks_and_wide_problems(void **state) {
    (void)state;
    problem tall = make(1, 2500, INPUTS, OUTPUTS, D, true, false),
            wide = make(2, 30, INPUTS, OUTPUTS, 60, false, false);
    problem *both[] = {&tall, &wide};
    for (size_t i = 0; i < 2; i++) {
        closed_form want = solve_closed(both[i], 1e-3);
        for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_PCG; method++) {
            const orff_iteration how = settings((orff_solver)method, 1e-3, 1e-10, 2000);
            support_case("problem %zu, method %d", i, method);
            check_method(both[i], &how, &want);
        }
        drop_closed(&want);
        drop(both[i]);
    }
    support_case(NULL);
}

/* ---- outcomes */

static void too_few_iterations_are_not_convergence(void **state) {
    (void)state;
    problem q = make(0, N, INPUTS, OUTPUTS, D, false, false);
    closed_form want = solve_closed(&q, 1e-7);
    double *theta = support_zeros(q.M), *zero = support_zeros(q.M);
    for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_SGD; method++) {
        orff_iteration how = settings((orff_solver)method, 1e-7, 1e-10, 4);
        how.subsample = 10;
        how.batch = 32;
        support_case("method %d", method);
        memset(theta, 0, q.M * sizeof *theta);
        const orff_solve_info info = iterate(&q, &how, theta);
        assert_false(info.converged);
        assert_int_equal(info.iterations, 4);
        assert_true(info.residual > how.tolerance);
        assert_true(objective(&q, &how, theta) < objective(&q, &how, zero));
    }
    support_case(NULL);
    free(theta);
    free(zero);
    drop_closed(&want);
    drop(&q);
}

static void conditions_are_of_the_right_size(void **state) {
    (void)state;
    problem q = make(0, N, INPUTS, OUTPUTS, D, false, false);
    closed_form want = solve_closed(&q, 1e-4);
    double *theta = support_zeros(q.M), *values = support_zeros(q.M);
    assert_ok(orffi_eigen(q.M, want.G, values));
    const double condition = values[q.M - 1] / values[0];
    for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_PCG; method += 2) {
        const orff_iteration how = settings((orff_solver)method, 1e-4, 1e-12, 2000);
        memset(theta, 0, q.M * sizeof *theta);
        const orff_solve_info info = iterate(&q, &how, theta);
        support_case("method %d", method);
        assert_true(info.condition > condition / 5 && info.condition < condition * 2);
    }
    support_case(NULL);
    free(theta);
    free(values);
    drop_closed(&want);
    drop(&q);
}

static void zero_data_give_zero(void **state) {
    (void)state;
    problem q = make(0, 20, INPUTS, OUTPUTS, 5, false, false);
    double *theta = support_zeros(q.M);
    memset(q.Y, 0, q.n * q.p * sizeof *q.Y);
    for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_SGD; method++) {
        const orff_iteration how = settings((orff_solver)method, 1e-3, 1e-8, 10);
        for (size_t i = 0; i < q.M; i++) theta[i] = 1;
        assert_true(iterate(&q, &how, theta).converged);
        assert_true(norm(q.M, theta) == 0);
    }
    free(theta);
    drop(&q);
}

static void results_repeat_and_follow_the_seed(void **state) {
    (void)state;
    problem q = make(0, N, INPUTS, OUTPUTS, D, false, false);
    double *a = support_zeros(q.M), *b = support_zeros(q.M), *c = support_zeros(q.M);
    orff_iteration how = settings(ORFF_SOLVER_SGD, 1e-3, 0, 3);
    how.batch = 16;
    iterate(&q, &how, a);
    iterate(&q, &how, b);
    how.seed = 1;
    iterate(&q, &how, c);
    assert_memory_equal(a, b, q.M * sizeof *a);
    assert_true(distance(q.M, a, c) > 0);
    free(a);
    free(b);
    free(c);
    drop(&q);
}

/* ---- progress */

typedef struct watcher {
    double stop_at, last, total;
    size_t calls;
    bool ordered;
} watcher;

static bool watch(void *self, const char *task, double done, double total) {
    watcher *w = self;
    assert_string_equal(task, "iterate");
    w->ordered = w->ordered && done >= floor(w->last);
    w->last = done;
    w->total = total;
    w->calls++;
    return done < w->stop_at;
}

static void progress_is_told_and_cancels(void **state) {
    (void)state;
    problem q = make(0, N, INPUTS, OUTPUTS, D, false, false);
    double *theta = support_zeros(q.M), *before = support_zeros(q.M);
    for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_SGD; method++) {
        orff_iteration how = settings((orff_solver)method, 1e-6, 1e-12, 50);
        watcher w = {.stop_at = 3, .ordered = true};
        const orff_hooks hooks = {.progress = watch, .self = &w};
        orff_solve_info info = {.iterations = 77};
        how.subsample = 5;
        how.batch = 32;
        for (size_t i = 0; i < q.M; i++) theta[i] = before[i] = 0.1;
        orff_set_hooks(&hooks);
        assert_status(orff_iterate(q.f, q.n, q.X, q.Y, NULL, NULL, &how, theta, &info), ORFF_ERROR_CANCELLED);
        orff_set_hooks(NULL);
        assert_true(w.ordered && w.last >= 3 && w.last < 4 && w.total == 50 && w.calls > 3);
        assert_memory_equal(theta, before, q.M * sizeof *theta);
        assert_int_equal(info.iterations, 77);
    }
    free(theta);
    free(before);
    drop(&q);
}

/* ---- other losses */

/* Plain (sub)gradient descent with steps 1/sqrt(t) times a safe length, best value kept: slow, simple,
 * right. */
static double descend(const problem *q, const orff_iteration *how, double length, size_t steps) {
    double *theta = support_zeros(q->M), *F = support_zeros(q->n * q->p), *g = support_zeros(q->M),
           *G = support_zeros(q->p);
    double best = (double)INFINITY;
    for (size_t t = 1; t <= steps; t++) {
        double value = how->lambda * norm(q->M, theta) * norm(q->M, theta), loss;
        assert_ok(orff_features_apply(q->f, q->n, q->X, theta, F));
        for (size_t i = 0; i < q->n; i++) {
            const double share = weight_of(q, i) / total_of(q);
            for (size_t k = 0; q->intercept && k < q->p; k++) F[i * q->p + k] += q->intercept[k];
            assert_ok(orff_loss_evaluate(how->loss, how->loss_parameter, q->p, F + i * q->p, q->Y + i * q->p,
                                         &loss, G));
            value += share * loss;
            for (size_t k = 0; k < q->p; k++) F[i * q->p + k] = share * G[k];
        }
        best = fmin(best, value);
        assert_ok(orff_features_adjoint(q->f, q->n, q->X, F, g));
        for (size_t a = 0; a < q->M; a++)
            theta[a] -= length / sqrt((double)t) * (g[a] + 2 * how->lambda * theta[a]);
    }
    free(theta);
    free(F);
    free(g);
    free(G);
    return best;
}

static void make_codes(problem *q) {
    double codes[12];
    assert_ok(orff_simplex_codes(q->p + 1, codes));
    for (size_t i = 0; i < q->n; i++) {
        const double angle = q->X[i * q->d] + 0.3 * q->X[i * q->d + 1];
        const size_t cls = angle < -0.7 ? 0 : angle < 0.6 ? 1 : 2;
        memcpy(q->Y + i * q->p, codes + cls * q->p, q->p * sizeof *codes);
    }
}

/* Losses that are sums of max over low <= a <= high of a (linear + psi.theta): one row of psi for each such
 * variable. */
typedef struct box_dual {
    size_t count;
    double *psi, *linear, *low, *high, *share;
} box_dual;

static void add_variable(const problem *q, box_dual *dual, const double *Phi, size_t row, const double *turn,
                         double linear, double low, double high) {
    const size_t v = dual->count++;
    for (size_t a = 0; a < q->M; a++)
        for (size_t k = 0; k < q->p; k++) dual->psi[v * q->M + a] += Phi[a * q->p + k] * turn[k];
    for (size_t k = 0; q->intercept && k < q->p; k++) linear += q->intercept[k] * turn[k];
    dual->linear[v] = linear;
    dual->low[v] = low;
    dual->high[v] = high;
    dual->share[v] = weight_of(q, row) / total_of(q);
}

/* pinball: a (f - y) for a in [-tau, 1 - tau]; hinge: a (1/(T-1) + c_k.f) for a in [0,1], k not the row's
 * class. */
static box_dual make_dual(const problem *q, const orff_iteration *how) {
    const size_t most = q->n * (q->p + 1);
    box_dual dual = {0,
                     support_zeros(most * q->M),
                     support_zeros(most),
                     support_zeros(most),
                     support_zeros(most),
                     support_zeros(most)};
    double *Phi = support_zeros(q->M * q->p), codes[6], unit[2];
    assert_ok(orff_simplex_codes(q->p + 1, codes));
    for (size_t i = 0; i < q->n; i++) {
        const double *y = q->Y + i * q->p;
        assert_ok(orff_features_map(q->f, q->X + i * q->d, Phi));
        for (size_t k = 0; how->loss == ORFF_LOSS_PINBALL && k < q->p; k++) {
            unit[k] = 1;
            unit[1 - k] = 0;
            add_variable(q, &dual, Phi, i, unit, -y[k], -how->loss_parameter, 1 - how->loss_parameter);
        }
        for (size_t k = 0; how->loss == ORFF_LOSS_HINGE && k <= q->p; k++)
            if (distance(q->p, codes + k * q->p, y) > 0.1)
                add_variable(q, &dual, Phi, i, codes + k * q->p, 1.0 / (double)q->p, 0, 1);
    }
    free(Phi);
    return dual;
}

/* The minimum is at least the dual sum_v share a linear - |sum_v share a psi|^2 / (4 lambda) at any feasible
 * a: raised here one variable at a time. */
static double lower_bound(const problem *q, const orff_iteration *how, size_t rounds) {
    box_dual dual = make_dual(q, how);
    double *a = support_zeros(dual.count), *sum = support_zeros(q->M), value = 0;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t v = 0; v < dual.count; v++) {
            const double *psi = dual.psi + v * q->M, share = dual.share[v];
            const double square = orffi_vector_dot(q->M, psi, psi);
            if (share == 0 || square == 0) continue;
            const double slope = 2 * how->lambda * dual.linear[v] - orffi_vector_dot(q->M, psi, sum);
            const double next = fmin(fmax(a[v] + slope / (share * square), dual.low[v]), dual.high[v]);
            orffi_vector_add(q->M, share * (next - a[v]), psi, sum);
            a[v] = next;
        }
    }
    for (size_t v = 0; v < dual.count; v++) value += dual.share[v] * a[v] * dual.linear[v];
    value -= orffi_vector_dot(q->M, sum, sum) / (4 * how->lambda);
    double *const all[] = {dual.psi, dual.linear, dual.low, dual.high, dual.share, a, sum};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return value;
}

static problem loss_problem(orff_loss loss, double parameter, bool with, orff_iteration *how) {
    problem q = make(0, N, INPUTS, OUTPUTS, 12, with, with);
    if (loss >= ORFF_LOSS_LOGISTIC) make_codes(&q);
    *how = settings(ORFF_SOLVER_SGD, 1e-3, 1e-9, 300);
    how->loss = loss;
    how->loss_parameter = parameter;
    how->batch = 50;
    support_case("%s, weighted %d", orff_loss_name(loss), with);
    return q;
}

/* Smooth losses end with a small gradient. */
static void smooth_losses_reach_their_minimum(void **state) {
    (void)state;
    static const orff_loss losses[] = {ORFF_LOSS_HUBER, ORFF_LOSS_LOGISTIC};
    for (size_t c = 0; c < 4; c++) {
        orff_iteration how;
        problem q = loss_problem(losses[c / 2], 0.3, c % 2, &how);
        double *theta = support_zeros(q.M);
        const orff_solve_info info = iterate(&q, &how, theta);
        assert_string_equal(info.method, "sgd");
        assert_true(info.residual < 5e-3);
        assert_true(objective(&q, &how, theta) <= descend(&q, &how, 1.0, 500));
        free(theta);
        drop(&q);
    }
    support_case(NULL);
}

/* Losses with kinks end within one and a half percent of the dual's lower bound, and the bound holds. */
static void losses_with_kinks_reach_their_minimum(void **state) {
    (void)state;
    static const orff_loss losses[] = {ORFF_LOSS_PINBALL, ORFF_LOSS_HINGE};
    for (size_t c = 0; c < 4; c++) {
        orff_iteration how;
        problem q = loss_problem(losses[c / 2], 0.8, c % 2, &how);
        double *theta = support_zeros(q.M);
        const orff_solve_info info = iterate(&q, &how, theta);
        const double got = objective(&q, &how, theta), least = lower_bound(&q, &how, 1000);
        assert_true(got >= least && got <= least * 1.015);
        assert_true(info.iterations <= 300);
        free(theta);
        drop(&q);
    }
    support_case(NULL);
}

static void epsilon_is_no_worse_than_descent(void **state) {
    (void)state;
    for (int with = 0; with < 2; with++) {
        orff_iteration how;
        problem q = loss_problem(ORFF_LOSS_EPSILON, 0.1, with, &how);
        double *theta = support_zeros(q.M);
        iterate(&q, &how, theta);
        assert_true(objective(&q, &how, theta) <= descend(&q, &how, 1.0, 2000));
        free(theta);
        drop(&q);
    }
    support_case(NULL);
}

static void classes_are_separated(void **state) {
    (void)state;
    static const double centre[3][2] = {{-1.5, 0}, {1.5, 0.3}, {0, 1.8}};
    static const orff_loss losses[] = {ORFF_LOSS_LOGISTIC, ORFF_LOSS_HINGE};
    const orffi_rng rng = {.seed = 3, .stream = 3};
    double codes[6];
    assert_ok(orff_simplex_codes(3, codes));
    for (size_t l = 0; l < 2; l++) {
        problem q = make(0, N, 2, 2, D, false, false);
        double *theta = support_zeros(q.M), *F = support_zeros(q.n * 2);
        orff_iteration how = settings(ORFF_SOLVER_SGD, 1e-3, 1e-5, 60);
        size_t wrong = 0;
        how.loss = losses[l];
        how.batch = 32;
        for (size_t i = 0; i < q.n; i++) {
            for (uint32_t k = 0; k < 2; k++)
                q.X[i * 2 + k] = centre[i % 3][k] + 0.35 * orffi_rng_normal(rng, i, k);
            memcpy(q.Y + i * 2, codes + i % 3 * 2, 2 * sizeof *codes);
        }
        iterate(&q, &how, theta);
        assert_ok(orff_features_apply(q.f, q.n, q.X, theta, F));
        for (size_t i = 0; i < q.n; i++) {
            size_t best = 0;
            double score[3];
            for (size_t k = 0; k < 3; k++) {
                score[k] = codes[k * 2] * F[i * 2] + codes[k * 2 + 1] * F[i * 2 + 1];
                if (score[k] > score[best]) best = k;
            }
            wrong += best != i % 3;
        }
        assert_true(wrong <= 1);
        free(theta);
        free(F);
        drop(&q);
    }
}

/* A median does not see how far an outlier is; a mean does. And tau of the rows are below the
 * tau-quantile. */
static void quantiles_are_robust(void **state) {
    (void)state;
    problem q = make(0, N, 2, 1, 12, false, false);
    double *theta = support_zeros(q.M), *F = support_zeros(q.n), *far = support_zeros(q.n);
    orff_iteration how = settings(ORFF_SOLVER_SGD, 1e-3, 1e-9, 300);
    how.loss = ORFF_LOSS_PINBALL;
    how.loss_parameter = 0.5;
    how.batch = 50;
    q.Y[10] = 20;
    iterate(&q, &how, theta);
    assert_ok(orff_features_apply(q.f, q.n, q.X, theta, F));
    q.Y[10] = 2000;
    iterate(&q, &how, theta);
    assert_ok(orff_features_apply(q.f, q.n, q.X, theta, far));
    assert_true(distance(q.n, F, far) < 0.05 * norm(q.n, F));
    how.loss_parameter = 0.8;
    q.Y[10] = 0;
    memset(theta, 0, q.M * sizeof *theta);
    iterate(&q, &how, theta);
    assert_ok(orff_features_apply(q.f, q.n, q.X, theta, F));
    size_t below = 0;
    for (size_t i = 0; i < q.n; i++) below += q.Y[i] <= F[i];
    assert_true(fabs((double)below / (double)q.n - 0.8) < 0.08);
    free(theta);
    free(far);
    free(F);
    drop(&q);
}

/* ---- the operator of the data */

static void the_data_operator_is_an_operator(void **state) {
    (void)state;
    for (size_t rule = 0; rule < RULES; rule++) {
        problem q = make(rule, 40, INPUTS, OUTPUTS, 7, false, false);
        const size_t rows = q.n * q.p;
        double *root = support_zeros(q.n), *x = support_zeros(q.M), *u = support_zeros(rows),
               *out = support_zeros(q.M), *K = support_zeros(rows * rows);
        double *v = support_zeros(rows), *w = support_zeros(rows), trace;
        orffi_data data;
        for (size_t i = 0; i < q.n; i++) root[i] = 0.5 + 0.1 * (double)(i % 5);
        for (size_t i = 0; i < q.M; i++) x[i] = cos((double)i);
        for (size_t i = 0; i < rows; i++) v[i] = sin(3.0 * (double)i);
        assert_ok(orffi_data_fill(&data, q.f, q.n, q.X, root, false, NULL));
        const orffi_operator A = orffi_data_operator(&data);
        support_case("%s", rule_text[rule]);
        assert_ok(orffi_operator_apply(&A, x, u));
        assert_ok(orffi_operator_adjoint(&A, v, out));
        assert_close(orffi_vector_dot(rows, u, v), orffi_vector_dot(q.M, x, out),
                     1e-12); /* <A x, v> = <x, A^* v> */
        assert_ok(orffi_data_gram(&data, K));
        assert_ok(orffi_operator_apply(&A, out, u)); /* A A^* v = K v */
        orffi_gemm(false, false, rows, 1, rows, 1, K, rows, v, 1, 0, w, 1);
        assert_all_close(rows, u, w, 1e-11);
        assert_ok(orffi_features_trace(q.f, &trace));
        for (size_t i = 0; i < q.n; i++)
            assert_close((K[2 * i * rows + 2 * i] + K[(2 * i + 1) * rows + 2 * i + 1]) / (root[i] * root[i]),
                         trace, 1e-12);
        orffi_data_clear(&data);
        double *const all[] = {root, x, u, out, K, v, w};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
        drop(&q);
    }
    support_case(NULL);
}

/* ---- refusals */

static void assert_refuses(const problem *q, const orff_iteration *how, orff_status status,
                           const char *word) {
    double *theta = support_zeros(q->M);
    orff_solve_info info = {.iterations = 5};
    assert_status(orff_iterate(q->f, q->n, q->X, q->Y, q->weights, q->intercept, how, theta, &info), status);
    if (!strstr(orff_error_message(), word))
        fail_msg("\"%s\" does not say \"%s\"", orff_error_message(), word);
    assert_true(norm(q->M, theta) == 0 && info.iterations == 5);
    free(theta);
}

static void bad_settings_are_refused(void **state) {
    (void)state;
    problem q = make(0, 10, INPUTS, OUTPUTS, 3, false, false);
    orff_iteration how = orff_iteration_default();
    assert_int_equal(how.solver, ORFF_SOLVER_PCG);
    assert_true(how.lambda == 1e-6 && how.tolerance == 1e-8 && how.max_iterations == 500);
    assert_true(how.shadow == 4 && how.batch == 256 && how.loss == ORFF_LOSS_SQUARED && !how.single);
    how.lambda = 0;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "lambda is 0");
    how.lambda = (double)NAN;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "lambda");
    how.lambda = 1e-3;
    how.tolerance = -1;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "tolerance");
    how.tolerance = 1e-8;
    how.solver = (orff_solver)9;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "solver 9");
    how.solver = ORFF_SOLVER_LSMR;
    how.loss = ORFF_LOSS_LOGISTIC;
    assert_refuses(&q, &how, ORFF_ERROR_UNSUPPORTED, "the logistic loss needs sgd");
    how.solver = ORFF_SOLVER_SGD;
    how.loss = ORFF_LOSS_PINBALL;
    how.loss_parameter = 1.5;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "1.5");
    how.loss = ORFF_LOSS_SQUARED;
    how.batch = 0;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "batch");
    how.solver = ORFF_SOLVER_IDR;
    how.shadow = 0;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "shadow");
    assert_status(orff_iterate(NULL, 1, q.X, q.Y, NULL, NULL, &how, q.Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_iterate(q.f, 1, q.X, q.Y, NULL, NULL, NULL, q.Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    drop(&q);
}

static void bad_data_are_refused(void **state) {
    (void)state;
    problem q = make(0, 10, INPUTS, OUTPUTS, 3, true, true);
    const orff_iteration how = orff_iteration_default();
    q.Y[3] = (double)NAN;
    assert_refuses(&q, &how, ORFF_ERROR_NOT_FINITE, "Y is nan in row 2, column 2");
    q.Y[3] = 0;
    q.X[4] = (double)INFINITY;
    assert_refuses(&q, &how, ORFF_ERROR_NOT_FINITE, "X is inf in row 3, column 1");
    q.X[4] = 0;
    q.weights[6] = -0.5;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "row 7 is -0.5");
    memset(q.weights, 0, q.n * sizeof *q.weights);
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "sum");
    q.weights[0] = 1;
    q.intercept[1] = (double)NAN;
    assert_refuses(&q, &how, ORFF_ERROR_NOT_FINITE, "intercept");
    q.intercept[1] = 0;
    q.n = 0;
    assert_refuses(&q, &how, ORFF_ERROR_INVALID_ARGUMENT, "no rows");
    drop(&q);
}

/* One row, one frequency, a shadow space and a batch and a subsample larger than everything. */
static void the_smallest_problem(void **state) {
    (void)state;
    problem q = make(0, 1, 1, 1, 1, false, false);
    closed_form want = solve_closed(&q, 1e-2);
    for (int method = ORFF_SOLVER_LSMR; method <= ORFF_SOLVER_SGD; method++) {
        orff_iteration how = settings((orff_solver)method, 1e-2, 1e-12, 200);
        double theta[2] = {0, 0};
        how.subsample = 100;
        support_case("method %d", method);
        assert_true(iterate(&q, &how, theta).converged);
        assert_all_close(2, theta, want.theta, 1e-5);
    }
    support_case(NULL);
    drop_closed(&want);
    drop(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_data_operator_is_an_operator),
        cmocka_unit_test(every_method_reaches_the_closed_form),
        cmocka_unit_test(sgd_reaches_the_closed_form),
        cmocka_unit_test(start_values_are_used),
        cmocka_unit_test(single_precision_is_near),
        cmocka_unit_test(blocks_and_wide_problems),
        cmocka_unit_test(too_few_iterations_are_not_convergence),
        cmocka_unit_test(conditions_are_of_the_right_size),
        cmocka_unit_test(zero_data_give_zero),
        cmocka_unit_test(results_repeat_and_follow_the_seed),
        cmocka_unit_test(progress_is_told_and_cancels),
        cmocka_unit_test(smooth_losses_reach_their_minimum),
        cmocka_unit_test(losses_with_kinks_reach_their_minimum),
        cmocka_unit_test(epsilon_is_no_worse_than_descent),
        cmocka_unit_test(classes_are_separated),
        cmocka_unit_test(quantiles_are_robust),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(bad_data_are_refused),
        cmocka_unit_test(the_smallest_problem),
    };
    if (orff_set_threads(1)) return 1; /* the problems are too small to share */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
