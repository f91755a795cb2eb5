/* Nonuniform transforms against direct sums, and their other guarantees: calls that add up, transposes of
 * each other, the same bits for any number of threads, instruction sets that agree, errors that name the
 * row. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/fft.h"
#include "lattice/nufft.h"
#include "lattice/nufft_level.h"
#include "support.h"

static const double PI = 3.14159265358979323846;

/* The published rule for the width promises errors near the tolerance, not below it. */
static const double ALLOWED = 3;

typedef struct problem {
    bool single;
    size_t d, K[3], kept[3], count, n;
    double tolerance;
    double *z, *c; /* n x d, n x count; numbers that fit a float where single */
} problem;

static size_t modes_of(size_t d, const size_t *kept) {
    size_t modes = kept[d - 1] + 1;
    for (size_t i = 0; i + 1 < d; i++) modes *= 2 * kept[i] + 1;
    return modes;
}

/* <k, z> of mode number m; z is reduced, as k z would be rounded. */
static double phase(size_t d, const size_t *kept, size_t m, const double *z) {
    double sum = 0;
    for (size_t i = d; i-- > 0;) {
        const size_t width = i + 1 < d ? 2 * kept[i] + 1 : kept[i] + 1;
        const double k = (double)(m % width) - (i + 1 < d ? (double)kept[i] : 0);
        sum += k * z[i];
        m /= width;
    }
    return sum;
}

/* ---- both precisions by one call, in double */

static float *as_float(size_t n, const double *a) {
    float *b = calloc(n + 1, sizeof *b);
    assert_true(b != NULL);
    for (size_t i = 0; i < n; i++) b[i] = (float)a[i];
    return b;
}

/* modes is count x modes_of(kept); the points come in `calls` calls. */
static void type_1_double(const problem *p, size_t calls, double complex *modes) {
    orffi_nufft *plan = NULL;
    assert_ok(orffi_nufft_create(&plan, p->d, p->K, p->count, p->tolerance));
    for (size_t i = 0; i < calls; i++) {
        const size_t first = p->n * i / calls, end = p->n * (i + 1) / calls;
        assert_ok(orffi_nufft_spread(plan, end - first, p->z + first * p->d, p->c + first * p->count));
    }
    for (size_t r = 0; r < p->count; r++)
        assert_ok(orffi_nufft_modes(plan, r, p->kept, modes + r * modes_of(p->d, p->kept)));
    orffi_nufft_free(plan);
}

static void type_1_single(const problem *p, size_t calls, double complex *modes) {
    const size_t size = modes_of(p->d, p->kept);
    float *z = as_float(p->n * p->d, p->z), *c = as_float(p->n * p->count, p->c);
    float complex *got = calloc(size, sizeof *got);
    orffi_nufft_single *plan = NULL;
    assert_true(got != NULL);
    assert_ok(orffi_nufft_create_single(&plan, p->d, p->K, p->count, p->tolerance));
    for (size_t i = 0; i < calls; i++) {
        const size_t first = p->n * i / calls, end = p->n * (i + 1) / calls;
        assert_ok(orffi_nufft_spread_single(plan, end - first, z + first * p->d, c + first * p->count));
    }
    for (size_t r = 0; r < p->count; r++) {
        assert_ok(orffi_nufft_modes_single(plan, r, p->kept, got));
        for (size_t m = 0; m < size; m++) modes[r * size + m] = (double complex)got[m];
    }
    orffi_nufft_free_single(plan);
    free(z), free(c), free(got);
}

static void type_1(const problem *p, size_t calls, double complex *modes) {
    (p->single ? type_1_single : type_1_double)(p, calls, modes);
}

static void type_2_double(const problem *p, const double complex *modes, double *f) {
    orffi_nufft *plan = NULL;
    assert_ok(orffi_nufft_create(&plan, p->d, p->K, p->count, p->tolerance));
    for (size_t r = 0; r < p->count; r++)
        assert_ok(orffi_nufft_load(plan, r, p->kept, modes + r * modes_of(p->d, p->kept)));
    assert_ok(orffi_nufft_evaluate(plan, p->n, p->z, f));
    orffi_nufft_free(plan);
}

static void type_2_single(const problem *p, const double complex *modes, double *f) {
    const size_t size = modes_of(p->d, p->kept);
    float *z = as_float(p->n * p->d, p->z), *got = as_float(p->n * p->count, f);
    float complex *given = calloc(size, sizeof *given);
    orffi_nufft_single *plan = NULL;
    assert_true(given != NULL);
    assert_ok(orffi_nufft_create_single(&plan, p->d, p->K, p->count, p->tolerance));
    for (size_t r = 0; r < p->count; r++) {
        for (size_t m = 0; m < size; m++) given[m] = (float complex)modes[r * size + m];
        assert_ok(orffi_nufft_load_single(plan, r, p->kept, given));
    }
    assert_ok(orffi_nufft_evaluate_single(plan, p->n, z, got));
    for (size_t i = 0; i < p->n * p->count; i++) f[i] = (double)got[i];
    orffi_nufft_free_single(plan);
    free(z), free(got), free(given);
}

static void type_2(const problem *p, const double complex *modes, double *f) {
    (p->single ? type_2_single : type_2_double)(p, modes, f);
}

/* ---- points */

enum kind { RANDOM, CLUSTERED, GRIDDED, EDGES, ONE, EQUAL, KINDS };

static double coordinate(enum kind kind, size_t i, double normal) {
    static const double edges[] = {-3.14159265358979323846,
                                   3.14159265358979323846,
                                   0,
                                   3 * 3.14159265358979323846,
                                   1e6,
                                   -1e6,
                                   -0.0,
                                   2 * 3.14159265358979323846,
                                   5e-324,
                                   -1e-20,
                                   1e9,
                                   6.0e6,
                                   1e17,
                                   -1e30,
                                   6.1e6};
    switch (kind) {
    case RANDOM:
        return fmod(normal * 10, PI);
    case CLUSTERED:
        return 0.3 + 1e-3 * normal;
    case GRIDDED:
        return 2 * PI * (double)(i % 24) / 24;
    case EDGES:
        return edges[i % (sizeof edges / sizeof *edges)];
    default:
        return -1.25;
    }
}

static void fill(problem *p, enum kind kind) {
    if (kind == ONE) p->n = 1;
    p->z = support_normal(p->n * p->d + 1, 3, (uint32_t)kind);
    p->c = support_normal(p->n * p->count + 1, 4, (uint32_t)kind);
    for (size_t i = 0; i < p->n * p->d; i++) {
        p->z[i] = coordinate(kind, i + i / (p->d * 13), p->z[i]);
        if (p->single) p->z[i] = (double)(float)p->z[i];
    }
    for (size_t i = 0; i < p->n * p->count; i++)
        if (p->single) p->c[i] = (double)(float)p->c[i];
}

static void end(problem *p) {
    free(p->z), free(p->c);
}

/* ---- accuracy */

static double distance(size_t n, const double *a, const double *b) {
    double apart = 0, size = 0;
    for (size_t i = 0; i < n; i++) apart += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
    return sqrt(apart / size);
}

/* How often a mode of the half space stands in the full one. */
static double times(const problem *p, size_t m) {
    return m % (p->kept[p->d - 1] + 1) ? 2 : 1;
}

/* Both types for all right-hand sides; modes that go in are those of type 1, so that conj symmetry holds. */
static void check_accuracy(const problem *p) {
    const size_t size = modes_of(p->d, p->kept);
    double complex *got = calloc(p->count * size, sizeof *got), *want = calloc(p->count * size, sizeof *want);
    double *f = support_zeros(p->n * p->count), *g = support_zeros(p->n * p->count),
           *z = support_zeros(p->n * p->d);
    assert_true(got && want);
    for (size_t i = 0; i < p->n * p->d; i++) z[i] = atan2(sin(p->z[i]), cos(p->z[i]));
    for (size_t m = 0; m < size; m++)
        for (size_t i = 0; i < p->n; i++) {
            const double complex turn = cexp(-I * phase(p->d, p->kept, m, z + i * p->d));
            for (size_t r = 0; r < p->count; r++) want[r * size + m] += p->c[i * p->count + r] * turn;
        }
    type_1(p, 1, got);
    /* single precision adds its own rounding: of the phases of the highest modes, and of long sums */
    const double limit = ALLOWED * p->tolerance + (p->single ? 1e-6 : 1e-14);
    for (size_t r = 0; r < p->count; r++) {
        const double error = distance(2 * size, (double *)(got + r * size), (double *)(want + r * size));
        assert_close(error, 0, limit);
    }
    if (p->single)
        for (size_t m = 0; m < p->count * size; m++) want[m] = (double complex)(float complex)want[m];
    for (size_t m = 0; m < size; m++)
        for (size_t i = 0; i < p->n; i++) {
            const double complex turn = cexp(I * phase(p->d, p->kept, m, z + i * p->d));
            for (size_t r = 0; r < p->count; r++)
                g[i * p->count + r] += times(p, m) * creal(want[r * size + m] * turn);
        }
    type_2(p, want, f);
    const double error = distance(p->n * p->count, f, g);
    assert_close(error, 0, limit);
    free(got), free(want), free(f), free(g), free(z);
}

static const size_t sizes[3][3] = {{37, 0, 0}, {9, 14, 0}, {3, 6, 4}};

static void each_accuracy(bool single, int least, int most) {
    for (size_t d = 1; d <= 3; d++)
        for (int digits = least; digits <= most; digits++)
            for (enum kind kind = 0; kind < KINDS; kind++) {
                problem p = {.single = single,
                             .d = d,
                             .count = digits % 3 == 0   ? 1
                                      : digits % 3 == 1 ? 3
                                                        : 5,
                             .n = 150};
                p.tolerance = pow(10, -digits);
                for (size_t i = 0; i < d; i++) {
                    p.K[i] = sizes[d - 1][i];
                    p.kept[i] = kind == CLUSTERED ? p.K[i] - i : p.K[i];
                }
                support_case("%s, d = %zu, 1e-%d, kind %d", single ? "single" : "double", d, digits,
                             (int)kind);
                fill(&p, kind);
                check_accuracy(&p);
                end(&p);
            }
    support_case(NULL);
}

static void test_double(void **state) {
    (void)state;
    each_accuracy(false, 1, 12);
}

static void test_single(void **state) {
    (void)state;
    each_accuracy(true, 1, 6);
}

/* No modes but the mean, and modes that only one dimension has. */
static void test_small_grids(void **state) {
    (void)state;
    static const size_t K[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 2}, {0, 40, 1}};
    for (size_t d = 1; d <= 3; d++)
        for (size_t k = 0; k < sizeof K / sizeof *K; k++) {
            problem p = {.d = d, .count = 1, .n = 20, .tolerance = 1e-9};
            memcpy(p.K, K[k], sizeof p.K);
            memcpy(p.kept, K[k], sizeof p.K);
            support_case("d = %zu, sizes %zu", d, k);
            fill(&p, RANDOM);
            check_accuracy(&p);
            end(&p);
        }
    support_case(NULL);
}

/* A mode of the plane k_last = 0 without its conjugate counts by half, and so does the one that is not there. */
static void test_lone_mode(void **state) {
    (void)state;
    const size_t K[2] = {3, 2};
    double complex modes[7 * 3] = {0};
    double z[8] = {0.1, 0.2, -1, 3, 2.5, -0.7, 3, 3}, f[4];
    orffi_nufft *plan = NULL;
    modes[(2 + 3) * 3] = 1 + 2 * I; /* k = (2, 0) */
    assert_ok(orffi_nufft_create(&plan, 2, K, 1, 1e-10));
    assert_ok(orffi_nufft_load(plan, 0, K, modes));
    assert_ok(orffi_nufft_evaluate(plan, 4, z, f));
    for (size_t i = 0; i < 4; i++) assert_close(f[i], cos(2 * z[2 * i]) - 2 * sin(2 * z[2 * i]), 1e-9);
    orffi_nufft_free(plan);
}

/* ---- calls, transposes, threads */

static problem large(size_t d, bool single, size_t count, size_t n) {
    problem p = {.single = single, .d = d, .count = count, .n = n, .tolerance = 1e-6};
    for (size_t i = 0; i < d; i++) p.kept[i] = p.K[i] = sizes[d - 1][i] * (d < 3 ? 3 : 2);
    return p;
}

/* Small calls after large ones and the other way round, with other threads, use what the calls before have
 * left. */
static void test_calls_of_all_sizes(void **state) {
    (void)state;
    static const size_t ends[] = {1, 5001, 5002, 20000, 20100, 60000, 60001};
    problem p = large(2, false, 2, 60001);
    const size_t size = modes_of(2, p.kept);
    double complex *once = calloc(2 * size, sizeof *once), *often = calloc(2 * size, sizeof *often);
    orffi_nufft *plan = NULL;
    assert_true(once && often);
    fill(&p, RANDOM);
    type_1(&p, 1, once);
    assert_ok(orffi_nufft_create(&plan, 2, p.K, 2, p.tolerance));
    for (size_t i = 0, first = 0; i < sizeof ends / sizeof *ends; first = ends[i++]) {
        assert_ok(orff_set_threads(1 + i % 3));
        assert_ok(orffi_nufft_spread(plan, ends[i] - first, p.z + first * 2, p.c + first * 2));
    }
    for (size_t r = 0; r < 2; r++) assert_ok(orffi_nufft_modes(plan, r, p.kept, often + r * size));
    assert_true(distance(4 * size, (double *)often, (double *)once) < 1e-14);
    orffi_nufft_free(plan);
    free(once), free(often);
    end(&p);
    assert_ok(orff_set_threads(0));
}

static void test_calls_add_up(void **state) {
    (void)state;
    for (size_t d = 1; d <= 3; d++) {
        problem p = large(d, false, 3, 2000);
        const size_t size = p.count * modes_of(d, p.kept);
        double complex *once = calloc(size, sizeof *once), *often = calloc(size, sizeof *often);
        assert_true(once && often);
        fill(&p, RANDOM);
        type_1(&p, 1, once);
        type_1(&p, 7, often);
        assert_true(distance(2 * size, (double *)often, (double *)once) < 1e-14);
        free(once), free(often);
        end(&p);
    }
}

/* <spread c, v> = <c, evaluate v> over the full set of modes, far below the tolerance. */
static void test_adjoint(void **state) {
    (void)state;
    for (int single = 0; single < 2; single++)
        for (size_t d = 1; d <= 3; d++) {
            problem p = large(d, single, 1, 1000);
            const size_t size = modes_of(d, p.kept);
            fill(&p, RANDOM);
            problem q = p;
            q.c = support_normal(p.n + 1, 9, 9);
            double complex *F = calloc(size, sizeof *F), *v = calloc(size, sizeof *v);
            double *f = support_zeros(p.n), left = 0, right = 0, scale = 0;
            assert_true(F && v);
            type_1(&p, 1, F);
            type_1(&q, 1, v); /* modes of a real field */
            type_2(&p, v, f);
            for (size_t m = 0; m < size; m++) {
                left += times(&p, m) * creal(F[m] * conj(v[m]));
                scale += times(&p, m) * cabs(F[m]) * cabs(v[m]);
            }
            for (size_t i = 0; i < p.n; i++) right += p.c[i] * f[i];
            support_case("d = %zu, single %d", d, single);
            assert_true(fabs(left - right) <= (single ? 1e-6 : 1e-14) * scale);
            free(F), free(v), free(f), free(q.c);
            end(&p);
        }
    support_case(NULL);
}

/* Enough points for several blocks and tasks, half of them in one place. */
static void test_threads(void **state) {
    (void)state;
    for (int single = 0; single < 2; single++)
        for (size_t d = 1; d <= 3; d++) {
            problem p = large(d, single, 2, d == 2 && !single ? 300000 : 30000);
            const size_t size = p.count * modes_of(d, p.kept);
            double complex *first = NULL;
            double *values = NULL;
            fill(&p, RANDOM);
            for (size_t i = 0; i < p.n / 2 * d; i++) p.z[i] = (double)(float)(0.5 + 1e-3 * p.z[i]);
            for (size_t threads = 1; threads <= 4; threads++) {
                support_case("d = %zu, single %d, %zu threads", d, single, threads);
                assert_ok(orff_set_threads(threads));
                double complex *F = calloc(size, sizeof *F);
                double *f = support_zeros(p.n * p.count);
                assert_true(F != NULL);
                type_1(&p, 1, F);
                type_2(&p, F, f);
                if (first) {
                    assert_memory_equal(F, first, size * sizeof *F);
                    assert_memory_equal(f, values, p.n * p.count * sizeof *f);
                    free(F), free(f);
                } else {
                    first = F, values = f;
                }
            }
            free(first), free(values);
            end(&p);
        }
    support_case(NULL);
    assert_ok(orff_set_threads(0));
}

/* Several callers ask one plan. */
typedef struct caller {
    const orffi_nufft *plan;
    const problem *p;
    double *f;
    orff_status status;
} caller;

static void *ask(void *self) {
    caller *c = self;
    c->status = orffi_nufft_evaluate(c->plan, c->p->n, c->p->z, c->f);
    return NULL;
}

static void test_callers(void **state) {
    (void)state;
    enum { CALLERS = 4 };
    problem p = large(2, false, 1, 20000);
    orffi_nufft *plan = NULL;
    pthread_t thread[CALLERS];
    caller callers[CALLERS];
    fill(&p, RANDOM);
    double complex *modes = calloc(modes_of(2, p.kept), sizeof *modes);
    assert_true(modes != NULL);
    modes[5] = 1;
    assert_ok(orffi_nufft_create(&plan, 2, p.K, 1, 1e-6));
    assert_ok(orffi_nufft_load(plan, 0, p.kept, modes));
    for (size_t i = 0; i < CALLERS; i++) {
        callers[i] = (caller){plan, &p, support_zeros(p.n), ORFF_OK};
        assert_int_equal(pthread_create(&thread[i], NULL, ask, &callers[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_ok(callers[i].status);
        assert_memory_equal(callers[i].f, callers[0].f, p.n * sizeof *p.z);
    }
    for (size_t i = 0; i < CALLERS; i++) free(callers[i].f);
    free(modes);
    orffi_nufft_free(plan);
    end(&p);
}

/* What every level does for the same points of one tile. */
static void test_levels(void **state) {
    (void)state;
    enum { N = 50, COUNT = 2, STRIDE = 48, SIZE = 30 * 30 * STRIDE };
    const orffi_nufft_level *levels[4];
    const size_t n_levels = orffi_nufft_levels(levels);
    assert_ptr_equal(levels[n_levels - 1], orffi_nufft_level_here());
    const orffi_nufft_strides strides = {SIZE, 30 * STRIDE, STRIDE};
    double *z = support_normal(3 * N, 1, 2), *c = support_normal(COUNT * N, 1, 3);
    double *base = support_zeros(COUNT * SIZE), *other = support_zeros(COUNT * SIZE);
    for (size_t d = 1; d <= 3; d++)
        for (int width = ORFFI_NUFFT_LEAST_WIDTH; width <= ORFFI_NUFFT_MOST_WIDTH; width++) {
            double tau[3 * N], coefficients[32 * ORFFI_NUFFT_LANES], f[COUNT * N], g[COUNT * N];
            uint32_t tile[N], place[N];
            orffi_nufft_axis axes[3];
            for (size_t i = 0; i < d; i++)
                axes[i] = (orffi_nufft_axis){
                    16 / (2 * PI), 0.5 * width, 16, 4, 1, i + 1 == d ? 1 : i + 2 == d ? STRIDE : 30 * STRIDE};
            orffi_nufft_polynomials(width, coefficients);
            for (size_t l = 0; l < n_levels; l++) {
                const orffi_nufft_loops *loops = levels[l]->loops;
                double *buffer = l ? other : base, *values = l ? g : f;
                support_case("d = %zu, width %d, level %s", d, width, levels[l]->name);
                memset(buffer, 0, COUNT * SIZE * sizeof *buffer);
                loops->fold(N, d, axes, z, tau, tile, place);
                for (size_t i = 0; i < N; i++) assert_int_equal(tile[i], 0);
                loops->spread[d - 1][width - ORFFI_NUFFT_LEAST_WIDTH](N, tau, place, COUNT, c, coefficients,
                                                                      &strides, buffer);
                loops->gather[d - 1][width - ORFFI_NUFFT_LEAST_WIDTH](N, tau, place, COUNT, values,
                                                                      coefficients, &strides, buffer);
                assert_all_close(COUNT * SIZE, buffer, base, 1e-13);
                assert_all_close(COUNT * N, values, f, 1e-13);
            }
        }
    support_case(NULL);
    free(z), free(c), free(base), free(other);
}

/* ---- refusals, and what is left after them */

static void test_refusals(void **state) {
    (void)state;
    const size_t K[4] = {4, 4, 4, 4}, huge[3] = {(size_t)1 << 40, 1, 1},
                 wide[3] = {100000000, 100000000, 100000000};
    const size_t more[2] = {5, 4};
    orffi_nufft *plan = NULL;
    assert_status(orffi_nufft_create(&plan, 0, K, 1, 1e-6), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_nufft_create(&plan, 4, K, 1, 1e-6), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_nufft_create(&plan, 2, K, 0, 1e-6), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_nufft_create(&plan, 2, K, 1, 1e-13), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_nufft_create(&plan, 2, K, 1, (double)NAN), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_nufft_create(&plan, 2, K, 1, 1), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_nufft_create(&plan, 1, huge, 1, 1e-6), ORFF_ERROR_NO_MEMORY);
    assert_status(orffi_nufft_create(&plan, 3, wide, 1, 1e-6), ORFF_ERROR_NO_MEMORY);
    assert_null(plan);
    assert_ok(orffi_nufft_create(&plan, 2, K, 1, 1e-6));
    double z[6] = {0, 1, 2, (double)INFINITY, 1, 1}, c[3] = {1, 1, (double)NAN}, f[3] = {7, 7, 7};
    double complex modes[9 * 6], before;
    assert_ok(orffi_nufft_spread(plan, 1, z, c));
    assert_ok(orffi_nufft_modes(plan, 0, K, modes));
    before = modes[10];
    assert_status(orffi_nufft_spread(plan, 3, z, c), ORFF_ERROR_NOT_FINITE);
    assert_says("row 2");
    z[3] = 1;
    assert_status(orffi_nufft_spread(plan, 3, z, c), ORFF_ERROR_NOT_FINITE);
    assert_says("row 3");
    assert_status(orffi_nufft_modes(plan, 0, more, modes), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_nufft_modes(plan, 1, K, modes), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orffi_nufft_spread(plan, 0, NULL, NULL));
    assert_ok(orffi_nufft_modes(plan, 0, K, modes));
    assert_true(before == modes[10]);
    assert_ok(orffi_nufft_evaluate(plan, 3, z, f));
    assert_true(f[0] == 0 && f[2] == 0);
    z[5] = (double)NAN;
    assert_status(orffi_nufft_evaluate(plan, 3, z, f), ORFF_ERROR_NOT_FINITE);
    modes[7] = (double)NAN;
    assert_status(orffi_nufft_load(plan, 0, K, modes), ORFF_ERROR_NOT_FINITE);
    orffi_nufft_reset(plan);
    assert_ok(orffi_nufft_modes(plan, 0, K, modes));
    assert_true(modes[10] == 0);
    orffi_nufft_free(plan);
    orffi_nufft_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double),       cmocka_unit_test(test_lone_mode),
        cmocka_unit_test(test_single),       cmocka_unit_test(test_small_grids),
        cmocka_unit_test(test_calls_add_up), cmocka_unit_test(test_adjoint),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_levels),
        cmocka_unit_test(test_callers),      cmocka_unit_test(test_calls_of_all_sizes),
        cmocka_unit_test(test_refusals),
    };
    if (orffi_fft_available()) return cmocka_run_group_tests(tests, NULL, NULL);
    print_message("skipped: Fourier transforms are not built in (ORFF_FFT=none)\n");
    return 77;
}
