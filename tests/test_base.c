/* Status, memory, threads, hooks, version, small loops. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/threads.h"
#include "base/vector.h"
#include "support.h"

static void version_matches_header(void **state) {
    (void)state;
    char want[32];
    snprintf(want, sizeof want, "%d.%d.%d", ORFF_VERSION_MAJOR, ORFF_VERSION_MINOR, ORFF_VERSION_PATCH);
    assert_string_equal(orff_version(), want);
}

static void every_status_has_a_text(void **state) {
    (void)state;
    for (int i = 0; i < ORFF_STATUS_COUNT; i++) {
        assert_true(strlen(orff_status_text((orff_status)i)) > 3);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(orff_status_text((orff_status)i), orff_status_text((orff_status)j));
    }
    assert_string_equal(orff_status_text(ORFF_OK), "success");
    assert_non_null(orff_status_text(ORFF_STATUS_COUNT));
}

static void *message_of_another_thread(void *out) {
    char *message = out;
    if (orff_error_message()[0]) strcpy(message, "not empty at first");
    (void)orffi_fail(ORFF_ERROR_NUMERICAL, "elsewhere");
    return NULL;
}

static void messages_are_per_thread(void **state) {
    (void)state;
    char found[64] = "";
    assert_int_equal(orffi_fail(ORFF_ERROR_UNSUPPORTED, "%s is %d", "p", 3), ORFF_ERROR_UNSUPPORTED);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, message_of_another_thread, found), 0);
    pthread_join(thread, NULL);
    assert_string_equal(found, "");
    assert_string_equal(orff_error_message(), "p is 3");
}

/* Too long a message is cut, and a message may be built from the one before it. */
static void messages_are_bounded(void **state) {
    (void)state;
    char text[2000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(orffi_fail(ORFF_ERROR_NUMERICAL, "%s", text), ORFF_ERROR_NUMERICAL);
    assert_int_equal(strlen(orff_error_message()), 511);
    (void)orffi_fail(ORFF_ERROR_NUMERICAL, "inner");
    (void)orffi_fail(ORFF_ERROR_NUMERICAL, "outer: %s", orff_error_message());
    assert_string_equal(orff_error_message(), "outer: inner");
}

/* Every place of the matrix, every kind of bad number; the largest and smallest numbers are good. */
static void finite_check_finds_the_place(void **state) {
    (void)state;
    const double bad[] = {(double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY};
    enum { ROWS = 7, COLS = 5 };
    for (int at = 0; at < ROWS * COLS; at++) {
        double a[ROWS * COLS];
        float b[ROWS * COLS];
        for (int i = 0; i < ROWS * COLS; i++) {
            a[i] = i % 3 == 0 ? 1.7976931348623157e308 : i % 3 == 1 ? -4.9e-324 : -0.0;
            b[i] = i % 3 == 0 ? 3.4028234e38f : i % 3 == 1 ? -1.4e-45f : -0.0f;
        }
        assert_ok(orffi_check_finite("X", ROWS, COLS, a));
        assert_ok(orffi_check_finite_single("X", ROWS, COLS, b));
        a[at] = bad[at % 4];
        b[at] = (float)bad[at % 4];
        char place[64];
        snprintf(place, sizeof place, "row %d, column %d", at / COLS + 1, at % COLS + 1);
        assert_status(orffi_check_finite("X", ROWS, COLS, a), ORFF_ERROR_NOT_FINITE);
        assert_non_null(strstr(orff_error_message(), place));
        assert_status(orffi_check_finite_single("X", ROWS, COLS, b), ORFF_ERROR_NOT_FINITE);
        assert_non_null(strstr(orff_error_message(), place));
    }
    const double values[] = {1, 2, (double)INFINITY};
    assert_status(orffi_check_finite("outputs", 1, 3, values), ORFF_ERROR_NOT_FINITE);
    assert_string_equal(orff_error_message(), "outputs is inf in row 1, column 3");
}

static void finite_check_refuses_shapes(void **state) {
    (void)state;
    const double one = 1;
    assert_status(orffi_check_finite("X", 1, 1, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_string_equal(orff_error_message(), "X is NULL");
    assert_status(orffi_check_finite_single("X", 1, 1, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orffi_check_finite("X", 0, 4, NULL));
    assert_ok(orffi_check_finite("X", 4, 0, &one));
    assert_status(orffi_check_finite("X", SIZE_MAX, 2, &one), ORFF_ERROR_INVALID_ARGUMENT);
}

/* Each size twice: the second time the memory is likely to be what the first time soiled. */
static void allocations_are_aligned_and_zeroed(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 7, 8, 9, 1000, 100003};
    for (size_t i = 0; i < 2 * sizeof counts / sizeof counts[0]; i++) {
        const size_t count = counts[i / 2];
        double *a = NULL;
        assert_ok(ORFFI_NEW_ARRAY(a, count));
        assert_non_null(a);
        assert_int_equal((uintptr_t)a % 64, 0);
        for (size_t k = 0; k < count; k++) assert_true(a[k] == 0);
        memset(a, 0xff, count * sizeof *a);
        orffi_release(a);
    }
    orffi_release(NULL);
}

static void impossible_allocations_fail(void **state) {
    (void)state;
    double here = 0, *a = &here;
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 8 + 1, SIZE_MAX / 16 + 1};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        a = &here;
        assert_status(ORFFI_NEW_ARRAY(a, counts[i]), ORFF_ERROR_NO_MEMORY);
        assert_null(a);
        assert_non_null(strstr(orff_error_message(), "GB"));
    }
    a = &here;
    assert_status(orffi_duplicate(&a, &here, SIZE_MAX / 8 + 1, sizeof here), ORFF_ERROR_NO_MEMORY);
    assert_null(a);
}

static void duplicates_copy(void **state) {
    (void)state;
    const double from[] = {1, 2, 3};
    double here = 0, *copy = &here;
    assert_ok(orffi_duplicate(&copy, NULL, 3, sizeof *copy));
    assert_null(copy);
    assert_ok(orffi_duplicate(&copy, from, 3, sizeof *copy));
    assert_memory_equal(copy, from, sizeof from);
    assert_int_equal((uintptr_t)copy % 64, 0);
    orffi_release(copy);
    assert_ok(orffi_duplicate(&copy, from, 0, sizeof *copy));
    assert_non_null(copy);
    orffi_release(copy);
}

static void products_are_checked(void **state) {
    (void)state;
    size_t product = 5;
    assert_ok(orffi_multiply(6, 7, &product));
    assert_int_equal(product, 42);
    assert_ok(orffi_multiply(0, SIZE_MAX, &product));
    assert_int_equal(product, 0);
    assert_ok(orffi_multiply(1, SIZE_MAX, &product));
    assert_true(product == SIZE_MAX);
    product = 5;
    assert_status(orffi_multiply(SIZE_MAX / 2 + 1, 2, &product), ORFF_ERROR_NO_MEMORY);
    assert_int_equal(product, 5);
}

static void thread_counts(void **state) {
    (void)state;
    const size_t machine = orff_get_threads();
    assert_true(machine >= 1 && machine <= 1024);
    assert_ok(orff_set_threads(3));
    assert_int_equal(orff_get_threads(), 3);
    assert_int_equal(orffi_thread_count(), 3);
    assert_status(orff_set_threads(1025), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_set_threads(SIZE_MAX), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(orff_get_threads(), 3);
#ifdef _OPENMP
    int seen = 0;
#pragma omp parallel reduction(+ : seen)
    seen += 1;
    assert_int_equal(seen, 3);
#endif
    assert_ok(orff_set_threads(0));
    assert_int_equal(orff_get_threads(), machine);
}

typedef struct heard {
    char message[600], task[32];
    orff_log_level level;
    double done, total;
    int calls;
    bool go_on;
} heard;

static void hear_log(void *self, orff_log_level level, const char *message) {
    heard *h = self;
    h->level = level;
    snprintf(h->message, sizeof h->message, "%s", message);
    h->calls++;
}

static bool hear_progress(void *self, const char *task, double done, double total) {
    heard *h = self;
    snprintf(h->task, sizeof h->task, "%s", task);
    h->done = done;
    h->total = total;
    h->calls++;
    return h->go_on;
}

static void *unheard(void *unused) {
    (void)unused;
    orffi_log(ORFF_LOG_INFO, "nobody listens in this thread");
    return NULL;
}

static void hooks_hear(void **state) {
    (void)state;
    heard h = {.go_on = true};
    const orff_hooks hooks = {hear_log, hear_progress, &h};
    orff_set_hooks(&hooks);
    orffi_log(ORFF_LOG_WARNING, "%d rows", 7);
    assert_string_equal(h.message, "7 rows");
    assert_int_equal(h.level, ORFF_LOG_WARNING);
    assert_ok(orffi_progress("moments", 3, 10));
    assert_string_equal(h.task, "moments");
    assert_true(h.done == 3 && h.total == 10);
    h.go_on = false;
    assert_status(orffi_progress("moments", 4, 10), ORFF_ERROR_CANCELLED);
    assert_non_null(strstr(orff_error_message(), "moments"));
    assert_int_equal(h.calls, 3);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, unheard, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(h.calls, 3);
    orff_set_hooks(NULL);
    orffi_log(ORFF_LOG_INFO, "unheard");
    assert_ok(orffi_progress("moments", 5, 10));
    assert_int_equal(h.calls, 3);
}

/* Either function may be missing. */
static void hooks_may_be_partial(void **state) {
    (void)state;
    heard h = {.go_on = true};
    const orff_hooks only_log = {.log = hear_log, .self = &h},
                     only_progress = {.progress = hear_progress, .self = &h};
    orff_set_hooks(&only_log);
    assert_ok(orffi_progress("task", 0, 1));
    assert_int_equal(h.calls, 0);
    orff_set_hooks(&only_progress);
    orffi_log(ORFF_LOG_INFO, "unheard");
    assert_int_equal(h.calls, 0);
    orff_set_hooks(NULL);
}

/* Iterations are as many as the decades of the residual that are left say; before the first nobody knows. */
static void decades_count_iterations(void **state) {
    (void)state;
    heard h = {.go_on = true};
    orff_set_hooks(&(orff_hooks){.progress = hear_progress, .self = &h});
    assert_ok(orffi_progress_decades("solving", 0, 1.0, 1.0, 1e-6));
    assert_true(h.done == 0 && h.total == 0);
    assert_ok(orffi_progress_decades("solving", 10, 1.0, 1e-3, 1e-6));
    assert_close(h.total, 20, 1e-12);
    assert_ok(orffi_progress_decades("solving", 12, 1.0, 1e-7, 1e-6));
    assert_true(h.done == 12 && h.total == 12);
    orff_set_hooks(NULL);
}

/* Steps may be of unequal parts. */
static void stages_have_parts(void **state) {
    (void)state;
    heard h = {.go_on = true};
    orffi_stage stage;
    orff_set_hooks(&(orff_hooks){.progress = hear_progress, .self = &h});
    assert_ok(orffi_stage_enter_part("solving", 3, 5, 10, "solving", &stage));
    assert_ok(orffi_progress("solving", 1, 2));
    assert_true(h.done == 5.5 && h.total == 10);
    orffi_stage_leave(&stage);
    orff_set_hooks(NULL);
}

/* What the tasks of a step tell is told as the stage's; of stages within stages the outermost is seen, and one that is its inner
 * task tells how far its step is. */
static void stages_speak_for_their_steps(void **state) {
    (void)state;
    heard h = {.go_on = true};
    orffi_stage outer, inner;
    orff_set_hooks(&(orff_hooks){.progress = hear_progress, .self = &h});
    assert_ok(orffi_stage_enter("choosing", 1, 4, "folds", &outer));
    assert_string_equal(h.task, "choosing");
    assert_true(h.done == 1 && h.total == 4);
    assert_ok(orffi_progress("moments", 7, 8)); /* says nothing about the step */
    assert_string_equal(h.task, "choosing");
    assert_true(h.done == 1 && h.total == 4);
    assert_ok(orffi_stage_enter("folds", 1, 2, "decomposition", &inner));
    assert_true(h.done == 1.5 && h.total == 4);
    assert_ok(orffi_progress("decomposition", 1, 2));
    assert_string_equal(h.task, "choosing");
    assert_true(h.done == 1.75 && h.total == 4);
    orffi_stage_leave(&inner);
    assert_ok(orffi_stage_enter("plans", 1, 2, "decomposition", &inner)); /* unheard of */
    assert_ok(orffi_progress("decomposition", 1, 2));
    assert_true(h.done == 1 && h.total == 4);
    orffi_stage_leave(&inner);
    assert_ok(orffi_progress("folds", 0, 0)); /* nobody knows how far */
    assert_string_equal(h.task, "choosing");
    h.go_on = false;
    assert_status(orffi_stage_enter("folds", 1, 2, NULL, &inner), ORFF_ERROR_CANCELLED);
    assert_non_null(strstr(orff_error_message(), "choosing"));
    orffi_stage_leave(&inner);
    orffi_stage_leave(&outer);
    h.go_on = true;
    assert_ok(orffi_progress("moments", 7, 8));
    assert_string_equal(h.task, "moments");
    assert_true(h.done == 7 && h.total == 8);
    orff_set_hooks(NULL);
}

/* exp beside that of the C library, and factors whose product is the matrix, of every number of rows. */
static void check_level(const orffi_vector_level *level) {
    enum { MOST = 23, STRIDE = 25, MANY = 1001 };
    double e[MANY], A[MOST * STRIDE], L[MOST * STRIDE], b[MOST];
    for (size_t i = 0; i < MANY; i++) e[i] = -0.7 * (double)i;
    level->exp_many(MANY, e);
    for (size_t i = 0; i < MANY; i++) assert_close(e[i] / exp(-0.7 * (double)i), 1.0, 1e-15);
    e[0] = -INFINITY;
    level->exp_many(1, e);
    assert_true(e[0] >= 0.0 && e[0] < 1e-300);
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t i = 0; i < n * STRIDE; i++)
            A[i] = L[i] =
                cos((double)(i / STRIDE) - 0.7 * (double)(i % STRIDE)) + (i % (STRIDE + 1) ? 0.0 : 30.0);
        assert_true(level->cholesky(n, L, STRIDE));
        for (size_t i = 0; i < n; i++) {
            b[i] = 0.0;
            for (size_t j = 0; j <= i; j++) {
                double sum = 0.0;
                for (size_t k = 0; k <= j; k++) sum += L[i * STRIDE + k] * L[j * STRIDE + k];
                assert_close(sum, A[i * STRIDE + j], 1e-13);
                b[i] += L[i * STRIDE + j] * (double)(j + 1);
            }
        }
        level->solve_lower(n, L, STRIDE, b);
        for (size_t i = 0; i < n; i++) assert_close(b[i], (double)(i + 1), 1e-12);
        for (size_t i = 0; i < n; i++) {
            b[i] = 0.0;
            for (size_t j = i; j < n; j++) b[i] += L[j * STRIDE + i] * (double)(j + 1);
        }
        level->solve_upper(n, L, STRIDE, b);
        for (size_t i = 0; i < n; i++) assert_close(b[i], (double)(i + 1), 1e-12);
        for (size_t i = 0; i < n; i++) A[i * (STRIDE + 1)] = i + 1 == n ? -1.0 : 30.0;
        assert_true(n == 0 || !level->cholesky(n, A, STRIDE));
    }
}

/* Roots and squares of every number of points up to some. */
static void check_squares(const orffi_vector_level *level) {
    enum { MOST = 21 };
    for (size_t n = 0; n <= MOST; n++) {
        double x[MOST + 1], w[MOST + 1], sums[MOST + 1], roots[MOST + 1], whole = 0.0;
        for (size_t j = 0; j <= MOST; j++) {
            x[j] = cos((double)j);
            w[j] = sin(2.0 * (double)j);
            sums[j] = roots[j] = (double)j;
        }
        level->add_squares(n, 0.3, 2.5, x, sums);
        level->root_many(n, 3.0, roots);
        for (size_t j = 0; j <= MOST; j++) {
            const double square = (0.3 - x[j]) * (0.3 - x[j]) * 6.25;
            assert_close(sums[j], (double)j + (j < n ? square : 0.0), 1e-14);
            assert_close(roots[j], j < n ? sqrt(3.0 * (double)j) : (double)j, 1e-14);
            if (j < n) whole += w[j] * square;
        }
        assert_close(level->weigh_squares(n, 0.3, 2.5, x, w), whole, 1e-13);
    }
}

static void levels_agree(void **state) {
    (void)state;
    check_level(&orffi_vector_plain);
    check_level(orffi_vector_level_here());
    check_squares(&orffi_vector_plain);
    check_squares(orffi_vector_level_here());
}

/* Against sorting, for every count; many distances are equal, so that the row decides. */
static void nearest_come_first(void **state) {
    (void)state;
    enum { N = 41 };
    for (size_t count = 0; count < N; count++) {
        orffi_neighbour list[N];
        bool front[N] = {false};
        for (size_t i = 0; i < N; i++) list[i] = (orffi_neighbour){(double)(i * 17 % 7), i * 5 % N};
        orffi_nearest_first(list, N, count);
        for (size_t i = 0; i < count; i++) {
            assert_false(front[list[i].row]);
            front[list[i].row] = true;
            for (size_t j = count; j < N; j++)
                assert_true(list[i].distance < list[j].distance ||
                            (list[i].distance == list[j].distance && list[i].row < list[j].row));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_matches_header),
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(messages_are_per_thread),
        cmocka_unit_test(messages_are_bounded),
        cmocka_unit_test(finite_check_finds_the_place),
        cmocka_unit_test(finite_check_refuses_shapes),
        cmocka_unit_test(allocations_are_aligned_and_zeroed),
        cmocka_unit_test(impossible_allocations_fail),
        cmocka_unit_test(duplicates_copy),
        cmocka_unit_test(products_are_checked),
        cmocka_unit_test(thread_counts),
        cmocka_unit_test(hooks_hear),
        cmocka_unit_test(hooks_may_be_partial),
        cmocka_unit_test(decades_count_iterations),
        cmocka_unit_test(stages_have_parts),
        cmocka_unit_test(stages_speak_for_their_steps),
        cmocka_unit_test(levels_agree),
        cmocka_unit_test(nearest_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
