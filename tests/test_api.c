/* The public interface apart from its mathematics: names, messages, hooks, threads, defaults. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* ---- names */

static void names_and_numbers_agree(void **state) {
    (void)state;
    for (int i = 0; i < ORFF_BASE_COUNT; i++) {
        orff_base base = ORFF_BASE_COUNT;
        double shape = 1.25;
        assert_ok(orff_base_parse(orff_base_name((orff_base)i), &base, &shape));
        assert_int_equal(base, i);
        assert_close(shape, 0.0, 0); /* a plain name has none */
        assert_string_equal(orff_base_names()[i], orff_base_name((orff_base)i));
    }
    for (int i = 0; i < ORFF_RULE_COUNT; i++) {
        orff_rule rule = ORFF_RULE_COUNT;
        assert_ok(orff_rule_parse(orff_rule_name((orff_rule)i), &rule));
        assert_int_equal(rule, i);
    }
    for (int i = 0; i < ORFF_SCHEME_COUNT; i++) {
        orff_scheme scheme = ORFF_SCHEME_COUNT;
        assert_ok(orff_scheme_parse(orff_scheme_name((orff_scheme)i), &scheme));
        assert_int_equal(scheme, i);
    }
    assert_null(orff_base_name(ORFF_BASE_COUNT));
    assert_null(orff_rule_name(ORFF_RULE_COUNT));
    assert_null(orff_scheme_name(ORFF_SCHEME_COUNT));
    assert_string_equal(orff_base_name(ORFF_BASE_RATIONAL_QUADRATIC), "rational-quadratic");
    assert_string_equal(orff_rule_name(ORFF_RULE_DIV_FREE), "div-free");
    assert_string_equal(orff_scheme_name(ORFF_SCHEME_AUTO), "auto");
}

static void short_forms_set_the_shape(void **state) {
    (void)state;
    const struct {
        const char *name;
        orff_base base;
        double shape;
    } forms[] = {{"matern12", ORFF_BASE_MATERN, 0.5},
                 {"matern32", ORFF_BASE_MATERN, 1.5},
                 {"matern52", ORFF_BASE_MATERN, 2.5},
                 {"matern72", ORFF_BASE_MATERN, 3.5},
                 {"cauchy", ORFF_BASE_RATIONAL_QUADRATIC, 1}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        orff_base base = ORFF_BASE_COUNT;
        double shape = -1;
        assert_ok(orff_base_parse(forms[i].name, &base, &shape));
        assert_int_equal(base, forms[i].base);
        assert_close(shape, forms[i].shape, 0);
    }
}

/* A wrong name is answered with the right ones, and nothing is changed. */
static void wrong_names_are_refused(void **state) {
    (void)state;
    const char *wrong[] = {"", "gauss", "Gaussian", "matern", "gaussian "};
    orff_base base = ORFF_BASE_LAPLACE;
    orff_rule rule = ORFF_RULE_HELMHOLTZ;
    orff_scheme scheme = ORFF_SCHEME_QMC;
    double shape = 7;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (strcmp(wrong[i], "matern")) {
            assert_status(orff_base_parse(wrong[i], &base, &shape), ORFF_ERROR_INVALID_ARGUMENT);
            assert_says("matern52");
        }
        assert_status(orff_rule_parse(wrong[i], &rule), ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("curl-free");
        assert_status(orff_scheme_parse(wrong[i], &scheme), ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("qmc");
    }
    assert_int_equal(base, ORFF_BASE_LAPLACE);
    assert_int_equal(rule, ORFF_RULE_HELMHOLTZ);
    assert_int_equal(scheme, ORFF_SCHEME_QMC);
    assert_close(shape, 7, 0);
    assert_status(orff_base_parse(NULL, &base, &shape), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_base_parse("gaussian", NULL, &shape), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_rule_parse("curl-free", NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_scheme_parse(NULL, &scheme), ORFF_ERROR_INVALID_ARGUMENT);
}

static void statuses_have_texts(void **state) {
    (void)state;
    for (int i = 0; i < ORFF_STATUS_COUNT; i++) {
        assert_true(strlen(orff_status_text((orff_status)i)) > 4);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(orff_status_text((orff_status)i), orff_status_text((orff_status)j));
    }
    assert_string_equal(orff_status_text(ORFF_OK), "success");
    assert_non_null(orff_status_text((orff_status)-1));
    assert_non_null(orff_status_text(ORFF_STATUS_COUNT));
}

static void version_and_build_are_told(void **state) {
    (void)state;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", ORFF_VERSION_MAJOR, ORFF_VERSION_MINOR, ORFF_VERSION_PATCH);
    assert_string_equal(orff_version(), version);
    assert_true(strlen(orff_build_info()) > 8);
    assert_ptr_equal(orff_build_info(), orff_build_info());
}

static void defaults_are_as_documented(void **state) {
    (void)state;
    const orff_part part = orff_part_default();
    assert_int_equal(part.rule, ORFF_RULE_DECOMPOSABLE);
    assert_int_equal(part.base, ORFF_BASE_GAUSSIAN);
    assert_close(part.sigma, 1, 0);
    assert_close(part.weight, 1, 0);
    assert_close(part.mix, 0.5, 0);
    assert_false(part.normalise);
    assert_null(part.A);
    assert_null(part.B);
    assert_null(part.sigmas);
    assert_null(part.space);
    const orff_sampling sampling = orff_sampling_default();
    assert_int_equal(sampling.scheme, ORFF_SCHEME_AUTO);
    assert_int_equal(sampling.features, 1000);
    assert_int_equal(sampling.seed, 0);
    assert_int_equal(sampling.importance, ORFF_SWITCH_AUTO);
    assert_null(sampling.extent);
    assert_close(sampling.tolerance, 0, 0);
}

/* ---- messages */

static void *fail_elsewhere(void *found) {
    orff_rule rule;
    strncpy(found, orff_error_message(), 99);
    (void)orff_rule_parse("elsewhere", &rule);
    return NULL;
}

static void messages_are_of_their_thread(void **state) {
    (void)state;
    char found[100] = "?";
    orff_base base;
    double shape;
    pthread_t thread;
    assert_status(orff_base_parse("here", &base, &shape), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, found), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(found, "");
    assert_says("here");
    assert_null(strstr(orff_error_message(), "elsewhere"));
    assert_ok(orff_base_parse("gaussian", &base, &shape)); /* success keeps the message of the last failure */
    assert_says("here");
}

/* ---- hooks */

enum { N = 2500, D = 8, P = 2, M = 2 * D * P };

typedef struct watcher {
    int calls, stop_at;
    double last, total;
    char task[32];
} watcher;

static bool watch(void *self, const char *task, double done, double total) {
    watcher *w = self;
    w->calls++;
    assert_true(done >= w->last && done <= total);
    w->last = done;
    w->total = total;
    snprintf(w->task, sizeof w->task, "%s", task);
    return w->calls != w->stop_at;
}

static orff_features *small_features(void) {
    const orff_part part = orff_part_default();
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    sampling.features = D;
    assert_ok(orff_kernel_create(&kernel, 1, P, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    orff_kernel_free(kernel);
    return features;
}

typedef struct data {
    double X[N], Y[N * P], F[N * P], theta[M], out[M];
    float X_single[N], F_single[N * P];
} data;

static data *make_data(void) {
    data *a = calloc(1, sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < N; i++) a->X_single[i] = (float)(a->X[i] = 1e-3 * (double)i);
    for (size_t i = 0; i < N * P; i++) {
        a->Y[i] = (double)(i % 7);
        a->F[i] = -99;
        a->F_single[i] = -99;
    }
    for (size_t i = 0; i < M; i++) {
        a->theta[i] = 1;
        a->out[i] = -99;
    }
    return a;
}

static void progress_is_reported(void **state) {
    (void)state;
    watcher w = {0};
    const orff_hooks hooks = {.progress = watch, .self = &w};
    orff_features *features = small_features();
    data *a = make_data();
    orff_set_hooks(&hooks);
    assert_ok(orff_features_apply(features, N, a->X, a->theta, a->F));
    assert_true(w.calls >= 2);
    assert_close(w.total, N, 0);
    assert_string_equal(w.task, "features");
    orff_set_hooks(NULL);
    w.calls = 0;
    assert_ok(orff_features_apply(features, N, a->X, a->theta, a->F));
    assert_int_equal(w.calls, 0);
    free(a);
    orff_features_free(features);
}

/* Stopped at the first or at the second block: the status says so and results are as before the call. */
static void progress_can_stop_a_call(void **state) {
    (void)state;
    orff_features *features = small_features();
    data *a = make_data();
    for (int stop = 1; stop <= 2; stop++) {
        watcher w = {.stop_at = stop};
        const orff_hooks hooks = {.progress = watch, .self = &w};
        orff_set_hooks(&hooks);
        assert_status(orff_features_apply(features, N, a->X, a->theta, a->F), ORFF_ERROR_CANCELLED);
        assert_says("features");
        w = (watcher){.stop_at = stop};
        assert_status(orff_features_apply_single(features, N, a->X_single, a->theta, a->F_single),
                      ORFF_ERROR_CANCELLED);
        w = (watcher){.stop_at = stop};
        assert_status(orff_features_adjoint(features, N, a->X, a->Y, a->out), ORFF_ERROR_CANCELLED);
        w = (watcher){.stop_at = stop};
        assert_status(orff_features_normal(features, N, a->X, a->theta, a->out), ORFF_ERROR_CANCELLED);
        orff_set_hooks(NULL);
    }
    for (size_t i = 0; i < N * P; i++) assert_true(a->F[i] == -99 && a->F_single[i] == -99);
    for (size_t i = 0; i < M; i++) assert_true(a->out[i] == -99);
    free(a);
    orff_features_free(features);
}

static void *run_without_hooks(void *features) {
    data *a = make_data();
    const orff_status status = orff_features_apply(features, N, a->X, a->theta, a->F);
    free(a);
    return status ? features : NULL;
}

static void hooks_are_of_their_thread(void **state) {
    (void)state;
    watcher w = {.stop_at = 1};
    const orff_hooks hooks = {.progress = watch, .self = &w};
    orff_features *features = small_features();
    pthread_t thread;
    void *failed = features;
    orff_set_hooks(&hooks);
    assert_int_equal(pthread_create(&thread, NULL, run_without_hooks, features), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    orff_set_hooks(NULL);
    assert_null(failed);
    assert_int_equal(w.calls, 0);
    orff_features_free(features);
}

/* ---- threads */

static void thread_count_is_kept(void **state) {
    (void)state;
    const size_t all = orff_get_threads();
    assert_true(all >= 1);
    assert_ok(orff_set_threads(3));
    assert_int_equal(orff_get_threads(), 3);
    assert_status(orff_set_threads((size_t)1 << 40), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(orff_get_threads(), 3);
    assert_ok(orff_set_threads(0));
    assert_int_equal(orff_get_threads(), all);
}

/* Many threads may use one feature map at once. */
typedef struct share {
    const orff_features *features;
    const data *in;
    double F[N * P];
    orff_status status;
} share;

static void *apply_shared(void *self) {
    share *s = self;
    s->status = orff_features_apply(s->features, N, s->in->X, s->in->theta, s->F);
    return NULL;
}

static void features_may_be_shared_by_threads(void **state) {
    (void)state;
    enum { THREADS = 4 };
    orff_features *features = small_features();
    data *a = make_data();
    share *shares = calloc(THREADS, sizeof *shares);
    pthread_t threads[THREADS];
    assert_non_null(shares);
    assert_ok(orff_features_apply(features, N, a->X, a->theta, a->F));
    for (size_t i = 0; i < THREADS; i++) {
        shares[i].features = features;
        shares[i].in = a;
        assert_int_equal(pthread_create(&threads[i], NULL, apply_shared, &shares[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(shares[i].status, ORFF_OK);
        assert_all_close(N * P, shares[i].F, a->F, 1e-13);
    }
    free(shares);
    free(a);
    orff_features_free(features);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_numbers_agree),      cmocka_unit_test(short_forms_set_the_shape),
        cmocka_unit_test(wrong_names_are_refused),      cmocka_unit_test(statuses_have_texts),
        cmocka_unit_test(version_and_build_are_told),   cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(messages_are_of_their_thread), cmocka_unit_test(progress_is_reported),
        cmocka_unit_test(progress_can_stop_a_call),     cmocka_unit_test(hooks_are_of_their_thread),
        cmocka_unit_test(thread_count_is_kept),         cmocka_unit_test(features_may_be_shared_by_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
