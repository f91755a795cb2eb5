/* Any bytes at all are loaded as a model, exact ones too: they are refused with a message that names the file, or they
 * serve. Whatever follows from a model that was taken is finite or an error, and it can be written and read again.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh model. Without it the program runs over mutations of the golden
 * files, as a test.
 */
#define _GNU_SOURCE

#include "fuzz_files.h"

/* Finite numbers, or an error that says they would not be. */
static bool check(orff_status status, size_t n, const double *out) {
    for (size_t i = 0; !status && i < n; i++)
        if (!isfinite(out[i])) abort();
    if (status && status != ORFF_ERROR_NOT_FINITE && status != ORFF_ERROR_UNSUPPORTED &&
        status != ORFF_ERROR_NO_MEMORY)
        abort();
    return !status;
}

static void derive(const orff_model *model, size_t entries, const double *x, double *out) {
    check(orff_model_jacobian(model, 1, x, out), entries, out);
    check(orff_model_divergence(model, 1, x, out), 1, out);
    check(orff_model_curl(model, 1, x, out), 1, out);
    check(orff_model_potential(model, 1, x, out), 1, out);
    check(orff_model_stream_function(model, 1, x, out), 1, out);
}

static void use(const orff_model *model) {
    const orff_model_info info = orff_model_describe(model);
    const size_t p = info.code_length, d = info.inputs;
    const size_t most = p * (p > d ? p : d) + 3;
    double *x = calloc(d, sizeof *x), *out = calloc(most, sizeof *out);
    float *x1 = calloc(d, sizeof *x1), *out1 = calloc(p, sizeof *out1);
    size_t label = 0;
    orff_part part;
    if (!x || !out || !x1 || !out1 || !strlen(info.kernel) || strlen(orff_model_notes(model)) > 1 << 24)
        abort();
    x[0] = 0.3;
    check(orff_model_predict(model, 1, x, out), p, out);
    if (!orff_model_predict_single(model, 1, x1, out1))
        for (size_t i = 0; i < p; i++)
            if (!isfinite(out1[i])) abort();
    if (info.has_posterior && check(orff_model_covariance(model, 1, x, out), p * p, out))
        for (size_t i = 0; i < p; i++)
            if (out[i * p + i] < 0.0) abort();
    derive(model, p * d, x, out);
    if (info.classes && !orff_model_classify(model, 1, x, &label) && label >= info.classes) abort();
    for (size_t i = 0; i < info.parts; i++)
        if (orff_model_part(model, i, &part)) abort();
    free(x);
    free(out);
    free(x1);
    free(out1);
}

/* What could be loaded can be written, and loaded from there. */
static void save(const orff_model *model) {
    orff_model *again = NULL;
    if (orff_model_save(model, fuzz_saved, false) || orff_model_load(&again, fuzz_saved)) {
        fprintf(stderr, "%s\n", orff_error_message());
        abort();
    }
    orff_model_free(again);
}

static bool try_file(bool saving) {
    orff_model *model = NULL;
    const bool taken = fuzz_loaded(orff_model_load(&model, fuzz_path));
    if (taken) use(model);
    if (taken && saving) save(model);
    orff_model_free(model);
    return taken;
}

#ifndef ORFF_FUZZ
int main(void) {
    enum { TRIALS = 3000 };
    return fuzz_seed(ORFF_TEST_DIR "/golden/model_v1.orff", TRIALS) &&
                   fuzz_seed(ORFF_TEST_DIR "/golden/exact_v1.orff", TRIALS) &&
                   fuzz_seed(ORFF_TEST_DIR "/golden/custom_v1.orff", TRIALS) &&
                   fuzz_seed(ORFF_TEST_DIR "/golden/stack_v1.orff", TRIALS)
               ? 0
               : 1;
}
#endif
