/* What several tests need: tables of numbers in JSON, comparisons that say what differed, data files.
 *
 * Every helper that cannot do its work fails the running test with the reason. */
#ifndef ORFF_TESTS_SUPPORT_H
#define ORFF_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "orff.h"

/* An orff_matrix_fn `name` from one for a single point, `name`_at(self, at, matrix): d numbers in, `size` numbers out;
 * both may depend on self. */
#define SUPPORT_MANY(name, d, size)                                                        \
    static inline int name(void *self, size_t count, const double *at, double *matrices) { \
        int code = 0;                                                                      \
        for (size_t i = 0; !code && i < count; i++)                                        \
            code = name##_at(self, at + i * (size_t)(d), matrices + i * (size_t)(size));   \
        return code;                                                                       \
    }

/* A JSON file of tests/, for example "golden/kernels.json". End it with json_decref. */
json_t *support_load(const char *name);

/* Members of an object, borrowed. A missing key or another type fails the test. */
json_t *support_member(const json_t *object, const char *key);
double support_number(const json_t *object, const char *key);
size_t support_size(const json_t *object, const char *key);
const char *support_string(const json_t *object, const char *key);

/* A JSON number. The strings "inf", "-inf" and "nan" stand for what JSON cannot write. */
double support_value(const json_t *number);

/* A list of numbers, and a list of equally long lists of numbers (row-major). End them with free(). */
double *support_array(const json_t *list, size_t *length);
double *support_matrix(const json_t *list, size_t *rows, size_t *cols);

/* Names what is being checked, for the messages of the assertions below; NULL forgets it. */
void support_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The way from one to the next of many alike cases: 1, and `sparse` under sanitizers, which take many times as long and look
 * for memory that is used wrongly: a few of the cases go the same ways through the code as all of them. */
size_t support_step(size_t sparse);

/* Where a data set is, for example "wind/x.csv": in $ORFF_DATA, else in shared/data beside the project.
 * NULL when it is absent, so that the test can say so and skip(). Valid until the next call. */
const char *support_data_path(const char *name);

/* The mean over the outputs of the variance of the noise. */
double support_noise(const orff_model_info *info);

/* A part of a kernel, of which the rest is as by default. */
orff_part support_part(orff_rule rule, orff_base base, double shape, double sigma);

/* Every entry of a list in a JSON file; what is checked is named by its "kind". */
void support_each(const char *name, void (*check)(const json_t *entry));

/* n zeros, and n normal numbers that the seed and the stream decide. End them with free(). */
double *support_zeros(size_t n);
double *support_normal(size_t n, uint64_t seed, uint32_t stream);

/* A file whole, with a zero after its bytes (end it with free()), and a file of these bytes. */
char *support_read_bytes(const char *path, size_t *size);
void support_write_bytes(const char *path, const void *bytes, size_t size);

/* |got - want| <= tol max(1, |want|); equal infinities are close, NaN is close to nothing. */
#define assert_close(got, want, tol) support_assert_close(got, want, tol, #got, __FILE__, __LINE__)

/* The same for arrays of n numbers; the message has the place of the worst one. */
#define assert_all_close(n, got, want, tol) \
    support_assert_all_close(n, got, want, tol, #got, __FILE__, __LINE__)

/* A function of n unknowns has the gradient it says at x, by differences; x is left as it is. */
typedef orff_status support_function(void *self, const double *x, double *value, double *gradient);
void support_assert_gradient(support_function *f, void *self, size_t n, double *x, double tol);

/* The call succeeds, or fails with the given status. */
#define assert_ok(call)           support_assert_status(call, ORFF_OK, #call, __FILE__, __LINE__)
#define assert_status(call, want) support_assert_status(call, want, #call, __FILE__, __LINE__)

/* The message of the last refusal has these words; two files are alike to the last byte. */
#define assert_says(words)      support_assert_says(words, __FILE__, __LINE__)
#define assert_same_files(a, b) support_assert_same_files(a, b, __FILE__, __LINE__)

void support_assert_says(const char *words, const char *file, int line);
void support_assert_same_files(const char *a, const char *b, const char *file, int line);
void support_assert_close(double got, double want, double tol, const char *label, const char *file, int line);
void support_assert_all_close(size_t n, const double *got, const double *want, double tol, const char *label,
                              const char *file, int line);
void support_assert_status(orff_status got, orff_status want, const char *label, const char *file, int line);

#endif
