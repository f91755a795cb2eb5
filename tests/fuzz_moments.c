/* Any bytes at all are loaded as moments: they are refused with a message that names the file, or they serve.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh moments. Without it the program runs over mutations of the golden
 * file, as a test.
 */
#define _GNU_SOURCE

#include "fuzz_files.h"

/* A fit to sums that no data have may fail, but gives no model that cannot be used. */
static void fit(const orff_moments *moments, size_t d, size_t p, const double *x, double *y) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    settings.lambda = 0.1;
    if (orff_model_fit_moments(&model, &settings, moments)) return;
    if (d != orff_model_describe(model).inputs) abort();
    if (!orff_model_predict(model, 1, x, y))
        for (size_t i = 0; i < p; i++)
            if (!isfinite(y[i])) abort();
    orff_model_free(model);
}

/* Adding what is there to itself may overflow: then nothing is written. */
static void save(orff_moments *moments) {
    orff_moments *again = NULL;
    const orff_status status = orff_moments_save(moments, fuzz_saved);
    if (status && status != ORFF_ERROR_NUMERICAL) abort();
    if (!status && orff_moments_load(&again, fuzz_saved)) abort();
    orff_moments_free(again);
}

static void use(orff_moments *moments) {
    const orff_moments_info info = orff_moments_describe(moments);
    double *x = calloc(info.inputs, sizeof *x), *y = calloc(info.outputs, sizeof *y);
    orff_moments *like = NULL;
    if (!x || !y || strlen(orff_moments_notes(moments)) > 1 << 24) abort();
    fit(moments, info.inputs, info.outputs, x, y);
    memset(y, 0, info.outputs * sizeof *y);
    if (orff_moments_accumulate(moments, 1, x, y, NULL)) abort();
    if (!orff_moments_create_like(&like, moments) &&
        (orff_moments_add(like, moments) || orff_moments_add(moments, like) ||
         orff_moments_subtract(moments, like)))
        abort();
    orff_moments_free(like);
    free(x);
    free(y);
}

/* The same of moments of a lattice. */
static bool try_lattice(bool saving) {
    orff_lattice_moments *moments = NULL, *like = NULL;
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    if (!fuzz_loaded(orff_lattice_moments_load(&moments, fuzz_path))) return false;
    settings.lambda = 0.1;
    if (saving && orff_lattice_moments_save(moments, fuzz_saved)) abort();
    if (orff_lattice_moments_create_like(&like, moments) || orff_lattice_moments_add(like, moments) ||
        orff_lattice_moments_subtract(like, moments))
        abort();
    if (!orff_model_fit_lattice_moments(&model, &settings, moments)) orff_model_free(model);
    orff_lattice_moments_free(moments);
    orff_lattice_moments_free(like);
    return true;
}

static bool try_file(bool saving) {
    if (orff_lattice_moments_is_file(fuzz_path)) return try_lattice(saving);
    orff_moments *moments = NULL;
    const bool taken = fuzz_loaded(orff_moments_load(&moments, fuzz_path));
    if (taken && saving) save(moments);
    if (taken) use(moments);
    if (taken && saving) save(moments);
    orff_moments_free(moments);
    return taken;
}

#ifndef ORFF_FUZZ
int main(void) {
    return fuzz_seed(ORFF_TEST_DIR "/golden/moments_v1.orff", 3000) ? 0 : 1;
}
#endif
