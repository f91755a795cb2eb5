/* The seeds of a fuzz target as files: `make fuzz` hands them to libFuzzer. */
#ifndef ORFF_TESTS_FUZZ_SEEDS_H
#define ORFF_TESTS_FUZZ_SEEDS_H

#include <stdio.h>
#include <stdlib.h>

/* Where $ORFF_FUZZ_SEEDS names a directory the seed is written there, and true says that this is all. */
static inline bool fuzz_keep(const void *seed, size_t size) {
    static unsigned number;
    const char *directory = getenv("ORFF_FUZZ_SEEDS");
    char name[4096];
    if (!directory) return false;
    snprintf(name, sizeof name, "%s/seed%02u", directory, ++number);
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(seed, 1, size, file) != size || fclose(file)) abort();
    return true;
}

#endif
