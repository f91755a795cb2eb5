#include "base/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t turn(uint64_t word, unsigned bits) {
    return word << bits | word >> (64 - bits);
}

/* Multiplication by an odd number and x ^= x >> 32 are both invertible. The constants are odd with well-mixed
 * bits. */
void orffi_digest_add(orffi_digest *digest, size_t count, const double *numbers) {
    uint64_t a = digest->a, b = digest->b;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        a = (turn(a, 5) ^ bits) * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x632be59bd9b4e019);
        a ^= a >> 32;
        b = (turn(b, 23) + bits) * UINT64_C(0xd6e8feb86659fd93) + UINT64_C(0x2545f4914f6cdd1d);
        b ^= b >> 29;
    }
    digest->a = a;
    digest->b = b;
}

bool orffi_digest_equal(const orffi_digest *x, const orffi_digest *y) {
    return x->a == y->a && x->b == y->b;
}

void orffi_digest_write(const orffi_digest *digest, char text[ORFFI_DIGEST_ROOM]) {
    snprintf(text, ORFFI_DIGEST_ROOM, "%016" PRIx64 "%016" PRIx64, digest->a, digest->b);
}

static bool read_word(const char *text, uint64_t *word) {
    static const char digits[] = "0123456789abcdef";
    *word = 0;
    for (size_t i = 0; i < 16; i++) {
        const char *found = text[i] ? strchr(digits, text[i]) : NULL;
        if (!found) return false;
        *word = *word << 4 | (uint64_t)(found - digits);
    }
    return true;
}

bool orffi_digest_read(const char *text, orffi_digest *digest) {
    return read_word(text, &digest->a) && read_word(text + 16, &digest->b) && !text[32];
}
