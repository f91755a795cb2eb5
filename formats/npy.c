/* NPY, versions 1.0 to 3.0: a magic string, the length of the header, and the header, which is a Python
 * dictionary
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (1000, 3), }
 *
 * with exactly these three keys; then the numbers. */
#define _GNU_SOURCE

#include <string.h>

#include "formats/array.h"

enum { HEADER_MOST = 65536 };

/* The header being parsed: zero-terminated text. */
typedef struct cursor {
    const char *at;
} cursor;

static void skip_blanks(cursor *c) {
    c->at += strspn(c->at, " \t\n\r");
}

/* Skips a literal text, and the blanks before it. */
static bool accept(cursor *c, const char *text) {
    const size_t length = strlen(text);
    skip_blanks(c);
    if (strncmp(c->at, text, length)) return false;
    c->at += length;
    return true;
}

/* A text in single or double quotes, without escapes. */
static bool parse_text(cursor *c, char *text, size_t room) {
    skip_blanks(c);
    const char quote = *c->at;
    if (quote != '\'' && quote != '"') return false;
    const char *end = strchr(c->at + 1, quote);
    if (!end || (size_t)(end - c->at) > room) return false;
    const size_t length = (size_t)(end - c->at) - 1;
    memcpy(text, c->at + 1, length);
    text[length] = '\0';
    c->at = end + 1;
    return true;
}

static bool parse_number(cursor *c, uint64_t *value) {
    skip_blanks(c);
    const char *start = c->at;
    for (*value = 0; *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (*value >= (uint64_t)1 << 58) return false;
        *value = 10 * *value + (uint64_t)(*c->at - '0');
    }
    if (c->at == start) return false;
    if (*c->at == 'L') c->at++; /* written by Python 2 */
    return true;
}

/* "(", numbers with commas, ")". */
static bool parse_shape(cursor *c, fmt_array_layout *layout) {
    if (!accept(c, "(")) return false;
    for (layout->rank = 0; !accept(c, ")");) {
        if (layout->rank == FMT_ARRAY_RANK || !parse_number(c, &layout->shape[layout->rank++])) return false;
        if (accept(c, ",")) continue;
        return accept(c, ")");
    }
    return true;
}

/* "<f8": order, kind, bytes. */
static bool parse_type(cursor *c, fmt_array_layout *layout, char type[16]) {
    if (!parse_text(c, type, 15)) return false;
    const char order = *type;
    const char *kind = type + (strchr("<>|=", order) && order ? 1 : 0);
    if (strlen(kind) != 2 || kind[1] < '1' || kind[1] > '9') return false;
    layout->big_endian = order == '>';
    layout->kind = *kind;
    layout->bytes = (unsigned)(kind[1] - '0');
    return fmt_array_supports(layout->kind, layout->bytes);
}

static bool parse_truth(cursor *c, bool *value) {
    *value = accept(c, "True");
    return *value || accept(c, "False");
}

static int fail_header(fmt_table *table, const char *what) {
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "NPY header: %s", what);
}

/* One "key: value"; sets bit 1, 2 or 4 of *seen. */
static int parse_entry(fmt_table *table, cursor *c, fmt_array_layout *layout, unsigned *seen) {
    char key[16], type[16] = "";
    if (!parse_text(c, key, sizeof key) || !accept(c, ":"))
        return fail_header(table, "expected a key and a colon");
    const unsigned bit = !strcmp(key, "descr")           ? 1
                         : !strcmp(key, "fortran_order") ? 2
                         : !strcmp(key, "shape")         ? 4
                                                         : 0;
    if (!bit || *seen & bit) return fail_header(table, "a key that does not belong there, or twice");
    *seen |= bit;
    if (bit == 1 && !parse_type(c, layout, type))
        return fail_header(table, "the numbers must be f4, f8, i1 to i8, u1 to u8 or b1");
    if (bit == 2 && !parse_truth(c, &layout->fortran))
        return fail_header(table, "fortran_order must be True or False");
    if (bit == 4 && !parse_shape(c, layout)) return fail_header(table, "the shape cannot be understood");
    return ORFF_OK;
}

static int parse(fmt_table *table, const char *text, fmt_array_layout *layout) {
    cursor c = {text};
    unsigned seen = 0;
    if (!accept(&c, "{")) return fail_header(table, "is not a dictionary");
    while (!accept(&c, "}")) {
        const int status = parse_entry(table, &c, layout, &seen);
        if (status) return status;
        if (accept(&c, ",")) continue;
        if (!accept(&c, "}")) return fail_header(table, "is not closed");
        break;
    }
    skip_blanks(&c);
    if (*c.at) return fail_header(table, "has something after the dictionary");
    if (seen != 7) return fail_header(table, "descr, fortran_order or shape is missing");
    if (layout->rank == 0) return fail_header(table, "a single number is not a table");
    return ORFF_OK;
}

/* Magic, version and the length of the dictionary: 2 bytes in version 1, 4 later. */
static int read_length(fmt_table *table, fmt_stream *stream, size_t *before, size_t *length) {
    unsigned char head[12];
    int status = fmt_array_read(table, stream, head, 8);
    if (status) return status;
    if (memcmp(head, "\x93NUMPY", 6)) return fmt_table_fail(table, ORFF_ERROR_FORMAT, "is not an NPY file");
    if (head[6] < 1 || head[6] > 3 || head[7])
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "is NPY version %d.%d, expected 1.0 to 3.0", head[6],
                              head[7]);
    const size_t bytes = head[6] == 1 ? 2 : 4;
    status = fmt_array_read(table, stream, head + 8, bytes);
    *before = 8 + bytes;
    *length = 0;
    for (size_t i = bytes; i-- > 0;) *length = *length << 8 | head[8 + i];
    if (!status && *length > HEADER_MOST) return fail_header(table, "is longer than 65536 bytes");
    return status;
}

static int read_header(fmt_table *table, fmt_stream *stream, fmt_array_layout *layout) {
    char text[HEADER_MOST + 1];
    size_t before = 0, length = 0;
    int status = read_length(table, stream, &before, &length);
    if (!status) status = fmt_array_read(table, stream, text, length);
    if (status) return status;
    text[length] = '\0';
    layout->offset = before + length;
    if (memchr(text, '\0', length)) return fail_header(table, "has a zero byte");
    return parse(table, text, layout);
}

static int npy_open(fmt_table *table) {
    return fmt_array_open(table, read_header);
}

static const char *const ends[] = {".npy", NULL};

static bool claims(const unsigned char *head, size_t got) {
    return got >= 6 && !memcmp(head, "\x93NUMPY", 6);
}

const fmt_source fmt_source_npy = {
    .name = "npy",
    .ends = ends,
    .claims = claims,
    .open = npy_open,
    .choose = fmt_array_choose,
    .next = fmt_array_next,
    .rewind = fmt_array_rewind,
    .share = fmt_array_share,
    .place = fmt_array_place,
    .progress = fmt_array_progress,
    .close = fmt_array_close,
};
