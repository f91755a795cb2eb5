/* Data in pieces: moments of three days are accumulated apart, saved, loaded, added; one day is forgotten
 * again. The models are those of the concatenated data. */
#include <math.h>
#include <orff.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 5000 };

static int fail(void) {
    fprintf(stderr, "%s\n", orff_error_message());
    return 1;
}

/* A reader of one day's rows; day 2 is a broken sensor. */
typedef struct day {
    int number, given;
} day;

static double uniform(void) {
    return rand() / (RAND_MAX + 1.0);
}

static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    day *d = self;
    (void)weights;
    for (*rows = 0; *rows < room && d->given < ROWS; (*rows)++, d->given++) {
        const double x = 6.0 * uniform();
        X[*rows] = x;
        Y[*rows] = d->number == 2 ? 5.0 : sin(x) + 0.1 * (uniform() - 0.5);
    }
    return 0;
}

static int report(const char *when, const orff_moments *moments) {
    const double x[3] = {1.0, 2.5, 4.0};
    double f[3];
    orff_settings settings = orff_settings_default();
    settings.lambda = 1e-6;
    orff_model *model;
    if (orff_model_fit_moments(&model, &settings, moments) || orff_model_predict(model, 3, x, f))
        return fail();
    printf("%-22s %llu rows: f(1.0) = %6.3f, f(2.5) = %6.3f, f(4.0) = %6.3f\n", when,
           (unsigned long long)orff_moments_describe(moments).rows, f[0], f[1], f[2]);
    orff_model_free(model);
    return 0;
}

int main(void) {
    const orff_part part = orff_part_default();
    const orff_moments_settings how = {.folds = 5};
    orff_sampling sampling = orff_sampling_default();
    sampling.features = 64;
    orff_kernel *kernel;
    orff_features *features;
    orff_moments *days[3], *all;
    if (orff_kernel_create(&kernel, 1, 1, 1, &part) || orff_features_create(&features, kernel, &sampling))
        return fail();
    for (int i = 0; i < 3; i++) {
        day self = {.number = i + 1};
        const orff_reader reader = {.read = read_rows, .self = &self};
        if (orff_moments_create(&days[i], features, &how) || orff_moments_read(days[i], &reader))
            return fail();
    }

    if (orff_moments_save(days[0], "day1.moments") || orff_moments_load(&all, "day1.moments")) return fail();
    if (orff_moments_add(all, days[1]) || orff_moments_add(all, days[2])) return fail();
    if (report("three days:", all)) return 1;
    if (orff_moments_subtract(all, days[1])) return fail();
    if (report("without the bad day:", all)) return 1;
    printf("the truth:                         %6.3f,          %6.3f,          %6.3f\n", sin(1.0), sin(2.5),
           sin(4.0));

    for (int i = 0; i < 3; i++) orff_moments_free(days[i]);
    orff_moments_free(all);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return 0;
}
