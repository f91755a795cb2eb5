#include "inert.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "orff.h"

/* ---- characters */

/* The length of the UTF-8 character that begins here; 1 if its continuation bytes are missing. */
static size_t character_bytes(const char *text) {
    const unsigned char lead = (unsigned char)*text;
    const size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 1;
    for (size_t i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80) return 1; /* including the zero at the end */
    return bytes;
}

static uint32_t code_point(const char *text, size_t bytes) {
    uint32_t point = (unsigned char)*text & (bytes == 1 ? 0xffu : 0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) point = point << 6 | ((unsigned char)text[i] & 0x3fu);
    return point;
}

/* Only orff_text_show decides what may be shown. */
static bool is_plain(const char *text, size_t bytes) {
    char one[5] = "", shown[20];
    if (bytes == 1 && *text >= ' ' && *text <= '~') return true;
    memcpy(one, text, bytes);
    return orff_text_show(shown, sizeof shown, one) && !strcmp(one, shown);
}

/* False for private use and noncharacters: no font has them, XML forbids some, and Pango draws a black box
 * over half of the picture. */
static bool is_drawn(uint32_t point) {
    return !(point >= 0xe000 && point <= 0xf8ff) && !(point >= 0xfdd0 && point <= 0xfdef) &&
           (point & 0xfffe) != 0xfffe && point < 0xe0000;
}

/* ---- labels */

/* Excludes digits: gnuplot would read a digit after \ooo as part of it. */
static bool stands_for_itself(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr(" ._-,[]", c));
}

static size_t put_bytes(char *quoted, const char *text, size_t bytes) {
    size_t used = 0;
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (stands_for_itself(text[i])) {
            quoted[used++] = text[i];
            continue;
        }
        quoted[used++] = '\\';
        for (int shift = 6; shift >= 0; shift -= 3) quoted[used++] = (char)('0' + (byte >> shift & 7));
    }
    return used;
}

/* Appends the next character of a label. "]]>" would end a section in an SVG, where gnuplot does not
 * escape >. */
static size_t put_character(char *quoted, const char *text, size_t bytes, bool after_brackets) {
    if (bytes == 1 && *text == '>' && after_brackets) return put_bytes(quoted, " ", 1);
    if (is_plain(text, bytes) && is_drawn(code_point(text, bytes))) return put_bytes(quoted, text, bytes);
    return put_bytes(quoted, (unsigned char)*text < 0x80 ? " " : "?", 1);
}

const char *cli_label(char quoted[CLI_LABEL_ROOM], size_t most, const char *text) {
    size_t used = 1, fits = 1, width = 0; /* fits: the length after which dots still fit */
    most = most < CLI_LABEL_LEAST ? CLI_LABEL_LEAST : most > CLI_LABEL_MOST ? CLI_LABEL_MOST : most;
    quoted[0] = '"';
    while (*text) {
        const size_t bytes = character_bytes(text);
        width += bytes > 2 ? 2 : 1;
        if (width > most) break;
        used += put_character(quoted + used, text, bytes, used > 2 && !memcmp(quoted + used - 2, "]]", 2));
        text += bytes;
        if (width + 3 <= most) fits = used;
    }
    if (*text) {
        memcpy(quoted + fits, "...", 3);
        used = fits + 3;
    }
    memcpy(quoted + used, "\"", 2);
    return quoted;
}

/* ---- terminals */

void cli_put_shown(FILE *stream, const char *format, va_list list) {
    char text[8192], shown[sizeof text - 8]; /* less room, so that truncated text ends in dots */
    if (vsnprintf(text, sizeof text, format, list) < 0) text[0] = '\0';
    orff_text_show(shown, sizeof shown, text);
    fputs(shown, stream);
}

/* ---- JSON */

void cli_put_json(FILE *stream, const char *json) {
    const char *from = json, *at = json; /* bytes between them are not yet written */
    while (*at) {
        const size_t bytes = character_bytes(at);
        if (*at == '\n' || bytes > 3 || is_plain(at, bytes)) {
            at += bytes;
            continue;
        }
        fwrite(from, 1, (size_t)(at - from), stream);
        fprintf(stream, "\\u%04x", (unsigned)code_point(at, bytes));
        from = at += bytes;
    }
    fwrite(from, 1, (size_t)(at - from), stream);
}
