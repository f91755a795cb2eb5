/* Moments, operator, block, solution and determinant of a lattice against sums over rows and over all pairs of modes. */
#include <complex.h>

#include "base/linalg.h"
#include "fields.h"
#include "lattice/fft.h"
#include "lattice/solve.h"

enum { N = 60 };

/* ---- problems */

typedef struct lattice_case {
    const char *name;
    size_t d, p, n_parts, m[3];
    orff_part parts[3];
} lattice_case;

static const double full[] = {2.0, 0.6, 0.6, 0.7}, one_column[] = {1.0, -0.5}, uneven[] = {0.5, 0.8, 0.6};

static const lattice_case cases[] = {
    {"line", 1, 1, 1, {11}, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.4}}},
    {"gradient on a line", 1, 1, 1, {9}, {{.rule = ORFF_RULE_CURL_FREE, .sigma = 0.5}}},
    {"identity", 2, 2, 1, {5, 3}, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigmas = uneven}}},
    {"full A", 2, 2, 1, {3, 5}, {{.rule = ORFF_RULE_DECOMPOSABLE, .A = full, .sigma = 0.5}}},
    {"rank 1",
     2,
     2,
     1,
     {4, 4},
     {{.rule = ORFF_RULE_DECOMPOSABLE, .B = one_column, .columns = 1, .sigma = 0.5}}},
    {"div-free", 2, 2, 1, {4, 5}, {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.6}}},
    {"curl-free in space",
     3,
     3,
     1,
     {2, 3, 2},
     {{.rule = ORFF_RULE_CURL_FREE, .base = ORFF_BASE_MATERN, .shape = 2.5, .sigma = 0.8}}},
    {"div-free in space", 3, 3, 1, {2, 2, 2}, {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.8}}},
    {"helmholtz", 2, 2, 1, {4, 4}, {{.rule = ORFF_RULE_HELMHOLTZ, .mix = 0.3, .sigma = 0.6}}},
    {"custom", 2, 2, 1, {4, 3}, {{.rule = ORFF_RULE_CUSTOM_B, .columns = 1, .matrix = models_custom_b}}},
    {"sum",
     2,
     2,
     3,
     {4, 3},
     {{.rule = ORFF_RULE_CURL_FREE, .sigma = 0.7},
      {.rule = ORFF_RULE_DIV_FREE, .sigma = 0.9, .weight = 0.4},
      {.rule = ORFF_RULE_DECOMPOSABLE, .A = full, .base = ORFF_BASE_MATERN, .shape = 1.5}}},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct problem {
    const lattice_case *c;
    orff_kernel *kernel;
    orffi_lattice lattice;
    double *X, *Y, *weights;
    orffi_lattice_moments *moments;
    orffi_lattice_set all;
    orffi_lattice_system system;
} problem;

static orffi_lattice lattice_of(const lattice_case *c) {
    orffi_lattice l = {.d = c->d};
    for (size_t i = 0; i < c->d; i++) {
        l.m[i] = c->m[i];
        l.grid[i] = orffi_fft_size(4 * c->m[i] + 1);
        l.period[i] = 3.0 + 0.7 * (double)i;
        l.center[i] = 0.2 - 0.1 * (double)i;
        l.inside[i] = 0.5 * l.period[i];
    }
    return l;
}

static orffi_lattice_moments *sum_up(const problem *t, size_t folds, size_t draws, size_t step) {
    const orffi_lattice_pass pass = {
        .p = t->c->p, .draws = draws, .tolerance = 1e-12, .folds = {.folds = folds, .seed = 4}};
    orffi_lattice_moments *moments = NULL;
    orffi_lattice_sums *sums = NULL;
    assert_ok(orffi_lattice_moments_create(&moments, &t->lattice, &pass));
    assert_ok(orffi_lattice_sums_create(&sums, moments, &pass));
    for (size_t i = 0; i < N; i += step)
        assert_ok(orffi_lattice_sums_add(sums, N - i < step ? N - i : step, t->X + i * t->c->d,
                                         t->Y + i * t->c->p, t->weights + i));
    assert_ok(orffi_lattice_sums_finish(sums));
    orffi_lattice_sums_free(sums);
    return moments;
}

/* The system points to the lattice of the problem, which stays where it is. */
static void make(problem *out, const lattice_case *c) {
    problem t = {.c = c, .lattice = lattice_of(c)};
    orff_part parts[3];
    support_case("%s", c->name);
    for (size_t m = 0; m < 3; m++) parts[m] = models_part(c->parts[m]);
    assert_ok(orff_kernel_create(&t.kernel, c->d, c->p, c->n_parts, parts));
    t.X = support_zeros(N * c->d);
    t.Y = models_normal(N * c->p, 3);
    t.weights = support_zeros(N);
    for (size_t i = 0; i < N * c->d; i++) t.X[i] = 2.0 * orffi_rng_uniform((orffi_rng){8, 1}, i, 0) - 1.0;
    for (size_t i = 0; i < N; i++)
        t.weights[i] = i % 9 ? 0.3 + orffi_rng_uniform((orffi_rng){8, 2}, i, 0) : 0.0;
    t.moments = sum_up(&t, 1, 0, N);
    assert_ok(orffi_lattice_set_init(t.moments, &t.all));
    orffi_lattice_moments_sum(t.moments, t.moments->n_sets, &t.all);
    *out = t;
    assert_ok(orffi_lattice_system_init(&out->system, &out->lattice, t.kernel, false));
    assert_ok(orffi_lattice_system_fill(&out->system, t.all.rho));
}

static void clear(problem *t) {
    orffi_lattice_system_clear(&t->system);
    orffi_lattice_set_clear(&t->all);
    orffi_lattice_moments_free(t->moments);
    orff_kernel_free(t->kernel);
    free(t->X);
    free(t->Y);
    free(t->weights);
}

/* ---- sums over rows */

/* sum_n c_n exp(-i <w_k, x_n>), and of c_n y_na; column 0 is the density. */
static orffi_mode direct_sum(const problem *t, const long *k, size_t column) {
    orffi_mode sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        double phase = 0.0;
        for (size_t j = 0; j < t->c->d; j++)
            phase += 2.0 * acos(-1.0) * (double)k[j] * (t->X[i * t->c->d + j] - t->lattice.center[j]) /
                     t->lattice.period[j];
        sum += t->weights[i] * (column ? t->Y[i * t->c->p + column - 1] : 1.0) * cexp(-I * phase);
    }
    return sum;
}

static void assert_modes(size_t n, const orffi_mode *got, const orffi_mode *want, double tol) {
    assert_all_close(2 * n, (const double *)got, (const double *)want, tol);
}

static void moments_are_sums_over_rows(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        problem t;
        make(&t, &cases[c]);
        const size_t p = t.c->p, H = orffi_lattice_modes(&t.lattice);
        orffi_lattice twice = t.lattice;
        long k[3];
        for (size_t i = 0; i < twice.d; i++) twice.m[i] *= 2;
        for (size_t h = 0; h < orffi_lattice_modes(&twice); h++) {
            orffi_lattice_place(&twice, h, k);
            assert_int_equal(orffi_lattice_find(&twice, k), h);
            const orffi_mode want = direct_sum(&t, k, 0);
            assert_modes(1, &t.all.rho[h], &want, 1e-9);
        }
        for (size_t i = 0; i < p * H; i++) {
            orffi_lattice_place(&t.lattice, i % H, k);
            const orffi_mode want = direct_sum(&t, k, 1 + i / H);
            assert_modes(1, &t.all.R[i], &want, 1e-9);
        }
        for (size_t a = 0; a <= p; a++)
            for (size_t b = 0; b <= p; b++) {
                double want = 0.0;
                for (size_t i = 0; i < N; i++)
                    want += t.weights[i] * (a < p ? t.Y[i * p + a] : 1.0) * (b < p ? t.Y[i * p + b] : 1.0);
                assert_close(t.all.T[a * (p + 1) + b], want, 1e-12);
            }
        assert_int_equal(t.all.rows, N - (N + 8) / 9); /* those with a weight */
        clear(&t);
    }
}

static void assert_same_sets(const problem *t, const orffi_lattice_set *a, const orffi_lattice_set *b,
                             double tol) {
    const size_t H = orffi_lattice_modes(&t->lattice), side = t->c->p + 1;
    assert_modes(orffi_lattice_density_modes(&t->lattice), a->rho, b->rho, tol);
    assert_modes(t->c->p * H, a->R, b->R, tol);
    assert_all_close(side * side, a->T, b->T, tol);
    assert_close(a->logs, b->logs, tol);
    assert_int_equal(a->rows, b->rows);
}

/* Folds add up to the whole, what is subtracted is gone, the size of blocks changes nothing. */
static void folds_add_up_and_subtract(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        problem t;
        make(&t, &cases[c]);
        orffi_lattice_moments *folds = sum_up(&t, 4, 0, 7);
        orffi_lattice_set whole, rest;
        assert_int_equal(folds->n_sets, 4);
        assert_ok(orffi_lattice_set_init(folds, &whole));
        orffi_lattice_moments_sum(folds, 4, &whole);
        assert_same_sets(&t, &whole, &t.all, 1e-9);
        for (size_t k = 0; k < 4; k++) {
            assert_ok(orffi_lattice_set_init(folds, &rest));
            orffi_lattice_moments_sum(folds, k, &rest);
            assert_true(rest.rows < t.all.rows && rest.rows > N / 3);
            orffi_lattice_set_add(folds, &rest, 1.0, &folds->sets[k]);
            orffi_lattice_set_add(folds, &rest, -1.0, &folds->sets[k]);
            orffi_lattice_set_add(folds, &rest, 1.0, &folds->sets[k]);
            assert_same_sets(&t, &rest, &t.all, 1e-9);
            orffi_lattice_set_clear(&rest);
        }
        orffi_lattice_set_clear(&whole);
        orffi_lattice_moments_free(folds);
        clear(&t);
    }
}

/* Random signs are the same for the same rows, whatever the blocks, and have the covariance of rows: E e e^* = rho(k - l). */
static void signs_have_the_rows_covariance(void **state) {
    (void)state;
    enum { DRAWS = 600 };
    problem t;
    make(&t, &cases[0]);
    orffi_lattice_moments *a = sum_up(&t, 1, DRAWS, N), *b = sum_up(&t, 1, DRAWS, 11);
    const size_t H = orffi_lattice_modes(&t.lattice);
    const double size = creal(
        t.all.rho[orffi_lattice_find(&(orffi_lattice){.d = 1, .m = {2 * t.lattice.m[0]}}, (long[3]){0})]);
    assert_modes(DRAWS * H, a->E, b->E, 1e-9);
    for (size_t h = 0; h < H; h++) {
        double power = 0.0;
        for (size_t r = 0; r < DRAWS; r++) power += pow(cabs(a->E[r * H + h]), 2) / DRAWS;
        assert_true(fabs(power / size - 1.0) < 5.0 * sqrt(2.0 / DRAWS));
    }
    orffi_lattice_moments_free(a);
    orffi_lattice_moments_free(b);
    clear(&t);
}

/* ---- the operator */

/* theta of any k, from the half space. */
static orffi_mode mode_at(const orffi_lattice *l, const orffi_mode *half, const long *k) {
    long minus[3] = {-k[0], -k[1], -k[2]};
    return k[l->d - 1] >= 0 ? half[orffi_lattice_find(l, k)] : conj(half[orffi_lattice_find(l, minus)]);
}

static size_t mode_of(const orffi_lattice *l, const long *k) {
    long minus[3] = {-k[0], -k[1], -k[2]};
    return orffi_lattice_find(l, k[l->d - 1] >= 0 ? k : minus);
}

/* All k of the lattice: count of them. */
static size_t list_all(const orffi_lattice *l, long (*list)[3]) {
    size_t count = 0;
    long top[3] = {0};
    for (size_t i = 0; i < l->d; i++) top[i] = (long)l->m[i];
    for (long a = -top[0]; a <= top[0]; a++)
        for (long b = -top[1]; b <= top[1]; b++)
            for (long c = -top[2]; c <= top[2]; c++) {
                const long k[3] = {a, b, c};
                memcpy(list[count++], k, sizeof k);
            }
    return count;
}

/* out_k = sum_l W_k^T rho(k - l) W_l theta_l, pair by pair. */
static void direct_apply(const problem *t, const orffi_mode *theta, orffi_mode *out) {
    const orffi_lattice_system *s = &t->system;
    const orffi_lattice *l = &t->lattice;
    orffi_lattice twice = *l;
    long list[2000][3], k[3] = {0}, step[3] = {0};
    const size_t count = list_all(l, list);
    for (size_t i = 0; i < l->d; i++) twice.m[i] *= 2;
    for (size_t h = 0; h < s->H; h++) {
        orffi_lattice_place(l, h, k);
        for (size_t c = 0; c < s->r; c++) out[c * s->H + h] = 0.0;
        for (size_t j = 0; j < count; j++) {
            const size_t from = mode_of(l, list[j]);
            for (size_t i = 0; i < l->d; i++) step[i] = k[i] - list[j][i];
            const orffi_mode rho = mode_at(&twice, t->all.rho, step);
            for (size_t c = 0; c < s->r; c++)
                for (size_t e = 0; e < s->r; e++)
                    for (size_t a = 0; a < s->p; a++)
                        out[c * s->H + h] += s->W[(a * s->r + c) * s->H + h] * rho *
                                             s->W[(a * s->r + e) * s->H + from] *
                                             mode_at(l, theta + e * s->H, list[j]);
        }
    }
}

static orffi_mode *new_modes(size_t n) {
    return (orffi_mode *)support_zeros(2 * n);
}

static void operator_is_the_sum_over_pairs(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        problem t;
        make(&t, &cases[c]);
        const size_t n = t.system.r * t.system.H;
        orffi_mode *in = new_modes(5 * n), *out = new_modes(5 * n), *want = new_modes(n);
        for (size_t v = 0; v < 5; v++) orffi_lattice_draw(&t.system, 2, v, in + v * n);
        assert_ok(orffi_lattice_system_apply(&t.system, 5, in, out));
        for (size_t v = 0; v < 5; v++) {
            direct_apply(&t, in + v * n, want);
            assert_modes(n, out + v * n, want, 1e-9);
        }
        assert_close(orffi_lattice_dot(&t.lattice, t.system.r, in, out + n),
                     orffi_lattice_dot(&t.lattice, t.system.r, out, in + n), 1e-10);
        assert_true(orffi_lattice_dot(&t.lattice, t.system.r, in, out) > 0.0);
        free(in);
        free(out);
        free(want);
        clear(&t);
    }
}

/* W_k W_k^T summed over the lattice is the kernel: of a fine and wide one it is the exact one. */
static void roots_are_those_of_the_kernel(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        if (cases[c].parts[0].rule == ORFF_RULE_CUSTOM_B || cases[c].n_parts > 1) continue;
        if (cases[c].parts[0].base == ORFF_BASE_MATERN) continue; /* its tail is long */
        problem t;
        make(&t, &cases[c]);
        const double center[3] = {0}, extent[3] = {2.0, 2.0, 2.0};
        const orffi_lattice_need need = {
            .center = center, .extent = extent, .tolerance = 1e-6, .most = 1 << 18};
        orffi_lattice_quality quality;
        orffi_lattice wide;
        orffi_lattice_system s;
        double error;
        assert_ok(orffi_lattice_choose(&wide, t.kernel, &need, &quality));
        assert_true(quality.cut == 0.0 && quality.images == 0.0 && !quality.band_limited);
        assert_ok(orffi_lattice_system_init(&s, &wide, t.kernel, false));
        assert_ok(orffi_lattice_kernel_error(&s, extent, &error));
        assert_true(error < 1e-5);
        orffi_lattice_system_clear(&s);
        clear(&t);
    }
}

/* ---- the block */

/* G (n x n) in the block's coordinates, column by column by sums over pairs. */
static double *dense_of(const problem *t, const orffi_lattice_block *b) {
    const size_t length = t->system.r * t->system.H;
    double *G = support_zeros(b->n * b->n), *unit = support_zeros(b->n);
    orffi_mode *in = new_modes(length), *out = new_modes(length);
    for (size_t j = 0; j < b->n; j++) {
        memset(in, 0, length * sizeof *in);
        memset(unit, 0, b->n * sizeof *unit);
        unit[j] = 1.0;
        orffi_lattice_block_unpack(b, 1, unit, in);
        assert_close(orffi_lattice_dot(&t->lattice, t->system.r, in, in), 1.0, 1e-12);
        direct_apply(t, in, out);
        orffi_lattice_block_pack(b, out, b->n, G + j);
    }
    free(unit);
    free(in);
    free(out);
    return G;
}

static void blocks_are_those_of_the_operator(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++)
        for (size_t part = 0; part < 2; part++) {
            problem t;
            make(&t, &cases[c]);
            const size_t M = orffi_lattice_unknowns(&t.lattice) * t.system.r;
            orffi_lattice_block b;
            assert_ok(orffi_lattice_block_init(&b, &t.system, t.all.rho, part ? M / 3 : M));
            assert_int_equal(b.M, M);
            assert_true(part ? b.n <= M / 3 : b.n == M);
            double *G = dense_of(&t, &b);
            assert_all_close(b.n * b.n, b.G, G, 1e-9);
            free(G);
            orffi_lattice_block_clear(&b);
            clear(&t);
        }
}

/* f(x) = waves theta is the field of theta's modes. */
static void waves_are_those_of_the_field(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        problem t;
        make(&t, &cases[c]);
        if (t.system.turn) { /* of one axis */
            clear(&t);
            continue;
        }
        orffi_lattice_block b;
        const size_t length = t.system.r * t.system.H, p = t.c->p;
        long list[2000][3];
        const size_t count = list_all(&t.lattice, list);
        assert_ok(orffi_lattice_block_place(&b, &t.system, SIZE_MAX));
        orffi_mode *theta = new_modes(length), *V = new_modes(p * t.system.H);
        double *x = support_zeros(b.n), *rows = support_zeros(p * b.n);
        orffi_lattice_draw(&t.system, 7, 0, theta);
        orffi_lattice_block_pack(&b, theta, 1, x);
        orffi_lattice_system_field(&t.system, theta, V);
        orffi_lattice_block_waves(&b, t.X + 3 * t.c->d, rows);
        for (size_t a = 0; a < p; a++) {
            orffi_mode sum = 0.0;
            for (size_t j = 0; j < count; j++) {
                double phase = 0.0;
                for (size_t i = 0; i < t.c->d; i++)
                    phase += 2.0 * acos(-1.0) * (double)list[j][i] *
                             (t.X[3 * t.c->d + i] - t.lattice.center[i]) / t.lattice.period[i];
                sum += mode_at(&t.lattice, V + a * t.system.H, list[j]) * cexp(I * phase);
            }
            assert_close(cimag(sum), 0.0, 1e-10);
            assert_close(orffi_dot(b.n, rows + a * b.n, x), creal(sum), 1e-10);
        }
        free(theta);
        free(V);
        free(x);
        free(rows);
        orffi_lattice_block_clear(&b);
        clear(&t);
    }
}

/* ---- solutions */

static void solutions_are_those_of_dense_matrices(void **state) {
    (void)state;
    const double shifts[] = {3.0, 0.02};
    for (size_t c = 0; c < CASES; c++)
        for (size_t k = 0; k < 4; k++) {
            problem t;
            make(&t, &cases[c]);
            const size_t length = t.system.r * t.system.H, axes = t.system.axes;
            const size_t M = orffi_lattice_unknowns(&t.lattice) * t.system.r;
            orffi_lattice_block all, b;
            orffi_mode *right = new_modes(axes * length), *theta = new_modes(axes * length);
            assert_ok(orffi_lattice_block_init(&all, &t.system, t.all.rho, M));
            assert_ok(orffi_lattice_block_init(&b, &t.system, t.all.rho, k < 2 ? M : M / 4));
            assert_ok(orffi_lattice_block_factor(&b, shifts[k % 2]));
            orffi_lattice_system_right(&t.system, t.all.R, right);
            orffi_lattice_iterations how = {.residual = 1e-11, .limit = 2000};
            assert_ok(orffi_lattice_solve(&b, axes, right, theta, &how, NULL));
            assert_true(k < 2 ? how.done == 0 : how.done > 0 && how.reached <= 1e-11);
            double *L = dense_of(&t, &all), *x = support_zeros(2 * M);
            for (size_t i = 0; i < M; i++) L[i * (M + 1)] += shifts[k % 2];
            assert_ok(orffi_cholesky(M, L));
            for (size_t j = 0; j < axes; j++) {
                orffi_lattice_block_pack(&all, right + j * length, 1, x);
                assert_ok(orffi_cholesky_solve(M, L, 1, x));
                orffi_lattice_block_pack(&all, theta + j * length, 1, x + M);
                assert_all_close(M, x + M, x, 1e-7);
            }
            /* from where it is nothing is left to do, and from elsewhere it comes back */
            assert_ok(orffi_lattice_solve(&b, axes, right, theta, &how, NULL));
            assert_true(how.done <= 1);
            free(L);
            free(x);
            free(right);
            free(theta);
            orffi_lattice_block_clear(&b);
            orffi_lattice_block_clear(&all);
            clear(&t);
        }
}

/* log det(G + s) and the diagonal of s (G + s)^-1, both of them means over re and im. */
static void dense_determinant(problem *t, double shift, orffi_lattice_determinant *out) {
    const size_t M = orffi_lattice_unknowns(&t->lattice) * t->system.r, r = t->system.r, H = t->system.H;
    orffi_lattice_block all;
    assert_ok(orffi_lattice_block_init(&all, &t->system, t->all.rho, M));
    double *L = dense_of(t, &all);
    for (size_t i = 0; i < M; i++) L[i * (M + 1)] += shift;
    assert_ok(orffi_cholesky(M, L));
    out->log = out->left = 0.0;
    for (size_t i = 0; i < M; i++) out->log += 2.0 * log(L[i * (M + 1)]);
    assert_ok(orffi_cholesky_inverse(M, L));
    for (size_t i = 0; i < M; i++) out->left += shift * L[i * (M + 1)];
    for (size_t i = 0; i < r * H; i++) {
        orffi_mode *unit = new_modes(r * H);
        double *x = support_zeros(2 * M);
        for (size_t part = 0; part < 2; part++) { /* re, then im, of this mode; the mean of their squares */
            memset(unit, 0, r * H * sizeof *unit);
            for (size_t j = 0; j < all.modes; j++)
                if (all.mode[j] == i % H || all.mirror[j] == i % H)
                    unit[i / H * H + all.mode[j]] = part ? I : 1.0;
            orffi_lattice_block_pack(&all, unit, 1, x);
            orffi_gemm(false, false, M, 1, M, shift, L, M, x, 1, 0.0, x + M, 1);
            const double norm = orffi_dot(M, x, x), value = orffi_dot(M, x, x + M);
            out->diagonal[i] = part == 0    ? value / norm
                               : norm > 0.0 ? 0.5 * (out->diagonal[i] + value / norm)
                                            : out->diagonal[i];
        }
        free(unit);
        free(x);
    }
    free(L);
    orffi_lattice_block_clear(&all);
}

static void determinants_are_those_of_dense_matrices(void **state) {
    (void)state;
    const double shift = 0.3;
    for (size_t c = 0; c < CASES; c++) {
        problem t;
        make(&t, &cases[c]);
        const size_t length = t.system.r * t.system.H, M = orffi_lattice_unknowns(&t.lattice) * t.system.r;
        orffi_lattice_determinant want = {.diagonal = support_zeros(length)},
                                  got = {.diagonal = support_zeros(length)};
        const orffi_lattice_iterations how = {.residual = 1e-9, .limit = 500};
        dense_determinant(&t, shift, &want);
        for (size_t part = 0; part < 2; part++) {
            orffi_lattice_block b;
            assert_ok(orffi_lattice_block_init(&b, &t.system, t.all.rho, part ? M / 4 : M));
            assert_ok(orffi_lattice_block_factor(&b, shift));
            assert_ok(orffi_lattice_determine(&b, 60, 9, &how, &got));
            if (part == 0) {
                assert_close(got.log, want.log, 1e-9);
                assert_close(got.left, want.left, 1e-9);
                assert_all_close(length, got.diagonal, want.diagonal, 1e-9);
                assert_true(got.error == 0.0);
            } else {
                assert_true(got.error > 0.0 && got.error < 0.1 * (double)M);
                assert_true(fabs(got.log - want.log) < 4.0 * got.error);
                assert_true(fabs(got.left - want.left) < 0.1 * (double)M);
                double away = 0.0;
                for (size_t i = 0; i < length; i++) away += fabs(got.diagonal[i] - want.diagonal[i]);
                assert_true(away / (double)length < 0.25);
            }
            orffi_lattice_block_clear(&b);
        }
        free(want.diagonal);
        free(got.diagonal);
        clear(&t);
    }
}

/* ---- threads */

static void threads_change_no_bits(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        problem t;
        make(&t, &cases[c]);
        const size_t n = t.system.r * t.system.H, H = t.system.H;
        orffi_mode *in = new_modes(n), *first = new_modes(n), *out = new_modes(n);
        orffi_lattice_draw(&t.system, 2, 0, in);
        for (size_t threads = 1; threads <= 4; threads *= 2) {
            assert_ok(orff_set_threads(threads));
            orffi_lattice_moments *again = sum_up(&t, 1, 0, N);
            assert_memory_equal(again->sets[0].rho, t.moments->sets[0].rho,
                                orffi_lattice_density_modes(&t.lattice) * sizeof *in);
            assert_memory_equal(again->sets[0].R, t.moments->sets[0].R, t.c->p * H * sizeof *in);
            orffi_lattice_moments_free(again);
            assert_ok(orffi_lattice_system_apply(&t.system, 1, in, threads == 1 ? first : out));
            if (threads > 1) assert_memory_equal(out, first, n * sizeof *out);
        }
        assert_ok(orff_set_threads(0));
        free(in);
        free(first);
        free(out);
        clear(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_sums_over_rows),
        cmocka_unit_test(folds_add_up_and_subtract),
        cmocka_unit_test(signs_have_the_rows_covariance),
        cmocka_unit_test(operator_is_the_sum_over_pairs),
        cmocka_unit_test(roots_are_those_of_the_kernel),
        cmocka_unit_test(blocks_are_those_of_the_operator),
        cmocka_unit_test(waves_are_those_of_the_field),
        cmocka_unit_test(solutions_are_those_of_dense_matrices),
        cmocka_unit_test(determinants_are_those_of_dense_matrices),
        cmocka_unit_test(threads_change_no_bits),
    };
    if (!orffi_fft_available()) {
        print_message("skipped: transforms are not built in (ORFF_FFT=none)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
