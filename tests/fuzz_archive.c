/* Any bytes at all are opened as an archive: the reader refuses or serves them, and never steps outside of
 * the file.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh archive. Without it the program runs over seeds of its own and
 * mutations of them, as a test.
 */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/crc32c.h"
#include "base/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read every byte of a tensor, so that the sanitizers see where it lies. */
static void touch(const orffi_archive *archive, const char *name, orffi_dtype dtype, size_t rank) {
    size_t shape[ORFFI_ARCHIVE_RANK], bytes;
    const unsigned char *at;
    volatile unsigned char sum = 0;
    if (orffi_archive_get(archive, name, dtype, rank, shape, &at)) return;
    if (orffi_archive_bytes(dtype, rank, shape, &bytes)) abort();
    for (size_t i = 0; i < bytes; i++) sum = (unsigned char)(sum ^ at[i]);
}

static void use(const orffi_archive *archive) {
    static const char *const names[] = {"a", "b", "theta"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (int dtype = 0; dtype < ORFFI_DTYPE_COUNT; dtype++)
            for (size_t rank = 0; rank <= 3; rank++) touch(archive, names[i], (orffi_dtype)dtype, rank);
        (void)orffi_archive_check_finite(archive, names[i]);
    }
    if (!json_is_object(orffi_archive_document(archive))) abort();
}

static int descriptor = -1;
static char path[64];

/* True when the bytes were taken for an archive. */
static bool open_bytes(const uint8_t *data, size_t size) {
    orffi_archive *archive = NULL;
    if (ftruncate(descriptor, 0) || pwrite(descriptor, data, size, 0) != (ssize_t)size) abort();
    const orff_status status = orffi_archive_open(&archive, path, "orff-test", 1, 1);
    if (status == ORFF_OK) {
        use(archive);
    } else if ((status != ORFF_ERROR_FORMAT && status != ORFF_ERROR_IO) ||
               !strstr(orff_error_message(), path)) {
        abort();
    }
    orffi_archive_close(archive);
    return status == ORFF_OK;
}

/* A copy whose checksum is right wherever its digits can be: what lies behind the checksum is tried as
 * well. */
static bool open_sealed(const uint8_t *data, size_t size) {
    const size_t digits = 8 + strlen(ORFFI_ARCHIVE_PREFIX);
    if (size < digits + ORFFI_ARCHIVE_DIGITS) return false;
    uint8_t *copy = malloc(size);
    if (!copy) abort();
    char text[ORFFI_ARCHIVE_DIGITS + 1];
    memcpy(copy, data, size);
    snprintf(text, sizeof text, "%08x", (unsigned)orffi_archive_head_checksum(copy, size));
    memcpy(copy + digits, text, ORFFI_ARCHIVE_DIGITS);
    const bool taken = open_bytes(copy, size);
    free(copy);
    return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (descriptor < 0) {
        descriptor = memfd_create("archive", MFD_CLOEXEC);
        if (descriptor < 0) abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    const bool taken = open_bytes(data, size), sealed = open_sealed(data, size);
    return taken && !sealed ? -1 : 0; /* what was right stays right when sealed again */
}

#ifndef ORFF_FUZZ
#include "fuzz_seeds.h"

#define META                                                                                                 \
    "\",\"format\":\"orff-test\",\"format_version\":\"1\",\"orff_version\":\"0.1.0\",\"json\":\"{\\\"x\\\":" \
    "[1]}\"}"
static const char *const seeds[] = {
    META "}",
    META ",\"a\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]}}",
    META ",\"a\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[10],\"data_offsets\":[8,48]}}",
    META ",\"theta\":{\"dtype\":\"F64\",\"shape\":[0,4],\"data_offsets\":[0,0]},"
         "\"a\":{\"dtype\":\"F64\",\"shape\":[6],\"data_offsets\":[0,48]}}",
};

static size_t build(const char *seed, uint8_t *file) {
    const size_t text = strlen(ORFFI_ARCHIVE_PREFIX) + ORFFI_ARCHIVE_DIGITS + strlen(seed);
    const size_t head = (8 + text + 63) / 64 * 64;
    memset(file, ' ', head);
    memset(file + head, 1, 48);
    for (int i = 0; i < 8; i++) file[i] = (uint8_t)((head - 8) >> 8 * i & 0xff);
    snprintf((char *)file + 8, text + 1, ORFFI_ARCHIVE_PREFIX "00000000%s", seed);
    file[8 + text] = ' ';
    return head + (strstr(seed, "48]") ? 48 : 0);
}

/* Replace, insert or take out a few bytes; characters that mean something to JSON come often. */
static size_t mutate(uint8_t *file, size_t size, uint64_t trial) {
    static const char likely[] = "0123456789-+.eE[]{}\",:\\ nF64I32";
    const orffi_rng rng = {.seed = 11, .stream = 2};
    const size_t edits = 1 + (size_t)orffi_rng_below(rng, trial, 0, 3);
    for (uint32_t e = 0; e < edits; e++) {
        const size_t at = (size_t)orffi_rng_below(rng, trial, 4 * e + 1, size);
        const uint64_t bits = orffi_rng_bits(rng, trial, 4 * e + 2);
        const uint8_t byte =
            (uint8_t)(bits & 1 ? bits >> 8 & 0xff : (uint8_t)likely[(bits >> 8) % (sizeof likely - 1)]);
        const uint64_t kind = orffi_rng_below(rng, trial, 4 * e + 3, 4);
        if (kind == 0) memmove(file + at + 1, file + at, size++ - at);
        if (kind == 1) memmove(file + at, file + at + 1, --size - at);
        if (kind != 1) file[at] = byte;
    }
    return size;
}

int main(void) {
    enum { TRIALS = 5000 };
    uint8_t seed[1024], file[1024];
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        const size_t size = build(seeds[s], seed);
        if (LLVMFuzzerTestOneInput(seed, size) || !open_sealed(seed, size)) {
            fprintf(stderr, "seed %zu was refused: %s\n", s, orff_error_message());
            return 1;
        }
        if (fuzz_keep(seed, size)) continue;
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            memcpy(file, seed, size);
            if (LLVMFuzzerTestOneInput(file, mutate(file, size, trial))) return 1;
        }
    }
    return 0;
}
#endif
