#define _GNU_SOURCE

#include "formats/header.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---------------------------------------------------------------- units */

/* Whether a word is a unit, possibly with a usual prefix. */
static bool is_unit(const char *word, size_t length) {
    static const char words[] = " m km cm mm um nm ft s ms us sec secs second seconds min h hr hrs hour "
                                "hours d day days yr year deg degree degrees degree_east degree_north "
                                "degrees_east degrees_north degree_true degrees_true rad radians K C F "
                                "degC degF Pa hPa kPa MPa bar mbar mb dbar kg g mg N J kJ W kW V mV A mA "
                                "T nT mT mol mmol Hz kHz MHz knot knots kn kt kts mph mps % px pix pixel "
                                "pixels frame ppm ppb psu mas meter meters metre metres gal mGal Gy l L "
                                "ml mile miles nmi inch ";
    for (const char *at = words; (at = strchr(at, ' ')) && at[1]; at++) {
        const char *end = strchr(at + 1, ' ');
        if ((size_t)(end - at - 1) == length && !strncmp(at + 1, word, length)) return true;
    }
    return false;
}

/* Whether all words of the text are units: "m/s", "m s-1", "kg m^-3", "°C", "1/s". */
static bool is_made_of_units(const char *at, const char *end) {
    size_t found = 0;
    while (at < end) {
        const char *word = at;
        if (!strncmp(at, "\xc2\xb0", 2) || !strncmp(at, "\xc2\xb5", 2)) { /* degrees, micro */
            at += 2;
            found++;
            continue;
        }
        while (at < end && (isalpha((unsigned char)*at) || *at == '_' || *at == '%')) at++;
        if (at > word && !is_unit(word, (size_t)(at - word))) return false;
        found += at > word;
        if (at == word && !strchr("0123456789 ./*^+-", *at)) return false;
        at += at == word;
    }
    return found > 0;
}

bool fmt_header_split(char *name, char **units) {
    const size_t length = strlen(name);
    const char closing = length ? name[length - 1] : '\0';
    *units = NULL;
    if (length > 255 || (closing != ']' && closing != ')')) return true;
    char *open = strrchr(name, closing == ']' ? '[' : '('), *last = name + length - 1;
    if (!open || open == name || open + 1 == last) return true;
    if (closing == ')' && (open[-1] != ' ' || !is_made_of_units(open + 1, last))) return true;
    char *end = open;
    while (end > name && end[-1] == ' ') end--;
    if (end == name) return true;
    *units = strndup(open + 1, (size_t)(last - open - 1));
    if (*units) *end = '\0';
    return *units;
}

/* ---------------------------------------------------------------- letters */

/* The number of bytes of the character at the start of the text, 0 if it is not UTF-8. */
static size_t utf8_length(const unsigned char *at, size_t left) {
    const size_t size = *at < 0x80                  ? 1
                        : *at >= 0xc2 && *at < 0xe0 ? 2
                        : *at >= 0xe0 && *at < 0xf0 ? 3
                        : *at >= 0xf0 && *at < 0xf5 ? 4
                                                    : 0;
    if (size > left) return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (size == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f))) return 0;
    if (size == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))) return 0;
    return size;
}

static bool is_utf8(const unsigned char *text, size_t length) {
    for (size_t at = 0, size; at < length; at += size)
        if (!(size = utf8_length(text + at, length - at))) return false;
    return true;
}

char *fmt_header_utf8(const char *text, size_t length) {
    const unsigned char *from = (const unsigned char *)text;
    if (is_utf8(from, length)) return strndup(text, length);
    char *copy = malloc(2 * length + 1), *to = copy;
    for (size_t i = 0; copy && i < length; i++) {
        if (from[i] >= 0x80) *to++ = (char)(0xc0 | from[i] >> 6);
        *to++ = (char)(from[i] >= 0x80 ? 0x80 | (from[i] & 0x3f) : from[i]);
    }
    if (copy) *to = '\0';
    return copy;
}
