#include "formats/grid.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "orff.h"

enum { EMPTIEST = 8 }; /* most cells per row */

/* -0 sorts before 0. qsort uses another algorithm if memory is short, and the order must be unique. */
static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x != y ? (x > y) - (x < y) : !signbit(x) - !signbit(y);
}

/* The distinct values of one input, ascending. */
static int find_axis(fmt_grid *grid, size_t k, size_t rows, size_t stride, const double *first) {
    double *axis = grid->axis[k] = malloc((rows + 1) * sizeof *axis);
    if (!axis) return ORFF_ERROR_NO_MEMORY;
    for (size_t i = 0; i < rows; i++) axis[i] = first[i * stride];
    qsort(axis, rows, sizeof *axis, ascending);
    size_t length = 0;
    for (size_t i = 0; i < rows; i++)
        if (length == 0 || axis[i] != axis[length - 1]) axis[length++] = axis[i];
    grid->length[k] = length;
    return ORFF_OK;
}

static size_t position(const fmt_grid *grid, size_t k, double value) {
    size_t low = 0, high = grid->length[k];
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (grid->axis[k][middle] <= value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Assigns every row to its cell; false if two rows have the same cell. */
static bool place_rows(fmt_grid *grid, size_t rows, size_t stride, const double *cells, const size_t *inputs,
                       unsigned char *taken) {
    for (size_t i = 0; i < rows; i++) {
        size_t cell = 0;
        for (size_t k = grid->d; k-- > 0;)
            cell = cell * grid->length[k] + position(grid, k, cells[i * stride + inputs[k]]);
        if (taken[cell]) return false;
        taken[cell] = 1;
        grid->cell[i] = cell;
    }
    return true;
}

/* Counts the cells and says whether there are too many for the rows. */
static bool too_empty(fmt_grid *grid, size_t rows) {
    grid->cells = 1;
    for (size_t k = 0; k < grid->d; k++) {
        if (grid->length[k] > EMPTIEST * rows / grid->cells) return true;
        grid->cells *= grid->length[k];
    }
    return false;
}

int fmt_grid_find(fmt_grid *grid, size_t rows, size_t stride, const double *cells, size_t d,
                  const size_t *inputs, bool *found) {
    *found = false;
    *grid = (fmt_grid){.d = d};
    if (d == 0 || rows == 0) return ORFF_OK;
    grid->length = calloc(d, sizeof *grid->length);
    grid->axis = calloc(d, sizeof *grid->axis);
    grid->cell = calloc(rows, sizeof *grid->cell);
    if (!grid->length || !grid->axis || !grid->cell) return ORFF_ERROR_NO_MEMORY;
    for (size_t k = 0; k < d; k++)
        if (find_axis(grid, k, rows, stride, cells + inputs[k])) return ORFF_ERROR_NO_MEMORY;
    if (too_empty(grid, rows)) return ORFF_OK;
    unsigned char *taken = calloc(grid->cells, 1);
    if (!taken) return ORFF_ERROR_NO_MEMORY;
    *found = place_rows(grid, rows, stride, cells, inputs, taken);
    free(taken);
    return ORFF_OK;
}

void fmt_grid_clear(fmt_grid *grid) {
    for (size_t k = 0; grid->axis && k < grid->d; k++) free(grid->axis[k]);
    free(grid->axis);
    free(grid->length);
    free(grid->cell);
    *grid = (fmt_grid){0};
}
