/* Matrices of some tens of rows wake no other threads: on a busy machine each time takes longer than they do. */
#include <math.h>
#include <sys/resource.h>

#include "base/random.h"
#include "support.h"

enum {
    ROWS = 600,
    MOST =
        5000 /* waits of a fit. It has some hundreds of large products; of small ones it has tens of thousands */
};

/* How often the threads of this process have waited. */
static long count_waits(void) {
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    return used.ru_nvcsw;
}

/* Rough, so that kernels are compared by rows left out, each predicted from its 48 nearest. */
static void choices_of_small_matrices_wait_for_nobody(void **state) {
    static const char *const settings[] = {"engine=lattice", NULL};
    const orffi_rng rng = {3, 1};
    double X[2 * ROWS], Y[ROWS];
    orff_model *model;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        X[2 * i] = orffi_rng_uniform(rng, i, 0);
        X[2 * i + 1] = orffi_rng_uniform(rng, i, 1);
        Y[i] = sin(9.0 * X[2 * i]) * cos(7.0 * X[2 * i + 1]) + 0.1 * orffi_rng_normal(rng, i, 2);
    }
    assert_ok(orff_set_threads(2));
    const long before = count_waits();
    assert_ok(orff_learn(&model, settings, 2, 1, ROWS, X, Y));
    const long waits = count_waits() - before;
    print_message("%ld waits\n", waits);
    assert_true(waits < MOST);
    orff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(choices_of_small_matrices_wait_for_nobody)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
