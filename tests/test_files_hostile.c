/* Files of models and moments that were changed and given a correct checksum again: whatever they contain,
 * loading returns either a status with a message that names the file, or a usable object. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "forged.h"
#include "lattice/fft.h"
#include "model/model.h"
#include "support.h"

/* A file in memory: tens of thousands are written. */
static int descriptor = -1;
static char path[64];

static void write_bytes(const unsigned char *bytes, size_t size) {
    assert_int_equal(ftruncate(descriptor, 0), 0);
    assert_int_equal(pwrite(descriptor, bytes, size, 0), size);
}

static forged split_file(const char *name) {
    size_t size;
    forged file;
    unsigned char *bytes = forged_read(name, &size);
    assert_true(forged_take_apart(bytes, size, &file));
    free(bytes);
    return file;
}

static void put_together(const forged *file) {
    size_t size;
    unsigned char *bytes = forged_put_together(file, &size);
    write_bytes(bytes, size);
    free(bytes);
}

/* ---- loading what was changed */

static size_t refused, taken, overflowed;

/* Finite numbers, or an error that says that they would not be. */
static bool is_finite(orff_status status, size_t n, const double *out) {
    if (status == ORFF_ERROR_NOT_FINITE) {
        overflowed++;
        return false;
    }
    if (status) fail_msg("status %d: %s", (int)status, orff_error_message());
    for (size_t i = 0; i < n; i++)
        if (!isfinite(out[i])) fail_msg("a result of a forged file is %g, with status 0", out[i]);
    return true;
}

/* A model that was taken serves: nothing it holds leads out of its memory, and what it says is finite. */
static void use_model(orff_model *model) {
    const orff_model_info info = orff_model_describe(model);
    const size_t p = info.code_length;
    double *x = calloc(2 * info.inputs, sizeof *x),
           *out = calloc(2 * p * (p > info.inputs ? p : info.inputs), sizeof *out);
    float *x_single = calloc(2 * info.inputs, sizeof *x_single),
          *out_single = calloc(2 * p, sizeof *out_single);
    orff_part part;
    assert_true(x && out && x_single && out_single && info.kernel && strlen(info.kernel) > 0);
    x[0] = 0.3;
    is_finite(orff_model_predict(model, 2, x, out), 2 * p, out);
    const orff_status single = orff_model_predict_single(model, 2, x_single, out_single);
    for (size_t i = 0; i < 2 * p; i++) out[i] = (double)out_single[i];
    is_finite(single, 2 * p, out);
    assert_ok(orff_model_part(model, info.parts - 1, &part));
    if (info.has_posterior && is_finite(orff_model_covariance(model, 2, x, out), 2 * p * p, out))
        for (size_t i = 0; i < p; i++) assert_true(out[i * p + i] >= 0.0);
    if (info.engine == ORFF_ENGINE_FEATURES || info.engine == ORFF_ENGINE_STACK)
        is_finite(orff_model_jacobian(model, 2, x, out), 2 * p * info.inputs, out);
    free(x);
    free(out);
    free(x_single);
    free(out_single);
}

static void use_moments(orff_moments *moments) {
    const orff_moments_info info = orff_moments_describe(moments);
    double *x = calloc(info.inputs, sizeof *x), *y = calloc(info.outputs, sizeof *y);
    assert_true(x && y);
    assert_ok(orff_moments_accumulate(moments, 1, x, y, NULL));
    free(x);
    free(y);
}

/* A fit to sums that no data have may fail, but gives no model that cannot be used. */
static void use_lattice_moments(orff_lattice_moments *moments) {
    const orff_lattice_moments_info info = orff_lattice_moments_describe(moments);
    orff_lattice_moments *like = NULL;
    orff_part part = orff_part_default();
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    part.sigma = info.shortest[0];
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda = 0.1;
    assert_ok(orff_lattice_moments_create_like(&like, moments));
    assert_ok(orff_lattice_moments_add(like, moments));
    assert_ok(orff_lattice_moments_subtract(like, moments));
    if (!orff_model_fit_lattice_moments(&model, &settings, moments)) use_model(model);
    orff_model_free(model);
    orff_lattice_moments_free(like);
}

static void note(orff_status status) {
    if (!status) {
        taken++;
        return;
    }
    refused++;
    if (status != ORFF_ERROR_FORMAT) fail_msg("status %d: %s", (int)status, orff_error_message());
    if (!strstr(orff_error_message(), path)) fail_msg("\"%s\" does not name the file", orff_error_message());
}

typedef void try_fn(void);

static void try_model(void) {
    orff_model *model = NULL;
    const orff_status status = orff_model_load(&model, path);
    note(status);
    if (!status) use_model(model);
    orff_model_free(model);
}

static void try_moments(void) {
    orff_moments *moments = NULL;
    const orff_status status = orff_moments_load(&moments, path);
    note(status);
    if (!status) use_moments(moments);
    orff_moments_free(moments);
}

static void try_lattice_moments(void) {
    orff_lattice_moments *moments = NULL;
    const orff_status status = orff_lattice_moments_load(&moments, path);
    note(status);
    if (!status) use_lattice_moments(moments);
    orff_lattice_moments_free(moments);
}

/* ---- the files to change: the golden ones, and others of every kind */

typedef struct subject {
    const char *name;
    try_fn *try;
} subject;

static char compact_path[96], structured_path[96], exact_path[96], lattice_path[96], sums_path[96],
    trend_path[96], columns_path[96], stack_path[96];
static subject subjects[] = {
    {ORFF_TEST_DIR "/golden/model_v1.orff", try_model},
    {ORFF_TEST_DIR "/golden/moments_v1.orff", try_moments},
    {compact_path, try_model},
    {structured_path, try_model},
    {ORFF_TEST_DIR "/golden/exact_v1.orff", try_model},  /* of a sum */
    {exact_path, try_model},                             /* of one decomposable part */
    {ORFF_TEST_DIR "/golden/custom_v1.orff", try_model}, /* of functions */
    {trend_path, try_model},                             /* with a trend */
    {columns_path, try_model},                           /* with one, exact */
    {stack_path, try_model},                             /* of layers */
    {lattice_path, try_model},
    {sums_path, try_lattice_moments},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, OF_LATTICES = 2 };

/* The last ones are of a lattice, which not every library has. */
static size_t count_subjects(void) {
    return orffi_fft_available() ? SUBJECTS : SUBJECTS - OF_LATTICES;
}

static void fit_and_write(const char *name, size_t d, size_t p, const orff_part *part, orff_scheme scheme,
                          bool compact, orff_engine engine, orff_trend trend) {
    const size_t N = engine == ORFF_ENGINE_EXACT ? 7 : 30;
    const orffi_rng rng = {.seed = 1, .stream = 1};
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    double *X = calloc(N * d, sizeof *X), *Y = calloc(N * p, sizeof *Y);
    assert_true(X && Y);
    for (size_t i = 0; i < N * d; i++) X[i] = orffi_rng_normal(rng, i, 0);
    for (size_t i = 0; i < N * p; i++) Y[i] = X[i % (N * d)];
    settings.n_parts = 1;
    settings.parts = part;
    if (engine != ORFF_ENGINE_LATTICE) settings.sampling.features = 5;
    settings.sampling.scheme = scheme;
    settings.lambda = 0.1;
    settings.engine = engine;
    settings.trend = trend;
    settings.n_hidden = engine == ORFF_ENGINE_STACK;
    settings.hidden = (const size_t[]){3};
    settings.hidden_features = 4;
    settings.epochs = 2;
    assert_ok(orff_model_fit(&model, &settings, d, p, N, X, Y, NULL));
    assert_ok(orff_model_save(model, name, compact));
    orff_model_free(model);
    free(X);
    free(Y);
}

/* Moments of a lattice on a line. */
static void write_sums(const char *name) {
    static const double low[] = {0.0}, high[] = {1.0}, x[] = {0.1, 0.4, 0.5, 0.9}, y[] = {1.0, 2.0, 2.5, 1.5};
    orff_part part = orff_part_default();
    const orff_lattice_need need = {
        .d = 1, .p = 1, .low = low, .high = high, .n_parts = 1, .parts = &part, .folds = 2};
    orff_lattice_moments *moments = NULL;
    assert_ok(orff_lattice_moments_create(&moments, &need));
    assert_ok(orff_lattice_moments_accumulate(moments, 4, x, y, NULL));
    assert_ok(orff_lattice_moments_save(moments, name));
    orff_lattice_moments_free(moments);
}

static int set_up(void **state) {
    (void)state;
    static const double A[4] = {2.0, 0.6, 0.6, 0.7};
    orff_part curl = orff_part_default(), wide = orff_part_default(), coupled = orff_part_default();
    descriptor = memfd_create("hostile", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    snprintf(compact_path, sizeof compact_path, "/tmp/orff_compact_%ld", (long)getpid());
    snprintf(exact_path, sizeof exact_path, "/tmp/orff_exact_%ld", (long)getpid());
    snprintf(structured_path, sizeof structured_path, "/tmp/orff_structured_%ld", (long)getpid());
    curl.rule = ORFF_RULE_CURL_FREE;
    wide.sigma = 11.0;
    coupled.A = A;
    fit_and_write(compact_path, 2, 2, &curl, ORFF_SCHEME_QMC, true, ORFF_ENGINE_FEATURES, ORFF_TREND_NONE);
    fit_and_write(structured_path, 129, 1, &wide, ORFF_SCHEME_HADAMARD, false, ORFF_ENGINE_FEATURES,
                  ORFF_TREND_NONE);
    fit_and_write(exact_path, 1, 2, &coupled, ORFF_SCHEME_AUTO, false, ORFF_ENGINE_EXACT, ORFF_TREND_NONE);
    snprintf(trend_path, sizeof trend_path, "/tmp/orff_trend_%ld", (long)getpid());
    snprintf(columns_path, sizeof columns_path, "/tmp/orff_columns_%ld", (long)getpid());
    fit_and_write(trend_path, 2, 2, &curl, ORFF_SCHEME_QMC, true, ORFF_ENGINE_FEATURES, ORFF_TREND_LINEAR);
    fit_and_write(columns_path, 1, 2, &coupled, ORFF_SCHEME_AUTO, false, ORFF_ENGINE_EXACT,
                  ORFF_TREND_CONSTANT);
    snprintf(stack_path, sizeof stack_path, "/tmp/orff_stack_%ld", (long)getpid());
    fit_and_write(stack_path, 2, 2, &coupled, ORFF_SCHEME_QMC, true, ORFF_ENGINE_STACK, ORFF_TREND_NONE);
    snprintf(lattice_path, sizeof lattice_path, "/tmp/orff_lattice_%ld", (long)getpid());
    snprintf(sums_path, sizeof sums_path, "/tmp/orff_sums_%ld", (long)getpid());
    if (orffi_fft_available()) {
        fit_and_write(lattice_path, 1, 2, &coupled, ORFF_SCHEME_AUTO, false, ORFF_ENGINE_LATTICE,
                      ORFF_TREND_NONE);
        write_sums(sums_path);
    }
    return descriptor < 0 || orff_set_threads(1) ? -1 : 0;
}

static int tear_down(void **state) {
    (void)state;
    close(descriptor);
    remove(compact_path);
    remove(structured_path);
    remove(exact_path);
    remove(trend_path);
    remove(columns_path);
    remove(stack_path);
    remove(lattice_path);
    remove(sums_path);
    return 0;
}

static void test_unchanged(void **state) {
    (void)state;
    for (size_t i = 0; i < count_subjects(); i++) {
        forged file = split_file(subjects[i].name);
        taken = refused = 0;
        put_together(&file);
        subjects[i].try();
        if (!taken) fail_msg("%s", orff_error_message());
        forged_clear(&file);
    }
}

/* ---- values of the document, one by one */

static const char *const values[] = {"null",
                                     "true",
                                     "false",
                                     "-1",
                                     "0",
                                     "1",
                                     "3",
                                     "1099511627776",
                                     "9007199254740993",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "1e308",
                                     "-1e308",
                                     "5e-324",
                                     "0.5",
                                     "-0.0",
                                     "\"\"",
                                     "\"inf\"",
                                     "\"-inf\"",
                                     "\"0\"",
                                     "\"01\"",
                                     "\"-5\"",
                                     "\"18446744073709551616\"",
                                     "\"gaussian\"",
                                     "\"laplace\"",
                                     "\"matern\"",
                                     "\"cauchy-product\"",
                                     "\"auto\"",
                                     "\"iid\"",
                                     "\"grid\"",
                                     "\"hadamard\"",
                                     "\"orthogonal\"",
                                     "\"halton\"",
                                     "\"div-free\"",
                                     "\"curl-free\"",
                                     "\"decomposable\"",
                                     "\"custom-b\"",
                                     "\"signature\"",
                                     "\"eigen\"",
                                     "\"nonsense\"",
                                     "[]",
                                     "{}",
                                     "[1]",
                                     "[null]",
                                     "[[]]",
                                     "[1,0]",
                                     "[0,0]",
                                     "[1,2,3]",
                                     "[-1,2,3]",
                                     "[0,1e300,1]",
                                     "[0,1099511627776]",
                                     "[\"1\",\"2\"]"};
enum { VALUES = sizeof values / sizeof *values };

static void try_file(const forged *file, try_fn *try) {
    put_together(file);
    try();
}

static void edit(const forged *file, json_t *node, try_fn *try);

/* One value of so many for each member, others for the next one; under sanitizers of more. All of them: ORFF_FAULTS=all. */
enum { SPARSE = 6 };
static size_t value_step(void) {
    const char *asked = getenv("ORFF_FAULTS");
    return asked && !strcmp(asked, "all") ? 1 : support_step(4) * 3;
}
static size_t first_value(void) {
    static size_t member;
    return member++ % value_step();
}

/* Every member in turn is replaced by every value, and left out. */
static void edit_object(const forged *file, json_t *object, try_fn *try) {
    json_t *copy = json_copy(object), *value;
    const char *key;
    json_object_foreach(copy, key, value) {
        for (size_t i = first_value(); i < VALUES; i += value_step()) {
            json_object_set_new(object, key, json_loads(values[i], JSON_DECODE_ANY, NULL));
            try_file(file, try);
        }
        json_object_del(object, key);
        try_file(file, try);
        json_object_set(object, key, value);
        edit(file, value, try);
    }
    json_decref(copy);
}

/* Every item is replaced, left out and doubled. */
static void edit_array(const forged *file, json_t *list, try_fn *try) {
    const size_t count = json_array_size(list), few = count > 4 ? 4 : count;
    for (size_t k = 0; k < few; k++) {
        json_t *value = json_incref(json_array_get(list, k));
        for (size_t i = first_value(); i < VALUES; i += value_step()) {
            json_array_set_new(list, k, json_loads(values[i], JSON_DECODE_ANY, NULL));
            try_file(file, try);
        }
        json_array_remove(list, k);
        try_file(file, try);
        json_array_insert(list, k, value);
        json_array_insert(list, k, value);
        try_file(file, try);
        json_array_remove(list, k);
        edit(file, value, try);
        json_decref(value);
    }
}

static void edit(const forged *file, json_t *node, try_fn *try) {
    if (json_is_object(node)) edit_object(file, node, try);
    if (json_is_array(node)) edit_array(file, node, try);
}

static void test_documents(void **state) {
    (void)state;
    for (size_t i = 0; i < count_subjects(); i++) {
        forged file = split_file(subjects[i].name);
        taken = refused = 0;
        edit(&file, file.document, subjects[i].try);
        print_message("%zu changed documents refused, %zu taken\n", refused, taken);
        assert_true(refused > 1000 / value_step() && taken > 0);
        forged_clear(&file);
    }
}

/* Laws and schemes in all combinations where frequencies are drawn again. */
static void test_recipes(void **state) {
    (void)state;
    forged file = split_file(compact_path);
    json_t *group = json_array_get(json_object_get(json_object_get(file.document, "bank"), "groups"), 0);
    json_t *recipe = json_object_get(group, "recipe"), *drawn = json_object_get(group, "drawn");
    static const double shapes[] = {1e-300, 0.3, 2.5, 50.0}, scales[] = {5e-324, 1e-300, 1.0, 1e300};
    for (int base = 0; base < ORFF_BASE_COUNT; base++)
        for (int scheme = 0; scheme < ORFF_SCHEME_COUNT; scheme++)
            for (int i = base % (int)support_step(5); i < 32; i += (int)support_step(5)) {
                json_object_set_new(group, "base", json_string(orff_base_name((orff_base)base)));
                json_object_set_new(group, "shape", json_real(shapes[i & 3]));
                json_array_set_new(json_object_get(group, "scales"), 0, json_real(scales[i >> 2 & 3]));
                json_object_set_new(recipe, "scheme", json_string(orff_scheme_name((orff_scheme)scheme)));
                json_object_set_new(drawn, "scheme", json_string(orff_scheme_name((orff_scheme)scheme)));
                json_object_set_new(recipe, "importance", json_boolean(i >> 4));
                json_object_set_new(drawn, "importance", json_boolean(i >> 4));
                try_file(&file, try_model);
            }
    forged_clear(&file);
}

/* The frequencies of a compact file are those it was written with, to the last bit. */
static void test_other_rounding(void **state) {
    (void)state;
    orff_model *model = NULL;
    forged file = split_file(compact_path);
    json_t *group = json_array_get(json_object_get(json_object_get(file.document, "bank"), "groups"), 0);
    json_object_set_new(json_object_get(group, "drawn"), "crc32c", json_string("01234567"));
    put_together(&file);
    assert_status(orff_model_load(&model, path), ORFF_ERROR_FORMAT);
    assert_non_null(strstr(orff_error_message(), "bank.groups[0].drawn.crc32c"));
    assert_non_null(strstr(orff_error_message(), "rounds otherwise"));
    forged_clear(&file);
}

/* ---- tensors */

static void edit_entry(forged *file, const char *name, try_fn *try) {
    static const char *const shapes[] = {
        "[]", "[0]", "[1,1]", "[3,2]", "[1099511627776]", "[9223372036854775807,2]"};
    json_t *entry = json_incref(json_object_get(file->header, name));
    json_t *shape = json_incref(json_object_get(entry, "shape"));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        json_object_set_new(entry, "shape", json_loads(shapes[i], 0, NULL));
        try_file(file, try);
    }
    json_t *turned = json_array();
    for (size_t i = json_array_size(shape); i-- > 0;) json_array_append(turned, json_array_get(shape, i));
    json_object_set_new(entry, "shape", turned);
    try_file(file, try);
    json_object_set_new(entry, "shape", shape);
    json_object_set_new(entry, "dtype", json_string("I64"));
    try_file(file, try);
    json_object_set_new(entry, "dtype", json_string("F64"));
    json_object_del(file->header, name);
    json_object_set(file->header, "renamed", entry);
    try_file(file, try);
    json_object_del(file->header, "renamed");
    json_object_set_new(file->header, name, entry);
}

/* The first, a middle and the last number in turn. */
static void edit_numbers(forged *file, const char *name, try_fn *try) {
    static const double numbers[] = {(double)NAN, (double)INFINITY, (double)-INFINITY, -1.0, 0.0, 1e308,
                                     5e-324};
    const json_t *offsets = json_object_get(json_object_get(file->header, name), "data_offsets");
    const size_t begin = (size_t)json_integer_value(json_array_get(offsets, 0));
    const size_t count = ((size_t)json_integer_value(json_array_get(offsets, 1)) - begin) / 8;
    const size_t places[] = {0, count / 2, count - 1};
    for (size_t k = 0; count && k < 3; k++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            double kept;
            memcpy(&kept, file->tensors + begin + 8 * places[k], 8);
            memcpy(file->tensors + begin + 8 * places[k], &numbers[i], 8);
            const size_t before = refused;
            try_file(file, try);
            const bool allowed =
                isfinite(numbers[i]) || !strcmp(name, "output_train_mse") || !strcmp(name, "output_cv_mse");
            if (!allowed && refused == before) fail_msg("%s: %g was taken", name, numbers[i]);
            memcpy(file->tensors + begin + 8 * places[k], &kept, 8);
        }
}

static void test_tensors(void **state) {
    (void)state;
    for (size_t i = 0; i < count_subjects(); i++) {
        forged file = split_file(subjects[i].name);
        json_t *names = json_copy(file.header), *value;
        const char *name;
        taken = refused = 0;
        json_object_foreach(names, name, value) {
            if (!strcmp(name, "__metadata__")) continue;
            edit_numbers(&file, name, subjects[i].try);
            edit_entry(&file, name, subjects[i].try);
        }
        print_message("%zu changed tensors refused, %zu taken\n", refused, taken);
        assert_true(refused > 50);
        json_decref(names);
        forged_clear(&file);
    }
}

/* ---- bits anywhere behind the checksum */

static void test_bit_flips(void **state) {
    (void)state;
    const size_t trials = 2000 / support_step(SPARSE);
    const orffi_rng rng = {.seed = 23, .stream = 4};
    for (size_t i = 0; i < count_subjects(); i++) {
        size_t size;
        unsigned char *bytes = forged_read(subjects[i].name, &size), *copy = malloc(size);
        assert_non_null(copy);
        const size_t head = 8 + forged_header_length(bytes);
        taken = refused = 0;
        for (uint64_t trial = 0; trial < trials; trial++) {
            memcpy(copy, bytes, size);
            const size_t flips = 1 + (size_t)orffi_rng_below(rng, trial, 0, 3);
            for (uint32_t k = 1; k <= flips; k++) { /* two in three in the header */
                const size_t range = orffi_rng_below(rng, trial, 16 * k, 3) ? head : size;
                copy[orffi_rng_below(rng, trial, 16 * k + 1, range)] ^=
                    (unsigned char)(1u << orffi_rng_below(rng, trial, 16 * k + 2, 8));
            }
            forged_seal(copy, size);
            write_bytes(copy, size);
            subjects[i].try();
        }
        print_message("%zu files with flipped bits refused, %zu taken\n", refused, taken);
        assert_true(refused > trials / 4 && taken > 0);
        free(bytes);
        free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unchanged), cmocka_unit_test(test_documents),
        cmocka_unit_test(test_recipes),   cmocka_unit_test(test_other_rounding),
        cmocka_unit_test(test_tensors),   cmocka_unit_test(test_bit_flips),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
