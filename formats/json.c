#define _GNU_SOURCE
#include "formats/json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/stream.h"
#include "orff.h"

enum { LONGEST_NUMBER = 64, FIRST_ROOM = 1 << 16 };

bool fmt_json_fail(fmt_json *j, const char *trouble) {
    if (!j->trouble) j->trouble = trouble;
    return false;
}

char fmt_json_peek(fmt_json *j) {
    if (j->trouble) return '\0';
    while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at) j->at++;
    return j->at < j->end ? *j->at : '\0';
}

static bool accept_sign(fmt_json *j, char sign) {
    if (fmt_json_peek(j) != sign || !sign) return false;
    j->at++;
    return true;
}

static bool leave(fmt_json *j, char closing) {
    if (!accept_sign(j, closing)) return false;
    j->depth--;
    return true;
}

bool fmt_json_enter(fmt_json *j, char opening) {
    const char closing = opening == '[' ? ']' : '}';
    if (!accept_sign(j, opening))
        return fmt_json_fail(j, opening == '[' ? "expected a list" : "expected an object");
    if (++j->depth > FMT_JSON_DEPTH) return fmt_json_fail(j, "is nested too deeply");
    return !leave(j, closing) && !j->trouble;
}

bool fmt_json_more(fmt_json *j, char closing) {
    if (j->trouble || leave(j, closing)) return false;
    return accept_sign(j, ',') || fmt_json_fail(j, "expected a comma or the end of a list or an object");
}

/* One character of a text, which may be escaped; '\0' at the closing quote, or on failure. */
static char next_letter(fmt_json *j) {
    if (j->at == j->end) return (char)fmt_json_fail(j, "a string has no end");
    const char letter = *j->at++;
    if (letter == '"') return '\0';
    if (letter != '\\') return letter ? letter : '?';
    if (j->at == j->end) return (char)fmt_json_fail(j, "a string has no end");
    const char escaped = *j->at++;
    if (escaped == 'u') {
        if (j->end - j->at < 4) return (char)fmt_json_fail(j, "a string has no end");
        j->at += 4;
        return '?';
    }
    return strchr("\"\\/", escaped) && escaped ? escaped : ' ';
}

bool fmt_json_text(fmt_json *j, char *text, size_t room) {
    size_t used = 0;
    if (!accept_sign(j, '"')) return fmt_json_fail(j, "expected a string");
    for (char letter = next_letter(j); letter; letter = next_letter(j))
        if (used + 1 < room) text[used++] = letter;
    if (room) text[used] = '\0';
    return !j->trouble;
}

bool fmt_json_key(fmt_json *j, char *key, size_t room) {
    if (!fmt_json_text(j, key, room)) return false;
    return accept_sign(j, ':') || fmt_json_fail(j, "expected a colon");
}

static bool is_word(fmt_json *j, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(j->end - j->at) < length || memcmp(j->at, word, length)) return false;
    j->at += length;
    return true;
}

/* The characters of a number, of NaN and the like, are copied, because the text need not end with a zero
 * byte. */
static bool scan_bare(fmt_json *j, double *value) {
    char text[LONGEST_NUMBER + 1];
    size_t used = 0;
    while (used < LONGEST_NUMBER && j->at + used < j->end &&
           (isalnum((unsigned char)j->at[used]) || (j->at[used] && strchr("+-.", j->at[used])))) {
        text[used] = j->at[used];
        used++;
    }
    text[used] = '\0';
    const char *end = used ? orff_number_scan(text, value) : NULL;
    if (!end || *end) {
        if (strcasecmp(text, "nan") && strcasecmp(text, "-nan")) return fmt_json_fail(j, "expected a number");
        *value = (double)NAN;
    }
    j->at += used;
    return true;
}

bool fmt_json_number(fmt_json *j, double *value) {
    char text[LONGEST_NUMBER];
    const char first = fmt_json_peek(j);
    *value = (double)NAN;
    if (first == '"') {
        if (!fmt_json_text(j, text, sizeof text)) return false;
        const char *end = orff_number_scan(text, value);
        if (!end || *end) *value = (double)NAN;
        return true;
    }
    if (first == 'n' && is_word(j, "null")) return true;
    return first ? scan_bare(j, value) : fmt_json_fail(j, "ends too early");
}

/* Skips a value that is neither a list nor an object. */
static bool skip_plain(fmt_json *j) {
    double unused;
    const char first = fmt_json_peek(j);
    if (first == '"') return fmt_json_text(j, NULL, 0);
    if ((first == 't' && is_word(j, "true")) || (first == 'f' && is_word(j, "false"))) return true;
    return fmt_json_number(j, &unused);
}

/* Tracks nesting without recursion: `open` has the closing signs of the lists and objects entered. */
bool fmt_json_skip(fmt_json *j) {
    char open[FMT_JSON_DEPTH + 1] = {0};
    size_t inside = 0;
    do {
        const char first = fmt_json_peek(j);
        bool entered = false;
        if (first == '[' || first == '{') {
            entered = fmt_json_enter(j, first);
            if (entered) open[inside++] = first == '[' ? ']' : '}';
        } else {
            skip_plain(j);
        }
        while (!entered && inside && !fmt_json_more(j, open[inside - 1]) && !j->trouble) inside--;
        if (inside && open[inside - 1] == '}') fmt_json_key(j, NULL, 0);
    } while (inside && !j->trouble);
    return !j->trouble;
}

/* ---- files */

static int load_all(fmt_stream *stream, size_t most, char **text, size_t *length) {
    size_t room = FIRST_ROOM, got;
    int status = ORFF_OK;
    *length = 0;
    do {
        char *more = realloc(*text, room + 1);
        if (!more) return ORFF_ERROR_NO_MEMORY;
        *text = more;
        status = fmt_stream_read(stream, *text + *length, room - *length, &got);
        *length += got;
        if (status || *length < room) break;
        room = room < most / 2 ? 2 * room : most + 1;
    } while (*length <= most);
    if (!status) (*text)[*length] = '\0';
    return status;
}

int fmt_text_load(const char *path, size_t most, char **text, size_t *length, char *message, size_t room) {
    fmt_stream *stream = NULL;
    *text = NULL;
    int status = fmt_stream_open(&stream, path);
    if (!status) status = load_all(stream, most, text, length);
    if (status)
        snprintf(message, room, "%.300s: %s", path,
                 status == ORFF_ERROR_NO_MEMORY || !stream ? "not enough memory" : fmt_stream_error(stream));
    if (!status && *length > most) {
        status = ORFF_ERROR_UNSUPPORTED;
        snprintf(message, room, "%.300s: has more than %zu MB, which is too large for such a file", path,
                 most >> 20);
    }
    fmt_stream_close(stream);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}
