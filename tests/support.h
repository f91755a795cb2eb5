/* Helpers for several tests: tables of numbers in JSON, comparisons whose messages show the difference, data
 * files.
 *
 * A helper that cannot do its work fails the running test with the reason. */
#ifndef ORFF_TESTS_SUPPORT_H
#define ORFF_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "orff.h"

/* Makes an orff_matrix_fn `name` from a function for a single point, `name`_at(self, at, matrix), with d
 * numbers in and `size` numbers out; both sizes may depend on self. */
#define SUPPORT_MANY(name, d, size)                                                        \
    static inline int name(void *self, size_t count, const double *at, double *matrices) { \
        int code = 0;                                                                      \
        for (size_t i = 0; !code && i < count; i++)                                        \
            code = name##_at(self, at + i * (size_t)(d), matrices + i * (size_t)(size));   \
        return code;                                                                       \
    }

/* Loads a JSON file of tests/, for example "golden/kernels.json". Free it with json_decref. */
json_t *support_load(const char *name);

/* Members of an object, borrowed. A missing key or a wrong type fails the test. */
json_t *support_member(const json_t *object, const char *key);
double support_number(const json_t *object, const char *key);
size_t support_size(const json_t *object, const char *key);
const char *support_string(const json_t *object, const char *key);

/* A JSON number. The strings "inf", "-inf" and "nan" represent numbers that JSON lacks. */
double support_value(const json_t *number);

/* A list of numbers, and a list of equally long lists of numbers (row-major). Free them with free(). */
double *support_array(const json_t *list, size_t *length);
double *support_matrix(const json_t *list, size_t *rows, size_t *cols);

/* Names the current check in the messages of the assertions below; NULL removes the name. */
void support_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The step through a list of similar cases: 1, or `sparse` under sanitizers. Those take many times as long
 * and look for invalid memory accesses, and a few of the cases take the same paths through the code as all of
 * them. */
size_t support_step(size_t sparse);

/* Ends a test under sanitizers: it only compares numbers, and other tests run the same code there. */
#define support_numbers_only()           \
    do                                   \
        if (support_step(2) > 1) skip(); \
    while (0)

/* The path of a data set, for example "wind/x.csv": in $ORFF_DATA, else in shared/data next to the project.
 * NULL if it is missing, so that the test can print that and skip(). Valid until the next call. */
const char *support_data_path(const char *name);

/* The noise variance, averaged over the outputs. */
double support_noise(const orff_model_info *info);

/* A part of a kernel with default values for the rest. */
orff_part support_part(orff_rule rule, orff_base base, double shape, double sigma);

/* Checks every entry of a list in a JSON file; messages show its "kind". */
void support_each(const char *name, void (*check)(const json_t *entry));

/* n zeros, and n normal numbers determined by seed and stream. Free them with free(). */
double *support_zeros(size_t n);
double *support_normal(size_t n, uint64_t seed, uint32_t stream);

/* The whole content of a file, with a zero byte added (free it with free()); and writing a file with these
 * bytes. */
char *support_read_bytes(const char *path, size_t *size);
void support_write_bytes(const char *path, const void *bytes, size_t size);

/* |got - want| <= tol max(1, |want|); equal infinities are close, NaN is close to nothing. */
#define assert_close(got, want, tol) support_assert_close(got, want, tol, #got, __FILE__, __LINE__)

/* The same for arrays of n numbers; the message has the index of the worst one. */
#define assert_all_close(n, got, want, tol) \
    support_assert_all_close(n, got, want, tol, #got, __FILE__, __LINE__)

/* Checks the gradient of a function of n unknowns at x against differences; leaves x unchanged. */
typedef orff_status support_function(void *self, const double *x, double *value, double *gradient);
void support_assert_gradient(support_function *f, void *self, size_t n, double *x, double tol);

/* The call succeeds, or fails with the given status. */
#define assert_ok(call)           support_assert_status(call, ORFF_OK, #call, __FILE__, __LINE__)
#define assert_status(call, want) support_assert_status(call, want, #call, __FILE__, __LINE__)

/* The last error message contains these words; two files have the same bytes. */
#define assert_says(words)      support_assert_says(words, __FILE__, __LINE__)
#define assert_same_files(a, b) support_assert_same_files(a, b, __FILE__, __LINE__)

void support_assert_says(const char *words, const char *file, int line);
void support_assert_same_files(const char *a, const char *b, const char *file, int line);
void support_assert_close(double got, double want, double tol, const char *label, const char *file, int line);
void support_assert_all_close(size_t n, const double *got, const double *want, double tol, const char *label,
                              const char *file, int line);
void support_assert_status(orff_status got, orff_status want, const char *label, const char *file, int line);

#endif
