/* IDX, the format of MNIST: two zero bytes, a type, a rank, the dimensions and the numbers, all
 * big-endian. */
#define _GNU_SOURCE

#include "formats/array.h"

static const struct {
    unsigned char code;
    char kind;
    unsigned bytes;
} types[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2}, {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}};

static int parse_type(fmt_table *table, const unsigned char head[4], fmt_array_layout *layout) {
    if (head[0] || head[1])
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "is not an IDX file: it does not begin with 0 0");
    layout->rank = head[3];
    layout->big_endian = true;
    if (layout->rank < 1 || layout->rank > FMT_ARRAY_RANK)
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "has %zu dimensions, expected 1 to %d", layout->rank,
                              FMT_ARRAY_RANK);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].code != head[2]) continue;
        layout->kind = types[i].kind;
        layout->bytes = types[i].bytes;
        return ORFF_OK;
    }
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "has numbers of type 0x%02x, which IDX does not know",
                          head[2]);
}

static int read_header(fmt_table *table, fmt_stream *stream, fmt_array_layout *layout) {
    unsigned char head[4], n[4];
    int status = fmt_array_read(table, stream, head, sizeof head);
    if (!status) status = parse_type(table, head, layout);
    for (size_t k = 0; !status && k < layout->rank; k++) {
        status = fmt_array_read(table, stream, n, sizeof n);
        if (!status)
            layout->shape[k] = (uint64_t)n[0] << 24 | (uint64_t)n[1] << 16 | (uint64_t)n[2] << 8 | n[3];
    }
    layout->offset = 4 + 4 * layout->rank;
    return status;
}

static int idx_open(fmt_table *table) {
    return fmt_array_open(table, read_header);
}

static const char *const ends[] = {"-ubyte", ".idx", NULL};

static bool claims(const unsigned char *head, size_t got) {
    return got >= 4 && !head[0] && !head[1] && head[2] >= 8 && head[2] <= 14 && head[3];
}

const fmt_source fmt_source_idx = {
    .name = "idx",
    .ends = ends,
    .claims = claims,
    .open = idx_open,
    .choose = fmt_array_choose,
    .next = fmt_array_next,
    .rewind = fmt_array_rewind,
    .share = fmt_array_share,
    .place = fmt_array_place,
    .progress = fmt_array_progress,
    .close = fmt_array_close,
};
