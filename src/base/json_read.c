#include "base/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

typedef struct reader {
    const char *begin, *at, *end;
    char *token; /* room for any token of the text and a terminating zero */
    int depth;
} reader;

static orff_status read_value(reader *r, json_t **out);

static orff_status malformed(const reader *r, const char *what) {
    return orffi_fail(ORFF_ERROR_FORMAT, "%s at byte %zu", what, (size_t)(r->at - r->begin) + 1);
}

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory to read a text of JSON");
}

/* The next byte, or 0 at the end: JSON text contains no zero byte. */
static char peek(const reader *r) {
    return r->at < r->end ? *r->at : '\0';
}

static char next_after_space(reader *r) {
    while (r->at < r->end && strchr(" \t\n\r", *r->at) && *r->at) r->at++;
    return peek(r);
}

static bool accept(reader *r, char wanted) {
    if (next_after_space(r) != wanted) return false;
    r->at++;
    return true;
}

/* ORFF_ERROR_NO_MEMORY if jansson could not make the value. */
static orff_status made(json_t *value, json_t **out) {
    *out = value;
    return value ? ORFF_OK : no_memory();
}

/* ---- words and numbers */

static orff_status read_word(reader *r, json_t **out) {
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(r->end - r->at) < length || memcmp(r->at, words[i], length) != 0) continue;
        r->at += length;
        return made(i == 0 ? json_true() : i == 1 ? json_false() : json_null(), out);
    }
    return malformed(r, "there is no value");
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Skips digits; false if there is none. */
static bool pass_digits(reader *r) {
    const char *first = r->at;
    while (is_digit(peek(r))) r->at++;
    return r->at > first;
}

/* Skips a number: [-] digits without leading zeros [. digits] [e [+-] digits]. */
static bool pass_number(reader *r, bool *whole) {
    if (peek(r) == '-') r->at++;
    const bool zero = peek(r) == '0';
    const char *first = r->at;
    if (!pass_digits(r) || (zero && r->at - first > 1)) return false;
    *whole = true;
    if (peek(r) == '.') {
        *whole = false;
        r->at++;
        if (!pass_digits(r)) return false;
    }
    if (peek(r) != 'e' && peek(r) != 'E') return true;
    *whole = false;
    r->at++;
    if (peek(r) == '+' || peek(r) == '-') r->at++;
    return pass_digits(r);
}

static orff_status read_number(reader *r, json_t **out) {
    const char *first = r->at;
    bool whole = true;
    if (!pass_number(r, &whole)) return malformed(r, "a number is malformed");
    const size_t length = (size_t)(r->at - first);
    memcpy(r->token, first, length);
    r->token[length] = '\0';
    errno = 0;
    if (whole) {
        const long long value = strtoll(r->token, NULL, 10);
        return errno == ERANGE ? malformed(r, "a number does not fit 64 bits")
                               : made(json_integer((json_int_t)value), out);
    }
    double value = INFINITY;
    orff_number_scan(r->token, &value);
    return isfinite(value) ? made(json_real(value), out) : malformed(r, "a number is too large");
}

/* ---- strings */

/* The four hexadecimal digits at r->at; -1 if there are not four. */
static int32_t read_hex(reader *r) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const char c = peek(r);
        const int digit = is_digit(c)            ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

static char *put_utf8(char *to, int32_t point) {
    static const int lead[] = {0, 0xc0, 0xe0, 0xf0};
    const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    *to++ = (char)(lead[more] | point >> 6 * more);
    for (int i = more - 1; i >= 0; i--) *to++ = (char)(0x80 | (point >> 6 * i & 0x3f));
    return to;
}

/* \uXXXX, and the second half of a surrogate pair after the first; 0 if malformed or U+0000. */
static int32_t read_point(reader *r) {
    const int32_t first = read_hex(r);
    if (first < 0xd800 || first > 0xdfff) return first > 0 ? first : 0;
    if (first > 0xdbff || r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return 0;
    r->at += 2;
    const int32_t second = read_hex(r);
    if (second < 0xdc00 || second > 0xdfff) return 0;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

/* Writes the character after a backslash to `to`; NULL if the escape is unknown. */
static char *read_escape(reader *r, char *to) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char c = peek(r), *found = c ? strchr(letters, c) : NULL;
    if (r->at < r->end) r->at++;
    if (found) {
        *to++ = meant[found - letters];
        return to;
    }
    const int32_t point = c == 'u' ? read_point(r) : 0;
    return point ? put_utf8(to, point) : NULL;
}

/* Reads a string into the token, terminated by a zero. A string is never longer than its escaped form. */
static orff_status read_text(reader *r) {
    char *to = r->token;
    for (r->at++; peek(r) != '"';) {
        if (r->at == r->end) return malformed(r, "a string has no end");
        if ((unsigned char)*r->at < 0x20) return malformed(r, "a control character stands in a string");
        if (*r->at != '\\') {
            *to++ = *r->at++;
            continue;
        }
        r->at++;
        to = read_escape(r, to);
        if (!to) return malformed(r, "an escape in a string is not known");
    }
    r->at++;
    *to = '\0';
    return orffi_text_is_utf8(r->token) ? ORFF_OK : malformed(r, "a string is not UTF-8");
}

static orff_status read_string(reader *r, json_t **out) {
    ORFFI_TRY(read_text(r));
    return made(json_string_nocheck(r->token), out);
}

/* ---- lists and objects */

static orff_status read_item(reader *r, json_t *list) {
    json_t *value = NULL;
    ORFFI_TRY(read_value(r, &value));
    return json_array_append_new(list, value) ? no_memory() : ORFF_OK;
}

static orff_status read_key(reader *r, const json_t *object, char **key) {
    if (next_after_space(r) != '"') return malformed(r, "a key is missing");
    ORFFI_TRY(read_text(r));
    if (json_object_get(object, r->token)) return malformed(r, "a key stands there twice");
    ORFFI_TRY(orffi_duplicate(key, r->token, strlen(r->token) + 1, 1));
    return accept(r, ':') ? ORFF_OK : malformed(r, "a colon is missing");
}

static orff_status read_member(reader *r, json_t *object) {
    json_t *value = NULL;
    char *key = NULL;
    orff_status status = read_key(r, object, &key);
    if (!status) status = read_value(r, &value);
    if (!status && json_object_set_new_nocheck(object, key, value)) status = no_memory();
    orffi_release(key);
    return status;
}

/* Reads what is between the brackets, separated by commas. */
static orff_status read_inside(reader *r, char closing, json_t *into,
                               orff_status (*read_one)(reader *, json_t *)) {
    r->at++;
    if (accept(r, closing)) return ORFF_OK;
    do ORFFI_TRY(read_one(r, into));
    while (accept(r, ','));
    return accept(r, closing) ? ORFF_OK : malformed(r, "a comma or a bracket is missing");
}

static orff_status read_nested(reader *r, json_t **out) {
    const bool object = peek(r) == '{';
    if (r->depth == ORFFI_JSON_DEPTH) return malformed(r, "lists and objects are too deep in each other");
    ORFFI_TRY(made(object ? json_object() : json_array(), out));
    r->depth++;
    const orff_status status = read_inside(r, object ? '}' : ']', *out, object ? read_member : read_item);
    r->depth--;
    if (status) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}

static orff_status read_value(reader *r, json_t **out) {
    const char first = next_after_space(r);
    if (first == '{' || first == '[') return read_nested(r, out);
    if (first == '"') return read_string(r, out);
    return first == '-' || is_digit(first) ? read_number(r, out) : read_word(r, out);
}

/* ---- the whole text */

static orff_status read_whole(reader *r, json_t **out) {
    const char first = next_after_space(r);
    if (first != '{' && first != '[') return malformed(r, "there is neither an object nor a list");
    ORFFI_TRY(read_nested(r, out));
    next_after_space(r);
    if (r->at == r->end) return ORFF_OK;
    json_decref(*out);
    *out = NULL;
    return malformed(r, "something follows the end");
}

orff_status orffi_json_read(const char *text, size_t length, json_t **out) {
    reader r = {.begin = text, .at = text, .end = text + length};
    ORFFI_TRY(ORFFI_NEW_ARRAY(r.token, length + 1));
    const orff_status status = read_whole(&r, out);
    orffi_release(r.token);
    return status;
}
