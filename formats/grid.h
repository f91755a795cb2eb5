/* Scattered rows that lie on a grid. */
#ifndef FMT_GRID_H
#define FMT_GRID_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fmt_grid {
    size_t d;
    size_t *length; /* d: number of values of every input */
    double **axis;  /* d: these values, ascending */
    size_t cells;   /* product of the lengths */
    size_t *cell;   /* rows: the cell of each one, with the first input varying fastest */
} fmt_grid;

/* Looks for a grid under `rows` rows of `stride` values, of which inputs[0 .. d-1] are coordinates. *found is
 * false if two rows share a cell or the grid would be mostly empty. Returns an orff_status. */
int fmt_grid_find(fmt_grid *grid, size_t rows, size_t stride, const double *cells, size_t d,
                  const size_t *inputs, bool *found);
void fmt_grid_clear(fmt_grid *grid);

#endif
