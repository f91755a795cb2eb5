/* Any bytes at all are loaded as a model and as moments: they are refused with a message that names the file,
 * or serve.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh model. Without it the program runs over mutations of the golden
 * files, as a test.
 */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/random.h"
#include "moments/moments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int descriptor = -1;
static char path[64];

static bool check(orff_status status) {
    if (status == ORFF_OK) return true;
    if (status != ORFF_ERROR_FORMAT && status != ORFF_ERROR_IO && status != ORFF_ERROR_NO_MEMORY) abort();
    if (status != ORFF_ERROR_NO_MEMORY && !strstr(orff_error_message(), path)) abort();
    return false;
}

static void use_model(const orff_model *model) {
    const orff_model_info info = orff_model_describe(model);
    const size_t p = info.classes ? info.classes - 1 : info.outputs;
    double *x = calloc(info.inputs, sizeof *x), *out = calloc(p * p, sizeof *out);
    if (!x || !out) abort();
    const orff_status status = orff_model_predict(model, 1, x, out);
    const bool overflows = info.exact && status == ORFF_ERROR_NOT_FINITE; /* by the units */
    if (status && !overflows) abort();
    if (!overflows && info.has_posterior && orff_model_covariance(model, 1, x, out)) abort();
    free(x);
    free(out);
}

static void use_moments(orff_moments *moments) {
    const orff_moments_info info = orff_moments_describe(moments);
    double *x = calloc(info.inputs, sizeof *x), *y = calloc(info.outputs, sizeof *y);
    if (!x || !y || orff_moments_accumulate(moments, 1, x, y, NULL)) abort();
    free(x);
    free(y);
}

/* True when the bytes were taken for a model or for moments. */
static bool load(const uint8_t *data, size_t size) {
    orff_model *model = NULL;
    orff_moments *moments = NULL;
    if (ftruncate(descriptor, 0) || pwrite(descriptor, data, size, 0) != (ssize_t)size) abort();
    if (check(orff_model_load(&model, path))) use_model(model);
    if (check(orff_moments_load(&moments, path))) use_moments(moments);
    const bool taken = model || moments;
    orff_model_free(model);
    orff_moments_free(moments);
    return taken;
}

/* With the checksum made right, so that what lies behind it is tried. */
static bool load_sealed(const uint8_t *data, size_t size) {
    const size_t digits = 8 + strlen(ORFFI_ARCHIVE_PREFIX);
    if (size < digits + ORFFI_ARCHIVE_DIGITS) return false;
    char text[ORFFI_ARCHIVE_DIGITS + 1];
    uint8_t *copy = malloc(size);
    if (!copy) abort();
    memcpy(copy, data, size);
    snprintf(text, sizeof text, "%08x", (unsigned)orffi_archive_head_checksum(copy, size));
    memcpy(copy + digits, text, ORFFI_ARCHIVE_DIGITS);
    const bool taken = load(copy, size);
    free(copy);
    return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (descriptor < 0) {
        descriptor = memfd_create("model", MFD_CLOEXEC);
        if (descriptor < 0 || orff_set_threads(1)) abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    load_sealed(data, size);
    return 0;
}

#ifndef ORFF_FUZZ
#include "fuzz_seeds.h"

enum { ROOM = 1 << 14 };

/* Replace, insert or take out bytes, digits mostly: the lengths of the text stay near what they were. */
static size_t mutate(uint8_t *file, size_t size, uint64_t trial) {
    static const char likely[] = "0123456789-.e[]{}\",:";
    const orffi_rng rng = {.seed = 3, .stream = 8};
    const size_t edits = 1 + (size_t)orffi_rng_below(rng, trial, 0, 4);
    for (uint32_t e = 1; e <= edits; e++) {
        const size_t at = 8 + (size_t)orffi_rng_below(rng, trial, 8 * e, size - 8);
        const uint64_t kind = orffi_rng_below(rng, trial, 8 * e + 1, 8);
        const uint64_t bits = orffi_rng_bits(rng, trial, 8 * e + 2);
        if (kind == 0) memmove(file + at + 1, file + at, size++ - at);
        if (kind == 1) memmove(file + at, file + at + 1, --size - at);
        if (kind != 1)
            file[at] = (uint8_t)(kind > 5 ? bits & 0xff : (uint8_t)likely[bits % (sizeof likely - 1)]);
    }
    return size;
}

static size_t read_golden(const char *name, uint8_t *bytes) {
    char golden[4096];
    snprintf(golden, sizeof golden, "%s/golden/%s", ORFF_TEST_DIR, name);
    FILE *file = fopen(golden, "rb");
    if (!file) abort();
    const size_t size = fread(bytes, 1, ROOM, file);
    fclose(file);
    return size;
}

int main(void) {
    enum { TRIALS = 5000 };
    static const char *const names[] = {"model_v1.orff", "moments_v1.orff", "exact_v1.orff"};
    static uint8_t seed[ROOM], file[ROOM + 16];
    for (size_t s = 0; s < sizeof names / sizeof *names; s++) {
        const size_t size = read_golden(names[s], seed);
        LLVMFuzzerTestOneInput(seed, size);
        if (!load(seed, size) || !load_sealed(seed, size)) {
            fprintf(stderr, "%s was refused: %s\n", names[s], orff_error_message());
            return 1;
        }
        if (fuzz_keep(seed, size)) continue;
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            memcpy(file, seed, size);
            LLVMFuzzerTestOneInput(file, mutate(file, size, trial));
        }
    }
    return 0;
}
#endif
