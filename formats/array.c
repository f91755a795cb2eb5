#define _GNU_SOURCE

#include "formats/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Converts `count` numbers, `stride` bytes apart, to doubles. */
typedef void (*convert_fn)(const unsigned char *from, size_t stride, size_t count, double *to);

typedef struct array {
    fmt_stream *stream;
    fmt_array_layout layout;
    convert_fn convert;
    const unsigned char
        *whole; /* first number if all are in memory, mapped or in `loaded`; NULL: reading row by row */
    unsigned char *loaded;
    unsigned char *line; /* one row, if reading row by row */
    size_t line_bytes;
    uint64_t row;         /* index of the next row */
    uint64_t first, last; /* the rows to return: first .. last - 1 */
    size_t row_stride;    /* bytes between rows in `whole` */
    size_t *offset;       /* n_chosen: bytes from the start of a row to each number */
    bool even;            /* the offsets are even_stride apart, so one call converts a row */
    size_t even_stride;
} array;

/* ---------------------------------------------------------------- conversion */

#define SAME(x) (x)

#define CONVERT(name, type, word, swap)                                                    \
    static void name(const unsigned char *from, size_t stride, size_t count, double *to) { \
        for (size_t i = 0; i < count; i++, from += stride) {                               \
            word bits;                                                                     \
            type value;                                                                    \
            memcpy(&bits, from, sizeof bits);                                              \
            bits = swap(bits);                                                             \
            memcpy(&value, &bits, sizeof value);                                           \
            to[i] = (double)value;                                                         \
        }                                                                                  \
    }

CONVERT(convert_u1, uint8_t, uint8_t, SAME)
CONVERT(convert_i1, int8_t, uint8_t, SAME)
CONVERT(convert_u2, uint16_t, uint16_t, SAME)
CONVERT(convert_i2, int16_t, uint16_t, SAME)
CONVERT(convert_u4, uint32_t, uint32_t, SAME)
CONVERT(convert_i4, int32_t, uint32_t, SAME)
CONVERT(convert_u8, uint64_t, uint64_t, SAME)
CONVERT(convert_i8, int64_t, uint64_t, SAME)
CONVERT(convert_f4, float, uint32_t, SAME)
CONVERT(convert_f8, double, uint64_t, SAME)
CONVERT(swapped_u2, uint16_t, uint16_t, __builtin_bswap16)
CONVERT(swapped_i2, int16_t, uint16_t, __builtin_bswap16)
CONVERT(swapped_u4, uint32_t, uint32_t, __builtin_bswap32)
CONVERT(swapped_i4, int32_t, uint32_t, __builtin_bswap32)
CONVERT(swapped_u8, uint64_t, uint64_t, __builtin_bswap64)
CONVERT(swapped_i8, int64_t, uint64_t, __builtin_bswap64)
CONVERT(swapped_f4, float, uint32_t, __builtin_bswap32)
CONVERT(swapped_f8, double, uint64_t, __builtin_bswap64)

static const struct {
    char kind;
    unsigned bytes;
    convert_fn as_is, swapped;
} conversions[] = {
    {'b', 1, convert_u1, convert_u1}, {'u', 1, convert_u1, convert_u1}, {'i', 1, convert_i1, convert_i1},
    {'u', 2, convert_u2, swapped_u2}, {'i', 2, convert_i2, swapped_i2}, {'u', 4, convert_u4, swapped_u4},
    {'i', 4, convert_i4, swapped_i4}, {'u', 8, convert_u8, swapped_u8}, {'i', 8, convert_i8, swapped_i8},
    {'f', 4, convert_f4, swapped_f4}, {'f', 8, convert_f8, swapped_f8},
};

static bool machine_is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static convert_fn find_conversion(char kind, unsigned bytes, bool big_endian) {
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (conversions[i].kind == kind && conversions[i].bytes == bytes)
            return big_endian == machine_is_big_endian() ? conversions[i].as_is : conversions[i].swapped;
    return NULL;
}

bool fmt_array_supports(char kind, unsigned bytes) {
    return find_conversion(kind, bytes, false) != NULL;
}

/* ---------------------------------------------------------------- shape */

/* The product of the dimensions from `first` on, in *product; false if it does not fit in 62 bits. */
static bool product_from(const fmt_array_layout *layout, size_t first, uint64_t *product) {
    *product = 1;
    for (size_t k = first; k < layout->rank; k++) {
        const uint64_t n = layout->shape[k];
        if (n && *product > ((uint64_t)1 << 62) / n) return false;
        *product *= n;
    }
    return true;
}

/* The size of all numbers in bytes. */
static uint64_t data_bytes(const fmt_array_layout *layout) {
    uint64_t count;
    product_from(layout, 0, &count);
    return count * layout->bytes;
}

/* The distance of a column's number from the start of its row. The column is an index in C order over all
 * dimensions but the first. In Fortran order the first index varies fastest. */
static size_t column_offset(const fmt_array_layout *layout, size_t column) {
    if (!layout->fortran) return column * layout->bytes;
    uint64_t offset = 0;
    for (size_t k = layout->rank; k-- > 1;) {
        uint64_t stride = layout->bytes;
        for (size_t i = 0; i < k; i++) stride *= layout->shape[i];
        offset += column % layout->shape[k] * stride;
        column /= (size_t)layout->shape[k];
    }
    return (size_t)offset;
}

/* ---------------------------------------------------------------- locating the numbers */

static int fail_short(fmt_table *table, const array *a, uint64_t found) {
    return fmt_table_fail(table, ORFF_ERROR_FORMAT, "is cut short: %llu bytes of numbers, expected %llu",
                          (unsigned long long)found, (unsigned long long)data_bytes(&a->layout));
}

static int fail_long(fmt_table *table, const array *a) {
    return fmt_table_fail(
        table, ORFF_ERROR_FORMAT,
        "there is more after the %llu bytes of numbers that its header announces: the file is damaged, or "
        "two files were joined",
        (unsigned long long)data_bytes(&a->layout));
}

/* Checks that the file ends after the last number. */
static int check_end(fmt_table *table, array *a) {
    bool at_end;
    const int status = fmt_stream_at_end(a->stream, &at_end);
    if (status) return fmt_table_fail_stream(table, status, a->stream);
    return at_end ? ORFF_OK : fail_long(table, a);
}

/* Reads the rest of the stream, at most `size` bytes. Memory grows with the bytes actually there, so a wrong
 * header does no harm. */
static int load(fmt_table *table, array *a, uint64_t size) {
    size_t room = 0, used = 0, got = 1;
    while (used < size && got) {
        const size_t step = room ? room : 1 << 16;
        room = size - used < step ? (size_t)size : used + step;
        unsigned char *grown = realloc(a->loaded, room);
        if (!grown) return fmt_table_fail_memory(table);
        a->loaded = grown;
        const int status = fmt_stream_read(a->stream, a->loaded + used, room - used, &got);
        if (status) return fmt_table_fail_stream(table, status, a->stream);
        used += got;
    }
    if (used < size) return fail_short(table, a, used);
    a->whole = a->loaded;
    return check_end(table, a);
}

/* Maps the file if possible; otherwise reads it by rows, or all of it if each row is spread over the whole
 * file. */
static int find_numbers(fmt_table *table, array *a) {
    const fmt_array_layout *layout = &a->layout;
    const uint64_t size = data_bytes(layout);
    size_t mapped;
    const unsigned char *map = fmt_stream_map(a->stream, &mapped);
    if (map) {
        const uint64_t there = mapped > layout->offset ? mapped - layout->offset : 0;
        if (there < size) return fail_short(table, a, there);
        if (there > size) return fail_long(table, a);
        a->whole = map + layout->offset;
    } else if (layout->fortran && layout->rank > 1 && size) {
        return load(table, a, size);
    } else {
        a->line_bytes = table->columns * layout->bytes;
        a->line = malloc(a->line_bytes + 1);
        if (!a->line) return fmt_table_fail_memory(table);
    }
    return ORFF_OK;
}

int fmt_array_read(fmt_table *table, fmt_stream *stream, void *memory, size_t size) {
    size_t got;
    const int status = fmt_stream_read(stream, memory, size, &got);
    if (status) return fmt_table_fail_stream(table, status, stream);
    return got == size ? ORFF_OK : fmt_table_fail(table, ORFF_ERROR_FORMAT, "is cut short within its header");
}

static int make_columns(fmt_table *table, const fmt_array_layout *layout) {
    uint64_t columns, numbers;
    if (!product_from(layout, 0, &numbers) || !product_from(layout, 1, &columns) || numbers > UINT64_MAX / 16)
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "its shape is too large");
    if (columns == 0) return fmt_table_fail(table, ORFF_ERROR_FORMAT, "its rows hold no numbers");
    table->rows = layout->shape[0];
    return fmt_table_make_columns(table, columns);
}

int fmt_array_open(fmt_table *table, int (*read_header)(fmt_table *, fmt_stream *, fmt_array_layout *)) {
    array *a = table->state = calloc(1, sizeof *a);
    if (!a) return fmt_table_fail_memory(table);
    int status = fmt_stream_open(&a->stream, table->path);
    if (status) return fmt_table_fail_stream(table, status, a->stream);
    status = read_header(table, a->stream, &a->layout);
    if (!status) status = make_columns(table, &a->layout);
    if (status) return status;
    a->convert = find_conversion(a->layout.kind, a->layout.bytes, a->layout.big_endian);
    a->row_stride = (a->layout.fortran ? 1 : table->columns) * a->layout.bytes;
    table->rewindable = fmt_stream_can_rewind(a->stream);
    a->last = table->rows;
    return find_numbers(table, a);
}

/* ---------------------------------------------------------------- rows */

int fmt_array_choose(fmt_table *table) {
    array *a = table->state;
    free(a->offset);
    a->offset = calloc(table->n_chosen + 1, sizeof *a->offset);
    if (!a->offset) return fmt_table_fail_memory(table);
    for (size_t s = 0; s < table->n_chosen && table->rows; s++)
        a->offset[s] = column_offset(&a->layout, table->chosen[s]);
    a->even = true;
    a->even_stride = table->n_chosen > 1 ? a->offset[1] - a->offset[0] : 0;
    for (size_t s = 1; s < table->n_chosen; s++)
        if (a->offset[s] - a->offset[s - 1] != a->even_stride) a->even = false;
    return ORFF_OK;
}

/* The first byte of the next row. */
static int fetch(fmt_table *table, array *a, const unsigned char **row) {
    size_t got;
    if (a->whole) {
        *row = a->whole + a->row * a->row_stride;
        return ORFF_OK;
    }
    *row = a->line;
    const int status = fmt_stream_read(a->stream, a->line, a->line_bytes, &got);
    if (status) return fmt_table_fail_stream(table, status, a->stream);
    return got == a->line_bytes ? ORFF_OK : fail_short(table, a, a->row * a->line_bytes + got);
}

int fmt_array_next(fmt_table *table, double *row, bool *got) {
    array *a = table->state;
    const unsigned char *from;
    *got = a->row < a->last;
    if (!*got) return a->whole ? ORFF_OK : check_end(table, a);
    const int status = fetch(table, a, &from);
    if (status) return status;
    if (a->even) {
        a->convert(from + a->offset[0], a->even_stride, table->n_chosen, row);
    } else {
        for (size_t s = 0; s < table->n_chosen; s++) a->convert(from + a->offset[s], 0, 1, &row[s]);
    }
    a->row++;
    return ORFF_OK;
}

int fmt_array_rewind(fmt_table *table) {
    array *a = table->state;
    a->row = a->first;
    if (a->whole) return ORFF_OK;
    int status = fmt_stream_rewind(a->stream);
    if (!status) status = fmt_stream_skip(a->stream, a->layout.offset);
    return status ? fmt_table_fail_stream(table, status, a->stream) : ORFF_OK;
}

/* Reading row by row cannot skip the rows before the share. */
int fmt_array_share(fmt_table *table, const fmt_share *share, bool *divided) {
    array *a = table->state;
    if (!a->whole || a->loaded) return ORFF_OK;
    a->row = a->first = fmt_share_begin(share, table->rows);
    a->last = fmt_share_end(share, table->rows);
    *divided = true;
    return ORFF_OK;
}

void fmt_array_place(const fmt_table *table, size_t slot, char *text, size_t room) {
    const array *a = table->state;
    snprintf(text, room, "row %llu, column %zu", (unsigned long long)a->row, table->chosen[slot] + 1);
}

double fmt_array_progress(const fmt_table *table) {
    const array *a = table->state;
    return a->last > a->first ? (double)(a->row - a->first) / (double)(a->last - a->first) : (double)NAN;
}

void fmt_array_close(fmt_table *table) {
    array *a = table->state;
    if (!a) return;
    fmt_stream_close(a->stream);
    free(a->loaded);
    free(a->line);
    free(a->offset);
    free(a);
}
