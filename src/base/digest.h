/* A digest of a sequence of numbers: 128 bits that do not depend on the machine. It detects data that
 * changed, not data that somebody forged. */
#ifndef ORFFI_BASE_DIGEST_H
#define ORFFI_BASE_DIGEST_H

#include "base/status.h"

typedef struct orffi_digest {
    uint64_t a, b; /* both zero: the empty sequence */
} orffi_digest;

/* Every step is one-to-one in the previous state and in the number, so a change of a single number always
 * shows. */
void orffi_digest_add(orffi_digest *digest, size_t count, const double *numbers);

bool orffi_digest_equal(const orffi_digest *x, const orffi_digest *y);

/* Converts to 32 hexadecimal digits and a terminating zero, and back: false if the text is anything else. */
enum { ORFFI_DIGEST_ROOM = 33 };
void orffi_digest_write(const orffi_digest *digest, char text[ORFFI_DIGEST_ROOM]);
bool orffi_digest_read(const char *text, orffi_digest *digest);

#endif
