/* Fourier transforms against direct sums, and their guarantees: the same bits for any number of threads, any
 * alignment of the arrays, several callers at once, and processes that fork. */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lattice/fft.h"
#include "support.h"

static const double PI = 3.14159265358979323846;

static size_t product(size_t d, const size_t *n) {
    size_t size = 1;
    for (size_t i = 0; i < d; i++) size *= n[i];
    return size;
}

static size_t modes_of(size_t d, const size_t *n) {
    return product(d - 1, n) * (n[d - 1] / 2 + 1);
}

/* <k, j> / n in turns, for the flat index j of a field and k of its modes. */
static double turns(size_t d, const size_t *n, size_t j, size_t k) {
    double sum = 0;
    for (size_t i = d; i-- > 0;) {
        const size_t width = i + 1 < d ? n[i] : n[i] / 2 + 1;
        sum += (double)((j % n[i]) * (k % width) % n[i]) / (double)n[i];
        j /= n[i];
        k /= width;
    }
    return sum;
}

static double complex direct_mode(size_t d, const size_t *n, const double *field, size_t k) {
    double complex sum = 0;
    for (size_t j = 0; j < product(d, n); j++) sum += field[j] * cexp(-2 * PI * I * turns(d, n, j, k));
    return sum;
}

static const struct shape {
    size_t d, n[3];
} shapes[] = {{1, {1, 0, 0}}, {1, {2, 0, 0}}, {1, {7, 0, 0}},  {1, {36, 0, 0}},
              {2, {5, 8, 0}}, {2, {6, 7, 0}}, {2, {1, 12, 0}}, {2, {20, 30, 0}},
              {3, {3, 4, 5}}, {3, {4, 6, 8}}, {3, {5, 1, 2}},  {3, {8, 9, 7}}};
enum { SHAPES = sizeof shapes / sizeof *shapes, COUNT = 3 };

/* Arrays that begin `off` numbers after where they should. */
static void check_double(const struct shape *s, size_t off) {
    const size_t size = product(s->d, s->n), modes = modes_of(s->d, s->n);
    double *field = support_normal(COUNT * size + off, 5, 1), *back = support_zeros(COUNT * size + off);
    double *room = support_zeros(2 * (COUNT * modes + off));
    double complex *got = (double complex *)(void *)(room + off);
    assert_ok(orffi_fft_forward(s->d, s->n, COUNT, field + off, got));
    for (size_t i = 0; i < COUNT * modes; i++) {
        const double complex want = direct_mode(s->d, s->n, field + off + i / modes * size, i % modes);
        assert_true(cabs(got[i] - want) <= 1e-13 * (double)size + 1e-13);
    }
    assert_ok(orffi_fft_backward(s->d, s->n, COUNT, got, back + off));
    for (size_t i = off; i < COUNT * size + off; i++) assert_close(back[i] / (double)size, field[i], 1e-13);
    free(field), free(back), free(room);
}

static void check_single(const struct shape *s, size_t off) {
    const size_t size = product(s->d, s->n), modes = modes_of(s->d, s->n);
    double *field = support_normal(COUNT * size, 5, 1);
    float *from = calloc(COUNT * size + off, sizeof *from), *back = calloc(COUNT * size + off, sizeof *back);
    float *room = calloc(2 * (COUNT * modes + off), sizeof *room);
    assert_true(from && back && room);
    float complex *got = (float complex *)(void *)(room + off);
    for (size_t i = 0; i < COUNT * size; i++) field[i] = from[off + i] = (float)field[i];
    assert_ok(orffi_fft_forward_single(s->d, s->n, COUNT, from + off, got));
    for (size_t i = 0; i < COUNT * modes; i++) {
        const double complex want = direct_mode(s->d, s->n, field + i / modes * size, i % modes);
        assert_true(cabs((double complex)got[i] - want) <= 1e-5 * sqrt((double)size));
    }
    assert_ok(orffi_fft_backward_single(s->d, s->n, COUNT, got, back + off));
    for (size_t i = 0; i < COUNT * size; i++)
        assert_close((double)back[off + i] / (double)size, field[i], 1e-5);
    free(field), free(from), free(back), free(room);
}

static void test_direct(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t off = 0; off < 2; off++) {
            support_case("shape %zu, off by %zu", i, off);
            check_double(&shapes[i], off);
            check_single(&shapes[i], off);
        }
    support_case(NULL);
}

/* Large enough for several threads: the modes of one plane wave, and the same bits whatever the threads. */
static void test_threads(void **state) {
    (void)state;
    static const struct shape large[] = {
        {2, {164, 210, 0}}, {3, {36, 40, 48}}, {1, {100000, 0, 0}}, {2, {3, 30000, 0}}};
    for (size_t l = 0; l < sizeof large / sizeof *large; l++) {
        const struct shape *s = &large[l];
        const size_t size = product(s->d, s->n), modes = modes_of(s->d, s->n), at = modes / 3;
        double *field = support_zeros(COUNT * size), *back = support_zeros(COUNT * size);
        double complex *first = NULL;
        for (size_t i = 0; i < COUNT * size; i++)
            field[i] = cos(2 * PI * turns(s->d, s->n, i % size, at)) + (double)(i / size);
        for (size_t threads = 1; threads <= 4; threads++) {
            support_case("shape %zu, %zu threads", l, threads);
            assert_ok(orff_set_threads(threads));
            double complex *got = calloc(COUNT * modes, sizeof *got);
            assert_true(got != NULL);
            assert_ok(orffi_fft_forward(s->d, s->n, COUNT, field, got));
            assert_close(creal(got[at]) / (double)size, 0.5, 1e-12);
            assert_close(creal(got[modes]) / (double)size, 1.0, 1e-12);
            if (!first) {
                first = malloc(COUNT * modes * sizeof *first);
                assert_true(first != NULL);
                memcpy(first, got, COUNT * modes * sizeof *first);
            }
            assert_memory_equal(got, first, COUNT * modes * sizeof *first);
            assert_ok(orffi_fft_backward(s->d, s->n, COUNT, got, back));
            for (size_t i = 0; i < COUNT * size; i++) back[i] /= (double)size;
            assert_all_close(COUNT * size, back, field, 1e-12);
            free(got);
        }
        free(field), free(back), free(first);
    }
    support_case(NULL);
    assert_ok(orff_set_threads(0));
}

/* More shapes than plans are kept, from several threads at once. */
static void *many_shapes(void *wrong) {
    for (size_t round = 0; round < 2; round++)
        for (size_t n = 2; n < 120; n++) {
            double field[120];
            double complex modes[61];
            for (size_t j = 0; j < n; j++) field[j] = (double)j;
            if (orffi_fft_forward(1, &n, 1, field, modes)) *(int *)wrong = 1;
            if (!(fabs(creal(modes[0]) - (double)(n * (n - 1) / 2)) < 1e-9)) *(int *)wrong = 2;
        }
    return NULL;
}

static void test_callers(void **state) {
    (void)state;
    enum { CALLERS = 4 };
    pthread_t caller[CALLERS];
    int wrong[CALLERS] = {0};
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&caller[i], NULL, many_shapes, &wrong[i]), 0);
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(caller[i], NULL), 0);
        assert_int_equal(wrong[i], 0);
    }
}

static void test_fork(void **state) {
    (void)state;
    const size_t n[2] = {200, 200};
    double *field = support_zeros(40000);
    double complex *modes = calloc(200 * 101, sizeof *modes);
    assert_true(modes != NULL);
    for (size_t i = 0; i < 40000; i++) field[i] = 1;
    assert_ok(orffi_fft_forward(2, n, 1, field, modes));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        alarm(60);
        modes[0] = 0;
        const orff_status status = orffi_fft_forward(2, n, 1, field, modes);
        _exit(status || !(cabs(modes[0] - 40000) < 1e-6));
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    free(field), free(modes);
}

static void test_sizes(void **state) {
    (void)state;
    for (size_t least = 0; least < 3000; least++) {
        size_t want = least < 2 ? 2 : least;
        for (;; want++) {
            size_t rest = want;
            for (size_t p = 2; p < 8; p++)
                while (rest % p == 0) rest /= p;
            if (rest == 1 && want % 2 == 0) break;
        }
        assert_int_equal(orffi_fft_size(least), want);
    }
    assert_true(orffi_fft_size((size_t)1 << 62) == (size_t)1 << 62);
    assert_true(orffi_fft_size(SIZE_MAX) == SIZE_MAX - 1);
}

static void test_refusals(void **state) {
    (void)state;
    double field[4] = {0};
    double complex modes[4];
    assert_status(orffi_fft_forward(0, (size_t[]){1}, 1, field, modes), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_fft_forward(4, (size_t[]){1, 1, 1, 1}, 1, field, modes), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_fft_forward(2, (size_t[]){2, 0}, 1, field, modes), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_fft_forward(1, (size_t[]){SIZE_MAX - 1}, 1, field, modes), ORFF_ERROR_NO_MEMORY);
    assert_ok(orffi_fft_forward(2, (size_t[]){2, 2}, 0, field, modes));
    assert_ok(orffi_fft_require());
}

int main(void) {
    const struct CMUnitTest sizes[] = {cmocka_unit_test(test_sizes)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct), cmocka_unit_test(test_threads),  cmocka_unit_test(test_callers),
        cmocka_unit_test(test_fork),   cmocka_unit_test(test_refusals),
    };
    const int failed = cmocka_run_group_tests(sizes, NULL, NULL);
    if (orffi_fft_available()) return failed + cmocka_run_group_tests(tests, NULL, NULL);
    double field[2] = {0};
    double complex modes[2];
    const bool refused = orffi_fft_forward(1, (size_t[]){2}, 1, field, modes) == ORFF_ERROR_UNSUPPORTED;
    print_message("skipped: Fourier transforms are not built in (ORFF_FFT=none)\n");
    return failed || !refused ? 1 : 77;
}
