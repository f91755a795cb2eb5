/* Files when memory runs out inside jansson: its k-th allocation fails, or all from the k-th on. A call gives
 * either its usual result, bit for bit, or ORFF_ERROR_NO_MEMORY and the old file: nothing is omitted from a
 * file, and no file is reported as damaged. */
#define _DEFAULT_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "forged.h"
#include "support.h"

/* ---- jansson's memory */

static size_t allocations, fail_from, fail_to; /* counted from 1; those from .. to fail */

static void *failing_malloc(size_t size) {
    allocations++;
    return allocations >= fail_from && allocations <= fail_to ? NULL : malloc(size);
}

static void fail_none(void) {
    fail_from = fail_to = allocations = 0;
}

/* ---- what is saved and loaded */

typedef struct subject {
    const char *name;
    void *object;
    orff_status (*load)(void **object, const char *path);
    orff_status (*save)(const void *object, const char *path);
    void (*free)(void *object);
} subject;

static orff_status load_model(void **object, const char *path) {
    return orff_model_load((orff_model **)object, path);
}
static orff_status save_model(const void *object, const char *path) {
    return orff_model_save(object, path, false);
}
static orff_status save_compact(const void *object, const char *path) {
    return orff_model_save(object, path, true);
}
static void free_model(void *object) {
    orff_model_free(object);
}
static orff_status load_moments(void **object, const char *path) {
    return orff_moments_load((orff_moments **)object, path);
}
static orff_status save_moments(const void *object, const char *path) {
    return orff_moments_save(object, path);
}
static void free_moments(void *object) {
    orff_moments_free(object);
}

static subject subjects[] = {
    {"model", NULL, load_model, save_model, free_model},
    {"compact", NULL, load_model, save_compact, free_model},
    {"exact", NULL, load_model, save_model, free_model},
    {"moments", NULL, load_moments, save_moments, free_moments},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static char directory[] = "/tmp/orff_memory_XXXXXX", path[64];

/* Long enough for buffers to grow several times, with something to escape. */
static const char notes[] =
    "{\"named\":true,\"inputs\":[{\"name\":\"a rather long name of a column, \\\"quoted\\\"\"},"
    "{\"name\":\"\\u00e9 \xc3\xa9\"}],\"outputs\":[{\"name\":\"u\"},{\"name\":\"v\"}]}";

static orff_model *fit(void) {
    enum { N = 30 };
    const orffi_rng rng = {.seed = 1, .stream = 1};
    orff_settings settings = orff_settings_default();
    orff_part part = orff_part_default();
    orff_model *model = NULL;
    double X[2 * N];
    for (size_t i = 0; i < 2 * N; i++) X[i] = orffi_rng_normal(rng, i, 0);
    part.rule = ORFF_RULE_CURL_FREE;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.sampling.features = 5;
    settings.sampling.scheme = ORFF_SCHEME_QMC;
    settings.lambda = 0.1;
    assert_ok(orff_model_fit(&model, &settings, 2, 2, N, X, X, NULL));
    return model;
}

static int set_up(void **state) {
    (void)state;
    orff_model *exact = NULL;
    orff_moments *moments = NULL;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/file", directory);
    assert_ok(orff_set_threads(1));
    assert_ok(orff_model_load(&exact, ORFF_TEST_DIR "/golden/exact_v1.orff"));
    assert_ok(orff_moments_load(&moments, ORFF_TEST_DIR "/golden/moments_v1.orff"));
    subjects[0].object = fit();
    subjects[1].object = fit();
    subjects[2].object = exact;
    subjects[3].object = moments;
    for (size_t i = 0; i < 3; i++) assert_ok(orff_model_set_notes(subjects[i].object, notes));
    assert_ok(orff_moments_set_notes(moments, notes));
    json_set_alloc_funcs(failing_malloc, free);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) subjects[i].free(subjects[i].object);
    remove(path);
    return rmdir(directory);
}

/* ---- comparing files */

static void write_old(void) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs("old", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_file(const void *want, size_t want_size) {
    size_t size;
    unsigned char *bytes = forged_read(path, &size);
    if (size != want_size || memcmp(bytes, want, size) != 0)
        fail_msg("the file is another one: %zu bytes", size);
    free(bytes);
}

static orff_status run(orff_status status, size_t k) {
    const bool reached = allocations >= k;
    fail_none();
    if (!reached && status) fail_msg("status %d: %s", (int)status, orff_error_message());
    if (status && status != ORFF_ERROR_NO_MEMORY)
        fail_msg("status %d: %s", (int)status, orff_error_message());
    return status;
}

static void save_with_failures(const subject *s, bool all_after) {
    size_t size, count = 0, failures = 0;
    assert_ok(s->save(s->object, path));
    unsigned char *want = forged_read(path, &size);
    for (size_t k = 1; k == 1 || count >= k - 1; k++) {
        write_old();
        fail_none();
        fail_from = k;
        fail_to = all_after ? SIZE_MAX : k;
        const orff_status status = s->save(s->object, path);
        count = allocations;
        failures += status != ORFF_OK;
        if (run(status, k))
            assert_file("old", 3);
        else
            assert_file(want, size);
    }
    assert_true(failures > 50);
    free(want);
}

static void load_with_failures(const subject *s, bool all_after) {
    size_t size, count = 0, failures = 0;
    assert_ok(s->save(s->object, path));
    unsigned char *want = forged_read(path, &size);
    for (size_t k = 1; k == 1 || count >= k - 1; k++) {
        void *again = NULL;
        fail_none();
        fail_from = k;
        fail_to = all_after ? SIZE_MAX : k;
        const orff_status status = s->load(&again, path);
        count = allocations;
        failures += status != ORFF_OK;
        if (run(status, k)) {
            assert_null(again);
            continue;
        }
        assert_ok(s->save(again, path));
        assert_file(want, size);
        s->free(again);
    }
    assert_true(failures > 50);
    free(want);
}

static void test_saving(void **state) {
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        support_case("%s", subjects[i].name);
        save_with_failures(&subjects[i], false);
        save_with_failures(&subjects[i], true);
    }
}

static void test_loading(void **state) {
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        support_case("%s", subjects[i].name);
        load_with_failures(&subjects[i], false);
        load_with_failures(&subjects[i], true);
    }
}

/* Lack of memory is not "not UTF-8" either. */
static void test_notes(void **state) {
    (void)state;
    fail_none();
    fail_from = 1;
    fail_to = SIZE_MAX;
    assert_ok(orff_model_set_notes(subjects[0].object, notes));
    assert_status(orff_model_set_notes(subjects[0].object, "\xff"), ORFF_ERROR_INVALID_ARGUMENT);
    fail_none();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saving),
        cmocka_unit_test(test_loading),
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
