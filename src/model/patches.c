#include "model/patches.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "exact/near.h"
#include "model/halves.h"

#define PATCHES 8
/* Its multiples modulo 1 are never periodic, so samples of gridded rows do not line up. */
#define GOLDEN 0.61803398874989484820

static size_t spread_row(size_t i, size_t n) {
    const double along = fmod(((double)i + 0.5) * GOLDEN, 1.0);
    return (size_t)(along * (double)n);
}

/* Marks the `count` unmarked rows nearest to the centre. near has room for n. */
static void mark_nearest(const orffi_table *table, const double *unit, size_t centre, size_t count,
                         bool *marked, orffi_neighbour *near) {
    const size_t d = table->d;
    size_t free = 0;
    for (size_t i = 0; i < table->n; i++) {
        double square = 0.0;
        if (marked[i]) continue;
        for (size_t k = 0; k < d; k++) {
            const double step = (table->X[i * d + k] - table->X[centre * d + k]) / unit[k];
            square += step * step;
        }
        near[free++] = (orffi_neighbour){square, i};
    }
    if (count < free) orffi_nearest_first(near, free, count);
    for (size_t i = 0; i < count && i < free; i++) marked[near[i].row] = true;
}

static orff_status copy_marked(const orffi_table *table, const bool *marked, orffi_table *out) {
    size_t count = 0, at = 0;
    for (size_t i = 0; i < table->n; i++) count += marked[i];
    ORFFI_TRY(orffi_table_init_like(out, count, table));
    for (size_t i = 0; i < table->n; i++)
        if (marked[i]) orffi_table_copy_row(out, at++, table, i);
    return ORFF_OK;
}

orff_status orffi_patches(const orffi_table *table, const double *unit, size_t most, orffi_table *out) {
    const size_t spread = most / 3, patch = (most - spread) / PATCHES;
    bool *marked = NULL;
    orffi_neighbour *near = NULL;
    orff_status status = ORFFI_NEW_ARRAY(marked, table->n);
    if (!status) status = ORFFI_NEW_ARRAY(near, table->n);
    if (!status && table->n <= most) {
        memset(marked, true, table->n * sizeof *marked);
    } else if (!status) {
        for (size_t i = 0; i < spread; i++) marked[spread_row(i, table->n)] = true;
        for (size_t i = 0; i < PATCHES; i++)
            mark_nearest(table, unit, spread_row(spread + i, table->n), patch, marked, near);
    }
    if (!status) status = copy_marked(table, marked, out);
    orffi_release(marked);
    orffi_release(near);
    return status;
}

/* Group 0 consists of rows spread over all, the others are patches. */
static orff_status copy_group(const orffi_table *table, const double *unit, const orffi_grouping *how,
                              size_t g, bool *marked, orffi_neighbour *near, orffi_table *out) {
    memset(marked, 0, table->n * sizeof *marked);
    for (size_t i = 0; !g && i < how->spread; i++) marked[spread_row(i, table->n)] = true;
    if (g) mark_nearest(table, unit, spread_row(how->spread + g - 1, table->n), how->patch, marked, near);
    return copy_marked(table, marked, out);
}

orff_status orffi_patches_apart(const orffi_table *table, const double *unit, const orffi_grouping *how,
                                orffi_table *out) {
    bool *marked = NULL;
    orffi_neighbour *near = NULL;
    orff_status status = ORFFI_NEW_ARRAY(marked, table->n);
    if (!status) status = ORFFI_NEW_ARRAY(near, table->n);
    for (size_t g = 0; !status && g <= how->patches; g++)
        status = copy_group(table, unit, how, g, marked, near, &out[g]);
    orffi_release(marked);
    orffi_release(near);
    return status;
}

/* tile: of each row (n). */
static orff_status find_tiles(const orffi_table *table, const double *unit, size_t count, size_t *tile) {
    const size_t n = table->n, d = table->d;
    double *X;
    ORFFI_TRY(orffi_duplicate(&X, table->X, n * d, sizeof *X));
    for (size_t i = 0; i < n * d; i++) X[i] /= unit[i % d];
    const orff_status status = orffi_halves(n, d, X, count, tile);
    orffi_release(X);
    return status;
}

orff_status orffi_patches_tiled(const orffi_table *table, const double *unit, const orffi_grouping *how,
                                orffi_table *out) {
    bool *marked = NULL;
    size_t *tile = NULL;
    orff_status status = ORFFI_NEW_ARRAY(marked, table->n);
    if (!status) status = ORFFI_NEW_ARRAY(tile, table->n);
    for (size_t i = 0; !status && i < how->spread; i++) marked[spread_row(i, table->n)] = true;
    if (!status) status = copy_marked(table, marked, &out[0]);
    if (!status) status = find_tiles(table, unit, how->patches, tile);
    for (size_t g = 0; !status && g < how->patches; g++) {
        for (size_t i = 0; i < table->n; i++) marked[i] = tile[i] == g;
        status = copy_marked(table, marked, &out[g + 1]);
    }
    orffi_release(marked);
    orffi_release(tile);
    return status;
}

/* The row itself is the nearest, or one in the same place: it comes first, and once. */
static orff_status copy_around(const orffi_table *table, const orffi_near *tree, size_t row, size_t near,
                               size_t *found, double *distances, orffi_table *out) {
    const size_t count = orffi_near_find(tree, table->X + row * table->d, near + 1, found, distances);
    size_t at = 0;
    ORFFI_TRY(orffi_table_init_like(out, near + 1, table));
    orffi_table_copy_row(out, at++, table, row);
    for (size_t i = 0; i < count && at <= near; i++)
        if (found[i] != row) orffi_table_copy_row(out, at++, table, found[i]);
    return ORFF_OK;
}

orff_status orffi_patches_around(const orffi_table *table, const double *unit, const double *periods,
                                 size_t count, size_t near, orffi_table *out) {
    orffi_near tree = {0};
    size_t *found = NULL;
    double *distances = NULL;
    orff_status status = orffi_near_init(&tree, table->n, table->d, table->X, unit, periods);
    if (!status) status = ORFFI_NEW_ARRAY(found, near + 1);
    if (!status) status = ORFFI_NEW_ARRAY(distances, near + 1);
    for (size_t i = 0; !status && i < table->n; i++) orffi_near_add(&tree, i);
    for (size_t i = 0; !status && i < count; i++)
        status = copy_around(table, &tree, spread_row(i, table->n), near, found, distances, &out[i]);
    orffi_near_clear(&tree);
    orffi_release(found);
    orffi_release(distances);
    return status;
}
