/* What the targets fuzz_model and fuzz_moments share: any bytes become a file with a right checksum, which is tried; the
 * mutations know what a file is made of. The target defines try_file, which loads `fuzz_path` and says whether it was
 * taken, and names its seeds. */
#ifndef ORFF_TESTS_FUZZ_FILES_H
#define ORFF_TESTS_FUZZ_FILES_H

#include <sys/mman.h>
#include <unistd.h>

#include "forged_change.h"
#include "fuzz_seeds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

static int fuzz_descriptor = -1;
static char fuzz_path[64];      /* the file that is loaded, in memory */
static char fuzz_saved[96];     /* where one that was loaded is written again */
static char fuzz_directory[64]; /* of the latter */

static bool try_file(bool save);

static void fuzz_clean_up(void) {
    remove(fuzz_saved);
    rmdir(fuzz_directory);
}

static void fuzz_set_up(void) {
    fuzz_descriptor = memfd_create("file", MFD_CLOEXEC);
    snprintf(fuzz_path, sizeof fuzz_path, "/proc/self/fd/%d", fuzz_descriptor);
    snprintf(fuzz_directory, sizeof fuzz_directory, "/tmp/orff_fuzz_XXXXXX");
    if (fuzz_descriptor < 0 || !mkdtemp(fuzz_directory) || orff_set_threads(1)) abort();
    snprintf(fuzz_saved, sizeof fuzz_saved, "%s/again", fuzz_directory);
    atexit(fuzz_clean_up);
}

/* A status of loading: a refusal names the file. */
static bool fuzz_loaded(orff_status status) {
    if (status == ORFF_OK) return true;
    if (status != ORFF_ERROR_FORMAT && status != ORFF_ERROR_NO_MEMORY) abort();
    if (status == ORFF_ERROR_FORMAT && !strstr(orff_error_message(), fuzz_path)) abort();
    return false;
}

/* True when the bytes, sealed, were taken. Writing waits for the disk, so only one in 32 is. */
static bool fuzz_try(const uint8_t *data, size_t size) {
    unsigned char *copy = forged_alloc(size);
    memcpy(copy, data, size);
    forged_seal(copy, size);
    if (ftruncate(fuzz_descriptor, 0) || pwrite(fuzz_descriptor, copy, size, 0) != (ssize_t)size) abort();
    const bool taken = try_file(orffi_archive_head_checksum(copy, size) % 32 == 0);
    free(copy);
    return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (fuzz_descriptor < 0) fuzz_set_up();
    if (size > 8 + strlen(ORFFI_ARCHIVE_PREFIX) + ORFFI_ARCHIVE_DIGITS) fuzz_try(data, size);
    return 0;
}

#ifdef ORFF_FUZZ
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* Mostly by structure, sometimes by bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
    size_t made_size = 0;
    unsigned char *made = seed % 4 ? forged_mutate(data, size, seed, &made_size) : NULL;
    const bool good = made && made_size <= most;
    if (good) memcpy(data, made, made_size);
    free(made);
    return good ? made_size : LLVMFuzzerMutate(data, size, most);
}
#else

/* Replace, insert or take out bytes, digits mostly: the lengths of the text stay near what they were. */
static size_t fuzz_change_bytes(uint8_t *file, size_t size, uint64_t seed) {
    static const char likely[] = "0123456789-.e[]{}\",:";
    uint64_t state = seed;
    for (size_t edits = 1 + forged_below(&state, 4); edits--;) {
        const size_t at = 8 + forged_below(&state, size - 8), kind = forged_below(&state, 8);
        const uint64_t bits = forged_random(&state);
        if (kind == 0) memmove(file + at + 1, file + at, size++ - at);
        if (kind == 1) memmove(file + at, file + at + 1, --size - at);
        if (kind != 1)
            file[at] = (uint8_t)(kind > 5 ? bits & 0xff : (uint8_t)likely[bits % (sizeof likely - 1)]);
    }
    return size;
}

/* A seed and its mutations, those by structure once more changed on top of each other. */
static bool fuzz_seed(const char *name, uint64_t trials) {
    size_t size, made_size, taken = 0;
    unsigned char *seed = forged_read(name, &size), *copy = forged_alloc(size + 16);
    if (fuzz_descriptor < 0) fuzz_set_up();
    if (!fuzz_try(seed, size)) {
        fprintf(stderr, "%s was refused: %s\n", name, orff_error_message());
        return false;
    }
    const bool kept = fuzz_keep(seed, size);
    for (uint64_t trial = 0; !kept && trial < trials; trial++) {
        unsigned char *made = forged_mutate(seed, size, trial, &made_size);
        if (made) taken += fuzz_try(made, made_size);
        free(made);
        memcpy(copy, seed, size);
        taken += fuzz_try(copy, fuzz_change_bytes(copy, size, trial));
    }
    free(seed);
    free(copy);
    if (!kept)
        printf("%s: %zu of %llu changed files were taken\n", name, taken, 2ull * (unsigned long long)trials);
    return kept || taken > 0;
}
#endif

#endif
