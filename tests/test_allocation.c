/* Behaviour when memory runs out: every allocation of a call fails once, one after another. The call must
 * return ORFF_ERROR_NO_MEMORY, free everything and leave its results unchanged. If one line allocates many
 * times through the same chain of calls, only the first and the last of these fail; under sanitizers every
 * third of all.
 *
 * The library allocates by aligned_alloc, which the linker redirects to __wrap_aligned_alloc here, and frees
 * in base/memory.c, which is compiled into this program with a free that counts. Where files are saved and
 * loaded, allocations of file names (malloc, strdup) fail too, and also all allocations from one on. */
#define _DEFAULT_SOURCE /* mkstemp */

#include <errno.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lattice/fft.h"
#include "lattice/nufft.h"
#include "support.h"

static atomic_int allocations, live;
static int fail_at; /* the allocation that fails, counted from 1; 0: none */
static bool all_after;
static bool with_files; /* malloc and strdup count too */

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

/* The chain of calls behind each allocation of a run, as one number; the first so many. */
enum { DEEPEST = 32, MOST_CHAINS = 1 << 15 };
static uint64_t chains[MOST_CHAINS];
static bool noting;

static uint64_t chain_of(int number) {
#ifdef __GLIBC__
    void *calls[DEEPEST];
    uint64_t chain = 0;
    const int deep = backtrace(calls, DEEPEST);
    (void)number;
    for (int i = 0; i < deep; i++) chain = (chain ^ (uint64_t)(uintptr_t)calls[i]) * 0x9e3779b97f4a7c15u;
    return chain;
#else
    return (uint64_t)number; /* each by itself */
#endif
}

static bool fails(void) {
    const int now = atomic_fetch_add(&allocations, 1) + 1;
    if (noting && now <= MOST_CHAINS) chains[now - 1] = chain_of(now);
    const bool failing = fail_at && (now == fail_at || (all_after && now > fail_at));
    if (failing) errno = ENOMEM;
    return failing;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    void *pointer = fails() ? NULL : __real_aligned_alloc(alignment, size);
    if (pointer) atomic_fetch_add(&live, 1);
    return pointer;
}

/* Nothing here outlives the machine. */
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor) {
    (void)descriptor;
    return 0;
}

/* What comes from these is freed by free itself: it is not counted as live. */
void *__wrap_malloc(size_t size) {
    return with_files && fails() ? NULL : __real_malloc(size);
}
char *__wrap_strdup(const char *text) {
    return with_files && fails() ? NULL : __real_strdup(text);
}

static void counted_free(void *pointer) {
    if (pointer) atomic_fetch_sub(&live, 1);
    free(pointer);
}

#define free counted_free
#include "base/memory.c"
#undef free

/* ---- one failure after the other */

typedef orff_status cycle_fn(void);

/* What was there before the cycle may stay. */
static orff_status run(cycle_fn *cycle, int failing, bool on) {
    const int before = atomic_load(&live);
    atomic_store(&allocations, 0);
    fail_at = failing;
    all_after = on;
    const orff_status status = cycle();
    fail_at = 0;
    if (atomic_load(&live) != before)
        fail_msg("%d allocations were not given back", atomic_load(&live) - before);
    return status;
}

/* Runs it to see its allocations; how many there are. */
static int note(cycle_fn *cycle, int least) {
    noting = true;
    assert_ok(run(cycle, 0, false));
    noting = false;
    const int count = atomic_load(&allocations);
    if (count < least)
        fail_msg("%d allocations, at least %d expected: the test no longer sees them", count, least);
    if (count > MOST_CHAINS) fail_msg("%d allocations, at most %d expected", count, MOST_CHAINS);
    return count;
}

/* Whether allocation k of `count` is the first or the last of its chain. */
static bool differs(int k, int count) {
    bool before = false, after = false;
    for (int i = 1; i <= count && !(before && after); i++)
        if (chains[i - 1] == chains[k - 1]) {
            before = before || i < k;
            after = after || i > k;
        }
    return !(before && after);
}

static int next_failure(int k, int count) {
    for (size_t step = support_step(3); step > 0; step--)
        do k++;
        while (k <= count && !differs(k, count));
    return k;
}

static void check(cycle_fn *cycle, int least) {
    const int count = note(cycle, least);
    for (int k = 1; k <= count; k = next_failure(k, count))
        for (int on = 0; on <= with_files; on++) {
            support_case("allocation %d%s of %d", k, on ? " and all after it" : "", count);
            assert_status(run(cycle, k, on), ORFF_ERROR_NO_MEMORY);
            if (!strstr(orff_error_message(), "memory"))
                fail_msg("\"%s\" does not say what is short", orff_error_message());
        }
    support_case(NULL);
    assert_ok(run(cycle, 0, false));
}

/* ---- kernels */

static int custom_at(void *self, const double *at, double *matrix) {
    (void)self, (void)at;
    matrix[0] = 2;
    matrix[3] = 1;
    matrix[1] = matrix[2] = 0.5;
    return 0;
}
SUPPORT_MANY(custom, 2, 4)

static int bell_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = K[3] = exp2(-delta[0] * delta[0] - delta[1] * delta[1]);
    K[1] = K[2] = 0.5 * K[0];
    return 0;
}
SUPPORT_MANY(bell, 2, 4)

static const double output_matrix[4] = {2, 1, 1, 3}, scales[2] = {0.5, 2};

/* Every kind of part on R^2 with 2 outputs; parts 1 and 2 share a group. */
static void fill_parts(orff_part parts[5]) {
    for (size_t m = 0; m < 5; m++) parts[m] = orff_part_default();
    parts[0].A = output_matrix;
    parts[0].sigmas = scales;
    parts[1].rule = ORFF_RULE_CURL_FREE;
    parts[1].base = parts[2].base = ORFF_BASE_MATERN;
    parts[1].shape = parts[2].shape = 2.2;
    parts[1].normalise = true;
    parts[2].rule = ORFF_RULE_CUSTOM_A;
    parts[2].matrix = parts[2].exact = custom;
    parts[3].rule = ORFF_RULE_CUSTOM_B;
    parts[3].matrix = parts[3].exact = custom;
    parts[3].columns = 2;
    parts[4].B = output_matrix;
    parts[4].columns = 2;
    parts[4].base = ORFF_BASE_LAPLACE;
}

static orff_status make_sum(orff_kernel **kernel) {
    orff_part parts[5];
    fill_parts(parts);
    return orff_kernel_create(kernel, 2, 2, 5, parts);
}

static const double X[6] = {0, 1, 0.5, -0.5, 2, 0.25}, Y[6] = {1, 2, 3, 4, 5, 6};
static const float X_single[6] = {0, 1, 0.5f, -0.5f, 2, 0.25f}, Y_single[6] = {1, 2, 3, 4, 5, 6};

static orff_status kernel_cycle(void) {
    orff_kernel *kernel = NULL;
    orff_part parts[5];
    double K[4] = {9, 9, 9, 9}, G[36], moments[3];
    fill_parts(parts);
    orff_status status = make_sum(&kernel);
    assert_int_equal(status == ORFF_OK, kernel != NULL);
    if (!status) {
        status = orff_kernel_eval(kernel, X, X + 2, K);
        if (status) assert_true(K[0] == 9 && K[3] == 9);
    }
    if (!status) status = orff_kernel_gram(kernel, 3, X, 3, X, G);
    if (!status) status = orff_part_moments(&parts[1], 2, 2, moments);
    orff_kernel_free(kernel);
    return status;
}

static orff_status output_cycle(void) {
    const double W[9] = {0, 1, 0, 1, 0, 2, 0, 2, 0};
    double A[9] = {9}, codes[6];
    orff_status status = orff_output_covariance(3, 2, Y, A);
    if (!status) status = orff_output_laplacian(3, W, 0.1, A);
    if (!status) status = orff_simplex_codes(3, codes);
    if (status && atomic_load(&allocations) == 1) assert_true(A[0] == 9);
    return status;
}

static void kernels(void **state) {
    (void)state;
    check(kernel_cycle, 20);
    check(output_cycle, 3);
}

/* ---- features */

/* Everything that can be asked of features on R^2 (or R^d with the X of zeros) with p outputs. */
static orff_status use_operators(const orff_features *features) {
    enum { MOST = 2 * 40 * 8, D = 40 };
    static double theta[MOST], out[MOST], F[6], phi[3 * 2 * D], Phi[MOST * 2], K[4];
    static float F_single[6], phi_single[3 * 2 * D];
    for (size_t i = 0; i < 6; i++) F[i] = 9;
    orff_status status = orff_features_apply(features, 3, X, theta, F);
    if (status)
        for (size_t i = 0; i < 6; i++) assert_true(F[i] == 9);
    if (!status) status = orff_features_adjoint(features, 3, X, Y, out);
    if (!status) status = orff_features_normal(features, 3, X, theta, out);
    if (!status) status = orff_features_apply_single(features, 3, X_single, theta, F_single);
    if (!status) status = orff_features_adjoint_single(features, 3, X_single, Y_single, out);
    if (!status) status = orff_features_normal_single(features, 3, X_single, theta, out);
    if (!status) status = orff_features_phi(features, 3, X, phi);
    if (!status) status = orff_features_phi_single(features, 3, X_single, phi_single);
    if (!status) status = orff_features_map(features, X, Phi);
    if (!status) status = orff_features_kernel(features, X, X + 2, K);
    return status;
}

static orff_status use_parts(const orff_features *features) {
    static double omega[40 * 200], weights[40], B[2 * 200];
    size_t columns = 0;
    orff_status status = orff_features_frequencies(features, omega, weights);
    if (!status) status = orff_features_block(features, 1, &columns, B);
    return status;
}

static orff_sampling sampling_of(orff_scheme scheme, size_t D) {
    orff_sampling sampling = orff_sampling_default();
    sampling.scheme = scheme;
    sampling.features = D;
    return sampling;
}

static orff_status sum_cycle(void) {
    const orff_sampling sampling = sampling_of(ORFF_SCHEME_QMC, 10);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_status status = make_sum(&kernel);
    if (!status) status = orff_features_create(&features, kernel, &sampling);
    orff_kernel_free(kernel);
    assert_int_equal(status == ORFF_OK, features != NULL);
    if (!status) status = use_operators(features);
    if (!status) status = use_parts(features);
    orff_features_free(features);
    return status;
}

static orff_scheme cycle_scheme;
static size_t cycle_inputs;
static orff_rule cycle_rule;

/* One part drawn by cycle_scheme, then only looked at. */
static orff_status scheme_cycle(void) {
    const double extent[3] = {2, 2, 2};
    orff_part part = orff_part_default();
    orff_sampling sampling = sampling_of(cycle_scheme, 5);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    part.rule = cycle_rule;
    if (cycle_scheme == ORFF_SCHEME_GRID) sampling.extent = extent;
    orff_status status = orff_kernel_create(&kernel, cycle_inputs, cycle_inputs, 1, &part);
    if (!status) status = orff_features_create(&features, kernel, &sampling);
    assert_int_equal(status == ORFF_OK, features != NULL);
    if (!status) status = use_parts(features);
    if (!status && cycle_inputs == 2) status = use_operators(features);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return status;
}

static orff_status given_cycle(void) {
    const double omega[4] = {1, 2, 3, 4}, weights[2] = {0.5, 0.25};
    orff_part part = orff_part_default(), other = orff_part_default();
    orff_kernel *kernel = NULL, *curl = NULL;
    orff_features *features = NULL, *rebound = NULL;
    other.rule = ORFF_RULE_CURL_FREE;
    orff_status status = orff_kernel_create(&kernel, 2, 2, 1, &part);
    if (!status) status = orff_kernel_create(&curl, 2, 2, 1, &other);
    if (!status) status = orff_features_create_at(&features, kernel, 2, omega, weights);
    if (!status) status = orff_features_rebind(&rebound, features, curl);
    orff_features_free(features);
    if (!status) status = use_operators(rebound);
    orff_features_free(rebound);
    orff_kernel_free(kernel);
    orff_kernel_free(curl);
    return status;
}

static void feature_maps(void **state) {
    (void)state;
    check(sum_cycle, 60);
    check(given_cycle, 30);
}

static void sampling_schemes(void **state) {
    (void)state;
    const orff_scheme schemes[] = {ORFF_SCHEME_IID, ORFF_SCHEME_ORTHOGONAL, ORFF_SCHEME_QMC,
                                   ORFF_SCHEME_HALTON, ORFF_SCHEME_GRID};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        cycle_scheme = schemes[i];
        cycle_inputs = 2;
        cycle_rule = i % 2 ? ORFF_RULE_CURL_FREE : ORFF_RULE_DECOMPOSABLE;
        check(scheme_cycle, 20);
    }
    cycle_scheme = ORFF_SCHEME_HADAMARD;
    cycle_rule = ORFF_RULE_CURL_FREE;
    cycle_inputs = 17;
    check(scheme_cycle, 10);
    cycle_inputs = 130; /* rows made by transforms */
    check(scheme_cycle, 10);
}

static orff_status signature_cycle(void) {
    const double extent[2] = {1, 1};
    orff_part part = orff_part_default();
    orff_sampling sampling = sampling_of(ORFF_SCHEME_GRID, 0);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    part.rule = ORFF_RULE_SIGNATURE;
    part.matrix = bell;
    sampling.extent = extent;
    sampling.tolerance = 1e-2;
    orff_status status = orff_kernel_create(&kernel, 2, 2, 1, &part);
    if (!status) status = orff_features_create(&features, kernel, &sampling);
    assert_int_equal(status == ORFF_OK, features != NULL);
    if (!status && orff_features_describe(features).frequencies <= 40) status = use_operators(features);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return status;
}

static void signatures(void **state) {
    (void)state;
    check(signature_cycle, 15);
}

/* ---- models without features */

static const double rows[20] = {0.1, 0.9, 0.4, -0.3, 0.8, 0.2, -0.7, 0.5, -0.2, -0.9,
                                0.3, 0.6, 1.1, -0.8, 0.0, 0.7, 0.9,  1.2, -0.4, 0.35};

static orff_status exact_cycle(void) {
    const double weights[5] = {1, 2, 1, 0.5, 1};
    char path[] = "/tmp/orff_allocation_exact_XXXXXX";
    double out[8];
    orff_part part = orff_part_default();
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL, *back = NULL;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    part.rule = cycle_rule;
    part.A = cycle_rule == ORFF_RULE_DECOMPOSABLE ? output_matrix : NULL;
    part.sigma = cycle_rule == ORFF_RULE_DECOMPOSABLE ? 0 : 1; /* chosen, which is many fits, or given */
    settings.engine = ORFF_ENGINE_EXACT;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda_count = 3;
    orff_status status = orff_model_fit(&model, &settings, 2, 2, 5, rows, rows + 10, weights);
    assert_int_equal(status == ORFF_OK, model != NULL);
    if (!status) status = orff_model_predict(model, 2, rows, out);
    if (!status) status = orff_model_covariance(model, 2, rows, out);
    if (!status) status = orff_model_save(model, path, false);
    if (!status) status = orff_model_load(&back, path);
    assert_int_equal(status == ORFF_OK, back != NULL);
    orff_model_free(model);
    orff_model_free(back);
    remove(path);
    return status;
}

static void exact_models(void **state) {
    (void)state;
    cycle_rule = ORFF_RULE_DECOMPOSABLE;
    check(exact_cycle, 60);
    cycle_rule = ORFF_RULE_CURL_FREE;
    check(exact_cycle, 60);
}

/* ---- checkpoints */

static size_t warnings;

static void count_warnings(void *self, orff_log_level level, const char *message) {
    (void)self, (void)message;
    warnings += level == ORFF_LOG_WARNING;
}

static orff_solver cycle_solver;

/* A fit that is saved on the way, and one that goes on from what it left. */
static orff_status checkpoint_cycle(void) {
    char path[] = "/tmp/orff_allocation_checkpoint_XXXXXX";
    orff_part part = orff_part_default();
    orff_settings settings = orff_settings_default();
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    remove(path);
    settings.n_parts = 1;
    settings.parts = &part;
    settings.sampling.features = 4;
    settings.lambda = 0.1;
    settings.solver = cycle_solver;
    settings.checkpoint = path;
    settings.checkpoint_rows = 2;
    settings.resume = true;
    orff_status status = ORFF_OK;
    for (int i = 0; !status && i < 2; i++) {
        orff_model *model = NULL;
        status = orff_model_fit(&model, &settings, 2, 2, 5, rows, rows + 10, NULL);
        assert_int_equal(status == ORFF_OK, model != NULL);
        orff_model_free(model);
    }
    if (!status) status = orff_checkpoint_remove(path);
    remove(path);
    return status;
}

/* A checkpoint that cannot be saved is told; everything else ends the call. */
static void checkpoints(void **state) {
    (void)state;
    const orff_hooks hooks = {.log = count_warnings};
    const orff_solver solvers[] = {ORFF_SOLVER_DIRECT, ORFF_SOLVER_PCG};
    orff_set_hooks(&hooks);
    for (size_t i = 0; i < 2; i++) {
        cycle_solver = solvers[i];
        const int count = note(checkpoint_cycle, 60);
        for (int k = 1; k <= count; k = next_failure(k, count)) {
            support_case("allocation %d of %d", k, count);
            warnings = 0;
            const orff_status status = run(checkpoint_cycle, k, false);
            if (!warnings) assert_status(status, ORFF_ERROR_NO_MEMORY);
            if (warnings) assert_status(status, ORFF_OK);
        }
        support_case(NULL);
    }
    orff_set_hooks(NULL);
}

/* ---- nonuniform transforms */

#define NUFFT_STEPS(REAL, NAMED)                                                                     \
    static orff_status NAMED(nufft_steps)(NAMED(orffi_nufft) * plan, const REAL *z, const REAL *c) { \
        const size_t kept[2] = {3, 4};                                                               \
        REAL complex modes[7 * 5] = {0};                                                             \
        REAL f[3];                                                                                   \
        orff_status status = NAMED(orffi_nufft_spread)(plan, 3, z, c);                               \
        if (!status) status = NAMED(orffi_nufft_modes)(plan, 0, kept, modes);                        \
        if (!status) status = NAMED(orffi_nufft_load)(plan, 0, kept, modes);                         \
        if (!status) status = NAMED(orffi_nufft_evaluate)(plan, 3, z, f);                            \
        return status;                                                                               \
    }                                                                                                \
                                                                                                     \
    /* A plan that was short of memory once does its work when asked again. */                       \
    static orff_status NAMED(nufft_cycle)(void) {                                                    \
        const REAL z[6] = {0, 1, (REAL)0.5, -2, 3, (REAL)0.25}, c[3] = {1, 2, 3};                    \
        NAMED(orffi_nufft) *plan = NULL;                                                             \
        orff_status status = NAMED(orffi_nufft_create)(&plan, 2, (size_t[]){3, 5}, 1, 1e-5);         \
        assert_int_equal(status == ORFF_OK, plan != NULL);                                           \
        if (!status && (status = NAMED(nufft_steps)(plan, z, c))) {                                  \
            NAMED(orffi_nufft_reset)(plan);                                                          \
            char *said = strdup(orff_error_message());                                               \
            assert_ok(NAMED(nufft_steps)(plan, z, c));                                               \
            assert_non_null(said);                                                                   \
            status = orffi_fail(status, "%s", said);                                                 \
            free(said);                                                                              \
        }                                                                                            \
        NAMED(orffi_nufft_free)(plan);                                                               \
        return status;                                                                               \
    }

#define IN_DOUBLE(name) name
#define IN_SINGLE(name) name##_single
NUFFT_STEPS(double, IN_DOUBLE)
NUFFT_STEPS(float, IN_SINGLE)

static void nonuniform_transforms(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    check(nufft_cycle, 10);
    check(nufft_cycle_single, 10);
}

/* ---- lattices */

static orff_part lattice_part(void) {
    orff_part part = orff_part_default();
    part.rule = cycle_rule;
    part.sigma = 2.0;
    return part;
}

static orff_settings lattice_settings(const orff_part *part) {
    orff_settings settings = orff_settings_default();
    settings.engine = ORFF_ENGINE_LATTICE;
    settings.n_parts = 1;
    settings.parts = part;
    settings.lambda = 1e-2;
    settings.folds = 2;
    settings.sampling.tolerance = 0.1; /* few waves: hundreds of fits follow */
    return settings;
}

/* A fit, what is asked of it, and its file. */
static orff_status lattice_cycle(void) {
    char path[] = "/tmp/orff_allocation_lattice_XXXXXX";
    double out[16];
    const orff_part part = lattice_part();
    const orff_settings settings = lattice_settings(&part);
    orff_model *model = NULL, *back = NULL;
    close(mkstemp(path));
    orff_status status = orff_model_fit(&model, &settings, 2, 2, 5, rows, rows + 10, NULL);
    assert_int_equal(status == ORFF_OK, model != NULL);
    if (!status) status = orff_model_predict(model, 2, rows, out);
    if (!status) status = orff_model_covariance(model, 2, rows, out);
    if (!status) status = orff_model_jacobian(model, 2, rows, out);
    if (!status) status = orff_model_save(model, path, false);
    if (!status) status = orff_model_load(&back, path);
    assert_int_equal(status == ORFF_OK, back != NULL);
    if (!status) status = orff_model_predict(back, 2, rows, out);
    orff_model_free(model);
    orff_model_free(back);
    remove(path);
    return status;
}

static orff_status use_lattice_moments(orff_lattice_moments *sums, orff_lattice_moments **like,
                                       orff_model **model) {
    const orff_part part = lattice_part();
    orff_settings settings = lattice_settings(&part);
    settings.lambda = cycle_inputs ? 0.0 : 1e-2; /* chosen, or given */
    ORFFI_TRY(orff_lattice_moments_accumulate(sums, 5, rows, rows + 10, NULL));
    ORFFI_TRY(orff_lattice_moments_set_notes(sums, "{}"));
    ORFFI_TRY(orff_lattice_moments_create_like(like, sums));
    ORFFI_TRY(orff_lattice_moments_accumulate(*like, 2, rows, rows + 10, NULL));
    ORFFI_TRY(orff_lattice_moments_add(sums, *like));
    ORFFI_TRY(orff_lattice_moments_subtract(sums, *like));
    return orff_model_fit_lattice_moments(model, &settings, sums);
}

/* Moments are made, added, fitted, written and read. */
static orff_status lattice_moments_cycle(void) {
    static const double low[] = {-1.0, -1.0}, high[] = {1.0, 1.0};
    char path[] = "/tmp/orff_allocation_moments_XXXXXX";
    const orff_part part = lattice_part();
    const orff_lattice_need need = {
        .d = 2, .p = 2, .low = low, .high = high, .n_parts = 1, .parts = &part, .folds = 2};
    orff_lattice_moments *sums = NULL, *like = NULL, *back = NULL;
    orff_model *model = NULL;
    close(mkstemp(path));
    orff_status status = orff_lattice_moments_create(&sums, &need);
    assert_int_equal(status == ORFF_OK, sums != NULL);
    if (!status) status = use_lattice_moments(sums, &like, &model);
    assert_int_equal(status == ORFF_OK, model != NULL);
    if (!status) status = orff_lattice_moments_save(sums, path);
    if (!status) status = orff_lattice_moments_load(&back, path);
    assert_int_equal(status == ORFF_OK, back != NULL);
    orff_model_free(model);
    orff_lattice_moments_free(sums);
    orff_lattice_moments_free(like);
    orff_lattice_moments_free(back);
    remove(path);
    return status;
}

static void lattices(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    cycle_rule = ORFF_RULE_DIV_FREE;
    check(lattice_cycle, 60);
    cycle_rule = ORFF_RULE_DECOMPOSABLE;
    check(lattice_cycle, 60);
    for (cycle_inputs = 0; cycle_inputs < 2; cycle_inputs++) check(lattice_moments_cycle, 60);
}

/* ---- files */

static orff_model *file_model;
static orff_moments *file_moments;
static char folder[] = "/tmp/orff_allocation_XXXXXX", file_path[64];

static void make_model(orff_engine engine) {
    orff_part part = orff_part_default();
    orff_settings settings = orff_settings_default();
    settings.engine = engine;
    settings.sampling.features = 4;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda = 1e-3;
    assert_ok(orff_model_fit(&file_model, &settings, 2, 2, 5, rows, rows + 10, NULL));
    assert_ok(orff_model_set_notes(file_model, "{\"named\":true,\"inputs\":[{\"name\":\"x\"}]}"));
}

static void make_moments(void) {
    const orff_moments_settings how = {.folds = 2};
    const orff_part part = orff_part_default();
    const orff_sampling sampling = sampling_of(ORFF_SCHEME_QMC, 4);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_moments_create(&file_moments, features, &how));
    assert_ok(orff_moments_accumulate(file_moments, 5, rows, rows + 10, NULL));
    orff_features_free(features);
    orff_kernel_free(kernel);
}

/* The file that must not be lost, and whether it is as it was. */
static void put_old(void) {
    FILE *file = fopen(file_path, "w");
    assert_non_null(file);
    assert_true(fputs("old", file) >= 0 && !fclose(file));
}

static void check_old(void) {
    char text[8] = "";
    FILE *file = fopen(file_path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), 3);
    assert_string_equal(text, "old");
    fclose(file);
}

static orff_status saved(orff_status status) {
    if (status) check_old();
    return status;
}

static orff_status save_model_cycle(void) {
    put_old();
    return saved(orff_model_save(file_model, file_path, false));
}
static orff_status save_compact_cycle(void) {
    put_old();
    return saved(orff_model_save(file_model, file_path, true));
}
static orff_status save_moments_cycle(void) {
    put_old();
    return saved(orff_moments_save(file_moments, file_path));
}

static orff_status load_model_cycle(void) {
    orff_model *model = NULL;
    const orff_status status = orff_model_load(&model, file_path);
    assert_int_equal(status == ORFF_OK, model != NULL);
    orff_model_free(model);
    return status;
}
static orff_status load_moments_cycle(void) {
    orff_moments *moments = NULL;
    const orff_status status = orff_moments_load(&moments, file_path);
    assert_int_equal(status == ORFF_OK, moments != NULL);
    orff_moments_free(moments);
    return status;
}

static void check_model_files(orff_engine engine) {
    make_model(engine);
    check(save_model_cycle, 10);
    check(load_model_cycle, 10);
    if (engine != ORFF_ENGINE_EXACT) {
        check(save_compact_cycle, 10);
        check(load_model_cycle, 10);
    }
    orff_model_free(file_model);
}

static void files(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(file_path, sizeof file_path, "%s/file", folder);
    with_files = true;
    check_model_files(ORFF_ENGINE_FEATURES);
    check_model_files(ORFF_ENGINE_EXACT);
    make_moments();
    check(save_moments_cycle, 10);
    check(load_moments_cycle, 10);
    orff_moments_free(file_moments);
    assert_int_equal(remove(file_path), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
    with_files = false;
}

/* Sizes that fit no memory are refused before anything is asked for. */
static void sizes_that_fit_no_memory(void **state) {
    (void)state;
    const orff_part part = orff_part_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_sampling sampling = sampling_of(ORFF_SCHEME_IID, SIZE_MAX / 2);
    assert_status(orff_kernel_create(&kernel, SIZE_MAX / 4, 1, 1, &part), ORFF_ERROR_NO_MEMORY);
    assert_ok(orff_kernel_create(&kernel, 3, 1, 1, &part));
    assert_status(orff_features_create(&features, kernel, &sampling), ORFF_ERROR_NO_MEMORY);
    assert_null(features);
    orff_kernel_free(kernel);
    assert_int_equal(atomic_load(&live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels),
        cmocka_unit_test(feature_maps),
        cmocka_unit_test(sampling_schemes),
        cmocka_unit_test(signatures),
        cmocka_unit_test(exact_models),
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(files),
        cmocka_unit_test(nonuniform_transforms),
        cmocka_unit_test(lattices),
        cmocka_unit_test(sizes_that_fit_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
