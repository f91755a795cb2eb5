/* A digest of numbers in their order: 128 bits that do not depend on the machine. Not for secrets: it tells data apart
 * that were changed, not data that were forged. */
#ifndef ORFFI_BASE_DIGEST_H
#define ORFFI_BASE_DIGEST_H

#include "base/status.h"

typedef struct orffi_digest {
    uint64_t a, b; /* zeros: of nothing yet */
} orffi_digest;

/* Every step is one-to-one in what came before and in the number, so that a single number that differs always shows. */
void orffi_digest_add(orffi_digest *digest, size_t count, const double *numbers);

bool orffi_digest_equal(const orffi_digest *x, const orffi_digest *y);

/* As 32 hexadecimal digits with a zero at the end, and back: false where the text is something else. */
enum { ORFFI_DIGEST_ROOM = 33 };
void orffi_digest_write(const orffi_digest *digest, char text[ORFFI_DIGEST_ROOM]);
bool orffi_digest_read(const char *text, orffi_digest *digest);

#endif
