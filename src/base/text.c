/* Makes text from files safe to show in a terminal, a log or a picture. */
#include "base/text.h"

#include <string.h>

/* The number of bytes of the well-formed UTF-8 character at `text`, and its code point; 0 if there is
 * none. */
static size_t decode(const unsigned char *text, uint32_t *point) {
    static const struct {
        unsigned char mask, lead;
        uint32_t least; /* longer forms of smaller numbers are malformed */
    } forms[] = {{0x80, 0x00, 0x0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t more = 0; more < 4; more++) {
        if ((*text & forms[more].mask) != forms[more].lead) continue;
        *point = *text & (unsigned char)~forms[more].mask;
        for (size_t i = 1; i <= more; i++) {
            if ((text[i] & 0xc0) != 0x80) return 0; /* also the zero at the end */
            *point = *point << 6 | (text[i] & 0x3f);
        }
        const bool surrogate = *point >= 0xd800 && *point <= 0xdfff;
        return *point >= forms[more].least && *point <= 0x10ffff && !surrogate ? more + 1 : 0;
    }
    return 0;
}

bool orffi_text_is_utf8(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    uint32_t point;
    for (size_t bytes; *at; at += bytes) {
        bytes = decode(at, &point);
        if (!bytes) return false;
    }
    return true;
}

/* Characters that move the cursor, ring the bell, or change colours or the direction of the text around
 * them. */
static bool is_control(uint32_t point) {
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c || point == 0x200e ||
           point == 0x200f || (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
           point == 0xfeff;
}

/* The next character as it is shown, the length of that, and the number of bytes it takes in the text. */
static size_t form(const unsigned char *text, char shown[16], size_t *taken) {
    static const char digits[] = "0123456789abcdef";
    uint32_t point = 0;
    const size_t bytes = decode(text, &point);
    *taken = bytes ? bytes : 1;
    if (bytes && !is_control(point)) {
        memcpy(shown, text, bytes);
        return bytes;
    }
    for (size_t i = 0; i < *taken; i++) {
        const char escaped[4] = {'\\', 'x', digits[text[i] >> 4], digits[text[i] & 15]};
        memcpy(shown + 4 * i, escaped, 4);
    }
    return 4 * *taken;
}

bool orff_text_show(char *shown, size_t room, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    char next[16];
    size_t used = 0, fits = 0, taken; /* fits: the last length after which "..." has room */
    while (room && *at) {
        const size_t length = form(at, next, &taken);
        if (used + length >= room) break;
        memcpy(shown + used, next, length);
        used += length;
        at += taken;
        if (used + 3 < room) fits = used;
    }
    if (!room) return !*at;
    if (*at && room > 3) {
        memcpy(shown + fits, "...", 3);
        used = fits + 3;
    }
    shown[used] = '\0';
    return !*at;
}
