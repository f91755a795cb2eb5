#define _GNU_SOURCE

#include "base/status.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const double power_double[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t power_integer[] = {1u,
                                         10u,
                                         100u,
                                         1000u,
                                         10000u,
                                         100000u,
                                         1000000u,
                                         10000000u,
                                         100000000u,
                                         1000000000u,
                                         10000000000u,
                                         100000000000u,
                                         1000000000000u,
                                         10000000000000u,
                                         100000000000000u,
                                         1000000000000000u,
                                         10000000000000000u,
                                         100000000000000000u,
                                         1000000000000000000u,
                                         10000000000000000000u};

enum {
    WORD_DIGITS = 19,      /* any 19 digits fit in 64 bits, and so does 10^19 */
    QUOTIENT_DIGITS = 38,  /* two divisors of 64 bits each */
    EXPONENT_LIMIT = 99999 /* far beyond the range of double */
};

/* The C locale, created once and kept; glibc returns a static object for it. */
static locale_t c_locale(void) {
    static _Atomic(locale_t) kept;
    locale_t locale = atomic_load(&kept);
    if (!locale) {
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        atomic_store(&kept, locale);
    }
    return locale;
}

static unsigned leading_zeros(uint64_t word) {
    return (unsigned)__builtin_clzll(word);
}

/* 2^exponent, for exponents of normal numbers. */
static double power_of_two(int exponent) {
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* w / 10^k, rounded once; w > 0, 0 < k <= 38. Long division by two divisors d1 d2 = 10^k, each shifted so
 * that its top bit is set. The quotient then has at least 62 bits. A nonzero remainder sets its last bit, far
 * below the 53 bits that are kept. */
static double quotient(uint64_t w, unsigned k) {
    const unsigned k1 = k < WORD_DIGITS ? k : WORD_DIGITS, up = leading_zeros(w);
    const unsigned up1 = leading_zeros(power_integer[k1]);
    const uint64_t d1 = power_integer[k1] << up1;
    const wide numerator = (wide)(w << up) << 63;
    uint64_t q = (uint64_t)(numerator / d1), rest = (uint64_t)(numerator % d1);
    int exponent = (int)up1 - (int)up - 63;
    if (k > k1) {
        const unsigned up2 = leading_zeros(power_integer[k - k1]);
        const uint64_t d2 = power_integer[k - k1] << up2;
        const wide fraction = (wide)rest << 64;
        const wide extended = (wide)q << 64 | (uint64_t)(fraction / d1);
        const wide half = extended >> 1;
        rest = (uint64_t)(fraction % d1) | (uint64_t)(extended & 1) | (uint64_t)(half % d2);
        q = (uint64_t)(half / d2);
        exponent += (int)up2 - 63;
    }
    return (double)(q | (rest != 0)) * power_of_two(exponent);
}

/* w 10^exponent, if a few operations give it exactly rounded. */
static bool quick(uint64_t w, long exponent, double *value) {
    if (w == 0) {
        *value = 0.0;
    } else if (w <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        *value = exponent < 0 ? (double)w / power_double[-exponent] : (double)w * power_double[exponent];
    } else if (exponent >= 0 && exponent <= WORD_DIGITS) {
        *value = (double)((wide)w * power_integer[exponent]);
    } else if (exponent < 0 && exponent >= -QUOTIENT_DIGITS) {
        *value = quotient(w, (unsigned)-exponent);
    } else {
        return false;
    }
    return true;
}

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* The position after the exponent at `at`, if there is one, which is added to *exponent. */
static const char *scan_exponent(const char *at, long *exponent) {
    if (*at != 'e' && *at != 'E') return at;
    const char *digits = at + 1;
    const bool negative = *digits == '-';
    if (*digits == '-' || *digits == '+') digits++;
    if (!is_digit(*digits)) return at;
    long written = 0;
    for (; is_digit(*digits); digits++)
        if (written < EXPONENT_LIMIT) written = 10 * written + (*digits - '0');
    *exponent += negative ? -written : written;
    return digits;
}

/* True when the digits of a mantissa, leading zeros apart, may not fit in 64 bits. */
static bool too_long(const char *digits, ptrdiff_t count) {
    if (count <= WORD_DIGITS) return false;
    for (; *digits == '0' || *digits == '.'; digits++)
        if (*digits == '0') count--;
    return count > WORD_DIGITS;
}

const char *orff_number_scan(const char *text, double *value) {
    const bool negative = *text == '-';
    const char *const digits = text + (negative || *text == '+');
    const char *at = digits;
    uint64_t w = 0;
    for (; is_digit(*at); at++) w = 10 * w + (uint64_t)(*at - '0');
    ptrdiff_t count = at - digits;
    long exponent = 0;
    if (*at == '.') {
        const char *const point = ++at;
        for (; is_digit(*at); at++) w = 10 * w + (uint64_t)(*at - '0');
        exponent = (long)(point - at);
        count += at - point;
    }
    if (count == 0) return NULL;
    at = scan_exponent(at, &exponent);
    double magnitude;
    if (too_long(digits, count) || !quick(w, exponent, &magnitude))
        magnitude = strtod_l(digits, NULL, c_locale());
    *value = negative ? -magnitude : magnitude;
    return at;
}

static size_t print_digits(char text[ORFF_NUMBER_ROOM], double value, int digits) {
    return (size_t)snprintf(text, ORFF_NUMBER_ROOM, "%.*g", digits, value);
}

size_t orff_number_print(char text[ORFF_NUMBER_ROOM], double value, bool shortest) {
    const locale_t before = uselocale(c_locale());
    size_t length = 0;
    for (int digits = shortest ? 15 : 17; digits <= 17; digits++) {
        double back = value;
        length = print_digits(text, value, digits);
        if (digits == 17 || (orff_number_scan(text, &back) && back == value)) break;
    }
    uselocale(before);
    return length;
}
