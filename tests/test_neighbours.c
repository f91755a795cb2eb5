/* Nearest rows against a search over all of them, and the inverse by nearest neighbours against dense
 * matrices. */
#include "base/linalg.h"
#include "exact/neighbours.h"
#include "fields.h"

/* ---- who is nearest */

static double uniform(uint64_t seed, size_t i) {
    return orffi_rng_uniform((orffi_rng){seed, 11}, i, 0);
}

static int ascending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double square_between(size_t d, const double *x, const double *y, const double *scale) {
    double square = 0.0;
    for (size_t i = 0; i < d; i++) {
        const double step = (x[i] - y[i]) / scale[i];
        square += step * step;
    }
    return square;
}

/* The rows that came are rows[0 .. count): k smallest distances, each of a row of its own, nearest first. */
static void assert_nearest(const orffi_near *near, size_t count, const size_t *rows, const double *x,
                           size_t k) {
    double *want = support_zeros(count), *got = support_zeros(k);
    size_t *found = calloc(k + 1, sizeof *found);
    bool *seen = calloc(near->n + 1, sizeof *seen), *came = calloc(near->n + 1, sizeof *came);
    const size_t expected = k < count ? k : count;
    for (size_t i = 0; i < count; i++) {
        want[i] = square_between(near->d, x, near->X + rows[i] * near->d, near->scale);
        came[rows[i]] = true;
    }
    qsort(want, count, sizeof *want, ascending);
    assert_int_equal(orffi_near_find(near, x, k, found, got), expected);
    for (size_t i = 0; i < expected; i++) {
        assert_true(found[i] < near->n && came[found[i]] && !seen[found[i]]);
        seen[found[i]] = true;
        assert_true(got[i] == want[i]);
        assert_true(got[i] == square_between(near->d, x, near->X + found[i] * near->d, near->scale));
    }
    free(want);
    free(got);
    free(found);
    free(seen);
    free(came);
}

typedef struct layout {
    const char *name;
    size_t n;
    void (*put)(size_t n, size_t d, double *X);
} layout;

static void put_anyhow(size_t n, size_t d, double *X) {
    for (size_t i = 0; i < n * d; i++) X[i] = uniform(1, i);
}

/* Nearly all in a heap that is a millionth of the whole, a few far away. */
static void put_heap(size_t n, size_t d, double *X) {
    for (size_t i = 0; i < n * d; i++) X[i] = (i / d % 500 == 7 ? 1.0 : 1e-6) * uniform(2, i);
}

static void put_equal(size_t n, size_t d, double *X) {
    for (size_t i = 0; i < n * d; i++) X[i] = 0.3 + (double)(i % d);
}

static void put_line(size_t n, size_t d, double *X) {
    for (size_t i = 0; i < n * d; i++) X[i] = i % d == 0 ? uniform(3, i) : 5.0;
}

static void put_diagonal(size_t n, size_t d, double *X) {
    for (size_t i = 0; i < n * d; i++) X[i] = uniform(4, i / d);
}

static void put_grid(size_t n, size_t d, double *X) {
    for (size_t i = 0; i < n * d; i++) X[i] = (double)((i / d * 7 + i % d * i) % 13);
}

static void put_huge(size_t n, size_t d, double *X) {
    for (size_t i = 0; i < n * d; i++) X[i] = 1e150 * (uniform(5, i) - 0.5);
}

static void put_tiny(size_t n, size_t d, double *X) {
    for (size_t i = 0; i < n * d; i++) X[i] = 1e-150 * uniform(6, i);
}

static const layout layouts[] = {
    {"anyhow", 900, put_anyhow},       {"one row", 1, put_anyhow},    {"two rows", 2, put_anyhow},
    {"a heap", 6000, put_heap},        {"all equal", 700, put_equal}, {"a line", 600, put_line},
    {"a diagonal", 600, put_diagonal}, {"a grid", 800, put_grid},     {"huge", 500, put_huge},
    {"tiny", 500, put_tiny},
};

/* Points among the rows, on rows, outside on all sides, far away. */
static void pick_point(const layout *l, size_t d, const double *X, size_t i, double *x) {
    for (size_t k = 0; k < d; k++) {
        const double a = X[i % l->n * d + k], b = X[(i * 31 + 1) % l->n * d + k];
        x[k] = i % 4 == 0   ? a
               : i % 4 == 1 ? a + uniform(7, i * 3 + k) * (b - a)
               : i % 4 == 2 ? 3.0 * b - 2.0 * a
                            : -a;
    }
    if (i % 16 == 15) x[0] += 1e6 * (fabs(x[0]) + 1e-150);
}

static size_t orthant_of(const orffi_near *near, const double *x, size_t row) {
    size_t orthant = 0;
    for (size_t i = 0; i < near->d; i++) orthant += (size_t)(near->X[row * near->d + i] >= x[i]) << i;
    return orthant;
}

/* All came: k rows, each once, at least half of them the nearest, and of each orthant half of its share or all that it has. */
static void assert_around(const orffi_near *near, const double *x, size_t k) {
    const size_t n = near->n, share = k >> (near->d + 1);
    size_t *found = calloc(k, sizeof *found), *nearest = calloc(k, sizeof *nearest), had[8] = {0},
           has[8] = {0}, kept = 0;
    double *squares = support_zeros(k);
    bool *seen = calloc(n, sizeof *seen);
    assert_int_equal(orffi_near_find(near, x, k, nearest, squares), k);
    assert_int_equal(orffi_near_around(near, x, k, found, squares), k);
    for (size_t i = 0; i < n; i++) has[orthant_of(near, x, i)]++;
    for (size_t i = 0; i < k; i++) {
        assert_true(found[i] < n && !seen[found[i]]);
        assert_true(squares[i] == square_between(near->d, x, near->X + found[i] * near->d, near->scale));
        seen[found[i]] = true;
        had[orthant_of(near, x, found[i])]++;
    }
    for (size_t i = 0; i < k; i++) kept += seen[nearest[i]];
    assert_true(2 * kept >= k);
    for (size_t o = 0; o < 8; o++) assert_true(had[o] >= (has[o] < share ? has[o] : share));
    free(found);
    free(nearest);
    free(squares);
    free(seen);
}

static void check_layout(const layout *l, size_t d, const double *scale) {
    orffi_near near;
    double *X = support_zeros(l->n * d), x[3];
    size_t *rows = calloc(l->n, sizeof *rows);
    l->put(l->n, d, X);
    support_case("%s, %zu inputs", l->name, d);
    assert_ok(orffi_near_init(&near, l->n, d, X, scale, NULL));
    assert_nearest(&near, 0, rows, X, 3);
    for (size_t i = 0; i < l->n; i++) {
        rows[i] = i * 401 % l->n; /* 401 is prime to all sizes */
        orffi_near_add(&near, rows[i]);
        if (i < 5 || i % 61 == 0) assert_nearest(&near, i + 1, rows, X + i * d, 30);
    }
    for (size_t i = 0; i < 32; i++) {
        pick_point(l, d, X, i, x);
        assert_nearest(&near, l->n, rows, x, i % 2 ? 30 : 1);
        if (l->n > 30) assert_around(&near, x, 30);
    }
    assert_nearest(&near, l->n, rows, X, l->n + 5);
    orffi_near_clear(&near);
    free(rows);
    free(X);
}

static void nearest_rows_are_found(void **state) {
    (void)state;
    const double alike[] = {1.0, 1.0, 1.0}, unequal[] = {0.01, 7.0, 1.3};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (size_t d = 1; d <= 3; d++) {
            check_layout(&layouts[i], d, alike);
            check_layout(&layouts[i], d, unequal);
        }
    support_case(NULL);
}

/* Distances that are no numbers any more: some rows come, and soon. */
static void infinite_extents_end(void **state) {
    (void)state;
    const double scale[] = {1.0, 1e-5, 1.0};
    double X[200 * 3], found_squares[9];
    size_t found[9];
    for (size_t d = 1; d <= 3; d++) {
        orffi_near near;
        for (size_t i = 0; i < 200 * d; i++) X[i] = (i % 3 ? 1.0 : -1.0) * 1.7e308 * uniform(8, i);
        assert_ok(orffi_near_init(&near, 200, d, X, scale, NULL));
        for (size_t i = 0; i < 200; i++) orffi_near_add(&near, i);
        for (size_t i = 0; i < 20; i++)
            assert_int_equal(orffi_near_find(&near, X + i * d, 9, found, found_squares), 9);
        orffi_near_clear(&near);
    }
}

/* ---- the factor */

typedef struct problem {
    orff_kernel *kernel;
    size_t n, d, q;
    bool scalar;
    double *X, *weights;
    double noise;
    double *A; /* (n q) x (n q): K + noise / c */
} problem;

static const double unequal_sigmas[] = {0.5, 0.9, 0.7};

static const orff_part rules[] = {
    {.rule = ORFF_RULE_DECOMPOSABLE, .base = ORFF_BASE_GAUSSIAN, .sigma = 0.4, .weight = 1.7},
    {.rule = ORFF_RULE_DECOMPOSABLE,
     .base = ORFF_BASE_MATERN,
     .shape = 0.5,
     .sigmas = unequal_sigmas,
     .weight = 0.3},
    {.rule = ORFF_RULE_DIV_FREE, .base = ORFF_BASE_GAUSSIAN, .sigma = 0.7, .weight = 1.0},
    {.rule = ORFF_RULE_CURL_FREE, .base = ORFF_BASE_MATERN, .shape = 2.5, .sigma = 0.5, .weight = 2.0},
    {.rule = ORFF_RULE_HELMHOLTZ, .base = ORFF_BASE_GAUSSIAN, .sigma = 0.6, .mix = 0.3, .weight = 1.0},
};

static problem make(size_t rule, size_t n, size_t d, bool weighted, double noise) {
    problem t = {.n = n, .d = d, .scalar = rule < 2, .noise = noise};
    const size_t p = t.scalar ? 1 : d;
    t.q = t.scalar ? 1 : p;
    assert_ok(orff_kernel_create(&t.kernel, d, p, 1, &rules[rule]));
    t.X = support_zeros(n * d);
    for (size_t i = 0; i < n * d; i++) t.X[i] = 2.0 * uniform(21, i) - 1.0;
    if (weighted) {
        t.weights = support_zeros(n);
        for (size_t i = 0; i < n; i++) t.weights[i] = 0.2 + 2.0 * uniform(22, i);
    }
    return t;
}

static void fill_dense(problem *t) {
    const size_t side = t->n * t->q;
    t->A = support_zeros(side * side);
    assert_ok(orff_kernel_gram(t->kernel, t->n, t->X, t->n, t->X, t->A));
    for (size_t i = 0; i < side; i++)
        t->A[i * (side + 1)] += t->noise / (t->weights ? t->weights[i / t->q] : 1.0);
}

static void problem_clear(problem *t) {
    orff_kernel_free(t->kernel);
    free(t->X);
    free(t->weights);
    free(t->A);
}

static void assert_inverse(const problem *t, const orffi_neighbours *nb) {
    const size_t side = t->n * t->q;
    double *in = models_normal(side, 5), *out = support_zeros(side), *back = support_zeros(side);
    orffi_neighbours_apply(nb, 1, in, out);
    orffi_gemm(false, false, side, 1, side, 1.0, t->A, side, out, 1, 0.0, back, 1);
    assert_all_close(side, back, in, 1e-8);
    free(in);
    free(out);
    free(back);
}

/* log det, the blocks of the inverse, and what leaving out a row makes wrong, against the dense matrix. */
static void assert_dense(const problem *t, const orffi_neighbours *nb) {
    const size_t side = t->n * t->q, q = t->q;
    double *inverse = support_zeros(side * side), *blocks = support_zeros(t->n * q * q), log_det = 0.0,
           error[3];
    double *y = models_normal(side, 6), *alpha = support_zeros(side);
    memcpy(inverse, t->A, side * side * sizeof *inverse);
    assert_ok(orffi_cholesky(side, inverse));
    for (size_t i = 0; i < side; i++) log_det += 2.0 * log(inverse[i * (side + 1)]);
    assert_close(nb->log_det, log_det, 1e-9);
    assert_ok(orffi_cholesky_inverse(side, inverse));
    orffi_gemm(false, false, side, 1, side, 1.0, inverse, side, y, 1, 0.0, alpha, 1);
    orffi_neighbours_blocks(nb, blocks);
    for (size_t i = 0; i < t->n; i++) {
        double again[3] = {0};
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++)
                assert_close(blocks[(i * q + a) * q + b], inverse[(i * q + a) * side + i * q + b], 1e-8);
        orffi_neighbours_leave_out(nb, blocks + i * q * q, alpha + i * q, error);
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++) again[a] += inverse[(i * q + a) * side + i * q + b] * error[b];
        assert_all_close(q, again, alpha + i * q, 1e-8);
    }
    free(inverse);
    free(blocks);
    free(y);
    free(alpha);
}

static void all_neighbours_are_exact(void **state) {
    (void)state;
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++)
        for (size_t d = 1; d <= 3; d++)
            for (size_t weighted = 0; weighted < 2; weighted++) {
                if (rule == 1 && d < 3 && weighted) continue;
                if ((rule == 2 || rule == 4) && d == 1) continue; /* no such field on a line */
                problem t = make(rule, 25, d, weighted, 0.05);
                orffi_neighbours nb;
                fill_dense(&t);
                support_case("rule %zu, %zu inputs%s", rule, d, weighted ? ", weights" : "");
                assert_ok(orffi_neighbours_init(&nb, t.kernel, t.scalar, t.n, d, t.X, t.weights, t.n, 3));
                assert_ok(orffi_neighbours_factor(&nb, t.noise));
                assert_inverse(&t, &nb);
                assert_dense(&t, &nb);
                orffi_neighbours_clear(&nb);
                problem_clear(&t);
            }
    support_case(NULL);
}

/* The bits of the factor do not depend on the number of threads, and a second noise is as if it were the first. */
static void threads_change_nothing(void **state) {
    (void)state;
    problem t = make(2, 400, 2, true, 0.01);
    const size_t numbers = t.n * t.q * 20 * t.q;
    double *B = support_zeros(numbers), log_det = 0.0;
    for (size_t threads = 1; threads <= 4; threads *= 2) {
        orffi_neighbours nb;
        assert_ok(orff_set_threads(threads));
        assert_ok(orffi_neighbours_init(&nb, t.kernel, false, t.n, t.d, t.X, t.weights, 20, 3));
        if (threads == 2) assert_ok(orffi_neighbours_factor(&nb, 7.0));
        assert_ok(orffi_neighbours_factor(&nb, t.noise));
        if (threads == 1) {
            memcpy(B, nb.B, numbers * sizeof *B);
            log_det = nb.log_det;
        }
        assert_true(log_det == nb.log_det);
        assert_memory_equal(B, nb.B, numbers * sizeof *B);
        orffi_neighbours_clear(&nb);
    }
    assert_ok(orff_set_threads(0));
    free(B);
    problem_clear(&t);
}

/* Many rows in one place, and far too little noise to tell them apart: positive, finite, and a preconditioner. */
static void duplicates_stay_positive(void **state) {
    (void)state;
    const double noises[] = {1.0, 1e-6, 1e-13, 1e-30};
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++)
        for (size_t k = 0; k < 4; k++) {
            problem t = make(rule, 120, 2, false, noises[k]);
            orffi_neighbours nb;
            double *in = models_normal(t.n * t.q, 9), *out = support_zeros(t.n * t.q);
            for (size_t i = 0; i < t.n; i++) memcpy(t.X + i * 2, t.X + i % 6 * 2, 2 * sizeof *t.X);
            support_case("rule %zu, noise %g", rule, noises[k]);
            assert_ok(orffi_neighbours_init(&nb, t.kernel, t.scalar, t.n, 2, t.X, NULL, 30, 1));
            assert_ok(orffi_neighbours_factor(&nb, noises[k]));
            assert_true(isfinite(nb.log_det));
            orffi_neighbours_apply(&nb, 1, in, out);
            assert_true(orffi_dot(t.n * t.q, in, out) > 0.0);
            for (size_t i = 0; i < t.n * t.q; i++) assert_true(isfinite(out[i]));
            orffi_neighbours_clear(&nb);
            problem_clear(&t);
            free(in);
            free(out);
        }
    support_case(NULL);
}

/* ---- the variance at a new point */

static void assert_variance(const problem *t, const orffi_near *near, const double *x, size_t k,
                            double slack) {
    const size_t side = t->n * t->q, q = t->q;
    double *C = support_zeros(q * side), *L = support_zeros(side * side), *S = support_zeros(side * q);
    double want[9], got[9], prior[9], *work = support_zeros(orffi_neighbours_room(k, q));
    size_t *rows = malloc((k + 1) * sizeof *rows);
    assert_non_null(rows);
    memcpy(L, t->A, side * side * sizeof *L);
    assert_ok(orff_kernel_gram(t->kernel, 1, x, t->n, t->X, C));
    for (size_t i = 0; i < side * q; i++) S[i] = C[i % q * side + i / q];
    assert_ok(orffi_cholesky(side, L));
    assert_ok(orffi_cholesky_solve(side, L, q, S));
    assert_ok(orff_kernel_eval(t->kernel, x, x, want));
    memcpy(prior, want, sizeof prior);
    orffi_gemm(false, false, q, q, side, -1.0, C, side, S, q, 1.0, want, q);
    assert_ok(orffi_neighbours_covariance(t->kernel, t->scalar, near, t->weights, t->noise, k, x, rows, work,
                                          got, NULL, NULL));
    for (size_t a = 0; a < q; a++) {
        assert_true(got[a * (q + 1)] >= want[a * (q + 1)] - 1e-9); /* fewer rows know less */
        assert_true(got[a * (q + 1)] - want[a * (q + 1)] <= slack * prior[a * (q + 1)]);
    }
    if (k >= t->n) assert_all_close(q * q, got, want, 1e-9);
    free(C);
    free(L);
    free(S);
    free(rows);
    free(work);
}

static void variances_are_those_of_all_rows(void **state) {
    (void)state;
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++) {
        problem t = make(rule, 150, 2, rule % 2, 0.02);
        orffi_near near;
        fill_dense(&t);
        support_case("rule %zu", rule);
        assert_ok(orffi_near_init(&near, t.n, t.d, t.X, t.kernel->parts[0].law.scale, NULL));
        for (size_t i = 0; i < t.n; i++) orffi_near_add(&near, i);
        for (size_t i = 0; i < 12; i++) {
            double x[2] = {2.4 * uniform(31, 2 * i) - 1.2, 2.4 * uniform(31, 2 * i + 1) - 1.2};
            assert_variance(&t, &near, x, t.n, 1e-9);
            assert_variance(&t, &near, x, 60, 0.05);
        }
        orffi_near_clear(&near);
        problem_clear(&t);
    }
    support_case(NULL);
}

/* Rows as dense as grass on both sides of a gap: with an exponential kernel the two on its edges say all. The nearest sixty lie on
 * one side of it. */
static void gaps_have_two_edges(void **state) {
    (void)state;
    enum { SIDE = 200, K = 60 };
    const double scale[] = {1.0}, gap = 1.0, noise = 1e-9;
    double X[2 * SIDE], *work = support_zeros(orffi_neighbours_room(K, 1)), got, B[K];
    size_t rows[K], count;
    orff_kernel *kernel = NULL;
    orffi_near near;
    const orff_part part = support_part(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 0.5, 1.0);
    for (size_t i = 0; i < SIDE; i++) {
        X[i] = -(double)i / SIDE;
        X[SIDE + i] = gap + (double)i / SIDE;
    }
    assert_ok(orff_kernel_create(&kernel, 1, 1, 1, &part));
    assert_ok(orffi_near_init(&near, 2 * SIDE, 1, X, scale, NULL));
    for (size_t i = 0; i < 2 * SIDE; i++) orffi_near_add(&near, i);
    for (double x = 0.05; x < gap; x += 0.1) {
        const double left = exp(-x), right = exp(x - gap), both = exp(-gap);
        const double want =
            1.0 - (left * left + right * right - 2.0 * left * right * both) / (1.0 - both * both);
        assert_ok(orffi_neighbours_covariance(kernel, true, &near, NULL, noise, K, &x, rows, work, &got, B,
                                              &count));
        assert_int_equal(count, K);
        assert_close(got, want, 1e-5);
    }
    orffi_near_clear(&near);
    orff_kernel_free(kernel);
    free(work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_rows_are_found),   cmocka_unit_test(infinite_extents_end),
        cmocka_unit_test(all_neighbours_are_exact), cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(duplicates_stay_positive), cmocka_unit_test(variances_are_those_of_all_rows),
        cmocka_unit_test(gaps_have_two_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
