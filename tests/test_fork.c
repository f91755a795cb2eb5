/* Processes that fork: the child learns like the parent. Each test forks in another state; the order matters,
 * because nothing may have used the library before the first. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "orff.h"
#include "support.h"

enum { ROWS = 400, INPUTS = 2, OUTPUTS = 2, MINUTES = 4 };

/* A divergence-free field at fixed places. */
static void fill(double *X, double *Y) {
    for (size_t i = 0; i < ROWS; i++) {
        X[2 * i] = fmod(0.754877666 * (double)(i + 1), 1.0);
        X[2 * i + 1] = fmod(0.569840291 * (double)(i + 1), 1.0);
        Y[2 * i] = sin(5.0 * X[2 * i + 1]);
        Y[2 * i + 1] = cos(4.0 * X[2 * i]);
    }
}

/* Features, moments, a factorisation and predictions: loops of ours and of BLAS. false: a call has failed. */
static bool learn(double F[ROWS * OUTPUTS]) {
    static double X[ROWS * INPUTS], Y[ROWS * OUTPUTS];
    orff_settings settings = orff_settings_default();
    orff_part part = orff_part_default();
    orff_model *model = NULL;
    fill(X, Y);
    part.sigma = 0.4;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda = 1e-6;
    settings.sampling.features = 150;
    orff_status status = orff_model_fit(&model, &settings, INPUTS, OUTPUTS, ROWS, X, Y, NULL);
    if (!status) status = orff_model_predict(model, ROWS, X, F);
    orff_model_free(model);
    return status == ORFF_OK;
}

static bool same(const double *a, const double *b) {
    for (size_t i = 0; i < ROWS * OUTPUTS; i++)
        if (!(fabs(a[i] - b[i]) < 1e-6)) return false;
    return true;
}

/* How a child ends: 0, or what was wrong. A child that hangs is ended by its alarm. */
static void report(const double *expected, size_t threads) {
    static double F[ROWS * OUTPUTS];
    int wrong = 0;
    alarm(60 * MINUTES);
    if (orff_get_threads() != threads) wrong = 2;
    if (!learn(F)) wrong = 3;
    if (!wrong && expected && !same(F, expected)) wrong = 4;
    _exit(wrong);
}

static void expect_child_learns(const double *expected, size_t threads) {
    int status = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) report(expected, threads);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static double here[ROWS * OUTPUTS]; /* what this process has learnt */

static void unused_before(void **state) {
    (void)state;
    assert_int_equal(orff_set_threads(3), ORFF_OK); /* also where the machine has one core */
    expect_child_learns(NULL, 3);
}

/* The threads of this process. */
static size_t count_threads(void) {
    size_t count = 0;
    DIR *list = opendir("/proc/self/task");
    assert_non_null(list);
    while (readdir(list)) count++;
    closedir(list);
    return count - 2; /* . and .. */
}

/* The team of a thread ends after it, in its own time. GCC's address sanitizer holds locks of its allocator while a thread ends
 * and does not free them in a child: a fork at that moment hangs there, though the C library's own fork does not. Where `before`
 * threads were there, as many stay, and more where a BLAS keeps its own: these do not end, so waiting has an end itself. */
static void wait_until_as_few(size_t before) {
#ifdef __SANITIZE_ADDRESS__
    const struct timespec moment = {.tv_nsec = 1000000};
    for (size_t left = 2000; left && count_threads() > before; left--) nanosleep(&moment, NULL);
#else
    (void)before;
#endif
}

static void *learn_there(void *F) {
    return learn(F) ? F : NULL;
}

static void used_in_another_thread(void **state) {
    pthread_t thread;
    void *done = NULL;
    const size_t before = count_threads();
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, learn_there, here), 0);
    assert_int_equal(pthread_join(thread, &done), 0);
    assert_non_null(done);
    wait_until_as_few(before);
    expect_child_learns(here, 3);
}

static void used_before(void **state) {
    double F[ROWS * OUTPUTS];
    (void)state;
    assert_true(learn(F));
    assert_true(same(F, here));
    expect_child_learns(F, 3);
    expect_child_learns(F, 3); /* the parent has forked before */
    assert_true(learn(F));
    assert_true(same(F, here));
    expect_child_learns(F, 3);
}

static void child_of_a_child(void **state) {
    int status = -1;
    (void)state;
    assert_true(learn(here));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        alarm(60 * MINUTES);
        if (!learn(here)) _exit(5);
        const pid_t grandchild = fork();
        if (!grandchild) report(here, 3);
        _exit(grandchild < 0 || waitpid(grandchild, &status, 0) < 0 || status ? 6 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The team cannot be dismissed there: one thread, whatever is asked for. */
static void inside_a_parallel_region(void **state) {
    int status = -1;
    (void)state;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        const pid_t child = fork();
        if (!child) {
            alarm(60 * MINUTES);
            if (orff_set_threads(2)) _exit(7);
#ifdef __clang__
            report(here, 2); /* LLVM's OpenMP starts anew in the child */
#else
            report(here, 1);
#endif
        }
        if (child < 0 || waitpid(child, &status, 0) != child) status = -1;
    }
    assert_int_equal(status, 0);
    double F[ROWS * OUTPUTS];
    assert_true(learn(F));
    assert_true(same(F, here));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unused_before),
        cmocka_unit_test(used_in_another_thread),
        cmocka_unit_test(used_before),
        cmocka_unit_test(child_of_a_child),
        cmocka_unit_test(inside_a_parallel_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
