/* Directed rows use a lattice or the exact kernel, depending on the cost of each. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "engine/lattice.h"
#include "model/plan.h"
#include "support.h"

enum { D = 2, P = 2 };

/* Numbers along one axis each, even over a square. */
static orffi_rows rows_make(size_t n) {
    const orffi_rng rng = {5, 1};
    double *X = support_zeros(n * D), *Y = support_zeros(n), *weights = support_zeros(n),
           *along = support_zeros(n * P);
    orffi_rows rows = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < D; k++) X[i * D + k] = orffi_rng_uniform(rng, i, (uint32_t)k);
        along[i * P + i % P] = weights[i] = 1.0;
        Y[i] = sin(11.0 * X[i * D]) * cos(9.0 * X[i * D + 1]);
    }
    assert_ok(orffi_rows_from_directed(&rows, D, P, n, X, Y, weights, along, 0.5 * (double)n, 0, n));
    return rows;
}

static void rows_free(orffi_rows *rows) {
    void *given[] = {(void *)rows->X, (void *)rows->Y, (void *)rows->weights, (void *)rows->along};
    orffi_rows_clear(rows);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) free(given[i]);
}

/* A rough kernel, at a noise variance beside the field's. */
static orff_settings settings_for(orff_part *part, double noise, double N) {
    orff_settings s = orff_settings_default();
    *part = orff_part_default();
    part->base = ORFF_BASE_MATERN;
    part->shape = 1.5;
    part->sigma = 0.05;
    s.n_parts = 1;
    s.parts = part;
    s.lambda = noise / N;
    s.scale_inputs = ORFF_SWITCH_NO;
    s.max_bytes = 8000000000; /* on any machine */
    return s;
}

static const orffi_engine *chosen(size_t n, double noise, orff_switch *posterior) {
    orff_part part;
    orffi_rows rows = rows_make(n);
    orffi_plan plan = {0};
    const orff_settings s = settings_for(&part, noise, rows.N);
    assert_ok(orffi_plan_make(&plan, &s, &rows));
    const orffi_engine *engine = plan.engine;
    *posterior = plan.settings.posterior;
    orffi_plan_clear(&plan);
    rows_free(&rows);
    return engine;
}

static void test_the_cheaper_engine_is_chosen(void **state) {
    (void)state;
    orff_switch posterior;
    assert_ptr_equal(chosen(10000, 0.1, &posterior), &orffi_engine_lattice);
    assert_ptr_equal(chosen(10000, 1e-6, &posterior), &orffi_engine_exact);
    assert_int_equal(posterior, ORFF_SWITCH_AUTO);
    assert_ptr_equal(chosen(7000, 1e-6, &posterior), &orffi_engine_exact);
    assert_int_equal(posterior, ORFF_SWITCH_YES);
    assert_ptr_equal(chosen(30000, 1e-6, &posterior), &orffi_engine_lattice); /* a matrix of 7 GB */
}

static orffi_lattice_effort effort_at(double noise) {
    const size_t n = 10000;
    orff_part part;
    orffi_lattice_effort effort;
    orffi_rows rows = rows_make(n);
    orffi_plan plan = {0};
    orff_kernel *kernel;
    orff_settings s = settings_for(&part, noise, rows.N);
    s.sampling.tolerance = 1e-3; /* one lattice for any noise */
    s.engine = ORFF_ENGINE_LATTICE;
    assert_ok(orffi_plan_make(&plan, &s, &rows));
    assert_ok(orffi_plan_kernel(&plan, &kernel));
    const orffi_task task = orffi_plan_task(&plan);
    assert_ok(orffi_lattice_expect(&task, kernel, rows.N, n, &effort));
    orff_kernel_free(kernel);
    orffi_plan_clear(&plan);
    rows_free(&rows);
    return effort;
}

/* A hundredth of the noise takes ten times as many iterations. */
static void test_iterations_grow_with_the_root_of_the_condition(void **state) {
    (void)state;
    const orffi_lattice_effort some = effort_at(1e-6), more = effort_at(1e-8);
    assert_true(some.iterations > 10.0);
    assert_true(fabs(more.iterations / some.iterations - 10.0) < 0.1);
    assert_true(fabs(more.work / some.work - 10.0) < 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_cheaper_engine_is_chosen),
        cmocka_unit_test(test_iterations_grow_with_the_root_of_the_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
