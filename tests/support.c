#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static char current_case[256];

void support_case(const char *format, ...) {
    current_case[0] = '\0';
    if (!format) return;
    va_list args;
    va_start(args, format);
    vsnprintf(current_case, sizeof current_case, format, args);
    va_end(args);
}

/* "label" or "label [case]". */
static void print_label(const char *label) {
    if (current_case[0])
        print_error("%s [%s]: ", label, current_case);
    else
        print_error("%s: ", label);
}

json_t *support_load(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", ORFF_TEST_DIR, name);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail_msg("%s, line %d: %s", path, error.line, error.text);
    return root;
}

json_t *support_member(const json_t *object, const char *key) {
    json_t *member = json_object_get(object, key);
    if (!member) fail_msg("no member \"%s\"", key);
    return member;
}

double support_value(const json_t *number) {
    if (json_is_number(number)) return json_number_value(number);
    const char *text = json_string_value(number);
    if (text && !strcmp(text, "inf")) return (double)INFINITY;
    if (text && !strcmp(text, "-inf")) return (double)-INFINITY;
    if (text && !strcmp(text, "nan")) return (double)NAN;
    fail_msg("expected a number, found %s", text ? text : "something else");
    return 0;
}

double support_number(const json_t *object, const char *key) {
    return support_value(support_member(object, key));
}

size_t support_size(const json_t *object, const char *key) {
    const json_t *member = support_member(object, key);
    if (!json_is_integer(member) || json_integer_value(member) < 0)
        fail_msg("\"%s\" is not a whole number >= 0", key);
    return (size_t)json_integer_value(member);
}

const char *support_string(const json_t *object, const char *key) {
    const char *text = json_string_value(support_member(object, key));
    if (!text) fail_msg("\"%s\" is not a string", key);
    return text;
}

static double *new_doubles(size_t count) {
    double *a = calloc(count ? count : 1, sizeof *a);
    if (!a) fail_msg("no memory for %zu numbers", count);
    return a;
}

double *support_array(const json_t *list, size_t *length) {
    if (!json_is_array(list)) fail_msg("expected a list of numbers");
    *length = json_array_size(list);
    double *a = new_doubles(*length);
    for (size_t i = 0; i < *length; i++) a[i] = support_value(json_array_get(list, i));
    return a;
}

double *support_matrix(const json_t *list, size_t *rows, size_t *cols) {
    if (!json_is_array(list)) fail_msg("expected a list of lists of numbers");
    *rows = json_array_size(list);
    *cols = json_array_size(json_array_get(list, 0));
    double *a = new_doubles(*rows * *cols);
    for (size_t i = 0; i < *rows; i++) {
        const json_t *row = json_array_get(list, i);
        if (!json_is_array(row) || json_array_size(row) != *cols) fail_msg("row %zu has another length", i);
        for (size_t j = 0; j < *cols; j++) a[i * *cols + j] = support_value(json_array_get(row, j));
    }
    return a;
}

static bool file_exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

const char *support_data_path(const char *name) {
    static char path[4096];
    const char *data = getenv("ORFF_DATA");
    if (data) {
        snprintf(path, sizeof path, "%s/%s", data, name);
        if (file_exists(path)) return path;
    }
    snprintf(path, sizeof path, "%s/../../shared/data/%s", ORFF_TEST_DIR, name);
    return file_exists(path) ? path : NULL;
}

static bool is_close(double got, double want, double tol) {
    return got == want || fabs(got - want) <= tol * fmax(1, fabs(want));
}

void support_assert_close(double got, double want, double tol, const char *label, const char *file,
                          int line) {
    if (isfinite(want) ? is_close(got, want, tol) : got == want) return;
    print_label(label);
    print_error("got %.17g, want %.17g, difference %.3g, tolerance %.3g\n", got, want, got - want, tol);
    _fail(file, line);
}

void support_assert_all_close(size_t n, const double *got, const double *want, double tol, const char *label,
                              const char *file, int line) {
    if (n == 0) return;
    size_t worst = 0;
    double largest = -1;
    for (size_t i = 0; i < n; i++) {
        const double gap = got[i] == want[i] ? 0 : fabs(got[i] - want[i]) / fmax(1, fabs(want[i]));
        if (isnan(gap) || gap > largest) {
            worst = i;
            largest = gap;
        }
        if (isnan(gap)) break;
    }
    char place[256];
    snprintf(place, sizeof place, "%s, entry %zu of %zu", label, worst, n);
    support_assert_close(got[worst], want[worst], tol, place, file, line);
}

void support_assert_status(orff_status got, orff_status want, const char *label, const char *file, int line) {
    if (got == want) return;
    print_label(label);
    print_error("got \"%s\", want \"%s\"; message: %s\n", orff_status_text(got), orff_status_text(want),
                orff_error_message());
    _fail(file, line);
}

void support_assert_says(const char *words, const char *file, int line) {
    if (strstr(orff_error_message(), words)) return;
    print_error("\"%s\" does not say \"%s\"\n", orff_error_message(), words);
    _fail(file, line);
}

size_t support_step(size_t sparse) {
    return getenv("SANITIZED") ? sparse : 1;
}

double *support_zeros(size_t n) {
    return new_doubles(n);
}

double *support_normal(size_t n, uint64_t seed, uint32_t stream) {
    double *a = new_doubles(n);
    for (size_t i = 0; i < n; i++) a[i] = orffi_rng_normal((orffi_rng){seed, stream}, i, 0);
    return a;
}

char *support_read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail_msg("%s cannot be read", path);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*size + 1, 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) fail_msg("%s cannot be read", path);
    fclose(file);
    return bytes;
}

void support_write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) fail_msg("%s cannot be written", path);
}

void support_assert_same_files(const char *a, const char *b, const char *file, int line) {
    size_t size_a, size_b;
    char *bytes_a = support_read_bytes(a, &size_a), *bytes_b = support_read_bytes(b, &size_b);
    const bool same = size_a == size_b && !memcmp(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
    if (same) return;
    print_error("%s and %s differ\n", a, b);
    _fail(file, line);
}

double support_noise(const orff_model_info *info) {
    double sum = 0.0;
    for (size_t k = 0; k < info->outputs; k++) sum += info->noise[k] * info->noise[k];
    return sum / (double)info->outputs;
}

orff_part support_part(orff_rule rule, orff_base base, double shape, double sigma) {
    orff_part part = orff_part_default();
    part.rule = rule;
    part.base = base;
    part.shape = shape;
    part.sigma = sigma;
    return part;
}

void support_each(const char *name, void (*check)(const json_t *entry)) {
    json_t *table = support_load(name);
    size_t i;
    json_t *entry;
    assert_true(json_array_size(table) > 0);
    json_array_foreach(table, i, entry) {
        support_case("%s", support_string(entry, "kind"));
        check(entry);
    }
    support_case(NULL);
    json_decref(table);
}

void support_assert_gradient(support_function *f, void *self, size_t n, double *x, double tol) {
    const double h = 1e-5;
    double value, up, down, *gradient = support_zeros(n);
    assert_ok(f(self, x, &value, gradient));
    for (size_t i = 0; i < n; i++) {
        const double at = x[i];
        x[i] = at + h;
        assert_ok(f(self, x, &up, NULL));
        x[i] = at - h;
        assert_ok(f(self, x, &down, NULL));
        x[i] = at;
        assert_close(gradient[i], (up - down) / (2.0 * h), tol);
    }
    free(gradient);
}
