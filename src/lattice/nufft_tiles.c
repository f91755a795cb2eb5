#include "lattice/nufft_tiles.h"

#include "base/memory.h"
#include "lattice/fft.h"

/* log2 of the cells of a tile, by d and dimension: buffers fit the first-level cache. */
static const uint32_t SHIFT[3][3] = {{0, 0, 10}, {0, 5, 5}, {3, 3, 5}};

static orff_status size_grid(orffi_nufft_tiles *t, const size_t *K) {
    enum { MOST_NODES = 1 << 30 };
    t->total = 1;
    for (size_t a = 0; a < 3; a++) t->nodes[a] = 1;
    for (size_t i = 0; i < t->d; i++) {
        if (K[i] > MOST_NODES / 8)
            return orffi_fail(ORFF_ERROR_NO_MEMORY,
                              "%zu modes in dimension %zu: no memory has room for their grid", K[i], i + 1);
        const size_t least = 2 * (2 * K[i] + 1);
        t->nodes[3 - t->d + i] = orffi_fft_size(least < 2 * t->width ? 2 * t->width : least);
        ORFFI_TRY(orffi_multiply(t->total, t->nodes[3 - t->d + i], &t->total));
    }
    return ORFF_OK;
}

static orff_status cut(orffi_nufft_tiles *t) {
    t->count = 1;
    for (size_t a = 0; a < 3; a++) {
        const bool real = a + t->d >= 3;
        t->cells[a] = (size_t)1 << SHIFT[t->d - 1][a];
        t->tiles[a] = (t->nodes[a] + t->cells[a] - 1) / t->cells[a];
        t->halo[a] = real ? t->width - 1 : 0;
        t->first[a] = real;
        ORFFI_TRY(orffi_multiply(t->count, t->tiles[a], &t->count));
    }
    if (t->count <= INT32_MAX) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "a grid of %zu nodes: no memory has room", t->total);
}

static void place_buffers(orffi_nufft_tiles *t) {
    const size_t row = t->cells[2] + ORFFI_NUFFT_LANES;
    const size_t plane = row * (t->cells[1] + t->halo[1]);
    t->strides = (orffi_nufft_strides){plane * (t->cells[0] + t->halo[0]), plane, row};
}

static void place_axes(orffi_nufft_tiles *t) {
    const double two_pi = 6.28318530717958647692;
    const size_t in_buffer[3] = {t->strides.plane, t->strides.row, 1};
    const size_t apart[3] = {t->tiles[1] * t->tiles[2], t->tiles[2], 1};
    for (size_t i = 0; i < t->d; i++) {
        const size_t a = 3 - t->d + i;
        t->axes[i] = (orffi_nufft_axis){.scale = (double)t->nodes[a] / two_pi,
                                        .half = 0.5 * (double)t->width,
                                        .nodes = (double)t->nodes[a],
                                        .shift = SHIFT[t->d - 1][a],
                                        .tiles_apart = (uint32_t)apart[a],
                                        .in_buffer = (uint32_t)in_buffer[a]};
    }
}

orff_status orffi_nufft_tile(orffi_nufft_tiles *tiles, size_t d, const size_t *K, int width) {
    *tiles = (orffi_nufft_tiles){.d = d, .width = (size_t)width};
    ORFFI_TRY(size_grid(tiles, K));
    ORFFI_TRY(cut(tiles));
    place_buffers(tiles);
    place_axes(tiles);
    return ORFF_OK;
}

orffi_nufft_box orffi_nufft_box_of(const orffi_nufft_tiles *t, size_t tile) {
    orffi_nufft_box box;
    for (size_t a = 3; a-- > 0; tile /= t->tiles[a]) {
        const size_t start = tile % t->tiles[a] * t->cells[a], left = t->nodes[a] - start;
        box.origin[a] = (start + t->first[a]) % t->nodes[a];
        box.extent[a] = (left < t->cells[a] ? left : t->cells[a]) + t->halo[a];
    }
    return box;
}
